# SPDX-License-Identifier: Apache-2.0
"""A synthesis result as a table for a person, and the line that shows where a tool is. Output: text."""

from __future__ import annotations

import re
import sys
import time

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


class Line:
    """Shows on a terminal which step a tool is at and for how long; says nothing elsewhere."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._begin = time.monotonic()
        self._shown = 0.0
        self._live = sys.stderr.isatty()

    def __call__(self, text: str) -> None:
        """A line that the tool has printed."""
        match = _STEP.match(text)
        step = f"{match.group(1)} {match.group(3)}" if match else text if text.startswith("Info: ") else ""
        now = time.monotonic()
        if self._live and step and now - self._shown > 0.1:
            self._shown = now
            print(f"\r\033[K{self._what}: {now - self._begin:.0f} s, {step[:70]}", end="", file=sys.stderr, flush=True)

    def done(self) -> None:
        """Clear the line."""
        if self._live:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
