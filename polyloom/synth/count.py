# SPDX-License-Identifier: Apache-2.0
"""Turns Yosys' cell counts (``stat -json`` of a design that keeps its modules) into a table by module.

A row is a module of the source with all its instances, without the modules inside it; so rows add up to the total.
Beside it stands what these instances take with everything inside, which is what a subsystem costs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from polyloom.base.errors import UserError
from polyloom.synth.parts import Part


@dataclass
class Resources:
    """Of a part; fractions where two functions share a site."""

    logic: float = 0
    ff: float = 0
    bram: float = 0
    dsp: float = 0

    def add(self, other: Resources, times: int = 1) -> None:
        """Add ``times`` of something."""
        self.logic += other.logic * times
        self.ff += other.ff * times
        self.bram += other.bram * times
        self.dsp += other.dsp * times


@dataclass
class Row(Resources):
    """All instances of a module, without the modules inside them; ``inside``: with them."""

    module: str = ""
    instances: int = 0
    inside: Resources = field(default_factory=Resources)


def table(stat: Mapping[str, Any], top: str, part: Part) -> tuple[list[Row], Row]:
    """Rows in order of logic, and their sum."""
    modules = {name.removeprefix("\\"): content["num_cells_by_type"] for name, content in stat["modules"].items()}
    if top not in modules:
        raise UserError(f"synthesis left no module {top}; it has {', '.join(modules)}")
    rows: dict[str, Row] = {}
    _Counter(modules, part, rows).visit(top, 1, frozenset())
    total = Row(module="total", instances=1)
    for row in rows.values():
        row.logic = math.ceil(row.logic)
        row.inside.logic = math.ceil(row.inside.logic)
        total.add(row)
    total.inside = Resources(total.logic, total.ff, total.bram, total.dsp)
    return sorted(rows.values(), key=lambda row: (-row.logic, -row.ff, row.module)), total


class _Counter:
    """Walks down from the top; ``modules`` maps each module that Yosys left to its cells by type."""

    def __init__(self, modules: Mapping[str, Mapping[str, int]], part: Part, rows: dict[str, Row]) -> None:
        self._modules = modules
        self._part = part
        self._rows = rows
        self._whole: dict[str, Resources] = {}

    def visit(self, name: str, times: int, above: frozenset[str]) -> None:
        """Count ``times`` instances of a module that stand inside the modules ``above``."""
        source = _source_name(name)
        row = self._rows.setdefault(source, Row(module=source))
        row.instances += times
        row.add(self._own(name), times)
        if source not in above:
            row.inside.add(self._with_inside(name), times)
        for child, count in self._children(name):
            self.visit(child, times * count, above | {source})

    def _children(self, name: str) -> list[tuple[str, int]]:
        cells = {cell.removeprefix("\\"): count for cell, count in self._modules[name].items()}
        return [(cell, count) for cell, count in cells.items() if cell in self._modules]

    def _own(self, name: str) -> Resources:
        own = Resources()
        for cell, count in self._modules[name].items():
            own.add(Resources(*self._part.cells.get(cell, (0, 0, 0, 0))), count)
        if self._part.ff_per_logic:
            own.logic = max(own.logic, own.ff / self._part.ff_per_logic)
        return own

    def _with_inside(self, name: str) -> Resources:
        if name not in self._whole:
            whole = self._own(name)
            for child, count in self._children(name):
                whole.add(self._with_inside(child), count)
            self._whole[name] = whole
        return self._whole[name]


def _source_name(name: str) -> str:
    """The module's name in the source: Yosys appends the instance's path or a hash of the parameters."""
    if name.startswith("$paramod"):
        return name.split("\\")[1]
    return name.split("$")[0]
