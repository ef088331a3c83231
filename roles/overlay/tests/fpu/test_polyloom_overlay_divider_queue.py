# SPDX-License-Identifier: Apache-2.0
"""The dividers' queue through polyloom_overlay_fpu_divider and polyloom_overlay_muldiv_divider, which hold it.

Covers: an operation of every thread in as many cycles, so that the ring is full, from two places of the ring: they come
out in order, one in INTERVAL cycles; the first as soon as the divider can. Leaves out: results, and pauses between
operations (tests of the two dividers).
"""

from __future__ import annotations

from typing import Any

import cocotb
from fpu_operations import DIVIDES, MULDIV, OPERATION, an_operation, packed
from fpu_units import INTERVAL, SIZES

from polyloom.rtl.testing import Harness, Struct, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "fpu_tb")


async def _all_at_once(h: Harness, size: tuple[int, int], layout: Struct, latency: int) -> None:
    valid, operation, done, owner = (h.signal(name) for name in ("valid", "operation", "done", "owner"))
    owners = [core << 4 | thread for core in range(size[0]) for thread in range(size[1])]
    given: list[int] = []
    cycles: list[int] = []  # in which they were given
    out: list[tuple[int, int]] = []  # cycle, owner

    def drive() -> None:
        valid.set(bool(given))
        if given:
            cycles.append(h.cycle)
            operation.set(packed(layout, {"owner": given.pop(0), **an_operation(h.rng, DIVIDES)}))

    def look(cycle: int) -> None:
        if done.get():
            out.append((cycle, owner.get()))

    valid.set(0)
    await h.reset()
    EveryCycle(h, drive, look)
    for some in (owners[:5], owners[::-1]):
        cycles.clear()
        out.clear()
        given.extend(some)
        await h.step(latency + INTERVAL * len(some) + 1)
        assert out == [(cycles[0] + latency + INTERVAL * i, one) for i, one in enumerate(some)]


@cocotb.test()
@cocotb.parametrize(which=range(2))
async def waits_for_the_divider(dut: Any, which: int) -> None:
    await _all_at_once(Harness(dut, dut.gen_divider[which]), SIZES[which], OPERATION, 26)


@cocotb.test()
@cocotb.parametrize(which=range(2))
async def waits_for_the_divider_of_integers(dut: Any, which: int) -> None:
    await _all_at_once(Harness(dut, dut.gen_muldiv_divider[which]), SIZES[which], MULDIV, 24)
