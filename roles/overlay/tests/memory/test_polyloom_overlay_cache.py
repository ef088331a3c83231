# SPDX-License-Identifier: Apache-2.0
"""Covers: loads, stores and flushes of 16 threads of 4 cores and of one thread with one line, random pauses of cores,
slice and lines, which come in any order: cycle, core, thread and value of every response, of hits, flushes and misses;
what is asked of the slice and written back, in order and without delay; counters; idle or not; the time after reset;
memory after all lines were flushed.

Leaves out: more misses than slots, and lookups held back by flushes (test_polyloom_overlay_cache_port.py); a tile's
cache with its slice (memory_rtl_test.cc).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import cocotb
from memory_units import (
    FLUSH,
    LINE_REQ,
    LOAD,
    RSP,
    SHAPES,
    STORE,
    Row,
    Shape,
    Turns,
    drive_requests,
    lines_of,
    loaded,
    look_up,
    stored,
)

from polyloom.rtl.testing import Harness, Stall, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "memory_tb")
REST = 8  # cycles from a response to the thread's next request
FEW = 6  # requests that wait for the slice: more flushes would hold lookups back


@dataclass
class Thread:
    """What a thread has in the cache, and when it may ask."""

    lines: list[int]
    rows: list[Row]
    ready: int = 0
    requested: int = 0
    waits: bool = False
    missing: dict[str, int] = field(default_factory=dict)
    flushes: list[int] = field(default_factory=list)  # addresses still to be flushed at the end


class Tile:
    """The cache's rules, and all around it."""

    def __init__(self, h: Harness, shape: Shape) -> None:
        self._h, self.shape = h, shape
        names = ("requests", "req", "idle", "hits", "misses", "writebacks", "line_valid", "back_valid", "back_tag")
        self._s = {n: h.signal(n) for n in (*names, "back_data", "hit_valid", "hit", "fill_valid", "fill")}
        self._sink = h.sink("line")
        self._stalls = [Stall(h.rng) for _ in range(shape.cores + 1)]
        self.responses = 0
        self.ends = False  # threads flush all they have
        self._expected = self._before = self._taken = 0  # requests to the slice
        self.threads: list[Thread] = []
        used: set[int] = set()
        for _ in range(shape.all_threads):
            lines = [line for line in lines_of(h.rng, shape, shape.ways * shape.sets + 4) if line not in used]
            used.update(lines)
            flushes = [set_ << 4 | way for set_ in range(shape.sets) for way in range(shape.ways)]
            self.threads.append(Thread(lines or [0], [Row(shape.ways) for _ in range(shape.sets)], flushes=flushes))
        self.truth = {line: h.rng.getrandbits(8 * shape.line_bytes) for t in self.threads for line in t.lines}
        self.memory = dict(self.truth)
        self._turns = Turns(shape.cores)
        self._due: dict[str, dict[int, Any]] = {"hit": {}, "fill": {}, "count": {}, "line": {}}
        self._lines: list[tuple[int, int]] = []  # asked for: tag and bytes
        EveryCycle(h, self._drive, self._check)

    def _access(self, thread: Thread) -> dict[str, int]:
        rng = self._h.rng
        few = self._expected - len(self._sink.passed) < FEW
        if self.ends or (few and rng.random() < 0.1):
            addr = thread.flushes.pop() if self.ends else rng.choice(thread.flushes)
            return {"op": FLUSH, "addr": addr}
        size = rng.randrange(3)
        hot = thread.lines[:3] if rng.random() < 0.5 else thread.lines
        addr = rng.choice(hot) + (rng.randrange(self.shape.line_bytes) >> size << size)
        op = STORE if rng.random() < 0.4 else LOAD
        return {"op": op, "size": size, "sign": rng.getrandbits(1), "addr": addr, "data": rng.getrandbits(32)}

    def _request(self) -> dict[int, dict[str, int]]:
        now, rng, requests = self._h.cycle, self._h.rng, {}
        few = self._expected - len(self._sink.passed) < FEW
        for core in range(self.shape.cores):
            own = range(core * self.shape.threads, (core + 1) * self.shape.threads)
            free = [t for t in own if not self.threads[t].waits and self.threads[t].ready <= now]
            if self.ends:
                free = [t for t in free if self.threads[t].flushes and few]
            if free and not self._stalls[core]():
                number = rng.choice(free)
                self.threads[number].waits, self.threads[number].requested = True, now
                access = {**self._access(self.threads[number]), "thread": number % self.shape.threads}
                requests[core] = access
                self._turns.queues[core].append(access)
        return requests

    def _use(self, access: dict[str, int]) -> int | None:
        """A load's value, or a store."""
        line, at = access["addr"] // self.shape.line_bytes * self.shape.line_bytes, access["addr"]
        if access["op"] == LOAD:
            return loaded(self.truth[line], at - line, access["size"], access["sign"])
        self.truth[line] = stored(self.truth[line], at - line, access["size"], access["data"])
        return None

    def _expect(self, write: int, tag: int, line: int) -> None:
        width = 8 * self.shape.line_bytes
        data = self.truth[line] if write else 0
        self._sink.expect([LINE_REQ.pack(write=write, tag=tag, addr=line) << width | data])
        self._expected += 1

    def _look_up(self, core: int, access: dict[str, int], now: int) -> None:
        number = core * self.shape.threads + access["thread"]
        thread, addr, flush = self.threads[number], access["addr"], access["op"] == FLUSH
        line = addr // self.shape.line_bytes * self.shape.line_bytes
        row = thread.rows[addr // 16 % self.shape.sets if flush else self.shape.set_of(addr)]
        found = look_up(row, access["op"], line, addr % 16)
        misses = not found.hit and not flush
        if (misses or found.victim is not None) and self._expected == len(self._sink.passed):
            self._due["line"][now + 3] = line
        if misses:
            thread.missing = access
            self._expect(0, number, line)
        else:
            self._due["hit"][now + 4] = (number, 0 if flush else self._use(access))
        if found.victim is not None:
            self._expect(1, number, found.victim)
        self._due["count"][now + 3] = (int(found.hit), int(misses), int(found.victim is not None))

    def _drive(self) -> None:
        s, rng, now = self._s, self._h.rng, self._h.cycle
        self._before = self._expected
        requests, req = drive_requests(self._h, s["req"].width, self._request())
        s["requests"].set(requests)
        s["req"].set(req)
        if now >= self.shape.rows and (granted := self._turns.grant()) is not None:
            self._look_up(*granted, now)
        comes = bool(self._lines) and not self._stalls[-1]()
        tag, line = self._lines.pop(rng.randrange(len(self._lines))) if comes else (rng.getrandbits(6), 0)
        s["back_valid"].set(int(comes))
        s["back_tag"].set(tag)
        s["back_data"].set(line if comes else rng.getrandbits(8 * self.shape.line_bytes))
        if comes:
            self._due["fill"][now + 3] = (tag, self._use(self.threads[tag].missing))

    def _check(self, cycle: int) -> None:
        s, due = self._s, self._due
        if s["idle"].get():
            assert cycle >= self.shape.rows, f"cycle {cycle}: idle, but lines are still made invalid"
            assert not any(t.waits and t.requested < cycle for t in self.threads), (
                f"cycle {cycle}: idle, but a thread waits"
            )
            assert self._before == len(self._sink.passed), f"cycle {cycle}: idle, but the slice is asked"
        counted = due["count"].pop(cycle, (0, 0, 0))
        assert tuple(s[n].get() for n in ("hits", "misses", "writebacks")) == counted, f"cycle {cycle}: {counted}"
        if due["line"].pop(cycle, None) is not None:
            assert s["line_valid"].get(), f"cycle {cycle}: a request for the slice is late"
        for port in ("hit", "fill"):
            self._check_response(port, due[port].pop(cycle, None), cycle)
        for bits in self._sink.passed[self._taken :]:
            width = 8 * self.shape.line_bytes
            request, data = LINE_REQ.unpack(bits >> width), bits & (1 << width) - 1
            if request["write"]:
                self.memory[request["addr"]] = data
            else:
                self._lines.append((request["tag"], self.memory[request["addr"]]))
        self._taken = len(self._sink.passed)

    def _check_response(self, port: str, want: tuple[int, int | None] | None, cycle: int) -> None:
        s = self._s
        core = -1 if want is None else want[0] // self.shape.threads
        assert s[f"{port}_valid"].get() == (0 if want is None else 1 << core), f"{port}, cycle {cycle}: {want}"
        if want is None:
            return
        got = RSP.unpack(s[port].get())
        assert (got["thread"], got["flags"]) == (want[0] % self.shape.threads, 0), f"{port}, cycle {cycle}"
        assert want[1] is None or got["data"] == want[1], f"{port}, cycle {cycle}: {got}, expected {want[1]:#x}"
        thread = self.threads[want[0]]
        thread.waits, thread.ready = False, cycle + REST + self._h.rng.choice([0, 0, self._h.rng.randrange(30)])
        self.responses += 1

    def idle(self) -> bool:
        """All is answered, and the cache says so too."""
        return not any(t.waits or (self.ends and t.flushes) for t in self.threads) and bool(self._s["idle"].get())


@cocotb.test()
@cocotb.parametrize(which=range(2))
async def caches(dut: Any, which: int) -> None:
    for count in (60, 1500 if which == 0 else 300):  # the first one ends with a reset amid it
        h = Harness(dut, dut.gen_cache[which])
        tile = Tile(h, SHAPES[which])
        await h.reset()
        await h.until(lambda: tile.responses >= count)  # noqa: B023
    tile.ends = True
    await h.until(tile.idle)
    assert tile.memory == tile.truth
