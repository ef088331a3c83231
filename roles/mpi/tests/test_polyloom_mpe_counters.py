# SPDX-License-Identifier: Apache-2.0
"""Covers: every event, the bytes of frames and what is foreign from elsewhere, as close as events of a kind may
come (the number of kinds), also all at once; foreign ones in each cycle; numbers that are read meanwhile; idle; the
cycles from an event to its number; the clearing after reset, with events in it.

Leaves out: numbers beyond 32 bits.
"""

from __future__ import annotations

from typing import Any

import cocotb
from kernel_parts import part

from polyloom.rtl.testing import Harness, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "kernel_tb")
EVENTS = 10
FRAMES_IN, FRAMES_OUT, FOREIGN, BYTES_IN, BYTES_OUT = 0, 1, 3, 10, 11
KINDS = EVENTS + 3  # and bytes in, bytes out, foreign from elsewhere
LATENCY = 13  # cycles from an event to its number
CLEARING = 16
FOREIGN_LATENCY = 45  # while something foreign comes in two of three cycles


class Counting:
    """Drives events, each kind at most every ``apart`` cycles; knows what the numbers must be."""

    def __init__(self, h: Harness, chance: float, apart: int, foreign: float | None = None) -> None:
        self.h, self.chance, self.apart, self.foreign = h, chance, apart, foreign
        self.latency = LATENCY if foreign is None else FOREIGN_LATENCY
        names = ("events", "foreign", "bytes_in", "bytes_out", "index", "value", "idle")
        self.s = {name: h.signal(name) for name in names}
        self.reported: list[tuple[int, int, int]] = []  # cycle, number, by how much
        self.last = [-99] * (EVENTS + 1)
        self.total = [0] * 16
        self.sizes = [0, 0]
        self.stop = False
        self.pause = 0  # nothing foreign in each cycle of so many
        EveryCycle(h, self.drive, self.check)

    def drive(self) -> None:
        """Random events; the size of a frame is there from the cycle after its event on."""
        rng, now = self.h.rng, self.h.cycle
        events = 0
        for kind in range(EVENTS + 1):
            chance = self.chance if kind < EVENTS or self.foreign is None else self.foreign
            apart = 1 if kind == EVENTS and self.foreign is not None else self.apart
            if kind == EVENTS and self.pause and now % self.pause == 0:
                continue
            if not self.stop and now - self.last[kind] >= apart and rng.random() < chance:
                events |= 1 << kind
                self.last[kind] = now
        self.s["events"].set(events & (1 << EVENTS) - 1)
        self.s["foreign"].set(events >> EVENTS)
        self.s["bytes_in"].set(self.sizes[0])
        self.s["bytes_out"].set(self.sizes[1])
        self.s["index"].set(now % (EVENTS + 2) if self.stop else rng.randrange(EVENTS + 2))
        for i, kind in enumerate((FRAMES_IN, FRAMES_OUT)):
            if events >> kind & 1:
                self.sizes[i] = rng.choice([rng.getrandbits(13), 8191, 0, 60])
                self.reported.append((now, BYTES_IN + i, self.sizes[i]))
        self.reported += [(now, FOREIGN if k == EVENTS else k, 1) for k in range(EVENTS + 1) if events >> k & 1]

    def check(self, cycle: int) -> None:
        """A number has all that is old enough, and nothing that has not been told."""
        for at, number, more in self.reported:
            if at == cycle - self.latency - 1:
                self.total[number] += more
        self.reported = [t for t in self.reported if t[0] > cycle - self.latency - 1]
        index, value = self.s["index"].get(), self.s["value"].get()
        if cycle < CLEARING:
            assert not self.s["idle"].get()
            return
        under_way = sum(more for at, number, more in self.reported if number == index and at < cycle)
        least = self.total[index]
        assert least <= value <= least + under_way, f"cycle {cycle}, number {index}: {value}, not {least} + {under_way}"
        if self.s["idle"].get():
            assert value == least + under_way, f"idle in cycle {cycle}, but number {index} is {value}"
        elif cycle > CLEARING + self.latency:
            assert self.reported, f"not idle in cycle {cycle}"


@cocotb.test()
@cocotb.parametrize(how=["all at once", "random", "few"])
async def counts(dut: Any, how: str) -> None:
    h = part(dut, "counters")
    c = Counting(h, {"all at once": 1.0, "random": 0.3, "few": 0.01}[how], KINDS)
    await h.reset()
    # Nothing may come twice before all is cleared.
    c.last = [h.rng.randrange(3) + CLEARING - KINDS if how != "few" else 0] * (EVENTS + 1)
    await h.step(800 if how == "few" else 400)
    c.stop = True
    await h.step(LATENCY + EVENTS + 4)  # all numbers are looked at
    assert c.s["idle"].get() and all(c.total[: EVENTS + 2])


@cocotb.test()
@cocotb.parametrize(others=[0.0, 0.5])
async def foreign_in_each_cycle(dut: Any, others: float) -> None:
    """What is not for this node may be as short as a word: it is counted before all else."""
    h = part(dut, "counters")
    c = Counting(h, others, FOREIGN_LATENCY, foreign=1.0 if others else 0.8)
    c.pause = 3 if others else 0
    c.last = [CLEARING] * (EVENTS + 1)
    await h.reset()
    await h.step(400)
    c.stop = True
    await h.step(FOREIGN_LATENCY + 15)
    assert c.s["idle"].get() and c.total[FOREIGN] > 200


@cocotb.test()
async def while_it_clears(dut: Any) -> None:
    """An event of each kind just after reset; numbers of before are gone."""
    h = part(dut, "counters")
    events, foreign, index, value, idle = (h.signal(n) for n in ("events", "foreign", "index", "value", "idle"))
    h.signal("bytes_in").set(77)
    h.signal("bytes_out").set(88)
    await h.reset()
    for _ in range(2):
        await h.step(h.rng.randrange(CLEARING - 1))
        events.set((1 << EVENTS) - 1)
        foreign.set(1)
        await h.step()
        events.set(0)
        foreign.set(0)
        await h.until(lambda: bool(idle.get()), CLEARING + LATENCY)
        for number in range(EVENTS + 2):
            index.set(number)
            await h.step()
            want = {FOREIGN: 2, BYTES_IN: 77, BYTES_OUT: 88}.get(number, 1)
            assert value.get() == want, f"number {number} is {value.get()}"
        await h.reset()
