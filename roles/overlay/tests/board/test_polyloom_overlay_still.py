# SPDX-License-Identifier: Apache-2.0
"""Covers: when a board is said to stand still after random movements, to the cycle, and when no longer.

Leaves out: what counts as a movement on a board (tests/test_standstill.py runs programs that end and that hang).
"""

from __future__ import annotations

from typing import Any

import cocotb

from polyloom.rtl.testing import Harness, bench

test = bench(__file__, "board_tb")


async def follows(dut: Any, scope: Any, cycles: int) -> None:
    h = Harness(dut, scope)
    moves, still = h.signal("moves"), h.signal("still")
    await h.reset()
    since = None  # cycles without a movement; None before the first one
    seen = 0
    for _ in range(2000):
        if since is not None:
            assert still.get() == (since >= cycles), since
            seen += still.get()
        # Rests around the limit, and longer ones.
        moves.set(h.rng.random() < 1 / cycles)
        await h.step()
        since = 0 if moves.get() else None if since is None else since + 1
    assert 0 < seen < 2000


@cocotb.test()
async def reports_after_sixteen_cycles(dut: Any) -> None:
    await follows(dut, dut.gen_still, 16)


@cocotb.test()
async def tells_after_the_least_there_may_be(dut: Any) -> None:
    await follows(dut, dut.gen_still_least, 2)
