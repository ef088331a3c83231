# SPDX-License-Identifier: Apache-2.0
"""LLVM code of each type of Yosys cell, on signals in lanes.

``compute`` takes a cell and a way to get its operands' references, and gives those of its output Y, or of the piece of
it that is asked for. Meanings are those of Yosys' simulation library (its manual, "Internal cell library"); what is
undefined there is 0 here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from polyloom.base.errors import UserError
from polyloom.rtl.lanes.code import Coder, Refs, constant, element_bits, word_type
from polyloom.rtl.lanes.netlist import Cell

_PARTS = 3  # of signals that are computed part by part
Get = Callable[[str], list[int]]  # references of a port of the cell


class Cells:
    """Writes cells of one group."""

    def __init__(self, coder: Coder, lanes: int) -> None:
        self.c = coder
        self.lanes = lanes

    # ---- logic of bits ----
    def invert(self, a: int) -> int:
        """not a."""
        if a < 2:
            return 1 - a
        return self._mask(f"xor i{self.lanes} {self.c.bit(self.lanes, a)}, {self._ones()}")

    def both(self, a: int, b: int) -> int:
        """a and b."""
        if a == b or b == 1:
            return a
        if a == 1:
            return b
        if a == 0 or b == 0:
            return 0
        return self._mask(f"and i{self.lanes} {self.c.bit(self.lanes, a)}, {self.c.bit(self.lanes, b)}")

    def either(self, a: int, b: int) -> int:
        """a or b."""
        if a == b or b == 0:
            return a
        if a == 0:
            return b
        if a == 1 or b == 1:
            return 1
        return self._mask(f"or i{self.lanes} {self.c.bit(self.lanes, a)}, {self.c.bit(self.lanes, b)}")

    def differ(self, a: int, b: int) -> int:
        """a xor b."""
        if a == b:
            return 0
        if a < 2 or b < 2:
            return (b if a == 0 else self.invert(b)) if a < 2 else (a if b == 0 else self.invert(a))
        return self._mask(f"xor i{self.lanes} {self.c.bit(self.lanes, a)}, {self.c.bit(self.lanes, b)}")

    def choose(self, s: int, a: int, b: int) -> int:
        """s ? b : a."""
        if a == b or s == 0:
            return a
        if s == 1:
            return b
        if a < 2 and b < 2:
            return s if b else self.invert(s)
        if a < 2:
            return self.either(self.invert(s), b) if a else self.both(s, b)
        if b < 2:
            return self.either(s, a) if b else self.both(self.invert(s), a)
        if self.lanes == 1:
            bits = self.c.bit(1, s), self.c.bit(1, b), self.c.bit(1, a)
            return self._mask(f"select i1 {bits[0]}, i1 {bits[1]}, i1 {bits[2]}")
        return self.either(self.both(s, b), self.both(self.invert(s), a))

    def all(self, refs: Sequence[int], join: Callable[[int, int], int], start: int) -> int:
        """Joined by both, either or differ, in few steps one after another."""
        left = list(refs) or [start]
        while len(left) > 1:
            pairs = [join(a, b) for a, b in zip(left[::2], left[1::2], strict=False)]
            left = pairs + (left[-1:] if len(left) % 2 else [])
        return left[0]

    def any_set(self, refs: Refs) -> int:
        """Whether any bit is set."""
        found = []
        for run in self.c.runs(refs):
            if run.kind == "constant":
                found.append(int(run.first != 0))
            elif run.kind == "repeat" or run.length == 1:
                found.append(run.first)
            else:
                found.append(self._compare("ne", refs_of(run.first, run.length), 0))
        return self.all(found, self.either, 0)

    def all_set(self, refs: Refs) -> int:
        """Whether every bit is set."""
        found = []
        for run in self.c.runs(refs):
            if run.kind == "constant":
                found.append(int(run.first == (1 << run.length) - 1))
            elif run.kind == "repeat" or run.length == 1:
                found.append(run.first)
            else:
                found.append(self._compare("eq", refs_of(run.first, run.length), (1 << run.length) - 1))
        return self.all(found, self.both, 1)

    def equal(self, a: Refs, b: Refs) -> int:
        """Whether two signals of one length are equal."""
        found: list[int] = []

        def piece(pair: Sequence[Refs]) -> list[int]:
            x, y = pair
            if x[0] < 2:
                x, y = y, x
            if x[0] < 2:
                found.append(int(list(x) == list(y)))
            elif flat(x) and flat(y):
                found.extend(self.invert(self.differ(p, q)) for p, q in dict.fromkeys(zip(x, y, strict=True)))
            elif y[0] < 2 and not flat(x):
                found.append(self._compare("eq", x, sum(bit << i for i, bit in enumerate(y))))
            else:
                kind, _ = self._type(len(x))
                x_name, y_name = self.c.pack(self.lanes, x), self.c.pack(self.lanes, y)
                found.append(self._test(f"icmp eq {kind} {x_name}, {y_name}"))
            return []

        self.c.split([a, b], piece)
        return self.all(found, self.both, 1)

    # ---- pieces ----
    def mux(self, s: int, a: Refs, b: Refs) -> list[int]:
        """s ? b : a, of signals."""

        def piece(pair: Sequence[Refs]) -> list[int]:
            x, y = pair
            if s < 2 or list(x) == list(y):
                return list(y if s == 1 else x)
            if flat(x) and flat(y):
                return [self.choose(s, p, q) for p, q in zip(x, y, strict=True)]
            return self._select(s, x, y)

        if s > 1 and self._mixed(a, b):
            return self._select(s, a, b)
        return self.c.split([a, b], piece)

    def _select(self, s: int, a: Refs, b: Refs) -> list[int]:
        """s ? b : a, of words."""
        kind, _ = self._type(len(a))
        mask = self.c.from_mask(self.lanes, self.c.bit(self.lanes, s))
        yes, no = self.c.pack(self.lanes, b), self.c.pack(self.lanes, a)
        return self._word(len(a), f"select {mask}, {kind} {yes}, {kind} {no}")

    def _mixed(self, *signals: Refs) -> bool:
        """Whether signals are better packed than taken apart: of one word's length, but of different parts. (Where they
        have the same parts, graph.py has cut them.)"""
        return 1 < len(signals[0]) <= 64 and self.c.pieces(signals) > _PARTS

    def mux_of_bits(self, s: Refs, a: Refs, b: Refs) -> list[int]:
        """s ? b : a, bit by bit."""

        def piece(three: Sequence[Refs]) -> list[int]:
            x, y, chosen = three
            if chosen[0] == chosen[-1]:
                return self.mux(chosen[0], x, y)
            return whole(x, y, chosen)

        def whole(x: Refs, y: Refs, chosen: Refs) -> list[int]:
            of_y = self.bitwise("and", y, chosen)
            return self.bitwise("or", of_y, self.bitwise("and", x, self.inverted(chosen)))

        return whole(a, b, s) if self._mixed(a, b, s) else self.c.split([a, b, s], piece)

    def bitwise(self, what: str, a: Refs, b: Refs) -> list[int]:
        """and, or, xor."""
        one = {"and": self.both, "or": self.either, "xor": self.differ}[what]

        def piece(pair: Sequence[Refs]) -> list[int]:
            x, y = pair
            if list(x) == list(y) or (flat(x) and flat(y)):
                return [one(p, q) for p, q in zip(x, y, strict=True)]
            for p, q in ((x, y), (y, x)):
                if p[0] < 2 and len(set(p)) == 1 and not (what == "xor" and p[0]):
                    return [one(u, v) for u, v in zip(p, q, strict=True)]  # nothing to compute
                if p[0] > 1 and p[0] == p[-1] and what != "xor":
                    return self.mux(p[0], [0] * len(q), q) if what == "and" else self.mux(p[0], q, [1] * len(q))
            return self._joined(what, x, y)

        return self._joined(what, a, b) if self._mixed(a, b) else self.c.split([a, b], piece)

    def _joined(self, what: str, a: Refs, b: Refs) -> list[int]:
        kind, _ = self._type(len(a))
        return self._word(len(a), f"{what} {kind} {self.c.pack(self.lanes, a)}, {self.c.pack(self.lanes, b)}")

    def inverted(self, a: Refs) -> list[int]:
        """All bits of a signal inverted."""

        def piece(only: Sequence[Refs]) -> list[int]:
            (x,) = only
            if flat(x):
                return [self.invert(p) for p in x]
            kind, bits = self._type(len(x))
            ones = constant(self.lanes, bits, (1 << len(x)) - 1)
            return self._word(len(x), f"xor {kind} {self.c.pack(self.lanes, x)}, {ones}")

        return self.c.split([a], piece)

    # ---- numbers ----
    def extend(self, refs: Refs, width: int, signed: bool) -> list[int]:
        """Cut or extended."""
        fill = refs[-1] if signed and refs else 0
        return [*refs[:width], *([fill] * (width - len(refs)))]

    def arithmetic(self, what: str, a: Refs, b: Refs) -> list[int]:
        """add, sub, mul of signals of one length, modulo 2**length."""
        width = len(a)
        if width == 1:
            return [self.both(a[0], b[0]) if what == "mul" else self.differ(a[0], b[0])]
        kind, bits = self._type(width)
        name = self.c.op(f"{what} {kind} {self.c.pack(self.lanes, a)}, {self.c.pack(self.lanes, b)}")
        if width < bits:
            name = self.c.op(f"and {kind} {name}, {constant(self.lanes, bits, (1 << width) - 1)}")
        return self.c.computed(self.lanes, width, name)

    def less(self, a: Refs, b: Refs, signed: bool, or_equal: bool) -> int:
        """a < b of signals of one length."""
        if signed:  # the same order, from 0 on
            a, b = [*a[:-1], self.invert(a[-1])], [*b[:-1], self.invert(b[-1])]
        if len(a) == 1:
            return self.either(self.invert(a[0]), b[0]) if or_equal else self.both(self.invert(a[0]), b[0])
        kind, _ = self._type(len(a))
        how = "ule" if or_equal else "ult"
        return self._test(f"icmp {how} {kind} {self.c.pack(self.lanes, a)}, {self.c.pack(self.lanes, b)}")

    def remainder(self, a: Refs, b: Refs) -> list[int]:
        """a mod b, without signs; 0 if b is 0."""
        if self.all_of_constant(b) == 0:
            return [0] * len(a)
        if len(a) == 1:
            return self.remainder([*a, 0], [*b, 0])[:1]
        kind, bits = self._type(len(a))
        divisor = self.c.pack(self.lanes, b)
        if any(ref > 1 for ref in b):
            zero, ones = constant(self.lanes, bits, 0), constant(self.lanes, bits, 1)
            safe = self.c.op(f"icmp eq {kind} {divisor}, {zero}")
            flag = f"i1 {safe}" if self.lanes == 1 else f"<{self.lanes} x i1> {safe}"
            divisor = self.c.op(f"select {flag}, {kind} {ones}, {kind} {divisor}")
        return self._word(len(a), f"urem {kind} {self.c.pack(self.lanes, a)}, {divisor}")

    @staticmethod
    def all_of_constant(refs: Refs) -> int | None:
        """Its value, if it is one."""
        return sum(bit << i for i, bit in enumerate(refs)) if all(bit < 2 for bit in refs) else None

    def shifted(self, a: Refs, amount: Refs, left: bool, fill: int = 0) -> list[int]:
        """a shifted by a number that is not negative; ``fill`` comes in at the right's top."""
        width = len(a)
        if self.all_of_constant(amount) is None and 1 < width <= 64 and fill == 0 and len(self.c.runs(a)) <= 4:
            return self._shifted_word(a, amount, left)
        for power in reversed(range(len(amount))):  # the largest first: what falls out is not computed
            s, step = amount[power], min(1 << power, width)
            if s != 0:
                moved = [*([0] * step), *a[: width - step]] if left else [*a[step:], *([fill] * step)]
                a = self.mux(s, a, moved)
        return list(a)

    def _shifted_word(self, a: Refs, amount: Refs, left: bool) -> list[int]:
        width = len(a)
        kind, bits = self._type(width)
        few = min(len(amount), bits.bit_length() - 1)
        by = self.c.pack(self.lanes, amount[:few])
        if few == 1:
            by = self.c.pack(self.lanes, [amount[0], 0])
        by = self.c.resize(self.lanes, by, element_bits(max(few, 2)), bits)
        name = self.c.op(f"{'shl' if left else 'lshr'} {kind} {self.c.pack(self.lanes, a)}, {by}")
        if left and width < bits:
            name = self.c.op(f"and {kind} {name}, {constant(self.lanes, bits, (1 << width) - 1)}")
        result = self.c.computed(self.lanes, width, name)
        out = self.any_set(amount[few:])
        return self.mux(out, result, [0] * width) if out else result

    # ---- cells ----
    def compute(self, cell: Cell, get: Get, low: int, high: int) -> list[int]:
        """References of bits [low, high) of the cell's output Y."""
        kind = cell.type
        if kind == "$mux":
            return self.mux(get("S")[0], get("A")[low:high], get("B")[low:high])
        if kind in ("$and", "$or", "$xor"):
            a, b = self._operands(cell, get)
            return self.bitwise(kind[1:], a[low:high], b[low:high])
        if kind == "$not":
            return self.inverted(self._one_operand(cell, get)[low:high])
        if kind == "$bwmux":
            return self.mux_of_bits(*(get(name)[low:high] for name in ("S", "A", "B")))
        if kind == "$pmux":
            width, result, choices = cell.number("WIDTH"), get("A")[low:high], get("B")
            for i, chosen in enumerate(get("S")):
                result = self.mux(chosen, result, choices[i * width + low : i * width + high])
            return result
        if kind == "$bmux":
            return self._bmux(cell.number("WIDTH"), get, low, high)
        whole = self._whole(cell, get)
        return self.extend(whole, cell.number("Y_WIDTH", len(whole)), False)[low:high]

    def _bmux(self, width: int, get: Get, low: int, high: int) -> list[int]:
        a, s = get("A"), get("S")
        if width == 1 and 2 < len(a) <= 64 and len(self.c.runs(a)) <= 2:
            return self._shifted_word(a, s, left=False)[:1]
        rows = [a[i + low : i + high] for i in range(0, len(a), width)]
        for bit in s:
            rows = [self.mux(bit, x, y) for x, y in zip(rows[::2], rows[1::2], strict=True)]
        return list(rows[0])

    def _whole(self, cell: Cell, get: Get) -> list[int]:
        kind = cell.type
        if kind in ("$reduce_or", "$reduce_bool"):
            return [self.any_set(get("A"))]
        if kind == "$logic_not":
            return [self.invert(self.any_set(get("A")))]
        if kind == "$logic_and":
            return [self.both(self.any_set(get("A")), self.any_set(get("B")))]
        if kind == "$logic_or":
            return [self.either(self.any_set(get("A")), self.any_set(get("B")))]
        if kind == "$reduce_and":
            return [self.all_set(get("A"))]
        if kind == "$reduce_xor":
            return [self._parity(get("A"))]
        if kind == "$reduce_xnor":
            return [self.invert(self._parity(get("A")))]
        if kind in ("$eq", "$ne", "$eqx", "$nex"):
            same = self.equal(*self._operands(cell, get, of_inputs=True))
            return [same if kind.startswith("$eq") else self.invert(same)]
        if kind in ("$lt", "$le", "$gt", "$ge"):
            a, b = self._operands(cell, get, of_inputs=True)
            if kind in ("$gt", "$ge"):
                a, b = b, a
            return [self.less(a, b, self._signed(cell), kind in ("$le", "$ge"))]
        if kind in ("$add", "$sub", "$mul"):
            return self.arithmetic(kind[1:], *self._operands(cell, get))
        if kind == "$neg":
            a = self._one_operand(cell, get)
            return self.arithmetic("sub", [0] * len(a), a)
        if kind == "$pos":
            return self._one_operand(cell, get)
        if kind == "$mod" and not self._signed(cell):
            width = max(len(get("A")), len(get("B")))
            return self.remainder(self.extend(get("A"), width, False), self.extend(get("B"), width, False))
        if kind in ("$shl", "$sshl", "$shr", "$sshr", "$shift", "$shiftx"):
            return self._shift(cell, get)
        if kind == "$demux":
            return self._demux(get)
        raise UserError(f"{cell.source or cell.name}: cells of type {kind} cannot be lanes")

    def _demux(self, get: Get) -> list[int]:
        rows, outputs = [get("A")], len(get("A")) << len(get("S"))
        if len(rows[0]) == 1 and 1 < outputs <= 64:
            return self._shifted_word(self.extend(rows[0], outputs, False), get("S"), left=True)
        none = [0] * len(rows[0])
        for bit in reversed(get("S")):
            rows = [part for row in rows for part in (self.mux(bit, row, none), self.mux(bit, none, row))]
        return [ref for row in rows for ref in row]

    def _shift(self, cell: Cell, get: Get) -> list[int]:
        a, b = get("A"), get("B")
        signed = bool(cell.number("A_SIGNED"))
        width = cell.number("Y_WIDTH")
        if cell.type in ("$shl", "$sshl"):
            return self.shifted(self.extend(a, width, signed), b, left=True)
        longer = self.extend(a, max(width, len(a)), signed)
        fill = longer[-1] if cell.type == "$sshr" and signed else 0
        if cell.type not in ("$shift", "$shiftx") or not cell.number("B_SIGNED"):
            return self.shifted(longer, b, left=False, fill=fill)[:width]
        right = self.shifted(longer, b[:-1], left=False)[:width]
        negative = b[-1]
        if negative == 0:
            return right
        minus = self.arithmetic("sub", [0] * len(b), b)
        left = self.shifted(self.extend(a, width, signed), minus, left=True)
        return self.mux(negative, right, left)

    def _parity(self, a: Refs) -> int:
        found = []
        for run in self.c.runs(a):
            if run.kind == "constant":
                found.append(run.first.bit_count() & 1)
            elif run.kind == "repeat":
                found.append(run.first if run.length & 1 else 0)
            elif run.length == 1:
                found.append(run.first)
            else:
                kind, bits = self._type(run.length)
                name = self.c.pack(self.lanes, refs_of(run.first, run.length))
                suffix = f"i{bits}" if self.lanes == 1 else f"v{self.lanes}i{bits}"
                count = self.c.op(f"call {kind} @llvm.ctpop.{suffix}({kind} {name})")
                found.append(self.c.computed(self.lanes, bits, count)[0])
        return self.all(found, self.differ, 0)

    # ---- inside ----
    @staticmethod
    def _signed(cell: Cell) -> bool:
        return bool(cell.number("A_SIGNED") and cell.number("B_SIGNED"))

    def _operands(self, cell: Cell, get: Get, of_inputs: bool = False) -> tuple[list[int], list[int]]:
        """A and B, as long as Y, or as the longer of them."""
        a, b, signed = get("A"), get("B"), self._signed(cell)
        width = max(len(a), len(b)) if of_inputs else cell.number("Y_WIDTH")
        return self.extend(a, width, signed), self.extend(b, width, signed)

    def _one_operand(self, cell: Cell, get: Get) -> list[int]:
        return self.extend(get("A"), cell.number("Y_WIDTH"), bool(cell.number("A_SIGNED")))

    def _type(self, width: int) -> tuple[str, int]:
        return word_type(self.lanes, width), element_bits(width)

    def _ones(self) -> str:
        return "true" if self.lanes == 1 else "-1"

    def _mask(self, text: str) -> int:
        return self.c.computed(self.lanes, 1, self.c.op(text))[0]

    def _test(self, text: str) -> int:
        return self.c.computed(self.lanes, 1, self.c.to_mask(self.lanes, self.c.op(text)))[0]

    def _word(self, width: int, text: str) -> list[int]:
        return self.c.computed(self.lanes, width, self.c.op(text))

    def _compare(self, how: str, refs: Refs, value: int) -> int:
        """Bits of one word against a constant, in place."""
        word, low = self.c.word(refs[0])
        kind, bits = self._type(word.width)
        name = self.c.value(word)
        if len(refs) < word.width:
            mask = constant(self.lanes, bits, ((1 << len(refs)) - 1) << low)
            name = self.c.op(f"and {kind} {name}, {mask}")
        return self._test(f"icmp {how} {kind} {name}, {constant(self.lanes, bits, value << low)}")


def refs_of(first: int, count: int) -> list[int]:
    """So many in a row."""
    return list(range(first, first + count))


def flat(refs: Refs) -> bool:
    """Of a run: whether it is a constant or one bit again and again, not bits of a word."""
    return refs[0] < 2 or refs[0] == refs[-1]
