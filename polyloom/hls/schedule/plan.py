# SPDX-License-Identifier: Apache-2.0
"""What a schedule is, and what is in use in each of its cycles."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from polyloom.hls.ir import Block, Instr
from polyloom.hls.memory import Memories, Memory
from polyloom.hls.schedule.depend import exclusive
from polyloom.hls.units import Unit


@dataclass(eq=False)
class Plan:
    """A block's schedule: the cycle in which each operation begins, and in which its result is there."""

    block: Block
    length: int
    time: dict[Instr, int]
    ready: dict[Instr, int]
    ii: int = 0  # iterations begin every so many cycles; 0: they do not overlap

    @property
    def stages(self) -> int:
        """Iterations in flight at most."""
        return -(-self.length // self.ii) if self.ii else 1


#: What a schedule may be asked to do without, besides memories (their ports) and phis (what is handed on to the next
#: iteration): units that are busy, the order of accesses over iterations, the decision to go on.
UNITS, ORDERS, DECISION = "units", "orders", "decision"


@dataclass
class Slots:
    """Use of ports and units by cycle, modulo ``ii`` if iterations overlap; ``without``: limits that do not count."""

    memories: Memories
    ii: int = 0
    limits: dict[str, int] = field(default_factory=dict)  # by Unit.kind; others are without limit
    without: frozenset[object] = frozenset()
    reads: Counter[tuple[Memory, int]] = field(default_factory=Counter)
    writes: Counter[tuple[Memory, int]] = field(default_factory=Counter)
    units: Counter[tuple[str, int, int]] = field(default_factory=Counter)
    accesses: Counter[int] = field(default_factory=Counter)
    closed: Counter[int] = field(default_factory=Counter)

    def _slot(self, cycle: int) -> int:
        return cycle % self.ii if self.ii else cycle

    def fits(self, instr: Instr, unit: Unit | None, cycle: int) -> bool:
        """Whether an operation may begin in a cycle."""
        if unit is not None:
            if UNITS in self.without:
                return True
            if self.ii and unit.interval > self.ii:
                return False
            limit = self.limits.get(unit.kind)
            busy = (self.units[(unit.kind, unit.width, self._slot(cycle + k))] for k in range(unit.interval))
            return limit is None or all(b < limit for b in busy)
        slot = self._slot(cycle)
        if exclusive(instr):
            span = self._span(instr)
            return all(
                not self.accesses[self._slot(cycle + k)] and not self.closed[self._slot(cycle + k)] for k in span
            )
        if instr.op not in {"load", "store"}:
            return True
        if self.closed[slot]:
            return False
        for memory in self.memories.of(instr):
            reads, writes = self.reads[(memory, slot)], self.writes[(memory, slot)]
            reads, writes = (reads + 1, writes) if instr.op == "load" else (reads, writes + 1)
            if memory not in self.without and (writes > 2 or reads > memory.copies * (2 - writes)):
                return False
        return True

    @staticmethod
    def _span(instr: Instr) -> range:
        return range(2 if instr.op == "load" else 1)

    def take(self, instr: Instr, unit: Unit | None, cycle: int) -> None:
        """Note that an operation begins in a cycle."""
        if unit is not None:
            for k in range(unit.interval):
                self.units[(unit.kind, unit.width, self._slot(cycle + k))] += 1
        if exclusive(instr):
            for k in self._span(instr):
                self.closed[self._slot(cycle + k)] += 1
        elif instr.op in {"load", "store"}:
            slot = self._slot(cycle)
            self.accesses[slot] += 1
            for memory in self.memories.of(instr):
                (self.reads if instr.op == "load" else self.writes)[(memory, slot)] += 1
