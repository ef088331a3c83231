# SPDX-License-Identifier: Apache-2.0
"""Numbers as people read them."""

from __future__ import annotations

import re
from collections.abc import Sequence

PREFIXES = (
    (1e12, "T"),
    (1e9, "G"),
    (1e6, "M"),
    (1e3, "k"),
    (1.0, ""),
    (1e-3, "m"),
    (1e-6, "µ"),
    (1e-9, "n"),
    (1e-12, "p"),
)

#: Blue, orange, green, red, purple, brown, pink, grey: told apart on light and dark.
COLOURS = ("#3b82c4", "#e0852e", "#3fa35b", "#d04c4c", "#8f6bc2", "#9a6b50", "#d070b0", "#808894")


def quantity(value: float | int | str, unit: str) -> str:
    """``0.00123, "s"`` -> ``1.23 ms``; values without a unit keep their digits."""
    if isinstance(value, str):
        return value
    if not unit:
        return f"{value:.6g}" if isinstance(value, float) else f"{value:,}"
    if value == 0:
        return f"0 {unit}"
    for factor, prefix in PREFIXES:
        if abs(value) >= factor:
            return f"{value / factor:.3g} {prefix}{unit}"
    return f"{value:.3g} {unit}"


_FACTORS = {prefix: factor for factor, prefix in PREFIXES} | {"u": 1e-6}
_FACTORS |= {f"{prefix}i": 1024.0**power for power, prefix in enumerate("KMGT", 1)}


def value_of(given: object) -> tuple[float, str] | None:
    """``"780 ns"`` -> ``7.8e-07, "s"``, as cluster files write quantities; a number has no unit; None of all else."""
    if isinstance(given, (int, float)) and not isinstance(given, bool):
        return float(given), ""
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?) ?([pnumkMGT]|[KMGT]i)?(s|Hz|b/s|B)", str(given))
    return (float(match[1]) * _FACTORS[match[2] or ""], match[3]) if match else None


def columns(rows: Sequence[Sequence[str]]) -> str:
    """Rows under the first one, which heads them, as text; columns that begin with digits end at their right edge."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    right = [all(cell[:1].isdigit() or cell in {"-", ""} for cell in cells[1:]) for cells in zip(*rows, strict=True)]
    lines = (
        "  ".join(
            cell.rjust(width) if at_right else cell.ljust(width)
            for cell, width, at_right in zip(row, widths, right, strict=True)
        )
        for row in rows
    )
    return "\n".join(line.rstrip() for line in lines)


def heat(fraction: float) -> str:
    """Colour of a value between 0 and 1: pale to deep, readable on light and dark."""
    fraction = min(max(fraction, 0.0), 1.0)
    hue = 210 - 190 * fraction
    return f"hsl({hue:.0f} 75% {78 - 28 * fraction:.0f}%)"
