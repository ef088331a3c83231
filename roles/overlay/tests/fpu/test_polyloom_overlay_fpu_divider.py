# SPDX-License-Identifier: Apache-2.0
"""Covers: quotients and remainders of integers, quotients and roots of numbers (corners, random ones, all rounding
modes, zero, overflow), against exact arithmetic: result, flags, owner and cycle of each; the queue empty and full, of
4 x 16 threads and of one; a reset with operations under way.

Leaves out: more operations than threads; operations that do not divide.
"""

from __future__ import annotations

from typing import Any

import cocotb
from fpu_operations import DIVIDERS, OPERATION
from fpu_units import INTERVAL, SIZES, Unit, with_reset

from polyloom.rtl.testing import Harness, bench

test = bench(__file__, "fpu_tb")


@cocotb.test()
@cocotb.parametrize(which=range(2))
async def divides(dut: Any, which: int) -> None:
    h = Harness(dut, dut.gen_divider[which])
    unit = Unit(h, SIZES[which], DIVIDERS, OPERATION, latency=26, interval=INTERVAL)
    await with_reset(h, unit, 120)
