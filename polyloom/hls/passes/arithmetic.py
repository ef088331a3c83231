# SPDX-License-Identifier: Apache-2.0
"""Cheaper forms of arithmetic with constants; all exact.

sdiv %x, 8                                  ->   shift with rounding towards zero
udiv %x, 10    (up to 32 bits)              ->   upper part of a product
urem %x, c                                  ->   %x - (%x / c) * c
mul %x, 10                                  ->   (%x << 3) + (%x << 1)
fptosi (fmul (sitofp %x), 0.25)             ->   sdiv %x, 4, where the float holds %x exactly
"""

from __future__ import annotations

from polyloom.hls.fold import Builder, mask, signed
from polyloom.hls.ir import Const, Function, Instr, Value, replace_all

_MOST_TERMS = 3  # shifted terms that stand for a product
_EXACT = {32: 24, 64: 53}  # bits of an integer that a float of so many bits holds


def simplify_arithmetic(function: Function) -> None:
    """Rewrite what has a cheaper form."""
    mapping: dict[Value, Value] = {}
    for block in function.blocks:
        out: list[Instr] = []
        for instr in block.instrs:
            instr.args = [mapping.get(a, a) for a in instr.args]
            build = Builder(function, out, instr.where, instr.name or "t")
            value = _cheaper(build, instr)
            if value is None:
                out.append(instr)
            else:
                mapping[instr] = value
        block.instrs = out
    replace_all(function, mapping)


def _cheaper(build: Builder, instr: Instr) -> Value | None:
    if instr.op in {"fptosi", "fptoui"}:
        return _scaled(build, instr)
    if len(instr.args) != 2 or not isinstance(instr.args[1], Const):
        return None
    x, number = instr.args[0], instr.args[1].value
    if instr.op == "mul":
        return multiply(build, x, number, _MOST_TERMS)
    if instr.op in {"udiv", "sdiv", "urem", "srem"} and number:
        sign = instr.op[0] == "s"
        quotient = _divide(build, x, signed(number, x.width) if sign else number, sign)
        if quotient is None or instr.op.endswith("div"):
            return quotient
        product = multiply(build, quotient, number, 99)
        assert product is not None
        return build.op("sub", x.width, x, product)
    return None


def digits(number: int, width: int) -> list[tuple[int, int]]:
    """(exponent, sign) of the signed-digit form with the fewest digits."""
    result = []
    number, at = signed(number, width), 0
    while number:
        if number & 1:
            sign = 2 - (number & 3)
            result.append((at, sign))
            number -= sign
        number >>= 1
        at += 1
    return result


def multiply(build: Builder, x: Value, number: int, most: int) -> Value | None:
    """Product with a constant by shifts, if it has at most so many terms."""
    terms = digits(number, x.width)
    if len(terms) > most:
        return build.op("mul", x.width, x, build.const(x.width, number)) if most > _MOST_TERMS else None
    terms.sort(key=lambda t: -t[1])
    result: Value = build.const(x.width, 0)
    for at, sign in terms:
        shifted = build.op("shl", x.width, x, build.const(x.width, at))
        result = build.op("add" if sign > 0 else "sub", x.width, result, shifted)
    return result


def _divide(build: Builder, x: Value, divisor: int, sign: bool) -> Value | None:
    width = x.width
    if not sign:
        if divisor & (divisor - 1) == 0:
            return build.op("lshr", width, x, build.const(width, divisor.bit_length() - 1))
        return _divide_unsigned(build, x, divisor) if width <= 32 else None
    size = abs(divisor)
    negative = build.op("ashr", width, x, build.const(width, width - 1))
    if size == 1 << (width - 1):
        return None
    if size & (size - 1) == 0:
        shift = size.bit_length() - 1
        bias = build.op("lshr", width, negative, build.const(width, width - shift)) if shift else build.const(width, 0)
        quotient = build.op("ashr", width, build.op("add", width, x, bias), build.const(width, shift))
    elif width <= 32:
        absolute = build.op("sub", width, build.op("xor", width, x, negative), negative)
        unsigned = _divide_unsigned(build, absolute, size)
        quotient = build.op("sub", width, build.op("xor", width, unsigned, negative), negative)
    else:
        return None
    return build.op("sub", width, build.const(width, 0), quotient) if divisor < 0 else quotient


def _divide_unsigned(build: Builder, x: Value, divisor: int) -> Value:
    """x / d = (x * ceil(2^p / d)) >> p, where p is large enough for every x."""
    width = x.width
    shift = (divisor & -divisor).bit_length() - 1
    bits, odd = width - shift, divisor >> shift
    x = build.op("lshr", width, x, build.const(width, shift))
    power = bits
    while True:
        factor = -(-(1 << power) // odd)
        if (factor * odd - (1 << power)) * (1 << bits) <= 1 << power:
            break
        power += 1
    wide = max(bits + factor.bit_length(), width)
    product = build.op("mul", wide, build.resize(x, wide), build.const(wide, factor))
    return build.resize(build.op("lshr", wide, product, build.const(wide, power)), width)


def _scaled(build: Builder, instr: Instr) -> Value | None:
    product = instr.args[0]
    if not isinstance(product, Instr) or product.op != "fmul" or not isinstance(product.args[1], Const):
        return None
    source, factor = product.args
    assert isinstance(factor, Const)
    if (
        not isinstance(source, Instr)
        or source.op not in {"sitofp", "uitofp"}
        or source.args[0].width > _EXACT[source.width]
    ):
        return None
    if (source.op, instr.op) not in {("sitofp", "fptosi"), ("uitofp", "fptoui"), ("uitofp", "fptosi")}:
        return None
    fraction, bias = (23, 127) if source.width == 32 else (52, 1023)
    shift = bias - (factor.value >> fraction)
    if factor.value & mask(fraction) or factor.value >> (source.width - 1) or not 0 < shift < source.args[0].width - 1:
        return None
    x = source.args[0]
    sign = source.op == "sitofp"
    quotient = _divide(build, x, 1 << shift, sign)
    assert quotient is not None
    return build.resize(quotient, instr.width, sign=sign)
