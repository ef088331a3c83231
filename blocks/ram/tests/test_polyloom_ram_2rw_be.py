# SPDX-License-Identifier: Apache-2.0
"""Covers: random accesses of both ports at once, with byte enables, against a dictionary; a write and an idle cycle
leave the outputs.

Leaves out: mapping to block RAM (`polyloom synth overlay_cache`); a word that both ports use while one writes, which is
asserted not to be.
"""

from __future__ import annotations

from typing import Any

import cocotb

from polyloom.rtl.testing import Harness, bench

test = bench(__file__, "ram_tb")
SHAPES = [(8, 2, 8), (32, 13, 8), (27, 64, 9)]


@cocotb.test()
@cocotb.parametrize(which=range(len(SHAPES)))
async def random_accesses_with_byte_enables(dut: Any, which: int) -> None:
    width, depth, part = SHAPES[which]
    bits, parts = (depth - 1).bit_length(), width // part
    h = Harness(dut, dut.gen_ram[which])
    s = {name: h.signal(f"{name}_be2") for name in ("en", "we", "be", "addr", "wdata", "rdata")}
    await h.reset()
    memory = [0] * depth
    shown: list[int | None] = [None, None]
    for cycle in range(depth + 2000):
        fill = cycle < depth
        enabled = [not fill and h.rng.random() < 0.8, fill or h.rng.random() < 0.8]
        write = [fill or h.rng.random() < 0.5 for _ in range(2)]
        be = [(1 << parts) - 1 if fill else h.rng.getrandbits(parts) for _ in range(2)]
        address = [cycle if fill else h.rng.randrange(depth) for _ in range(2)]
        if (write[0] or write[1]) and address[0] == address[1]:
            enabled[0] = False
        data = [h.rng.getrandbits(width) for _ in range(2)]
        s["en"].set(enabled[0] | enabled[1] << 1)
        s["we"].set(write[0] | write[1] << 1)
        s["be"].set(be[0] | be[1] << parts)
        s["addr"].set(address[0] | address[1] << bits)
        s["wdata"].set(data[0] | data[1] << width)
        await h.step()
        for p in range(2):
            if not enabled[p]:
                continue
            if write[p]:
                mask = sum(((1 << part) - 1) << i * part for i in range(parts) if be[p] >> i & 1)
                memory[address[p]] = memory[address[p]] & ~mask | data[p] & mask
            else:
                shown[p] = memory[address[p]]
        for p in range(2):
            if shown[p] is not None:
                assert s["rdata"].get() >> p * width & (1 << width) - 1 == shown[p]
