# SPDX-License-Identifier: Apache-2.0
"""Covers: blocks of all lengths, empty ones too, before and after their step, with and without block checks, gaps on
the lane and stalls behind it; edges; capacity at N and N+1; every fault that a lane can show: length of buffer,
signature, number, CRC, strays, abort.

Tests polyloom_collective_rx. Leaves out: pulses (test_polyloom_collective_sync.py), a lane's far end (rtl_engine.cc).
"""

from __future__ import annotations

import zlib
from typing import Any

import cocotb
from collective_units import (
    ABORT,
    ABORTED,
    CHECK,
    CHECK_WORD,
    CONTROL_MARK,
    FAULT,
    HELLO,
    LANE_STEP,
    OVERFLOW,
    SIGNATURE,
    SIGNATURE_WORD,
    UNEXPECTED,
    Faults,
    Inputs,
    Log,
    control_word,
    short_frame,
    whole_words,
    words_of,
)  # fmt: skip

from polyloom.rtl.testing import BEAT, Harness, bench

RX_BEATS = 5
BOTH = [False, True]

test = bench(__file__, "collective_tb")


class Bench:
    """A lane that receives; the lane cannot be stalled, so a block is at most RX_BEATS beats before it is taken."""

    def __init__(self, dut: Any, check: bool, gaps: str | float = "random", stall: str | float = "random") -> None:
        self.h = Harness(dut, dut.gen_rx[int(check)])
        self.lane, self.out = self.h.source("lane", gaps), self.h.sink("out", stall)
        self.io = Inputs(self.h, "go", "step", "stop", "flush", "active", "hello", "lane_ready")
        self.fault, self.drained = Faults(self.h, "fault"), Log(self.h, "drained")
        self.hello = Log(self.h, "hello")
        self.check, self.number = check, 0

    async def reset(self) -> None:
        await self.h.reset()
        self.io.set(lane_ready=1)

    def frames(self, data: bytes, signature: int, crc: int = 0, number: int | None = None) -> list[int]:
        if not self.check:
            return words_of(data) if len(data) > 16 else [short_frame(data)]
        # A stream of no bytes is one word that does not count; the CRC is that word's.
        words, data = (words_of(data), data) if data else ([BEAT.pack(last=1)], bytes(8))
        number = self.number if number is None else number
        return [
            control_word(SIGNATURE_WORD, signature << 32 | number << 16),
            *words,
            control_word(CHECK_WORD, (zlib.crc32(whole_words(data)) ^ crc) << 32 | number << 16),
        ]

    async def accept(self, eager: bool, signature: int) -> int:
        return await self.io.once(go=1, step=LANE_STEP.pack(valid=1, eager=eager, signature=signature))

    def first_fault(self) -> dict[str, int]:
        assert self.fault.cycles(), "no fault"
        return FAULT.unpack(self.fault.values[self.fault.cycles()[0]])


@cocotb.test()
@cocotb.parametrize(check=BOTH)
async def blocks_come_through(dut: Any, check: bool) -> None:
    b = Bench(dut, check, stall=0.3)
    h = b.h
    await b.reset()
    for n in range(60):
        eager, signature = h.rng.random() < 0.5, h.rng.getrandbits(32)
        data = h.rng.randbytes(4 * (n % 8 if n % 2 else h.rng.randint(0, 8 * RX_BEATS)))
        beats = words_of(data) if data else [BEAT.pack(last=1)]
        before, drains = len(b.out.passed), len(b.drained.cycles())
        if eager and h.rng.random() < 0.5:  # the block waits for the step
            b.lane.send(b.frames(data, signature))
            await h.step(h.rng.randrange(40))
            assert len(b.out.passed) == before
            b.out.expect(beats)
            await b.accept(True, signature)
        else:
            b.out.expect(beats)
            await b.accept(eager, signature)
            await h.step(h.rng.randrange(5))
            b.lane.send(b.frames(data, signature))
        await h.drain(after=6)
        assert not b.io.get("active")
        assert len(b.drained.cycles()) - drains == int(eager)
        b.number += 1
    assert not b.fault.cycles()


@cocotb.test()
async def a_beat_is_there_one_cycle_later_and_one_a_cycle(dut: Any) -> None:
    b = Bench(dut, False, "never", "never")
    await b.reset()
    await b.accept(False, 0)
    data = b.h.rng.randbytes(32 * 40)
    b.out.expect(words_of(data))
    b.lane.send(words_of(data))
    await b.h.drain()
    assert b.out.cycles == [cycle + 1 for cycle in b.lane.cycles]
    assert b.out.cycles == list(range(b.out.cycles[0], b.out.cycles[0] + 40))


