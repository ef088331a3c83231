# SPDX-License-Identifier: Apache-2.0
"""Covers: random responses with and without data, events and role frames, stalls on all sides, any of the four without
the others: every frame whole and in its input's order, words and `last` as host_frames.h has them; who is next in
every pick; the cycles of a frame's first word; counting; idle.

Leaves out: a role frame that never ends (holds all others by contract).
"""

from __future__ import annotations

from collections import deque
from typing import Any

import cocotb
from shell_units import EVENT, RESPONSE, WORD

from polyloom.rtl.testing import Harness, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "shell_tb")
OP_EVENT = 0x49
RING = ("response", "reported", "role")


class Host:
    """Knows what each input has to send; compares what comes, word by word."""

    def __init__(self, h: Harness, stall: str | float) -> None:
        self.h = h
        self.sources = {name: h.source(name, stall) for name in (*RING, "word")}
        self.sink = h.sink("tx", stall)
        self.io = {n: h.signal(n) for n in ("tx_valid", "frame_out", "bytes_read", "idle")}
        self.valids = {n: h.signal(f"{n}_valid") for n in RING}
        self.frames: dict[str, deque[list[int]]] = {n: deque() for n in RING}
        self.data: deque[dict[int, int]] = deque()  # of a response: bytes that count in each word of its frame
        self.now: str | None = None  # whose frame is under way
        self.next: str | None = None
        self.last = "role"
        self.at = self.picks = self.full_picks = self.seen = 0
        EveryCycle(h, lambda: None, self.check)

    def response(self, count: int) -> None:
        """Queue one; ``count``: bytes of data behind it, 0 for a response of two words."""
        word0, word1 = self.h.values(64, 2)
        word1 = word1 >> 32 << 32 | count if count else word1
        self.sources["response"].send(RESPONSE.pack(read=int(count > 0), word0=word0, word1=word1))
        data = self.h.values(64, -(-count // 8))
        self.sources["word"].send([WORD.pack(last=int(n == len(data) - 1), data=d) for n, d in enumerate(data)])
        self.frames["response"].append([word0, word1, *data])
        self.data.append({2 + n: min(8, count - 8 * n) for n in range(len(data))})

    def event(self) -> None:
        """Queue one."""
        code, detail = self.h.rng.getrandbits(8), self.h.rng.getrandbits(24)
        begin, finish, value = self.h.values(64, 3)
        self.sources["reported"].send(EVENT.pack(code=code, detail=detail, begin=begin, finish=finish, value=value))
        self.frames["reported"].append([OP_EVENT | code << 8 | detail << 32, begin, finish, value])

    def role(self, count: int) -> None:
        """Queue a frame of the role."""
        frame = self.h.values(64, count)
        self.sources["role"].send([WORD.pack(last=int(n == count - 1), data=d) for n, d in enumerate(frame)])
        self.frames["role"].append(frame)

    def check(self, cycle: int) -> None:
        """Between frames: pick. In one: compare what passes."""
        valids = {n: s.get() for n, s in self.valids.items()}
        assert self.io["idle"].get() == int(self.now is None and not any(valids.values())), f"cycle {cycle}"
        if self.now is None:
            assert not self.io["tx_valid"].get(), f"cycle {cycle}: a word between two frames"
            turn = RING.index(self.last) + 1
            self.now = next((n for n in (*RING, *RING)[turn : turn + 3] if valids[n]), None)
            if self.now:
                self.last = self.now
                self.picks += 1
                self.full_picks += all(valids.values())
            assert not self.io["frame_out"].get() and not self.io["bytes_read"].get()
            return
        self.word(cycle)

    def word(self, cycle: int) -> None:
        """Of the frame under way."""
        assert self.now is not None
        if (self.now != "role" and self.at < 2) or self.now == "reported":
            assert self.io["tx_valid"].get(), f"cycle {cycle}: word {self.at} of {self.now} is late"
        if len(self.sink.passed) == self.seen:
            assert not self.io["frame_out"].get() and not self.io["bytes_read"].get(), f"cycle {cycle}"
            return
        got, frame = WORD.unpack(self.sink.passed[self.seen]), self.frames[self.now][0]
        self.seen += 1
        last = self.at == len(frame) - 1
        assert (got["data"], got["last"]) == (frame[self.at], int(last)), f"cycle {cycle}: word {self.at} of {self.now}"
        assert self.io["frame_out"].get() == int(last), f"cycle {cycle}"
        counts = self.data[0].get(self.at, 0) if self.now == "response" else 0
        assert self.io["bytes_read"].get() == counts, f"cycle {cycle}: {self.io['bytes_read'].get()} of {counts} bytes"
        self.at += 1
        if last:
            self.frames[self.now].popleft()
            if self.now == "response":
                self.data.popleft()
            self.now, self.at = None, 0

    def left(self) -> bool:
        """Whether frames are to come."""
        return any(self.frames.values())


@cocotb.test()
@cocotb.parametrize(who=(7, 7, 1, 2, 4), stall=("random", "never"))
async def whole_frames_in_turn(dut: Any, who: int, stall: str) -> None:
    h = Harness(dut, dut.gen_sender)
    host = Host(h, stall)
    await h.reset()
    for _ in range(60):
        if who & 1:
            host.response(h.rng.choice([0, 0, 1, 7, 8, 9, 16, h.rng.randint(1, 90)]))
        if who & 2:
            host.event()
        if who & 4:
            host.role(h.rng.choice([1, 2, h.rng.randint(1, 10)]))
    await h.until(lambda: not host.left())
    await h.drain()
    assert h.signal("idle").get()
    assert host.picks == 60 * who.bit_count()
    assert who != 7 or stall == "random" or host.full_picks > 20


@cocotb.test()
async def a_frame_loses_one_cycle(dut: Any) -> None:
    h = Harness(dut, dut.gen_sender)
    host = Host(h, "never")
    await h.reset()
    begin = h.cycle
    for _ in range(10):
        host.response(80)
    await h.until(lambda: not host.left())
    assert host.sink.cycles[0] == begin + 1
    assert host.sink.cycles[-1] == begin + 10 * (1 + 12) - 1
