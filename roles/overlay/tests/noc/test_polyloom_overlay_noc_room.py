# SPDX-License-Identifier: Apache-2.0
"""Covers: room_o in every cycle against a sum of flits, with messages that come and go at random, at once and one
after the other: buffers of 16, 32, 4 and 1 flits, longest messages of 4, 3, 4 and 1; full and empty.

Leaves out: messages without room (asserted in the RTL).
"""

from __future__ import annotations

from collections import deque
from typing import Any

import cocotb

from polyloom.rtl.testing import Harness, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "noc_tb")
SIZES = ((16, 4), (32, 3), (4, 4), (1, 1))


@cocotb.test()
@cocotb.parametrize(which=range(4))
async def is_the_sum(dut: Any, which: int) -> None:
    h = Harness(dut, dut.gen_room[which])
    size, longest = SIZES[which]
    arrive, arrive_flits, leave, leave_flits, leave_one, room = (
        h.signal(name) for name in ("arrive", "arrive_flits", "leave", "leave_flits", "leave_one", "room")
    )
    inside: deque[int] = deque()  # flits of each message that has come before this cycle
    granted, fills, rate = False, set(), 0.5
    coming, leaving, ones = 0, 0, 0

    def drive() -> None:
        nonlocal coming, leaving, ones, rate
        if h.rng.random() < 0.02:
            rate = h.rng.random()
        coming = h.rng.randint(1, longest) if granted and h.rng.random() < 0.9 else 0
        leaving = inside[0] if inside and h.rng.random() > rate else 0
        behind = inside[1] if leaving and len(inside) > 1 else inside[0] if inside and not leaving else 0
        ones = int(behind == 1 and h.rng.random() > rate)
        arrive.set(int(coming > 0))
        arrive_flits.set(coming - 1 if coming else h.rng.getrandbits(2))
        leave.set(int(leaving > 0))
        leave_flits.set(leaving - 1 if leaving else h.rng.getrandbits(2))
        leave_one.set(ones)

    def check(cycle: int) -> None:
        nonlocal granted
        used = sum(inside) + coming
        assert room.get() == (used + longest <= size), f"cycle {cycle}: {used} of {size} flits used"
        fills.add(used)
        granted = bool(room.get()) and h.rng.random() < rate  # its first flit may come in the next cycle
        for _ in range(int(leaving > 0) + ones):
            inside.popleft()
        if coming:
            inside.append(coming)

    EveryCycle(h, drive, check)
    await h.reset()
    await h.step(4000)
    assert 0 in fills and max(fills) > size - longest
