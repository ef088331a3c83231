# SPDX-License-Identifier: Apache-2.0
"""Each operation's value as a wire: ``assign v_sum = v_a_q + v_b;``; operands are wires or registers."""

from __future__ import annotations

from polyloom.hls.emit.design import Design, literal
from polyloom.hls.ir import Instr, Value
from polyloom.hls.memory import Memories
from polyloom.hls.schedule.plan import Plan

_BINARY = {
    **{"add": "+", "sub": "-", "mul": "*", "and": "&", "or": "|", "xor": "^", "shl": "<<", "lshr": ">>"},
}
_COMPARE = {"eq": "==", "ne": "!=", "ult": "<", "ule": "<=", "slt": "<", "sle": "<="}


class Datapath:
    """Text of all wires."""

    def __init__(self, design: Design) -> None:
        self.design = design

    def lines(self) -> list[str]:
        """Declarations and assignments, block by block."""
        result = []
        for block, plan in self.design.plans.items():
            wires = [i for i in sorted(block.body, key=lambda i: plan.time[i]) if i.width]
            if not wires:
                continue
            result += ["", f"  // {self.design.block_names[block]}: {_where(plan)}"]
            for instr in wires:
                name = self.design.names[instr]
                result.append(f"  logic {vector(instr.width)}{name};")
                result.append(f"  assign {name} = {self.expression(instr, plan)};")
        return result

    def expression(self, instr: Instr, plan: Plan) -> str:
        """Right-hand side of a value."""
        time = plan.time[instr]
        args = [self.design.ref(a, plan, time) for a in instr.args]
        if instr in self.design.binding.unit_of:
            return self._unit(instr)
        op = instr.op
        if op in _BINARY:
            return f"{args[0]} {_BINARY[op]} {args[1]}"
        if op == "ashr":
            return f"$signed({args[0]}) >>> {args[1]}"
        if op == "icmp":
            sign = instr.attr in {"slt", "sle"}
            left, right = (f"$signed({a})" if sign else a for a in args)
            return f"{left} {_COMPARE[instr.attr]} {right}"
        if op == "select":
            return f"{args[0]} ? {args[1]} : {args[2]}"
        if op == "zext":
            return f"{instr.width}'({args[0]})"
        if op == "sext":
            return f"{instr.width}'($signed({args[0]}))"
        if op == "trunc":
            return f"{args[0]}[{instr.width - 1}:0]" if instr.width > 1 else f"{args[0]}[0]"
        if op == "copy":
            return args[0]
        if op == "load":
            return self._load(instr)
        if op == "result":
            return self.design.result_register(instr.attr, instr.width)
        if op == "pop":
            return "rsp_i" if instr.attr == 0 else f"pop_{instr.attr}_i"
        return {"cycle": "cycle_i", "rank": "32'(rank_i)"}[op]

    def _unit(self, instr: Instr) -> str:
        use = self.design.binding.unit_of[instr]
        output = "z"
        if use.unit.kind == "divide":
            output = "quotient" if instr.op in {"udiv", "sdiv"} else "remainder"
        if use.unit.kind == "fp_cmp":
            return compare(instr.attr, use.name)
        name = f"{use.name}_{output}"
        return name if instr.width == use.unit.result else f"{name}[{instr.width - 1}:0]"

    def _load(self, instr: Instr) -> str:
        memories = self.design.memories.of(instr)
        sources = []
        for memory in memories:
            port = self.design.binding.port_of[(instr, memory)]
            sources.append((f"{memory.name}_{max(port.copy, 0)}_{port.side}_rdata", memory))
        dram = Memories.may_be_dram(instr)
        low = f"[{instr.width - 1}:0]"
        if not sources and not dram:
            return literal(instr.width, 0)
        if len(sources) == 1 and not dram:
            return sources[0][0] + low
        text = f"dram_aligned{low}" if dram else literal(instr.width, 0)
        for index, (source, _) in reversed(list(enumerate(sources))):
            chosen = self.design.source_register(instr, len(sources))
            bit = f"{chosen}[{index}]" if len(sources) > 1 else chosen
            text = f"{bit} ? {source}{low} : {text}"
        return text


def compare(predicate: str, unit: str) -> str:
    """LLVM's comparison from less, equal and unordered; greater is what is left."""
    less, equal, unordered = f"{unit}_lt", f"{unit}_eq", f"{unit}_unordered"
    terms = {"oeq": [equal], "olt": [less], "ole": [less, equal], "uno": [unordered]}
    if predicate in terms:
        return " || ".join(terms[predicate])
    inverse = {"une": "oeq", "uge": "olt", "ugt": "ole", "ord": "uno"}
    if predicate in inverse:
        return f"!({compare(inverse[predicate], unit)})"
    if predicate in {"ueq", "ult", "ule"}:
        return f"{compare('o' + predicate[1:], unit)} || {unordered}"
    return f"!({compare({'one': 'ueq', 'ogt': 'ule', 'oge': 'ult'}[predicate], unit)})"


def vector(width: int) -> str:
    """The packed dimension of a declaration."""
    return f"[{width - 1}:0] " if width > 1 else ""


def _where(plan: Plan) -> str:
    where = next((i.where for i in plan.block.instrs if i.where), "no source line")
    return f"{where}; an iteration every {plan.ii} cycles" if plan.ii else where


def in_region(address: str, base: int, bits: int) -> str:
    """Whether an address (a name) is in an aligned region."""
    return f"{address}[31:{bits}] == {literal(32 - bits, base >> bits)}"


__all__ = ["Datapath", "Value", "in_region", "vector"]
