# SPDX-License-Identifier: Apache-2.0
"""What the tests of a tile's cache and of a slice share: shapes, structs, loads and stores, a partition's rules.

The rules are those of roles/overlay/sim/tile/README.md, "Data cache" and "Memory", not the RTL's.
"""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass, field

from polyloom.rtl.testing import Harness, Struct

LOAD, STORE, FLUSH = range(3)
MEM_REQ = Struct.of("polyloom_overlay_pkg::mem_req_t")
RSP = Struct.of("polyloom_overlay_pkg::rsp_t")
LOOKUP = Struct.of("polyloom_overlay_memory_pkg::lookup_t")
START = Struct.of("polyloom_overlay_memory_pkg::start_t")
WORD = Struct.of("polyloom_overlay_memory_pkg::word_t", flat=True)
LINE_REQ = Struct.of("polyloom_overlay_pkg::line_req_t")
BEAT_BYTES = 32


@dataclass(frozen=True)
class Shape:
    """Sizes, as memory_tb.sv has them."""

    cores: int
    threads: int
    ways: int
    sets: int
    line_bytes: int
    clients: int = 0

    @property
    def all_threads(self) -> int:
        """Of the tile."""
        return self.cores * self.threads

    @property
    def rows(self) -> int:
        """Sets of all threads; a RAM has two words at least."""
        return max(2, self.all_threads * self.sets)

    def set_of(self, addr: int) -> int:
        """Where in a thread's partition a line may lie."""
        return addr // self.line_bytes % self.sets

    def place(self, thread: int, set_: int, way: int) -> int:
        """Of a line in the tile's RAM."""
        return (thread * self.sets + set_) * self.ways + way


SHAPES = (Shape(4, 4, 4, 2, 32, 3), Shape(1, 1, 1, 1, 64, 5), Shape(2, 2, 8, 4, 64))


def loaded(line: int, at: int, size: int, sign: int) -> int:
    """What a load of 1 << size bytes gives of a line."""
    bits = 8 << size
    value = line >> 8 * at & (1 << bits) - 1
    if sign and value >> bits - 1:
        value -= 1 << bits
    return value & 0xFFFFFFFF


def stored(line: int, at: int, size: int, data: int) -> int:
    """A line after a store of the low bytes of data."""
    mask = (1 << (8 << size)) - 1
    return line & ~(mask << 8 * at) | (data & mask) << 8 * at


def a_word(rng: random.Random, line_bytes: int) -> tuple[dict[str, int], int]:
    """A load or a store of a line, and the byte where it begins."""
    size, store = rng.randrange(3), rng.getrandbits(1)
    at = rng.randrange(line_bytes >> size) << size
    # A store's bytes are in all places where they may go.
    low = rng.getrandbits(8 << size)
    data = sum(low << (8 << size) * i for i in range(4 >> size))
    return {
        "store": store, "index": at // 4, "size": size, "sign": rng.getrandbits(1), "offset": at % 4, "data": data
    }, at  # fmt: skip


def lines_of(rng: random.Random, shape: Shape, count: int) -> list[int]:
    """Addresses of lines that a thread uses: they differ in a bit, so that every bit is compared."""
    base = rng.getrandbits(32) // shape.line_bytes * shape.line_bytes
    shift = shape.line_bytes.bit_length() - 1
    return [base, *(base ^ 1 << rng.randrange(shift, 32) for _ in range(count - 1))]


class Turns:
    """Requests of cores, one granted a cycle: in order within a core, the next core after the one served last."""

    def __init__(self, cores: int) -> None:
        self.queues: list[deque[dict[str, int]]] = [deque() for _ in range(cores)]
        self._last = cores - 1

    def grant(self) -> tuple[int, dict[str, int]] | None:
        """Who is next."""
        cores = len(self.queues)
        for core in ((self._last + i) % cores for i in range(1, cores + 1)):
            if self.queues[core]:
                self._last = core
                return core, self.queues[core].popleft()
        return None


@dataclass
class Row:
    """A set of a thread: lines by way, and for each half, quarter, ... of the ways which half of it is the victim's."""

    ways: int
    lines: list[int | None] = field(default_factory=list)
    dirty: list[bool] = field(default_factory=list)
    right: dict[tuple[int, int], bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.lines, self.dirty = [None] * self.ways, [False] * self.ways

    def victim(self) -> int:
        """The way that has to go, empty ones included."""
        low, high = 0, self.ways
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.right.get((low, high), False) else (low, middle)
        return low

    def use(self, way: int) -> None:
        """Every part with this way points away from it."""
        low, high = 0, self.ways
        while high - low > 1:
            middle = (low + high) // 2
            self.right[low, high] = way < middle
            low, high = (low, middle) if way < middle else (middle, high)


@dataclass
class Decision:
    """Of a lookup: what happens, and to which way; what was there before if it is written back."""

    hit: bool
    way: int
    victim: int | None


def look_up(row: Row, op: int, line: int, flushed: int) -> Decision:
    """Move the row on by one lookup. ``flushed``: the way of a flush."""
    if op == FLUSH:
        decision = Decision(False, flushed, row.lines[flushed] if row.dirty[flushed] else None)
        row.lines[flushed], row.dirty[flushed] = None, False
        return decision
    if line in row.lines:
        way = row.lines.index(line)
        decision = Decision(True, way, None)
    else:
        way = row.victim()
        decision = Decision(False, way, row.lines[way] if row.dirty[way] else None)
        row.lines[way], row.dirty[way] = line, False
    row.use(way)
    row.dirty[way] = row.dirty[way] or op == STORE
    return decision


def drive_requests(h: Harness, width: int, wanted: dict[int, dict[str, int]]) -> tuple[int, int]:
    """Valid bits and requests of the cores; noise from those that ask nothing."""
    bits = h.rng.getrandbits(width)
    for core, fields in wanted.items():
        at = core * MEM_REQ.width
        bits = bits & ~((1 << MEM_REQ.width) - 1 << at) | MEM_REQ.pack(**fields) << at
    return sum(1 << core for core in wanted), bits
