# SPDX-License-Identifier: Apache-2.0
"""Turns Yosys' cell counts (``stat -json`` of a design that keeps its modules) into a table by module.

A row is a module of the source with all its instances, without the modules inside it; so rows add up to the total.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from polyloom.errors import UserError
from polyloom.synth.parts import Part


@dataclass
class Row:
    """Resources of all instances of a module."""

    module: str
    instances: int = 0
    logic: float = 0
    ff: float = 0
    bram: float = 0
    dsp: float = 0

    def add(self, cells: Mapping[str, int], part: Part, times: int) -> None:
        """Add the cells of ``times`` instances."""
        self.instances += times
        for cell, count in cells.items():
            logic, ff, bram, dsp = part.cells.get(cell, (0, 0, 0, 0))
            self.logic += logic * count * times
            self.ff += ff * count * times
            self.bram += bram * count * times
            self.dsp += dsp * count * times


def table(stat: Mapping[str, Any], top: str, part: Part) -> tuple[list[Row], Row]:
    """Rows in order of logic, and their sum."""
    modules = {name.removeprefix("\\"): content["num_cells_by_type"] for name, content in stat["modules"].items()}
    if top not in modules:
        raise UserError(f"synthesis left no module {top}; it has {', '.join(modules)}")
    instances = _instances(modules, top)
    rows: dict[str, Row] = {}
    for name, times in instances.items():
        source = _source_name(name)
        rows.setdefault(source, Row(source)).add(modules[name], part, times)
    total = Row("total", 1)
    for row in rows.values():
        if part.ff_per_logic:
            row.logic = max(row.logic, row.ff / part.ff_per_logic)
        row.logic = math.ceil(row.logic)
        total.logic += row.logic
        total.ff += row.ff
        total.bram += row.bram
        total.dsp += row.dsp
    return sorted(rows.values(), key=lambda row: (-row.logic, -row.ff, row.module)), total


def _instances(modules: Mapping[str, Mapping[str, int]], top: str) -> dict[str, int]:
    """How often each module stands in the top, over all levels."""
    counts: dict[str, int] = {}

    def visit(name: str, times: int) -> None:
        counts[name] = counts.get(name, 0) + times
        for cell, count in modules[name].items():
            child = cell.removeprefix("\\")
            if child in modules:
                visit(child, times * count)

    visit(top, 1)
    return counts


def _source_name(name: str) -> str:
    """The module's name in the source: Yosys appends the instance's path or a hash of the parameters."""
    if name.startswith("$paramod"):
        return name.split("\\")[1]
    return name.split("$")[0]
