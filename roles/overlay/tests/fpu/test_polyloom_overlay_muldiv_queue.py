# SPDX-License-Identifier: Apache-2.0
"""Covers: requests of 4 x 16, 1 x 1 and 2 x 2 threads with random pauses of every core, FIFOs full and empty: which is
granted in which cycle, and that it is unchanged; the first turn after reset; a reset while requests wait.

Leaves out: more requests of a core than it has threads (asserted in the RTL).
"""

from __future__ import annotations

from typing import Any

import cocotb
from fpu_operations import MULDIV, OPS
from fpu_units import SIZES, Queue, with_reset

from polyloom.rtl.testing import Harness, bench

test = bench(__file__, "fpu_tb")


@cocotb.test()
@cocotb.parametrize(which=range(3))
async def grants_in_turn(dut: Any, which: int) -> None:
    h = Harness(dut, dut.gen_muldiv_queue[which])
    await with_reset(h, Queue(h, SIZES[which], OPS[:8], MULDIV, latency=4), 600)
