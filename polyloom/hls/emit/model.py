# SPDX-License-Identifier: Apache-2.0
"""A kernel as C++ that computes what the circuit computes and knows the cycle of all that is seen from outside.

Input: the Design that emit/kernel.py makes the circuit of; output: a C++20 file for roles/mpi/arch/kernel_model.h. A
function becomes a member that runs until the next access to the outside: it then keeps what is needed later in the
object and returns true; called again, it goes on there. Within a block, operations stand in the order of their cycles,
so what the plan knows of an operation's cycle is a constant beside the cycle in which the block began.
"""

from __future__ import annotations

from typing import Any

from polyloom.hls.emit.checks import Fault, fault_of
from polyloom.hls.emit.count import DRAM, ENGINE, SHARED, Counting
from polyloom.hls.emit.design import Design
from polyloom.hls.fold import mask
from polyloom.hls.ir import DRAM_BASE, Block, Const, Function, Instr, Param, Value
from polyloom.hls.memory import Memories, Memory
from polyloom.hls.names import Names
from polyloom.hls.objects import BASE
from polyloom.hls.options import Options
from polyloom.hls.reader.debug import in_library
from polyloom.hls.schedule.plan import Plan

_BINARY = {"add": "+", "sub": "-", "mul": "*", "and": "&", "or": "|", "xor": "^"}
_SHIFTS = {"shl": "<<", "lshr": ">>"}
_COMPARE = {"eq": "==", "ne": "!=", "ult": "<", "ule": "<=", "slt": "<", "sle": "<="}
_FLOAT = {"fadd": "+", "fsub": "-", "fmul": "*", "fdiv": "/"}
#: LLVM's comparisons of floats in C++, where one with a NaN is false.
_FLOAT_COMPARE = {
    **{"oeq": "{a} == {b}", "ogt": "{a} > {b}", "oge": "{a} >= {b}", "olt": "{a} < {b}", "ole": "{a} <= {b}"},
    **{"one": "{a} < {b} || {a} > {b}", "ord": "{a} == {a} && {b} == {b}", "uno": "{a} != {a} || {b} != {b}"},
    **{"ueq": "!({a} < {b} || {a} > {b})", "une": "{a} != {b}", "ugt": "!({a} <= {b})", "uge": "!({a} < {b})"},
    **{"ult": "!({a} >= {b})", "ule": "!({a} > {b})"},
}
_MANTISSA = {32: (23, 8), 64: (52, 11)}


def model_text(design: Design, options: Options) -> str:
    """The C++ file; it defines ``polyloom_kernel_model``, which makes the model."""
    return _model(design, options)[0]


def counted(design: Design, options: Options) -> dict[str, Any]:
    """What the counters of a model with ``Options.count`` are: ``calls`` sets of ``rows``, of emit/count.py."""
    _, calls, counting = _model(design, options)
    return {"calls": ["", *calls], "rows": counting.rows}


def _model(design: Design, options: Options) -> tuple[str, dict[str, int], Counting]:
    names, calls, shared, counting = Names(), _calls(design), _Shared(design), Counting(design)
    functions = [
        line
        for f in design.module.functions.values()
        for line in _Function(design, options, names, calls, shared, counting, f).lines()
    ]
    memories = design.memories.memories
    areas = [
        f"{{{m.base:#x}, {m.words * 8:#x}, {_truth(m.obj.kind == 'constant')}, {shared.counters.get(m, -1)}}},"
        for m in memories
    ]
    fill = [
        f"    std::memcpy(memory_ + {m.base - BASE:#x}, {_bytes(m.obj.content)});" for m in memories if m.obj.content
    ]
    reported = options.checks and options.commands
    places = ", ".join(_quoted(place) for place in ["the library", *calls])
    lines = [
        "// SPDX-License-Identifier: Apache-2.0",
        "// Made from C by polyloom.hls; see polyloom/hls/README.md, The model. Do not edit.",
        '#include "kernel_model.h"',
        "",
        "namespace {",
        "",
        "using namespace polyloom::hls;",
        "using namespace polyloom::hls::model;",
        "",
        f"constexpr Area kAreas[] = {{{' '.join(areas) or '{0, 0, true, -1}'}}};",
        *([f"constexpr const char* kCalls[] = {{{places}}};"] if reported else []),
        "",
        "class Kernel final : public KernelModel {",
        " public:",
        f"  Kernel() : KernelModel(kAreas, {len(memories)}, memory_, dma_, {len(shared.counters)}) {{",
        *fill,
        "  }",
        "",
        " private:",
        f"  bool resume() override {{ return {names.of((design.module.entry, 'f'), 'f_entry')}(); }}",
        *functions,
        *(["  u32 call_ = 0;"] if reported or options.count else []),
        *(_counters(len(counting.rows), len(calls) + 1) if options.count else []),
        f"  u64 dma_[{len(shared.counters) or 1}] = {{}};",
        f"  alignas(64) u8 memory_[{_ram_bytes(design) + 8:#x}] = {{}};",
        "};",
        "",
        "}  // namespace",
        "",
        'extern "C" KernelModel* polyloom_kernel_model() { return new Kernel; }',
    ]
    return "\n".join(lines) + "\n", calls, counting


