# SPDX-License-Identifier: Apache-2.0
"""Where a model's cycles go: what is counted, and which source lines a count stands for.

Input: the Design; output: rows, each a counter of the model with the cycles that it means by line. Sums of all counters
are all cycles from the kernel's start to its end. The library's cycles are those of the program's line that calls it: a
line "" is the place of the call, so there is a set of counters for each such place.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from polyloom.hls.emit.design import Design
from polyloom.hls.ir import Block, Instr
from polyloom.hls.reader.debug import in_library
from polyloom.hls.schedule.plan import Plan

#: What a row counts: times that a block ran, or cycles that an access waited: for the engine, for DRAM, or for block
#: RAM that messages use, too.
COMPUTES, ENGINE, DRAM, SHARED = "computes", "engine", "dram", "shared"


def line_of(instr: Instr) -> str:
    """``file:line`` of the program; "" of the library, and of what the compiler has made from no line."""
    place = instr.place or instr.where
    line = place.rpartition(":")[0]
    return "" if in_library(place) or line.endswith(":0") else line


class Counting:
    """The rows; those of blocks first, others as they are asked for."""

    def __init__(self, design: Design) -> None:
        self.rows: list[dict[str, Any]] = []
        self._blocks: dict[Block, tuple[int, int]] = {}
        self._block_of = {instr: block for block in design.plans for instr in block.instrs}
        for plan in design.plans.values():
            rows = [_row(COMPUTES, lines) for lines in _block_lines(plan)]
            self._blocks[plan.block] = len(self.rows), len(rows)
            self.rows += rows

    def rows_of(self, block: Block) -> range:
        """That of a block; of a loop whose iterations overlap, of an iteration and of what the last one adds."""
        first, count = self._blocks[block]
        return range(first, first + count)

    def wait(self, kind: str, instr: Instr) -> int:
        """A new row, of cycles that an access waits; ``block``: the row of the block that it stands in."""
        block, _ = self._blocks[self._block_of[instr]]
        self.rows.append({**_row(kind, Counter({line_of(instr): 1})), "block": block})
        return len(self.rows) - 1


def _row(kind: str, lines: Counter[str]) -> dict[str, Any]:
    return {"kind": kind, "lines": dict(lines)}


def _block_lines(plan: Plan) -> list[Counter[str]]:
    """A block's cycles by line: of each cycle, the line that most of its operations are from."""
    cycles = plan.ii or plan.length
    by_cycle: list[Counter[str]] = [Counter() for _ in range(cycles)]
    for instr in [*plan.block.body, plan.block.term]:
        by_cycle[plan.time[instr] % cycles][line_of(instr)] += 1
    total: Counter[str] = sum(by_cycle, Counter())
    line = total.most_common(1)[0][0]
    result: Counter[str] = Counter()
    for found in by_cycle:
        line = found.most_common(1)[0][0] if found else line
        result[line] += 1
    if not plan.ii:
        return [result]
    return [result, Counter({total.most_common(1)[0][0]: (plan.stages - 1) * plan.ii})]
