# SPDX-License-Identifier: Apache-2.0
"""Covers: products of corners and random words, lower word and the upper one of every kind of sign, one a cycle with
gaps: word, owner and cycle; a reset with operations under way.

Leaves out: nothing that its ports allow.
"""

from __future__ import annotations

from typing import Any

import cocotb
from fpu_operations import MULDIV, MULTIPLIES
from fpu_units import SIZES, Unit, with_reset

from polyloom.rtl.testing import Harness, bench

test = bench(__file__, "fpu_tb")


@cocotb.test()
async def multiplies(dut: Any) -> None:
    h = Harness(dut, dut.gen_multiplier)
    await with_reset(h, Unit(h, SIZES[0], MULTIPLIES, MULDIV, latency=6), 3000)
