# SPDX-License-Identifier: Apache-2.0
"""Covers: every operation that does not divide, on corners and random operands in all rounding modes, against exact
arithmetic: result, flags, owner and cycle of each, one a cycle with gaps; a reset with operations under way.

Leaves out: operations of the divider; sums with hard cancellation in number (test_polyloom_overlay_fpu_sum.py).
"""

from __future__ import annotations

from typing import Any

import cocotb
from fpu_operations import OPERATION, PIPED
from fpu_units import SIZES, Unit, with_reset

from polyloom.rtl.testing import Harness, bench

test = bench(__file__, "fpu_tb")


@cocotb.test()
async def responses(dut: Any) -> None:
    h = Harness(dut, dut.gen_pipe)
    await with_reset(h, Unit(h, SIZES[0], PIPED, OPERATION, latency=8), 5000)
