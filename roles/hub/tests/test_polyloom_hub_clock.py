# SPDX-License-Identifier: Apache-2.0
"""Covers: the edges that pass for three ratios, against the formula; the pattern begins anew with each run; enable_o
tells the edge.

Tests polyloom_hub_clock. Leaves out: a board's clock.
"""

from __future__ import annotations

from typing import Any

import cocotb

from polyloom.rtl.testing import Harness, bench

RATIOS = [(1, 1), (3, 5), (5, 16)]

test = bench(__file__, "hub_tb")


@cocotb.test()
@cocotb.parametrize(which=range(3))
async def edges(dut: Any, which: int) -> None:
    num, den = RATIOS[which]
    h = Harness(dut, dut.gen_clock[which])
    run, enable, count = h.signal("run"), h.signal("enable"), h.signal("edges")
    await h.reset()
    for length in (1, 2, 37, 100):
        run.set(0)
        await h.step(3)
        before = count.get()
        await h.step(5)
        assert count.get() - before == (5 if num == den else 0)
        before = count.get()
        run.set(1)
        passed = 0
        for i in range(length):
            passed += i * num % den < num
            if i + 1 < length:  # what the coming edge is told
                await h.step()
                assert enable.get() == int((i + 1) * num % den < num)
                assert count.get() - before == passed, f"edge {i}"
        await h.step()
        assert count.get() - before == passed
