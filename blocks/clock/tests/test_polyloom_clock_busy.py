# SPDX-License-Identifier: Apache-2.0
"""Covers: random traffic against a count; busy in the cycle of the first thing in and of the last one out."""

from __future__ import annotations

from typing import Any

import cocotb

from polyloom.rtl.testing import Harness, bench

test = bench(__file__, "clock_tb")
SHAPES = [(1, 1), (3, 2)]  # in, out


@cocotb.test()
@cocotb.parametrize(which=range(len(SHAPES)))
async def counts(dut: Any, which: int) -> None:
    ways_in, ways_out = SHAPES[which]
    h = Harness(dut, dut.gen_busy[which])
    came, went, busy = h.signal("came"), h.signal("went"), h.signal("busy")
    await h.reset()
    inside, seen = 0, set()
    for _ in range(3000):
        entering = h.rng.getrandbits(ways_in) if h.rng.random() < 0.3 else 0
        leaving = h.rng.getrandbits(ways_out)
        while leaving.bit_count() > inside:
            leaving &= leaving - 1
        came.set(entering)
        went.set(leaving)
        await h.step()  # the clock has risen: what is shown is of this cycle's inputs and the count behind it
        inside += entering.bit_count() - leaving.bit_count()
        assert busy.get() == int(inside > 0 or entering > 0 or leaving > 0)
        seen.add(busy.get())
    assert seen == {0, 1}
