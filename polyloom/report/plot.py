# SPDX-License-Identifier: Apache-2.0
"""Lines through points, with axes. Input: points by line; output: inline SVG, a file."""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape
from pathlib import Path

from polyloom.base import files
from polyloom.base.errors import UserError
from polyloom.report.format import COLOURS, quantity
from polyloom.report.page import document

WIDTH, HEIGHT = 900, 420
LEFT, RIGHT, TOP, BOTTOM = 90, 20, 30, 55
#: Between marks of an axis at least, along it.
SPACE = {"x": 70.0, "y": 22.0}
DASHES = ("", "7 4", "2 3", "9 3 2 3")
LEGEND_LINE = 18


@dataclass(frozen=True)
class Axis:
    """``unit`` is written with prefixes; ``names``: of what stands at 0, 1, 2, ..., where there are no numbers."""

    label: str
    unit: str = ""
    log: bool = False
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Point:
    """``text`` is shown where the mouse is."""

    x: float
    y: float
    text: str


@dataclass(frozen=True)
class Plot:
    """Each line's points by x, under the line's label; a single line may have an empty one. There is a point at least."""

    title: str
    x: Axis
    y: Axis
    lines: dict[str, list[Point]]

    def svg(self) -> str:
        """The drawing, with its legend below."""
        points = [point for line in self.lines.values() for point in line]
        across = _Scale(self.x, [point.x for point in points], LEFT, WIDTH - RIGHT, SPACE["x"])
        up = _Scale(self.y, [point.y for point in points], HEIGHT - BOTTOM, TOP, SPACE["y"])
        given = sorted({point.x for point in points})
        parts = [f'<text x="{LEFT}" y="16" font-weight="bold">{escape(self.title)}</text>']
        for value in up.marks():
            parts.append(_line(LEFT, up(value), WIDTH - RIGHT, up(value)))
            parts.append(_text(LEFT - 8, up(value) + 4, _mark(self.y, value), "end"))
        for value in across.thinned(given) if len(given) <= 12 else across.marks():
            parts.append(_line(across(value), TOP, across(value), HEIGHT - BOTTOM))
            parts.append(_text(across(value), HEIGHT - BOTTOM + 18, _mark(self.x, value), "middle"))
        parts.append(_text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 14, self.x.label, "middle"))
        parts.append(f'<g transform="translate(16 {HEIGHT / 2}) rotate(-90)">{_text(0, 0, self.y.label, "middle")}</g>')
        for number, (label, line) in enumerate(self.lines.items()):
            colour = COLOURS[number % len(COLOURS)]
            dash = DASHES[number // len(COLOURS) % len(DASHES)]
            style = f'stroke="{colour}" stroke-width="1.8" stroke-dasharray="{dash}" fill="none"'
            way = " ".join(f"{across(point.x):.1f},{up(point.y):.1f}" for point in line)
            parts.append(f'<polyline points="{way}" {style}/>')
            parts += [
                f'<circle cx="{across(p.x):.1f}" cy="{up(p.y):.1f}" r="3.5" fill="{colour}"><title>{escape(p.text)}</title></circle>'
                for p in line
            ]
            if label:
                y = HEIGHT + LEGEND_LINE * number
                parts.append(f'<line x1="{LEFT}" y1="{y}" x2="{LEFT + 30}" y2="{y}" {style}/>')
                parts.append(_text(LEFT + 38, y + 4, label, "start"))
        height = HEIGHT + LEGEND_LINE * sum(map(bool, self.lines))
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" role="img" '
            f'aria-label="{escape(self.title)}" font-family="system-ui,sans-serif" font-size="12" fill="currentColor">'
            f"{''.join(parts)}</svg>"
        )

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return self.svg()

    def save(self, path: str | Path) -> Path:
        """Write it as FILE.svg or as a page FILE.html; returns the path. UserError of any other name."""
        path = Path(path)
        if path.suffix not in {".svg", ".html"}:
            raise UserError(f"{path}: a plot is written as .svg or .html")
        files.write(path, self.svg() if path.suffix == ".svg" else document(self.title, self.svg()))
        return path


class _Scale:
    """From values to places along an axis, some of which have marks."""

    def __init__(self, axis: Axis, values: list[float], begin: float, end: float, space: float) -> None:
        self._axis = axis
        low, high = min(values), max(values)
        if axis.names:
            low, high = -0.5, len(axis.names) - 0.5
        elif axis.log:
            low, high = math.log10(low), math.log10(high)
        elif space == SPACE["y"] and low >= 0:
            low = 0.0  # lengths of time are compared by eye
        edge = 0.05 * (high - low) or 0.5 * abs(high) or 0.5
        self._low, self._high = (low if low == 0 else low - edge), high + edge
        self._begin, self._end, self._space = begin, end, space

    def __call__(self, value: float) -> float:
        """The place."""
        at = math.log10(value) if self._axis.log else value
        return self._begin + (self._end - self._begin) * (at - self._low) / (self._high - self._low)

    def marks(self) -> list[float]:
        """Round values, as many as there is room for."""
        most = abs(self._end - self._begin) / self._space
        if self._axis.log:
            decades = range(math.floor(self._low), math.ceil(self._high) + 1)
            steps = (1, 2, 5) if len(decades) <= 4 else (1,)
            found = [step * 10.0**decade for decade in decades for step in steps]
            return self.thinned([value for value in found if self._low <= math.log10(value) <= self._high])
        rough = (self._high - self._low) / most
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough)
        return [step * i for i in range(math.ceil(self._low / step), math.floor(self._high / step) + 1)]

    def thinned(self, values: list[float]) -> list[float]:
        """Without those that have no room beside the one before."""
        kept: list[float] = []
        for value in values:
            if not kept or abs(self(value) - self(kept[-1])) >= self._space:
                kept.append(value)
        return kept


def _mark(axis: Axis, value: float) -> str:
    if axis.names:
        return axis.names[round(value)]
    return quantity(value, axis.unit) if axis.unit else f"{value:.6g}"


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _line(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" stroke="currentColor" stroke-opacity="0.15"/>'
