# SPDX-License-Identifier: Apache-2.0
"""Modulo scheduling of a loop of one block: a new iteration begins every II cycles, as small as can be.

For each II from 1 on: place the operations; where one comes too early for what an earlier iteration gives it (a phi's
next value, an order over iterations), it may only begin later, and all are placed again. The decision whether another
iteration begins must fall within the first II cycles, so no iteration begins that the program would not have begun.
"""

from __future__ import annotations

from polyloom.hls.ir import Block, Instr
from polyloom.hls.linear import LoopAddresses
from polyloom.hls.memory import Memories
from polyloom.hls.schedule.costs import Costs
from polyloom.hls.schedule.depend import Collision, Order, collisions, exclusive, orders
from polyloom.hls.schedule.place import Placement, Problem, place
from polyloom.hls.schedule.plan import DECISION, ORDERS, Plan, Slots

_ROUNDS = 200
_ITERATIVE = {"divide": 1, "fp_div": 1, "fp_sqrt": 1}


def can_pipeline(block: Block) -> bool:
    """Whether a block is a loop that waits for nothing outside."""
    if block not in block.successors() or block.term.op != "br" or len(block.term.blocks) != 2:
        return False
    return not any(exclusive(i) or i.op == "cycle" for i in block.body)


def schedule_loop(
    block: Block,
    memories: Memories,
    costs: Costs,
    budget: float,
    most: int,
    without: frozenset[object] = frozenset(),
) -> Plan | None:
    """The plan with the least II below ``most``, or None. ``without``: what need not hold (plan.py), to learn why."""
    ops = [*block.body, block.term]
    addresses = LoopAddresses(block)
    problem = Problem(ops, orders(block, addresses), costs, budget)
    apart = [] if ORDERS in without else collisions(block, addresses)
    _raise_condition(problem, block)
    for ii in range(1, most):
        placement = _try(problem, block, memories, ii, apart, without)
        if placement is not None:
            ready = {i: cycle for i, (cycle, _) in placement.ready.items()}
            length = 1 + max(ready.values())
            return Plan(block, length, placement.time, ready, ii)
    return None


def _raise_condition(problem: Problem, block: Block) -> None:
    """What decides about the next iteration is more urgent than anything else."""
    stack = [block.term]
    seen: set[Instr] = set()
    while stack:
        instr = stack.pop()
        if instr not in seen:
            seen.add(instr)
            problem.height[instr] += 1e6
            stack += [a for a in instr.args if isinstance(a, Instr) and a in problem.members]


def _try(
    problem: Problem, block: Block, memories: Memories, ii: int, apart: list[Collision], without: frozenset[object]
) -> Placement | None:
    earliest: dict[Instr, int] = {}
    for _ in range(_ROUNDS):
        slots = Slots(memories, ii, dict(_ITERATIVE), without)
        placement = place(problem, slots, earliest, horizon=64 * ii + 2000)
        if placement is None or (DECISION not in without and placement.ready[block.term][0] > ii - 1):
            return None
        late = _delay(problem, block, placement, ii, earliest, without)
        for pair in apart:
            if placement.time[pair.store] == placement.time[pair.other] + pair.distance * ii:
                earliest[pair.store] = placement.time[pair.store] + 1
                late = True
        if not late:
            return placement
    return None


def _delay(
    problem: Problem,
    block: Block,
    placement: Placement,
    ii: int,
    earliest: dict[Instr, int],
    without: frozenset[object],
) -> bool:
    """Note later beginnings where an operation comes too early; True if there was one."""
    late = False

    def need(instr: Instr, cycle: int) -> None:
        nonlocal late
        if placement.time[instr] < cycle:
            earliest[instr] = max(earliest.get(instr, 0), cycle)
            late = True

    for phi in block.phis:
        after = phi.args[phi.blocks.index(block)]
        if isinstance(after, Instr) and after in problem.members and phi not in without:
            for user in problem.ops:
                if phi in user.args:
                    need(user, placement.ready[after][0] + 1 - ii)
    for order in problem.orders:
        if order.distance and ORDERS not in without:
            need(order.after, placement.time[order.before] + order.cycles - order.distance * ii)
    return late


__all__ = ["Order", "can_pipeline", "schedule_loop"]
