# SPDX-License-Identifier: Apache-2.0
"""Covers: what factors, addend and their distance mean, as exact numbers, against what each operation adds and
multiplies; results that are known before, and that all others are not; corners and random operands of every
operation of the pipeline, one a cycle with gaps; the cycles of factors and addend.

Leaves out: the sum itself (test_polyloom_overlay_fpu_sum.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import cocotb
from fpu_operations import BESIDE, MULTIPLIES, OPERATION, OPS, PIPED, an_operation, execute

from polyloom.rtl.testing import Harness, Stall, bench, signed
from polyloom.rtl.testing.every_cycle import EveryCycle
from polyloom.rtl.testing.exact import B32

test = bench(__file__, "fpu_tb")
COMPARES = ("min", "max", "eq", "lt", "le", "class")
ONE = 127 << 23


@dataclass
class Meaning:
    """A product and an addend, each a sign and a magnitude."""

    product_sign: int
    product: Fraction
    addend_sign: int
    addend: Fraction


def meaning(fields: dict[str, int]) -> Meaning | None:
    """Which sum an operation is; None if it is none, or not of finite numbers."""
    name, a, b, c = OPS[fields["op"]], fields["a"], fields["b"], fields["c"]
    if name in MULTIPLIES or name in COMPARES:
        return None
    if name.startswith("from_"):
        number = signed(a) if name == "from_int" else a
        sign = int(number < 0)
        return Meaning(sign, Fraction(abs(number)), sign, Fraction(0))
    if name.startswith("to_"):
        return None if B32.is_nan(a) or B32.is_inf(a) else Meaning(a >> 31, Fraction(0), a >> 31, abs(B32.value(a)))
    if name in {"add", "sub"}:
        b, c = ONE, b
    used = [a, b] if name == "fmul" else [a, b, c]
    if any(B32.is_nan(x) or B32.is_inf(x) for x in used):
        return None
    product_sign = (a ^ b) >> 31 ^ (name in {"nmsub", "nmadd"})
    product = abs(B32.value(a) * B32.value(b))
    if name == "fmul":
        return Meaning(product_sign, product, product_sign, Fraction(0))
    return Meaning(product_sign, product, c >> 31 ^ (name in {"sub", "msub", "nmadd"}), abs(B32.value(c)))


def check_product(x: int, y: int, known: dict[str, int], fields: dict[str, int]) -> None:
    """Of integers."""
    name = OPS[fields["op"]]
    a = signed(fields["a"]) if name in {"mulh", "mulhsu"} else fields["a"]
    b = signed(fields["b"]) if name == "mulh" else fields["b"]
    assert x * y == a * b
    assert known["multiplies_int"]
    assert known["known"]
    assert known["flags"] == 0
    assert known["high"] == int(name != "mul")


def check_sum(m: Meaning, x: int, y: int, beside: dict[str, int], addend: int, shift: int) -> None:
    """Units of the window's lowest bit. What lies wholly below all that is kept need not lie where it belongs."""
    is_int = beside["to_int"]
    top = signed(beside["top"], 10)
    unit = Fraction(2) ** (-44 if is_int else top - 127 - 75)
    assert is_int or top >= 1, "above the sums of subnormal numbers"
    product, moved = x * y * 4, Fraction(addend) * Fraction(2) ** (52 - shift)
    true_product, true_addend = m.product / unit, m.addend / unit
    assert (product == 0) == (true_product == 0)
    assert (moved == 0) == (true_addend == 0)
    assert 0 <= product < 1 << 50
    if shift >= 76:
        assert true_addend < 1, f"the addend is {float(true_addend)} units, and moved out"
    else:
        assert moved == true_addend, f"the addend is {float(moved)} units, should be {float(true_addend)}"
    if shift > 0:
        assert product == true_product, f"the product is {product} units, should be {float(true_product)}"
    else:
        assert product >= true_product, "a product may be less than it looks, if it is below what is rounded"
    assert beside["sign"] == m.product_sign
    assert beside["subtract"] == m.product_sign ^ m.addend_sign


def check_beside(fields: dict[str, int], x: int, y: int, bits: int, addend: int, shift: int) -> None:
    """All that is known of an operation behind stage 2."""
    name, beside, m = OPS[fields["op"]], BESIDE.unpack(bits), meaning(fields)
    assert (beside["owner"], beside["rm"]) == (fields["owner"], fields["rm"])
    assert beside["multiplies_int"] == int(name in MULTIPLIES)
    if name in MULTIPLIES:
        check_product(x, y, beside, fields)
    elif m is None or (name.startswith("to_") and m.addend >= 1 << 32):
        assert beside["known"], "nothing that could be summed"
        want = execute(name, *(fields[n] for n in ("rm", "a", "b", "c")))
        assert (beside["word"], beside["flags"]) == want, f"{beside}, expected {want}"
    else:
        assert not beside["known"]
        assert beside["to_int"] == int(name.startswith("to_"))
        assert not beside["to_int"] or beside["is_signed"] == int(name == "to_int")
        check_sum(m, x, y, beside, addend, shift)


@cocotb.test()
async def prepares(dut: Any) -> None:
    h = Harness(dut, dut.gen_prepare)
    names = ("valid", "operation", "x", "y", "beside", "addend", "shift")
    valid, operation, *outputs = (h.signal(name) for name in names)
    stall = Stall(h.rng)
    one: list[dict[str, int] | None] = [None]  # the operation behind stage 1, then behind stage 2
    two: list[tuple[dict[str, int], int, int] | None] = [None]
    seen = 0

    def drive() -> None:
        fields = None if stall() else {"owner": h.rng.getrandbits(6), **an_operation(h.rng, PIPED)}
        operation.set(h.rng.getrandbits(operation.width) if fields is None else OPERATION.pack(**fields))
        valid.set(int(fields is not None) | int(one[-1] is not None) << 1)
        one.append(fields)

    def check(cycle: int) -> None:
        nonlocal seen
        x, y, beside, addend, shift = (signal.get() for signal in outputs)
        fields = one.pop(0)
        two.append(None if fields is None else (fields, signed(x, 33), signed(y, 33)))
        if (done := two.pop(0)) is not None:
            try:
                check_beside(*done, beside, addend, shift)
            except AssertionError as error:
                raise AssertionError(f"cycle {cycle}: {OPS[done[0]['op']]} {done}: {error}") from error
            seen += 1

    EveryCycle(h, drive, check)
    await h.reset()
    await h.until(lambda: seen >= 6000)
