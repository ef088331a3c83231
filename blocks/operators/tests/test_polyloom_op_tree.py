# SPDX-License-Identifier: Apache-2.0
"""Covers: every function of every type over 5 inputs, 2 and 1, random sets of them there, an element every cycle,
corners of fp32 and of integers, averages by random factors and divisors, against NumPy in the tree's order; the
latency to the cycle.

Leaves out: a change of function while elements are on their way (static by contract).
"""

from __future__ import annotations

from typing import Any

import cocotb
import numpy as np
from operator_units import FP32, joined, numbers

from polyloom.rtl.testing import Harness, bench

test = bench(__file__, "operators_tb")
INPUTS = (5, 2, 1)
LATENCY = tuple(4 * levels + 5 for levels in (3, 1, 0))
SHIFT = 41


@cocotb.test()
@cocotb.parametrize(which=range(3), function=range(4), of_type=range(3))
async def joins_in_order(dut: Any, which: int, function: int, of_type: int) -> None:
    h = Harness(dut, dut.gen_tree[which])
    inputs, latency = INPUTS[which], LATENCY[which]
    there_port, x_port, z = h.signal("there"), h.signal("x"), h.signal("z")
    h.signal("fn").set(function)
    h.signal("of_type").set(of_type)
    await h.reset()
    for _ in range(4):
        divisor = h.rng.choice([1, 2, 3, 5, 7, 8, h.rng.randint(1, 64)])
        factor = numbers(h.rng, FP32, 1)[0] if of_type == FP32 else divisor
        h.signal("factor").set(factor)
        h.signal("reciprocal").set(-(-(1 << SHIFT) // divisor))
        there = h.rng.randrange(1, 1 << inputs) if h.rng.random() < 0.7 else (1 << inputs) - 1
        count = 60
        elements = [numbers(h.rng, of_type, count) for _ in range(inputs)]
        sides = [np.array(e, np.uint32) if there >> i & 1 else None for i, e in enumerate(elements)]
        expected = joined(function, of_type, sides, factor)
        for n in range(count + latency):
            there_port.set(there if n < count else h.rng.randrange(1 << inputs))
            x_port.set(sum((e[n] if n < count else h.rng.getrandbits(32)) << 32 * i for i, e in enumerate(elements)))
            await h.step()
            at = n + 1 - latency
            if 0 <= at < count:
                operands = [hex(e[at]) for e in elements]
                assert z.get() == expected[at], f"{operands}, {there:#b}: {z.get():#x}, expected {expected[at]:#x}"