def _counters(rows: int, calls: int) -> list[str]:
    return [
        f"  static constexpr u32 kRows = {rows};",
        f"  u64 counts_[kRows * {calls}] = {{}};",
        "  Counts counts() const override { return {counts_, sizeof counts_ / sizeof *counts_}; }",
    ]


def _calls(design: Design) -> dict[str, int]:
    """Places where the program calls what is no part of its caller, numbered from 1."""
    called = (i for f in design.module.functions.values() for i in f.instrs() if i.op == "call")
    places = dict.fromkeys(i.where for i in called if not in_library(i.where))
    return {place: number for number, place in enumerate(places, 1)}


def _ram_bytes(design: Design) -> int:
    """From the first object's address to behind the last one's region."""
    return max((m.base + (1 << m.region_bits) - BASE for m in design.memories.memories), default=0)


def _truth(value: bool) -> str:
    return "true" if value else "false"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("?", "\\?")
    return f'"{escaped}"'


def _bytes(content: bytes) -> str:
    """A string literal and its length."""
    data = content.rstrip(b"\0")
    lines = ["".join(f"\\{b:03o}" for b in data[at : at + 64]) for at in range(0, len(data), 64)]
    return "\n        ".join(f'"{line}"' for line in lines or [""]) + f", {len(data)}"


def _type(width: int) -> str:
    return "u32" if width <= 32 else "u64" if width <= 64 else "u128"


def _literal(width: int, value: int) -> str:
    if width <= 32:
        return f"{value:#x}u" if value > 9 else f"{value}u"
    if width <= 64:
        return f"u64{{{value:#x}u}}"
    return f"(u128{{{value >> 64:#x}u}} << 64 | {value & mask(64):#x}u)"


def _cut(text: str, width: int) -> str:
    """A number of which only the lower bits count."""
    return text if width in {32, 64, 128} else f"({text}) & {_literal(width, mask(width))}"


class _Shared:
    """When the kernel uses the port of a memory that DMA has, too; a counter for each memory where it ever does."""

    def __init__(self, design: Design) -> None:
        self.counters: dict[Memory, int] = {}
        self.times: dict[Plan, dict[int, set[int]]] = {}  # cycles of a plan, by counter
        for access in design.binding.accesses:
            if access.port.side == "b":
                counter = self.counters.setdefault(access.port.memory, len(self.counters))
                times = self.times.setdefault(access.plan, {}).setdefault(counter, set())
                times.add(access.plan.time[access.instr])

    def block(self, plan: Plan) -> list[str]:
        """Counts a block."""
        return [f"dma_[{n}] += {len(times)};" for n, times in self.times.get(plan, {}).items()]

    def loop(self, plan: Plan) -> list[str]:
        """Counts the iterations between ``begin``, when the loop began or went on after a pause, and ``cycle``."""
        phases = {n: {t % plan.ii for t in times} for n, times in self.times.get(plan, {}).items()}
        return [f"dma_[{n}] += (cycle - begin) / {plan.ii} * {len(of)};" for n, of in phases.items()]


