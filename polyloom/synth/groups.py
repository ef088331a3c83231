# SPDX-License-Identifier: Apache-2.0
"""A synthesis result by subsystem, beside what a paper publishes of each: groups.toml of this folder. Output: text.

Before: a row of each of 90 modules. After: a row of each of 12 subsystems, with everything inside, and the rest.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polyloom.base.errors import UserError
from polyloom.synth.count import Resources, Row
from polyloom.synth.parts import PARTS

TABLE = Path(__file__).with_name("groups.toml")


@dataclass(frozen=True)
class Groups:
    """Subsystems of a design and the published numbers; ``ours``: parameters (NAME or NAME=DEFAULT), see ``scale``."""

    title: str
    unit: str
    per: str
    ours: tuple[str, ...]
    theirs: int
    rest: float
    rows: tuple[Mapping[str, Any], ...]
    wholes: tuple[Mapping[str, Any], ...] = ()  # published totals of other forms

    def scale(self, parameters: Mapping[str, str]) -> int:
        """How many of ``per`` a design of these parameters has."""
        pairs = [entry.partition("=") for entry in self.ours]
        return math.prod(int(parameters.get(name, default or 1)) for name, _, default in pairs)


def read(name: str, path: Path = TABLE) -> Groups:
    """The groups of this name."""
    tables = tomllib.loads(path.read_text())
    if name not in tables:
        raise UserError(f"{path}: no groups '{name}'; there are: {', '.join(tables)}")
    entry = tables[name]
    fields: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()}
    return Groups(**fields)


def split(groups: Groups, rows: Sequence[Row], total: Row) -> dict[str, Resources]:
    """What each subsystem takes, and the rest. A module that is not in the design takes nothing."""
    inside = {row.module: row.inside for row in rows}
    rest = Resources(total.logic, total.ff, total.bram, total.dsp)
    found: dict[str, Resources] = {}
    for row in groups.rows:
        sums = Resources()
        for module in row.get("modules", ()):
            if module in inside:
                sums.add(inside[module])
        rest.add(sums, -1)
        if "modules" in row:
            found[row["what"]] = sums
    found["rest"] = rest
    return found


def as_text(groups: Groups, part: str, parameters: Mapping[str, str], rows: Sequence[Row], total: Row) -> str:
    """The table; the published numbers and what both are a ``per`` only where the part counts in their unit."""
    logic, same = PARTS[part].logic, PARTS[part].logic == groups.unit
    scale = groups.scale(parameters)
    ours = split(groups, rows, total)
    published = {row["what"]: row["published"] for row in groups.rows if "published" in row} | {"rest": groups.rest}
    heads = ["subsystem", logic, "FF", PARTS[part].bram, "DSP", f"{logic} a {groups.per}"]
    heads += ["published", f"a {groups.per}"] if same else []
    lines = [heads]
    names = [row["what"] for row in groups.rows if same or "modules" in row]
    for name in [*names, "rest", "total"]:
        taken = Resources(total.logic, total.ff, total.bram, total.dsp) if name == "total" else ours.get(name)
        theirs = sum(published.values()) if name == "total" else published.get(name)
        cells = [f"{value:,.10g}" for value in (taken.logic, taken.ff, taken.bram, taken.dsp)] if taken else [""] * 4
        cells.append(f"{taken.logic / scale:,.0f}" if taken else "")
        if same:
            cells += ["", ""] if theirs is None else [f"{theirs:,}", f"{theirs / groups.theirs:,.0f}"]
        lines.append([name, *cells])
    for whole in groups.wholes if same else ():
        theirs = whole["published"]
        lines.append([whole["what"], *[""] * (len(heads) - 3), f"{theirs:,}", f"{theirs / groups.theirs:,.0f}"])
    widths = [max(len(line[i]) for line in lines) for i in range(len(heads))]
    text = [f"by subsystem, {scale} {groups.per}s" + (f"; published: {groups.title}" if same else "")]
    for line in lines:
        numbers = "  ".join(f"{cell:>{width}}" for cell, width in zip(line[1:], widths[1:], strict=True))
        text.append(f"  {line[0]:<{widths[0]}}  {numbers}".rstrip())
    return "\n".join(text)
