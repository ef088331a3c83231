# SPDX-License-Identifier: Apache-2.0
"""Covers: every rounding mode at every remainder (0, below, at and above a half), for numbers next to zero, to the
smallest normal and to the greatest one and at random, beyond the greatest, differences that leave nothing, signed
and unsigned integers next to their bounds, results that are known before; results and flags against exact
arithmetic, one a cycle with gaps; the latency to the cycle.

Leaves out: how the stages before come to what is rounded: overlay_fpu_rtl_test.cc.
"""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import cocotb

from polyloom.rtl.testing import Harness, Struct, bench
from polyloom.rtl.testing.every_cycle import EveryCycle
from polyloom.rtl.testing.exact import B32, INEXACT, INVALID, RDN, Result, rounded, steps_of

test = bench(__file__, "fpu_tb")
NORMAL = Struct(
    [
        *(("owner", 6), ("rm", 3), ("multiplies_int", 1), ("high", 1), ("to_int", 1), ("is_signed", 1), ("known", 1)),
        *(("word", 32), ("flags", 5), ("product_sign", 1), ("subtract", 1), ("top", 10)),
        *(("keep", 32), ("half", 1), ("next", 1), ("rest", 50), ("sticky", 1), ("beyond", 1), ("sign", 1)),
    ]
)
Case = tuple[dict[str, int], Result]


def below(rng: random.Random) -> tuple[dict[str, int], Fraction]:
    """What lies below the last bit that is kept, in its units."""
    half, following, more = rng.getrandbits(1), rng.getrandbits(1), rng.getrandbits(1)
    rest = rng.choice([0, 1, rng.getrandbits(50) | 1]) if more else 0
    sticky = int(more and (rest == 0 or rng.random() < 0.5))
    amount = Fraction(half, 2) + Fraction(following, 4) + Fraction(more, 8)
    return {"half": half, "next": following, "rest": rest, "sticky": sticky}, amount


def a_number(rng: random.Random) -> Case:
    """A floating-point result."""
    ends = [0, 1, 2, 0x7FFFFE, 0x7FFFFF, 0x800000, 0x800001, 0xFFFFFF, 0x1000000, 0x7F7FFFFE, 0x7F7FFFFF]
    keep = rng.choice(ends) if rng.random() < 0.5 else rng.randrange(B32.inf)
    fields, amount = below(rng)
    sign, mode, beyond = rng.getrandbits(1), rng.randrange(5), rng.random() < 0.05
    fields |= {"keep": keep, "sign": sign, "rm": mode, "beyond": int(beyond), "subtract": rng.getrandbits(1)}
    unit = Fraction(2) ** (max(keep >> 23, 1) - 1 - 149)
    magnitude = Fraction(2) ** 128 if beyond else B32.value(keep) + amount * unit
    if magnitude == 0:  # nothing is left: of a difference the mode says the sign
        return fields, (B32.sign * (mode == RDN if fields["subtract"] else sign), 0)
    return fields, rounded(B32, -magnitude if sign else magnitude, mode)


def an_integer(rng: random.Random) -> Case:
    """A conversion: 24 bits somewhere, and what lies below them if they are the lowest."""
    bounds = [0, 1, (1 << 31) - 128, 1 << 31, (1 << 31) + 256, (1 << 32) - 256, (1 << 23) - 1, (1 << 24) - 1]
    shift = rng.choice([0, 0, rng.randrange(9)])
    keep = rng.choice(bounds) if rng.random() < 0.5 else rng.getrandbits(24) >> rng.randrange(24) << shift
    fields, amount = below(rng) if keep < 1 << 24 else ({}, Fraction(0))
    sign, mode, signed = rng.getrandbits(1), rng.randrange(5), rng.getrandbits(1)
    fields |= {"keep": keep, "sign": sign, "rm": mode, "to_int": 1, "is_signed": signed, "subtract": rng.getrandbits(1)}
    steps, inexact = steps_of(keep + amount, Fraction(1), sign != 0, mode)
    integer = -steps if sign else steps
    least, most = (-(1 << 31), (1 << 31) - 1) if signed else (0, (1 << 32) - 1)
    if least <= integer <= most:
        return fields, (integer & 0xFFFFFFFF, INEXACT * inexact)
    return fields, ((least if sign else most) & 0xFFFFFFFF, INVALID)


def a_known_one(rng: random.Random) -> Case:
    """A result that passes."""
    word, flags = rng.getrandbits(32), rng.getrandbits(5)
    fields, _ = a_number(rng)
    return fields | {"known": 1, "word": word, "flags": flags, "to_int": 0}, (word, flags)


@cocotb.test()
@cocotb.parametrize(kind=(a_number, an_integer, a_known_one))
async def rounds(dut: Any, kind: Any) -> None:
    h = Harness(dut, dut.gen_round)
    names = ("valid", "normal", "owner", "word", "flags")
    valid, normal, owner, word, flags = (h.signal(name) for name in names)
    due: list[tuple[int, dict[str, int], Result] | None] = [None, None]
    seen = 0

    def drive() -> None:
        stage_8 = due[-1] is not None
        fields, result = kind(h.rng)
        if h.rng.random() < 0.8:
            tag = h.rng.getrandbits(6)
            due.append((tag, fields, result))
            normal.set(NORMAL.pack(**fields, owner=tag))
        else:
            due.append(None)
            normal.set(h.rng.getrandbits(normal.width))
        valid.set(int(due[-1] is not None) | stage_8 << 1)  # bit 0: stage 7

    def check(cycle: int) -> None:
        nonlocal seen
        if (done := due.pop(0)) is None:
            return
        tag, fields, result = done
        got = word.get(), flags.get()
        assert (owner.get(), *got) == (tag, *result), f"cycle {cycle}: {fields}: {got}, expected {result}"
        seen += 1

    EveryCycle(h, drive, check)
    await h.reset()
    await h.step(6000)
    assert seen > 4000