@cocotb.test()
@cocotb.parametrize(beats=[RX_BEATS, RX_BEATS + 1])
async def the_buffer_holds_so_many_and_one_more_is_a_fault(dut: Any, beats: int) -> None:
    b = Bench(dut, False, "never", "always")
    await b.reset()
    await b.accept(True, 0)
    b.lane.send(words_of(b.h.rng.randbytes(32 * beats)))
    await b.h.step(12)
    assert [FAULT.unpack(b.fault.values[c])["code"] for c in b.fault.cycles()] == [OVERFLOW] * (beats - RX_BEATS)


@cocotb.test()
@cocotb.parametrize(wrong=["signature", "number", "crc"])
async def what_does_not_fit_is_a_fault(dut: Any, wrong: str) -> None:
    b = Bench(dut, True, "never", "never")
    await b.reset()
    signature, data = b.h.rng.getrandbits(32), b.h.rng.randbytes(64)
    sent = signature ^ 1 << b.h.rng.randrange(32) if wrong == "signature" else signature
    crc = 1 << b.h.rng.randrange(32) if wrong == "crc" else 0
    await b.accept(False, signature)
    b.lane.send(b.frames(data, sent, crc, 7 if wrong == "number" else 0))
    await b.h.step(20)
    if wrong == "crc":
        assert b.first_fault() == {"code": CHECK, "value": (zlib.crc32(data) ^ crc) << 32 | zlib.crc32(data)}
    else:
        assert b.first_fault() == {"code": SIGNATURE, "value": signature << 32 | sent}
        assert not b.out.passed, "a beat of a wrong block moved"


@cocotb.test()
async def a_changed_bit_of_the_data_is_found(dut: Any) -> None:
    for number in range(8):
        b = Bench(dut, True, "never", "never")
        await b.reset()
        data = b.h.rng.randbytes(8 * (1 + 3 * number))
        sent = b.frames(data, 5)
        sent[1] ^= 1 << b.h.rng.randrange(64)
        await b.accept(False, 5)
        b.lane.send(sent)
        await b.h.step(40)
        assert b.first_fault()["code"] == CHECK


@cocotb.test()
@cocotb.parametrize(check=BOTH)
async def control_words(dut: Any, check: bool) -> None:
    b = Bench(dut, check, "never", "never")
    h = b.h
    hello_node, hello_port = h.signal("hello_node"), h.signal("hello_port")
    await b.reset()
    b.lane.send(control_word(HELLO, CONTROL_MARK << 48 | 0x1234 << 16 | 0x56 << 8))
    await h.until(lambda: bool(b.hello.cycles()))
    assert (hello_node.get(), hello_port.get()) == (0x1234, 0x56)
    assert not b.fault.cycles()
    for kind in (9, ABORT):  # an abort without its mark is a damaged word
        b.lane.send(control_word(kind, 0xFFFF << 48))
        await h.step(4)
        assert b.first_fault() == {"code": UNEXPECTED, "value": 0xFFFF << 48 | kind}
        b.fault.values[:] = [0] * len(b.fault.values)
    word = CONTROL_MARK << 48 | 3 << 16 | 4 << 8
    b.lane.send(control_word(ABORT, word))
    await h.step(4)
    assert b.first_fault() == {"code": ABORTED, "value": word | ABORT}


@cocotb.test()
async def data_before_permission_is_unexpected(dut: Any) -> None:
    b = Bench(dut, False, "never", "never")
    await b.reset()
    b.lane.send(words_of(bytes(range(64))))
    await b.h.step(8)
    assert not b.fault.cycles()
    go = await b.accept(False, 0)
    await b.h.step(3)
    assert b.fault.cycles() == [go + 1]
    assert b.first_fault() == {"code": UNEXPECTED, "value": int.from_bytes(bytes(range(8)), "little")}


@cocotb.test()
@cocotb.parametrize(check=BOTH)
async def stopped_in_a_frame_it_finds_the_next_one(dut: Any, check: bool) -> None:
    b = Bench(dut, check, stall=0.3)
    h = b.h
    await b.reset()
    for _ in range(25):
        b.number = 0
        b.out._expected = None
        await b.accept(True, 1)
        b.lane.send(b.frames(h.rng.randbytes(32 * RX_BEATS), 1))
        await h.step(h.rng.randrange(12))
        b.io.set(stop=1)
        b.out.reset()
        b.out.stall = lambda: True  # type: ignore[assignment]
        await h.until(lambda: not b.lane.busy())
        await h.step(3)
        await b.io.once(flush=1)
        b.io.set(stop=0)
        b.out.reset()
        b.out.passed.clear()
        b.out.stall = lambda: False  # type: ignore[assignment]
        data = h.rng.randbytes(8 * h.rng.randint(2, 4 * RX_BEATS))
        b.fault.values[:] = [0] * len(b.fault.values)
        b.out.expect(words_of(data))
        await b.accept(False, 2)
        b.lane.send(b.frames(data, 2))
        await h.drain(after=6)
        assert not b.fault.cycles() and not b.io.get("active")
        await b.io.once(flush=1)
