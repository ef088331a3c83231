# SPDX-License-Identifier: Apache-2.0
"""Covers: the constants of timing.h, each measured on a hub that has nothing else to do.

Leaves out: what several transfers at once do to each other (swap tests of model and RTL).
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import cocotb
from hub_bench import (
    EAST,
    FLAG,
    FUNCTION_BIT,
    LAST,
    MEMORY,
    NODE,
    NORTH,
    REG,
    WEST,
    Bench,
    Descriptor,
    hub,
)  # fmt: skip
from hub_units import FUNCTION, MAX_PAYLOAD, READ, WRITE, Tlp, unit

from polyloom.rtl.testing import bench

test = bench(__file__, "hub_tb")
TEXT = (Path(__file__).parents[1] / "arch" / "timing.h").read_text()
TIMING = {name: int(value) for name, value in re.findall(r"unsigned (\w+) = (\d+);", TEXT)}
SOURCE = 4096


async def quiet(dut: Any) -> Bench:
    b = Bench(dut, stall="never", delay=0, latency=1)
    await b.start()
    return b


def check(**measured: int) -> None:
    wrong = {name: value for name, value in measured.items() if TIMING[name] != value}
    assert not wrong, f"timing.h differs: measured {wrong}"


def headers(b: Bench, port: int) -> list[int]:
    return b.outputs[port].cycles


@cocotb.test()
async def through(dut: Any) -> None:
    b = await quiet(dut)
    sent = len(b.inputs[WEST].source.cycles)
    b.send(WEST, Tlp(WRITE, unit(9, 0), bytes(100)))
    await b.h.drain()
    check(through=headers(b, EAST)[-1] - b.inputs[WEST].source.cycles[sent])


@cocotb.test()
async def registers(dut: Any) -> None:
    b = await quiet(dut)
    source = b.inputs[NORTH].source
    links, node = b.h.signal("links_seen"), None
    sent = len(source.cycles)
    b.write(REG.links, 0b0111)
    while links.get() == 15:
        await b.h.step()
    seen = b.h.cycle  # the coming edge sees the new value
    check(register_write=seen - source.cycles[sent])
    await b.h.drain(after=20)
    sent, before = len(source.cycles), len(headers(b, NORTH))
    assert node is None
    b.send(NORTH, Tlp(READ, hub(REG.id), length=8, tag=1))
    await b.h.drain(after=20)
    check(register_read=headers(b, NORTH)[before] - source.cycles[sent])


@cocotb.test()
async def memory(dut: Any) -> None:
    b = await quiet(dut)
    source = b.inputs[WEST].source
    sent = len(source.cycles)
    b.send(WEST, Tlp(WRITE, hub(MEMORY), bytes(MAX_PAYLOAD)))
    await b.h.drain(after=20)
    check(
        memory_write=b.memory._aw.cycles[0] - source.cycles[sent],
        memory_data=b.memory._w.cycles[0] - source.cycles[sent + 1],
    )


def lay(b: Bench, *chain: Descriptor) -> None:
    for i, d in enumerate(chain):
        d.next = hub(MEMORY + 64 * (i + 1))
        d.control = d.control & ~LAST | (LAST if i == len(chain) - 1 else 0)
        b.memory.bytes[64 * i : 64 * i + 64] = d.packed()


@cocotb.test()
async def chains(dut: Any) -> None:
    b = await quiet(dut)
    source, ar, r = b.inputs[NORTH].source, b.memory.ar.cycles, b.memory.r.cycles
    lay(b, Descriptor(hub(MEMORY + SOURCE), unit(9, 0), MAX_PAYLOAD, control=FLAG, flag=unit(9, 1)))
    sent = len(source.cycles)
    b.write(REG.chain, hub(MEMORY))
    await b.h.drain(after=100)
    out = b.outputs[EAST].sink.cycles
    beats = MAX_PAYLOAD // 16
    assert len(out) == beats + 1 + 2
    check(
        chain_fetch=ar[0] - source.cycles[sent],
        descriptor_read=ar[1] - r[3],
        data_write=out[0] - r[3 + beats],
        flag=out[beats + 1] - out[beats],
    )
    del ar[:], r[:]
    lay(b, *(Descriptor(hub(MEMORY + SOURCE), unit(9, 0), 16) for _ in range(2)))
    b.write(REG.chain, hub(MEMORY))
    await b.h.drain(after=100)
    check(descriptor_next=ar[2] - r[3] - TIMING["descriptor_read"])
    # One-beat blocks one after the other.
    before = len(headers(b, EAST))
    lay(b, Descriptor(hub(MEMORY + SOURCE), unit(9, 0), 16, 40, 64, 64))
    b.write(REG.chain, hub(MEMORY))
    await b.h.drain(after=300)
    steps = [y - x for x, y in zip(headers(b, EAST)[before + 10 :], headers(b, EAST)[before + 11 :], strict=False)]
    assert len(steps) == 29 and len(set(steps)) == 1
    check(block=steps[0])


@cocotb.test()
async def through_north(dut: Any) -> None:
    b = await quiet(dut)
    source, r = b.inputs[NORTH].source, b.memory.r.cycles
    lay(b, Descriptor(unit(NODE, 0, SOURCE), unit(9, 0), MAX_PAYLOAD))
    before = len(headers(b, NORTH))
    b.write(REG.chain, hub(MEMORY))
    await b.h.drain(after=100)
    check(
        descriptor_mrd=headers(b, NORTH)[before] - r[3],
        completion_write=headers(b, EAST)[-1] - source.cycles[-1],
    )
    b.units[0][:64] = b.memory.bytes[:64]
    sent, before = len(source.cycles), len(headers(b, NORTH))
    b.write(REG.chain, unit(NODE, 0))
    await b.h.drain(after=100)
    check(chain_mrd=headers(b, NORTH)[before] - source.cycles[sent])


@cocotb.test()
async def proxies(dut: Any) -> None:
    b = await quiet(dut)
    source = b.inputs[EAST].source
    sent = len(source.cycles)
    b.send(EAST, Tlp(WRITE, hub(REG.proxy), Descriptor(hub(MEMORY + SOURCE), unit(9, 0), 64).packed()))
    await b.h.drain(after=100)
    check(proxy_read=b.memory.ar.cycles[0] - source.cycles[sent])


@cocotb.test()
async def function(dut: Any) -> None:
    b = await quiet(dut)
    source, slot = b.inputs[NORTH].source, b.h.monitor("slot_in")
    made = b.h.monitor("slot_out", 0)
    b.write(REG.lanes, unit(9, 0), 1 << 16, 0)
    await b.h.drain(after=20)
    sent = len(source.cycles)
    b.write(REG.function_control, 1 | 3 << 8 | 1 << 16)
    while not b.h.signal("function_active").get():
        await b.h.step()
    check(function_start=b.h.cycle - source.cycles[sent])
    sent = len(source.cycles)
    for _ in range(2):
        b.send(NORTH, Tlp(WRITE, hub(FUNCTION), bytes(MAX_PAYLOAD)))
    await b.h.drain(after=100)
    assert len(headers(b, EAST)) == 2 and FUNCTION_BIT
    check(
        function_in=slot.cycles[0] - source.cycles[sent + 2],
        function_out=headers(b, EAST)[0] - made.cycles[MAX_PAYLOAD // 32 - 1],
    )
    assert headers(b, EAST)[1] - headers(b, EAST)[0] == 1 + MAX_PAYLOAD // 16
