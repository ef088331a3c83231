# SPDX-License-Identifier: Apache-2.0
"""Functions that may call themselves, or each other in a circle, become one function with a stack in block RAM.

What an activation needs after a call lies in its frame: values are stored where they are computed and loaded where
they are used. A call that goes round the circle writes where to go on, moves to the next frame and begins anew; a
return moves back and goes on there, or leaves the function from the first frame.

    f(n): ... %r = call f %m; rest      ->      f: frame += size; go on at rest.1; n = %m; begin
          ret %v                                ret: first frame: ret %v; else frame -= size, go on there, %r = %v

Variables of such a function whose address is taken are part of the frame. A call too many stores outside of the
stack, which simulation notices like every other such store, and calls by its name.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from polyloom.hls.errors import HlsError
from polyloom.hls.fold import Builder
from polyloom.hls.ir import (
    ADDRESS_BITS,
    DRAM_BASE,
    Block,
    Const,
    Function,
    Instr,
    Module,
    Object,
    Param,
    Value,
    replace_all,
)
from polyloom.hls.objects import region
from polyloom.hls.options import Options
from polyloom.hls.passes.memory_loops import split_block

ALIGN = 16  # of a frame, and of variables in it


def remove_recursion(module: Module, options: Options) -> None:
    """Every circle of calls that the entry may reach becomes one function that calls none of it."""
    for circle in circles(module):
        _Circle(module, circle, options).build()


def circles(module: Module) -> list[list[Function]]:
    """Functions that may be active twice, with those that they may be so through (Tarjan's components)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[Function]] = []

    def visit(name: str) -> None:
        index[name] = low[name] = len(index)
        stack.append(name)
        callees = [i.attr for i in module.functions[name].instrs() if i.op == "call" and i.attr in module.functions]
        for callee in callees:
            if callee not in index:
                visit(callee)
                low[name] = min(low[name], low[callee])
            elif callee in stack:
                low[name] = min(low[name], index[callee])
        if low[name] == index[name]:
            names = stack[stack.index(name) :]
            del stack[stack.index(name) :]
            if len(names) > 1 or name in callees:
                found.append([module.functions[n] for n in names])

    visit(module.entry)
    return found


@dataclass
class _Call:
    """A call that goes round the circle: it ends its block."""

    block: Block
    callee: str
    resume: Block
    result: Instr | None  # a copy of what is returned, which is known later


@dataclass
class _Circle:
    module: Module
    functions: list[Function]
    options: Options
    calls: list[_Call] = field(default_factory=list)
    slots: dict[Value, int] = field(default_factory=dict)  # by what is kept in a frame: its place there
    variables: dict[Object, int] = field(default_factory=dict)
    headers: dict[str, Block] = field(default_factory=dict)

    def build(self) -> None:
        """Replace the functions by the first of them, which does what all did."""
        names = {f.name for f in self.functions}
        if self.module.entry in names:
            raise HlsError(self.functions[0].where, "the entry of a kernel cannot be called by the program")
        for function in self.functions:
            self._split(function, names)
        kept = self._kept()
        size = self._lay_out(kept)
        self.stack = self._object("stack", self.options.stack_bytes)
        self.stack.stack_of = self.functions[0].name
        self.frame = self._object("frame", ADDRESS_BITS // 8)
        self.frame.content, self.frame.points = self.stack.address.to_bytes(4, "little"), [self.stack]
        whole, entry = self._whole()
        self._begin(whole, entry)
        self._use_frames(whole)
        self._join(whole, size)
        for name in names:
            self.module.functions.pop(name)
        self.module.functions[whole.name] = whole
        self._callers(whole, names)
        self.module.objects = [o for o in self.module.objects if o not in self.variables]

    def _split(self, function: Function, names: set[str]) -> None:
        """Calls round the circle end their blocks; their results are defined where the caller goes on."""
        for block in function.blocks:  # grows behind the block at hand
            for index, instr in enumerate(block.instrs):
                if instr.op == "call" and instr.attr in names:
                    resume = split_block(function, block, index, "resume")
                    block.instrs.append(Instr(0, "call", instr.args, instr.attr, where=instr.where, blocks=[resume]))
                    result = None
                    if instr.width:
                        result = Instr(instr.width, "copy", [Const(instr.width, 0)], name=instr.name, where=instr.where)
                        resume.instrs.insert(0, result)
                        replace_all(function, {instr: result})
                    self.calls.append(_Call(block, instr.attr, resume, result))
                    break

    def _kept(self) -> list[Value]:
        """Values that are used after a call round the circle and were there before it, in order of their definition."""
        live: set[Value] = set()
        for function in self.functions:
            into = _live_into(function)
            for call in self.calls:
                live |= into.get(call.resume, set())
        defined = [v for f in self.functions for v in (*f.params, *f.instrs())]
        return [v for v in defined if v in live]

    def _lay_out(self, kept: Sequence[Value]) -> int:
        """Places in a frame; returns its bytes. Its first word says where to go on."""
        at = 8
        for value in kept:
            self.slots[value] = at
            at += max(8, _bytes(value))
        used = [a for f in self.functions for i in f.instrs() for a in i.args if isinstance(a, Const)]
        for obj in [o for o in self.module.objects if o.kind == "local"]:
            if any(obj in const.objects for const in used):
                at = (at + ALIGN - 1) // ALIGN * ALIGN
                self.variables[obj] = at
                at += obj.size
        return (at + ALIGN - 1) // ALIGN * ALIGN

    def _object(self, what: str, size: int) -> Object:
        """A new object in block RAM."""
        own = [o for o in self.module.objects if not o.in_dram]
        end = max((o.address + region(o.size) for o in own), default=1 << 16)
        obj = Object(f"{self.functions[0].name}.{what}", size, ALIGN, "global", self.functions[0].where)
        obj.address = (end + region(size) - 1) // region(size) * region(size)
        assert obj.address < DRAM_BASE
        self.module.objects.append(obj)
        return obj

    def _whole(self) -> tuple[Function, Block]:
        """The function that takes the place of all, with the parameters of each and, first, which is meant."""
        first = self.functions[0]
        many = len(self.functions) > 1
        params = [Param(8, "which")] if many else []
        params += [Param(p.width, f"{f.name}.{p.name}" if many else p.name) for f in self.functions for p in f.params]
        width = max(f.width for f in self.functions)
        whole = Function(f"{first.name}.circle" if many else first.name, params, width, where=first.where)
        whole.counter = max(f.counter for f in self.functions)
        entry = Block(whole.fresh("entry"))
        whole.blocks.append(entry)
        return whole, entry

    def _begin(self, whole: Function, entry: Block) -> None:
        """Each function's blocks behind a header with its parameters: of who calls from outside, or of the circle."""
        given = whole.params[len(self.functions) > 1 :]
        outside = dict(zip((p for f in self.functions for p in f.params), given, strict=True))
        inside: dict[Value, Value] = {}
        for function in self.functions:
            header = self.headers[function.name] = Block(whole.fresh("begin"))
            calls = [call for call in self.calls if call.callee == function.name]
            for number, param in enumerate(function.params):
                args = [outside[param], *(call.block.term.args[number] for call in calls)]
                blocks = [entry, *(call.block for call in calls)]
                phi = Instr(param.width, "phi", args, name=whole.fresh(param.name), blocks=blocks)
                header.instrs.append(phi)
                inside[param] = phi
            header.instrs.append(Instr(0, "br", [], where=function.where, blocks=[function.blocks[0]]))
            whole.blocks += [header, *function.blocks]
        replace_all(whole, inside)
        self.slots = {inside.get(value, value): place for value, place in self.slots.items()}

    def _use_frames(self, whole: Function) -> None:
        """Definitions are stored, uses are loaded."""
        home = {i: b for b in whole.blocks for i in b.instrs}
        for block in whole.blocks[1:]:
            phis, body = block.phis, block.instrs[len(block.phis) :]
            out: list[Instr] = []
            build = Builder(whole, out, body[0].where if body else "", "frame")
            memo: dict[object, Value] = {}

            def base(build: Builder = build, memo: dict[object, Value] = memo) -> Value:
                if self.frame not in memo:
                    address = Const(ADDRESS_BITS, self.frame.address, frozenset({self.frame}))
                    memo[self.frame] = build.emit("load", ADDRESS_BITS, address, attr=4)
                    memo[self.frame].align = 4  # type: ignore[attr-defined]
                return memo[self.frame]

            def place(
                value: Value, block: Block = block, build: Builder = build, memo: dict[object, Value] = memo
            ) -> Value:
                """What stands for an operand here."""
                if isinstance(value, Const):
                    variables = [o for o in value.objects if o in self.variables]
                    if not variables:
                        return value
                    if len(value.objects) > 1:
                        raise HlsError(build.where, "an address of several variables of a recursive function")
                    offset = self.variables[variables[0]] + value.value - variables[0].address
                    return build.op("add", ADDRESS_BITS, base(), Const(ADDRESS_BITS, offset))
                if value not in self.slots or home.get(value) is block:  # type: ignore[call-overload]
                    return value
                if value not in memo:
                    at = build.op("add", ADDRESS_BITS, base(), Const(ADDRESS_BITS, self.slots[value]))
                    word = build.emit("load", 8 * _bytes(value), at, attr=_bytes(value))
                    word.align = min(8, _bytes(value))
                    memo[value] = build.resize(word, value.width)
                return memo[value]

            def keep(value: Value, build: Builder = build, out: list[Instr] = out) -> None:
                if value in self.slots:
                    at = build.op("add", ADDRESS_BITS, base(), Const(ADDRESS_BITS, self.slots[value]))
                    word = build.resize(value, 8 * _bytes(value))
                    store = Instr(0, "store", [at, word], _bytes(value), where=build.where)
                    store.align = min(8, _bytes(value))
                    out.append(store)

            for phi in phis:
                keep(phi)
            for instr in body[:-1]:
                instr.args = [place(a) for a in instr.args]
                out.append(instr)
                keep(instr)
            term = body[-1]
            term.args = [place(a) for a in term.args]
            for target in term.blocks if term.op != "call" else [self.headers[term.attr]]:
                for phi in target.phis:
                    phi.args = [place(a) if b is block else a for a, b in zip(phi.args, phi.blocks, strict=True)]
            out.append(term)
            block.instrs = [*phis, *out]

    def _join(self, whole: Function, size: int) -> None:
        """Entry, calls and returns."""
        entry = whole.blocks[0]
        order = [self.headers[f.name] for f in self.functions]
        if len(order) > 1:
            which = Instr(0, "switch", [whole.params[0]], list(range(1, len(order))), blocks=order)
            entry.instrs.append(which)
        else:
            entry.instrs.append(Instr(0, "br", [], blocks=order))
        back, leave, go_on = (Block(whole.fresh(stem)) for stem in ("back", "leave", "go_on"))
        address = Const(ADDRESS_BITS, self.frame.address, frozenset({self.frame}))
        first = Const(ADDRESS_BITS, self.stack.address, frozenset({self.stack}))

        for number, call in enumerate(self.calls):
            term = call.block.instrs.pop()
            build = Builder(whole, call.block.instrs, term.where, "frame")
            now = _load(build, address)
            _store(build, now, Const(32, number))
            _store(build, address, build.op("add", ADDRESS_BITS, now, Const(ADDRESS_BITS, size)))
            build.out.append(Instr(0, "br", [], where=term.where, blocks=[self.headers[term.attr]]))
        returned = Instr(whole.width, "phi", [], name=whole.fresh("returned")) if whole.width else None
        for block in whole.blocks:
            if block.term.op == "ret":
                term = block.instrs.pop()
                build = Builder(whole, block.instrs, term.where, "value")
                if returned is not None:
                    value = build.resize(term.args[0], whole.width) if term.args else Const(whole.width, 0)
                    returned.args.append(value)
                    returned.blocks.append(block)
                build.out.append(Instr(0, "br", [], where=term.where, blocks=[back]))
        build = Builder(whole, back.instrs, whole.where, "frame")
        if returned is not None:
            back.instrs.append(returned)
        now = _load(build, address)
        build.out.append(Instr(0, "br", [build.op("icmp", 1, now, first, attr="eq")], blocks=[leave, go_on]))
        leave.instrs.append(Instr(0, "ret", [returned] if returned is not None else [], where=whole.where))
        build = Builder(whole, go_on.instrs, whole.where, "frame")
        before = build.op("add", ADDRESS_BITS, now, Const(ADDRESS_BITS, (1 << 32) - size))
        _store(build, address, before)
        where = _load(build, before)
        targets = [call.resume for call in self.calls]
        build.out.append(Instr(0, "switch", [where], list(range(1, len(targets))), blocks=targets))
        whole.blocks += [back, leave, go_on]
        for call in self.calls:
            if call.result is not None:
                assert returned is not None
                out: list[Instr] = []
                call.result.args = [
                    Builder(whole, out, call.result.where, "result").resize(returned, call.result.width)
                ]
                call.resume.instrs[0:0] = out

    def _callers(self, whole: Function, names: set[str]) -> None:
        """Calls from outside say which function they mean."""
        many = len(self.functions) > 1
        for function in self.module.functions.values():
            if function is whole:
                continue
            for block in function.blocks:
                for index, instr in enumerate(block.instrs):
                    if instr.op != "call" or instr.attr not in names:
                        continue
                    which = [f.name for f in self.functions].index(instr.attr)
                    args: list[Value] = [Const(8, which)] if many else []
                    for other in self.functions:
                        own = other.name == instr.attr
                        args += instr.args if own else [Const(p.width, 0) for p in other.params]
                    instr.args, instr.attr = args, whole.name
                    if instr.width and instr.width != whole.width:
                        narrow = Instr(instr.width, "trunc", [instr], name=function.fresh("narrow"), where=instr.where)
                        replace_all(function, {instr: narrow})
                        narrow.args = [instr]
                        instr.width = whole.width
                        block.instrs.insert(index + 1, narrow)


def _bytes(value: Value) -> int:
    """Of a value in a frame."""
    return max(1, 1 << ((value.width + 7) // 8 - 1).bit_length())


def _load(build: Builder, address: Value) -> Value:
    word = build.emit("load", 32, address, attr=4)
    word.align = 4
    return word


def _store(build: Builder, address: Value, value: Value) -> None:
    store = Instr(0, "store", [address, value], 4, where=build.where)
    store.align = 4
    build.out.append(store)


def _live_into(function: Function) -> dict[Block, set[Value]]:
    """For each block the values that it or a later one uses and that are defined before it; phis' not among them."""
    uses: dict[Block, set[Value]] = {}
    defines: dict[Block, set[Value]] = {}
    for block in function.blocks:
        known: set[Value] = set(block.phis)
        uses[block], defines[block] = set(), known
        for instr in block.instrs[len(block.phis) :]:
            uses[block] |= _values(instr.args) - known
            known.add(instr)
    into = {block: set(uses[block]) for block in function.blocks}
    changed = True
    while changed:
        changed = False
        for block in reversed(function.blocks):
            out: set[Value] = set()
            for target in block.successors():
                out |= into[target]
                for phi in target.phis:
                    pairs = zip(phi.args, phi.blocks, strict=True)
                    out |= _values(a for a, b in pairs if b is block)
            new = into[block] | (out - defines[block])
            if len(new) != len(into[block]):
                into[block], changed = new, True
    return into


def _values(args: Iterable[Value]) -> set[Value]:
    return {a for a in args if isinstance(a, (Instr, Param))}
