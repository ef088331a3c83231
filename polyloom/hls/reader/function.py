# SPDX-License-Identifier: Apache-2.0
"""Reads one function. ``%s = add nsw i32 %a, 1`` becomes ``%s:32 = add %a, 1``; an address calculation becomes adds."""

from __future__ import annotations

import re

from polyloom.hls.errors import HlsError
from polyloom.hls.fold import Builder, signed
from polyloom.hls.ir import (
    ADDRESS_BITS,
    Block,
    Const,
    Function,
    Instr,
    Object,
    Param,
    Value,
    remove_unreachable,
    replace_all,
)
from polyloom.hls.reader import wide
from polyloom.hls.reader.constants import Constants
from polyloom.hls.reader.debug import Locations
from polyloom.hls.reader.intrinsics import Intrinsics
from polyloom.hls.reader.lexer import Cursor
from polyloom.hls.reader.types import Layout, Type, require_scalar

_FLAGS = {
    *("nuw", "nsw", "exact", "disjoint", "nneg", "inbounds", "nusw", "volatile", "inrange", "samesign"),
    *("fast", "nnan", "ninf", "nsz", "arcp", "contract", "afn", "reassoc"),
}
_CALL_WORDS = {"tail", "musttail", "notail", "call", "fastcc", "coldcc", "ccc"} | _FLAGS
_VALUE_WORDS = {
    *("true", "false", "null", "undef", "poison", "zeroinitializer", "none", "getelementptr", "ptrtoint", "inttoptr"),
    *("bitcast", "trunc", "zext", "sext", "add", "sub", "mul", "xor", "and", "or", "shl", "asm"),
}
_LABEL = re.compile(r'^("[^"]*"|[-\w.$]+):')
_METADATA = re.compile(r", ![\w.]+ !\d+")
_TYPE = re.compile(r"i\d+|ptr|void|float|double|half|bfloat|fp128|x86_fp80")
_BINARY = {"add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr", "udiv", "urem", "sdiv", "srem"}
_FLOAT = {"fadd", "fsub", "fmul", "fdiv"}
_CASTS = {"trunc", "zext", "sext", "fptrunc", "fpext", "sitofp", "uitofp", "fptosi", "fptoui"}
_BITCASTS = {"ptrtoint", "inttoptr", "bitcast", "addrspacecast"}


