# SPDX-License-Identifier: Apache-2.0
"""Covers: threads that join by either way and leave at random, every output in every cycle against a list: the thread
that is picked passes an empty queue by, the other way takes a cycle, of two in a cycle the picked one is first;
empty and full.

Leaves out: a thread that joins twice (asserted).
"""

from __future__ import annotations

from collections import deque
from typing import Any

import cocotb

from polyloom.rtl.testing import Harness, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "core_units_tb")


@cocotb.test()
async def is_a_queue(dut: Any) -> None:
    h = Harness(dut, dut.gen_ready_queue)
    names = ("picked", "picked_thread", "again", "again_thread", "valid", "some", "head", "hold")
    io = {name: h.signal(name) for name in names}
    queue: deque[int] = deque()
    outside, rate = list(range(16)), 0.5
    picked: int | None = None
    again: int | None = None
    hold, sizes = False, set()

    def drive() -> None:
        nonlocal picked, again, hold, rate
        if h.rng.random() < 0.02:
            rate = h.rng.random()
        h.rng.shuffle(outside)
        picked = outside.pop() if outside and h.rng.random() < rate else None
        again = outside.pop() if outside and h.rng.random() < rate else None
        hold = h.rng.random() < rate
        for name, thread in (("picked", picked), ("again", again)):
            io[name].set(int(thread is not None))
            io[f"{name}_thread"].set(h.rng.getrandbits(4) if thread is None else thread)
        io["hold"].set(int(hold))

    def check(cycle: int) -> None:
        assert io["some"].get() == bool(queue), f"cycle {cycle}"
        if picked is not None:
            queue.append(picked)
        assert io["valid"].get() == bool(queue), f"cycle {cycle}"
        assert not queue or io["head"].get() == queue[0], f"cycle {cycle}: {io['head'].get()}, expected {list(queue)}"
        if queue and not hold:
            outside.append(queue.popleft())
        if again is not None:
            queue.append(again)
        sizes.add(len(queue))

    EveryCycle(h, drive, check)
    await h.reset()
    await h.until(lambda: {0, 16} <= sizes and h.cycle > 3000)
