# SPDX-License-Identifier: Apache-2.0
"""Covers: random pushes and pops of lists of 2, 3 and 8 entries, every output in every cycle against a Python list; an
entry shows in the cycle after its push; the list gets full and empty.

Leaves out: pushes without room and pops of nothing (asserted in the RTL).
"""

from __future__ import annotations

from collections import deque
from typing import Any

import cocotb

from polyloom.rtl.testing import Harness, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "axi_tb")


@cocotb.test()
@cocotb.parametrize(which=range(3))
async def is_a_list(dut: Any, which: int) -> None:
    h = Harness(dut, dut.gen_list[which])
    depth = (2, 3, 8)[which]
    push, who_in, pop = (h.signal(name) for name in ("push", "who_in", "pop"))
    room, valid, who = (h.signal(name) for name in ("room", "valid", "who"))
    model: deque[int] = deque()
    sizes: set[int] = set()
    rate = 0.5
    now = {"push": False, "pop": False, "who": 0}

    def drive() -> None:
        nonlocal rate
        if h.rng.random() < 0.02:
            rate = h.rng.random()
        now["push"] = len(model) < depth and h.rng.random() < rate
        now["pop"] = bool(model) and h.rng.random() > rate
        now["who"] = h.rng.getrandbits(1)
        push.set(int(now["push"]))
        pop.set(int(now["pop"]))
        who_in.set(int(now["who"]))

    def check(cycle: int) -> None:
        assert room.get() == (len(model) < depth), f"cycle {cycle}"
        assert valid.get() == bool(model), f"cycle {cycle}"
        assert not model or who.get() == model[0], f"cycle {cycle}"
        sizes.add(len(model))
        if now["pop"]:
            model.popleft()
        if now["push"]:
            model.append(int(now["who"]))

    EveryCycle(h, drive, check)
    await h.reset()
    await h.until(lambda: sizes == set(range(depth + 1)) and h.cycle > 2000)
