# SPDX-License-Identifier: Apache-2.0
"""Schedules a block whose iterations, if it is a loop, do not overlap."""

from __future__ import annotations

from polyloom.hls.ir import Block
from polyloom.hls.memory import Memories
from polyloom.hls.schedule.costs import Costs
from polyloom.hls.schedule.depend import orders
from polyloom.hls.schedule.place import Problem, place
from polyloom.hls.schedule.plan import Plan, Slots

#: Units that straight code shares; loops take as many as they can keep busy.
SHARED = {k: 1 for k in ("multiply", "divide", "fp_add", "fp_mul", "fp_div", "fp_sqrt", "fp_cmp", "fp_from_int")} | {
    "fp_to_int": 1,
    "fp_resize": 1,
}


def schedule_block(block: Block, memories: Memories, costs: Costs, budget: float) -> Plan:
    """The plan of a block."""
    ops = [*block.body, block.term]
    problem = Problem(ops, orders(block), costs, budget)
    placement = place(problem, Slots(memories, limits=SHARED), {})
    assert placement is not None
    length = 1 + max(cycle for cycle, _ in placement.ready.values())
    placement.time[block.term] = length - 1
    ready = {i: cycle for i, (cycle, _) in placement.ready.items()}
    return Plan(block, length, placement.time, ready)
