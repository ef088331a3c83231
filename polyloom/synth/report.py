# SPDX-License-Identifier: Apache-2.0
"""A synthesis result as a table for a person, and where a tool is by what it prints. Output: text."""

from __future__ import annotations

import re

from polyloom.synth import groups
from polyloom.synth.count import Row
from polyloom.synth.flow import Result
from polyloom.synth.parts import PARTS

_STEP = re.compile(r"^(\d+(?:\.\d+)*)\. (Executing|Printing|Running) (.*)")


def as_text(result: Result) -> str:
    """The table, the rule it counts by, and the clock."""
    part = PARTS[result.part]
    values = " ".join(f"{name}={value}" for name, value in result.parameters.items())
    heads = ["module", "count", part.logic, "FF", part.bram, "DSP", f"{part.logic} with inside"]
    lines = [heads, *(_cells(row) for row in result.rows), _cells(result.total, total=True)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(heads))]
    text = [f"{result.design}: {result.top} {values}".rstrip() + f" on {result.part}"]
    for line in lines:
        numbers = "  ".join(f"{cell:>{width}}" for cell, width in zip(line[1:], widths[1:], strict=True))
        text.append(f"  {line[0]:<{widths[0]}}  {numbers}")
    text.append(f"  counted as: {part.note}; {result.tool}")
    text += [f"  published: {line}" for line in result.published]
    if result.groups:
        text.append(
            groups.as_text(groups.read(result.groups), result.part, result.parameters, result.rows, result.total)
        )
    if result.fmax_mhz is not None:
        seeds = ", ".join(f"{value:.1f}" for value in result.fmax_seeds_mhz)
        text.append(f"  Fmax {result.fmax_mhz:.1f} MHz: median of {seeds} (LFE5U-85F, speed 6, out of context)")
    return "\n".join(text)


def _cells(row: Row, total: bool = False) -> list[str]:
    numbers = [_number(value) for value in (row.logic, row.ff, row.bram, row.dsp, row.inside.logic)]
    return [row.module, "" if total else str(row.instances), *numbers]


def _number(value: float) -> str:
    return f"{value:.0f}" if value == int(value) else f"{value:.1f}"


def step(text: str) -> str:
    """Which step a tool is at by a line that it has printed; empty if the line does not say."""
    match = _STEP.match(text)
    return f"{match.group(1)} {match.group(3)}"[:70] if match else text[:70] if text.startswith("Info: ") else ""
