# SPDX-License-Identifier: Apache-2.0
"""Covers: frames as go-back-N sends them: in order, sent again, partly had before, after a gap, without items, damaged
in any way, with gaps between items, while the user stalls at random; rings of 3, 13 and 1 items: every item once and
in order, and what is told of numbers, room, gaps and duplicates in every cycle against a model in plain integers;
items beyond the room are dropped; 1 cycle from commit to the item.

Leaves out: a far side that sends beyond the room while room comes back (it keeps to limit_o by contract).
"""

from __future__ import annotations

from collections import Counter, deque
from typing import Any

import cocotb

from polyloom.rtl.testing import Harness, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "reliable_link_tb")
ITEMS, SEQ_BITS = (3, 13, 1), (3, 8, 3)
INPUTS = ("head", "seq", "item_valid", "item", "commit", "any", "start")
Cycle = dict[str, int]


class Channel:
    """Plays the parser; ``number`` counts items from 0 on, never modulo."""

    def __init__(self, h: Harness, which: int, stall: str | float) -> None:
        self.h, self.rng = h, h.rng
        self.items, self.modulus = ITEMS[which], 1 << SEQ_BITS[which]
        self.quarter = 1 if self.items < 8 else self.items // 4
        outputs = ("ack", "limit", "nack", "complain", "report", "out_valid", "gap", "duplicate", "idle")
        self.io = {n: h.signal(n) for n in (*INPUTS, *outputs, "out_ready")}
        self.sink = h.sink("out", stall)
        self.sink.expect([])
        self.values: list[int] = []  # of the far side's items, by number
        self.expected = self.accepted = self.written = self.room = 0
        self.gapped = self.missing = self.nack = False
        self.first = 0  # number of the next item of the frame that comes
        self.script: deque[Cycle] = deque()
        self.now: Cycle = {}
        self.counts: Counter[str] = Counter()
        self.frames = 0
        self.commits: list[int] = []
        self.reported = self.items  # the far side knows of room up to here
        EveryCycle(h, self.drive, self.check)

    def value(self, number: int) -> int:
        """Of an item."""
        while len(self.values) <= number:
            self.values.append(self.rng.getrandbits(16))
        return self.values[number]

    def frame(self, first: int, count: int, good: bool = True, gaps: float = 0.2) -> None:
        """Queue one; a damaged one shows any number and items."""
        rng = self.rng
        seq = first % self.modulus if good or rng.random() < 0.5 else rng.randrange(self.modulus)
        self.script.append({"head": 1, "seq": seq, "first": first})
        for n in range(count):
            while rng.random() < gaps:
                self.script.append({})
            self.script.append({"item_valid": 1, "item": self.value(first + n) if good else rng.getrandbits(16)})
        self.script += [{}] * rng.choice([1, 1, 3])
        self.script.append({"commit": int(good), "any": int(count > 0)})
        self.frames += 1

    def next_frame(self) -> None:
        """As a far side that keeps to the room might send."""
        rng, half = self.rng, self.modulus // 2
        back = min(self.expected, half - 1)
        first = self.expected + rng.choice([0, 0, 0, -rng.randint(0, back), -min(1, back), rng.randint(0, half)])
        count = max(0, min(rng.randint(0, self.items + 2), self.reported - first))
        if first > self.expected:  # what lies between was lost, so the room is not known to be used up
            count = rng.randint(0, 3)
        self.frame(first, count, rng.random() < 0.8)

    def drive(self) -> None:
        """The script's next cycle; noise where it says nothing."""
        rng = self.rng
        self.now = self.script.popleft() if self.script else {}
        noise = {"seq": rng.randrange(self.modulus), "item": rng.getrandbits(16), "any": rng.getrandbits(1)}
        self.now = noise | {"head": 0, "item_valid": 0, "commit": 0, "start": int(rng.random() < 0.15)} | self.now
        for name in INPUTS:
            self.io[name].set(self.now[name])

    def check(self, cycle: int) -> None:
        """Outputs of this cycle; then the model's next state."""
        now, here = self.now, f"cycle {cycle}"
        assert self.io["ack"].get() == self.expected % self.modulus, here
        assert self.io["limit"].get() == (self.accepted + self.items) % self.modulus, here
        assert bool(self.io["nack"].get()) == self.nack, here
        assert bool(self.io["out_valid"].get()) == (self.accepted < self.expected) == (not self.io["idle"].get()), here
        pop = self.io["out_valid"].get() and self.io["out_ready"].get()
        if now["start"]:
            self.reported = self.accepted + self.items
        self.room = (0 if now["start"] else self.room) + pop
        requested = bool(now["commit"] and now["any"])
        advanced = bool(now["commit"]) and self.written > self.expected
        reported = {"gap": requested and self.gapped, "duplicate": requested and not self.gapped and not advanced}
        reported |= {
            "complain": reported["gap"] and not self.missing,
            "report": bool(pop) and self.room == self.quarter,
        }
        got = {name: bool(self.io[name].get()) for name in reported}
        assert got == reported, f"{here}: {got}, expected {reported}"
        self.counts.update(name for name, is_reported in reported.items() if is_reported)
        self._receive(now, advanced, cycle)
        if reported["complain"]:
            self.nack = True
        elif advanced or now["start"]:
            self.nack = False
        self.missing = reported["gap"] or (self.missing and not advanced)
        self.accepted += pop

    def _receive(self, now: Cycle, advanced: bool, cycle: int) -> None:
        if advanced:
            self.sink.expect(self.value(n) for n in range(self.expected, self.written))
            self.expected = self.written
            self.commits.append(cycle)
            self.counts["advanced"] += 1
        if now["head"]:
            late = (self.expected - now["seq"]) % self.modulus
            self.gapped = late >= self.modulus // 2
            self.first = self.expected - late
            self.written = self.expected
        elif now["item_valid"]:
            if not self.gapped and self.first == self.written and self.first < self.accepted + self.items:
                self.written += 1
            self.first += 1


