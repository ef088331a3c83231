# SPDX-License-Identifier: Apache-2.0
"""Prints binary32 test vectors computed with exact rational arithmetic, independent of the C++ implementation.

Output: lines "op a b c rm result flags" (hex, rm decimal). Every operation of RV32F but the two plain moves.
Usage: python3 fp_vectors.py COUNT SEED    (COUNT vectors an operation, each in all five rounding modes)
"""

import math
import random
import sys
from fractions import Fraction

NX, UF, OF, DZ, NV = 1, 2, 4, 8, 16
RNE, RTZ, RDN, RUP, RMM = range(5)
NAN, INF = 0x7FC00000, 0x7F800000
SIGN = 0x80000000
TWO = Fraction(2)

Result = tuple[int, int]


def is_nan(a: int) -> bool:
    """Whether a pattern is a NaN."""
    return a & 0x7FFFFFFF > INF


def is_snan(a: int) -> bool:
    """Whether a pattern is a signalling NaN."""
    return is_nan(a) and not a & 0x400000


def is_inf(a: int) -> bool:
    """Whether a pattern is an infinity."""
    return a & 0x7FFFFFFF == INF


def negative(a: int) -> bool:
    """Whether the sign bit is set."""
    return bool(a & SIGN)


def value(a: int) -> Fraction:
    """The number that a finite pattern stands for."""
    field, fraction = a >> 23 & 0xFF, a & 0x7FFFFF
    magnitude = Fraction(fraction) * TWO**-149 if field == 0 else Fraction(fraction | 0x800000) * TWO ** (field - 150)
    return -magnitude if negative(a) else magnitude


def to_int(x: Fraction, rm: int) -> int:
    """Round to an integer."""
    low = math.floor(x)
    rest = x - low
    if rest == 0:
        return low
    if rm == RTZ:
        return low if x > 0 else low + 1
    if rm == RDN:
        return low
    if rm == RUP:
        return low + 1
    if rest != Fraction(1, 2):
        return low + (rest > Fraction(1, 2))
    if rm == RNE:
        return low + (low & 1)
    return low + (x > 0)


def floor_log2(x: Fraction) -> int:
    """Exponent of the greatest power of two not above x > 0."""
    e = x.numerator.bit_length() - x.denominator.bit_length()
    return e if TWO**e <= x else e - 1


def to_float(x: Fraction, rm: int, zero_sign: bool = False) -> Result:
    """Round a rational to binary32; an exact zero takes zero_sign."""
    if x == 0:
        return (SIGN if zero_sign else 0), 0
    sign = SIGN if x < 0 else 0
    unit = TWO ** (floor_log2(abs(x)) - 23)
    unbounded = abs(to_int(x / unit, rm)) * unit  # as if the exponent had no limits
    if unbounded >= TWO**128:
        to_infinity = rm in (RNE, RMM) or (rm == RDN and x < 0) or (rm == RUP and x > 0)
        return sign | (INF if to_infinity else INF - 1), OF | NX
    tiny = unbounded < TWO**-126
    unit = max(unit, TWO**-149)
    rounded = abs(to_int(x / unit, rm)) * unit
    inexact = rounded != abs(x)
    flags = (NX if inexact else 0) | (UF if inexact and tiny else 0)
    if rounded < TWO**-126:
        return sign | int(rounded / TWO**-149), flags
    e = floor_log2(rounded)
    return sign | e + 127 << 23 | int(rounded / TWO ** (e - 23)) - 0x800000, flags


def nan_result(*operands: int) -> Result | None:
    """Result of an operation with a NaN among its operands, or None."""
    if any(map(is_nan, operands)):
        return NAN, NV if any(map(is_snan, operands)) else 0
    return None


def zero_sum_sign(a_negative: bool, b_negative: bool, rm: int) -> bool:
    """Sign of a sum that is exactly zero."""
    return a_negative if a_negative == b_negative else rm == RDN


def fma(a: int, b: int, c: int, rm: int) -> Result:
    """a * b + c rounded once."""
    zero_inf = (is_inf(a) and b << 1 & 0xFFFFFFFF == 0) or (is_inf(b) and a << 1 & 0xFFFFFFFF == 0)
    if zero_inf:
        return NAN, NV
    if nan := nan_result(a, b, c):
        return nan
    sign = negative(a) != negative(b)
    if is_inf(a) or is_inf(b):
        if is_inf(c) and negative(c) != sign:
            return NAN, NV
        return (SIGN if sign else 0) | INF, 0
    if is_inf(c):
        return c, 0
    product = value(a) * value(b)
    # A zero sum of two non-zero terms has opposite signs, as zero_sum_sign() then assumes.
    return to_float(product + value(c), rm, zero_sum_sign(sign, negative(c), rm))


