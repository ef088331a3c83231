# SPDX-License-Identifier: Apache-2.0
"""Covers: slots given to random numbers of threads and freed at random by all cores, once by each receiver and beyond
that, before and while tables are cleared too; every output in every cycle: releases in time with the next epoch,
overflows of the queues, idle; 4 cores, 16 slots, 8 threads; 3, 8, 5; 1, 2, 1.

Leaves out: what a RAM gives in the cycle of a write (a free and the set of its slot meet, but the RAM's model gives the
old word); setting a slot that is held (the free list hands out none); sizes of a board
(test_polyloom_overlay_mailbox.py).
"""

from __future__ import annotations

from collections import deque
from typing import Any

import cocotb

from polyloom.rtl.testing import Harness, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "mailbox_tb")
SIZES = ((4, 16, 8, 8), (3, 8, 5, 5), (1, 2, 1, 2))  # cores, slots, threads, frees that a core's queue holds
PHASES = ((0.9, 0.1), (0.5, 0.5), (0.3, 0.9), (0.1, 0.02), (1.0, 0.3))  # chances of a set, of a free of each core


class Tile:
    """Sets and frees at random, and who holds what."""

    def __init__(self, h: Harness, cores: int, slots: int, threads: int, places: int) -> None:
        self.h, self.rng, self.cores, self.slots, self.threads, self.places = h, h.rng, cores, slots, threads, places
        names = ("ready", "set", "set_slot", "set_epoch", "set_count", "free", "free_slot", "overflow", "idle")
        self.io = {name: h.signal(name) for name in (*names, "released", "released_slot", "released_epoch")}
        self.queues: list[deque[int]] = [deque() for _ in range(cores)]
        self.holders = [0] * slots
        self.epochs = [1] * slots  # of each slot's next use
        self.released: deque[int | None] = deque([None, None])  # that the coming cycles bring
        self.unused = set(range(slots))  # of the free list's view
        self.last = cores - 1
        self.phase = PHASES[0]
        self.freed: dict[int, int] = {}
        self.new_use: tuple[int, int] | None = None
        self.releases = self.strays = self.overflows = self.quiet = self.at_once = 0
        self.stop = False
        EveryCycle(h, self.drive, self.check)

    def drive(self) -> None:
        if self.rng.random() < 0.03:
            self.phase = self.rng.choice(PHASES)
        self.new_use = None
        ready = self.h.cycle > self.slots
        if ready and self.unused and self.rng.random() < self.phase[0]:
            early = self.unused & {queue[0] for queue in self.queues if queue}  # their frees meet the set
            usable = early if early and self.rng.random() < 0.5 else self.unused
            self.new_use = (self.rng.choice(sorted(usable)), self.rng.randint(1, self.threads))
            self.unused.remove(self.new_use[0])
        slot, count = self.new_use or (self.rng.randrange(self.slots), self.rng.randint(1, self.threads))
        self.io["set"].set(int(self.new_use is not None))
        self.io["set_slot"].set(slot)
        self.io["set_count"].set(count)
        self.io["set_epoch"].set(self.epochs[slot])
        self.freed, slots = {}, 0
        held = [s for s in range(self.slots) if self.holders[s]]
        for core in range(self.cores):
            choice = self.rng.choice(held) if held and self.rng.random() < 0.9 else self.rng.randrange(self.slots)
            slots |= choice << (self.slots - 1).bit_length() * core
            if self.rng.random() < self.phase[1] and not self.stop:
                self.freed[core] = choice
        self.io["free"].set(sum(1 << core for core in self.freed))
        self.io["free_slot"].set(slots)

    def check(self, cycle: int) -> None:
        io = {name: signal.get() for name, signal in self.io.items()}
        assert io["ready"] == (cycle >= self.slots), f"cycle {cycle}"
        assert io["idle"] == (not any(self.queues)), f"cycle {cycle}"
        self.quiet += io["idle"]
        full = {core for core in self.freed if len(self.queues[core]) == self.places}
        assert io["overflow"] == sum(1 << core for core in full), f"cycle {cycle}: {full} are full"
        self.overflows += len(full)
        due = self.released.popleft()
        assert io["released"] == (due is not None), f"cycle {cycle}: releases {io['released']}, expected slot {due}"
        if due is not None:
            assert (io["released_slot"], io["released_epoch"]) == (due, self.epochs[due]), f"cycle {cycle}: slot {due}"
            self.unused.add(due)
            self.releases += 1
        self.released.append(self._free_one() if io["ready"] else None)
        for core in self.freed.keys() - full:
            self.queues[core].append(self.freed[core])
        if self.new_use:
            self.holders[self.new_use[0]] = self.new_use[1]

    def _free_one(self) -> int | None:
        """The next core's oldest free; the slot, if it was its last holder's. What is set now is not yet held."""
        turns = ((self.last + 1 + n) % self.cores for n in range(self.cores))
        core = next((c for c in turns if self.queues[c]), None)
        if core is None:
            return None
        self.last = core
        slot = self.queues[core].popleft()
        if not self.holders[slot]:
            self.strays += 1
            self.at_once += self.new_use is not None and self.new_use[0] == slot
            return None
        self.holders[slot] -= 1
        if self.holders[slot]:
            return None
        self.epochs[slot] ^= 1
        return slot


@cocotb.test()
@cocotb.parametrize(which=range(3))
async def releases_with_the_last_free(dut: Any, which: int) -> None:
    h = Harness(dut, dut.gen_references[which])
    tile = Tile(h, *SIZES[which])
    tile.phase = (0.0, 0.2)
    await h.reset()
    await h.until(
        lambda: h.cycle > 2500 and tile.releases > 100 and min(tile.strays, tile.quiet) > 50 and tile.at_once > 5
    )
    await h.until(lambda: tile.overflows > 50 or which == 2)  # a core that is alone has its frees done as they come
    tile.stop = True
    await h.until(lambda: not any(tile.queues))
    await h.step(4)
