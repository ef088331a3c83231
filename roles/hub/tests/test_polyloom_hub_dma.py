# SPDX-License-Identifier: Apache-2.0
"""Covers: random chains of descriptors with block strides of both signs, from on-board memory and through N, to the own
host, on-board memory and remote nodes, against numpy; completion delays and stalls at random; flags behind their data;
the proxy queue from remote nodes, full too; every DMA error with its cause and address, after which a chain runs again;
a poisoned completion; descriptor loops.

Tests polyloom_hub_dma, polyloom_hub_dma_control, polyloom_hub_dma_walk, polyloom_hub_dma_read, polyloom_hub_dma_write,
polyloom_hub_pack, polyloom_hub_packets, polyloom_hub_merge. Leaves out: data into
the function (test_polyloom_hub_function.py).
"""

from __future__ import annotations

import random
from typing import Any

import cocotb
import numpy as np
from hub_bench import (
    EAST,
    FLAG,
    LAST,
    MEMORY,
    MEMORY_BYTES,
    NODE,
    NORTH,
    REG,
    UNIT_BYTES,
    WEST,
    Bench,
    Descriptor,
    hub,
)  # fmt: skip
from hub_units import MAX_PAYLOAD, PROXY_FULL, READ, WINDOW, WRITE, Tlp, unit

from polyloom.rtl.testing import bench

test = bench(__file__, "hub_tb")
(NO_ERROR, NOT_LOCAL, OUTSIDE, ZERO, MISALIGNED, CROSSES, LOOP, RESERVED, NO_FUNCTION, BAD_READ) = range(10)
CHAIN_MAX = 8
QUARTER = MEMORY_BYTES // 4  # first: descriptors; second: sources in memory; third, fourth: destinations
BASES = {"memory": hub(MEMORY), **{str(i): unit(NODE, i) for i in range(3)}}


