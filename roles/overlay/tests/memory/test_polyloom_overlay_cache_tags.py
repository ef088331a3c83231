# SPDX-License-Identifier: Apache-2.0
"""Covers: loads, stores and flushes of all threads on few lines that differ in single bits, in caches of one line
and of 8 ways: hit or not, place, what is written back, against trees of halves; a row asked again after exactly 4
cycles; one lookup a cycle with gaps; how long a reset takes, and that nothing is left after it.

Leaves out: a row asked sooner (its thread waits for the response).
"""

from __future__ import annotations

from typing import Any

import cocotb
from memory_units import FLUSH, LOOKUP, SHAPES, START, Decision, Row, Shape, lines_of, look_up

from polyloom.rtl.testing import Harness, Stall, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "memory_tb")
APART = 4  # cycles from a row's grant to its next


class Threads:
    """Lookups of threads that wait for their last one."""

    def __init__(self, h: Harness, shape: Shape) -> None:
        self._h, self._shape = h, shape
        self._lines = [lines_of(h.rng, shape, shape.ways + 4) for _ in range(shape.all_threads)]
        self.rows = [[Row(shape.ways) for _ in range(shape.sets)] for _ in range(shape.all_threads)]
        self._since = [-APART] * shape.all_threads
        self._stall = Stall(h.rng)

    def next(self) -> tuple[dict[str, int], Decision] | None:
        """A lookup, and what it finds."""
        rng, shape = self._h.rng, self._shape
        free = [t for t, since in enumerate(self._since) if self._h.cycle - since >= APART]
        if self._stall() or not free:
            return None
        thread = rng.choice(free[:2]) if rng.random() < 0.6 else rng.choice(free)  # some often
        self._since[thread] = self._h.cycle
        op = FLUSH if rng.random() < 0.15 else rng.randrange(2)
        addr = rng.choice(self._lines[thread]) + rng.randrange(shape.line_bytes)
        set_, way = shape.set_of(addr), rng.randrange(shape.ways)
        if op == FLUSH:
            set_ = rng.randrange(shape.sets)
            addr = set_ << 4 | way | rng.getrandbits(8) << 24
        requested = {
            **{"op": op, "size": rng.randrange(3), "sign": rng.getrandbits(1), "thread": thread, "set": set_},
            **{"addr": addr, "data": rng.getrandbits(32)},
        }
        row = self.rows[thread][set_]
        return requested, look_up(row, op, addr // shape.line_bytes * shape.line_bytes, way)


def check_start(shape: Shape, requested: dict[str, int], found: Decision, bits: int) -> None:
    """What the memory is asked: of a hit only the place means something."""
    start = START.unpack(bits)
    assert start["place"] == shape.place(requested["thread"], requested["set"], found.way)
    if found.hit:
        return
    assert start["flush"] == int(requested["op"] == FLUSH)
    assert start["thread"] == requested["thread"]
    assert start["dirty"] == int(found.victim is not None)
    if found.victim is not None:
        assert start["victim"] == found.victim // 32, f"{start['victim'] * 32:#x}, expected {found.victim:#x}"
    if requested["op"] != FLUSH:
        assert start["wanted"] == requested["addr"] // shape.line_bytes * shape.line_bytes // 32


@cocotb.test()
@cocotb.parametrize(which=(1, 2))
async def decides(dut: Any, which: int) -> None:
    h, shape = Harness(dut, dut.gen_tags[which]), SHAPES[which]
    names = ("ready", "valid", "grant", "decided_valid", "decided", "hit", "start")
    ready, valid, grant, decided_valid, decided, hit, start = (h.signal(name) for name in names)
    threads = [Threads(h, shape)]
    due: list[tuple[dict[str, int], Decision] | None] = []
    seen = began = 0

    def drive() -> None:
        lookup = threads[-1].next() if h.cycle >= began + shape.rows else None
        due.append(lookup)
        valid.set(int(lookup is not None))
        grant.set(h.rng.getrandbits(grant.width) if lookup is None else LOOKUP.pack(**lookup[0]))

    def check(cycle: int) -> None:
        nonlocal seen
        assert ready.get() == int(cycle >= began + shape.rows), f"cycle {cycle}: after a reset before {began}"
        lookup = due.pop(0)
        assert decided_valid.get() == int(lookup is not None), f"cycle {cycle}"
        assert hit.get() == int(lookup is not None and lookup[1].hit), f"cycle {cycle}: {lookup}"
        if lookup is not None:
            assert decided.get() == LOOKUP.pack(**lookup[0]), f"cycle {cycle}: {lookup}"
            check_start(shape, *lookup, start.get())
            seen += 1

    EveryCycle(h, drive, check)
    for count in (1500, 300):
        await h.reset()
        threads.append(Threads(h, shape))
        began = h.cycle
        due[:] = [None, None]
        wanted = seen + count
        await h.until(lambda: seen >= wanted)  # noqa: B023
