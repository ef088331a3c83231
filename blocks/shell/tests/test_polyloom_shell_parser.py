# SPDX-License-Identifier: Apache-2.0
"""Covers: random frames of every op, good and bad in every field, too short, too long, cut off by the next one, memory
and registers and a role that refuse, random stalls and delays on all sides, in three shapes (channels alone, with
frames for the role, with its memories): all that the parser asks for and responds, in order, against decode() and the
rules of host_frames.h written here; counters; the cycles of a short response.

Leaves out: what the DMA does (test_polyloom_shell_write_dma.py); a reset inside a frame.
"""

from __future__ import annotations

import random
from collections import deque
from typing import Any

import cocotb
from shell_frames import Frame, Shape, random_frame
from shell_units import CMD, REG_REQ, REG_RSP, RESPONSE, WORD

from polyloom.rtl.testing import Harness, Struct, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "shell_tb")
RX = Struct([("first", 1), ("last", 1), ("data", 64)])
QUEUED = Struct([("response", RESPONSE.width), ("cmd", CMD.width)])
RANGE = Struct.of("polyloom_shell_pkg::range_t")


class Surroundings:
    """Stands on all sides of the parser and notes what it wants."""

    def __init__(self, h: Harness, shape: Shape) -> None:
        self.h, self.rng, self.shape = h, h.rng, shape
        self.rx, self.response, self.passes = h.source("rx"), h.sink("response"), h.sink("pass")
        names = ("write_valid", "write_ready", "write_word_valid", "write_word_ready", "write_word", "write_abort")
        names += ("write_error", "reg_valid", "req", "reg_rsp_valid", "reg_rsp", "range", "range_ok", "reads_pending")
        names += ("pass_rsp_valid", "pass_rsp_refused", "idle", "frame_in", "bad_frame", "bytes_written", "rx_valid")
        self.io = {n: h.signal(n) for n in (*names, "response_valid", "pass_valid")}
        self.seen: list[tuple[Any, ...]] = []
        self.frames: deque[Frame] = deque()  # whose responses of register, role or memory have not been asked for
        self.counts = dict.fromkeys(("frame_in", "bad_frame", "bytes_written"), 0)
        self.dma = "idle"
        self.writing = self.replied = self.refusing = False
        self._passed = [0, 0]
        self._words: list[int] = []
        self.pass_due = False
        EveryCycle(h, self.drive, self.check)

    def decide(self) -> Frame:
        """The frame that asks somebody."""
        while not self.frames[0].requests:
            self.frames.popleft()
        return self.frames.popleft()

    def drive(self) -> None:
        """Responses and stalls."""
        rng = self.rng
        if self.dma == "ending" and rng.random() < 0.3:
            self.dma = "idle"
        self.io["write_ready"].set(int(self.dma == "idle"))
        self.io["write_error"].set(int(self.dma == "idle" and self.refusing))
        self.io["write_word_ready"].set(int(self.dma == "open" and rng.random() < 0.7))
        self.io["reads_pending"].set(int(rng.random() < 0.4))
        where = RANGE.unpack(self.io["range"].get())
        self.io["range_ok"].set(int(self.shape.role_has(**where)) if self.shape.role_spaces else rng.getrandbits(1))
        self.replied = bool(self.io["reg_valid"].get()) and rng.random() < 0.4
        reply = (0, rng.getrandbits(64))
        if self.replied:
            frame = self.decide()
            reply = (int(frame.refused), frame.value)
        self.io["reg_rsp_valid"].set(int(self.replied))
        self.io["reg_rsp"].set(REG_RSP.pack(error=reply[0], rdata=reply[1]))
        reported = self.pass_due and rng.random() < 0.3
        self.io["pass_rsp_valid"].set(int(reported))
        self.io["pass_rsp_refused"].set(int(self.decide().refused) if reported else rng.getrandbits(1))
        self.pass_due &= not reported

    def check(self, cycle: int) -> None:
        """What is asked for in this cycle."""
        for name in self.counts:
            self.counts[name] += self.io[name].get()
        busy = any(self.io[n].get() for n in ("rx_valid", "response_valid", "reg_valid", "pass_valid"))
        assert not (self.io["idle"].get() and busy), f"cycle {cycle}"
        if self.replied:
            requested = REG_REQ.unpack(self.io["req"].get())
            data = [requested["wdata"]] if requested["write"] else []
            self.seen.append(("register", requested["write"], requested["index"], *data))
        for bits in self.response.passed[self._passed[0] :]:
            queued = QUEUED.unpack(bits)
            response = RESPONSE.unpack(queued["response"])
            self.seen.append(
                (
                    "response",
                    response["read"],
                    response["word0"],
                    response["word1"],
                    *[queued["cmd"]] * response["read"],
                )
            )
        self._passed[0] = len(self.response.passed)
        for bits in self.passes.passed[self._passed[1] :]:
            word = WORD.unpack(bits)
            self._words.append(word["data"])
            if word["last"]:
                self.seen.append(("pass", *self._words))
                self._words = []
                self.pass_due = True
        self._passed[1] = len(self.passes.passed)
        self._write(cycle)

    def _write(self, cycle: int) -> None:
        if self.io["write_valid"].get():
            assert self.dma == "idle" and not self.io["reads_pending"].get(), f"cycle {cycle}"
            self.refusing = self.decide().refused
            self.dma = "open"
            self.seen.append(("write", QUEUED.unpack(self.response.payload.get())["cmd"]))  # type: ignore[union-attr]
            self.left = CMD.unpack(self.seen[-1][1])["bytes"]
            return
        assert not (self.io["write_word_valid"].get() and self.io["write_abort"].get()), f"cycle {cycle}"
        if self.io["write_abort"].get():
            self.seen.append(("abort",))
            self.dma = "ending"
        elif self.io["write_word_valid"].get() and self.io["write_word_ready"].get():
            assert self.dma == "open", f"cycle {cycle}: a word without a command"
            self.seen.append(("word", self.io["write_word"].get()))
            self.left -= min(8, self.left)
            if self.left == 0:
                self.dma = "ending"


