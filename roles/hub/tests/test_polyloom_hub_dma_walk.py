# SPDX-License-Identifier: Apache-2.0
"""Covers: random descriptors, sound and with each error in any block, strides of both signs, sources in memory and
behind N, reads and blocks that wait, against the list of blocks and reads that the descriptor means; stops amid a
walk; blocks for the own node; latency and rate; memories of 64 KiB and 4 GiB.

Tests polyloom_hub_dma_walk. Leaves out: descriptors without bytes or blocks, which control refuses.
"""

from __future__ import annotations

import random
from typing import Any

import cocotb
from hub_bench import FLAG, FUNCTION_BIT, LAST, MEMORY
from hub_parts import BLOCK, DESCRIPTOR
from hub_units import READ_BYTES, WINDOW, unit

from polyloom.rtl.testing import Harness, Stall, Struct, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "hub_tb")
REQUEST = Struct([("bytes", 10), ("address", 39)])
NO_ERROR, NOT_LOCAL, OUTSIDE, CROSSES = 0, 1, 2, 5
MEMORY_BITS = (16, 32)
ALL64, MOST = (1 << 64) - 1, 0xFFFFFFFF


def error_of(d: dict[str, int], node: int, north: bool, bits: int) -> int:
    """Of one block, in the order of registers.h."""
    first, end = d["source"], d["source"] + d["block_bytes"] - 1
    if first >= WINDOW:
        return OUTSIDE
    if first >> 35 != node or end >> 33 != first >> 33:
        return NOT_LOCAL
    if first >> 33 & 3 == 3:
        low, high = unit(node, 3, MEMORY), unit(node, 3, MEMORY) + (1 << bits)
        if not low <= first <= end < high:
            return NOT_LOCAL
    elif not north:
        return NOT_LOCAL
    if d["control"] & FUNCTION_BIT:
        return NO_ERROR
    if d["destination"] >= WINDOW:
        return OUTSIDE
    return CROSSES if d["destination"] + d["block_bytes"] > WINDOW else NO_ERROR


