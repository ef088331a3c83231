# SPDX-License-Identifier: Apache-2.0
"""Covers: responses at random on three ports and wakes, several in a cycle, of 16, 4 and 1 threads, every pick in every
cycle against the rule of the model: circular order from thread (c / 8) mod 16, c being the cycle in which a thread
joins; two cycles from response to pick; phases that wrap.

Leaves out: a second response of a thread before it is picked (asserted).
"""

from __future__ import annotations

from typing import Any

import cocotb

from polyloom.rtl.testing import Harness, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "core_units_tb")
SIZES, PORTS = (16, 4, 1), 3


@cocotb.test()
@cocotb.parametrize(which=range(3), rate=(0.05, 0.4, 0.95))
async def picks_by_the_rule(dut: Any, which: int, rate: float) -> None:
    h = Harness(dut, dut.gen_resume[which])
    threads = SIZES[which]
    names = ("turn", "valid", "thread", "wake", "pick", "picked")
    turn, valid, thread, wake, pick, picked = (h.signal(name) for name in names)
    start = h.rng.randrange(128)
    away = set(range(threads))  # threads that wait for a response
    responded: dict[int, int] = {}  # thread -> cycle of its response
    picks = 0

    def drive() -> None:
        turn.set((start + h.cycle + 2) // 8 % 16)
        joining = [t for t in sorted(away) if h.rng.random() < rate]
        h.rng.shuffle(joining)
        ports = joining[: h.rng.randint(0, PORTS)]
        numbers = [ports[p] if p < len(ports) else h.rng.getrandbits(4) for p in range(PORTS)]
        valid.set((1 << len(ports)) - 1)
        thread.set(sum(number << 4 * p for p, number in enumerate(numbers)))
        wake.set(sum(1 << t for t in joining[len(ports) :]))
        for t in joining:
            away.discard(t)
            responded[t] = h.cycle

    def check(cycle: int) -> None:
        nonlocal picks
        first = (start + cycle) // 8 % 16
        ready = [t for t, at in responded.items() if at <= cycle - 2]
        ready.sort(key=lambda t: (t - first) % 16)
        assert pick.get() == bool(ready), f"cycle {cycle}: {ready}"
        if ready:
            assert picked.get() == ready[0], f"cycle {cycle}: {picked.get()}, expected the first of {ready}"
            del responded[ready[0]]
            away.add(ready[0])
            picks += 1

    EveryCycle(h, drive, check)
    await h.reset()
    await h.step(2000)
    assert picks > 50