def shape(rng: random.Random, room: int) -> tuple[int, int, int, int]:
    """Start, bytes, blocks and stride of blocks that do not overlap and lie in ``room`` bytes."""
    size = rng.choice([1, 3, 16, 24, 64, 100, 127, 128, 129, 511, 512, 700, rng.randint(1, 1500)])
    blocks = rng.choice([1, 1, 2, 5, max(1, min(9, room // size))])
    while blocks * size > room:
        blocks -= 1
    stride = rng.randint(size, max(size, (room - size) // max(1, blocks - 1)))
    start = rng.randrange(room - (blocks - 1) * stride - size + 1) if (blocks - 1) * stride + size <= room else 0
    if rng.random() < 0.3:
        return start + (blocks - 1) * stride, size, blocks, -stride
    return start, size, blocks, stride


def fitting(rng: random.Random, room: int, size: int, blocks: int) -> tuple[int, int]:
    """Start and stride of so many blocks in ``room`` bytes."""
    stride = size + rng.choice([0, 0, 1, 16, 40])
    if (blocks - 1) * stride + size > room:
        stride = size
    start = rng.randrange(room - (blocks - 1) * stride - size + 1)
    return (start + (blocks - 1) * stride, -stride) if rng.random() < 0.3 else (start, stride)


class Chain:
    """Random descriptors, and numpy arrays of all memories as they must be after them."""

    def __init__(self, b: Bench, count: int) -> None:
        rng = b.h.rng
        self.b = b
        self.memory = np.frombuffer(bytes(b.memory.bytes), np.uint8).copy()
        self.units = [np.frombuffer(bytes(u), np.uint8).copy() for u in b.units]
        self.remote: dict[int, int] = {}
        self.descriptors = [self.random(rng, i) for i in range(count)]

    def random(self, rng: random.Random, number: int) -> Descriptor:
        start, size, blocks, stride = shape(rng, QUARTER)
        source_unit = rng.choice(["memory", "memory", "0", "1", "2"])
        sources = self.memory if source_unit == "memory" else self.units[int(source_unit)]
        start += QUARTER
        to = rng.choice(["memory", "0", "2", "east", "west"])
        place, place_stride = fitting(rng, QUARTER * 2, size, blocks)
        place += QUARTER * 2
        base = {"east": unit(9, 1), "west": unit(3, 3, MEMORY)}.get(to) or BASES[to]
        flag = (
            (hub(MEMORY, 9) if to == "east" else base) + 8 * rng.randrange(8) + 0x3F00
        )  # in the first quarter, behind descriptors
        d = Descriptor(
            BASES[source_unit] + start,
            base + place,
            size,
            blocks,
            stride,
            place_stride,
            0,
            rng.getrandbits(32),
            0,
            flag,
        )
        if rng.random() < 0.6:
            d.control |= FLAG
        target = self.memory if to == "memory" else self.units[int(to)] if to in {"0", "2"} else None
        for i in range(blocks):
            data = sources[start + i * stride : start + i * stride + size].copy()
            where = place + i * place_stride
            if target is not None:
                target[where : where + size] = data
            else:
                self.remote.update({base + where + k: int(byte) for k, byte in enumerate(data)})
        if d.control & FLAG:
            word = d.ident.to_bytes(8, "little")
            if target is not None:
                target[flag - base : flag - base + 8] = np.frombuffer(word, np.uint8)
            else:
                self.remote.update({flag + k: byte for k, byte in enumerate(word)})
        return d

    def link(self, place: str, first: int = 0) -> int:
        """Lay the descriptors one after the other; the address of the first."""
        addresses = [BASES[place] + first + 64 * i for i in range(len(self.descriptors))]
        self.descriptors[-1].control |= LAST
        for d, following in zip(self.descriptors, addresses[1:], strict=False):
            d.next = following
        self.lay(place, first)
        return addresses[0]

    def lay(self, place: str, first: int) -> None:
        data = b"".join(d.packed() for d in self.descriptors)
        live = self.b.memory.bytes if place == "memory" else self.b.units[int(place)]
        model = self.memory if place == "memory" else self.units[int(place)]
        live[first : first + len(data)] = data
        model[first : first + len(data)] = np.frombuffer(data, np.uint8)

    def check(self) -> None:
        b = self.b
        assert bytes(b.memory.bytes) == self.memory.tobytes()
        for live, model in zip(b.units, self.units, strict=True):
            assert bytes(live) == model.tobytes()
        assert b.image(b.writes[EAST] + b.writes[WEST]) == self.remote
        for tlp in b.writes[NORTH] + b.writes[EAST] + b.writes[WEST]:
            assert tlp.address // MAX_PAYLOAD == (tlp.address + tlp.length - 1) // MAX_PAYLOAD


@cocotb.test()
@cocotb.parametrize(place=["memory", "0", "2"])
async def random_chains(dut: Any, place: str) -> None:
    b = Bench(dut, latency=b_latency())
    await b.start()
    for round_ in range(4):
        for writes in b.writes:
            writes.clear()
        chain = Chain(b, b.h.rng.randint(1, CHAIN_MAX))
        before = await b.read(REG.dma_done)
        b.write(REG.chain, chain.link(place, 64 * b.h.rng.randrange(20)))
        await b.chain_done()
        await b.h.drain(after=100)
        chain.check()
        assert await b.read(REG.dma_done) - before == len(chain.descriptors), f"round {round_}"
        assert await b.read(REG.status) == 0


def b_latency() -> int:
    """Largest delay of a completion, in cycles."""
    return [1, 30, 300][random.randrange(3)]


@cocotb.test()
async def flags_come_behind_their_data(dut: Any) -> None:
    b = Bench(dut)
    await b.start()
    chain = [
        Descriptor(hub(MEMORY + QUARTER), unit(9, 0, 128 * i), 128, control=FLAG, ident=i + 1, flag=unit(9, 2, 8 * i))
        for i in range(6)
    ]
    for i, d in enumerate(chain):
        d.next = hub(MEMORY + 64 * (i + 1))
    chain[-1].control |= LAST
    b.memory.bytes[: 64 * 6] = b"".join(d.packed() for d in chain)
    b.write(REG.chain, hub(MEMORY))
    await b.chain_done()
    await b.h.drain()
    got = b.writes[EAST]
    assert [t.address for t in got] == [a for i in range(6) for a in (unit(9, 0, 128 * i), unit(9, 2, 8 * i))]
    assert [int.from_bytes(t.payload, "little") for t in got[1::2]] == [1, 2, 3, 4, 5, 6]


@cocotb.test()
async def proxies_from_remote_nodes(dut: Any) -> None:
    b = Bench(dut)
    await b.start()
    expected: dict[int, int] = {}
    for i in range(12):  # remote nodes ask for data of the host and of the memory
        size = b.h.rng.randint(1, 400)
        source = b.h.rng.randrange(QUARTER)
        inside = b.h.rng.random() < 0.5
        data = b.memory.bytes if inside else b.units[1]
        back = unit(9 if i % 2 else 2, 0, 512 * i)
        d = Descriptor(
            (hub(MEMORY) if inside else unit(NODE, 1)) + source,
            back,
            size,
            control=FLAG,
            ident=i,
            flag=unit(8, 0, 8 * i),
        )
        expected.update({back + k: byte for k, byte in enumerate(data[source : source + size])})
        expected.update({d.flag + k: byte for k, byte in enumerate(i.to_bytes(8, "little"))})
        b.send(EAST if i % 2 else WEST, Tlp(WRITE, hub(REG.proxy), d.packed()))
    await b.h.drain(after=200)
    await b.chain_done()
    await b.h.drain(after=50)
    assert b.image(b.writes[EAST] + b.writes[WEST]) == expected
    assert await b.read(REG.dma_done) == 12 << 32 and await b.read(REG.status) == 0


@cocotb.test()
async def proxy_queue_overflows_with_a_fault(dut: Any) -> None:
    b = Bench(dut, latency=1)
    await b.start()
    b.hold = True  # the first one waits for its data
    for i in range(40):  # some are in the DMA already
        d = Descriptor(unit(NODE, 0, 64 * i), unit(9, 0, 64 * i), 64)
        b.send(EAST, Tlp(WRITE, hub(REG.proxy), d.packed()))
    await b.h.step(1500)
    full = await b.read(REG.drops + 8 * PROXY_FULL)
    assert full > 0 and await b.read(REG.status) & 0xFFF == PROXY_FULL | EAST << 8
    assert await b.read(REG.dma_state) >> 8 & 31 <= 16
    b.hold = False
    await b.chain_done()
    await b.h.drain()
    assert len(b.writes[EAST]) == 40 - full and await b.read(REG.dma_done) >> 32 == 40 - full


GOOD = {
    "source": hub(MEMORY + QUARTER),
    "destination": unit(9, 0),
    "block_bytes": 200,
    "control": LAST | FLAG,
    "flag": unit(9, 1),
}
ERRORS: dict[str, tuple[int, dict[str, int]]] = {
    "another node": (NOT_LOCAL, {"source": unit(6, 0)}),
    "registers": (NOT_LOCAL, {"source": hub(0)}),
    "function": (NOT_LOCAL, {"source": hub(1 << 28)}),
    "memory's end": (NOT_LOCAL, {"source": hub(MEMORY + MEMORY_BYTES - 199)}),
    "across units": (NOT_LOCAL, {"source": unit(NODE, 2) - 100}),
    "source outside": (OUTSIDE, {"source": WINDOW}),
    "destination outside": (OUTSIDE, {"destination": WINDOW + 5}),
    "flag outside": (OUTSIDE, {"flag": WINDOW}),
    "window's end": (CROSSES, {"destination": WINDOW - 199}),
    "no bytes": (ZERO, {"block_bytes": 0}),
    "no blocks": (ZERO, {"blocks": 0}),
    "flag misaligned": (MISALIGNED, {"flag": unit(9, 1, 4)}),
    "reserved bit": (RESERVED, {"control": LAST | 8}),
    "no step": (NO_FUNCTION, {"control": LAST | 4}),
    "second block leaves": (CROSSES, {"destination": WINDOW - 1000, "destination_stride": 900, "blocks": 2}),
    "negative stride": (OUTSIDE, {"source": unit(0, 0), "source_stride": -1, "blocks": 2, "destination": unit(9, 0)}),
}  # fmt: skip


@cocotb.test()
@cocotb.parametrize(name=list(ERRORS))
async def error(dut: Any, name: str) -> None:
    code, change = ERRORS[name]
    b = Bench(dut)
    await b.start()
    if name == "negative stride":  # from node 0, so that the second block is below the window
        code = NOT_LOCAL
    bad = Descriptor(**{**GOOD, **change})
    good = Descriptor(**{**GOOD, "destination": unit(9, 2), "ident": 7})
    first = Descriptor(hub(MEMORY + QUARTER), unit(9, 2, 4096), 100, control=0, next=hub(MEMORY + 64))
    for place, d in ((0, first), (64, bad), (128, good)):
        b.memory.bytes[place : place + 64] = d.packed()
    image = bytes(b.memory.bytes)
    b.write(REG.chain, hub(MEMORY))
    await b.chain_done()
    await b.h.drain(after=50)
    assert await b.read(REG.chain_error) == code | hub(MEMORY + 64) << 16
    assert await b.read(REG.status) == 1 << 13
    flags = [t for t in b.writes[EAST] if t.address == unit(9, 1)]
    assert not flags and await b.read(REG.dma_done) == 1
    assert b.image(b.writes[EAST]).get(unit(9, 2, 4096)) == image[QUARTER]
    b.writes[EAST].clear()
    b.send(WEST, Tlp(WRITE, hub(REG.proxy), bad.packed()))  # the same by the proxy queue
    b.write(REG.chain, hub(MEMORY + 128))  # and a chain works
    await b.h.drain(after=50)
    await b.chain_done()
    await b.h.drain(after=50)
    assert await b.read(REG.proxy_error) & 0xFF == code and await b.read(REG.dma_done) == 2
    assert await b.read(REG.status) == 3 << 13
    assert b.image(b.writes[EAST])[unit(9, 1)] == 7
    b.write(REG.status_clear, 1)
    assert await b.read(REG.status) == 0 and bytes(b.memory.bytes) == image


@cocotb.test()
async def bad_addresses_of_descriptors(dut: Any) -> None:
    b = Bench(dut)
    await b.start()
    cases = [(hub(MEMORY + 32), MISALIGNED), (WINDOW, OUTSIDE), (unit(6, 0), NOT_LOCAL), (hub(0), NOT_LOCAL)]
    for address, code in cases:
        b.write(REG.chain, address)
        await b.chain_done()
        assert await b.read(REG.chain_error) == code | (address & (1 << 48) - 1) << 16
        b.write(REG.status_clear, 0)
        # As the next of a good one.
        b.memory.bytes[:64] = Descriptor(hub(MEMORY), unit(9, 0), 8, control=0, next=address).packed()
        b.write(REG.chain, hub(MEMORY))
        await b.chain_done()
        assert await b.read(REG.chain_error) == code | (address & (1 << 48) - 1) << 16
        b.write(REG.status_clear, 0)
    assert await b.read(REG.dma_done) == len(cases)
    b.write(REG.links, 0b1110)  # N absent: its memory cannot be read, and no register be read
    b.write(REG.chain, unit(NODE, 0))
    await b.h.step(300)
    b.write(REG.links, 0b1111)
    assert await b.read(REG.chain_error) & 0xFF == NOT_LOCAL


@cocotb.test()
async def a_loop_ends(dut: Any) -> None:
    b = Bench(dut)
    await b.start()
    for i in range(2):
        d = Descriptor(hub(MEMORY + 1024), unit(9, 0), 8, control=0, next=hub(MEMORY + 64 * (1 - i)))
        b.memory.bytes[64 * i : 64 * i + 64] = d.packed()
    b.write(REG.chain, hub(MEMORY))
    await b.chain_done()
    assert await b.read(REG.chain_error) & 0xFF == LOOP and await b.read(REG.dma_done) == CHAIN_MAX
    await b.h.drain()
    assert len(b.writes[EAST]) == CHAIN_MAX


@cocotb.test()
@cocotb.parametrize(which=[1, 2, 3, 6])
async def a_poisoned_completion_stops_the_chain(dut: Any, which: int) -> None:
    b = Bench(dut)
    await b.start()
    chain = [
        Descriptor(unit(NODE, 0, 1024), unit(9, 0, 4096 * i), 600, control=FLAG, ident=i, flag=unit(9, 1, 8 * i))
        for i in range(3)
    ]
    for i, d in enumerate(chain):
        d.next = hub(MEMORY + 64 * (i + 1))
    chain[-1].control |= LAST
    b.memory.bytes[: 64 * 3] = b"".join(d.packed() for d in chain)
    b.poison = which  # of 5 completions a descriptor
    b.write(REG.chain, hub(MEMORY))
    await b.h.step(100)
    await b.chain_done()
    await b.h.drain(after=100)
    assert await b.read(REG.chain_error) & 0xFF == BAD_READ
    whole = (which - 1) // 5
    assert await b.read(REG.dma_done) == whole
    flags = [t for t in b.writes[EAST] if t.address >> 33 & 3 == 1]
    assert len(flags) == whole
    image = b.image([t for t in b.writes[EAST] if t.address >> 33 & 3 == 0])
    for address, byte in image.items():  # nothing wrong was written
        assert byte == b.units[0][1024 + address % 4096]
    b.write(REG.chain, hub(MEMORY + 64 * 2))
    await b.chain_done()
    await b.h.drain(after=20)
    assert await b.read(REG.dma_done) == whole + 1


@cocotb.test()
async def rate_of_large_blocks(dut: Any) -> None:
    b = Bench(dut, stall="never", delay=0, latency=1)
    await b.start()
    for source in (hub(MEMORY + QUARTER), unit(NODE, 0)):
        b.writes[EAST].clear()
        b.outputs[EAST].cycles.clear()
        b.memory.bytes[:64] = Descriptor(source, unit(9, 0), 8192).packed()
        b.write(REG.chain, hub(MEMORY))
        await b.chain_done()
        await b.h.drain()
        cycles = b.outputs[EAST].cycles
        assert len(cycles) == 64
        if source == hub(MEMORY + QUARTER):
            assert cycles[-1] - cycles[0] == 63 * 9  # TLPs of 8 beats and a header, back to back
    assert READ and UNIT_BYTES > 8192
