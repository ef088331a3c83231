# SPDX-License-Identifier: Apache-2.0
"""What a sweep found. Input: entries of runs and their records; output: rows, a table, CSV, a plot, a page."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from polyloom.base import extras, record
from polyloom.base.folder import RunFolder
from polyloom.report import page
from polyloom.report.format import columns, quantity
from polyloom.report.plot import Plot
from polyloom.sweeps import drawing
from polyloom.sweeps.index import FINISHED, Entry
from polyloom.sweeps.plan import Plan

CSV, PAGE = "sweep.csv", "sweep.html"
TIMES = ("simulated_seconds", "wall_seconds")


@dataclass(frozen=True)
class Sweep:
    """The runs of a sweep.

    ``rows``: a dict for each, in the order of the values: ``run`` (its folder's name), each parameter, ``status``
    (finished, failed, interrupted, waiting), ``simulated_seconds`` and ``wall_seconds`` (None: there is none), the
    numbers of ``result.json`` by their names there, ``message`` (why it failed). ``swept``: the parameters that have
    several values. ``folder``: where the records are; None: nowhere.
    """

    rows: list[dict[str, Any]]
    swept: list[str]
    folder: Path | None

    @classmethod
    def of(cls, plan: Plan, entries: Sequence[Entry], folder: Path | None) -> Sweep:
        """What these runs have come to."""
        return cls([_row(entry, folder) for entry in entries], plan.swept, folder)

    @property
    def failed(self) -> int:
        """How many runs have not finished."""
        return sum(row["status"] != FINISHED for row in self.rows)

    @property
    def frame(self) -> Any:
        """The rows as a ``pandas.DataFrame``. UserError if that is not installed."""
        return extras.need("pandas", "pandas", "pip install pandas").DataFrame(self.rows)

    def plot(
        self,
        x: str | None = None,
        y: str = "simulated_seconds",
        by: str | Sequence[str] | None = None,
        log: str | None = None,
    ) -> Plot:
        """A plot of the runs that have finished: ``y`` against ``x``, a line for each combination of ``by``.

        ``x``: a parameter (default: the first one with several values that are all numbers or quantities such as
        "780 ns", else the first with several values); ``y``: any column; ``by``: default all other parameters with
        several values. Runs with the same ``x`` on a line are its mean. ``log``: which axes are logarithmic, "", "x",
        "y" or "xy"; default: those whose positive values span a factor of ten or more. UserError if there is nothing
        to draw.
        """
        x = drawing.axis({name: [row[name] for row in self.rows] for name in self.swept}, x)
        by = [name for name in self.swept if name != x] if by is None else [by] if isinstance(by, str) else list(by)
        return drawing.draw([row for row in self.rows if row["status"] == FINISHED], x, y, by, log)

    def table(self) -> str:
        """For people: the parameters with several values, and what each run took."""
        return columns(self._shown())

    def _shown(self) -> list[list[str]]:
        failed = any(row["message"] for row in self.rows)
        head = ["run", *self.swept, "status", "simulated", "wall", *(["why"] if failed else [])]
        shown = [head]
        for row in self.rows:
            times = ["-" if row[name] is None else quantity(row[name], "s") for name in TIMES]
            why = [row["message"]] if failed else []
            shown.append([row["run"], *(str(row[name]) for name in self.swept), row["status"], *times, *why])
        return shown

    def csv(self) -> str:
        """All columns of all rows."""
        names = dict.fromkeys(name for row in self.rows for name in row)
        out = io.StringIO()
        writer = csv.DictWriter(out, [*(name for name in names if name != "message"), "message"], lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.rows)
        return out.getvalue()

    def page(self, x: str | None = None) -> str:
        """The plot, if there is something to draw, and the table, as one HTML page that needs nothing else."""
        return page.document("sweep", "\n".join(self._sections(x)))

    def _sections(self, x: str | None) -> Iterator[str]:
        timed = [name for name in TIMES if any(row[name] is not None for row in self.rows)]
        if self.swept and timed:
            yield self.plot(x, timed[0]).svg()
        head, *body = self._shown()
        lines = ["".join(f"<td>{escape(cell)}</td>" for cell in row) for row in body]
        yield f"<table><tr>{''.join(f'<th>{escape(cell)}</th>' for cell in head)}</tr>"
        yield "".join(f"<tr>{line}</tr>" for line in lines) + "</table>"

    def write(self, folder: RunFolder, x: str | None = None) -> None:
        """CSV and page into the sweep's folder."""
        folder.write(CSV, self.csv())
        folder.write(PAGE, self.page(x))


def _row(entry: Entry, folder: Path | None) -> dict[str, Any]:
    row: dict[str, Any] = {"run": entry.run, **entry.parameters, "status": entry.status}
    times: dict[str, Any] = dict.fromkeys(TIMES)
    facts: dict[str, Any] = {}
    if entry.status == FINISHED and entry.outcome is not None:
        times = {name: entry.outcome.get(name) for name in TIMES}
        facts = entry.outcome.get("facts") or {}
    elif entry.status == FINISHED and folder is not None:
        run = record.read(folder / entry.run)
        times = {name: run.number("run.json", name) for name in TIMES}
        facts = {name: value for name, value in run.result.items() if _is_number(value)}
    row |= times
    return {**row, **{name: value for name, value in facts.items() if name not in row}, "message": entry.message}


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
