# SPDX-License-Identifier: Apache-2.0
"""All that is known when text is written: functions, plans, memories, binding; and the names of everything."""

from __future__ import annotations

from dataclasses import dataclass, field

from polyloom.hls.bind import Binding
from polyloom.hls.ir import Block, Const, Function, Instr, Module, Param, Value
from polyloom.hls.memory import Memories
from polyloom.hls.names import Names
from polyloom.hls.schedule.plan import Plan


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
    all_names: Names = field(default_factory=lambda: Names("S_DONE"))
    names: dict[Value, str] = field(default_factory=dict)
    registers: dict[str, int] = field(default_factory=dict)  # width by name
    captures: set[tuple[Instr, int]] = field(default_factory=set)  # values that are kept, how many iterations back
    block_names: dict[Block, str] = field(default_factory=dict)
    function_of: dict[Block, Function] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Name everything."""
        many = len(self.module.functions) > 1
        for function in self.module.functions.values():
            prefix = f"{function.name}_" if many and function.name != self.module.entry else ""
            for param in function.params:
                self.names[param] = self.all_names.of(param, f"v_{prefix}{param.name}")
            for block in function.blocks:
                self.function_of[block] = function
                self.block_names[block] = self.all_names.of(block, f"S_{prefix}{block.name}".upper())
                for instr in block.instrs:
                    if instr.width:
                        self.names[instr] = self.all_names.of(instr, f"v_{prefix}{instr.name}")

    def state(self, block: Block, cycle: int) -> str:
        """The state of a block's cycle."""
        plan = self.plans[block]
        name = self.block_names[block]
        return name if plan.ii or plan.length == 1 else self.all_names.of((block, cycle), f"{name}_{cycle}")

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
            return self.register(self.kept_name(value, 1), value.width)
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

    def kept_name(self, value: Value, depth: int) -> str:
        """Register of a value, ``depth`` iterations back."""
        return self.all_names.of((value, depth), f"{self.names[value]}_q{depth if depth > 1 else ''}")

    def source_register(self, load: Instr, width: int) -> str:
        """Register that knows which memory a load went to."""
        return self.register(self.all_names.of((load, "from"), f"{self.names[load]}_from_q"), width)

    def result_register(self, function: str, width: int) -> str:
        """Register of a shared function's result."""
        return self.register(self.all_names.of((function, "result"), f"v_{function}_result_q"), width)

    def link_register(self, function: str) -> str:
        """Register of a shared function's return state."""
        return self.all_names.of((function, "link"), f"v_{function}_link_q")

    def when(self, plan: Plan, cycle: int) -> tuple[str, str]:
        """State, and what else must hold, for an operation of a plan's cycle."""
        if not plan.ii:
            return self.state(plan.block, cycle), ""
        terms = [f"phase_q == PHASE_BITS'({cycle % plan.ii})"] if plan.ii > 1 else []
        terms.append(f"running_q[{cycle // plan.ii}]")
        return self.state(plan.block, 0), " && ".join(terms)


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
