# SPDX-License-Identifier: Apache-2.0
"""Covers: fp32 times a factor (corners with each other, random numbers), int32 and uint32 over divisors of 1 to 8,
what passes unscaled, in an element every cycle, against exact arithmetic; the latency to the cycle.

Leaves out: divisors above 8, for which the reciprocal of this shape is not meant.
"""

from __future__ import annotations

from typing import Any

import cocotb

from polyloom.rtl.testing import Harness, bench
from polyloom.rtl.testing.exact import B32, multiply

test = bench(__file__, "operators_tb")
LATENCY, WIDTH, SHIFT = 5, 35, 41
FP32, INT32, UINT32 = range(3)


async def check(h: Harness, values: list[int], results: list[int]) -> None:
    """Send values, one a cycle; results come LATENCY later."""
    x, z = h.signal("x"), h.signal("z")
    for n, value in enumerate([*values, *[0] * LATENCY]):
        x.set(value)
        await h.step()
        if n + 1 >= LATENCY and n + 1 - LATENCY < len(values):
            at = n + 1 - LATENCY
            assert z.get() == results[at], f"{values[at]:#x}: {z.get():#x}, expected {results[at]:#x}"


@cocotb.test()
@cocotb.parametrize(of_type=range(3))
async def passes(dut: Any, of_type: int) -> None:
    h = Harness(dut, dut.gen_scale)
    h.signal("of_type").set(of_type)
    h.signal("factor").set(0x40000000)
    await h.reset()
    values = h.values(WIDTH, 200)
    await check(h, values, [value & 0xFFFFFFFF for value in values])


@cocotb.test()
async def multiplies(dut: Any) -> None:
    h = Harness(dut, dut.gen_scale)
    h.signal("enable").set(1)
    await h.reset()
    some = [B32.random(h.rng) for _ in range(20)]
    # Among them a third; and powers of two that put the lowest bit of a smallest number below what is rounded.
    for factor in [*B32.corners(), 0x3EAAAAAB, 0x34800000, 0x34000000, 0x33800000, 0x33000000, *some]:
        h.signal("factor").set(factor)
        values = [*B32.corners(), *(B32.random(h.rng, h.rng.choice([factor, 0x7F000000 - factor])) for _ in range(40))]
        await check(h, values, [multiply(B32, value, factor)[0] for value in values])


@cocotb.test()
@cocotb.parametrize(of_type=(INT32, UINT32), divisor=range(1, 9))
async def divides(dut: Any, of_type: int, divisor: int) -> None:
    h = Harness(dut, dut.gen_scale)
    h.signal("enable").set(1)
    h.signal("of_type").set(of_type)
    h.signal("reciprocal").set(-(-(1 << SHIFT) // divisor))
    h.signal("factor").set(h.rng.getrandbits(32))
    await h.reset()
    low, high = (-(1 << WIDTH - 1), (1 << WIDTH - 1) - 1) if of_type == INT32 else (0, (1 << WIDTH) - 1)
    numbers = [low, low + 1, low + divisor, -1 if low else 0, 0, 1, divisor - 1, divisor, high - 1, high]
    numbers += [h.rng.randint(low, high) // divisor * divisor + h.rng.randrange(-1, 2) for _ in range(300)]
    numbers = [min(max(number, low), high) for number in numbers]
    results = [(abs(number) // divisor * (-1 if number < 0 else 1)) & 0xFFFFFFFF for number in numbers]
    await check(h, [number & (1 << WIDTH) - 1 for number in numbers], results)
