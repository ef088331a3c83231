# SPDX-License-Identifier: Apache-2.0
"""Covers: random accesses of both ports at once against a dictionary; a write and an idle cycle leave the outputs; two
writes to one word.

Leaves out: mapping to block RAM (`polyloom synth mpe`); a read of what the other port writes, which is undefined.
"""

from __future__ import annotations

from typing import Any

import cocotb

from polyloom.rtl.testing import Harness, bench

test = bench(__file__, "ram_tb")
SHAPES = [(8, 2), (32, 13), (27, 64)]


@cocotb.test()
@cocotb.parametrize(which=range(len(SHAPES)))
async def random_accesses(dut: Any, which: int) -> None:
    width, depth = SHAPES[which]
    bits = (depth - 1).bit_length()
    h = Harness(dut, dut.gen_ram[which])
    s = {name: h.signal(f"{name}_both") for name in ("en", "we", "addr", "wdata", "rdata")}
    await h.reset()
    memory = [0] * depth
    shown: list[int | None] = [None, None]
    for cycle in range(depth + 2000):
        fill = cycle < depth
        enabled = [fill or h.rng.random() < 0.8 for _ in range(2)]
        write = [fill or h.rng.random() < 0.5 for _ in range(2)]
        address = [cycle if fill else h.rng.randrange(depth) for _ in range(2)]
        if write[0] != write[1] and address[0] == address[1]:
            enabled[0] = False
        data = [h.rng.getrandbits(width) for _ in range(2)]
        s["en"].set(enabled[0] | enabled[1] << 1)
        s["we"].set(write[0] | write[1] << 1)
        s["addr"].set(address[0] | address[1] << bits)
        s["wdata"].set(data[0] | data[1] << width)
        await h.step()
        for p in range(2):
            if enabled[p] and not write[p]:
                shown[p] = memory[address[p]]
        for p in range(2):
            if enabled[p] and write[p]:
                memory[address[p]] = data[p]
        for p in range(2):
            if shown[p] is not None:
                assert s["rdata"].get() >> p * width & (1 << width) - 1 == shown[p]
