# SPDX-License-Identifier: Apache-2.0
"""Covers: frames of random items of both channels, none and 31 and 180 among them, a wire that stalls at random and one
that never does: every word against the frame with the CRC of zlib, no holes, items asked for once and in order, a
frame starts in the cycle in which it is due and the wire is free; the silence after a frame in every cycle, for words
that take 1, less, more and odd numbers of cycles on the wire.

Leaves out: a word time that changes (it stands by contract).
"""

from __future__ import annotations

from collections import deque
from typing import Any

import cocotb
from reliable_link_units import Frame, on_wire

from polyloom.rtl.testing import Harness, Struct, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "reliable_link_tb")
TX = Struct([("last", 1), ("keep", 8), ("data", 64)])
CYCLE = 1 << 12  # word_time has 12 bits of fraction
SILENCE = 2  # words of wire


class Builder:
    """Has frames due at random; items come in the cycle after they are asked for and go with the word."""

    def __init__(self, h: Harness, stall: str | float, word_time: int, due: float, most: int) -> None:
        self.h, self.word_time, self.due, self.most = h, word_time, due, most
        names = ("due", "word0", "word1", "start", "free_next", "free", "control_read", "data_read", "idle", "tx_valid")
        self.io = {n: h.signal(n) for n in (*names, "control_item", "data_item")}
        self.sink = h.sink("tx", stall)
        self.requested = {"control": 0, "data": 0}
        self.words: list[int] = []  # of the frame on the wire that are not taken
        self.frame: Frame | None = None  # due
        self.items: dict[str, deque[int]] = {"control": deque(), "data": deque()}
        self.wire = 0  # wire time ahead of the clock, in 1/CYCLE
        self.started = self.seen = 0
        self.stop = False
        EveryCycle(h, self.drive, self.check)

    def drive(self) -> None:
        """What is due stands until it starts."""
        rng = self.h.rng
        if self.frame is None and not self.stop and rng.random() < self.due:
            self.frame = Frame.random(rng, self.most)
        for name, item in self.requested.items():
            self.io[f"{name}_item"].set(item)
        self.io["due"].set(int(self.frame is not None))
        self.io["word0"].set(self.frame.word0 if self.frame else rng.getrandbits(64))
        self.io["word1"].set(self.frame.word1 & 0xFFFFFF if self.frame else rng.getrandbits(24))

    def check(self, cycle: int) -> None:
        """The wire's state before this cycle's word, then the word."""
        wire_free = not self.words and self.wire == 0
        start = wire_free and self.frame is not None
        assert bool(self.io["start"].get()) == start, f"cycle {cycle}: wire time {self.wire}"
        assert bool(self.io["idle"].get()) == wire_free, f"cycle {cycle}"
        assert bool(self.io["free"].get()) == (wire_free and not start), f"cycle {cycle}"
        soon = not self.words and not start and self.wire <= CYCLE
        assert bool(self.io["free_next"].get()) == soon, f"cycle {cycle}: wire time {self.wire}"
        if start:
            self._start()
        assert bool(self.io["tx_valid"].get()) == bool(self.words), f"cycle {cycle}: a hole, or a word too many"
        came = self.sink.passed[self.seen :]
        assert came == self.words[: len(came)], f"cycle {cycle}: {came[0]:#x}, expected {self.words[0]:#x}"
        accepted = len(came)
        self.seen += accepted
        del self.words[:accepted]
        used = self.word_time * accepted
        if accepted and not self.words:
            used += SILENCE * self.word_time
        self.wire = max(0, self.wire + used - CYCLE)
        for name, queue in self.items.items():
            if self.io[f"{name}_read"].get():
                assert accepted and queue, f"cycle {cycle}: reads an item of {name}"
                self.requested[name] = queue.popleft()
            elif accepted:
                self.requested[name] = self.h.rng.getrandbits(64)

    def _start(self) -> None:
        assert self.frame is not None
        frame, self.frame = self.frame, None
        assert not any(self.items.values()), "items that were not asked for"
        self.items = {"control": deque(frame.control), "data": deque(frame.data)}
        self.words = [TX.pack(last=last, keep=keep, data=data) for data, keep, last in on_wire(frame.words())]
        self.started += 1


@cocotb.test()
@cocotb.parametrize(word_time=(0, 0x0333, 0x0FFF, 0x1000, 0x1001, 0x2800, 0xFFFF), due=(1.0, 0.05))
async def frames(dut: Any, word_time: int, due: float) -> None:
    h = Harness(dut, dut.gen_framer)
    h.signal("word_time").set(word_time)
    builder = Builder(h, "never" if h.rng.random() < 0.3 else "random", word_time, due, 20)
    await h.reset()
    await h.until(lambda: builder.started >= 12)
    builder.stop = True
    await h.until(lambda: builder.frame is None and not builder.words and builder.wire == 0)
    assert not any(builder.items.values())


@cocotb.test()
async def long_frames(dut: Any) -> None:
    h = Harness(dut, dut.gen_framer)
    h.signal("word_time").set(0x1100)
    builder = Builder(h, "random", 0x1100, 1.0, 180)
    await h.reset()
    await h.until(lambda: builder.started >= 12)