class FunctionReader:
    """Turns the lines of one definition into a Function."""

    def __init__(
        self,
        name: str,
        lines: list[str],
        layout: Layout,
        constants: Constants,
        locations: Locations,
        allocas: dict[str, Object],
    ) -> None:
        self.layout, self.constants, self.locations, self.allocas = layout, constants, locations, allocas
        self.lines = lines
        self.function = Function(name, [], 0)
        self.values: dict[str, Value | list[Value]] = {}
        self.forward: dict[str, Value | list[Value]] = {}
        self.blocks: dict[str, Block] = {}
        self.block = Block("entry")
        self.build = Builder(self.function, self.block.instrs)
        self.where = self.place = ""
        self.intrinsics = Intrinsics(self.build)

    def read(self) -> Function:
        """All of it."""
        self._head(self.lines[0])
        for line in _joined(self.lines[1:]):
            label = _LABEL.match(line)
            if label:
                self._start(label.group(1).strip('"'))
            elif line.strip() and not line.strip().startswith((";", "#dbg")):
                self._line(line)
        self._close()
        return self.function

    def _head(self, line: str) -> None:
        dbg = re.search(r"!dbg (!\d+)", line)
        self.function.where = self.where = self.locations.of(dbg.group(1)) if dbg else ""
        cursor = Cursor(line, self.where)
        while not cursor.peek(1).startswith("@") or cursor.peek(2) != "(":
            cursor.next()
            if cursor.peek() == "(":
                cursor.skip_brackets()
        # the return type may be bracketed: then only its end is seen here, and it is no scalar
        text = cursor.next()
        kind = self.layout.parse(Cursor(text)) if re.match(r"[a-z]", text) else Type("other", text="a struct")
        if kind.kind != "void":
            require_scalar(kind, self.where, f"a result of {self.function.name}")
        self.function.width = kind.width
        cursor.next()
        cursor.expect("(")
        while not cursor.accept(")"):
            if cursor.accept("..."):
                raise HlsError(self.where, f"{self.function.name} takes variable arguments; a kernel cannot")
            type_ = self.layout.parse(cursor)
            self._attributes(cursor)
            require_scalar(type_, self.where, f"a parameter of {self.function.name}")
            name = cursor.next()
            param = Param(type_.width, name[1:].strip('"'))
            self.function.params.append(param)
            self.values[name] = param
            cursor.accept(",")
        self.block = Block("entry")
        self.build.out = self.block.instrs

    def _attributes(self, cursor: Cursor) -> None:
        while (
            re.match(r"[a-z]", cursor.peek())
            and cursor.peek() not in _VALUE_WORDS
            and not _TYPE.fullmatch(cursor.peek())
        ):
            if cursor.next() == "align" and re.fullmatch(r"\d+", cursor.peek()):
                cursor.next()
            elif cursor.peek() == "(":
                cursor.skip_brackets()

    def _start(self, label: str) -> None:
        if label not in self.blocks:
            self.blocks[label] = Block(label)
        self.block = self.blocks[label]
        self.function.blocks.append(self.block)
        self.build.out = self.block.instrs

    def label(self, token: str) -> Block:
        """The block that ``%token`` names."""
        name = token[1:].strip('"')
        return self.blocks.setdefault(name, Block(name))

    def _close(self) -> None:
        found: dict[Value, Value] = {}
        for name, holder in self.forward.items():
            found.update(zip(_parts(holder), _parts(self.values[name]), strict=True))
        replace_all(self.function, found)
        remove_unreachable(self.function)
        for instr in self.function.instrs():
            if instr.op == "phi":
                pairs = dict(zip(instr.blocks, instr.args, strict=True))
                instr.blocks, instr.args = list(pairs), list(pairs.values())

    # operands

    def value(self, cursor: Cursor, type_: Type) -> Value:
        """An operand of a type."""
        token = cursor.peek()
        if not token.startswith("%"):
            return self.constants.scalar(cursor, type_)
        cursor.next()
        known = self.values.get(token) or self.forward.setdefault(token, Value(type_.width))
        assert isinstance(known, Value)
        return known

    def fields(self, cursor: Cursor, type_: Type) -> list[Value]:
        """An operand that is a struct or array of scalars, such as a sum and whether it does not fit."""
        parts = type_.fields if type_.kind == "struct" else type_.fields * type_.count
        for part in parts:
            require_scalar(part, self.where, "a part of a value")
        token = cursor.next()
        if token.startswith("%"):
            known = self.values.get(token) or self.forward.setdefault(token, [Value(p.width) for p in parts])
            assert isinstance(known, list)
            return known
        if token in {"undef", "poison", "zeroinitializer"}:
            return [Const(p.width, 0) for p in parts]
        values: list[Value] = []
        while len(values) < len(parts):
            values.append(self.typed(cursor))
            cursor.next()  # a comma, or the bracket at the end
        return values

    def any_value(self, cursor: Cursor, type_: Type) -> Value | list[Value]:
        """An operand that is a scalar, or the parts of a struct."""
        if type_.kind in {"struct", "array"}:
            return self.fields(cursor, type_)
        require_scalar(type_, self.where, "a value")
        return self.value(cursor, type_)

    def typed(self, cursor: Cursor) -> Value:
        """Type and operand."""
        type_ = self.layout.parse(cursor)
        self._attributes(cursor)
        require_scalar(type_, self.where, "a value")
        return self.value(cursor, type_)

    # operations

    def _line(self, line: str) -> None:
        if self.block.instrs and self.block.term.op == "halt":
            return
        if not self.function.blocks:
            self._start(self.function.fresh("entry"))
        dbg = re.search(r"!dbg (!\d+)", line)
        self.where = (self.locations.of(dbg.group(1)) if dbg else "") or self.where
        self.place = (self.locations.of_program(dbg.group(1)) if dbg else "") or self.where
        self.build.where = self.where
        cursor = Cursor(_METADATA.sub("", line), self.where)
        result = ""
        if cursor.peek(1) == "=":
            result = cursor.next()
            cursor.next()
        self.build.stem = result[1:].strip('"') if result else "t"
        op = "call" if cursor.peek() in {"tail", "musttail", "notail"} else cursor.next()
        before = len(self.block.instrs)
        value = self._operation(op, cursor, result)
        for instr in self.block.instrs[before:]:
            instr.place = self.place
        if result and value is not None:
            self.values[result] = value
            if isinstance(value, Instr) and value.op != "phi" and value.name.startswith(self.build.stem + "."):
                value.name = self.build.stem

    def _operation(self, op: str, cursor: Cursor, result: str) -> Value | list[Value] | None:
        cursor.skip_words(_FLAGS)
        if op in _BINARY or op in _FLOAT:
            a = self.typed(cursor)
            cursor.expect(",")
            b = self.value(cursor, Type("float" if op in _FLOAT else "int", a.width))
            return self.build.op(op, a.width, a, b)
        if op in _CASTS:
            source = self.typed(cursor)
            cursor.expect("to")
            target = self.layout.parse(cursor)
            require_scalar(target, self.where, "a value")
            if op in {"sitofp", "uitofp"} and source.width > wide.MOST:
                return wide.to_float(self.build, op, target.width, source)
            if op in {"fptosi", "fptoui"} and target.width > wide.MOST:
                return wide.to_integer(self.build, op, target.width, source)
            return self.build.op(op, target.width, source)
        if op in _BITCASTS:
            source = self.typed(cursor)
            cursor.expect("to")
            target = self.layout.parse(cursor)
            require_scalar(target, self.where, "a value")
            return self.build.resize(source, target.width)
        if op == "fneg":
            a = self.typed(cursor)
            return self.build.op("xor", a.width, a, Const(a.width, 1 << (a.width - 1)))
        if op == "freeze":
            return self.any_value(cursor, self.layout.parse(cursor))
        handler = getattr(self, f"_op_{op}", None)
        if handler is None:
            raise HlsError(self.where, f"the operation {op} is not supported in a kernel")
        value: Value | list[Value] | None = handler(cursor, result)
        return value

    def _op_icmp(self, cursor: Cursor, _: str) -> Value:
        predicate = cursor.next()
        a = self.typed(cursor)
        cursor.expect(",")
        return self.build.op("icmp", 1, a, self.value(cursor, Type("int", a.width)), attr=predicate)

    def _op_fcmp(self, cursor: Cursor, _: str) -> Value:
        predicate = cursor.next()
        a = self.typed(cursor)
        cursor.expect(",")
        b = self.value(cursor, Type("float", a.width))
        if predicate in {"true", "false"}:
            return Const(1, int(predicate == "true"))
        return self.build.op("fcmp", 1, a, b, attr=predicate)

    def _op_select(self, cursor: Cursor, _: str) -> Value | list[Value]:
        cond = self.typed(cursor)
        cursor.expect(",")
        type_ = self.layout.parse(cursor)
        a = self.any_value(cursor, type_)
        cursor.expect(",")
        b = self.any_value(cursor, self.layout.parse(cursor))
        parts = [self.build.op("select", x.width, cond, x, y) for x, y in zip(_parts(a), _parts(b), strict=True)]
        return parts if isinstance(a, list) else parts[0]

    def _op_phi(self, cursor: Cursor, result: str) -> Value | list[Value]:
        type_ = self.layout.parse(cursor)
        incoming = []
        while cursor.accept("["):
            value = self.any_value(cursor, type_)
            cursor.expect(",")
            incoming.append((value, self.label(cursor.next())))
            cursor.expect("]")
            cursor.accept(",")
        blocks = [block for _, block in incoming]
        phis: list[Value] = []
        for args in zip(*(_parts(value) for value, _ in incoming), strict=True):
            phi = Instr(args[0].width, "phi", list(args), name=result[1:].strip('"'), where=self.where)
            phi.blocks = list(blocks)
            self.block.instrs.append(phi)
            phis.append(phi)
        return phis if isinstance(incoming[0][0], list) else phis[0]

    def _op_alloca(self, _: Cursor, result: str) -> Value:
        obj = self.allocas[result]
        return Const(ADDRESS_BITS, obj.address, frozenset({obj}))

    def _op_getelementptr(self, cursor: Cursor, _: str) -> Value:
        type_ = self.layout.parse(cursor)
        cursor.expect(",")
        address = self.typed(cursor)
        first = True
        offset = 0
        while cursor.accept(","):
            index = self.typed(cursor)
            if isinstance(index, Const):
                step, type_ = self.constants.step(type_, signed(index.value, index.width), first)
                offset += step
            else:
                type_ = type_ if first else type_.fields[0]
                narrow = self.build.resize(index, ADDRESS_BITS, sign=True)
                scale = self.build.const(ADDRESS_BITS, self.layout.size(type_))
                address = self.build.op("add", ADDRESS_BITS, address, self.build.op("mul", ADDRESS_BITS, narrow, scale))
            first = False
        return self.build.op("add", ADDRESS_BITS, address, self.build.const(ADDRESS_BITS, offset))

    def _op_load(self, cursor: Cursor, _: str) -> Value:
        type_ = self.layout.parse(cursor)
        require_scalar(type_, self.where, "a loaded value")
        cursor.expect(",")
        address = self.typed(cursor)
        align = self._align(cursor, type_)
        bytes_ = min(4, self.layout.pointer_bytes) if type_.kind == "ptr" else (type_.width + 7) // 8
        load = self.build.emit("load", bytes_ * 8, address, attr=bytes_)
        load.align = align
        return self.build.resize(load, type_.width)

    def _op_store(self, cursor: Cursor, _: str) -> None:
        type_ = self.layout.parse(cursor)
        require_scalar(type_, self.where, "a stored value")
        value = self.value(cursor, type_)
        cursor.expect(",")
        address = self.typed(cursor)
        bytes_ = self.layout.pointer_bytes if type_.kind == "ptr" else (type_.width + 7) // 8
        value = self.build.resize(value, bytes_ * 8)
        store = Instr(0, "store", [address, value], bytes_, where=self.where, align=self._align(cursor, type_))
        self.block.instrs.append(store)

    def _align(self, cursor: Cursor, type_: Type) -> int:
        if cursor.accept(","):
            cursor.expect("align")
            return int(cursor.next())
        return self.layout.align(type_)

    def _op_br(self, cursor: Cursor, _: str) -> None:
        args: list[Value] = []
        if cursor.peek() != "label":
            args.append(self.typed(cursor))
            cursor.expect(",")
        targets = []
        while cursor.accept("label"):
            targets.append(self.label(cursor.next()))
            cursor.accept(",")
        if len(targets) == 2 and (targets[0] is targets[1] or isinstance(args[0], Const)):
            taken = targets[0] if not isinstance(args[0], Const) or args[0].value else targets[1]
            args, targets = [], [taken]
        self.block.instrs.append(Instr(0, "br", args, where=self.where, blocks=targets))

    def _op_switch(self, cursor: Cursor, _: str) -> None:
        value = self.typed(cursor)
        cursor.expect(",")
        cursor.expect("label")
        targets = [self.label(cursor.next())]
        cursor.expect("[")
        cases = []
        while not cursor.accept("]"):
            case = self.typed(cursor)
            assert isinstance(case, Const)
            cases.append(case.value)
            cursor.expect(",")
            cursor.expect("label")
            targets.append(self.label(cursor.next()))
        self.block.instrs.append(Instr(0, "switch", [value], cases, where=self.where, blocks=targets))

    def _op_ret(self, cursor: Cursor, _: str) -> None:
        args = [] if cursor.peek() == "void" else [self.typed(cursor)]
        self.block.instrs.append(Instr(0, "ret", args, where=self.where))

    def _op_unreachable(self, _cursor: Cursor, _: str) -> None:
        self.block.instrs.append(Instr(0, "halt", [], where=self.where))

    def _op_extractvalue(self, cursor: Cursor, _: str) -> Value | list[Value]:
        parts = self.fields(cursor, self.layout.parse(cursor))
        cursor.expect(",")
        return parts[int(cursor.next())]

    def _op_insertvalue(self, cursor: Cursor, _: str) -> list[Value]:
        parts = list(self.fields(cursor, self.layout.parse(cursor)))
        cursor.expect(",")
        value = self.typed(cursor)
        cursor.expect(",")
        parts[int(cursor.next())] = value
        return parts

    def _op_call(self, cursor: Cursor, result: str) -> Value | list[Value] | None:
        cursor.skip_words(_CALL_WORDS)
        self._attributes(cursor)
        type_ = self.layout.parse(cursor)
        if type_.kind == "function":
            type_ = type_.fields[0]
        callee = cursor.next()
        if callee == "asm":
            raise HlsError(self.where, "inline assembly cannot be in a kernel")
        if not callee.startswith("@"):
            raise HlsError(self.where, "a call through a pointer cannot be in a kernel; call the function by its name")
        name = callee[1:].strip('"')
        if name.startswith(("llvm.dbg", "llvm.lifetime", "llvm.assume", "llvm.experimental.noalias", "llvm.invariant")):
            return None
        cursor.expect("(")
        args = []
        while not cursor.accept(")"):
            args.append(self.typed(cursor))
            cursor.accept(",")
        if name.startswith(("llvm.", "__polyloom_")):
            return self.intrinsics.call(name, args, type_, self.place)
        if name not in self.constants.functions:
            raise HlsError(self.where, f"{name} is called but not defined")
        if type_.kind != "void":
            require_scalar(type_, self.where, f"a result of {name}")
        call = Instr(type_.width, "call", args, name, self.function.fresh(result[1:] or "call"), self.place)
        self.block.instrs.append(call)
        return call if type_.kind != "void" else None


def _parts(value: Value | list[Value]) -> list[Value]:
    return value if isinstance(value, list) else [value]


def _joined(lines: list[str]) -> list[str]:
    """Lines with each switch on one line."""
    result: list[str] = []
    open_ = False
    for line in lines:
        if open_:
            result[-1] += " " + line
            open_ = "]" not in line
        else:
            result.append(line)
            open_ = line.strip().startswith("switch ") and line.rstrip().endswith("[")
    return result
