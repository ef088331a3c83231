# SPDX-License-Identifier: Apache-2.0
"""Covers: loads, stores, fills and victims of lines of 32 and 64 bytes, each with its own random pauses: values two
cycles after hits, victims one cycle after their grant and until the next, who gets port 1 in every cycle, fills seen
from the latest cycle on that is promised; idle or not; a reset while lines wait.

Leaves out: a line that is used while it waits to be written (its thread cannot).
"""

from __future__ import annotations

from collections import deque
from typing import Any

import cocotb
from memory_units import SHAPES, WORD, a_word, loaded, stored

from polyloom.rtl.testing import Harness, Stall, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "memory_tb")
AFTER_FILL = 10  # 2 at best, 8 later at worst


class Lines:
    """What each place holds, and from when on it may be used."""

    def __init__(self, h: Harness, count: int) -> None:
        self._h = h
        self.here: dict[int, int] = {}
        self.usable: dict[int, int] = {}
        self.wanted: int | None = None
        self.waiting: deque[int] = deque()  # fills before they are written
        self.lost = False  # a fill waited in the cycle before
        self._places = range(count)

    def pick(self, filled: bool, besides: list[int]) -> int | None:
        """A place with a line that may be used, or any that nothing is under way for."""
        rng, now = self._h.rng, self._h.cycle
        places = [
            p for p in self._places
            if p != self.wanted and p not in besides and self.usable.get(p, 0) <= now and (p in self.here) >= filled
        ]  # fmt: skip
        return rng.choice(places) if places else None

    def writes(self) -> bool:
        """Whether a fill has port 1: of two cycles in a row one, and every one when three wait."""
        return bool(self.waiting) and (self.wanted is None or self.lost or len(self.waiting) == 3)


class Ports:
    """The ports, and the model beside them."""

    def __init__(self, h: Harness, which: int) -> None:
        self._h, self._shape = h, SHAPES[which]
        self._count = self._shape.place(self._shape.all_threads, 0, 0)
        names = (
            *("idle", "hit_valid", "hit_place", "hit", "hit_data", "fill_valid", "fill_place", "fill"),
            *("want", "victim_place", "granted", "victim"),
        )
        self._s = {name: h.signal(name) for name in names}
        self._stalls = [Stall(h.rng) for _ in range(3)]
        self.seen = {"hit": 0, "fill": 0, "victim": 0}
        self.forget()
        EveryCycle(h, self._drive, self._check)

    def forget(self) -> None:
        """After a reset: what the lines hold is not known."""
        self._lines = Lines(self._h, self._count)
        self._due: list[int | None] = [None, None]
        self._victim: int | None = None
        self._filled: int | None = None

    def _drive_hit(self) -> list[int]:
        s, rng, lines = self._s, self._h.rng, self._lines
        word, at = a_word(rng, self._shape.line_bytes)
        place = None if self._stalls[0]() else lines.pick(filled=True, besides=[])
        s["hit_valid"].set(int(place is not None))
        s["hit_place"].set(rng.getrandbits(12) if place is None else place)
        s["hit"].set(WORD.pack(**word))
        self._due.append(None)
        if place is None:
            return []
        if word["store"]:
            lines.here[place] = stored(lines.here[place], at, word["size"], word["data"])
        else:
            self._due[-1] = loaded(lines.here[place], at, word["size"], word["sign"])
        self.seen["hit"] += 1
        return [place]

    def _drive(self) -> None:
        s, rng, lines = self._s, self._h.rng, self._lines
        used = self._drive_hit()
        if lines.wanted is None and not self._stalls[1]():
            lines.wanted = lines.pick(filled=True, besides=used)
        s["want"].set(int(lines.wanted is not None))
        s["victim_place"].set(rng.getrandbits(12) if lines.wanted is None else lines.wanted)
        place = None if self._stalls[2]() else lines.pick(filled=False, besides=used)
        data = rng.getrandbits(8 * self._shape.line_bytes)
        s["fill_valid"].set(int(place is not None))
        s["fill_place"].set(rng.getrandbits(12) if place is None else place)
        s["fill"].set(data)
        self._filled = place
        if place is not None:
            lines.here[place] = data
            lines.usable[place] = self._h.cycle + AFTER_FILL
            self.seen["fill"] += 1

    def _check(self, cycle: int) -> None:
        s, lines = self._s, self._lines
        want = self._due.pop(0)
        assert want is None or s["hit_data"].get() == want, f"cycle {cycle}: {s['hit_data'].get():#x}, not {want:#x}"
        assert self._victim is None or s["victim"].get() == self._victim, f"cycle {cycle}: not the victim's bytes"
        assert s["idle"].get() == int(not lines.waiting), f"cycle {cycle}"
        writes = lines.writes()
        granted = lines.wanted is not None and not writes
        assert s["granted"].get() == int(granted), f"cycle {cycle}: {len(lines.waiting)} wait"
        lines.lost = bool(lines.waiting) and not writes
        if writes:
            lines.waiting.popleft()
        if self._filled is not None:
            lines.waiting.append(self._filled)
        if granted and lines.wanted is not None:
            self._victim = lines.here[lines.wanted]
            lines.wanted = None
            self.seen["victim"] += 1


@cocotb.test()
@cocotb.parametrize(which=range(2))
async def holds(dut: Any, which: int) -> None:
    h = Harness(dut, dut.gen_lines[which])
    ports = Ports(h, which)
    await h.reset()
    await h.until(lambda: min(ports.seen.values()) >= (400 if which == 0 else 100))
    await h.reset()
    ports.forget()
    ports.seen = dict.fromkeys(ports.seen, 0)
    await h.until(lambda: min(ports.seen.values()) >= 50)