@cocotb.test()
@cocotb.parametrize(which=range(3), stall=("random", "never"))
async def each_item_once(dut: Any, which: int, stall: str) -> None:
    h = Harness(dut, dut.gen_rx_channel[which])
    channel = Channel(h, which, stall)
    await h.reset()
    while channel.frames < 150 or min(channel.counts[n] for n in ("gap", "duplicate", "complain", "report")) == 0:
        channel.next_frame()
        await h.until(lambda: not channel.script)
        await h.step(h.rng.choice([1, 1, 1, 5]))
        assert channel.frames < 5000, channel.counts
    await h.drain()
    assert len(channel.sink.passed) == channel.expected > 30


@cocotb.test()
@cocotb.parametrize(which=range(3))
async def what_has_no_room_is_dropped(dut: Any, which: int) -> None:
    h = Harness(dut, dut.gen_rx_channel[which])
    channel = Channel(h, which, "always")
    await h.reset()
    channel.frame(0, ITEMS[which] + 2)
    await h.until(lambda: not channel.script)
    await h.step(2)
    assert channel.expected == ITEMS[which]
    channel.frame(ITEMS[which], 1)
    await h.until(lambda: not channel.script)
    await h.step(2)
    assert channel.expected == ITEMS[which] and channel.counts["duplicate"] == 1


@cocotb.test()
@cocotb.parametrize(which=range(3))
async def an_item_a_cycle(dut: Any, which: int) -> None:
    h = Harness(dut, dut.gen_rx_channel[which])
    channel = Channel(h, which, "never")
    await h.reset()
    channel.frame(0, ITEMS[which], gaps=0)
    await h.until(lambda: len(channel.sink.passed) == ITEMS[which])
    begin = channel.commits[0] + 1
    assert channel.sink.cycles == list(range(begin, begin + ITEMS[which]))
