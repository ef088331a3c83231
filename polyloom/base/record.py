# SPDX-License-Identifier: Apache-2.0
"""The run record, a folder a run (docs/design.md, section 4.8). Reads what simulator and application wrote."""

from __future__ import annotations

import csv
import dataclasses
import datetime
import io
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import polyloom
from polyloom.base import interrupts
from polyloom.base.errors import UserError
from polyloom.base.folder import RunFolder

Stored = TypeVar("Stored")
#: Exit statuses of a program that was asked to end.
INTERRUPTED = {128 + signum: f"interrupted by {signum.name}" for signum in interrupts.SIGNALS}

#: Phases in which the nodes work. Threads of an overlay go on while the host collects; all others have ended then.
WORKING = ("compute",)
WORKING_OVERLAY = ("compute", "collect")


@dataclass(frozen=True)
class RunRecord:
    """One run's folder. ``run`` is what ran and for how long, ``result`` what the application answered.

    A folder may come from anywhere, so whatever is asked of it is there in the form that was asked for, or a UserError
    names the file and what is wrong with it.
    """

    folder: Path
    run: dict[str, Any]
    result: dict[str, Any]
    counters: dict[str, int]

    def table(self, name: str, integers: tuple[str, ...] = (), texts: tuple[str, ...] = ()) -> list[dict[str, Any]]:
        """Rows of the optional table ``name`` (``NAME.csv`` in the folder); empty if it was not written.

        The columns named in ``integers`` must be there and hold counts of 64 bits; those in ``texts`` must be there.
        """
        return list(_rows(self.folder / f"{name}.csv", integers, texts))

    def cluster(self) -> dict[str, Any]:
        """The cluster with all defaults, as ``cluster.json`` has it; empty for a run without one."""
        return _read_json(self.folder / "cluster.json") or {}

    def mapping(self) -> dict[str, dict[str, Any]]:
        """What of a vertex program's graph lies on each core, by ``mapping.json``; empty if it does not tell."""
        path = self.folder / "mapping.json"
        cores = (_read_json(path) or {}).get("cores", {})
        if not isinstance(cores, dict) or not all(isinstance(mapped, dict) for mapped in cores.values()):
            raise UserError(f"{path}: 'cores' is not a JSON object of JSON objects")
        return cores

    @property
    def phases(self) -> dict[str, float]:
        """Simulated seconds of each phase; empty if the run names none."""
        named = self.run.get("phases", {})
        if not isinstance(named, dict):
            raise UserError(f"{self.folder / 'run.json'}: 'phases' is not a JSON object")
        path = self.folder / "run.json"
        return {name.removesuffix("_seconds"): as_number(length, path, name) for name, length in named.items()}

    @property
    def working_seconds(self) -> float:
        """Simulated seconds in which programs ran on the nodes, so not those of loading and starting them.

        The whole run's where it names no phases.
        """
        if phases := self.phases:
            nodes = self.cluster().get("nodes")
            listed = nodes if isinstance(nodes, list) else ()
            overlay = any(isinstance(node, dict) and node.get("role") == "overlay" for node in listed)
            return sum(phases.get(name, 0.0) for name in (WORKING_OVERLAY if overlay else WORKING))
        return self.number("run.json", "simulated_seconds") or 0.0

    @property
    def working_span(self) -> str:
        """What ``working_seconds`` contains, in words."""
        if self.phases:
            return "the simulated time in which programs ran"
        return "the whole simulated time, loading and reading back included"

    def number(self, file: str, *keys: str) -> float | None:
        """The number under these keys of ``run.json`` or ``result.json``; None if there is none."""
        value: Any = self.run if file == "run.json" else self.result
        for key in keys:
            if value is None:
                return None
            if not isinstance(value, dict):
                raise UserError(f"{self.folder / file}: '{'.'.join(keys)}' is not in a JSON object")
            value = value.get(key)
        return None if value is None else as_number(value, self.folder / file, ".".join(keys))


