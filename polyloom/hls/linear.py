# SPDX-License-Identifier: Apache-2.0
"""Addresses as sums: a constant plus multiples of values, modulo 2^32; and how far they move in a loop's iteration.

%a = shl %i, 2; %p = add %a, @x+8      p = x + 8 + 4 * i
"""

from __future__ import annotations

from dataclasses import dataclass, field

from polyloom.hls.ir import ADDRESS_BITS, Block, Const, Instr, Value

_MODULUS = 1 << ADDRESS_BITS


@dataclass
class Linear:
    """``constant`` + sum of coefficient * value."""

    constant: int = 0
    terms: dict[Value, int] = field(default_factory=dict)

    def plus(self, other: Linear, factor: int = 1) -> Linear:
        """The sum with a multiple of another."""
        terms = dict(self.terms)
        for value, coefficient in other.terms.items():
            terms[value] = (terms.get(value, 0) + coefficient * factor) % _MODULUS
        constant = (self.constant + other.constant * factor) % _MODULUS
        return Linear(constant, {v: c for v, c in terms.items() if c})

    def minus(self, other: Linear) -> Linear:
        """The difference."""
        return self.plus(other, -1)

    def signed(self) -> int:
        """The constant as a signed number."""
        return self.constant - _MODULUS if self.constant >= _MODULUS // 2 else self.constant


class LoopAddresses:
    """Linear forms of values, in terms of the phis of a loop's block."""

    def __init__(self, block: Block | None) -> None:
        self._forms: dict[Value, Linear] = {}
        self._steps: dict[Value, int] = {}
        if block is not None:
            for phi in block.phis:
                if block in phi.blocks:
                    step = self.of(phi.args[phi.blocks.index(block)]).minus(Linear(0, {phi: 1}))
                    if not step.terms:
                        self._steps[phi] = step.signed()
            self._inside = set(block.instrs)
        else:
            self._inside = set()

    @staticmethod
    def none() -> LoopAddresses:
        """For straight code."""
        return LoopAddresses(None)

    def of(self, value: Value, depth: int = 0) -> Linear:
        """The form of a value of 32 bits or of the lower 32 bits of a wider one."""
        if value in self._forms:
            return self._forms[value]
        form = self._form(value, depth) if depth < 24 else None
        result = Linear(0, {value: 1}) if form is None else form
        self._forms[value] = result
        return result

    def _form(self, value: Value, depth: int) -> Linear | None:
        if isinstance(value, Const):
            return Linear(value.value % _MODULUS)
        if not isinstance(value, Instr) or value.width < ADDRESS_BITS:
            return None
        a = value.args[0] if value.args else None
        b = value.args[1] if len(value.args) > 1 else None
        if value.op in {"add", "sub"} and a is not None and b is not None:
            return self.of(a, depth + 1).plus(self.of(b, depth + 1), 1 if value.op == "add" else -1)
        if value.op == "trunc" and a is not None:
            return self.of(a, depth + 1)
        if value.op in {"copy", "zext", "sext"} and a is not None and a.width >= ADDRESS_BITS:
            return self.of(a, depth + 1)
        if isinstance(b, Const) and a is not None:
            if value.op == "mul":
                return Linear().plus(self.of(a, depth + 1), b.value)
            if value.op == "shl" and b.value < ADDRESS_BITS:
                return Linear().plus(self.of(a, depth + 1), 1 << b.value)
        return None

    def step(self, form: Linear) -> int | None:
        """How far a form moves in an iteration, or None if that is not constant."""
        total = 0
        for value, coefficient in form.terms.items():
            if value in self._steps:
                total += self._steps[value] * coefficient
            elif value in self._inside:
                return None
        total %= _MODULUS
        return total - _MODULUS if total >= _MODULUS // 2 else total
