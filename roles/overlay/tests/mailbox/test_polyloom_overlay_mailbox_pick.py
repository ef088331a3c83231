# SPDX-License-Identifier: Apache-2.0
"""Covers: of 1, 2, 3 and 4 who ask at random, every output in every cycle: the first one after the one that was served
last, whether a pick is taken or not.

Leaves out: more than 4.
"""

from __future__ import annotations

from typing import Any

import cocotb

from polyloom.rtl.testing import Harness, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "mailbox_tb")


@cocotb.test()
@cocotb.parametrize(count=range(1, 5))
async def picks_the_next_one(dut: Any, count: int) -> None:
    h = Harness(dut, dut.gen_pick[count - 1])
    request, accepted, valid, idx = (h.signal(name) for name in ("request", "accepted", "valid", "idx"))
    requesting, accept, last = 0, False, count - 1
    served = [0] * count

    def drive() -> None:
        nonlocal requesting, accept
        requesting, accept = h.rng.getrandbits(count) & h.rng.choice([0xF, h.rng.getrandbits(4)]), h.rng.random() < 0.6
        request.set(requesting)
        accepted.set(int(accept))

    def check(cycle: int) -> None:
        nonlocal last
        assert valid.get() == (requesting != 0), f"cycle {cycle}"
        if not requesting:
            return
        turn = next(i for i in ((last + 1 + n) % count for n in range(count)) if requesting >> i & 1)
        assert idx.get() == turn, f"cycle {cycle}: {requesting:#x} ask, {last} was the last one"
        if accept:
            last = turn
            served[turn] += 1

    EveryCycle(h, drive, check)
    await h.reset()
    await h.step(1500)
    assert min(served) > 50
