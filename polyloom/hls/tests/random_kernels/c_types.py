# SPDX-License-Identifier: Apache-2.0
"""C's arithmetic types and the conversions that expressions of them undergo. Input to expressions.py.

Only types whose width and sign are the same on every machine: int is the 32-bit one.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Type:
    """An arithmetic type: its name in C, its width in bits, whether it is signed or a float."""

    name: str
    width: int
    signed: bool = True
    floating: bool = False


I8, I16, I32, I64 = (Type(f"int{w}_t", w) for w in (8, 16, 32, 64))
U8, U16, U32, U64 = (Type(f"uint{w}_t", w, signed=False) for w in (8, 16, 32, 64))
F32, F64 = Type("float", 32, floating=True), Type("double", 64, floating=True)
INTEGERS = (I8, I16, I32, I64, U8, U16, U32, U64)
FLOATS = (F32, F64)


def promoted(t: Type) -> Type:
    """What an operand of this integer type becomes in an expression. Example: uint8_t -> int."""
    return I32 if t.width < 32 else t


def common(a: Type, b: Type) -> Type:
    """The usual arithmetic conversions. Example: int32_t, uint32_t -> uint32_t."""
    if a.floating or b.floating:
        return max((t for t in (a, b) if t.floating), key=lambda t: t.width)
    a, b = promoted(a), promoted(b)
    if a.width != b.width:
        return a if a.width > b.width else b
    return a if not a.signed else b


def unsigned(t: Type) -> Type:
    """The unsigned type in which arithmetic on this one cannot overflow: 32 or 64 bits wide."""
    return U64 if t.width == 64 else U32
