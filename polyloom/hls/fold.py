# SPDX-License-Identifier: Apache-2.0
"""Evaluates operations on constants and simplifies what has a simpler form; a builder that does so as it builds."""

from __future__ import annotations

from polyloom.hls.ir import COMMUTATIVE, Const, Function, Instr, Object, Value

SWAPPED = {"ugt": "ult", "uge": "ule", "sgt": "slt", "sge": "sle"}


def mask(width: int) -> int:
    """All ones."""
    return (1 << width) - 1


def signed(value: int, width: int) -> int:
    """The number in two's complement."""
    return value - (1 << width) if value >> (width - 1) & 1 else value


def evaluate(op: str, attr: object, width: int, args: list[tuple[int, int]]) -> int | None:
    """Result on (value, width) operands, or None where it is undefined or not an integer operation."""
    a, wa = args[0] if args else (0, 0)
    b = args[1][0] if len(args) > 1 else 0
    sa, sb = (signed(a, wa), signed(b, wa)) if wa else (0, 0)
    if op in {"shl", "lshr", "ashr"} and b >= wa:
        return 0 if op != "ashr" else (mask(width) if sa < 0 else 0)
    if op in {"udiv", "urem", "sdiv", "srem"} and b == 0:
        return 0
    if op == "icmp":
        return int(
            {"eq": a == b, "ne": a != b, "ult": a < b, "ule": a <= b, "slt": sa < sb, "sle": sa <= sb}[str(attr)]
        )
    if op == "select":
        return args[1][0] if a else args[2][0]
    simple = {
        "add": lambda: a + b,
        "sub": lambda: a - b,
        "mul": lambda: a * b,
        "and": lambda: a & b,
        "or": lambda: a | b,
        "xor": lambda: a ^ b,
        "shl": lambda: a << b,
        "lshr": lambda: a >> b,
        "ashr": lambda: sa >> b,
        "udiv": lambda: a // b,
        "urem": lambda: a % b,
        "sdiv": lambda: abs(sa) // abs(sb) * (1 if (sa < 0) == (sb < 0) else -1),
        "srem": lambda: abs(sa) % abs(sb) * (-1 if sa < 0 else 1),
        "zext": lambda: a,
        "trunc": lambda: a,
        "sext": lambda: sa,
    }
    return simple[op]() & mask(width) if op in simple else None


def simplify(op: str, attr: object, width: int, args: list[Value]) -> Value | None:
    """An existing value (or constant) that this operation equals, or None."""
    if args and all(isinstance(a, Const) for a in args) and op not in {"copy", "phi"}:
        consts = [a for a in args if isinstance(a, Const)]
        value = evaluate(op, attr, width, [(c.value, c.width) for c in consts])
        if value is not None:
            return Const(width, value, _objects(op, consts))
    if op == "select":
        return _select(args)
    if op in {"zext", "sext", "trunc"} and args[0].width == width:
        return args[0]
    if op == "trunc" and isinstance(args[0], Instr) and args[0].op in {"zext", "sext"}:
        inner = args[0].args[0]
        return inner if inner.width == width else None
    if op == "icmp" and args[0] is args[1]:
        return Const(1, int(attr in {"eq", "ule", "sle"}))
    return _binary(op, width, args)


def _objects(op: str, args: list[Const]) -> frozenset[Object]:
    """Whose addresses the result may be, or may become again: two arrays are also swapped by xor, or found by a
    difference from one another. A distance within one object, and a comparison, are numbers."""
    if op == "icmp" or (op == "sub" and args[0].objects == args[1].objects):
        return frozenset()
    if op == "select":
        return args[1 if args[0].value else 2].objects
    return frozenset().union(*(a.objects for a in args))


def _select(args: list[Value]) -> Value | None:
    cond, a, b = args
    if isinstance(cond, Const):
        return a if cond.value else b
    if a is b or (isinstance(a, Const) and isinstance(b, Const) and a.value == b.value and a.objects == b.objects):
        return a
    if a.width == 1 and isinstance(a, Const) and isinstance(b, Const) and a.value == 1 and b.value == 0:
        return cond
    return None


def _binary(op: str, width: int, args: list[Value]) -> Value | None:
    if len(args) != 2:
        return None
    a, b = args
    if isinstance(b, Const):
        if b.value == 0 and op in {"add", "sub", "or", "xor", "shl", "lshr", "ashr"}:
            return a
        if b.value == 0 and op in {"and", "mul"}:
            return Const(width, 0)
        if b.value == mask(width) and op == "and":
            return a
        if b.value == 1 and op in {"mul", "udiv", "sdiv"}:
            return a
    if a is b and op in {"and", "or"}:
        return a
    if a is b and op in {"xor", "sub"}:
        return Const(width, 0)
    return None


class Builder:
    """Appends operations to a list, folding as it goes."""

    def __init__(self, function: Function, out: list[Instr], where: str = "", stem: str = "t") -> None:
        self.function, self.out, self.where, self.stem = function, out, where, stem

    def const(self, width: int, value: int) -> Const:
        """A constant, wrapped to its width."""
        return Const(width, value & mask(width))

    def op(self, op: str, width: int, *args: Value, attr: object = None, name: str = "") -> Value:
        """The value of an operation."""
        operands = list(args)
        if op == "icmp" and str(attr) in SWAPPED:
            attr, operands = SWAPPED[str(attr)], operands[::-1]
        swap = op in COMMUTATIVE or (op == "icmp" and attr in {"eq", "ne"})
        if swap and isinstance(operands[0], Const) and not isinstance(operands[1], Const):
            operands.reverse()
        if op == "sub" and isinstance(operands[1], Const) and not operands[1].objects:
            op, operands = "add", [operands[0], self.const(width, -operands[1].value)]
        if op == "trunc" and isinstance(operands[0], Instr) and operands[0].op in {"zext", "sext", "trunc"}:
            inner, outer = operands[0].args[0], operands[0].op
            if outer == "trunc" or inner.width >= width:
                return self.op("trunc", width, inner)
            return self.op(outer, width, inner)
        known = simplify(op, attr, width, operands)
        if known is not None:
            return known
        if op == "mul" and isinstance(operands[1], Const) and operands[1].value.bit_count() == 1:
            op, operands = "shl", [operands[0], self.const(width, operands[1].value.bit_length() - 1)]
        return self.emit(op, width, *operands, attr=attr, name=name)

    def emit(self, op: str, width: int, *args: Value, attr: object = None, name: str = "") -> Instr:
        """An operation as it is."""
        instr = Instr(width, op, list(args), attr, name or self.function.fresh(self.stem), self.where)
        self.out.append(instr)
        return instr

    def resize(self, value: Value, width: int, sign: bool = False) -> Value:
        """The value at another width."""
        if value.width == width:
            return value
        return self.op("trunc" if value.width > width else "sext" if sign else "zext", width, value)

    def not_(self, value: Value) -> Value:
        """Complement."""
        return self.op("xor", value.width, value, self.const(value.width, -1))