def add(a: int, b: int, rm: int) -> Result:
    """a + b."""
    if nan := nan_result(a, b):
        return nan
    if is_inf(a) or is_inf(b):
        return (NAN, NV) if is_inf(a) and is_inf(b) and a != b else (a if is_inf(a) else b, 0)
    return to_float(value(a) + value(b), rm, zero_sum_sign(negative(a), negative(b), rm))


def mul(a: int, b: int, rm: int) -> Result:
    """a * b."""
    if nan := nan_result(a, b):
        return nan
    sign = negative(a) != negative(b)
    if is_inf(a) or is_inf(b):
        zero = a & 0x7FFFFFFF == 0 or b & 0x7FFFFFFF == 0
        return (NAN, NV) if zero else ((SIGN if sign else 0) | INF, 0)
    return to_float(value(a) * value(b), rm, sign)


def div(a: int, b: int, rm: int) -> Result:
    """a / b."""
    if nan := nan_result(a, b):
        return nan
    sign = negative(a) != negative(b)
    signed = SIGN if sign else 0
    if is_inf(a):
        return (NAN, NV) if is_inf(b) else (signed | INF, 0)
    if is_inf(b):
        return signed, 0
    if value(b) == 0:
        return (NAN, NV) if value(a) == 0 else (signed | INF, DZ)
    return to_float(value(a) / value(b), rm, sign)


def sqrt(a: int, rm: int) -> Result:
    """Square root of a."""
    if nan := nan_result(a):
        return nan
    if a & 0x7FFFFFFF == 0:
        return a, 0
    if negative(a):
        return NAN, NV
    if is_inf(a):
        return a, 0
    scaled = value(a) * TWO**320  # an integer, and the root keeps far more bits than the result
    root = math.isqrt(int(scaled))
    exact = root * root == scaled
    return to_float((Fraction(root) if exact else Fraction(2 * root + 1, 2)) * TWO**-160, rm)


def convert(a: int, rm: int, low: int, high: int) -> Result:
    """Integer in [low, high] that a rounds to."""
    if is_nan(a) or is_inf(a):
        return (low if is_inf(a) and negative(a) else high) & 0xFFFFFFFF, NV
    rounded = to_int(value(a), rm)
    if rounded < low or rounded > high:
        return (low if rounded < low else high) & 0xFFFFFFFF, NV
    return rounded & 0xFFFFFFFF, 0 if rounded == value(a) else NX


def signed(a: int) -> int:
    """Two's complement value of a word."""
    return a - (1 << 32) if a & SIGN else a


OPERATIONS = {
    "fadd": lambda a, b, c, rm: add(a, b, rm),
    "fsub": lambda a, b, c, rm: add(a, b if is_nan(b) else b ^ SIGN, rm),
    "fmul": lambda a, b, c, rm: mul(a, b, rm),
    "fdiv": lambda a, b, c, rm: div(a, b, rm),
    "fsqrt": lambda a, b, c, rm: sqrt(a, rm),
    "fmadd": fma,
    "fmsub": lambda a, b, c, rm: fma(a, b, c ^ SIGN, rm),
    "fnmsub": lambda a, b, c, rm: fma(a ^ SIGN, b, c, rm),
    "fnmadd": lambda a, b, c, rm: fma(a ^ SIGN, b, c ^ SIGN, rm),
    "fcvt_w_s": lambda a, b, c, rm: convert(a, rm, -(1 << 31), (1 << 31) - 1),
    "fcvt_wu_s": lambda a, b, c, rm: convert(a, rm, 0, (1 << 32) - 1),
    "fcvt_s_w": lambda a, b, c, rm: to_float(Fraction(signed(a)), rm),
    "fcvt_s_wu": lambda a, b, c, rm: to_float(Fraction(a), rm),
}


def order_key(a: int) -> tuple[int, Fraction]:
    """Key by which numbers and infinities are ordered; zeros are equal."""
    if is_inf(a):
        return (-1 if negative(a) else 1), Fraction(0)
    return 0, value(a)


def choose(a: int, b: int, least: bool) -> Result:
    """minimumNumber or maximumNumber: a NaN loses against a number, -0 is below +0."""
    flags = NV if is_snan(a) or is_snan(b) else 0
    if is_nan(a) and is_nan(b):
        return NAN, flags
    if is_nan(a) or is_nan(b):
        return (b if is_nan(a) else a), flags
    x, y = order_key(a), order_key(b)
    below = x < y or (x == y and negative(a) and not negative(b))
    return (a if below == least else b), flags


def compare(name: str, a: int, b: int) -> Result:
    """feq, flt or fle; feq alone is quiet."""
    if is_nan(a) or is_nan(b):
        return 0, 0 if name == "feq" and not (is_snan(a) or is_snan(b)) else NV
    x, y = order_key(a), order_key(b)
    return int({"feq": x == y, "flt": x < y, "fle": x <= y}[name]), 0


