# SPDX-License-Identifier: Apache-2.0
"""Covers: misses and dirty flushes of 64 threads and of one, with random pauses of lookups, slice, victims and lines:
what is asked of the slice in which cycle, line before victim; which victim is wanted when; misses that wait for one of
32 slots, until exactly 9 cycles after a line came; hold, with three lookups more; idle or not; a reset amid it.

Leaves out: more lookups than hold allows (asserted in the RTL).
"""

from __future__ import annotations

from collections import deque
from typing import Any

import cocotb
from memory_units import LINE_REQ, START

from polyloom.rtl.testing import Harness, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "memory_tb")
SLOTS, REST = 32, 9
THREADS = (64, 1)
# Chances of a lookup, of which flushes; that a line comes, that the slice is ready, that a victim is granted.
PHASES = ((0.9, 0.05, 0.03, 0.9, 0.9), (0.9, 0.95, 0.5, 0.2, 0.7), (0.5, 0.3, 0.5, 0.9, 0.5), (1, 0.1, 0.9, 1, 1))


class Port:
    """What the port holds, one cycle at a time."""

    def __init__(self, threads: int) -> None:
        self.most = 2 * threads + 8 - 3  # so many hold lookups back
        self.queue: deque[dict[str, int]] = deque()
        self.slots = SLOTS
        self.resting: dict[int, int] = {}
        self.out: int | None = None
        self.back: int | None = None

    def next(self, ready: bool) -> dict[str, int] | None:
        """What may go on in this cycle."""
        if not self.queue or self.back is not None or not (self.out is None or ready):
            return None
        return self.queue[0] if self.queue[0]["flush"] or self.slots > 0 else None

    def step(self, ready: bool, goes: dict[str, int] | None) -> None:
        """The end of a cycle in which this one went on."""
        if not (self.out is None or ready):
            return
        self.out, self.back = self.back, None
        if goes is not None:
            self.queue.popleft()
            tag = goes["thread"]
            written = LINE_REQ.pack(write=1, tag=tag, addr=goes["victim"] * 32)
            self.out = written if goes["flush"] else LINE_REQ.pack(tag=tag, addr=goes["wanted"] * 32)
            self.back = written if goes["dirty"] and not goes["flush"] else None
            self.slots -= not goes["flush"]


class Ports:
    """All around the port: lookups that heed hold, a slice, lines that come back."""

    def __init__(self, h: Harness, which: int) -> None:
        self._h, self._threads = h, THREADS[which]
        names = ("hold", "idle", "requests", "start", "arrived", "want", "granted", "victim_place")
        self._s = {name: h.signal(name) for name in (*names, "line_valid", "line_ready", "line")}
        self.seen = self.held = self.full = 0
        self.forget()
        EveryCycle(h, self._drive, self._check)

    def forget(self) -> None:
        """After a reset."""
        self._port = Port(self._threads)
        self._free = set(range(self._threads))
        self._lookups: deque[bool] = deque([False, False])  # granted, and not decided yet
        self._lines: list[int] = []  # asked for
        self._phase = PHASES[2]

    def _drive(self) -> None:
        s, rng, port = self._s, self._h.rng, self._port
        if self._h.cycle % 300 == 0:
            self._phase = rng.choice(PHASES)
        _, flushes, comes, ready, grants = self._phase
        start = None
        if self._lookups.popleft() and self._free:
            flush = rng.random() < flushes
            thread = rng.choice(sorted(self._free))
            start = {name: rng.getrandbits(width) for name, width in START.members}
            start |= {"flush": int(flush), "thread": thread, "dirty": int(flush or rng.random() < 0.5)}
            if not flush:
                self._free.remove(thread)
        s["requests"].set(int(start is not None))
        s["start"].set(rng.getrandbits(START.width) if start is None else START.pack(**start))
        self._start = start
        arrives = bool(self._lines) and rng.random() < comes
        s["arrived"].set(int(arrives))
        if arrives:
            self._free.add(self._lines.pop(rng.randrange(len(self._lines))))
            port.resting[self._h.cycle + REST] = 1
        self._ready, self._grants = rng.random() < ready, rng.random() < grants
        s["line_ready"].set(int(self._ready))
        s["granted"].set(int(self._grants))

    def _check(self, cycle: int) -> None:
        s, port = self._s, self._port
        port.slots += port.resting.pop(cycle, 0)
        hold = len(port.queue) >= port.most
        assert s["hold"].get() == int(hold), f"cycle {cycle}: {len(port.queue)} wait"
        assert s["idle"].get() == int(not port.queue and port.out is None and port.slots == SLOTS), f"cycle {cycle}"
        assert s["line_valid"].get() == int(port.out is not None), f"cycle {cycle}: expected {port.out}"
        if port.out is not None:
            got = s["line"].get()
            assert got == port.out, f"cycle {cycle}: {LINE_REQ.unpack(got)}, expected {LINE_REQ.unpack(port.out)}"
            if self._ready:
                request = LINE_REQ.unpack(got)
                self._lines += [] if request["write"] else [request["tag"]]
                self.seen += 1
        if self._start is not None:
            port.queue.append(self._start)
        goes = port.next(self._ready)
        wants = goes is not None and goes["dirty"]
        assert s["want"].get() == int(wants), f"cycle {cycle}: {goes}"
        if goes is not None and wants:
            assert s["victim_place"].get() == goes["place"], f"cycle {cycle}"
        self.held += hold
        self.full += bool(port.queue) and port.slots == 0
        port.step(self._ready, goes if not wants or self._grants else None)
        self._lookups.append(not hold and self._h.rng.random() < self._phase[0])


@cocotb.test()
@cocotb.parametrize(which=range(2))
async def requests(dut: Any, which: int) -> None:
    h = Harness(dut, dut.gen_port[which])
    ports = Ports(h, which)
    await h.reset()
    await h.until(lambda: ports.seen >= 1500 and ports.held > 5 and (ports.full > 50 or which == 1), limit=60_000)
    await h.reset()
    ports.forget()
    count = ports.seen + 100
    await h.until(lambda: ports.seen >= count)
