# SPDX-License-Identifier: Apache-2.0
"""IEEE 754 arithmetic from exact rational numbers: the reference for units that compute with floating point.

Input: operands as bit patterns. Output: (bit pattern, RISC-V flags). A NaN that is made is the canonical one. Nothing
here knows how hardware computes: a result is the exact number, rounded once.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from math import isqrt

RNE, RTZ, RDN, RUP, RMM = range(5)
INVALID, DIVIDE_BY_ZERO, OVERFLOW, UNDERFLOW, INEXACT = 16, 8, 4, 2, 1
Result = tuple[int, int]


@dataclass(frozen=True)
class Format:
    """A binary format: stored bits of the significand, and of the exponent."""

    man: int
    exp: int

    @property
    def width(self) -> int:
        """Bits of a number."""
        return 1 + self.exp + self.man

    @cached_property
    def least(self) -> int:
        """Exponent of the smallest normal number."""
        return 2 - (1 << self.exp - 1)

    @cached_property
    def inf(self) -> int:
        """Plus infinity; the greatest finite number is one less."""
        return (1 << self.exp) - 1 << self.man

    @property
    def nan(self) -> int:
        """The canonical NaN."""
        return self.inf | 1 << self.man - 1

    @cached_property
    def sign(self) -> int:
        """The sign bit."""
        return 1 << self.width - 1

    def is_nan(self, x: int) -> bool:
        """Any NaN."""
        return x & (self.sign - 1) > self.inf

    def is_signalling(self, x: int) -> bool:
        """A NaN that raises invalid."""
        return self.is_nan(x) and not x >> self.man - 1 & 1

    def is_inf(self, x: int) -> bool:
        """Infinity of either sign."""
        return x & (self.sign - 1) == self.inf

    def value(self, x: int) -> Fraction:
        """Of a finite number."""
        field, fraction = x >> self.man & (1 << self.exp) - 1, x & (1 << self.man) - 1
        if field:
            fraction |= 1 << self.man
        return (-fraction if x & self.sign else fraction) * power(max(field, 1) - 1 + self.least - self.man)

    def corners(self) -> list[int]:
        """Zeros, ones, both ends of each range, infinities and NaN, of both signs."""
        one = ((1 << self.exp - 1) - 1) << self.man
        normal = 1 << self.man
        some = [0, 1, 2, normal - 1, normal, normal + 1, one - 1, one, one + 1, one + normal, one | normal >> 1]
        some += [self.inf - 1, self.inf, self.inf | 1, self.nan, self.sign - 1, one + (self.man + 1 << self.man)]
        return [x | s for x in some for s in (0, self.sign)]

    def random(self, rng: random.Random, near: int | None = None) -> int:
        """A number: of any exponent, a usual one, or one near that of ``near``; often few ones in its fraction."""
        bias = (1 << self.exp - 1) - 1
        field = rng.choice([rng.randrange(1 << self.exp), bias + rng.randrange(-8, 9), rng.choice([0, 1])])
        if near is not None and rng.random() < 0.6:
            field = (near >> self.man & (1 << self.exp) - 1) + rng.randrange(-self.man - 3, self.man + 4)
            field = min(max(field, 0), (1 << self.exp) - 1)
        fraction = rng.getrandbits(self.man)
        if rng.random() < 0.5:
            fraction = fraction >> rng.randrange(self.man) << rng.randrange(self.man)
        return rng.choice([0, self.sign]) | field << self.man | fraction & (1 << self.man) - 1


@cache
def power(exponent: int) -> Fraction:
    """Of 2."""
    return Fraction(1 << exponent) if exponent >= 0 else Fraction(1, 1 << -exponent)


B32, B64 = Format(23, 8), Format(52, 11)


def steps_of(magnitude: Fraction, quantum: Fraction, negative: bool, mode: int) -> tuple[int, bool]:
    """The magnitude in steps of the quantum, rounded; whether that is inexact."""
    unit = quantum.numerator * magnitude.denominator  # integers: of fractions this takes several times as long
    steps, rest = divmod(magnitude.numerator * quantum.denominator, unit)
    half = rest * 2 - unit
    up = {
        RNE: half > 0 or (half == 0 and steps % 2 == 1),
        RTZ: False,
        RDN: negative and rest > 0,
        RUP: not negative and rest > 0,
        RMM: half >= 0,
    }[mode]
    return steps + int(up), rest > 0


def _log2(magnitude: Fraction) -> int:
    """The exponent e with 2**e <= magnitude < 2**(e+1)."""
    e = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    return e if magnitude >= power(e) else e - 1


def rounded(fmt: Format, number: Fraction, mode: int = RNE, negative_zero: bool = False) -> Result:
    """A number in the format. Underflow: tiny after rounding, and inexact."""
    negative = number < 0 or (number == 0 and negative_zero)
    sign = fmt.sign if negative else 0
    if number == 0:
        return sign, 0
    magnitude = abs(number)
    exponent = _log2(magnitude)
    quantum = power(max(exponent, fmt.least) - fmt.man)
    steps, inexact = steps_of(magnitude, quantum, negative, mode)
    if steps * quantum >= power(1 - fmt.least + 1):
        away = mode in {RNE, RMM} or mode == (RDN if negative else RUP)
        return sign | (fmt.inf if away else fmt.inf - 1), OVERFLOW | INEXACT
    unbounded = power(exponent - fmt.man)
    tiny = steps_of(magnitude, unbounded, negative, mode)[0] * unbounded < power(fmt.least)
    flags = INEXACT * inexact | UNDERFLOW * (tiny and inexact)
    # The leading one of a normal number's steps adds itself to the exponent field.
    return sign | steps + ((max(exponent, fmt.least) - fmt.least) << fmt.man), flags


def _nan(fmt: Format, *operands: int) -> Result | None:
    if any(map(fmt.is_nan, operands)):
        return fmt.nan, INVALID * any(map(fmt.is_signalling, operands))
    return None


def add(fmt: Format, a: int, b: int, mode: int = RNE) -> Result:
    """The sum."""
    if (nan := _nan(fmt, a, b)) is not None:
        return nan
    if fmt.is_inf(a) or fmt.is_inf(b):
        if fmt.is_inf(a) and fmt.is_inf(b) and a != b:
            return fmt.nan, INVALID
        return (a if fmt.is_inf(a) else b), 0
    both = (a & b & fmt.sign) != 0
    negative_zero = both or (mode == RDN and ((a ^ b) & fmt.sign != 0 or fmt.value(a) != 0))
    return rounded(fmt, fmt.value(a) + fmt.value(b), mode, negative_zero)


def multiply(fmt: Format, a: int, b: int, mode: int = RNE) -> Result:
    """The product."""
    return fma(fmt, a, b, None, mode)


def fma(fmt: Format, a: int, b: int, c: int | None, mode: int = RNE) -> Result:
    """a * b + c, rounded once; without c the product."""
    sign = (a ^ b) & fmt.sign
    infinite, zero = fmt.is_inf(a) or fmt.is_inf(b), any(x & (fmt.sign - 1) == 0 for x in (a, b))
    operands = [a, b, *([c] if c is not None else [])]
    if infinite and zero:
        return fmt.nan, INVALID  # also with a quiet NaN as addend
    if (nan := _nan(fmt, *operands)) is not None:
        return nan
    if infinite:
        if c is not None and fmt.is_inf(c) and (c ^ sign) & fmt.sign:
            return fmt.nan, INVALID
        return sign | fmt.inf, 0
    if c is not None and fmt.is_inf(c):
        return c, 0
    number = fmt.value(a) * fmt.value(b)
    if c is None:
        return rounded(fmt, number, mode, sign != 0)
    if number == 0 and fmt.value(c) == 0:
        same = not (sign ^ c) & fmt.sign
        return (sign if same else fmt.sign * (mode == RDN)), 0
    return rounded(fmt, number + fmt.value(c), mode, mode == RDN)


def divide(fmt: Format, a: int, b: int, mode: int = RNE) -> Result:
    """The quotient."""
    if (nan := _nan(fmt, a, b)) is not None:
        return nan
    sign = (a ^ b) & fmt.sign
    zero_a, zero_b = a & (fmt.sign - 1) == 0, b & (fmt.sign - 1) == 0
    if (fmt.is_inf(a) and fmt.is_inf(b)) or (zero_a and zero_b):
        return fmt.nan, INVALID
    if fmt.is_inf(a):
        return sign | fmt.inf, 0
    if zero_b:
        return sign | fmt.inf, DIVIDE_BY_ZERO
    if fmt.is_inf(b):
        return sign, 0
    return rounded(fmt, fmt.value(a) / fmt.value(b), mode, sign != 0)


def root(fmt: Format, a: int, mode: int = RNE) -> Result:
    """The square root."""
    if (nan := _nan(fmt, a)) is not None:
        return nan
    if a & (fmt.sign - 1) == 0:
        return a, 0
    if a & fmt.sign:
        return fmt.nan, INVALID
    if fmt.is_inf(a):
        return a, 0
    # Many more bits than the format has; a root that does not end lies above what the integer root says.
    number, shift = fmt.value(a), 2 * (fmt.man + 8 - fmt.least)
    scaled = number * 4**shift
    assert scaled.denominator == 1
    floor = isqrt(scaled.numerator)
    exact = floor * floor == scaled.numerator
    return rounded(fmt, Fraction(2 * floor + int(not exact), 2 ** (shift + 1)), mode)


def order(fmt: Format, a: int, b: int) -> tuple[bool, bool, bool]:
    """(less, equal, unordered)."""
    if fmt.is_nan(a) or fmt.is_nan(b):
        return False, False, True

    def key(x: int) -> Fraction:
        if not fmt.is_inf(x):
            return fmt.value(x)
        return Fraction(-1 if x & fmt.sign else 1) * power(2 - fmt.least)

    return key(a) < key(b), key(a) == key(b), False


def from_integer(fmt: Format, number: int, mode: int = RNE) -> Result:
    """An integer as a number."""
    return rounded(fmt, Fraction(number), mode)


def to_integer(fmt: Format, a: int, bits: int, signed: bool, mode: int = RTZ) -> Result | None:
    """A number as an integer; None if there is none: NaN, or out of range."""
    if fmt.is_nan(a) or fmt.is_inf(a):
        return None
    number = fmt.value(a)
    steps, inexact = steps_of(abs(number), Fraction(1), number < 0, mode)
    integer = -steps if number < 0 else steps
    least, most = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    return (integer & (1 << bits) - 1, INEXACT * inexact) if least <= integer <= most else None


def resize(a: int, source: Format, target: Format, mode: int = RNE) -> Result:
    """A number of one format in another."""
    if source.is_nan(a):
        return target.nan, INVALID * source.is_signalling(a)
    sign = target.sign if a & source.sign else 0
    if source.is_inf(a):
        return sign | target.inf, 0
    return rounded(target, source.value(a), mode, sign != 0)
