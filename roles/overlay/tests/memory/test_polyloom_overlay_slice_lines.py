# SPDX-License-Identifier: Apache-2.0
"""Covers: lines of 32 bytes to 3 clients and of 64 bytes to 5, from three memories with random pauses: which memory
goes first in every cycle, that halves are taken at once, bytes, tag and client of each line and its cycle; a reset.

Leaves out: bursts of a memory that are interleaved.
"""

from __future__ import annotations

from typing import Any

import cocotb
from memory_units import SHAPES

from polyloom.rtl.testing import Harness, Stall, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "memory_tb")


class Memory:
    """Sends lines, half by half, with pauses; an offer stands until it is taken."""

    def __init__(self, h: Harness, which: int, index: int) -> None:
        self._h, self._shape = h, SHAPES[which]
        self._stall = Stall(h.rng)
        ports = ("valid", "ready", "last", "data", "id")
        self.valid, self.ready, self._last, self._data, self._id = (h.signal(f"r_{p}", index, 3) for p in ports)
        self.beats: list[int] = []
        self.accepted = 0
        self.owner = 0
        self.offers = False

    @property
    def complete(self) -> bool:
        """Whether a line's last beat is offered."""
        return self.offers and self.accepted == len(self.beats) - 1

    def drive(self) -> None:
        """Offer the next beat, unless it stands still."""
        rng = self._h.rng
        if self.accepted == len(self.beats):
            self.beats = [rng.getrandbits(256) for _ in range(self._shape.line_bytes // 32)]
            self.owner = rng.randrange(self._shape.clients) << 6 | rng.getrandbits(6)
            self.accepted = 0
        self.offers = self.offers or not self._stall()
        self.valid.set(int(self.offers))
        self._data.set(self.beats[self.accepted] if self.offers else rng.getrandbits(256))
        self._last.set(int(self.complete) if self.offers else rng.getrandbits(1))
        self._id.set(self.owner if self.offers else rng.getrandbits(self._id.width))


@cocotb.test()
@cocotb.parametrize(which=range(2))
async def gives_back(dut: Any, which: int) -> None:
    h = Harness(dut, dut.gen_slice_lines[which])
    valid, tag, line = (h.signal(name) for name in ("valid", "tag", "line"))
    memories = [Memory(h, which, index) for index in range(3)]
    due: list[tuple[int, int]] = []  # owner and bytes of the line of the cycle before
    seen = [0, 0, 0]

    def drive() -> None:
        for memory in memories:
            memory.drive()

    def check(cycle: int) -> None:
        want = due.pop() if due else None
        assert valid.get() == (0 if want is None else 1 << (want[0] >> 6)), f"cycle {cycle}: expected {want}"
        if want is not None:
            assert (tag.get(), line.get()) == (want[0] & 63, want[1]), f"cycle {cycle}: expected {want}"
        first = next((i for i, memory in enumerate(memories) if memory.complete), None)
        for index, memory in enumerate(memories):
            if not memory.offers:
                continue
            accepts = index == first or not memory.complete
            assert memory.ready.get() == int(accepts), f"cycle {cycle}: memory {index}, {first} goes"
            if accepts:
                if memory.complete:
                    due.append((memory.owner, sum(beat << 256 * i for i, beat in enumerate(memory.beats))))
                    seen[index] += 1
                memory.accepted += 1
                memory.offers = False

    EveryCycle(h, drive, check)
    await h.reset()
    await h.until(lambda: min(seen) >= 200)
    await h.reset()
    due.clear()
    await h.until(lambda: min(seen) >= 220)
