# SPDX-License-Identifier: Apache-2.0
"""Covers: random patterns and open ends to a memory that stalls at random, from a source that does: every byte of the
channel; bursts, strobes, edges of data and done, full rate; length and address faults; stop in a burst, then anew.

Tests polyloom_collective_write. Leaves out: more than 255 bursts unacknowledged.
"""

from __future__ import annotations

from typing import Any

import cocotb
from collective_units import (
    BAD_PROGRAM,
    CHANNEL_BITS,
    FAULT,
    LENGTH,
    Faults,
    Inputs,
    Log,
    Memory,
    Pattern,
    random_pattern,
)

from polyloom.rtl.testing import BEAT, Harness, Source, Stall, bench

FULL = (1 << 32) - 1

test = bench(__file__, "collective_tb")


def start(h: Harness, memory: str | float = "random", stall: str | float = "random") -> tuple[Memory, Source, Inputs]:
    names = ("go", "step", "stop", "flush", "active", "idle", "fault")
    return Memory(h, reads=False, stall=memory), h.source("in", stall), Inputs(h, *names)


def stream(h: Harness, count: int, tail: int = 32) -> list[int]:
    """Beats of which the last has `tail` bytes."""
    return [
        BEAT.pack(
            last=int(i == count - 1), keep=(1 << (tail if i == count - 1 else 32)) - 1, data=h.rng.getrandbits(256)
        )
        for i in range(count)
    ]


def store(image: bytearray, pattern: Pattern, beats: list[int]) -> None:
    """What a memory holds after it."""
    for (place, count, _), packed in zip(pattern.beats(), beats, strict=False):
        beat = BEAT.unpack(packed)
        for i in range(min(count, beat["keep"].bit_length())):
            image[place + i] = beat["data"] >> 8 * i & 0xFF


@cocotb.test()
@cocotb.parametrize(open_end=[False, True])
async def writes_what_the_pattern_says(dut: Any, open_end: bool) -> None:
    h = Harness(dut, dut.gen_write)
    memory, source, io = start(h)
    fault = Faults(h, "fault")
    await h.reset()
    image = bytearray(len(memory.bytes))
    for _ in range(40):
        pattern = random_pattern(h.rng, 120)
        whole = len(pattern.beats())
        count = h.rng.randint(1, whole) if open_end else whole
        beats = stream(h, count, h.rng.randint(1, 32) if open_end else 32)
        store(image, pattern, beats)
        await io.once(go=1, step=pattern.step(open_end))
        source.send(beats)
        await h.until(lambda: not io.get("active"))
        await h.drain(after=2)
        assert io.get("idle")
        assert memory.bytes == image
    assert not fault.cycles()


@cocotb.test()
async def edges_and_full_rate(dut: Any) -> None:
    h = Harness(dut, dut.gen_write)
    memory, source, io = start(h, "never", "never")
    active = Log(h, "active")
    await h.reset()
    for pattern in (Pattern(0, 64, 32, 40), Pattern(1000 * 32, -4096, 2048, 3)):
        moved = len(source.passed)
        await io.once(go=1, step=pattern.step())
        await h.step(3)
        source.send(stream(h, len(pattern.beats())))
        await h.drain(after=5)
        accepted = source.cycles[moved:]
        assert accepted == list(range(accepted[0], accepted[0] + len(pattern.beats())))
        assert memory.data.cycles[moved:] == accepted  # the same edge
        acknowledged = memory.response.cycles[-1]
        assert active.values[acknowledged : acknowledged + 2] == [1, 0]  # write_to_done


@cocotb.test()
@cocotb.parametrize(extra=[-1, 1])
async def a_stream_of_another_length_is_a_fault(dut: Any, extra: int) -> None:
    h = Harness(dut, dut.gen_write)
    _, source, io = start(h, "never", "never")
    fault = Faults(h, "fault")
    await h.reset()
    await io.once(go=1, step=Pattern(64, 64, 64, 5).step())
    source.send(stream(h, 10 + extra))
    await h.until(lambda: bool(fault.cycles()), 100)
    word = FAULT.unpack(fault.values[fault.cycles()[0]])
    assert word == {"code": LENGTH, "value": 64 + 4 * 64 + (0 if extra < 0 else 32)}
    assert fault.cycles()[0] == source.cycles[min(9, 9 + extra)]


@cocotb.test()
@cocotb.parametrize(open_end=[False, True])
async def a_pattern_past_the_channel_is_a_fault(dut: Any, open_end: bool) -> None:
    h = Harness(dut, dut.gen_write)
    memory, source, io = start(h, "never", "never")
    fault = Faults(h, "fault")
    await h.reset()
    await io.once(go=1, step=Pattern((1 << CHANNEL_BITS) - 64, 64, 32, 3).step(open_end))
    source.send(stream(h, 3))
    await h.until(lambda: bool(fault.cycles()), 100)
    word = FAULT.unpack(fault.values[fault.cycles()[0]])
    assert word == {"code": BAD_PROGRAM, "value": 1 << CHANNEL_BITS}
    await h.step(10)
    assert len(memory.address.passed) == 1


@cocotb.test()
@cocotb.parametrize(open_end=[False, True])
async def a_stop_ends_bursts_without_writing_and_flush_makes_it_new(dut: Any, open_end: bool) -> None:
    h = Harness(dut, dut.gen_write)
    memory, source, io = start(h)
    await h.reset()
    for _ in range(20):
        pattern = random_pattern(h.rng, 120)
        beats = stream(h, len(pattern.beats()))
        await io.once(go=1, step=pattern.step(open_end))
        source.send(beats)
        await h.step(h.rng.randrange(80))
        io.set(stop=1)
        held = memory.data.valid.get() and not memory.data.ready.get()
        written = len(memory.written)
        await h.until(lambda: io.get("idle") == 1 and not memory.busy())
        assert all(strobe == 0 for strobe in memory.written[written + bool(held) + 1 :]), "written after the stop"
        await io.once(flush=1)
        source._queue.clear()
        source.reset()
        io.set(stop=0)
        image = bytearray(memory.bytes)
        again = random_pattern(h.rng, 60)
        beats = stream(h, len(again.beats()))
        store(image, again, beats)
        await io.once(go=1, step=again.step())
        source.stall = Stall(h.rng, "random")
        source.send(beats)
        await h.until(lambda: not io.get("active"))
        assert memory.bytes == image
