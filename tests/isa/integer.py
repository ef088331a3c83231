# SPDX-License-Identifier: Apache-2.0
"""Tests of RV32IM's arithmetic. Output: name of an instruction -> rows (a, b, result), by Python's integers."""

from __future__ import annotations

import random
from collections.abc import Callable

WORD = 0xFFFFFFFF
CORNERS = (0, 1, 2, 31, 32, 0x7FF, 0x800, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xAAAAAAAA, 0xFFFF8000, 0xFFFFFFFE, WORD)


def signed(a: int) -> int:
    """Two's complement value of a word."""
    return a - (1 << 32) if a >> 31 else a


def quotient(a: int, b: int) -> int:
    """Division of signed values towards zero, as the manual defines it for every case."""
    if b == 0:
        return -1
    size = abs(a) // abs(b)
    return -size if (a < 0) != (b < 0) else size


def remainder(a: int, b: int) -> int:
    """What division leaves, with the sign of the dividend."""
    return a if b == 0 else a - quotient(a, b) * b


REGISTER: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "sll": lambda a, b: a << (b & 31),
    "slt": lambda a, b: int(signed(a) < signed(b)),
    "sltu": lambda a, b: int(a < b),
    "xor": lambda a, b: a ^ b,
    "srl": lambda a, b: a >> (b & 31),
    "sra": lambda a, b: signed(a) >> (b & 31),
    "or": lambda a, b: a | b,
    "and": lambda a, b: a & b,
    "mul": lambda a, b: a * b,
    "mulh": lambda a, b: signed(a) * signed(b) >> 32,
    "mulhsu": lambda a, b: signed(a) * b >> 32,
    "mulhu": lambda a, b: a * b >> 32,
    "div": lambda a, b: quotient(signed(a), signed(b)),
    "divu": lambda a, b: a // b if b else WORD,
    "rem": lambda a, b: remainder(signed(a), signed(b)),
    "remu": lambda a, b: a % b if b else a,
}
#: Immediate form -> register form, and the immediates that are tried.
SMALL = (0, 1, -1, 5, 0x7FF, -0x800, 0x555, -0x556)
SHIFTS = (0, 1, 4, 15, 16, 30, 31)
IMMEDIATE = {
    "addi": ("add", SMALL),
    "slti": ("slt", SMALL),
    "sltiu": ("sltu", SMALL),
    "xori": ("xor", SMALL),
    "ori": ("or", SMALL),
    "andi": ("and", SMALL),
    "slli": ("sll", SHIFTS),
    "srli": ("srl", SHIFTS),
    "srai": ("sra", SHIFTS),
}
BRANCHES: dict[str, Callable[[int, int], bool]] = {
    "beq": lambda a, b: a == b,
    "bne": lambda a, b: a != b,
    "blt": lambda a, b: signed(a) < signed(b),
    "bge": lambda a, b: signed(a) >= signed(b),
    "bltu": lambda a, b: a < b,
    "bgeu": lambda a, b: a >= b,
}


def pairs(name: str, extra: int = 60) -> list[tuple[int, int]]:
    """Operands: all pairs of corners, and random ones of every size."""
    rng = random.Random(f"operands of {name}")
    some = [(rng.getrandbits(32) >> rng.randrange(32), rng.getrandbits(32) >> rng.randrange(32)) for _ in range(extra)]
    return [(a, b) for a in CORNERS for b in CORNERS] + some
