# SPDX-License-Identifier: Apache-2.0
"""Covers: expanders that ask at random and all the time, slices that take and give back at random, and at once: whose
turn it is in every cycle; each request seven cycles later, in order and to its slice; each beat two cycles after its
line, the right half of it, for whom and where it belongs; three expanders, one slice, lines of 32 bytes; eight, two,
64.

Leaves out: more under way than expanders have places (asserted in the RTL).
"""

from __future__ import annotations

from collections import deque
from typing import Any

import cocotb
from expander_units import REQUEST

from polyloom.rtl.testing import Harness, Stall, Struct, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "noc_tb")
LINE_REQ = Struct.of("polyloom_overlay_pkg::line_req_t")
#: As in noc_tb: expanders, slices, bytes of a line.
SHAPES = ((3, 1, 32), (8, 2, 64))
TO_SLICE, FROM_SLICE = 7, 2  # cycles


class Port:
    """What stands around it, and its rules."""

    def __init__(self, h: Harness, expanders: int, slices: int, line_bytes: int, stall: str) -> None:
        self.h, self.rng, self.slices, self.line_bytes = h, h.rng, slices, line_bytes
        names = (
            "request_valid",
            "request_ready",
            "request",
            "beat_valid",
            "beat_place",
            "beat",
            "line_valid",
            "line_ready",
            "line",
        )
        self.io = {name: h.signal(name) for name in (*names, "rsp_valid", "rsp_tag", "rsp_data")}
        self.free = [set(range(8)) for _ in range(expanders)]  # places
        self.requests: list[dict[str, int] | None] = [None] * expanders
        self.last = expanders - 1
        self.sent: list[deque[tuple[int, int, int]]] = [deque() for _ in range(slices)]  # from when; tag, address
        self.under_way: list[list[tuple[int, int]]] = [[] for _ in range(slices)]  # tag, beat
        self.back: dict[int, dict[int, tuple[int, int, int]]] = {}  # by cycle and slice: expander, place, beat
        self.stalls = [Stall(h.rng, stall) for _ in range(expanders)]
        self.slice_stalls = [(Stall(h.rng, stall), Stall(h.rng, stall)) for _ in range(slices)]
        self.got = [0] * expanders
        self.beats: dict[int, int] = {}  # by tag: its number
        EveryCycle(h, self.drive, self.check)

    def drive(self) -> None:
        """Inputs; an expander asks until it is granted."""
        for e, request in enumerate(self.requests):
            if request is None and self.free[e] and not self.stalls[e]():
                place = self.rng.choice(sorted(self.free[e]))
                self.requests[e] = {
                    "slice": self.rng.randrange(self.slices),
                    "beat": self.rng.getrandbits(26),
                    "place": place,
                }
        self.ready = [not accept() for accept, _ in self.slice_stalls]
        self.lines: dict[int, tuple[int, int]] = {}  # tag and line, by slice
        for s, (_, give) in enumerate(self.slice_stalls):
            if self.under_way[s] and not give():
                tag, beat = self.under_way[s].pop(self.rng.randrange(len(self.under_way[s])))
                self.lines[s] = tag, self.rng.getrandbits(8 * self.line_bytes)
                shift = 256 * (beat % 2) if self.line_bytes == 64 else 0
                bits = self.lines[s][1] >> shift & (1 << 256) - 1
                self.back.setdefault(self.h.cycle + FROM_SLICE, {})[s] = tag >> 3, tag & 7, bits
        width = 8 * self.line_bytes
        for name, value in {
            "request_valid": sum(1 << e for e, request in enumerate(self.requests) if request),
            "request": sum(
                (REQUEST.pack(**request) if request else self.rng.getrandbits(30)) << 30 * e
                for e, request in enumerate(self.requests)
            ),
            "line_ready": sum(1 << s for s, ready in enumerate(self.ready) if ready),
            "rsp_valid": sum(1 << s for s in self.lines),
            "rsp_tag": sum(tag << 6 * s for s, (tag, _) in self.lines.items()),
            "rsp_data": sum(line << width * s for s, (_, line) in self.lines.items()),
        }.items():
            self.io[name].set(value)

    def check(self, cycle: int) -> None:
        """Compare, then the cycle ends."""
        got = {name: signal.get() for name, signal in self.io.items()}
        count = len(self.requests)
        turn = next((e for e in ((self.last + 1 + n) % count for n in range(count)) if self.requests[e]), None)
        assert got["request_ready"] == (0 if turn is None else 1 << turn), (
            f"cycle {cycle}: {got['request_ready']:#b}, not {turn}"
        )
        for s, queue in enumerate(self.sent):
            valid = bool(queue) and queue[0][0] <= cycle
            assert got["line_valid"] >> s & 1 == valid, f"cycle {cycle}: slice {s}"
            if valid:
                request = LINE_REQ.unpack(got["line"] >> LINE_REQ.width * s & (1 << LINE_REQ.width) - 1)
                _, tag, beat = queue[0]
                assert request == {"write": 0, "tag": tag, "addr": 32 * beat // self.line_bytes * self.line_bytes}
                if self.ready[s]:
                    queue.popleft()
                    self.under_way[s].append((tag, beat))
        back = self.back.pop(cycle, {})
        for s in range(self.slices):
            valid = [got["beat_valid"] >> self.slices * e + s & 1 for e in range(count)]
            assert valid == [int(s in back and back[s][0] == e) for e in range(count)], f"cycle {cycle}: {valid}"
            if s in back:
                expander, place, beat = back[s]
                assert got["beat_place"] >> 3 * s & 7 == place
                assert got["beat"] >> 256 * s & (1 << 256) - 1 == beat, f"cycle {cycle}: beat of slice {s}"
                self.free[expander].add(place)
                self.got[expander] += 1
        if turn is not None:
            request = self.requests[turn]
            assert request
            self.free[turn].remove(request["place"])
            self.sent[request["slice"]].append((cycle + TO_SLICE, turn << 3 | request["place"], request["beat"]))
            self.requests[turn], self.last = None, turn


@cocotb.test()
@cocotb.parametrize(which=range(2), stall=("random", "never"))
async def leads_to_memory_and_back(dut: Any, which: int, stall: str) -> None:
    h = Harness(dut, dut.gen_port[which])
    port = Port(h, *SHAPES[which], stall)
    await h.reset()
    await h.until(lambda: min(port.got) > 150)
