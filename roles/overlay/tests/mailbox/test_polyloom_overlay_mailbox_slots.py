# SPDX-License-Identifier: Apache-2.0
"""Covers: slots taken and given back at random, one of each in a cycle, until none is free and until all are, every
output in every cycle: what was given back last comes first, then slots that were never used, in order; epochs; counts.
64 slots of 128, 13 of 16, 1 of 2, 8 of 8.

Leaves out: taking from an empty list, giving back what is free (asserted in the RTL).
"""

from __future__ import annotations

from typing import Any

import cocotb

from polyloom.rtl.testing import Harness, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "mailbox_tb")
SIZES = ((128, 64), (16, 3), (2, 1), (8, 0))  # slots, the first one


class FreeList:
    """Takes and gives back in phases; the rule, on a list."""

    def __init__(self, h: Harness, slots: int, first: int) -> None:
        self.h, self.rng, self.first = h, h.rng, first
        names = ("count", "pop", "slot", "epoch", "push", "push_slot", "push_epoch")
        self.io = {name: h.signal(name) for name in names}
        self.free = [(slot, 1) for slot in reversed(range(first, slots))]  # the next one last
        self.used: list[int] = []
        self.phase = (1.0, 0.0)  # chances of taking, giving back
        self.seen: set[int] = set()  # how many were free
        self.reused = self.both = 0
        self.pop, self.push = False, (0, 0)
        EveryCycle(h, self.drive, self.check)

    def drive(self) -> None:
        if self.rng.random() < 0.02:
            self.phase = self.rng.choice(((0.95, 0.5), (0.5, 0.95), (0.5, 0.5), (1.0, 1.0), (1.0, 0.0), (0.0, 1.0)))
        self.pop = bool(self.free) and self.rng.random() < self.phase[0]
        push = bool(self.used) and self.rng.random() < self.phase[1]
        self.push = (self.rng.choice(self.used) if push else self.rng.randrange(2), self.rng.randrange(2))
        if push:
            self.used.remove(self.push[0])
        self.pushed = push
        self.io["pop"].set(int(self.pop))
        self.io["push"].set(int(push))
        self.io["push_slot"].set(self.push[0])
        self.io["push_epoch"].set(self.push[1])

    def check(self, cycle: int) -> None:
        count = self.io["count"].get()
        assert count == len(self.free), f"cycle {cycle}: {count} free, expected {len(self.free)}"
        self.seen.add(count)
        self.both += self.pop and self.pushed
        if self.free:
            got = self.io["slot"].get(), self.io["epoch"].get()
            assert got == self.free[-1], f"cycle {cycle}: {got} is next, expected {self.free[-1]}"
        if self.pop:
            slot, epoch = self.free.pop()
            self.used.append(slot)
            self.reused += not epoch
        if self.pushed:
            self.free.append(self.push)


@cocotb.test()
@cocotb.parametrize(which=range(4))
async def gives_the_last_one_first(dut: Any, which: int) -> None:
    h = Harness(dut, dut.gen_slots[which])
    slots, first = SIZES[which]
    free_list = FreeList(h, slots, first)
    await h.reset()
    whole = {0, slots - first}
    await h.until(lambda: h.cycle > 2000 and free_list.reused > 100 and whole <= free_list.seen)
    assert free_list.both > 20 or slots == 2
