# SPDX-License-Identifier: Apache-2.0
"""Covers: registers as registers.h says (values, refusals, resets by strap); writes to on-board memory at any address
and size from all ports at once; every fault of a TLP with its cause, port and address, while sound traffic goes on
undisturbed; counters; idle.

Tests polyloom_hub_node, polyloom_hub_regs, polyloom_hub_local, polyloom_hub_counters,
polyloom_hub_memory_write, polyloom_hub_faults. Leaves out: DMA and function (their own tests).
"""

from __future__ import annotations

from typing import Any

import cocotb
from hub_bench import (
    MEMORY,
    MEMORY_BYTES,
    NODE,
    NORTH,
    REG,
    SOUTH,
    UNIT_BYTES,
    WEST,
    Bench,
    hub,
    rule_word,
)  # fmt: skip
from hub_units import (
    ABSENT,
    COMPLETION,
    EAST,
    FUNCTION,
    FUNCTION_FULL,
    MALFORMED,
    OVERLAP,
    PAGE,
    POISONED,
    READ,
    REFUSED,
    TURN,
    UNMAPPED,
    WINDOW,
    WRITE,
    Rule,
    Tlp,
    unit,
)  # fmt: skip

from polyloom.rtl.testing import bench

test = bench(__file__, "hub_tb")
MAGIC = int.from_bytes(b"PYLHUB01", "little")


@cocotb.test()
async def registers(dut: Any) -> None:
    b = Bench(dut)
    await b.start(rings=False)
    assert await b.read(REG.id) == MAGIC
    assert await b.read(REG.shape) == 128 | 4 << 10 | 2 << 16 | 8 << 20 | 256 << 36 | 4 << 45 | 16 << 52
    assert await b.read(REG.node) == NODE and await b.read(REG.links) == 15
    first = [await b.read(REG.rules + 8 * i) for i in range(10)]
    own = NODE << 11
    assert first[0] == rule_word(Rule(lower=own, upper=own + 0x5FF))
    assert first[8] == rule_word(Rule(lower=own + 0x600, upper=own + 0x7FF))
    assert not any(word >> 63 for i, word in enumerate(first) if i not in {0, 8})
    rules = [
        rule_word(Rule(b.h.rng.getrandbits(15), b.h.rng.getrandbits(15), b.h.rng.getrandbits(15), False))
        for _ in range(3)
    ]
    b.write(REG.rules + 8 * 2, *rules)  # several registers by one TLP
    assert [await b.read(REG.rules + 8 * i) for i in (1, 2, 3, 4, 5)] == [first[1], *rules, first[5]]
    b.write(REG.lanes + 32, 0x12345600, 0x1000, 0x88)
    b.write(REG.function_config, 0xFEDCBA9876543210)
    assert [await b.read(REG.lanes + 32 + 8 * i) for i in range(4)] == [0x12345600, 0x1000, 0x88, 0]
    assert await b.read(REG.function_config) == 0xFEDCBA9876543210
    b.h.signal("cycle").set(0x123456789AB)
    assert await b.read(REG.cycle) == 0x123456789AB
    for absent in (0x38, 0x150, 0x340, 0x230, 0x450, 0x1440, 0x1120, 0x2000):
        assert await b.read(absent) == -1, f"{absent:#x} is a register"
    assert await b.read(REG.drops + 8 * REFUSED) == 8
    await b.h.drain()


@cocotb.test()
async def writes_to_memory(dut: Any) -> None:
    b = Bench(dut)
    await b.start()
    image = bytearray(b.memory.bytes)
    quarter = MEMORY_BYTES // 4
    for _ in range(150):
        port = b.h.rng.randrange(4)  # each port has a quarter: the order between ports is not told
        size = b.h.rng.choice([1, 2, 15, 16, 17, 31, 100, 127, 128])
        place = port * quarter + b.h.rng.randrange(quarter - size)
        place -= max(0, place % PAGE + size - PAGE)
        data = b.h.rng.randbytes(size)
        image[place : place + size] = data
        b.send(port, Tlp(WRITE, hub(MEMORY + place), data))
    await b.h.drain(after=60)
    assert b.memory.bytes == image
    assert await b.read(REG.status) == 0


@cocotb.test()
async def full_rate_to_memory(dut: Any) -> None:
    b = Bench(dut, stall="never", delay=0)
    await b.start()
    b.put(hub(MEMORY), b.h.rng.randbytes(4096))
    await b.h.drain()
    cycles = b.memory._w.cycles
    assert len(cycles) == 256 and cycles[-1] - cycles[0] == 256 - 1 + 31  # a header a TLP of 128 bytes


