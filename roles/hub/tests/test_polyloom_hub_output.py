# SPDX-License-Identifier: Apache-2.0
"""Covers: six inputs that want the output at random, stalls on all sides, credits back late or early, against a model
of the grants: round robin from the last one among those with credits enough, TLPs whole, a grant in the cycle of the
last beat, what enters a ring leaves it a credit; what leaves and from whom; latency, full rate, idle; without credits.

Tests polyloom_hub_output. Leaves out: proofs (test_hub_formal.py).
"""

from __future__ import annotations

from collections import deque
from typing import Any

import cocotb
from hub_units import BEAT

from polyloom.rtl.testing import Harness, Stall, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "hub_tb")
INPUTS = 6
CREDITS = (2, 5, None)
ENTERS = (0b010101, 0b100110, 0b100110)


class Inputs:
    """TLPs of each input: a request that stands until it is granted, then its beats."""

    def __init__(self, h: Harness, which: int, stall: str | float = "random", delay: int = 40) -> None:
        self.h, self.delay = h, delay
        self.credits, self.slots, self.enters = CREDITS[which], CREDITS[which], ENTERS[which]
        names = ("request", "grant", "beat_valid", "beat_ready", "beat", "credit", "tlp_out", "beat_out", "idle")
        self.signals = {name: h.signal(name) for name in names}
        self.sink = h.sink("out", stall)
        self.sink.expect([])
        self.tlps: list[deque[list[int]]] = [deque() for _ in range(INPUTS)]
        self.stalls = [Stall(h.rng, stall) for _ in range(INPUTS)]
        self.requests, self.offered = 0, False
        self.source, self.beats = -1, deque[int]()  # what is granted
        self.last, self.inside = INPUTS - 1, 0  # last granted; beats taken and not yet out
        self.owed: list[int] = []  # cycles until a credit comes back
        self.granted: list[tuple[int, int]] = []  # cycle, input
        EveryCycle(h, self.drive, self.check)

    def send(self, source: int, size: int) -> None:
        beats = [BEAT.random(self.h.rng) & ~(1 << 132) | int(i == size - 1) << 132 for i in range(size)]
        self.tlps[source].append(beats)

    def drive(self) -> None:
        """Ready depends on registers only, so the cycle of the last beat is known in time for the next request."""
        h = self.h
        ready = self.signals["beat_ready"].get()
        assert ready & ~(1 << self.source if self.source >= 0 else 0) == 0
        self.offered = self.source >= 0 and (self.offered or not self.stalls[self.source]())
        ends = self.offered and ready != 0 and len(self.beats) == 1
        for i in range(INPUTS):
            if self.tlps[i] and (i != self.source or ends) and not self.stalls[i]():
                self.requests |= 1 << i
        self.signals["request"].set(self.requests)
        noise = h.rng.getrandbits(INPUTS) & ~(1 << self.source if self.source >= 0 else 0)
        self.signals["beat_valid"].set(noise & ~self.requests | (1 << self.source if self.offered else 0))
        words = [h.rng.getrandbits(BEAT.width) for _ in range(INPUTS)]
        if self.offered:
            words[self.source] = self.beats[0]
        self.signals["beat"].set(sum(word << BEAT.width * i for i, word in enumerate(words)))
        due = [i for i, left in enumerate(self.owed) if left <= 0]
        self.owed = [left - 1 for left in self.owed]
        if due:
            self.owed.pop(due[0])
        self.signals["credit"].set(int(bool(due)))

    def choice(self) -> int:
        """Who is granted if the output is free; -1: no one."""
        able = self.requests
        if self.credits is not None and self.credits < 2:
            able &= ~self.enters if self.credits else 0
        order = [(self.last + 1 + i) % INPUTS for i in range(INPUTS)]
        return next((i for i in order if able >> i & 1), -1)

    def check(self, cycle: int) -> None:
        get = {name: signal.get() for name, signal in self.signals.items()}
        self.inside -= len(self.sink.cycles) > 0 and self.sink.cycles[-1] == cycle
        moved = self.offered and get["beat_ready"] != 0
        assert get["beat_out"] == moved
        ends = moved and len(self.beats) == 1
        assert get["tlp_out"] == ends
        chosen = self.choice() if self.source < 0 or ends else -1
        assert get["grant"] == (1 << chosen if chosen >= 0 else 0), f"cycle {cycle}: {get['grant']:#b}, not {chosen}"
        if moved:
            self.sink.expect([self.source << BEAT.width | self.beats.popleft()])
            self.inside += 1
            self.offered = False
        if ends:
            self.source = -1
        if self.credits is not None:
            self.credits += get["credit"] - (chosen >= 0)
        if chosen >= 0:
            self.source, self.last = chosen, chosen
            self.requests &= ~(1 << chosen)
            self.beats.extend(self.tlps[chosen].popleft())
            self.granted.append((cycle, chosen))
            if self.slots is not None:
                self.owed.append(self.h.rng.randint(0, self.delay) if self.delay else 0)

    def done(self) -> bool:
        return not any(self.tlps) and self.source < 0 and not self.owed and self.inside == 0


@cocotb.test()
@cocotb.parametrize(which=range(3), delay=[0, 60])
async def random_requests(dut: Any, which: int, delay: int) -> None:
    h = Harness(dut, dut.i_parts.gen_output[which])
    b = Inputs(h, which, delay=delay)
    await h.reset()
    for _ in range(70):
        b.send(h.rng.randrange(INPUTS), h.rng.choice([1, 1, 2, 9, h.rng.randint(1, 9)]))
    while not b.done():
        busy = b.source >= 0 or b.inside > 0
        assert b.signals["idle"].get() == (not busy)
        await h.step()
        assert h.cycle < 20_000, "not done"
    await h.drain()
    assert b.signals["idle"].get() and b.credits == b.slots


@cocotb.test()
@cocotb.parametrize(which=range(3))
async def latency_and_rate(dut: Any, which: int) -> None:
    h = Harness(dut, dut.i_parts.gen_output[which])
    b = Inputs(h, which, "never", 0)
    await h.reset()
    for number in range(30):
        b.send(number % INPUTS, 3)  # credits are back before they are missed
    await h.until(b.done)
    first = b.granted[0][0]
    assert b.granted == [(first + 3 * n, n % INPUTS) for n in range(30)]
    assert b.sink.cycles == [first + 2 + n for n in range(90)]


@cocotb.test()
@cocotb.parametrize(which=range(2))
async def what_enters_leaves_a_credit(dut: Any, which: int) -> None:
    h = Harness(dut, dut.i_parts.gen_output[which])
    b = Inputs(h, which, "never", 100_000)
    b.owed = []
    await h.reset()
    entering = next(i for i in range(INPUTS) if ENTERS[which] >> i & 1)
    other = next(i for i in range(INPUTS) if not ENTERS[which] >> i & 1)
    slots = CREDITS[which] or 0
    for _ in range(slots + 1):
        b.send(entering, 2)
    await h.step(60)
    assert [i for _, i in b.granted] == [entering] * (slots - 1)
    b.send(other, 2)
    b.send(other, 2)
    await h.step(60)
    assert [i for _, i in b.granted] == [entering] * (slots - 1) + [other]
