# SPDX-License-Identifier: Apache-2.0
"""Schedules all blocks of a program, and gives an array a copy where a loop needs more read ports than one has."""

from __future__ import annotations

from collections import Counter

from polyloom.hls.ir import Block, Function, Module
from polyloom.hls.memory import Memories, Memory
from polyloom.hls.options import Options
from polyloom.hls.passes.loop_values import normalise_loop
from polyloom.hls.schedule.blocks import schedule_block
from polyloom.hls.schedule.costs import Costs
from polyloom.hls.schedule.modulo import can_pipeline, schedule_loop
from polyloom.hls.schedule.plan import Plan
from polyloom.hls.units import Units


def schedule(module: Module, memories: Memories, options: Options) -> dict[Block, Plan]:
    """Plans of all blocks."""
    costs = Costs(Units())
    plans: dict[Block, Plan] = {}
    for function in module.functions.values():
        for block in function.blocks:
            plans[block] = _plan(function, block, memories, costs, options)
    return plans


def _plan(function: Function, block: Block, memories: Memories, costs: Costs, options: Options) -> Plan:
    if not options.pipeline or not can_pipeline(block):
        return schedule_block(block, memories, costs, options.delay_ns)
    normalise_loop(function, block)
    plain = schedule_block(block, memories, costs, options.delay_ns)
    plan = schedule_loop(block, memories, costs, options.delay_ns, plain.length)
    best = plan.ii if plan else plain.length
    for memory in _short_of_ports(block, memories, best):
        if not _may_copy(memory, memories, options):
            continue
        memory.copies = 2
        better = schedule_loop(block, memories, costs, options.delay_ns, best)
        if better is None:
            memory.copies = 1
        else:
            plan, best = better, better.ii
    return plan or plain


def _short_of_ports(block: Block, memories: Memories, ii: int) -> list[Memory]:
    """Memories whose reads could be the reason for an II, those with the most reads first."""
    reads: Counter[Memory] = Counter()
    for instr in block.body:
        if instr.op == "load":
            reads.update(memories.of(instr))
    return [m for m, count in reads.most_common() if m.copies == 1 and count > 2 * (ii - 1)]


def _may_copy(memory: Memory, memories: Memories, options: Options) -> bool:
    total = sum(m.words * 8 * m.copies for m in memories.memories)
    return options.copies > 1 and total + memory.words * 8 <= options.memory_limit