FAULTS = {
    "unmapped": (UNMAPPED, NORTH, Tlp(WRITE, WINDOW, b"12345678")),
    "beyond the window": (UNMAPPED, WEST, Tlp(WRITE, hub(0) | 1 << 63, b"12345678")),
    "overlap": (OVERLAP, EAST, Tlp(WRITE, unit(9, 0), b"x")),
    "absent": (ABSENT, WEST, Tlp(WRITE, unit(0, 1), b"x" * 128)),
    "poisoned": (POISONED, SOUTH, Tlp(WRITE, hub(MEMORY), b"x" * 100, poisoned=True)),
    "turn": (TURN, WEST, Tlp(WRITE, unit(2, 0), b"x" * 17)),
    "kind": (MALFORMED, EAST, Tlp(0x61, hub(MEMORY), b"x" * 16)),
    "across a page": (MALFORMED, NORTH, Tlp(WRITE, hub(MEMORY + PAGE - 1), b"xy")),
    "too large": (MALFORMED, NORTH, Tlp(WRITE, hub(MEMORY), b"x" * 129)),
    "read from a ring": (REFUSED, EAST, Tlp(READ, hub(0), length=8)),
    "read of another unit": (REFUSED, NORTH, Tlp(READ, unit(NODE, 0), length=8)),
    "stray completion": (REFUSED, NORTH, Tlp(COMPLETION, 16, b"x" * 16, tag=9)),
    "no register": (REFUSED, EAST, Tlp(WRITE, hub(0x7000), b"12345678")),
    "read-only": (REFUSED, NORTH, Tlp(WRITE, hub(REG.id), b"12345678")),
    "part of a register": (REFUSED, NORTH, Tlp(WRITE, hub(REG.links), b"1234")),
    "beyond the registers": (REFUSED, NORTH, Tlp(WRITE, hub(0x10000), b"12345678")),
    "hole": (REFUSED, SOUTH, Tlp(WRITE, hub(2 << 28), b"12345678")),
    "beyond the memory": (REFUSED, WEST, Tlp(WRITE, hub(MEMORY + MEMORY_BYTES), b"x" * 99)),
    "short descriptor": (REFUSED, NORTH, Tlp(WRITE, hub(REG.proxy), b"x" * 56)),
    "no step": (FUNCTION_FULL, EAST, Tlp(WRITE, hub(FUNCTION), b"x" * 128)),
}


@cocotb.test()
@cocotb.parametrize(name=list(FAULTS))
async def fault(dut: Any, name: str) -> None:
    cause, port, tlp = FAULTS[name]
    b = Bench(dut)
    await b.start()
    b.write(REG.links, 0b1011)  # S is absent
    b.rule(WEST, Rule(lower=9 << 11, upper=9 << 11), 1)  # node 9: E and W
    await b.h.drain()
    # Sound traffic around it: to memory, and through.
    image = bytearray(b.memory.bytes)
    sent: list[list[Tlp]] = [[], []]
    for i in range(40):
        if i == 20:
            b.send(port, tlp)
        data = b.h.rng.randbytes(b.h.rng.randint(1, 128))
        place = 256 * i + b.h.rng.randrange(128)
        image[place : place + len(data)] = data
        b.send(b.h.rng.choice([port, WEST]), Tlp(WRITE, hub(MEMORY + place), data))
        through = Tlp(WRITE, unit(12, 0, place), data)
        b.send(WEST, through)
        sent[0].append(through)
        to_host = Tlp(WRITE, unit(NODE, 0, place), data)
        b.send(EAST, to_host)
        sent[1].append(to_host)
    await b.h.drain(after=100)
    assert b.memory.bytes == image
    assert b.writes[EAST] == sent[0] and b.writes[NORTH] == sent[1] and not b.writes[WEST]
    status = await b.read(REG.status)
    assert status & 0xFF == cause and status >> 8 & 15 == port and not status >> 12 & 15, hex(status)
    assert status >> 16 == tlp.address & (1 << 48) - 1
    assert [await b.read(REG.drops + 8 * c) for c in range(10)] == [int(c == cause) for c in range(10)]
    drops = 0 if cause in {FUNCTION_FULL} or name in AT_LOCAL else 1
    assert await b.read(REG.counters + 64 * port + 40) == drops
    b.send(port, tlp)
    b.send(port, tlp)
    await b.h.drain(after=40)
    assert await b.read(REG.status) & 0x1FFF == cause | port << 8 | 1 << 12  # more since
    b.write(REG.status_clear, 0)
    assert await b.read(REG.status) == 0 and await b.read(REG.drops + 8 * cause) == 0


AT_LOCAL = {
    "stray completion", "no register", "read-only", "part of a register", "beyond the registers", "hole",
    "beyond the memory", "short descriptor", "read of another unit",
} - {"read of another unit"}  # fmt: skip


@cocotb.test()
async def counters_and_idle(dut: Any) -> None:
    b = Bench(dut, stall="never", delay=0)
    await b.start()
    before = [[await b.read(REG.counters + 64 * p + 8 * e) for e in range(6)] for p in range(5)]
    for i in range(7):
        b.send(WEST, Tlp(WRITE, unit(9, 0, 256 * i), b"x" * (16 * i + 1)))
    await b.h.drain(after=30)
    assert b.h.signal("idle").get()
    after = [[await b.read(REG.counters + 64 * p + 8 * e) for e in range(6)] for p in range(5)]
    beats = sum(2 + i for i in range(7))
    west, east = ([y - x for x, y in zip(before[p], after[p], strict=True)] for p in (WEST, EAST))
    assert west == [7, 0, beats, 0, 0, 0]
    assert east == [0, 7, 0, beats, 0, 0]
    b.send(WEST, Tlp(WRITE, unit(9, 0), b"x"))
    await b.h.step(3)
    assert not b.h.signal("idle").get()
    await b.h.drain()


@cocotb.test()
async def chain_register_refuses_while_busy(dut: Any) -> None:
    b = Bench(dut, latency=400)
    await b.start()
    b.write(REG.chain, unit(NODE, 0, 0))  # the endpoint takes its time
    b.write(REG.chain, unit(NODE, 0, 64))
    await b.h.drain(after=50)
    assert await b.read(REG.status) & 0xFF == REFUSED
    assert UNIT_BYTES > 64
    await b.h.step(500)
    await b.h.drain()
