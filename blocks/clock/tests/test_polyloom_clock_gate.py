# SPDX-License-Identifier: Apache-2.0
"""Covers: which edges pass, with random activity, against a count of cycles since the last active one; after reset."""

from __future__ import annotations

from typing import Any

import cocotb

from polyloom.rtl.testing import Harness, bench

test = bench(__file__, "clock_tb")
SHAPES = [(1, 1), (5, 9)]  # cycles that it runs on after the last active one, and after reset


@cocotb.test()
@cocotb.parametrize(which=range(len(SHAPES)))
async def stands_still(dut: Any, which: int) -> None:
    rest, first = SHAPES[which]
    h = Harness(dut, dut.gen_gate[which])
    active, edges = h.signal("active"), h.signal("edges_q")
    await h.reset()
    left, expected = first, 0
    for _ in range(3000):
        wanted = h.rng.random() < h.rng.choice([0.05, 0.5])
        active.set(int(wanted))
        await h.step()
        expected += wanted or left > 0
        left = max(left - 1, rest if wanted else 0)
        assert edges.get() == expected
    assert expected < 3000, "the clock never stood still"


@cocotb.test()
async def is_a_wire(dut: Any) -> None:
    h = Harness(dut, dut.gen_gate[2])
    active, edges = h.signal("active"), h.signal("edges_q")
    await h.reset()
    for cycle in range(100):
        active.set(h.rng.getrandbits(1))
        await h.step()
        assert edges.get() == cycle + 1
