# SPDX-License-Identifier: Apache-2.0
"""Covers: random writes with random byte enables and reads, against a dictionary; output stands without a read.

Leaves out: reads of the word that is being written (undefined), mapping to block RAM (test_ram_synth.py).
"""

from __future__ import annotations

from typing import Any

import cocotb

from polyloom.rtl.testing import Harness, bench

test = bench(__file__, "ram_tb")
SHAPES = [(8, 2, 8), (32, 13, 8), (27, 64, 9)]


def written(old: int, new: int, enables: int, unit: int) -> int:
    """A word after a write with byte enables."""
    for i in range(8):
        if enables >> i & 1:
            mask = (1 << unit) - 1 << i * unit
            old = old & ~mask | new & mask
    return old


@cocotb.test()
@cocotb.parametrize(which=range(len(SHAPES)))
async def random_accesses(dut: Any, which: int) -> None:
    width, depth, unit = SHAPES[which]
    h = Harness(dut, dut.gen_ram[which])
    s = {name: h.signal(name) for name in ("we", "be", "waddr", "wdata", "re", "raddr", "rdata")}
    await h.reset()
    memory: dict[int, int] = {}
    shown: int | None = None
    for cycle in range(depth + 2000):
        fill = cycle < depth
        write = fill or h.rng.random() < 0.5
        waddr = cycle if fill else h.rng.randrange(depth)
        enables = (1 << width // unit) - 1 if fill else h.rng.getrandbits(width // unit)
        data = h.rng.getrandbits(width)
        raddr = h.rng.randrange(depth)
        read = not fill and h.rng.random() < 0.5 and not (write and raddr == waddr)
        for name, value in (("we", write), ("be", enables), ("waddr", waddr), ("wdata", data)):
            s[name].set(int(value))
        s["re"].set(int(read))
        s["raddr"].set(raddr)
        await h.step()
        if read:
            shown = memory[raddr]
        if write:
            memory[waddr] = written(memory.get(waddr, 0), data, enables, unit)
        if shown is not None:
            assert s["rdata"].get() == shown
