# SPDX-License-Identifier: Apache-2.0
"""Why a loop does not begin an iteration in every cycle, in words. Input: loop, plans, memories; output: text.

For a loop of one block that is found by trial: what would let iterations begin more often if it did not count is the
reason. For others it is seen from what stands in the loop.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from polyloom.hls.ir import DRAM, Block, Instr
from polyloom.hls.linear import LoopAddresses
from polyloom.hls.loops import Loop
from polyloom.hls.memory import Memories, Memory
from polyloom.hls.reader.debug import in_library
from polyloom.hls.schedule.costs import Costs
from polyloom.hls.schedule.depend import Order, collisions, exclusive, orders
from polyloom.hls.schedule.modulo import can_pipeline, schedule_loop
from polyloom.hls.schedule.plan import DECISION, ORDERS, UNITS, Plan
from polyloom.hls.units import Units

_NAMES = {
    **{"fadd": "a floating-point addition", "fsub": "a floating-point subtraction", "fsqrt": "a square root"},
    **{"fmul": "a floating-point multiplication", "fdiv": "a floating-point division", "mul": "a multiplication"},
    **{"udiv": "a division", "sdiv": "a division", "urem": "a remainder", "srem": "a remainder", "load": "a load"},
    **{"fcmp": "a floating-point comparison", "sitofp": "a conversion", "uitofp": "a conversion"},
    **{"fptosi": "a conversion", "fptoui": "a conversion", "fpext": "a conversion", "fptrunc": "a conversion"},
}


@dataclass(frozen=True)
class Why:
    """Gives the reasons of a design's loops."""

    plans: dict[Block, Plan]
    memories: Memories
    budget: float

    def of(self, loop: Loop, inside: Iterable[Loop]) -> str:
        """The reason, "" if there is an iteration a cycle; ``inside``: loops within this one."""
        inner = [other for other in inside if other.header is not loop.header]
        if inner:
            return f"it has a loop inside{_at(inner[0].header.term)}"
        block = loop.header
        plan = self.plans[block]
        if len(loop.blocks) == 1 and (plan.ii or plan.length) == 1:
            return ""
        outside = self._waits(i for b in loop.blocks for i in [*b.body, b.term])
        if outside or len(loop.blocks) > 1:
            return outside or "it has branches that did not become conditions of its operations"
        return self._found(block, plan)

    def _waits(self, instrs: Iterable[Instr]) -> str:
        for instr in instrs:
            if instr.op == "call":
                return f"it calls {'MPI' if instr.attr.startswith(('MPI_', 'polyloom_')) else instr.attr}{_at(instr)}"
            if instr.op in {"push", "pop"}:
                return f"it waits for an MPI call{_at(instr)}"
            if instr.op == "cycle":
                return f"it asks for the time{_at(instr)}"
            if exclusive(instr):
                return f"{_access(instr)}{_at(instr)}, and accesses to DRAM are one at a time"
        return ""

    def _found(self, block: Block, plan: Plan) -> str:
        if not can_pipeline(block):
            return "where it goes next depends on more than one condition"
        most, found = plan.ii or plan.length, []
        trials: list[frozenset[object]] = [frozenset(block.phis), frozenset({ORDERS}), frozenset({UNITS})]
        trials += [frozenset({DECISION}), *(frozenset({m}) for m in self._used(block))]
        for without in trials:
            if (ii := self._least(block, most, without)) < most:
                found.append((ii, without))
        both = frozenset({DECISION, *block.phis})
        if not found and self._least(block, most, both) < most:
            return f"{self._value(block, most, frozenset({DECISION}))}, and it decides whether there is one"
        if not found:
            return "several limits at once: what the next iteration needs, ports of arrays, order of accesses"
        _, without = min(found, key=lambda pair: pair[0])
        if ORDERS in without:
            return self._order(block)
        if UNITS in without:
            return self._unit(block)
        if DECISION in without:
            return f"whether another iteration follows is known only after {most} cycles{_at(block.term)}"
        memory = next((m for m in without if isinstance(m, Memory)), None)
        return self._ports(block, memory) if memory is not None else self._value(block, most)

    def _least(self, block: Block, most: int, without: frozenset[object]) -> int:
        plan = schedule_loop(block, self.memories, Costs(Units()), self.budget, most, without)
        return plan.ii if plan else most

    def _used(self, block: Block) -> list[Memory]:
        accesses = (i for i in block.body if i.op in {"load", "store"})
        return list(dict.fromkeys(m for i in accesses for m in self.memories.of(i)))

    def _ports(self, block: Block, memory: Memory) -> str:
        loads, stores = (
            sum(memory in self.memories.of(i) for i in block.body if i.op == op) for op in ("load", "store")
        )
        accesses = f"{_many(loads, 'load')} and {_many(stores, 'store')} of '{memory.obj.name}'"
        copy = " and a copy, for loads" if memory.copies > 1 else ""
        return f"an iteration has {accesses}, whose block RAM has 2 ports{copy}"

    def _order(self, block: Block) -> str:
        addresses = LoopAddresses(block)
        across: list[Order] = [o for o in orders(block, addresses) if o.distance]
        if not across:
            apart = collisions(block, addresses)[0]
            return f"{_access(apart.store)}{_at(apart.store)} and {_access(apart.other)}{_at(apart.other)} share a word"
        across.sort(key=lambda o: (o.before.op != "store", o.after.op != "load", o.distance))
        before, after = across[0].before, across[0].after
        did = "stored" if before.op == "store" else "loaded"
        return f"{_access(after)}{_at(after)} may touch what an iteration before has {did}{_at(before)}"

    def _unit(self, block: Block) -> str:
        units = [(unit.interval, i) for i in block.body if (unit := Units().of(i))]
        interval, instr = max(units, key=lambda pair: pair[0])
        return f"{_NAMES.get(instr.op, instr.op)}{_at(instr)} keeps its unit busy for {interval} cycles"

    def _value(self, block: Block, most: int, without: frozenset[object] = frozenset()) -> str:
        phi = next((p for p in block.phis if self._least(block, most, without | {p}) < most), None)
        if phi is None:
            return "the next iteration needs several values of this one"
        chain = _between(block, phi)
        costs = Costs(Units())
        slow = sorted((i for i in chain if costs.of(i).latency), key=lambda i: -costs.of(i).latency)
        if not slow:
            return f"the next iteration needs what this one computes{_at(phi.args[phi.blocks.index(block)])}"
        first = slow[0]
        rest = f" and {len(slow) - 1} more operations" if len(slow) > 1 else ""
        latency = costs.of(first).latency
        return (
            f"the next iteration needs the result of {_NAMES.get(first.op, first.op)}{_at(first)}, "
            f"{latency} cycle{'s' * (latency > 1)}{rest}"
        )


def _between(block: Block, phi: Instr) -> list[Instr]:
    """Operations on the way from a phi to its next value."""
    reached: set[object] = {phi}
    for instr in block.body:
        if any(a in reached for a in instr.args):
            reached.add(instr)
    needed: set[object] = {phi.args[phi.blocks.index(block)]}
    for instr in reversed(block.body):
        if instr in needed:
            needed.update(instr.args)
    return [i for i in block.body if i in reached and i in needed]


def _access(instr: Instr) -> str:
    """``a load of 'g'``, as far as it is known what it may touch."""
    what = f"a {instr.op}"
    if instr.objects is None:
        return f"{what} at an address of which nothing is known"
    if DRAM in instr.objects:
        return f"{what} that may go to DRAM"
    names = sorted(o.name for o in instr.objects)
    return f"{what} of '{names[0]}'" + (" or others" if len(names) > 1 else "")


def _at(instr: object) -> str:
    """`` (line 12)``; of the library nothing."""
    place = (instr.place or instr.where) if isinstance(instr, Instr) else ""
    return "" if not place or in_library(place) else f" (line {place.rsplit(':', 2)[-2]})"


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"
