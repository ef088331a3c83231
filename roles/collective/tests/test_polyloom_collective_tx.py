# SPDX-License-Identifier: Apache-2.0
"""Covers: blocks of all lengths with and without block checks while the lane and the switch stall: frames, CRC against
zlib, block numbers, pulse-only steps, hello between frames, the edges of a beat, abort after a stop anywhere.

Tests polyloom_collective_tx. Leaves out: what the far end makes of it (test_polyloom_collective_rx.py, rtl_engine.cc).
"""

from __future__ import annotations

import zlib
from typing import Any

import cocotb
from collective_units import (
    ABORT,
    CHECK_WORD,
    CONTROL_MARK,
    HELLO,
    LANE_STEP,
    SIGNATURE_WORD,
    Inputs,
    control_word,
    short_frame,
    whole_words,
    words_of,
)  # fmt: skip

from polyloom.rtl.testing import BEAT, Harness, bench

NODE, LANE = 0xABCD, 0x2A

test = bench(__file__, "collective_tb")


def frames(data: bytes, signature: int, number: int, check: bool) -> list[int]:
    """What a block is on the lane. Without checks one word alone would look like control, so it gets a second."""
    number %= 1 << 16
    if not check:
        return words_of(data) if len(data) > 16 else [short_frame(data)]
    crc = zlib.crc32(whole_words(data))
    return [
        control_word(SIGNATURE_WORD, signature << 32 | number << 16),
        *words_of(data),
        control_word(CHECK_WORD, crc << 32 | number << 16),
    ]


class Bench:
    """A lane that sends: go and begin as sequencer and sync give them."""

    def __init__(self, dut: Any, check: bool, stall: str | float = "random") -> None:
        self.h = Harness(dut, dut.gen_tx[int(check)])
        self.source, self.lane = self.h.source("in", stall), self.h.sink("lane", stall)
        self.io = Inputs(self.h, "go", "step", "begins", "hello", "stop", "code", "flush", "active", "idle")
        self.check, self.number = check, -1

    async def begin(self, signature: int, pulse_only: bool = False) -> None:
        await self.io.once(go=1, step=LANE_STEP.pack(valid=1, pulse_only=pulse_only, signature=signature))
        assert self.io.get("active")
        await self.h.step(self.h.rng.choice([0, 1, 4]))
        await self.io.once(begins=1)
        self.number += 1

    def send(self, data: bytes, signature: int) -> None:
        # A stream of no bytes is a word of zeros on the lane that does not count.
        self.source.send(words_of(data) if data else [BEAT.pack(last=1, data=self.h.rng.getrandbits(256))])
        expected = frames(data or (bytes(8) if self.check else b""), signature, self.number, self.check)
        if not data and self.check:
            expected[1] = BEAT.pack(last=1)
        self.lane.expect(expected)


@cocotb.test()
@cocotb.parametrize(check=[False, True])
async def blocks_become_frames(dut: Any, check: bool) -> None:
    b = Bench(dut, check)
    h = b.h
    await h.reset()
    for length in [*range(37), 40, 64, 72, *(8 * h.rng.randint(1, 60) for _ in range(25))]:
        signature = h.rng.getrandbits(32)
        if h.rng.random() < 0.2:
            await b.begin(signature, pulse_only=True)
            assert not b.io.get("active")  # sync has sent the pulse: nothing for the lane
        await b.begin(signature)
        b.send(h.rng.randbytes(length), signature)
        await h.until(lambda: not b.io.get("active"))
        await h.drain(after=2)
        assert b.io.get("idle")


@cocotb.test()
async def hello_goes_between_frames(dut: Any) -> None:
    b = Bench(dut, True)
    h, hello = b.h, control_word(HELLO, CONTROL_MARK << 48 | NODE << 16 | LANE << 8)
    await h.reset()
    sent = []
    for _ in range(25):
        signature, data = h.rng.getrandbits(32), h.rng.randbytes(8 * h.rng.randint(1, 20))
        await b.begin(signature)
        b.source.send(words_of(data))
        sent += frames(data, signature, b.number, True)
        await h.step(h.rng.randrange(30))
        await b.io.once(hello=1)
        await h.until(lambda: bool(b.io.get("idle")))
    # A signature and its data are one thing for the far end: nothing may stand between them.
    got = b.lane.passed
    assert [beat for beat in got if beat != hello] == sent and got.count(hello) == 25
    for place, beat in enumerate(got):
        if beat == hello and place > 0:
            before = BEAT.unpack(got[place - 1])
            assert (before["last"] and (before["data"] & 0xFF) != SIGNATURE_WORD) or before["keep"] != 0xFF


@cocotb.test()
async def a_beat_leaves_one_cycle_later_and_one_a_cycle(dut: Any) -> None:
    b = Bench(dut, False, "never")
    h = b.h
    await h.reset()
    await b.begin(0)
    b.send(h.rng.randbytes(32 * 40), 0)
    await h.drain()
    assert b.lane.cycles == [cycle + 1 for cycle in b.source.cycles]
    assert b.lane.cycles == list(range(b.lane.cycles[0], b.lane.cycles[0] + 40))
    b.lane.stall = lambda: True  # type: ignore[assignment]
    await b.begin(0)
    b.send(h.rng.randbytes(32 * 40), 0)
    await h.step(20)
    assert len(b.source.passed) == 40 + 3  # tx_beats


@cocotb.test()
@cocotb.parametrize(check=[False, True])
async def after_a_stop_the_frame_ends_and_abort_follows(dut: Any, check: bool) -> None:
    b = Bench(dut, check)
    h = b.h
    await h.reset()
    for code in range(1, 26):
        b.number = -1
        b.lane.passed.clear()
        data, signature = h.rng.randbytes(8 * h.rng.randint(1, 100)), h.rng.getrandbits(32)
        await b.begin(signature)
        b.source.send(words_of(data))
        await h.step(h.rng.randrange(40))
        b.io.set(stop=1, code=code)
        await h.step(200)
        got, whole = list(b.lane.passed), frames(data, signature, 0, check)
        assert got.pop() == control_word(ABORT, CONTROL_MARK << 48 | NODE << 16 | code << 8)
        if got != whole[: len(got)]:  # an open frame was ended by a word
            assert BEAT.unpack(got.pop()) == {"last": 1, "keep": 0xFF, "data": 0}
        assert got == whole[: len(got)]
        opened = got and not BEAT.unpack(got[-1])["last"]
        assert not opened or len(b.lane.passed) == len(got) + 2
        await b.io.once(flush=1)
        b.source._queue.clear()
        b.source.reset()
        b.io.set(stop=0)
        await h.step(2)
        assert b.io.get("idle")