def words_of(frame: Frame, rng: random.Random, after_cut: bool) -> list[int]:
    """On the link; a frame that is cut has no last word, and the next one begins with `first`."""
    first = int(after_cut or rng.random() < 0.5)
    last = len(frame.words) - 1
    return [
        RX.pack(first=first if n == 0 else 0, last=int(n == last and not frame.cut), data=word)
        for n, word in enumerate(frame.words)
    ]


@cocotb.test()
@cocotb.parametrize(which=range(3))
async def does_what_frames_request(dut: Any, which: int) -> None:
    h = Harness(dut, dut.gen_parser[which])
    shape = Shape(pass_frames=which > 0, role_spaces=which > 1)
    around = Surroundings(h, shape)
    await h.reset()
    for _ in range(25):
        after_cut = False
        expected: list[tuple[Any, ...]] = []
        sums = dict(around.counts)
        for n in range(20):
            frame = random_frame(h.rng, shape, may_cut=n < 19)
            expected += frame.events
            for name, count in frame.counts.items():
                sums[name] += count
            around.frames.append(frame)
            around.rx.send(words_of(frame, h.rng, after_cut))
            after_cut = frame.cut
        await h.drain()
        await h.until(lambda expected=expected: len(around.seen) >= len(expected) and bool(around.io["idle"].get()))
        await h.drain()
        for n, (got, want) in enumerate(zip(around.seen, expected, strict=False)):
            assert got == want, f"event {n}: {got}, expected {want}"
        assert len(around.seen) == len(expected)
        assert around.counts == sums
        around.seen.clear()
        around.frames.clear()


@cocotb.test()
async def a_short_response_takes_two_cycles(dut: Any) -> None:
    h = Harness(dut, dut.gen_parser[0])
    around = Surroundings(h, Shape(False, False))
    around.response.stall = around.rx.stall = lambda: False  # type: ignore[assignment]
    await h.reset()
    around.rx.send(RX.pack(first=1, last=1, data=0x55))
    await h.until(lambda: len(around.response.passed) == 1)
    assert around.response.cycles[0] == around.rx.cycles[0] + 2
