# SPDX-License-Identifier: Apache-2.0
"""Random expressions without side effects and without undefined behaviour, each with the type that it has in C.

Arithmetic that could overflow a signed type is done in unsigned ones or on operands made small; divisors, shift
distances and indices are brought into range by what stands around them; floats go to integers only within range.
"""

from __future__ import annotations

import random

from polyloom.hls.tests.random_kernels.c_types import (
    F32,
    FLOATS,
    I8,
    I16,
    I32,
    I64,
    INTEGERS,
    U8,
    U16,
    U32,
    U64,
    Type,
    common,
    promoted,
    unsigned,
)
from polyloom.hls.tests.random_kernels.places import Place, Scope

Typed = tuple[str, Type]

_FLOAT_CONSTANTS = ("0.0", "-0.0", "1.0", "-1.0", "0.5", "3.0", "1e-3", "-2.75", "1e10", "0x1p-24", "1e30", "7.1")


class Expressions:
    """Makes expressions of what a scope holds. ``floats``: whether there are floats in the program."""

    def __init__(self, rng: random.Random, floats: bool) -> None:
        self.rng = rng
        self.floats = floats

    def constant(self) -> Typed:
        """A constant; often an end of a range or beside a power of two."""
        kind = self.rng.choice(INTEGERS)
        low, high = (-(1 << kind.width - 1), (1 << kind.width - 1) - 1) if kind.signed else (0, (1 << kind.width) - 1)
        near = 1 << self.rng.randrange(kind.width)
        value = self.rng.choice(
            [0, 1, 2, 3, 5, 7, 10, -1, low, high, near, near - 1, -near, self.rng.randint(low, high)]
        )
        value = min(max(value, low), high)
        if kind.width == 64:
            text = f"INT64_C({value})" if kind.signed else f"UINT64_C({value})"
            return ("INT64_MIN" if value == -(1 << 63) else text), kind
        if value == -(1 << 31):
            return "INT32_MIN", I32
        return (f"({value})", I32) if kind.signed or kind.width < 32 else (f"{value}u", U32)

    def index(self, scope: Scope, size: int, depth: int) -> str:
        """An index below ``size``: a loop variable that stays there, a constant, or anything brought into range."""
        fitting = [(name, count) for name, count in scope.loops if count <= size]
        roll = self.rng.random()
        if fitting and roll < 0.65:
            return self._affine(*self.rng.choice(fitting[-2:]), size)
        if size == 1 or roll < 0.7:
            return str(self.rng.randrange(size))
        if scope.loops and roll < 0.8:
            return f"({self.rng.choice(scope.loops)[0]} + {self.rng.randrange(1, 9)}u) % {size}u"
        text, _ = self.integer(scope, min(depth, 1))
        mask = (1 << (size.bit_length() - 1)) - 1
        return f"(uint32_t)({text}) % {size}u" if self.rng.random() < 0.6 else f"(({text}) & {mask})"

    def _affine(self, name: str, count: int, size: int) -> str:
        """An index that moves with a loop: straight, shifted, backward, in steps of two."""
        forms = [name] * 4 + [f"{size - 1} - {name}"]
        if count < size:
            forms += [f"{name} + {self.rng.randrange(1, size - count + 1)}"] * 2
        if count > 0 and 2 * count <= size:
            forms += [f"2 * {name}", f"{name} * 2 + 1"]
        return self.rng.choice(forms)

    def place(self, scope: Scope, place: Place, depth: int) -> str:
        """The place with random indices."""
        return place.pattern.format(*(self.index(scope, size, depth) for size in place.dims))

    def integer(self, scope: Scope, depth: int) -> Typed:
        """An expression of an integer type."""
        if depth <= 0 or self.rng.random() < 0.1:
            places = [place for place in scope.places if not place.type.floating]
            if places and self.rng.random() < 0.8:
                chosen = self.rng.choice(places)
                return self.place(scope, chosen, depth), chosen.type
            return self.constant()
        makers = [self._arithmetic] * 5 + [self._bitwise] * 3 + [self._shift] * 2 + [self._divide] * 2
        makers += [self._compare] * 2 + [self._select] * 2 + [self._cast] * 2 + [self._unary, self._logic, self._trick]
        if self.floats:
            makers += [self._from_float, self._float_compare]
        return self.rng.choice(makers)(scope, depth - 1)

    def _arithmetic(self, scope: Scope, depth: int) -> Typed:
        (x, a), (y, b) = self.integer(scope, depth), self.integer(scope, depth)
        operator, t = self.rng.choice("++--*"), common(a, b)
        small = max(a.width, b.width) <= 16 and not (operator == "*" and U16 in (a, b))
        if not t.signed or small:
            return f"({x} {operator} {y})", t
        if self.rng.random() < 0.3:
            # Signed arithmetic that may be assumed not to overflow.
            return f"(({t.name})(int16_t){x} {operator} (int8_t)({y}))", t
        u = unsigned(t)
        text = f"(({u.name}){x} {operator} ({u.name}){y})"
        return (text, u) if self.rng.random() < 0.5 else (f"(({t.name}){text})", t)

    def _bitwise(self, scope: Scope, depth: int) -> Typed:
        (x, a), (y, b) = self.integer(scope, depth), self.integer(scope, depth)
        return f"({x} {self.rng.choice('&|^')} {y})", common(a, b)

    def _shift(self, scope: Scope, depth: int) -> Typed:
        (x, a), (y, _) = self.integer(scope, depth), self.integer(scope, min(depth, 1))
        t = promoted(a)
        by = str(self.rng.randrange(t.width)) if self.rng.random() < 0.5 else f"({y} & {t.width - 1})"
        if self.rng.random() < 0.5:
            return f"({x} >> {by})", t
        u = unsigned(t)
        return f"(({u.name}){x} << {by})", u

    def _divide(self, scope: Scope, depth: int) -> Typed:
        (x, a), (y, b) = self.integer(scope, depth), self.integer(scope, depth)
        operator, t = self.rng.choice("/%"), common(a, b)
        if self.rng.random() < 0.3:
            divisor = self.rng.choice([2, 3, 7, 8, 10, 100, 641, 1 << 20])
            return f"({x} {operator} {divisor})", promoted(a)
        if not t.signed:
            return f"({x} {operator} ({y} | 1))", t
        small = f"(({y} & 0x3fff) + 1)" if self.rng.random() < 0.6 else f"(-2 - ({y} & 0x3fff))"
        return f"({x} {operator} {small})", t

    def _compare(self, scope: Scope, depth: int) -> Typed:
        (x, _), (y, _) = self.integer(scope, depth), self.integer(scope, depth)
        return f"({x} {self.rng.choice(['<', '<=', '>', '>=', '==', '!='])} {y})", I32

    def _logic(self, scope: Scope, depth: int) -> Typed:
        return f"({self.condition(scope, depth)} {self.rng.choice(['&&', '||'])} {self.condition(scope, depth)})", I32

    def condition(self, scope: Scope, depth: int) -> str:
        """Something to branch on, neither always nor hardly ever true."""
        (x, _), (y, _) = self.integer(scope, depth), self.integer(scope, min(depth, 1))
        if self.floats and self.rng.random() < 0.2:
            return self._float_compare(scope, depth)[0]
        if self.rng.random() < 0.4:
            return f"({x} & {1 << self.rng.randrange(8)})"
        if self.rng.random() < 0.4:
            return f"((uint32_t){x} % {self.rng.choice([2, 3, 5, 7])}u < {self.rng.choice([1, 2])}u)"
        return f"({x} {self.rng.choice(['<', '>', '<=', '!='])} {y})"

    def _select(self, scope: Scope, depth: int) -> Typed:
        (x, a), (y, b) = self.integer(scope, depth), self.integer(scope, depth)
        return f"({self.condition(scope, depth)} ? {x} : {y})", common(a, b)

    def _cast(self, scope: Scope, depth: int) -> Typed:
        x, _ = self.integer(scope, depth)
        t = self.rng.choice(INTEGERS)
        return f"(({t.name}){x})", t

    def _unary(self, scope: Scope, depth: int) -> Typed:
        x, a = self.integer(scope, depth)
        operator, t = self.rng.choice("-~!"), promoted(a)
        if operator == "!":
            return f"(!{x})", I32
        if operator == "-" and t.signed and a.width >= 32:
            return f"(-({unsigned(t).name}){x})", unsigned(t)
        return f"({operator}{x})", t

    def _trick(self, scope: Scope, depth: int) -> Typed:
        x, _ = self.integer(scope, depth)
        wide = self.rng.choice([U32, U64])
        name = self.rng.choice(["ones", "turn", "swap", "lead", "trail", "high"])
        by = f", {self.integer(scope, 0)[0]}" if name in {"turn", "high"} else ""
        return f"{name}{wide.width}({x}{by})", wide

    def _from_float(self, scope: Scope, depth: int) -> Typed:
        x, _ = self.floating(scope, depth)
        t = self.rng.choice([I8, I16, I32, I64, U8, U16, U32, U64])
        return f"to_{t.name}({x})", t

    def _float_compare(self, scope: Scope, depth: int) -> Typed:
        (x, _), (y, _) = self.floating(scope, depth), self.floating(scope, depth)
        return f"({x} {self.rng.choice(['<', '<=', '>', '>=', '==', '!='])} {y})", I32

    def floating(self, scope: Scope, depth: int) -> Typed:
        """An expression of type float or double."""
        if depth <= 0 or self.rng.random() < 0.1:
            places = [place for place in scope.places if place.type.floating]
            if places and self.rng.random() < 0.8:
                chosen = self.rng.choice(places)
                return self.place(scope, chosen, depth), chosen.type
            t = self.rng.choice(FLOATS)
            return f"({self.rng.choice(_FLOAT_CONSTANTS)}{'f' * (t is F32)})", t
        roll = self.rng.random()
        if roll < 0.55:
            (x, a), (y, b) = self.floating(scope, depth - 1), self.floating(scope, depth - 1)
            return f"({x} {self.rng.choice('++--**/')} {y})", common(a, b)
        if roll < 0.7:
            t = self.rng.choice(FLOATS)
            return f"(({t.name}){self.integer(scope, depth - 1)[0]})", t
        if roll < 0.8:
            t = self.rng.choice(FLOATS)
            return f"(({t.name}){self.floating(scope, depth - 1)[0]})", t
        if roll < 0.9:
            (x, a), (y, b) = self.floating(scope, depth - 1), self.floating(scope, depth - 1)
            return f"({self.condition(scope, depth - 1)} ? {x} : {y})", common(a, b)
        x, a = self.floating(scope, depth - 1)
        if roll < 0.95:
            return f"(-{x})", a
        name = self.rng.choice(["fabs", "sqrt"])
        return f"__builtin_{name}{'f' * (a is F32)}({x})", a

    def value(self, scope: Scope, t: Type, depth: int) -> str:
        """An expression to store into a place of this type."""
        return (self.floating if t.floating else self.integer)(scope, depth)[0]