def fclass(a: int) -> int:
    """The bit of the class of a."""
    if is_nan(a):
        return 1 << (8 if is_snan(a) else 9)
    size = a & ~SIGN
    kind = 0 if size == INF else 1 if size >= 0x00800000 else 2 if size else 3
    return 1 << (kind if negative(a) else 7 - kind)


def with_sign(a: int, sign: int) -> Result:
    """The magnitude of a with another's sign."""
    return a & ~SIGN | sign & SIGN, 0


#: Operations that round nothing.
UNROUNDED = {
    "fsgnj": lambda a, b: with_sign(a, b),
    "fsgnjn": lambda a, b: with_sign(a, b ^ SIGN),
    "fsgnjx": lambda a, b: with_sign(a, a ^ b),
    "fmin": lambda a, b: choose(a, b, True),
    "fmax": lambda a, b: choose(a, b, False),
    "feq": lambda a, b: compare("feq", a, b),
    "flt": lambda a, b: compare("flt", a, b),
    "fle": lambda a, b: compare("fle", a, b),
    "fclass": lambda a, b: (fclass(a), 0),
}


def operand(rng: random.Random) -> int:
    """Random bits, bent towards boundaries of the format, the range of integers, ties and exact results."""
    kind = rng.randrange(8)
    bits = rng.getrandbits(32)
    if kind == 0:
        edge = rng.choice([0, 0x00800000, INF, NAN, 0x3F800000, 0x4F000000, 0x4F800000, 0x7F000000, 0x4B000000])
        return (edge + rng.choice([0, 0, 1, -1, 2, -2])) & 0x7FFFFFFF | bits & SIGN
    if kind == 1:
        return bits & 0x807FFFFF | rng.randrange(0, 3) << 23
    if kind == 2:
        return bits & 0x807FFFFF | rng.randrange(250, 255) << 23
    if kind == 3:
        return bits & 0x80700000 | rng.randrange(100, 160) << 23
    if kind in (4, 5):
        return bits & 0x807FFFFF | rng.randrange(115, 160) << 23
    if kind == 6:
        return bits & 0x807FFFFF | rng.randrange(40, 80) << 23
    return bits


#: Magnitudes where a result begins to overflow, to be tiny, to vanish.
EDGES = (TWO**128 - TWO**103, TWO**128, TWO**-126, TWO**-126 - TWO**-151, TWO**-149, TWO**-150, 3 * TWO**-150)


def near(x: Fraction, rng: random.Random) -> int:
    """A number within two units of x."""
    bits = to_float(x, RNE)[0]
    return (bits + rng.randrange(-2, 3)) & ~SIGN | bits & SIGN


def operands(name: str, rng: random.Random) -> tuple[int, int, int]:
    """Operands of an operation: random ones, or such that its result lies at an edge of the format or cancels."""
    a, b, c = operand(rng), operand(rng), operand(rng)
    if name.startswith("fcvt_s"):
        a = rng.getrandbits(32) >> rng.randrange(32)
        return (-a & 0xFFFFFFFF if rng.random() < 0.5 else a), b, c
    kind = rng.randrange(6)
    if kind == 0:
        return a, a ^ rng.choice([0, SIGN]), c
    if kind > 3 or is_nan(a) or is_nan(b) or is_inf(a) or is_inf(b) or value(a) == 0:
        return a, b, c
    edge = rng.choice(EDGES) * rng.choice([1, -1])
    if name in ("fadd", "fsub"):
        b = near(edge - value(a), rng)
        return a, (b ^ SIGN if name == "fsub" else b), c
    if name == "fdiv":
        return a, near(value(a) / edge, rng), c
    if name == "fmul" or kind == 1:
        return a, near(edge / value(a), rng), c
    # An addend that leaves of the product an edge, or its last bits alone.
    product = value(a) * value(b)
    rest = (edge if kind == 2 else 0) - (-product if name in ("fmsub", "fnmsub") else product)
    return a, b, near(rest, rng)


def main() -> None:
    """Print the vectors."""
    count, seed = int(sys.argv[1]), int(sys.argv[2])
    for name in [*OPERATIONS, *UNROUNDED]:
        rng = random.Random(f"{seed} {name}")
        for _ in range(count):
            a, b, c = operands(name, rng)
            for rm in range(5):
                result, flags = OPERATIONS[name](a, b, c, rm) if name in OPERATIONS else UNROUNDED[name](a, b)
                print(f"{name} {a:x} {b:x} {c:x} {rm} {result:x} {flags:x}")


if __name__ == "__main__":
    main()
