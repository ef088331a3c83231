# SPDX-License-Identifier: Apache-2.0
"""Covers: streams of any length from DMA chains with block stride and from the network through the operator `pass`
to two lanes, to the host and to a remote node, with flags, at full width and at half width on 3 of 5 edges; capacity
too small; flush amid a stream and a new step; no room: N waits, others are dropped; a kind that is not there; rates.

Tests polyloom_hub_function, polyloom_hub_lane, polyloom_hub_clock, polyloom_hub_pack.
Leaves out: the LET operator's own logic.
"""

from __future__ import annotations

from typing import Any

import cocotb
from hub_bench import (
    EAST,
    FLAG,
    FUNCTION_BIT,
    LAST,
    MEMORY,
    NORTH,
    REG,
    WEST,
    Bench,
    Descriptor,
    hub,
)  # fmt: skip
from hub_units import FUNCTION, FUNCTION_FULL, MAX_PAYLOAD, REFUSED, WRITE, Tlp, unit

from polyloom.rtl.testing import bench

test = bench(__file__, "hub_tb")
PASS, STEP, FLUSH = 3, 1, 2
FUNCTION_LAST = 1 << 27
OVERFLOW = 1 << 63
BASE = [unit(9, 0, 4096), unit(5, 1, 8192)]  # lane 0 to the east, lane 1 to the host
FLAGS = [unit(9, 2, 64), unit(5, 2, 128)]


def setup(b: Bench, lanes: int = 3, capacity: int = 1 << 14, kind: int = PASS) -> None:
    for lane in range(2):
        b.write(REG.lanes + 32 * lane, BASE[lane], capacity, FLAGS[lane])
    b.write(REG.function_control, STEP | kind << 8 | lanes << 16)


def outputs(b: Bench, lane: int) -> tuple[bytes, list[int]]:
    """Data and flag words that a lane has written."""
    data, flags = b"", []
    for tlp in b.writes[EAST if lane == 0 else NORTH]:
        if tlp.address == FLAGS[lane]:
            flags.append(int.from_bytes(tlp.payload, "little"))
        else:
            assert tlp.address == BASE[lane] + len(data) and not flags
            data += tlp.payload
    return data, flags


