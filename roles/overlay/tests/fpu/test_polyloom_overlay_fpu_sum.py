# SPDX-License-Identifier: Apache-2.0
"""Covers: sums and differences of a product and an addend at every distance, with hard cancellation, results that are
nothing, subnormal and beyond the greatest, conversions from and to integers, products of integers: what is kept, the
bits below it and the sign against exact numbers; what is carried beside; one a cycle with gaps, the latency.

Leaves out: an addend that is greater than the product and falls below the sum (no operands give it); rounding
(test_polyloom_overlay_fpu_round.py).
"""

from __future__ import annotations

import random
from fractions import Fraction
from math import floor
from typing import Any

import cocotb
from fpu_operations import BESIDE, a_word

from polyloom.rtl.testing import Harness, Stall, Struct, bench, signed
from polyloom.rtl.testing.every_cycle import EveryCycle
from polyloom.rtl.testing.exact import B32

test = bench(__file__, "fpu_tb")
NORMAL = Struct.of("polyloom_overlay_fpu_pkg::normal_t")
LEAST = Fraction(2) ** -126
Case = dict[str, int]  # x, y, addend, shift and members of beside


def mantissa(rng: random.Random, subnormal: bool = False) -> int:
    """24 bits, often few ones, of a normal number or a subnormal one."""
    bits = rng.getrandbits(24)
    if rng.random() < 0.5:
        bits = bits >> rng.randrange(24) << rng.randrange(24) & 0xFFFFFF
    return max(1, (bits & 0x7FFFFF) >> rng.randrange(23)) if subnormal else bits | 0x800000


def a_sum(rng: random.Random) -> Case:
    """Of numbers."""
    shift = rng.choice([0, rng.randrange(77), rng.randrange(22, 32), rng.randrange(128)])
    small, no_product = rng.random() < 0.2, rng.random() < 0.05
    x = 0 if no_product else mantissa(rng, small)
    y = mantissa(rng, small and shift == 0 and rng.random() < 0.5)
    addend = 0 if rng.random() < 0.1 else mantissa(rng, rng.random() < 0.1)
    if no_product:
        shift = 0
    elif rng.random() < 0.3 and x * y >= 1 << 24:  # the addend next to the product: nearly all goes
        product = x * y * 4
        shift = 76 - product.bit_length()
        addend = min((1 << 24) - 1, max(0, (product << 24 >> 76 - shift) + rng.choice([0, 0, -1, 1])))
    # An addend that was moved has an exponent of at least 1, this much less.
    top = max(
        shift + 1 if shift > 0 else 1, rng.choice([rng.randrange(409), rng.randrange(80), rng.randrange(250, 330)])
    )
    return {"x": x, "y": y, "addend": addend, "shift": shift, "top": top, "subtract": rng.getrandbits(1)}


def from_integer(rng: random.Random) -> Case:
    """The integer times one or minus one; bit 2 is worth one."""
    word = a_word(rng)
    number = signed(word) if rng.random() < 0.5 else word
    return {"x": number, "y": -1 if number < 0 else 1, "top": 200, "shift": rng.randrange(128)}


def to_integer(rng: random.Random) -> Case:
    """No product: bit 44 is worth one."""
    shift = rng.choice([rng.randrange(40), rng.randrange(128)])
    addend = mantissa(rng, shift > 100)
    return {"addend": addend, "shift": shift, "to_int": 1, "is_signed": rng.getrandbits(1), "top": rng.getrandbits(10)}


def of_integers(rng: random.Random) -> Case:
    """A word of their product, each signed or not."""
    x, y = (signed(word) if rng.random() < 0.5 else word for word in (a_word(rng), a_word(rng)))
    return {"x": x, "y": y, "multiplies_int": 1, "known": 1, "high": rng.getrandbits(1), "addend": mantissa(rng)}


def known_before(rng: random.Random) -> Case:
    """A word that passes."""
    return {**a_sum(rng), "known": 1, "word": rng.getrandbits(32), "flags": rng.getrandbits(5)}


def check_below(got: dict[str, int], rest: Fraction, exactly: bool = True) -> None:
    """Bits below what is kept, in its units. The one below the half counts by itself in subnormal numbers only."""
    assert got["half"] == int(rest >= Fraction(1, 2))
    rest -= Fraction(got["half"], 2)
    if not exactly:
        assert (got["next"] | got["rest"] | got["sticky"] != 0) == (rest != 0)
        return
    assert got["next"] == int(rest >= Fraction(1, 4))
    rest -= Fraction(got["next"], 4)
    assert (got["rest"] | got["sticky"] != 0) == (rest != 0)