def as_number(value: Any, path: Path, what: str) -> float:
    """``value`` if it is a finite number; UserError naming the file otherwise."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise UserError(f"{path}: '{what}' is {_short(value)}, not a number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise UserError(f"{path}: '{what}' is not a finite number")
    return number


def stored(kind: type[Stored], values: Any, path: Path, name: str) -> Stored:
    """A dataclass as ``asdict`` wrote it into a file. UserError naming what in it cannot be that."""
    if not isinstance(values, dict):
        raise UserError(f"{path}: '{name}' is not a JSON object")
    usual = {field.name: field.default for field in dataclasses.fields(kind)}  # type: ignore[arg-type]
    for key in values.keys() ^ usual.keys():
        raise UserError(f"{path}: '{name}.{key}' is {'missing' if key in usual else 'not known'}")
    for key, value in values.items():
        wanted = type(usual[key])
        fits = isinstance(value, (int, float) if wanted is float else wanted)
        if not fits or isinstance(value, bool) != (wanted is bool):
            raise UserError(f"{path}: '{name}.{key}' is {_short(value)}, not {wanted.__name__}")
        if isinstance(value, int) and abs(value) >= 1 << 63:
            raise UserError(f"{path}: '{name}.{key}' is too large")
    return kind(**values)


def _short(value: Any) -> str:
    text = (
        json.dumps(value)
        if isinstance(value, (str, bool, int, float, type(None)))
        else f"a JSON {type(value).__name__}"
    )
    return text if len(text) <= 40 else f"{text[:37]}..."


def open_folder(
    wanted: Path | None, parent: Path, app: str, on: str, read: Iterable[str | Path | None] = ()
) -> RunFolder:
    """The folder of a run that begins: ``wanted``, or a fresh one below ``parent``. UserError if it cannot be had.

    ``read``: files that the run may read; words of a command line that are none do no harm. The folder is theirs if
    they lie in it.
    """
    if wanted:
        for word in read:
            if word and _lies_in(Path(word), wanted):
                raise UserError(f"--run-dir {wanted}: {word}, which the run reads, lies in it; give another folder")
        return RunFolder(wanted)
    fresh = [] if parent.exists() else [parent]
    folder = new_folder(parent, app, on)
    return RunFolder(folder, made=[folder, *fresh])


def _lies_in(file: Path, folder: Path) -> bool:
    try:
        return file.is_file() and folder.resolve() in file.resolve().parents
    except (OSError, ValueError):  # no name of a file
        return False


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


def word_of(status: int | None) -> str:
    """What a record calls a run that ended with this exit status; None: it has not ended."""
    if status is None:
        return "running"
    return "finished" if status == 0 else "interrupted" if status in INTERRUPTED else "failed"


def complete(
    folder: RunFolder,
    app: str,
    on: str,
    command: Sequence[str],
    seed: int,
    status: int,
    wall_seconds: float,
    more: Mapping[str, Any] | None = None,
) -> None:
    """Write the run.json of a run that had no simulator to do so (native, or one that ended before it started).

    Of one that had, the status is made true, and ``more`` is added.
    """
    if (folder.path / "run.json").exists():
        news = dict(more or {})
        if status in INTERRUPTED:  # the simulator may have seen its client go before it got the signal itself
            news["status"] = "interrupted"
        if news:
            known = _read_json(folder.path / "run.json") or {}
            folder.write("run.json", json.dumps({**known, **news}, indent=2) + "\n")
        return
    content = {
        "version": polyloom.__version__,
        "app": app,
        "on": on,
        "command": list(command),
        "seed": seed,
        "status": word_of(status),
        "exit_status": status,
        "wall_seconds": wall_seconds,
        "simulated_seconds": None,
        **(more or {}),
    }
    folder.write("run.json", json.dumps(content, indent=2) + "\n")


def read(folder: Path) -> RunRecord:
    """Read a run folder; UserError if it is not one."""
    run = _read_json(folder / "run.json")
    if run is None:
        raise UserError(f"{folder} is not a run record: it has no run.json")
    counters = {str(row["name"]): int(row["value"]) for row in _rows(folder / "counters.csv", ("value",), ("name",))}
    return RunRecord(folder, run, _read_json(folder / "result.json") or {}, counters)


def _read_json(path: Path) -> dict[str, Any] | None:
    text = _read_text(path)
    if text is None:
        return None
    try:
        content = json.loads(text)
    except json.JSONDecodeError as error:
        raise UserError(f"{path}:{error.lineno}: not JSON: {error.msg}") from error
    except RecursionError as error:
        raise UserError(f"{path}: not a run record: JSON nested too deeply") from error
    except ValueError as error:  # an integer of thousands of digits
        raise UserError(f"{path}: not a run record: {error}") from error
    if not isinstance(content, dict):
        raise UserError(f"{path}: not a JSON object")
    return content


def _read_text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: not text: byte {error.start} is not UTF-8") from error
    except (OSError, ValueError) as error:
        raise UserError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error


def _rows(path: Path, integers: tuple[str, ...], others: tuple[str, ...] = ()) -> Iterator[dict[str, Any]]:
    """Rows of a CSV; none if it is not there. UserError naming the line unless each has these columns."""
    text = _read_text(path)
    if text is None:
        return
    reader = csv.DictReader(io.StringIO(text, newline=""))
    try:
        for name in (*integers, *others):
            if name not in (reader.fieldnames or ()):
                raise UserError(f"{path}:1: there is no column '{name}'")
        for row in reader:
            for name in (*integers, *others):
                if row[name] is None:
                    raise UserError(f"{path}:{reader.line_num}: the line ends before column '{name}'")
            yield {key: _integer(value) if key in integers else value for key, value in row.items()}
    except csv.Error as error:
        raise UserError(f"{path}:{reader.line_num}: {error}") from error
    except ValueError as error:
        raise UserError(f"{path}:{reader.line_num}: not a counter: {str(error)[:80]}") from error


def _integer(text: str) -> int:
    value = int(text)
    if not 0 <= value < 1 << 64:
        raise ValueError(f"{text[:40]} is not in 64 bits")
    return value
