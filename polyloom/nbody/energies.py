# SPDX-License-Identifier: Apache-2.0
"""The table of conserved quantities of a run (energy.csv). Input: diagnostics; output: rows, drifts."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable
from dataclasses import astuple, dataclass, field, fields
from pathlib import Path
from typing import Any

from polyloom.base import files
from polyloom.base.errors import UserError


@dataclass(frozen=True)
class Row:
    """Conserved quantities at a time."""

    step: int
    time: float
    kinetic: float
    potential: float
    energy: float
    momentum_x: float
    momentum_y: float
    momentum_z: float
    angular_x: float
    angular_y: float
    angular_z: float


@dataclass
class EnergyLog:
    """Rows, in memory and in the run folder; each is on disk as soon as it is added."""

    path: Path
    rows: list[Row] = field(default_factory=list)

    @classmethod
    def fresh(cls, path: Path) -> EnergyLog:
        """An empty table."""
        log = cls(path)
        log._rewrite()
        return log

    @classmethod
    def resumed(cls, path: Path, step: int) -> EnergyLog:
        """What was written up to a step; a last line that was cut short is dropped.

        UserError if nothing is left: the drift that a run tells is that from its first row.
        """
        log = cls(path)
        if log.path.is_file():
            with log.path.open(newline="") as file:
                for cells in list(csv.reader(file))[1:]:
                    if len(cells) == len(fields(Row)) and int(cells[0]) <= step:
                        log.rows.append(Row(int(cells[0]), *(float(cell) for cell in cells[1:])))
        if not log.rows or log.rows[0].step != 0:
            raise UserError(f"{path} lacks the energies of step 0, so the run's drift would not be known; put it back")
        log._rewrite()
        return log

    def _rewrite(self) -> None:
        with files.whole(self.path) as file:
            writer = csv.writer(file)
            writer.writerow(field.name for field in fields(Row))
            writer.writerows(astuple(row) for row in self.rows)

    def add(self, step: int, time: float, values: dict[str, Any]) -> None:
        """Add what ``Simulation.diagnostics`` says."""
        energies = (values["kinetic"], values["potential"], values["energy"])
        row = Row(step, time, *energies, *values["momentum"], *values["angular_momentum"])
        self.rows.append(row)
        try:
            with self.path.open("a", newline="") as file:
                csv.writer(file).writerow(astuple(row))
        except OSError as error:
            raise UserError(f"cannot write {self.path}: {error.strerror}") from error

    def summary(self) -> dict[str, Any]:
        """First and last energy, and the largest drifts: of the energy by its first value, or, where the first kinetic
        and potential energy nearly cancel, by a thousandth of them."""
        if not self.rows:
            return {}
        first, last = self.rows[0], self.rows[-1]
        scale = max(abs(first.energy), 1e-3 * (abs(first.kinetic) + abs(first.potential))) or 1.0
        return {
            "energy_first": first.energy,
            "energy_last": last.energy,
            "energy_drift": _largest(abs(row.energy - first.energy) / scale for row in self.rows),
            "momentum_drift": max(_apart(row, first, "momentum") for row in self.rows),
            "angular_momentum_drift": max(_apart(row, first, "angular") for row in self.rows),
        }


def _largest(values: Iterable[float]) -> float:
    """The largest, or what is no number if there is such a one."""
    found = list(values)
    return next((value for value in found if math.isnan(value)), max(found))


def _apart(row: Row, first: Row, name: str) -> float:
    return math.hypot(*(getattr(row, f"{name}_{axis}") - getattr(first, f"{name}_{axis}") for axis in "xyz"))