def check_normal(case: Case, got: dict[str, int]) -> None:
    """What is kept of a sum, and what lies below."""
    product = case.get("x", 0) * case.get("y", 0) * 4
    moved = Fraction(case.get("addend", 0)) * Fraction(2) ** (52 - case["shift"])
    total = product - moved if case.get("subtract") else product + moved
    if total != 0:
        assert got["sign"] == case["sign"] ^ int(total < 0)
    elif not case.get("subtract"):
        assert got["sign"] == case["sign"]
    if case.get("to_int"):
        number = abs(total) / (1 << 44)
        assert not got["beyond"]
        assert got["keep"] == floor(number)
        check_below(got, number - floor(number))
        return
    number = abs(total) * Fraction(2) ** (case["top"] - 127 - 75)
    assert got["beyond"] == int(number >= Fraction(2) ** 128)
    if got["beyond"]:
        return
    exponent = 0
    if number >= LEAST:
        exponent = number.numerator.bit_length() - number.denominator.bit_length() + 126
        exponent += int(number >= Fraction(2) ** (exponent - 126))
    steps = number / (LEAST / (1 << 23) * Fraction(2) ** max(exponent - 1, 0))
    # The leading one of a normal number adds itself to the exponent's field.
    assert got["keep"] == (max(exponent - 1, 0) << 23) + floor(steps), f"{got}, expected {floor(steps):#x} {exponent}"
    assert got["keep"] < B32.inf
    check_below(got, steps - floor(steps), exactly=exponent == 0)


def check(case: Case, bits: int) -> None:
    """All of an output."""
    got = NORMAL.unpack(bits)
    beside = BESIDE.unpack(got["beside"])
    if case.get("multiplies_int"):
        assert beside["word"] == (case["x"] * case["y"] >> 32 * case["high"]) & 0xFFFFFFFF
    else:
        assert beside["word"] == case["word"]
    for name in ("owner", "rm", "multiplies_int", "to_int", "is_signed", "known", "flags", "subtract"):
        assert beside[name] == case.get(name, 0), name
    if not case.get("known"):
        check_normal(case, got)


@cocotb.test()
@cocotb.parametrize(kinds=((a_sum,), (a_sum, from_integer, to_integer, of_integers, known_before)))
async def sums(dut: Any, kinds: Any) -> None:
    h = Harness(dut, dut.gen_sum)
    valid, x, y, beside, addend, shift, normal = (
        h.signal(name) for name in ("valid", "x", "y", "beside", "addend", "shift", "normal")
    )
    stall = Stall(h.rng)
    stages: list[Case | None] = [None] * 5  # in front of stages 2 to 6
    seen = 0

    def drive() -> None:
        stages.insert(0, None if stall() else {"shift": 0, **h.rng.choice(kinds)(h.rng)})
        if (case := stages[0]) is not None:
            case |= {"owner": h.rng.getrandbits(6), "rm": h.rng.randrange(5), "sign": h.rng.getrandbits(1)}
            case.setdefault("word", h.rng.getrandbits(32))
        for signal, name in ((x, "x"), (y, "y")):
            signal.set(h.rng.getrandbits(33) if case is None else case.get(name, 0) & (1 << 33) - 1)
        valid.set(sum(1 << i for i in range(5) if stages[i] is not None))
        case = stages[1]
        members = {} if case is None else {name: case[name] for name, _ in BESIDE.members if name in case}
        beside.set(h.rng.getrandbits(beside.width) if case is None else BESIDE.pack(**members))
        addend.set(h.rng.getrandbits(24) if case is None else case.get("addend", 0))
        shift.set(h.rng.getrandbits(7) if case is None else case["shift"])

    def look(cycle: int) -> None:
        nonlocal seen
        if (case := stages.pop()) is not None:
            try:
                check(case, normal.get())
            except AssertionError as error:
                raise AssertionError(f"cycle {cycle}: {case}: {error}") from error
            seen += 1

    EveryCycle(h, drive, look)
    await h.reset()
    await h.until(lambda: seen >= 3000)
