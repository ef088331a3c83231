# SPDX-License-Identifier: Apache-2.0
"""What a sweep's folder says of its runs: ``run.json``. Input: parameters of runs; output: an entry for each.

The folder is a record of its own, held while a sweep works in it, with the records of the runs in it: 000, 001, ...
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import polyloom
from polyloom.base import record
from polyloom.base.errors import UserError
from polyloom.base.folder import RunFolder
from polyloom.sweeps.plan import Parameters, identity

FILE = "run.json"
WAITING, FINISHED = "waiting", "finished"


@dataclass
class Entry:
    """One run. ``outcome``: what a function gave; that of an application stands in the run's own record.

    ``function``: what tells the function from others, and from what it was before it was changed.
    """

    run: str
    parameters: Parameters
    status: str = WAITING
    message: str = ""
    outcome: dict[str, Any] | None = None
    function: str = ""


class Index:
    """The entries of a sweep; ``folder`` None: they are kept in memory alone."""

    def __init__(self, folder: RunFolder | None) -> None:
        self.folder = folder
        self._entries = [] if folder is None else _read(folder.path)

    def of(self, points: Sequence[Parameters], function: str = "") -> list[Entry]:
        """An entry for each point, in their order; those that were there before are known by their parameters."""
        known = {identity(entry.parameters): entry for entry in self._entries if entry.function == function}
        for point in points:
            if identity(point) not in known:
                known[identity(point)] = Entry(f"{len(self._entries):03}", point, function=function)
                self._entries.append(known[identity(point)])
        return [known[identity(point)] for point in points]

    def save(self, facts: dict[str, Any]) -> None:
        """Write it, with these facts of the sweep."""
        if self.folder is not None:
            head = {"version": polyloom.__version__, "sweep": True, "simulated_seconds": None, **facts}
            content = {**head, "runs": [asdict(entry) for entry in self._entries]}
            self.folder.write(FILE, json.dumps(content, indent=1) + "\n")


def _read(folder: Path) -> list[Entry]:
    if not (folder / FILE).exists():
        return []
    runs = record.read(folder).run.get("runs")
    if not isinstance(runs, list):
        raise UserError(f"{folder}: is the record of a run, not of a sweep; give another folder")
    return [_entry(values, folder / FILE) for values in runs]


def _entry(values: Any, path: Path) -> Entry:
    match values:
        case {"run": str(run), "parameters": dict(point), "status": str(status), "message": str(message)}:
            outcome = values.get("outcome")
            if run.isdecimal() and (outcome is None or isinstance(outcome, dict)):
                return Entry(run, point, status, message, outcome, str(values.get("function", "")))
    raise UserError(f"{path}: 'runs' is not as `polyloom sweep` writes it; give another folder")
