# SPDX-License-Identifier: Apache-2.0
"""The state machine: next states, and what the registers take at the end of each cycle."""

from __future__ import annotations

from polyloom.hls.emit.design import Design, guarded, literal
from polyloom.hls.ir import Block, Const, Instr, Value
from polyloom.hls.memory import Memories
from polyloom.hls.schedule.plan import Plan


class Control:
    """Collects statements by state: ``next_state`` (combinational) and ``updates`` (clocked)."""

    def __init__(self, design: Design) -> None:
        self.design = design
        self.next_state: dict[str, list[str]] = {}
        self.updates: dict[str, list[str]] = {}
        self.phases = max([p.ii for p in design.plans.values()], default=1)
        self.stages = max([p.stages for p in design.plans.values() if p.ii], default=1)
        self.links = {i.attr for f in design.module.functions.values() for i in f.instrs() if i.op == "call"}

    def build(self) -> None:
        """All blocks. References made here decide which values need registers, so captures come last."""
        for block, plan in self.design.plans.items():
            if plan.ii:
                self._loop(block, plan)
            else:
                self._block(block, plan)

    def captures(self) -> None:
        """Values that are used in later cycles go to registers."""
        done: set[tuple[Instr, int]] = set()
        while self.design.captures - done:
            for value, depth in sorted(self.design.captures - done, key=lambda c: (self.design.names[c[0]], c[1])):
                done.add((value, depth))
                self._capture(value, depth)

    def _capture(self, value: Instr, depth: int) -> None:
        plan = next(p for b, p in self.design.plans.items() if value in p.ready or value in b.instrs)
        register = self.design.register(self.design.kept_name(value, depth), value.width)
        if value.op == "phi":
            if not plan.ii:
                return  # written by the jumps to its block
            after = value.args[value.blocks.index(plan.block)]
            assert isinstance(after, Instr)
            cycle, source = plan.ready[after], self.design.names[after]
        else:
            cycle, source = plan.ready[value], self.design.names[value]
        state, guard = self.design.when(plan, cycle)
        if depth > 1:
            source = self.design.register(self.design.kept_name(value, depth - 1), value.width)
            guard = f"phase_q == PHASE_BITS'({cycle % plan.ii})" if plan.ii > 1 else ""
        self.updates.setdefault(state, []).append(guarded(guard, f"{register} <= {source};"))

    def _jump(self, source: Block, plan: Plan, target: Block, at_exit: bool = False) -> tuple[list[str], list[str]]:
        """(next-state statements, register updates) of going to a block."""
        after = [f"state_d = {self.design.state(target, 0)};"]
        if self.design.plans[target].ii:
            after += ["phase_d = '0;", f"running_d = {self._running(1)};"]
        updates = []
        cycle = plan.length - 1
        for phi in target.phis:
            value = phi.args[phi.blocks.index(source)]
            text = self.design.ref_at_exit(value, plan) if at_exit else self.design.ref(value, plan, cycle)
            register = self.design.register(self.design.kept_name(phi, 1), phi.width)
            if text != register:
                updates.append(f"{register} <= {text};")
        return after, updates

    def _running(self, value: int) -> str:
        return literal(self.stages, value)

    def _block(self, block: Block, plan: Plan) -> None:
        for cycle in range(plan.length - 1):
            state = self.design.state(block, cycle)
            self.next_state[state] = [f"state_d = {self.design.state(block, cycle + 1)};"]
        state = self.design.state(block, plan.length - 1)
        term = block.term
        next_state, updates = self.next_state.setdefault(state, []), self.updates.setdefault(state, [])
        if term.op == "br":
            self._branch(block, plan, next_state, updates)
        elif term.op == "switch":
            self._switch(block, plan, next_state, updates)
        elif term.op == "call":
            self._call(block, plan, next_state, updates)
        elif term.op == "ret" and self.design.function_of[block].name != self.design.module.entry:
            self._return(block, plan, next_state, updates)
        else:
            next_state.append("state_d = S_DONE;")

    def _branch(self, block: Block, plan: Plan, next_state: list[str], updates: list[str]) -> None:
        term = block.term
        jumps = [self._jump(block, plan, target) for target in term.blocks]
        if len(jumps) == 1:
            next_state += jumps[0][0]
            updates += jumps[0][1]
            return
        cond = self.design.ref(term.args[0], plan, plan.length - 1)
        for statements, part in ((next_state, 0), (updates, 1)):
            yes, no = jumps[0][part], jumps[1][part]
            if yes:
                statements += [f"if ({cond}) begin", *(f"  {s}" for s in yes), "end"]
            if no and yes:
                statements[-1:] = ["end else begin", *(f"  {s}" for s in no), "end"]
            elif no:
                statements += [f"if (!{cond}) begin", *(f"  {s}" for s in no), "end"]

    def _switch(self, block: Block, plan: Plan, next_state: list[str], updates: list[str]) -> None:
        term = block.term
        value = self.design.ref(term.args[0], plan, plan.length - 1)
        labels: dict[Block, list[int]] = {}
        for case, target in zip(term.attr, term.blocks[1:], strict=True):
            labels.setdefault(target, []).append(case)
        default = self._jump(block, plan, term.blocks[0])
        arms = [(cases, self._jump(block, plan, target)) for target, cases in labels.items()]
        for statements, part in ((next_state, 0), (updates, 1)):
            if not default[part] and not any(jump[part] for _, jump in arms):
                continue
            statements.append(f"case ({value})")
            for cases, jump in arms:
                label = ", ".join(literal(term.args[0].width, c) for c in cases)
                statements += [f"  {label}: begin", *(f"    {s}" for s in jump[part]), "  end"]
            statements += ["  default: begin", *(f"    {s}" for s in default[part]), "  end", "endcase"]

    def _call(self, block: Block, plan: Plan, next_state: list[str], updates: list[str]) -> None:
        term = block.term
        callee = self.design.module.functions[term.attr]
        next_state.append(f"state_d = {self.design.state(callee.blocks[0], 0)};")
        if self.design.plans[callee.blocks[0]].ii:
            next_state += ["phase_d = '0;", f"running_d = {self._running(1)};"]
        for param, arg in zip(callee.params, term.args, strict=True):
            register = self.design.register(self.design.kept_name(param, 1), param.width)
            updates.append(f"{register} <= {self.design.ref(arg, plan, plan.length - 1)};")
        updates.append(f"{self.design.link_register(term.attr)} <= {self.design.state(term.blocks[0], 0)};")

    def _return(self, block: Block, plan: Plan, next_state: list[str], updates: list[str]) -> None:
        name = self.design.function_of[block].name
        next_state.append(f"state_d = {self.design.link_register(name)};")
        if block.term.args:
            value = block.term.args[0]
            register = self.design.result_register(name, value.width)
            updates.append(f"{register} <= {self.design.ref(value, plan, plan.length - 1)};")

    def _loop(self, block: Block, plan: Plan) -> None:
        state = self.design.state(block, 0)
        term = block.term
        again = term.blocks[0] is block
        exit_block = term.blocks[1] if again else term.blocks[0]
        cond = self.design.ref(term.args[0], plan, plan.ii - 1)
        go_on = cond if again else f"!{cond}"
        exit_, exit_updates = self._jump(block, plan, exit_block, at_exit=True)
        if isinstance(term.args[0], Const):
            go_on = literal(1, int(bool(term.args[0].value) == again))
        end = [
            "phase_d = '0;",
            f"running_d = (running_q << 1) | {self.stages}'(running_q[0] && {go_on});",
        ]
        if plan.stages < self.stages:
            end[-1] = (
                end[-1].replace("= (running_q", f"= {self._running((1 << plan.stages) - 1)} & ((running_q")[:-1] + ");"
            )
        end += [f"if (running_d == {self._running(0)}) begin", *(f"  {s}" for s in exit_), "end"]
        if plan.ii > 1:
            last = f"phase_q == PHASE_BITS'({plan.ii - 1})"
            text = [f"if ({last}) begin", *(f"  {s}" for s in end), "end else phase_d = phase_q + 1'b1;"]
        else:
            text = end
        self.next_state[state] = text
        updates = self.updates.setdefault(state, [])
        if exit_updates:
            guard = "state_d != state_q"
            updates += [f"if ({guard}) begin", *(f"  {s}" for s in exit_updates), "end"]


def choices(design: Design) -> dict[str, list[str]]:
    """Updates that note which memory a load with several went to."""
    from polyloom.hls.emit.ports import selects

    result: dict[str, list[str]] = {}
    for block, plan in design.plans.items():
        for instr in block.body:
            memories = design.memories.of(instr) if instr.op == "load" else []
            if not memories or (len(memories) == 1 and not Memories.may_be_dram(instr)):
                continue
            state, guard = design.when(plan, plan.time[instr])
            bits = ", ".join(reversed(selects(design, instr, plan)))
            register = design.source_register(instr, len(memories))
            result.setdefault(state, []).append(guarded(guard, f"{register} <= {{{bits}}};"))
    return result


__all__ = ["Control", "Value"]
