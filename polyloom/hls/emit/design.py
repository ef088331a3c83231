# SPDX-License-Identifier: Apache-2.0
"""All that is known when text is written: functions, plans, memories, binding; and the names of everything."""

from __future__ import annotations

from dataclasses import dataclass, field

from polyloom.hls.bind import Binding
from polyloom.hls.ir import Block, Const, Function, Instr, Module, Param, Value
from polyloom.hls.memory import Memories
from polyloom.hls.schedule.plan import Plan

_RESERVED = {
    *("check_word_q", "check_command_q", "check_place_q", "check_sends", "check_message", "check_known"),
    *("always", "and", "assign", "begin", "bit", "byte", "case", "cell", "class", "clk_i", "config", "const", "cover"),
    *("default", "design", "do", "edge", "else", "end", "endcase", "endmodule", "enum", "event", "export", "extends"),
    *(
        "final",
        "for",
        "force",
        "function",
        "if",
        "import",
        "initial",
        "inout",
        "input",
        "int",
        "integer",
        "join",
        "local",
    ),
    *("logic", "longint", "module", "nand", "new", "nor", "not", "null", "or", "output", "package", "packed", "pull0"),
    *("real", "ref", "reg", "release", "repeat", "return", "rst_ni", "shortint", "signed", "small", "static", "string"),
    *("struct", "super", "table", "task", "this", "time", "type", "union", "unique", "unsigned", "use", "var", "void"),
    *("wait", "weak", "while", "wire", "with", "within", "xnor", "xor", "tagged", "priority", "program", "property"),
    *("sequence", "solve", "strong", "matches", "medium", "large", "inside", "interface", "expect", "buf", "before"),
    *(
        "bind",
        "bins",
        "break",
        "continue",
        "checker",
        "cross",
        "deassign",
        "dist",
        "endclass",
        "fork",
        "global",
        "highz0",
    ),
    *("iff", "let", "library", "mailbox", "rand", "randc", "scalared", "semaphore", "specify", "std", "supply0", "tri"),
    *("uwire", "virtual", "wand", "wor", "advance", "alias", "assert", "assume", "automatic", "chandle", "clocking"),
}


def literal(width: int, value: int) -> str:
    """A sized constant."""
    return f"{width}'d{value}" if value < 10 else f"{width}'h{value:x}"


