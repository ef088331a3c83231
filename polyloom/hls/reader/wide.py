# SPDX-License-Identifier: Apache-2.0
"""Conversions between floating-point numbers and integers of more than 64 bits (``__int128``), for which there is no
unit: by those of 64 bits and shifts, rounded once, as IEEE 754 has it."""

from __future__ import annotations

from polyloom.hls.fold import Builder, mask
from polyloom.hls.ir import Value

#: Bits of the largest integer that a unit converts.
MOST = 64
_FRACTION = {32: 23, 64: 52}  # bits of a float's fraction, its last ones


def to_float(build: Builder, op: str, width: int, source: Value) -> Value:
    """``sitofp`` or ``uitofp``: a unit rounds the 64 bits from the first one on, the last of them set if any behind is;
    by how much they were shifted goes to the exponent."""
    full = source.width
    zero = build.const(full, 0)
    negative = build.op("icmp", 1, source, zero, attr="slt") if op == "sitofp" else build.const(1, 0)
    left = build.op("select", full, negative, build.op("sub", full, zero, source), source)
    exponent: Value = build.const(width, full - MOST)
    at = MOST
    while at:
        empty = build.op("icmp", 1, build.op("lshr", full, left, build.const(full, full - at)), zero, attr="eq")
        left = build.op("select", full, empty, build.op("shl", full, left, build.const(full, at)), left)
        less = build.op("select", width, empty, build.const(width, at), build.const(width, 0))
        exponent = build.op("sub", width, exponent, less)
        at //= 2
    first = build.op("trunc", MOST, build.op("lshr", full, left, build.const(full, full - MOST)))
    rest = build.op("trunc", full - MOST, left)
    sticky = build.op("icmp", 1, rest, build.const(rest.width, 0), attr="ne")
    number = build.op("uitofp", width, build.op("or", MOST, first, build.op("zext", MOST, sticky)))
    shift = build.const(width, _FRACTION[width])
    number = build.op("add", width, number, build.op("shl", width, exponent, shift))
    sign = build.op("shl", width, build.resize(negative, width), build.const(width, width - 1))
    number = build.op("or", width, number, sign)
    is_zero = build.op("icmp", 1, source, zero, attr="eq")
    return build.op("select", width, is_zero, build.const(width, 0), number)


def to_integer(build: Builder, op: str, full: int, source: Value) -> Value:
    """``fptosi`` or ``fptoui``: the fraction with its leading one, shifted by the exponent."""
    width, fraction = source.width, _FRACTION[source.width]
    bias = mask(width - fraction - 2)
    field = build.op("lshr", width, source, build.const(width, fraction))
    exponent = build.resize(build.op("and", width, field, build.const(width, 2 * bias + 1)), full)
    digits = build.op("and", width, source, build.const(width, mask(fraction)))
    digits = build.resize(build.op("or", width, digits, build.const(width, 1 << fraction)), full)
    point = build.const(full, bias + fraction)  # the exponent of a number whose last digit is a one
    larger = build.op("shl", full, digits, build.op("sub", full, exponent, point))
    smaller = build.op("lshr", full, digits, build.op("sub", full, point, exponent))
    is_small = build.op("icmp", 1, exponent, point, attr="ult")
    size = build.op("select", full, is_small, smaller, larger)
    if op == "fptoui":
        return size
    negative = build.op("icmp", 1, source, build.const(width, 0), attr="slt")
    return build.op("select", full, negative, build.op("sub", full, build.const(full, 0), size), size)
