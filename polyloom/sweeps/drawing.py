# SPDX-License-Identifier: Apache-2.0
"""Plots of sweeps. Input: rows of runs; output: a Plot whose axes are as fits the values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from polyloom.base.errors import UserError
from polyloom.report.format import quantity, value_of
from polyloom.report.plot import Axis, Plot, Point

#: Axes are logarithmic where values span such a factor.
WIDE = 10
NAMES = {"simulated_seconds": "simulated time", "wall_seconds": "wall-clock time"}


def axis(swept: Mapping[str, Sequence[Any]], wanted: str | None = None) -> str:
    """The parameter that a plot goes by: the one that is wanted, else the first numeric one, else the first.

    ``swept``: all values of each parameter that has several. UserError if the wanted one is none of these.
    """
    if wanted in swept:
        return str(wanted)
    if wanted is not None or not swept:
        what = f"{wanted} has not several values" if wanted is not None else "no parameter has several values"
        raise UserError(f"plot: {what}; those that have: {', '.join(swept) or 'none'}")
    numeric = (name for name, values in swept.items() if all(value_of(value) is not None for value in values))
    return next(numeric, next(iter(swept)))


def draw(rows: Sequence[Mapping[str, Any]], x: str, y: str, by: Sequence[str], log: str | None) -> Plot:
    """``y`` of the rows against ``x``; what ``Sweep.plot`` says."""
    known = dict.fromkeys(name for row in rows for name in row)
    for name in (x, y, *by):
        if name not in known:
            raise UserError(
                f"plot: no run that has finished has a column {name}; columns: {', '.join(known) or 'none'}"
            )
    rows = [row for row in rows if isinstance(row.get(y), (int, float))]
    if not rows:
        raise UserError(f"plot: {y} is no number in any run that has finished")
    places, across = _places(x, [row[x] for row in rows], log)
    lines: dict[str, dict[str, list[float]]] = {}
    for row in rows:
        label = ", ".join(f"{name} = {row.get(name)}" for name in by)
        lines.setdefault(label, {}).setdefault(str(row[x]), []).append(row[y])
    what = NAMES.get(y, y.removesuffix("_seconds").replace("_", " "))
    up = Axis(what, "s" if y.endswith("_seconds") else "", _is_log("y", [row[y] for row in rows], log))
    points = {
        label: sorted(
            (Point(places[at], fmean(of), f"{x} = {at}: {quantity(fmean(of), up.unit)}") for at, of in line.items()),
            key=lambda point: point.x,
        )
        for label, line in lines.items()
    }
    return Plot(f"{what} by {x}", across, up, points)


def _places(name: str, values: Sequence[Any], log: str | None) -> tuple[dict[str, float], Axis]:
    """Where the values stand, by their text, and the axis; one after the other if they are not all of one unit."""
    given = {str(value): value_of(value) for value in values}
    measured = {text: found for text, found in given.items() if found is not None}
    units = {unit for _, unit in measured.values()}
    if len(measured) < len(given) or len(units) > 1:
        return {text: float(place) for place, text in enumerate(given)}, Axis(name, names=tuple(given))
    places = {text: number for text, (number, _) in measured.items()}
    return places, Axis(name, units.pop(), _is_log("x", list(places.values()), log))


def _is_log(which: str, values: Sequence[float], log: str | None) -> bool:
    positive = min(values) > 0
    return positive and (max(values) >= WIDE * min(values) if log is None else which in log)
