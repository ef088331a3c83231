# SPDX-License-Identifier: Apache-2.0
"""Covers: nodes before, in and behind the target's box on each axis, just far and just not, at random scales and at
corners of fp32 (infinities and NaN among them), a node an enabled cycle with others in between, against the same
steps in exact arithmetic, each rounded; pipes of 24 and 27 cycles.

Leaves out: a target that changes while nodes are in the pipe (excluded by contract).
"""

from __future__ import annotations

import random
import struct
from typing import Any

import cocotb

from polyloom.rtl.testing import Harness, Struct, bench
from polyloom.rtl.testing.exact import B32, add, multiply, order

test = bench(__file__, "let_tb")
TARGET = Struct.of("polyloom_operator_pkg::let_target_t")
GUARD = 0x3F800008  # 1 + 2**-20
Vector = tuple[int, int, int]


def bits(number: float) -> int:
    """The nearest fp32."""
    return int(struct.unpack("<I", struct.pack("<f", number))[0])


def is_far(position: Vector, q: int, low: Vector, high: Vector, radius: int, kappa: int) -> bool:
    """(kappa * q + radius)**2 * guard < distance**2, rounded at each step."""
    squares = []
    for x, at_least, at_most in zip(position, low, high, strict=True):
        nearest = at_least if order(B32, x, at_least)[0] else at_most if order(B32, at_most, x)[0] else x
        d = add(B32, x, nearest if B32.is_nan(nearest) else nearest ^ B32.sign)[0]
        squares.append(multiply(B32, d, d)[0])
    distance = add(B32, add(B32, squares[0], squares[1])[0], squares[2])[0]
    t = add(B32, multiply(B32, kappa, q)[0], radius)[0]
    reach = multiply(B32, multiply(B32, t, t)[0], GUARD)[0]
    return order(B32, reach, distance)[0]


def vector(rng: random.Random, spread: float) -> Vector:
    """Three coordinates."""
    x, y, z = (bits(rng.gauss(0, spread)) for _ in range(3))
    return x, y, z


def packed(v: Vector) -> int:
    """As the RTL has it, x lowest."""
    return v[0] | v[1] << 32 | v[2] << 64


@cocotb.test()
@cocotb.parametrize(which=range(2))
async def says_what_is_far(dut: Any, which: int) -> None:
    h = Harness(dut, dut.gen_geometry[which])
    latency = 24 + 3 * which
    en, target, position, q_in, far = (h.signal(name) for name in ("en", "target", "position", "q", "far"))
    await h.reset()
    seen = {False: 0, True: 0}
    for _ in range(25):
        scale = 2.0 ** h.rng.randint(-20, 20)
        a, b = (vector(h.rng, scale) for _ in range(2))
        pairs = [
            sorted(pair, key=lambda x: struct.unpack("<f", struct.pack("<I", x))[0]) for pair in zip(a, b, strict=True)
        ]
        low, high = ((pairs[0][i], pairs[1][i], pairs[2][i]) for i in range(2))
        radius, kappa = bits(abs(h.rng.gauss(0, scale)) * h.rng.choice([0, 1])), bits(abs(h.rng.gauss(0, 1)))
        target.set(TARGET.pack(radius=radius, kappa=kappa, high=packed(high), low=packed(low)))
        sent: list[bool] = []
        history: list[Vector] = [(0, 0, 0)] * 3
        for n in range(30 + latency):
            while h.rng.random() < 0.2:
                en.set(0)
                q_in.set(h.rng.getrandbits(32))
                await h.step()
            place, q = vector(h.rng, 2 * scale), bits(abs(h.rng.gauss(0, 2 * scale)))
            if h.rng.random() < 0.1:
                corner = h.rng.choice(B32.corners())
                place, q = (corner, place[1], place[2]), h.rng.choice([q, corner])
            if n < 30:
                sent.append(is_far(place, q, low, high, radius, kappa))
            history = [place, *history[:2]]
            en.set(1)
            position.set(sum(packed(v) << 96 * k for k, v in enumerate(history)))
            q_in.set(q)
            await h.step()
            if latency <= n + 1 < 30 + latency:
                expected = sent[n + 1 - latency]
                assert bool(far.get()) == expected, f"node {n + 1 - latency}"
                seen[expected] += 1
    assert min(seen.values()) > 100