class _Function:
    """Writes one function."""

    def __init__(
        self,
        design: Design,
        options: Options,
        names: Names,
        calls: dict[str, int],
        shared: _Shared,
        counting: Counting,
        function: Function,
    ) -> None:
        self.design, self.options, self.function = design, options, function
        self.names, self.calls, self.shared, self.counting = names, calls, shared, counting
        self.at = self._name("at", function.name)
        self.order = {b: sorted(b.body, key=lambda i: design.plans[b].time[i]) for b in function.blocks}
        self.place = {b: n for n, b in enumerate(function.blocks)}
        self.live_in = _live_in(function)
        self.kept: dict[Value, None] = {}
        self.points = 0

    def lines(self) -> list[str]:
        """The member function and what it keeps."""
        name, function = self.function.name, self.function
        body: list[str] = []
        for block in function.blocks:
            body += [f"  {self._label(block)}:;", *(f"    {line}" for line in self._block(block))]
        values: list[Value] = [*function.params, *(i for i in function.instrs() if i.width)]
        declared = [f"    {_type(v.width)} {self.design.names[v]};" for v in values]
        self.kept |= dict.fromkeys(function.params)
        kept = [f"  {_type(v.width)} {self.design.names[v]};" for v in values if v in self.kept]
        if function.width:
            kept.append(f"  {_type(function.width)} {self._name('result', name)};")
        return [
            f"  int {self.at} = 0;",
            *kept,
            f"  bool {self._name('f', name)}() {{",
            *declared,
            "    u64 cycle = now_, begin = now_;",
            "    const u64 limit = limit_;",
            f"    switch ({self.at}) {{",
            *(f"      case {point}: goto r{point};" for point in range(1, self.points + 1)),
            "      default: break;",
            "    }",
            *(f"    {line}" for line in self._reload(function.params)),
            *body,
            "  }",
            "",
        ]

    def _label(self, block: Block) -> str:
        return f"l{self.place[block]}"

    def _name(self, kind: str, function: str) -> str:
        return self.names.of((function, kind), f"{kind}_{function}")

    def _ref(self, value: Value) -> str:
        return _literal(value.width, value.value) if isinstance(value, Const) else self.design.names[value]

    # Leaving and coming back

    def _save(self, live: list[Value]) -> list[str]:
        names = [self.design.names[v] for v in live if not isinstance(v, Param)]
        return [f"this->{name} = {name};" for name in names]

    def _reload(self, live: list[Value] | list[Param]) -> list[str]:
        self.kept |= dict.fromkeys(live)
        return [f"{self.design.names[v]} = this->{self.design.names[v]};" for v in live]

    def _point(self) -> int:
        self.points += 1
        return self.points

    def _leave(self, request: str, live: list[Value], base: str, kind: str, instr: Instr, least: int = 0) -> list[str]:
        """An access; ``base``: the cycle in which the block began, if the access took place in ``now_``.

        It is counted as a wait of ``kind`` if it takes more than ``least`` cycles.
        """
        point = self._point()
        leave = [f"{request};", *self._save(live), f"{self.at} = {point};", "return true;"]
        waits = []
        if self.options.count:
            waits = self._count(self.counting.wait(kind, instr), f"waited() - {least}")
        return [*leave, f"r{point}:;", *waits, *self._reload(live), f"cycle = {base};"]

    def _count(self, row: int, by: str = "1") -> list[str]:
        return [f"counts_[call_ * kRows + {row}] += {by};"] if self.options.count else []

    def _iterations(self, plan: Plan) -> list[str]:
        """Counts those between ``begin``, when the loop began or went on after a pause, and ``cycle``."""
        count = self._count(self.counting.rows_of(plan.block)[0], f"(cycle - begin) / {plan.ii}")
        return [*self.shared.loop(plan), *count]

    # Blocks

    def _block(self, block: Block) -> list[str]:
        plan = self.design.plans[block]
        live_after = self._live_after(block)
        lines: list[str] = []
        for instr in self.order[block]:
            lines += self._check(instr, plan)
            lines += self._instr(instr, plan.time[instr], live_after[instr])
        if plan.ii:
            return lines + self._loop(block, plan)
        counts = [*self.shared.block(plan), *self._count(self.counting.rows_of(block)[0])]
        return [*lines, *counts, f"cycle += {plan.length};", *self._terminator(block, plan)]

    def _live_after(self, block: Block) -> dict[Instr, list[Value]]:
        """For each operation, in the order of the text, what is needed after it besides its result."""
        live = _live_out(block, self.live_in)
        live.update(dict.fromkeys(_variables(block.term.args)))
        result: dict[Instr, list[Value]] = {}
        for instr in reversed(self.order[block]):
            live.pop(instr, None)
            result[instr] = list(live)
            live.update(dict.fromkeys(_variables(instr.args)))
        return result

    def _loop(self, block: Block, plan: Plan) -> list[str]:
        """Iterations that overlap: the next one begins ``ii`` cycles later, the last one takes all its stages."""
        again, exit_ = block.term.blocks
        condition = self._ref(block.term.args[0])
        if again is not block:
            again, exit_, condition = exit_, again, f"!{condition}"
        more = [f"cycle += {plan.ii};", *self._jump(block, again)]
        return [
            f"if ({condition}) {{",
            *(f"  {line}" for line in more),
            "}",
            f"cycle += {plan.ii};",
            *self._iterations(plan),
            *self._count(self.counting.rows_of(block)[1]),
            f"cycle += {(plan.stages - 1) * plan.ii};",
            *self._jump(block, exit_),
        ]

    def _jump(self, source: Block, target: Block) -> list[str]:
        phis = [(p, p.args[p.blocks.index(source)]) for p in target.phis]
        moves = [(p, a) for p, a in phis if p is not a]
        written = {p for p, _ in moves}
        if any(a in written for _, a in moves):  # all at once
            lines = [f"const {_type(p.width)} t{n} = {self._ref(a)};" for n, (p, a) in enumerate(moves)]
            lines += [f"{self._ref(p)} = t{n};" for n, (p, _) in enumerate(moves)]
            lines = ["{", *(f"  {line}" for line in lines), "}"]
        else:
            lines = [f"{self._ref(p)} = {self._ref(a)};" for p, a in moves]
        plan = self.design.plans[target]
        if self.place[target] <= self.place[source]:
            live = [*target.phis, *self.live_in[target]]
            pause = self._leave("request(Touch::pause, cycle)", live, "now_", SHARED, target.term)
            if plan.ii and target is source:
                pause = [*self._iterations(plan), *pause]
            lines += ["if (cycle >= limit) {", *(f"  {line}" for line in pause), "}"]
        if plan.ii and target is not source:
            lines.append("begin = cycle;")
        return [*lines, f"goto {self._label(target)};"]

    def _terminator(self, block: Block, plan: Plan) -> list[str]:
        term = block.term
        if term.op == "br" and len(term.blocks) == 2:
            yes, no = (self._jump(block, target) for target in term.blocks)
            return [f"if ({self._ref(term.args[0])}) {{", *(f"  {line}" for line in yes), "}", *no]
        if term.op == "br":
            return self._jump(block, term.blocks[0])
        if term.op == "switch":
            return self._switch(block)
        if term.op == "call":
            return self._call(block)
        if term.op == "ret" and self.function.name != self.design.module.entry:
            result = [f"{self._name('result', self.function.name)} = {self._ref(a)};" for a in term.args]
            return [*result, "now_ = cycle;", "return false;"]
        return ["request(Touch::done, cycle);", "return true;"]

    def _switch(self, block: Block) -> list[str]:
        term = block.term
        labels: dict[Block, list[int]] = {}
        for case, target in zip(term.attr, term.blocks[1:], strict=True):
            labels.setdefault(target, []).append(case)
        value, lines = term.args[0], []
        for target, cases in labels.items():
            condition = " || ".join(f"{self._ref(value)} == {_literal(value.width, c)}" for c in cases)
            lines += [f"if ({condition}) {{", *(f"  {line}" for line in self._jump(block, target)), "}"]
        return [*lines, *self._jump(block, term.blocks[0])]

    def _call(self, block: Block) -> list[str]:
        term = block.term
        callee = self.design.module.functions[term.attr]
        after = term.blocks[0]
        lines = [
            f"this->{self.design.names[p]} = {self._ref(a)};" for p, a in zip(callee.params, term.args, strict=True)
        ]
        if (self._commands() or self.options.count) and not in_library(term.where):
            lines.append(f"call_ = {self.calls[term.where]};")
        point = self._point()
        live = list(_live_out(block, self.live_in))
        leave = [*self._save(live), f"{self.at} = {point};", "return true;"]
        return [
            *lines,
            "now_ = cycle;",
            f"{self._name('at', term.attr)} = 0;",
            "if (false) {",
            f"r{point}:;",
            *(f"  {line}" for line in self._reload(live)),
            "}",
            f"if ({self._name('f', term.attr)}()) {{",
            *(f"  {line}" for line in leave),
            "}",
            "cycle = now_;",
            *self._jump(block, after),
        ]

    def _commands(self) -> bool:
        return self.options.checks and self.options.commands

    # Operations

    def _instr(self, instr: Instr, time: int, live: list[Value]) -> list[str]:
        name, at = self.design.names.get(instr, ""), f"cycle + {time}"
        taken = f"now_ - {time}"
        args = [self._ref(a) for a in instr.args]
        if instr.op == "push":
            lines = self._leave(f"request_push({instr.attr}, {args[0]}, {at})", live, taken, ENGINE, instr)
            if instr.attr == 0 and self._commands():
                place = "kCalls[call_]" if in_library(instr.where) else _quoted(instr.where)
                lines.append(f"if (bad_command({place}, {self.design.dram_bytes:#x}u)) return true;")
            return lines
        if instr.op == "pop":
            return [*self._leave(f"request_pop({instr.attr}, {at})", live, taken, ENGINE, instr), f"{name} = word_;"]
        if instr.op == "cycle":
            return [*self._leave(f"request(Touch::cycle, {at})", live, taken, SHARED, instr), f"{name} = word_;"]
        if instr.op == "store":
            return self._store(instr, args, at, live, taken)
        if instr.op == "load":
            return self._load(instr, args[0], at, live, f"{taken} - 1")
        return [f"{name} = {self._expression(instr, args)};"]

    def _ram(self, instr: Instr, address: str) -> tuple[str, str]:
        """(condition, place) of an access to block RAM."""
        memories = self.design.memories.of(instr)
        if len(memories) == 1 and not Memories.may_be_dram(instr):
            memory = memories[0]
            return "", f"memory_ + {memory.base - BASE:#x} + ({address} & {mask(memory.address_bits):#x}u)"
        inside = f"{address} - {BASE:#x}u < {_ram_bytes(self.design):#x}u" if memories else "false"
        return inside, f"memory_ + ({address} - {BASE:#x}u)"

    def _store(self, instr: Instr, args: list[str], at: str, live: list[Value], taken: str) -> list[str]:
        address = args[0]
        inside, place = self._ram(instr, address)
        lines = [f"store<{instr.attr}>({place}, static_cast<u64>({args[1]}));"]
        if Memories.may_be_dram(instr):
            request = f"request_write({address}, static_cast<u64>({args[1]}), {mask(instr.attr):#x}, {at})"
            dram = self._leave(request, live, taken, DRAM, instr)
            lines = [f"if ({address} >= {DRAM_BASE:#x}u) {{", *dram, f"}} else if ({inside}) {{", *lines, "}"]
        elif inside:
            lines = [f"if ({inside}) {{", *lines, "}"]
        return [f"if ({args[2]}) {{", *lines, "}"] if len(args) > 2 else lines

    def _load(self, instr: Instr, address: str, at: str, live: list[Value], taken: str) -> list[str]:
        name, to = self.design.names[instr], _type(instr.width)
        inside, place = self._ram(instr, address)
        word = f"load<{instr.attr}>({place})"
        word = f"{inside} ? {word} : 0" if inside else word
        text = f"{name} = {_cut(f'static_cast<{to}>({word})', instr.width)};"
        if not Memories.may_be_dram(instr):
            return [text]
        dram = self._leave(f"request_read({address}, {at})", live, taken, DRAM, instr, least=1)
        dram.append(f"{name} = {_cut(f'static_cast<{to}>(response())', instr.width)};")
        return [f"if ({address} >= {DRAM_BASE:#x}u) {{", *dram, "} else {", text, "}"]

    def _expression(self, instr: Instr, args: list[str]) -> str:
        op, width, of = instr.op, instr.width, instr.args[0].width if instr.args else 0
        to = _type(width)
        if op in _BINARY:
            return _cut(f"{args[0]} {_BINARY[op]} {args[1]}", width)
        if op in {"shl", "lshr", "ashr"}:
            by = instr.args[1]
            if op in _SHIFTS and isinstance(by, Const) and by.value < width:
                return _cut(f"{args[0]} {_SHIFTS[op]} {by.value}", width)
            return _cut(f"{op}<{width}>({args[0]}, {args[1]})", width)
        if op in {"udiv", "urem"}:
            return _cut(f"{op}({args[0]}, {args[1]})", width)
        if op in {"sdiv", "srem"}:
            return _cut(f"{op}<{width}>({args[0]}, {args[1]})", width)
        if op == "icmp":
            left, right = (f"sign<{of}>({a})" if instr.attr in {"slt", "sle"} else a for a in args)
            return f"{left} {_COMPARE[instr.attr]} {right}"
        if op == "select":
            return f"{args[0]} ? {args[1]} : {args[2]}"
        if op in {"zext", "copy"}:
            return args[0]
        if op == "sext":
            return _cut(f"static_cast<{to}>(sign<{of}>({args[0]}))", width)
        if op == "trunc":
            return _cut(f"static_cast<{to}>({args[0]})", width)
        if op == "result":
            return self._name("result", instr.attr)
        if op == "rank":
            return "rank_"
        return self._float(instr, args)

    def _float(self, instr: Instr, args: list[str]) -> str:
        op, of = instr.op, instr.args[0].width
        if op in {"sitofp", "uitofp"}:
            kind = "float" if instr.width == 32 else "double"
            return f"bits(static_cast<{kind}>({f'sign<{of}>({args[0]})' if op == 'sitofp' else args[0]}))"
        if op in {"fptosi", "fptoui"}:
            whole = 32 if instr.width < 32 or (instr.width == 32 and op == "fptosi") else 64
            mantissa, exponent = _MANTISSA[of]
            text = f"static_cast<{_type(instr.width)}>(integer<u{whole}, {mantissa}, {exponent}>({args[0]}))"
            return _cut(text, instr.width)
        numbers = [f"number({a})" for a in args]
        if op in _FLOAT:
            return f"result({numbers[0]} {_FLOAT[op]} {numbers[1]})"
        if op == "fcmp":
            return _FLOAT_COMPARE[instr.attr].format(a=numbers[0], b=numbers[1])
        if op == "fsqrt":
            return f"result(root({numbers[0]}))"
        return f"bits(static_cast<{'float' if instr.width == 32 else 'double'}>({numbers[0]}))"

    def _check(self, instr: Instr, plan: Plan) -> list[str]:
        fault = fault_of(self.design, instr) if self.options.checks else None
        if fault is None:
            return []
        shown = self._ref(fault.shown)
        texts = [_quoted(f"{instr.where}: {fault.before}"), shown, _quoted(fault.after), f"cycle + {plan.time[instr]}"]
        act = "bad_division" if fault.areas is None else "bad_address"
        return [f"if ({self._wrong(fault)}) [[unlikely]] return {act}({', '.join(texts)}), true;"]

    def _wrong(self, fault: Fault) -> str:
        tested = self._ref(fault.tested)
        if fault.areas is None:
            condition = f"{tested} == 0"
        else:
            terms = [f"{tested} - {base:#x}u < {size:#x}u" for base, size in fault.areas]
            condition = f"!({' || '.join(terms)})" if terms else "true"
        return f"{self._ref(fault.predicate)} && {condition}" if fault.predicate is not None else condition


def _variables(values: list[Value]) -> list[Value]:
    return [v for v in values if not isinstance(v, Const)]


def _live_out(block: Block, live_in: dict[Block, dict[Value, None]]) -> dict[Value, None]:
    """What is needed after a block, in a fixed order."""
    result: dict[Value, None] = {}
    for target in block.successors():
        result.update(live_in[target])
        result.update(dict.fromkeys(_variables([p.args[p.blocks.index(block)] for p in target.phis])))
    return result


def _live_in(function: Function) -> dict[Block, dict[Value, None]]:
    """For each block, what it or a later one needs of what was there before its phis."""
    live: dict[Block, dict[Value, None]] = {b: {} for b in function.blocks}
    changed = True
    while changed:
        changed = False
        for block in reversed(function.blocks):
            needed = _live_out(block, live)
            needed.update(dict.fromkeys(a for i in block.instrs if i.op != "phi" for a in _variables(i.args)))
            defined = set(block.instrs)
            fresh = {v: None for v in needed if v not in defined}
            changed |= fresh.keys() != live[block].keys()
            live[block] = fresh
    return live
