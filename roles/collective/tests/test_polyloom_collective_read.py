# SPDX-License-Identifier: Apache-2.0
"""Covers: random patterns from a memory and to a sink that stall at random: bursts, beats, keep, zeros behind a run;
edges begin_to_request and read_to_source, one beat a cycle; room of the buffer; faults, stop and flush.

Tests polyloom_collective_read. Leaves out: latencies of a real memory (rtl_engine.cc).
"""

from __future__ import annotations

from typing import Any

import cocotb
from collective_units import BAD_PROGRAM, CHANNEL_BITS, FAULT, Faults, Inputs, Memory, Pattern, random_pattern

from polyloom.rtl.testing import BEAT, Harness, bench
from polyloom.rtl.testing.axi import AX

READ_BEATS = 64

test = bench(__file__, "collective_tb")


def expected(memory: Memory, pattern: Pattern) -> list[int]:
    beats = pattern.beats()
    return [
        BEAT.pack(
            last=int(number == len(beats) - 1), keep=(1 << count) - 1,
            data=int.from_bytes(memory.bytes[place : place + count], "little"),
        )
        for number, (place, count, _) in enumerate(beats)
    ]  # fmt: skip


def start(h: Harness, stall: str | float = "random", sink: str | float = "random") -> tuple[Memory, Any, Inputs]:
    memory = Memory(h, reads=True, stall=stall)
    memory.bytes[:] = h.rng.randbytes(len(memory.bytes))
    names = ("go", "step", "begins", "stop", "flush", "pending", "active", "idle", "m_ar_valid", "fault")
    return memory, h.sink("out", sink), Inputs(h, *names)


@cocotb.test()
async def reads_what_the_pattern_says(dut: Any) -> None:
    h = Harness(dut, dut.gen_read)
    memory, sink, io = start(h)
    fault = Faults(h, "fault")
    await h.reset()
    for _ in range(40):
        pattern = random_pattern(h.rng, 120)
        before = len(memory.address.passed)
        await io.once(go=1, step=pattern.step())
        assert io.get("pending") and io.get("active")
        await h.step(h.rng.choice([0, 1, 5]))
        assert not io.get("m_ar_valid"), "a request before begin"
        sink.expect(expected(memory, pattern))
        await io.once(begins=1)
        assert not io.get("pending")
        await h.drain(after=2)
        bursts = [AX.unpack(packed) for packed in memory.address.passed[before:]]
        assert [(b["addr"], b["len"] + 1) for b in bursts] == [(place, beats) for place, beats, _ in pattern.bursts()]
        assert io.get("idle") and not io.get("active")
    assert not fault.cycles()


@cocotb.test()
async def edges_and_full_rate(dut: Any) -> None:
    h = Harness(dut, dut.gen_read)
    memory, sink, io = start(h, "never", "never")
    await h.reset()
    for pattern in (Pattern(64, 64, 32, 50), Pattern(0, 4096, 2048, 3)):
        requested, came = len(memory.address.passed), len(sink.passed)
        await io.once(go=1, step=pattern.step())
        sink.expect(expected(memory, pattern))
        begin = await io.once(begins=1)
        await h.drain(after=2)
        assert memory.address.cycles[requested] == begin + 1
        responses, beats = memory.response.cycles[-len(pattern.beats()) :], sink.cycles[came:]
        assert beats == [cycle + 1 for cycle in responses]
        assert beats == list(range(beats[0], beats[0] + len(pattern.beats())))


@cocotb.test()
async def asks_for_no_more_than_the_buffer_holds(dut: Any) -> None:
    h = Harness(dut, dut.gen_read)
    memory, sink, io = start(h, "never", "always")
    await h.reset()
    pattern = Pattern(0, 1024, 1024, 6)  # bursts of 32: two fit
    await io.once(go=1, step=pattern.step())
    await io.once(begins=1)
    await h.step(150)
    assert len(memory.address.passed) * 32 == READ_BEATS == len(memory.response.passed)
    sink.expect(expected(memory, pattern))
    sink.stall = lambda: False
    await h.until(lambda: len(sink.passed) == 31)
    assert len(memory.address.passed) == 2
    await h.drain()


@cocotb.test()
async def a_pattern_past_the_channel_is_a_fault(dut: Any) -> None:
    h = Harness(dut, dut.gen_read)
    memory, _, io = start(h, "never", "never")
    fault = Faults(h, "fault")
    await h.reset()
    await io.once(go=1, step=Pattern((1 << CHANNEL_BITS) - 2048, 2048, 1024, 3).step())
    await io.once(begins=1)
    await h.until(lambda: bool(fault.cycles()))
    assert FAULT.unpack(fault.values[-1]) == {"code": BAD_PROGRAM, "value": 1 << CHANNEL_BITS}
    assert len(memory.address.passed) == 1  # the run that lies inside


@cocotb.test()
async def after_stop_and_flush_it_works_anew(dut: Any) -> None:
    h = Harness(dut, dut.gen_read)
    memory, sink, io = start(h)
    await h.reset()
    for _ in range(20):
        pattern = random_pattern(h.rng, 120)
        sink._expected = None
        await io.once(go=1, step=pattern.step())
        await io.once(begins=1)
        await h.step(h.rng.randrange(60))
        sink.reset()  # valid may fall: the node is stopped
        io.set(stop=1)
        sink.stall = lambda: True
        requested = len(memory.address.passed) + (io.get("m_ar_valid") and 1)
        await h.until(lambda: io.get("idle") == 1)
        assert len(memory.address.passed) <= requested, "new requests after the stop"
        await io.once(flush=1)
        io.set(stop=0)
        sink.reset()
        sink.passed.clear()
        sink.stall = type(memory.address.stall)(h.rng, "random")
        again = random_pattern(h.rng, 60)
        sink.expect(expected(memory, again))
        await io.once(go=1, step=again.step())
        await io.once(begins=1)
        await h.drain(after=2)
        assert not io.get("active")
