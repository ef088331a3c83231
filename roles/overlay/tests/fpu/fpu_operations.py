# SPDX-License-Identifier: Apache-2.0
"""Operations of the FPU for the tests of its parts: structs, what every one gives, random and special ones.

Results come from exact arithmetic and from RISC-V's unprivileged specification, not from the RTL.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from polyloom.rtl.testing import Struct, exact, signed
from polyloom.rtl.testing.exact import B32, INVALID, Result

OPS = (
    *("mul", "mulh", "mulhsu", "mulhu", "div", "divu", "rem", "remu", "add", "sub", "fmul", "fdiv", "fsqrt"),
    *("madd", "msub", "nmsub", "nmadd", "min", "max", "eq", "lt", "le", "class"),
    *("to_int", "to_uint", "from_int", "from_uint"),
)
CODE = {name: code for code, name in enumerate(OPS)}
MULTIPLIES, DIVIDES = OPS[:4], OPS[4:8]
DIVIDERS = (*DIVIDES, "fdiv", "fsqrt")
PIPED = tuple(name for name in OPS if name not in DIVIDERS)
UNARY = ("fsqrt", "class", "to_int", "to_uint", "from_int", "from_uint")

OPERATION = Struct.of("polyloom_overlay_fpu_pkg::operation_t")
REQUEST = Struct.of("polyloom_overlay_pkg::fpu_req_t")
MULDIV = Struct.of("polyloom_overlay_fpu_pkg::muldiv_t")
RESPONSE = Struct.of("polyloom_overlay_pkg::rsp_t")
BESIDE = Struct.of("polyloom_overlay_fpu_pkg::beside_t")
ALL = (1 << 32) - 1


def flipped(a: int, flip: bool) -> int:
    """With the other sign; a NaN as it is, since nothing sees its sign."""
    return a ^ B32.sign if flip and not B32.is_nan(a) else a


def integer(name: str, a: int, b: int) -> int:
    """What M gives."""
    if name in MULTIPLIES:
        x = signed(a) if name in {"mulh", "mulhsu"} else a
        y = signed(b) if name == "mulh" else b
        return (x * y >> (0 if name == "mul" else 32)) & ALL
    x, y = (a, b) if name.endswith("u") else (signed(a), signed(b))
    if y == 0:
        return ALL if name.startswith("div") else a
    quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
    return (quotient if name.startswith("div") else x - quotient * y) & ALL


def _least_or_most(name: str, a: int, b: int) -> Result:
    flags = INVALID * (B32.is_signalling(a) or B32.is_signalling(b))
    if B32.is_nan(a) or B32.is_nan(b):
        return (B32.nan if B32.is_nan(a) and B32.is_nan(b) else b if B32.is_nan(a) else a), flags
    less, equal, _ = exact.order(B32, a, b)
    first = bool(a & B32.sign) if equal else less  # -0 is below +0
    return (a if first == (name == "min") else b), flags


def _compared(name: str, a: int, b: int) -> Result:
    less, equal, unordered = exact.order(B32, a, b)
    if unordered:
        quiet = name == "eq" and not B32.is_signalling(a) and not B32.is_signalling(b)
        return 0, 0 if quiet else INVALID
    return int({"eq": equal, "lt": less, "le": less or equal}[name]), 0


def class_of(a: int) -> int:
    """As fclass.s numbers them."""
    if B32.is_nan(a):
        return 1 << (8 if B32.is_signalling(a) else 9)
    size = a & (B32.sign - 1)
    rank = 0 if size == 0 else 1 if size < 1 << 23 else 2 if size < B32.inf else 3
    return 1 << (3 - rank if a & B32.sign else 4 + rank)


def _to_integer(name: str, rm: int, a: int) -> Result:
    whether = name == "to_int"
    if (result := exact.to_integer(B32, a, 32, whether, rm)) is not None:
        return result
    least, most = (1 << 31, (1 << 31) - 1) if whether else (0, ALL)
    return (least if a & B32.sign and not B32.is_nan(a) else most), INVALID


def execute(name: str, rm: int, a: int, b: int, c: int) -> Result:
    """What an operation gives, and its flags."""
    if name in MULTIPLIES or name in DIVIDES:
        return integer(name, a, b), 0
    if name in {"madd", "msub", "nmsub", "nmadd"}:
        return exact.fma(B32, flipped(a, name.startswith("n")), b, flipped(c, name in {"msub", "nmadd"}), rm)
    simple: dict[str, Callable[[], Result]] = {
        "add": lambda: exact.add(B32, a, b, rm),
        "sub": lambda: exact.add(B32, a, flipped(b, True), rm),
        "fmul": lambda: exact.multiply(B32, a, b, rm),
        "fdiv": lambda: exact.divide(B32, a, b, rm),
        "fsqrt": lambda: exact.root(B32, a, rm),
        "class": lambda: (class_of(a), 0),
        "from_int": lambda: exact.from_integer(B32, signed(a), rm),
        "from_uint": lambda: exact.from_integer(B32, a, rm),
    }
    if name in simple:
        return simple[name]()
    if name in {"min", "max"}:
        return _least_or_most(name, a, b)
    return _to_integer(name, rm, a) if name.startswith("to_") else _compared(name, a, b)


def a_word(rng: random.Random) -> int:
    """An integer: a corner, or of any size."""
    corners = (0, 1, 2, ALL, ALL - 1, 1 << 31, (1 << 31) - 1, (1 << 31) + 1, 1 << 17, (1 << 17) - 1, 0xFFFE0000)
    word = rng.choice(corners) if rng.random() < 0.3 else rng.getrandbits(32) >> rng.randrange(32)
    return word if rng.random() < 0.7 else -word & ALL


def an_operation(rng: random.Random, names: tuple[str, ...]) -> dict[str, int]:
    """Code, mode and operands that suit it."""
    name = rng.choice(names)
    if name in MULTIPLIES or name in DIVIDES or name.startswith("from_"):
        a, b, c = a_word(rng), a_word(rng), rng.getrandbits(32)
        if name in DIVIDES and rng.random() < 0.1:
            b = rng.choice([0, a, -a & ALL])
    else:
        a = rng.choice(B32.corners()) if rng.random() < 0.2 else B32.random(rng)
        b, c = (rng.choice(B32.corners()) if rng.random() < 0.2 else B32.random(rng, a) for _ in range(2))
        if name == "fsqrt" and rng.random() < 0.8:
            a &= B32.sign - 1
        if name.startswith("to_") and rng.random() < 0.5:  # a few bits beside the point, or next to a bound
            a = exact.from_integer(B32, signed(a_word(rng)), rng.randrange(5))[0] - rng.randrange(2) & ALL
        if rng.random() < 0.1:
            b = rng.choice([a, a ^ B32.sign])
    return {"op": CODE[name], "rm": rng.randrange(5), "a": a, "b": b, "c": c}


def corner_operations(rng: random.Random, names: tuple[str, ...]) -> list[dict[str, int]]:
    """All pairs of special operands, quotients of every exponent around the least; shuffled."""
    words, numbers = (0, 1, ALL, 1 << 31), (0, B32.inf, B32.nan, B32.inf | 1, 1, 127 << 23)
    operations = []
    for name in names:
        of_words = name in MULTIPLIES or name in DIVIDES or name.startswith("from_")
        special = words if of_words else [x | s for x in numbers for s in (0, B32.sign)]
        pairs = [(a, b) for a in special for b in (special[:1] if name in UNARY else special)]
        if name == "fdiv":
            for exponent in range(-40, 3):
                field = rng.randrange(1, 128 + exponent)
                pairs.append((field << 23 | rng.getrandbits(23), field + 127 - exponent << 23 | rng.getrandbits(23)))
        operations += [
            {"op": CODE[name], "rm": rng.randrange(5), "a": a, "b": b, "c": rng.choice(special)} for a, b in pairs
        ]
    rng.shuffle(operations)
    return operations


def result_of(fields: dict[str, int]) -> Result:
    """Of an operation as it is packed."""
    return execute(OPS[fields["op"]], fields["rm"], fields["a"], fields["b"], fields["c"])


def packed(layout: Struct, values: dict[str, int]) -> int:
    """The members that the layout has, of each as many bits."""
    return layout.pack(**{name: values[name] % (1 << width) for name, width in layout.members})
