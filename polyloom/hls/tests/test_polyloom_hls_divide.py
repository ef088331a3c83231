# SPDX-License-Identifier: Apache-2.0
"""Covers: quotient and remainder of 2, 13 and 64 bits, signed and not, of corners (least by -1 among them) and at
random, with cycles in between that are not enabled; results in exactly the stated cycle and standing until the next
division; a start that breaks off a division.

Leaves out: a divisor of zero (undefined).
"""

from __future__ import annotations

from typing import Any

import cocotb

from polyloom.rtl.testing import Harness, bench

test = bench(__file__, "hls_tb")
WIDTHS = (2, 13, 64)


def expected(a: int, b: int, signed: bool, width: int) -> tuple[int, int]:
    """As C has it, towards zero."""
    mask, sign = (1 << width) - 1, 1 << width - 1
    if signed:
        a, b = (a ^ sign) - sign, (b ^ sign) - sign
    quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return quotient & mask, (a - quotient * b) & mask


@cocotb.test()
@cocotb.parametrize(which=range(3))
async def divides(dut: Any, which: int) -> None:
    h = Harness(dut, dut.gen_divide[which])
    width = WIDTHS[which]
    en, start, signed, a, b, quotient, remainder = (
        h.signal(name) for name in ("en", "start", "is_signed", "a", "b", "quotient", "remainder")
    )

    async def enabled_cycle(begin: bool, operands: tuple[int, int, int]) -> None:
        while h.rng.random() < 0.3:  # nothing happens, whatever is asked
            en.set(0)
            start.set(h.rng.getrandbits(1))
            await h.step()
        en.set(1)
        start.set(int(begin))
        for port, value in zip((a, b, signed), operands, strict=True):
            port.set(value if begin else h.rng.getrandbits(port.width))
        await h.step()

    await h.reset()
    top = (1 << width) - 1
    corners = sorted({0, 1, 2, top, top - 1, 1 << width - 1, (1 << width - 1) - 1})
    cases = [(x, y, s) for x in corners for y in corners if y for s in (0, 1)]
    for _ in range(60):
        x = h.rng.getrandbits(width)
        cases.append((x, max(1, h.rng.getrandbits(width) >> h.rng.randrange(width)), h.rng.getrandbits(1)))
    for n, case in enumerate(cases):
        if n % 16 == 5:  # broken off
            await enabled_cycle(True, (top, 1, 0))
            for _ in range(h.rng.randrange(width)):
                await enabled_cycle(False, case)
        await enabled_cycle(True, case)
        for _ in range(width + 1):
            await enabled_cycle(False, case)
        want = expected(case[0], case[1], bool(case[2]), width)
        assert (quotient.get(), remainder.get()) == want, f"{case}"
        if n % 8 == 0:
            for _ in range(3):
                await enabled_cycle(False, case)
                assert (quotient.get(), remainder.get()) == want, f"{case}: does not stand"
