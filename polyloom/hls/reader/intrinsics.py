# SPDX-License-Identifier: Apache-2.0
"""Calls that are operations: LLVM's intrinsics and those of ``roles/mpi/runtime/kernel/intrinsics.h``."""

from __future__ import annotations

from polyloom.hls.errors import HlsError
from polyloom.hls.fold import Builder, mask
from polyloom.hls.ir import Const, Instr, Value
from polyloom.hls.reader.types import Type

_LIBM = {"llvm.sqrt": "fsqrt"}


class Intrinsics:
    """Builds the operations of one function's intrinsic calls, where ``build`` stands."""

    def __init__(self, build: Builder) -> None:
        self.build = build

    def call(self, name: str, args: list[Value], type_: Type, place: str) -> Value | list[Value] | None:
        """The result of a call, if it has one. ``place``: of the call in the program that was transpiled."""
        if name.startswith("__polyloom_"):
            return self._own(name.removeprefix("__polyloom_"), args, place)
        words = name.split(".")
        base = ".".join(words[:2]) if words[1] not in {"sadd", "uadd", "ssub", "usub", "smul", "umul"} else name
        if base in _LIBM:
            return self.build.op(_LIBM[base], args[0].width, *args)
        handler = getattr(self, "_" + words[1], None)
        if words[1] in {"sadd", "uadd", "ssub", "usub", "smul", "umul"}:
            if words[2] == "sat":
                return self._saturate(words[1], *args)
            if words[2] == "with":
                return self._overflow(words[1], *args)
            handler = None
        if words[1] in {"memcpy", "memmove", "memset"}:
            self._memory(words[1], args)
            return None
        if words[1] == "stacksave":
            # Of a variable length array whose length turned out constant: it is an object as any other local array,
            # and there is no stack to save. Others are refused where they are allocated.
            return self.build.const(type_.width, 0)
        if words[1] == "stackrestore":
            return None
        if words[1] == "trap" or words[1] == "debugtrap":
            self._halt()
            return None
        if handler is None or not args:
            raise HlsError(self.build.where, f"the intrinsic {name} is not supported in a kernel")
        value: Value | list[Value] | None = handler(*args)
        return value

    def _halt(self) -> None:
        self.build.out.append(Instr(0, "halt", [], where=self.build.where))

    def _own(self, name: str, args: list[Value], place: str) -> Value | None:
        where = self.build.where
        if name in {"push", "pop"}:
            port = args[0]
            if not isinstance(port, Const) or port.value > 15:
                raise HlsError(where, f"__polyloom_{name}: the port must be a constant from 0 to 15")
            if name == "push":
                # of a message, the place where the program sends it
                self.build.out.append(Instr(0, "push", [args[1]], port.value, where=place))
                return None
            return self.build.emit("pop", 64, attr=port.value)
        if name == "cycle":
            return self.build.emit("cycle", 64)
        if name == "rank":
            return self.build.emit("rank", 32)
        if name == "halt":
            self._halt()
            return None
        raise HlsError(where, f"__polyloom_{name} is not an intrinsic; there are push, pop, cycle, rank and halt")

    def _memory(self, kind: str, args: list[Value]) -> None:
        # expanded to a loop by passes/memory_loops.py
        flag = args.pop()
        assert isinstance(flag, Const)
        self.build.emit(kind, 0, *args)

    def _minmax(self, a: Value, b: Value, predicate: str) -> Value:
        less = self.build.op("icmp", 1, a, b, attr=predicate)
        return self.build.op("select", a.width, less, a, b)

    def _smax(self, a: Value, b: Value) -> Value:
        return self._minmax(a, b, "sgt")

    def _smin(self, a: Value, b: Value) -> Value:
        return self._minmax(a, b, "slt")

    def _umax(self, a: Value, b: Value) -> Value:
        return self._minmax(a, b, "ugt")

    def _umin(self, a: Value, b: Value) -> Value:
        return self._minmax(a, b, "ult")

    def _abs(self, a: Value, _poison: Value) -> Value:
        negative = self.build.op("icmp", 1, a, self.build.const(a.width, 0), attr="slt")
        minus = self.build.op("sub", a.width, self.build.const(a.width, 0), a)
        return self.build.op("select", a.width, negative, minus, a)

    def _fabs(self, a: Value) -> Value:
        return self.build.op("and", a.width, a, self.build.const(a.width, mask(a.width - 1)))

    def _is(self, a: Value, classes: Value) -> Value:
        """Whether a number is of one of these classes (``llvm.is.fpclass``)."""
        assert isinstance(classes, Const)
        fraction = {32: 23, 64: 52}[a.width]
        size = self._fabs(a)
        negative = self._bit(a, a.width - 1, 1)
        positive = self.build.not_(negative)
        infinity = mask(a.width - 1 - fraction) << fraction
        quiet = infinity | 1 << (fraction - 1)

        def below(limit: int) -> Value:
            return self.build.op("icmp", 1, size, self.build.const(a.width, limit), attr="ult")

        def both(*values: Value) -> Value:
            return self.build.op("and", 1, *values)

        def between(low: int, high: int) -> Value:
            return both(self.build.not_(below(low)), below(high))

        zero, infinite = below(1), between(infinity, infinity + 1)
        subnormal, normal = between(1, 1 << fraction), between(1 << fraction, infinity)
        signed = [infinite, normal, subnormal, zero]
        tests = [between(infinity + 1, quiet), self.build.not_(below(quiet))]
        tests += [both(negative, test) for test in signed] + [both(positive, test) for test in reversed(signed)]
        result: Value = self.build.const(1, 0)
        for number, test in enumerate(tests):
            if classes.value >> number & 1:
                result = self.build.op("or", 1, result, test)
        return result

    def _copysign(self, a: Value, b: Value) -> Value:
        sign = self.build.op("and", a.width, b, self.build.const(a.width, 1 << (a.width - 1)))
        return self.build.op("or", a.width, self._fabs(a), sign)

    def _funnel(self, a: Value, b: Value, amount: Value, left: bool) -> Value:
        width = a.width
        amount = self.build.op("urem", width, amount, self.build.const(width, width))
        back = self.build.op("sub", width, self.build.const(width, width), amount)
        # shifts by the width give zero in the kernel, so that an amount of zero needs no case of its own
        high = self.build.op("shl", width, a, amount if left else back)
        low = self.build.op("lshr", width, b, back if left else amount)
        return self.build.op("or", width, high, low)

    def _fshl(self, a: Value, b: Value, amount: Value) -> Value:
        return self._funnel(a, b, amount, True)

    def _fshr(self, a: Value, b: Value, amount: Value) -> Value:
        return self._funnel(a, b, amount, False)

    def _bit(self, a: Value, at: int, width: int) -> Value:
        shifted = self.build.op("lshr", a.width, a, self.build.const(a.width, at))
        return self.build.op("trunc", width, shifted)

    def _ctpop(self, a: Value) -> Value:
        terms = [self.build.op("zext", 8, self._bit(a, i, 1)) for i in range(a.width)]
        while len(terms) > 1:
            paired = [self.build.op("add", 8, x, y) for x, y in zip(terms[::2], terms[1::2], strict=False)]
            terms = paired + terms[len(paired) * 2 :]
        return self.build.resize(terms[0], a.width)

    def _count_zeros(self, a: Value, order: range) -> Value:
        result: Value = self.build.const(8, a.width)
        for steps, at in reversed(list(enumerate(order))):
            result = self.build.op("select", 8, self._bit(a, at, 1), self.build.const(8, steps), result)
        return self.build.resize(result, a.width)

    def _ctlz(self, a: Value, _poison: Value) -> Value:
        return self._count_zeros(a, range(a.width - 1, -1, -1))

    def _cttz(self, a: Value, _poison: Value) -> Value:
        return self._count_zeros(a, range(a.width))

    def _shuffle(self, a: Value, size: int) -> Value:
        result: Value = self.build.const(a.width, 0)
        for at in range(0, a.width, size):
            part = self.build.op("zext", a.width, self._bit(a, at, size))
            moved = self.build.op("shl", a.width, part, self.build.const(a.width, a.width - size - at))
            result = self.build.op("or", a.width, result, moved)
        return result

    def _bswap(self, a: Value) -> Value:
        return self._shuffle(a, 8)

    def _bitreverse(self, a: Value) -> Value:
        return self._shuffle(a, 1)

    def _expect(self, a: Value, _likely: Value) -> Value:
        return a

    def _wide(self, kind: str, a: Value, b: Value) -> tuple[Value, Value, Value]:
        """Result of the full width and its low part, and whether it does not fit."""
        width = a.width
        wide = width * 2 if kind[1:] == "mul" else width + 1
        extend = "sext" if kind[0] == "s" else "zext"
        left, right = (self.build.op(extend, wide, x) for x in (a, b))
        full = self.build.op(kind[1:], wide, left, right)
        low = self.build.op("trunc", width, full)
        again = self.build.op(extend, wide, low)
        return full, low, self.build.op("icmp", 1, again, full, attr="ne")

    def _overflow(self, kind: str, a: Value, b: Value) -> list[Value]:
        _, low, over = self._wide(kind, a, b)
        return [low, over]

    def _saturate(self, kind: str, a: Value, b: Value) -> Value:
        width = a.width
        full, low, over = self._wide(kind, a, b)
        if kind[0] == "u":
            limit: Value = self.build.const(width, -1 if kind == "uadd" else 0)
        else:
            negative = self.build.op("icmp", 1, full, self.build.const(full.width, 0), attr="slt")
            least, most = self.build.const(width, 1 << (width - 1)), self.build.const(width, mask(width - 1))
            limit = self.build.op("select", width, negative, least, most)
        return self.build.op("select", width, over, limit, low)