@dataclass(eq=False)
class Design:
    """What the emitters share."""

    module: Module
    plans: dict[Block, Plan]
    memories: Memories
    binding: Binding
    dram_bytes: int
    names: dict[Value, str] = field(default_factory=dict)
    registers: dict[str, int] = field(default_factory=dict)  # width by name
    captures: set[tuple[Instr, int]] = field(default_factory=set)  # values that are kept, how many iterations back
    block_names: dict[Block, str] = field(default_factory=dict)
    function_of: dict[Block, Function] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Name everything."""
        used = set(_RESERVED)
        many = len(self.module.functions) > 1
        for function in self.module.functions.values():
            prefix = f"{function.name}_" if many and function.name != self.module.entry else ""
            for param in function.params:
                self.names[param] = _unique(f"{prefix}{param.name}", used)
            for block in function.blocks:
                self.function_of[block] = function
                self.block_names[block] = _unique(f"S_{prefix}{block.name}".upper(), used).upper()
                for instr in block.instrs:
                    if instr.width:
                        self.names[instr] = _unique(f"{prefix}{instr.name}", used)

    def state(self, block: Block, cycle: int) -> str:
        """The state of a block's cycle."""
        plan = self.plans[block]
        return self.block_names[block] if plan.ii or plan.length == 1 else f"{self.block_names[block]}_{cycle}"

    def states(self) -> list[str]:
        """All states."""
        result = []
        for block, plan in self.plans.items():
            result += [self.state(block, 0)] if plan.ii else [self.state(block, c) for c in range(plan.length)]
        return [*result, "S_DONE"]

    def register(self, name: str, width: int) -> str:
        """Note that a register is needed."""
        self.registers[name] = width
        return name

    def ref(self, value: Value, plan: Plan, cycle: int) -> str:
        """The text of an operand in a cycle of a plan."""
        if isinstance(value, Const):
            return literal(value.width, value.value)
        if isinstance(value, Param):
            return self.register(f"{self.names[value]}_q", value.width)
        assert isinstance(value, Instr), value
        if value.op == "phi":
            return self._phi(value, plan, cycle)
        if value not in plan.ready:
            return self._kept(value, 1)
        ready = plan.ready[value]
        if ready == cycle:
            return self.names[value]
        depth = -(-(cycle - ready) // plan.ii) if plan.ii else 1
        return self._kept(value, depth)

    def ref_at_exit(self, value: Value, plan: Plan) -> str:
        """An operand when a loop has come to its end: of the last iteration."""
        last = plan.stages * plan.ii - 1
        if isinstance(value, Instr) and value in plan.ready and plan.ready[value] != last:
            return self._kept(value, 1)
        return self.ref(value, plan, last)

    def _phi(self, phi: Instr, plan: Plan, cycle: int) -> str:
        depth = 1
        if plan.ii and plan.block in phi.blocks and phi in plan.block.instrs:
            after = phi.args[phi.blocks.index(plan.block)]
            assert isinstance(after, Instr)
            depth = -(-(cycle - (plan.ready[after] - plan.ii)) // plan.ii)
        return self._kept(phi, depth)

    def _kept(self, value: Instr, depth: int) -> str:
        for back in range(1, depth + 1):
            self.captures.add((value, back))
        return self.register(self.kept_name(value, depth), value.width)

    def kept_name(self, value: Instr, depth: int) -> str:
        """Register of a value, ``depth`` iterations back."""
        return f"{self.names[value]}_q{depth if depth > 1 else ''}"

    def when(self, plan: Plan, cycle: int) -> tuple[str, str]:
        """State, and what else must hold, for an operation of a plan's cycle."""
        if not plan.ii:
            return self.state(plan.block, cycle), ""
        terms = [f"phase_q == PHASE_BITS'({cycle % plan.ii})"] if plan.ii > 1 else []
        terms.append(f"running_q[{cycle // plan.ii}]")
        return self.state(plan.block, 0), " && ".join(terms)


def clean(name: str) -> str:
    """A name of the program as part of a name in SystemVerilog."""
    return "".join(c if c.isalnum() else "_" for c in name)


def _unique(name: str, used: set[str]) -> str:
    clean = "".join(c if c.isalnum() else "_" for c in name).strip("_") or "t"
    clean = clean if clean[0].isalpha() else f"v{clean}"
    candidate, count = clean, 1
    while candidate.lower() in used or f"{candidate.lower()}_q" in used:
        count += 1
        candidate = f"{clean}_{count}"
    used.update({candidate.lower()})
    return candidate


def cases(actions: dict[str, list[str]], indent: str = "      ") -> list[str]:
    """Arms of a case statement."""
    lines = []
    for state, body in actions.items():
        if len(body) == 1 and "\n" not in body[0] and not body[0].startswith(("if", "for")):
            lines.append(f"{indent}{state}: {body[0]}")
        else:
            lines += [f"{indent}{state}: begin", *(f"{indent}  {line}" for line in body), f"{indent}end"]
    return [*lines, f"{indent}default: ;"]


def clocked_cases(actions: dict[str, list[str]]) -> list[str]:
    """A process that does, at each edge at which the circuit advances, what its state asks for."""
    return [
        "  always_ff @(posedge clk_i) begin",
        "    if (advance) begin",
        "      case (state_q)",
        *cases(actions, "        "),
        "      endcase",
        "    end",
        "  end",
    ]


def guarded(guard: str, text: str) -> str:
    """A statement under a condition."""
    return f"if ({guard}) {text}" if guard else text