async def finished(b: Bench, limit: int = 40_000) -> None:
    for _ in range(limit // 60):
        if await b.read(REG.function_state) & 3 == 2:
            return
        await b.h.step(50)
    raise AssertionError(f"function: {await b.read(REG.function_state):#x}")


def clear(b: Bench) -> None:
    for writes in b.writes:
        writes.clear()


@cocotb.test()
@cocotb.parametrize(which=[0, 1])
async def streams_of_a_chain(dut: Any, which: int) -> None:
    b = Bench(dut, which)
    await b.start()
    for round_ in range(6):
        clear(b)
        lanes = b.h.rng.choice([1, 2, 3])
        setup(b, lanes)
        stream, chain = b"", []
        for i in range(b.h.rng.randint(1, 4)):
            size, blocks = b.h.rng.choice([1, 24, 31, 64, 96, 333]), b.h.rng.randint(1, 6)
            stride, start = size + b.h.rng.randrange(50), 4096 * (i + 1)
            inside = b.h.rng.random() < 0.5
            memory = b.memory.bytes if inside else b.units[0]
            for n in range(blocks):
                stream += memory[start + n * stride : start + n * stride + size]
            source = (hub(MEMORY) if inside else unit(5, 0)) + start
            d = Descriptor(source, 0, size, blocks, stride, 0, FUNCTION_BIT, next=hub(MEMORY + 64 * (i + 1)))
            chain.append(d)
        chain[-1].control |= LAST | FLAG
        chain[-1].ident, chain[-1].flag = 77, unit(9, 3, MEMORY)
        b.memory.bytes[: 64 * len(chain)] = b"".join(d.packed() for d in chain)
        b.write(REG.chain, hub(MEMORY))
        await b.h.step(20)
        await finished(b)
        await b.chain_done()
        await b.h.drain(after=200)
        assert await b.read(REG.chain_error) == 0
        read_flags = [t for t in b.writes[EAST] if t.address == unit(9, 3, MEMORY)]
        assert len(read_flags) == 1  # the source has been read
        b.writes[EAST].remove(read_flags[0])
        state = await b.read(REG.function_state)
        for lane in range(2):
            used = lanes >> lane & 1
            assert outputs(b, lane) == ((stream, [len(stream)]) if used else (b"", [])), f"round {round_} lane {lane}"
            assert state >> 16 + lane & 1 == used
        assert await b.read(REG.function_status) == 0


@cocotb.test()
@cocotb.parametrize(which=[0, 1])
async def streams_of_the_network(dut: Any, which: int) -> None:
    b = Bench(dut, which)
    await b.start()
    for count in (1, 3, 12):
        clear(b)
        setup(b, 1)  # and data right behind it
        stream = b""
        for i in range(count):
            data = b.h.rng.randbytes(b.h.rng.choice([1, 16, 24, 100, MAX_PAYLOAD]))
            b.send(NORTH, Tlp(WRITE, hub(FUNCTION | (FUNCTION_LAST if i == count - 1 else 0)), data))
            stream += data
        await b.h.drain()
        await finished(b)
        await b.h.drain(after=200)
        assert outputs(b, 0) == (stream, [len(stream)])


@cocotb.test()
@cocotb.parametrize(extra=[-128, -1, 0, 1, 300])
async def capacity(dut: Any, extra: int) -> None:
    b = Bench(dut)
    await b.start()
    setup(b, 3, capacity=512)
    length = 512 + extra
    b.memory.bytes[:64] = Descriptor(hub(MEMORY + 1024), 0, length, control=LAST | FUNCTION_BIT).packed()
    stream = bytes(b.memory.bytes[1024 : 1024 + length])
    b.write(REG.chain, hub(MEMORY))
    await b.h.step(20)
    await finished(b)
    await b.h.drain(after=200)
    over = length > 512
    data, flags = outputs(b, 0)
    # What is dropped is dropped in halves of a beat.
    assert stream.startswith(data) and len(data) <= 512 and len(data) == (length if not over else 512)
    assert flags == [length | OVERFLOW * over]
    assert await b.read(REG.function_state) >> 32 == 3 * over
    assert await b.read(REG.lanes + 24) == length


@cocotb.test()
@cocotb.parametrize(which=[0, 1])
async def flush_and_a_new_step(dut: Any, which: int) -> None:
    b = Bench(dut, which)
    await b.start()
    for delay in (0, 1, 7, 30, 63, 200):
        setup(b, 3)
        await b.h.drain()
        b.memory.bytes[:64] = Descriptor(hub(MEMORY + 1024), 0, 3000, control=LAST | FUNCTION_BIT).packed()
        b.write(REG.chain, hub(MEMORY))
        await b.h.step(delay)
        b.write(REG.function_control, FLUSH)
        await b.h.drain()
        await b.chain_done()  # its data go nowhere
        await finished(b)
        await b.h.drain(after=50)
        clear(b)
        setup(b, 1)
        b.memory.bytes[:64] = Descriptor(hub(MEMORY + 1024), 0, 100, control=LAST | FUNCTION_BIT).packed()
        b.write(REG.chain, hub(MEMORY))
        await b.h.step(20)
        await finished(b)
        await b.h.drain(after=200)
        assert outputs(b, 0) == (bytes(b.memory.bytes[1024:1124]), [100]), f"after {delay}"


@cocotb.test()
async def without_room_north_waits_and_rings_are_dropped(dut: Any) -> None:
    b = Bench(dut)
    await b.start()
    setup(b, 1)
    await b.h.drain()
    east = b.outputs[EAST]
    drive = east.drive
    east.drive = lambda: east._pulse(0)  # type: ignore[method-assign]
    parts = [b.h.rng.randbytes(MAX_PAYLOAD) for _ in range(24)]
    for part in parts:
        b.send(NORTH, Tlp(WRITE, hub(FUNCTION), part))
    await b.h.step(1500)
    assert b.inputs[NORTH].busy(), "everything went in; the test must send more"
    for _ in range(3):
        b.send(WEST, Tlp(WRITE, hub(FUNCTION), b"lost" * 32))
    b.send(WEST, Tlp(WRITE, hub(MEMORY), b"kept"))
    await b.h.step(300)
    assert b.memory.bytes[:4] == b"kept"
    east.drive = drive  # type: ignore[method-assign]
    b.send(NORTH, Tlp(WRITE, hub(FUNCTION | FUNCTION_LAST), b"end"))
    await b.h.drain()
    await finished(b)
    await b.h.drain(after=200)
    data, flags = outputs(b, 0)
    dropped = await b.read(REG.drops + 8 * FUNCTION_FULL)
    assert dropped >= 2  # what N leaves free may take one
    assert data.count(b"lost" * 32) == 3 - dropped
    assert data.replace(b"lost" * 32, b"") == b"".join(parts) + b"end" and flags == [len(data)]


@cocotb.test()
async def misuse(dut: Any) -> None:
    b = Bench(dut)
    await b.start()
    setup(b, 1, kind=1)  # reduce is not built
    await b.h.drain(after=20)
    assert await b.read(REG.function_status) & 0xFF == 1 << 4 and await b.read(REG.status) == 1 << 15
    b.write(REG.function_control, STEP | PASS << 8 | 1 << 16)  # while one is active
    await b.h.drain(after=20)
    assert await b.read(REG.drops + 8 * REFUSED) == 1
    for _ in range(30):  # more than the function could hold: N must not be stopped by a step that failed
        b.send(NORTH, Tlp(WRITE, hub(FUNCTION), bytes(MAX_PAYLOAD)))
    b.memory.bytes[:64] = Descriptor(hub(MEMORY + 1024), 0, 8192, control=LAST | FUNCTION_BIT).packed()
    b.write(REG.chain, hub(MEMORY))
    await b.h.drain(after=100)
    await b.chain_done_but_function()
    assert await b.read(REG.drops + 8 * FUNCTION_FULL) == 30
    b.write(REG.function_control, FLUSH)
    await finished(b)
    assert await b.read(REG.status) >> 15 & 1 == 0 and await b.read(REG.dma_done) == 1


@cocotb.test()
@cocotb.parametrize(which=[0, 1])
async def rate(dut: Any, which: int) -> None:
    b = Bench(dut, which, stall="never", delay=0, latency=1)
    await b.start()
    setup(b, 1)
    b.memory.bytes[:64] = Descriptor(hub(MEMORY + 1024), 0, 8192, control=LAST | FUNCTION_BIT).packed()
    b.write(REG.chain, hub(MEMORY))
    await b.h.step(20)
    await finished(b)
    await b.h.drain()
    cycles = b.outputs[EAST].cycles[:-1]  # but for the flag
    assert len(cycles) == 64
    # A TLP of 128 bytes: 9 beats out; at half width 8 edges of the function's clock, 40 / 3 cycles.
    span = cycles[-1] - cycles[8]
    assert span == 55 * 9 if which == 0 else abs(span - 55 * 40 / 3) <= 2, span
