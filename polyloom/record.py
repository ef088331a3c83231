# SPDX-License-Identifier: Apache-2.0
"""The run record: a folder per run (DESIGN.md section 4). Reads what the simulator and the application wrote."""

from __future__ import annotations

import csv
import datetime
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polyloom.errors import UserError


@dataclass(frozen=True)
class RunRecord:
    """One run's folder. ``run`` is what ran and for how long, ``result`` what the application answered."""

    folder: Path
    run: dict[str, Any]
    result: dict[str, Any]
    counters: dict[str, int]

    def table(self, name: str) -> list[dict[str, str]]:
        """Rows of the optional table ``name`` (``NAME.csv`` in the folder); empty if it was not written."""
        path = self.folder / f"{name}.csv"
        if not path.is_file():
            return []
        with path.open(newline="") as file:
            return list(csv.DictReader(file))


def new_folder(parent: Path, app: str, on: str) -> Path:
    """Make a fresh folder ``TIME-APP-ON`` (with a number if that exists); UserError if it cannot be made."""
    stamp = datetime.datetime.now().strftime("%Y%m%d-%H%M%S")
    for suffix in _suffixes():
        folder = parent / f"{stamp}-{app}-{on}{suffix}"
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            continue
        except OSError as error:
            raise UserError(f"cannot make the run folder {folder}: {error.strerror}") from error
        return folder
    raise AssertionError("unreachable")


def _suffixes() -> Iterator[str]:
    yield ""
    number = 2
    while True:
        yield f"-{number}"
        number += 1


def read(folder: Path) -> RunRecord:
    """Read a run folder; UserError if it is not one."""
    run = _read_json(folder / "run.json")
    if run is None:
        raise UserError(f"{folder} is not a run record: it has no run.json")
    counters: dict[str, int] = {}
    counters_path = folder / "counters.csv"
    if counters_path.is_file():
        with counters_path.open(newline="") as file:
            for row in csv.DictReader(file):
                counters[row["name"]] = int(row["value"])
    return RunRecord(folder, run, _read_json(folder / "result.json") or {}, counters)


def _read_json(path: Path) -> dict[str, Any] | None:
    if not path.is_file():
        return None
    try:
        content = json.loads(path.read_text())
    except json.JSONDecodeError as error:
        raise UserError(f"{path}:{error.lineno}: not JSON: {error.msg}") from error
    if not isinstance(content, dict):
        raise UserError(f"{path}: not a JSON object")
    return content


def write_atomically(path: Path, text: str) -> None:
    """Write ``text`` so that the file is there whole or not at all; UserError naming the cause otherwise."""
    partial = path.with_name(path.name + ".partial")
    try:
        with partial.open("w") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise UserError(f"cannot write {path}: {error.strerror}") from error
