# SPDX-License-Identifier: Apache-2.0
"""Covers: random accesses with random byte enables against a dictionary; a write and an idle cycle leave the output.

Leaves out: mapping to block RAM (test_ram_synth.py).
"""

from __future__ import annotations

from typing import Any

import cocotb

from polyloom.rtl.testing import Harness, bench

test = bench(__file__, "ram_tb")
SHAPES = [(8, 2, 8), (32, 13, 8), (27, 64, 9)]


@cocotb.test()
@cocotb.parametrize(which=range(len(SHAPES)))
async def random_accesses(dut: Any, which: int) -> None:
    width, depth, unit = SHAPES[which]
    h = Harness(dut, dut.gen_ram[which])
    s = {name: h.signal(name) for name in ("en", "we", "be", "waddr", "wdata", "rdata_one")}
    await h.reset()
    memory = [[0] * (width // unit) for _ in range(depth)]
    shown: int | None = None
    for cycle in range(depth + 2000):
        fill = cycle < depth
        enabled = fill or h.rng.random() < 0.8
        write = fill or h.rng.random() < 0.5
        address = cycle if fill else h.rng.randrange(depth)
        enables = [fill or h.rng.random() < 0.5 for _ in range(width // unit)]
        data = [h.rng.getrandbits(unit) for _ in range(width // unit)]
        s["en"].set(int(enabled))
        s["we"].set(int(write))
        s["be"].set(sum(1 << i for i, enable in enumerate(enables) if enable))
        s["waddr"].set(address)
        s["wdata"].set(sum(part << i * unit for i, part in enumerate(data)))
        await h.step()
        if enabled and write:
            memory[address] = [new if e else old for old, new, e in zip(memory[address], data, enables, strict=True)]
        elif enabled:
            shown = sum(part << i * unit for i, part in enumerate(memory[address]))
        if shown is not None:
            assert s["rdata_one"].get() == shown
