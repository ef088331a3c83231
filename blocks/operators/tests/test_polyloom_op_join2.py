# SPDX-License-Identifier: Apache-2.0
"""Covers: sum, minimum and maximum of fp32, int32 and uint32, in a pair every cycle: corners of fp32 with each other
and random numbers against exact arithmetic, integers of 33 and 35 bits; one side missing; the latency to the cycle.

Leaves out: a change of function while pairs are on their way (static by contract).
"""

from __future__ import annotations

import random
from typing import Any

import cocotb

from polyloom.rtl.testing import Harness, bench
from polyloom.rtl.testing.exact import B32, add, order

test = bench(__file__, "operators_tb")
LATENCY = 4
SUM, MIN, MAX, AVERAGE = range(4)
FP32, INT32, UINT32 = range(3)
Pair = tuple[int | None, int | None]


def expected(function: int, of_type: int, pair: Pair, width: int) -> int:
    """What a join gives."""
    a, b = pair
    if a is None or b is None:
        return next(x for x in pair if x is not None)
    if of_type == FP32:
        return add(B32, a, b)[0] if function in {SUM, AVERAGE} else _extreme(a, b, function == MIN)
    if function in {SUM, AVERAGE}:
        return (a + b) & (1 << width) - 1
    sign = 1 << width - 1
    return sorted((a, b), key=lambda x: (x ^ sign) - sign)[0 if function == MIN else 1]


def _extreme(a: int, b: int, least: bool) -> int:
    """minimumNumber and maximumNumber of IEEE 754-2019."""
    if B32.is_nan(a) or B32.is_nan(b):
        return B32.nan if B32.is_nan(a) and B32.is_nan(b) else b if B32.is_nan(a) else a
    less, equal, _ = order(B32, a, b)
    if equal:  # equal numbers differ at most in the sign of zero
        return a | b if least else a & b
    return a if less == least else b


def operands(rng: random.Random, of_type: int, width: int) -> list[Pair]:
    """Pairs of a type."""
    if of_type == FP32:
        pairs: list[Pair] = [(a, b) for a in B32.corners() for b in B32.corners()]
        for _ in range(1500):
            a = B32.random(rng)
            pairs.append((a, B32.random(rng, a)))
    else:
        # Sums of a tree, sign or zero extended: as many bits as do not overflow.
        low = -(1 << width - 2) if of_type == INT32 else 0
        ends = [low, low + 1, -1 & (1 << 31), 0, 1, (1 << width - 2) - 1]
        pairs = [(a, b) for a in ends for b in ends]
        pairs += [(rng.randint(low, 1 << width - 2), rng.randint(low, 1 << width - 2)) for _ in range(600)]
    pairs += [(x, None) if rng.random() < 0.5 else (None, x) for x, _ in rng.sample(pairs, 30)]
    mask = (1 << width) - 1
    return [(None if a is None else a & mask, None if b is None else b & mask) for a, b in pairs]


@cocotb.test()
@cocotb.parametrize(which=range(2), function=range(4), of_type=range(3))
async def joins(dut: Any, which: int, function: int, of_type: int) -> None:
    h = Harness(dut, dut.gen_join2[which])
    width = (35, 33)[which]
    h.signal("fn").set(function)
    h.signal("of_type").set(of_type)
    ports = [(h.signal(f"{side}_there"), h.signal(side)) for side in "ab"]
    z = h.signal("z")
    pairs = operands(h.rng, of_type, width)
    await h.reset()
    for n, pair in enumerate([*pairs, *[(0, 0)] * LATENCY]):
        for (there, data), value in zip(ports, pair, strict=True):
            there.set(int(value is not None))
            data.set(h.rng.getrandbits(width) if value is None else value)
        await h.step()
        if n + 1 >= LATENCY and n + 1 - LATENCY < len(pairs):
            was = pairs[n + 1 - LATENCY]
            want = expected(function, of_type, was, width)
            assert z.get() == want, f"{was}: {z.get():#x}, expected {want:#x}"
