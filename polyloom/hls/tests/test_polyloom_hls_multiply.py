# SPDX-License-Identifier: Apache-2.0
"""Covers: products of 1, 32 and 64 bits with 1, 2 and 4 registers, of corners and at random, a product in each enabled
cycle with others in between; latency to the cycle.

Leaves out: what synthesis makes of it.
"""

from __future__ import annotations

from typing import Any

import cocotb

from polyloom.rtl.testing import Harness, bench

test = bench(__file__, "hls_tb")
SHAPES = ((1, 1), (32, 2), (64, 4))


@cocotb.test()
@cocotb.parametrize(which=range(3))
async def multiplies(dut: Any, which: int) -> None:
    h = Harness(dut, dut.gen_multiply[which])
    width, latency = SHAPES[which]
    en, a, b, z = (h.signal(name) for name in ("en", "a", "b", "z"))
    await h.reset()
    top = (1 << width) - 1
    corners = [0, 1, top, top >> 1]
    pairs = [(x, y) for x in corners for y in corners] + [tuple(h.values(width, 2)) for _ in range(200)]
    products: list[int] = []
    for x, y in pairs:
        while h.rng.random() < 0.3:
            en.set(0)
            a.set(h.rng.getrandbits(width))
            await h.step()
        en.set(1)
        a.set(x)
        b.set(y)
        products.append(x * y & top)
        await h.step()
        if len(products) >= latency:
            assert z.get() == products[-latency]
