# SPDX-License-Identifier: Apache-2.0
"""List scheduling with operator chaining: each operation as early as its operands, its order and its ports allow.

Most urgent first: the operation with the longest way to the end of the block. Several dependent operations share a
cycle while their delays fit.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field

from polyloom.hls.ir import Instr
from polyloom.hls.schedule.costs import REGISTER_NS, Cost, Costs
from polyloom.hls.schedule.depend import Order
from polyloom.hls.schedule.plan import Slots


@dataclass
class Problem:
    """What is to be scheduled: operations in program order, orders within an iteration, earliest cycles."""

    ops: list[Instr]
    orders: list[Order]
    costs: Costs
    budget: float
    cost: dict[Instr, Cost] = field(default_factory=dict)
    height: dict[Instr, float] = field(default_factory=dict)
    before: dict[Instr, list[Order]] = field(default_factory=dict)
    after: dict[Instr, set[Instr]] = field(default_factory=dict)
    members: set[Instr] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Costs, neighbours and heights."""
        self.members = set(self.ops)
        self.cost = {i: self.costs.of(i) for i in self.ops}
        self.before = {i: [] for i in self.ops}
        self.after = {i: set() for i in self.ops}
        for order in self.orders:
            if order.distance == 0:
                self.before[order.after].append(order)
                self.after[order.before].add(order.after)
        for instr in self.ops:
            for arg in instr.args:
                if arg in self.members:
                    assert isinstance(arg, Instr)
                    self.after[arg].add(instr)
        for instr in reversed(self.ops):
            cost = self.cost[instr]
            own = cost.latency * self.budget + cost.delay
            self.height[instr] = own + max((self.height[n] for n in self.after[instr]), default=0.0)


@dataclass
class Placement:
    """Result: first cycle of each operation, and when (cycle, ns) its result is there."""

    time: dict[Instr, int] = field(default_factory=dict)
    ready: dict[Instr, tuple[int, float]] = field(default_factory=dict)


def place(problem: Problem, slots: Slots, earliest: dict[Instr, int], horizon: int = 100_000) -> Placement | None:
    """All operations, or None if one does not fit before the horizon."""
    result = Placement()
    waiting = {
        i: len({a for a in i.args if a in problem.members} | {o.before for o in problem.before[i]}) for i in problem.ops
    }
    rank = {i: k for k, i in enumerate(problem.ops)}
    heap = [(-problem.height[i], rank[i], i) for i in problem.ops if waiting[i] == 0]
    heapq.heapify(heap)
    while heap:
        _, _, instr = heapq.heappop(heap)
        if not _place_one(problem, slots, result, instr, earliest.get(instr, 0), horizon):
            return None
        for other in problem.after[instr]:
            waiting[other] -= 1
            if waiting[other] == 0:
                heapq.heappush(heap, (-problem.height[other], rank[other], other))
    return result


def _place_one(problem: Problem, slots: Slots, result: Placement, instr: Instr, earliest: int, horizon: int) -> bool:
    cost = problem.cost[instr]
    cycle, offset = earliest, REGISTER_NS
    for arg in instr.args:
        if isinstance(arg, Instr) and arg in problem.members:
            ready, at = result.ready[arg]
            if ready > cycle:
                cycle, offset = ready, at
            elif ready == cycle:
                offset = max(offset, at)
    for order in problem.before[instr]:
        begin = result.time[order.before] + order.cycles
        if begin > cycle:
            cycle, offset = begin, REGISTER_NS
    if offset > REGISTER_NS and offset + cost.delay > problem.budget and cost.delay > 0:
        cycle, offset = cycle + 1, REGISTER_NS
    limit = min(horizon, cycle + slots.ii) if slots.ii else horizon
    while not slots.fits(instr, cost.unit, cycle):
        cycle, offset = cycle + 1, REGISTER_NS
        if cycle >= limit:
            return False
    if cycle >= horizon:
        return False
    slots.take(instr, cost.unit, cycle)
    result.time[instr] = cycle
    result.ready[instr] = (cycle + cost.latency, cost.out if cost.latency else offset + cost.delay)
    return True