def blocks_of(descriptor: int, proxy: int, node: int, north: bool, bits: int) -> tuple[list[Any], int]:
    """Of each block: what the write side is told, its reads, whether it goes to the own node; the error at the end."""
    d = DESCRIPTOR.unpack(descriptor)
    blocks: list[tuple[int, list[int], bool]] = []
    for number in range(d["blocks"]):
        if error := error_of(d, node, north, bits):
            return blocks, error
        stream = bool(d["control"] & FUNCTION_BIT)
        reported = BLOCK.pack(
            proxy=proxy, final_block=int(number == d["blocks"] - 1), to_stream=int(stream),
            stream_end=int(bool(d["control"] & LAST)), flag=int(bool(d["control"] & FLAG)),
            flag_address=d["flag"] % WINDOW, id=d["id"], bytes=d["block_bytes"],
            address=0 if stream else d["destination"],
        )  # fmt: skip
        place, end, reads = d["source"], d["source"] + d["block_bytes"], []
        while place < end:
            size = min(end, (place // READ_BYTES + 1) * READ_BYTES) - place
            reads.append(REQUEST.pack(address=place, bytes=size))
            place += size
        blocks.append((reported, reads, not stream and d["destination"] >> 35 == node))
        for side in ("source", "destination"):
            d[side] = (d[side] + d[f"{side}_stride"]) & ALL64
    return blocks, NO_ERROR


def random_descriptor(rng: random.Random, node: int, bits: int) -> int:
    """Mostly sound at first, but perhaps not after some strides."""
    bytes_ = rng.choice([1, 16, 511, 512, 513, rng.randint(1, 2500)])
    memory = rng.random() < 0.5
    room = (1 << bits) if memory else (1 << 33)
    base = unit(node, 3, MEMORY) if memory else unit(node, rng.randrange(3))
    near = [0, rng.randrange(room), room - bytes_, room - bytes_ - rng.randrange(3 * bytes_), room - bytes_ + 1]
    source = base + rng.choice(near)
    if rng.random() < 0.08:
        source = rng.choice([unit(node, 3, 64), unit(node ^ 1, 1), WINDOW + source, unit(node, 2, room - 1), ALL64])
    there = rng.choice([node, node, rng.randrange(16)])
    destination = rng.choice([unit(there, rng.randrange(4), rng.getrandbits(33)), WINDOW - bytes_, WINDOW - 3 * bytes_])
    if rng.random() < 0.08:
        destination = rng.choice([WINDOW, WINDOW - bytes_ + 1, rng.getrandbits(64), WINDOW - 1])
    strides = [rng.choice([bytes_, -bytes_, 0, bytes_ + 16, rng.randint(-5000, 5000), 1 << 32]) for _ in range(2)]
    control = rng.getrandbits(32) & ~FUNCTION_BIT | rng.choice([0, 0, FUNCTION_BIT])
    if rng.random() < 0.05:  # too many bytes to see the end of it
        bytes_, destination, control = MOST, WINDOW - rng.randrange(MOST), control & ~FUNCTION_BIT
    return DESCRIPTOR.pack(
        source=source & ALL64, destination=destination, source_stride=strides[0] & ALL64,
        destination_stride=strides[1] & ALL64, block_bytes=bytes_,
        blocks=rng.choice([1, 2, 3, rng.randint(1, 9)]), control=control,
        id=rng.getrandbits(32), next=rng.getrandbits(64), flag=rng.getrandbits(64),
    )  # fmt: skip


class Walk:
    """Both ends of the walk; what passed."""

    def __init__(self, dut: Any, which: int, stall: str | float = "random") -> None:
        self.h = h = Harness(dut, dut.i_dma.gen_walk[which])
        names = ("node", "north", "start", "proxy", "descriptor", "stop", "done", "error", "own", "block_valid")
        names += ("block_ready", "block", "request_valid", "request_ready", "request")
        self.signals = {name: h.signal(name) for name in names}
        self.stalls = {name: Stall(h.rng, stall) for name in ("block_ready", "request_ready")}
        self.blocks: list[tuple[int, bool]] = []
        self.reads: list[int] = []
        self.cycles: list[int] = []
        self.done: list[int] = []
        self.waits: dict[str, int] = {}
        EveryCycle(h, self.drive, self.check)

    def set(self, **values: int) -> None:
        for name, value in values.items():
            self.signals[name].set(value)

    async def start(self, **values: int) -> int:
        """Begin a walk; the cycle. Later the descriptor is noise."""
        self.blocks, self.reads, self.cycles, self.done = [], [], [], []
        self.set(start=1, **values)
        await self.h.step()
        self.set(start=0, descriptor=self.h.rng.getrandbits(DESCRIPTOR.width), proxy=self.h.rng.getrandbits(1))
        return self.h.cycle - 1

    def drive(self) -> None:
        for name, stall in self.stalls.items():
            self.signals[name].set(int(not stall()))

    def check(self, cycle: int) -> None:
        get = {name: signal.get() for name, signal in self.signals.items()}
        for name in ("block", "request"):
            valid = get[f"{name}_valid"]
            if name in self.waits and not (name == "block" and get["stop"]):
                assert valid and get[name] == self.waits[name], f"cycle {cycle}: {name} did not wait"
            self.waits.pop(name, None)
            if valid and not get[f"{name}_ready"]:
                self.waits[name] = get[name]
        accepted = get["block_valid"] & get["block_ready"]
        assert accepted or not get["own"]
        if accepted:
            assert not get["stop"], f"cycle {cycle}: a block after the stop"
            self.blocks.append((get["block"], bool(get["own"])))
        if get["request_valid"] & get["request_ready"]:
            self.reads.append(get["request"])
            self.cycles.append(cycle)
        if get["done"]:
            self.done.append(get["error"])


@cocotb.test()
@cocotb.parametrize(which=range(2), stops=[False, True])
async def random_descriptors(dut: Any, which: int, stops: bool) -> None:
    w = Walk(dut, which)
    rng, bits = w.h.rng, MEMORY_BITS[which]
    await w.h.reset()
    for number in range(90):
        node, north, proxy = rng.randrange(16), rng.random() < 0.8, rng.getrandbits(1)
        descriptor = random_descriptor(rng, node, bits)
        w.set(node=node, north=int(north), stop=int(stops and number % 5 == 0))
        blocks, error = blocks_of(descriptor, proxy, node, north, bits)
        await w.start(descriptor=descriptor, proxy=proxy)
        if stops:
            await w.h.step(rng.randrange(40))
            w.set(stop=1)
        await w.h.until(lambda: bool(w.done))
        await w.h.step(rng.choice([0, 1, 5]))
        begun = len(w.blocks)
        if not stops:
            assert begun == len(blocks)
        elif begun < len(blocks):
            error = NO_ERROR
        assert w.done == [error], f"errors {w.done}, expected {error}"
        assert w.blocks == [(reported, own) for reported, _, own in blocks[:begun]]
        assert w.reads == [read for _, reads, _ in blocks[:begun] for read in reads]
        w.set(stop=0)


@cocotb.test()
async def latency_and_rate(dut: Any) -> None:
    w = Walk(dut, 0, "never")
    await w.h.reset()
    w.set(node=3, north=1)
    for bytes_, blocks in ((1, 1), (16, 6), (1300, 3)):
        descriptor = DESCRIPTOR.pack(
            source=unit(3, 0, 512), destination=unit(4, 0), block_bytes=bytes_, blocks=blocks, source_stride=2048
        )
        begin = await w.start(descriptor=descriptor)
        await w.h.until(lambda: bool(w.done))
        reads, due = -(-bytes_ // READ_BYTES), []
        for block in range(blocks):
            due += [begin + 3 + block * (reads + 2) + n for n in range(reads)]
        assert w.cycles == due
