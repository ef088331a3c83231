# SPDX-License-Identifier: Apache-2.0
"""One run of a program on a graph. Input: the program's name, its options, where it runs; output: ``Run``."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import threading
import weakref
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

import numpy as np
from numpy.typing import NDArray

from polyloom.base import extras, memory, paths, process, record
from polyloom.base.errors import UserError
from polyloom.base.progress import SWITCH, Progress
from polyloom.graphs.errors import GraphError
from polyloom.graphs.vertices import Vertices
from polyloom.jobs import applications, launch
from polyloom.jobs.memory_file import MemoryFile
from polyloom.report.shown import Report

if TYPE_CHECKING:
    import pandas

Array = NDArray[Any]
#: What a line of progress of a program ends in (fabric/host/progress_line.h).
PROGRESS = re.compile(r", (\d+ (s|min|h))( left)?$")
#: What a run holds of a vertex beside the graph: a state, a result, a row of the result.
BYTES_A_VERTEX = 64


class Where(TypedDict, total=False):
    """Where and how a program runs, alike for all algorithms.

    ``on``: "native" (the CPUs of this machine: the default without ``cluster``), "sim" (a simulated cluster) or "rtl"
    (cycle-exact RTL). ``cluster``: a shipped cluster's name or a TOML file (default "laptop"). ``pins``: how a
    vertex's message goes to many: "unicast", "local", "distributed", "direct", "auto". ``combine``: whether messages
    are merged on their way: "auto", "on", "off". ``engine``: host processes of the simulation, "serial", "threads:N",
    "mpi:N". ``max_cycles``: end the simulation after so many cycles. ``seed``: of faults that the cluster file asks
    for, and of what the program draws.
    ``verify``: compare with an independent computation. ``run_dir``: keep the run record there; else it goes with the
    ``Run``.
    """

    on: str
    cluster: str
    pins: str
    combine: str
    engine: str
    max_cycles: int
    seed: int
    verify: bool
    run_dir: str | Path | None


class Run:
    """What a run answered, and what it cost.

    ``values``: an array with one value a vertex, in the order of ``names``: int64 where all are whole numbers, else
    float64, where ``inf`` stands for none (a vertex that is not reached). Where values are vertices (components,
    communities), they are rows of ``names``; ``to_dict`` and ``to_frame`` give their names. ``columns``: further values
    by name. ``facts``: figures of the whole graph. ``notes``: what the user should know of the values.
    """

    def __init__(
        self, app: str, names: Vertices, rows: Array, facts: dict[str, Any], wall_seconds: float, folder: Path
    ) -> None:
        self.app = Path(app).stem
        self.names = names
        self.values: Array = rows["value"]
        self.columns: dict[str, Array] = {name: rows[name] for name in (rows.dtype.names or ())[1:]}
        self.facts = facts
        self.notes: list[str] = facts.pop("notes", [])
        self.wall_seconds = wall_seconds  # of the computation natively, of the whole simulation else
        self.folder = folder
        self.values_are_vertices = facts.pop("values_are", "") == "vertices"
        phases = facts.get("phases")
        self.simulated_seconds: float | None = facts.get("compute_simulated_seconds")
        self.phases: dict[str, float] = dict(phases) if isinstance(phases, dict) else {}

    def to_dict(self) -> dict[Any, Any]:
        """The value of every vertex by its name."""
        return dict(zip(self.names.to_list(), self._reported(self.values, self.values_are_vertices), strict=True))

    def to_frame(self) -> pandas.DataFrame:
        """A row a vertex: ``vertex``, ``value``, and further columns."""
        pandas = extras.need("pandas", "pandas", "pip install pandas")
        columns = {name: self._reported(values, values.dtype.kind == "i") for name, values in self.columns.items()}
        reported = self._reported(self.values, True) if self.values_are_vertices else self.values
        return pandas.DataFrame({"vertex": self.names.to_list(), "value": reported, **columns})

    def _reported(self, values: Array, are_vertices: bool) -> list[Any]:
        if not are_vertices:
            return list(values.tolist())
        names = self.names.take(np.where(values < 0, 0, values)) if len(values) else []
        return [None if row < 0 else name for row, name in zip(values.tolist(), names, strict=True)]

    def top(self, count: int = 10) -> list[tuple[Any, Any]]:
        """The vertices with the largest values, and these."""
        order = np.argsort(-np.where(np.isfinite(self.values), self.values, -np.inf), kind="stable")[:count]
        reported = self._reported(self.values[order], self.values_are_vertices)
        return list(zip(self.names.take(order), reported, strict=True))

    @property
    def record(self) -> record.RunRecord:
        """The run record: cluster, counters, tables."""
        return record.read(self.folder)

    @property
    def counters(self) -> pandas.DataFrame:
        """Events of every component of a simulated run: columns ``counter``, ``value``."""
        pandas = extras.need("pandas", "pandas", "pip install pandas")
        counters = self.record.counters
        return pandas.DataFrame({"counter": list(counters), "value": list(counters.values())})

    def report(self, path: str | Path | None = None) -> Report:
        """The run's report, a page that needs nothing else; written to ``path``, or shown where a notebook asks."""
        from polyloom.report import page

        made = Path(page.write(self.record))
        if path is None:
            return Report(made.read_text(encoding="utf-8"))
        shutil.copyfile(made, path)
        return Report(made.read_text(encoding="utf-8"), Path(path))

    def __repr__(self) -> str:
        spent = f"{self.simulated_seconds:.6g} s simulated, " if self.simulated_seconds is not None else ""
        shown = ", ".join(f"{name}: {value}" for name, value in self._figures().items())
        notes = "".join(f"\n  {note}" for note in self.notes)
        return (
            f"<{self.app} of {len(self.names)} vertices; {spent}{self.wall_seconds:.3g} s of wall time; {shown}>{notes}"
        )

    def _figures(self) -> dict[str, Any]:
        reported = {"app", "mode", "on", "graph", "format", "packing", "vertices", "edges", "top", "phases", "device"}
        kept = {name: value for name, value in self.facts.items() if name not in reported and "seconds" not in name}
        figures = {name: f"{value:.9g}" for name, value in kept.items() if isinstance(value, (int, float))}
        return figures | {name: value for name, value in kept.items() if isinstance(value, str)}

    def _repr_html_(self) -> str:
        rows = {"on": self.facts.get("on", ""), "vertices": len(self.names), "edges": self.facts.get("edges", "")}
        if self.simulated_seconds is not None:
            rows["simulated time"] = f"{self.simulated_seconds:.6g} s"
        rows["wall time"] = f"{self.wall_seconds:.3g} s"
        rows |= self._figures()
        rows |= {f"{name!r}": value for name, value in self.top(5)}
        cells = "".join(f"<tr><th>{escape(str(k))}</th><td>{escape(str(v))}</td></tr>" for k, v in rows.items())
        notes = "".join(f"<p>{escape(note)}</p>" for note in self.notes)
        return f"<table><caption>{escape(self.app)}</caption>{cells}</table>{notes}"


def run(
    app: str,
    file: MemoryFile,
    names: Vertices,
    options: Mapping[str, Any],
    where: Where,
    called: str = "the graph",
) -> Run:
    """Run a program on a graph. GraphError if it fails, KeyboardInterrupt if it was interrupted.

    ``options``: those of the program's command line, by their Python names; None and False are left out.
    """
    rest: dict[str, Any] = dict(where)
    unknown = next((name for name in rest if name not in Where.__annotations__), None)
    if unknown is not None:
        raise GraphError(
            f"{unknown} = {rest[unknown]!r}: no such argument; there are {', '.join(Where.__annotations__)}"
        )
    on = fidelity(rest, app)
    for name in ("max_cycles", "seed"):
        if not isinstance(rest.get(name) or 0, int) or (rest.get(name) or 0) < 0:
            raise GraphError(f"{name} = {rest[name]!r}: a whole number from 0 is expected")
    flag(rest.get("verify") or False, "verify")
    memory.require(BYTES_A_VERTEX * len(names), f"{app} of {len(names)} vertices")
    kept = rest.get("run_dir")
    stack = contextlib.ExitStack()  # holds the record for as long as the run is there
    folder = Path(str(kept)) if kept else stack.enter_context(process.scratch("run")) / "run"
    rows = MemoryFile("rows")
    args = [*words({**options, **{name: rest.get(name) for name in ("pins", "combine", "verify")}})]
    args += _arrays(file, called, rows)
    request = launch.RunRequest(
        app=app,
        args=args,
        on=on,
        cluster=str(rest.get("cluster") or ""),
        engine=str(rest.get("engine") or ""),
        max_cycles=int(rest.get("max_cycles") or 0),
        seed=int(rest.get("seed") or 0),
        json_output=True,
        run_dir=folder,
    )
    with stack:
        facts, seconds = _launched(
            request, f"{Path(app).stem} on {rest.get('cluster') or 'laptop' if on != 'native' else 'CPUs'}"
        )
        array = np.load(Path(rows.path), allow_pickle=False)
        done = Run(app, names, array, facts, seconds, folder)
        weakref.finalize(done, stack.pop_all().close)  # not by a copy of this process that ends: process.scratch
    return done


def flag(value: Any, argument: str) -> bool:
    """True or false. GraphError naming the argument for anything else."""
    if not isinstance(value, bool | np.bool_):
        raise GraphError(f"{argument} = {value!r}: True or False is expected")
    return bool(value)


def fidelity(where: Mapping[str, Any], app: str = "") -> str:
    """Where a program runs: "native", another name of ``Where``, or "" (as the cluster file says). GraphError."""
    on = str(where.get("on") or os.environ.get("POLYLOOM_ON") or ("" if where.get("cluster") else "native"))
    for name in ("cluster", "engine", "max_cycles", "seed") if on == "native" else ():
        if where.get(name) and not (name == "seed" and app and applications.find(app).draws):
            raise GraphError(f"{name} = {where[name]!r}: a native run has no cluster; leave it out, or say on='sim'")
    try:
        launch.fidelity(on)
        if where.get("cluster"):
            paths.cluster_file(str(where["cluster"]))
    except UserError as error:
        raise GraphError(python_words(str(error))) from None
    return on


class Result(NamedTuple):
    """What a program responds, without a record of how: one value a vertex, further columns, figures."""

    values: Array
    columns: Mapping[str, Array]
    facts: Mapping[str, Any]


def result(app: str, file: MemoryFile, vertices: int, options: Mapping[str, Any], where: Where) -> Result:
    """Run an application and keep only the result; vertices are called by their rows. GraphError if it fails.

    Natively the program alone is started, which takes milliseconds: no supervised run, no folder.
    """
    if fidelity(where, app) != "native":
        whole = run(app, file, Vertices(range(vertices)), options, where)
        return Result(whole.values, whole.columns, whole.facts)
    memory.require(BYTES_A_VERTEX * vertices, f"{app} of {vertices} vertices")
    rows = MemoryFile("rows")
    mark = process.guard()
    command = [str(paths.program(f"app_{app}")), *words(options), *_arrays(file, "the graph", rows), "--json"]
    env = {**os.environ, **paths.environment(), "POLYLOOM_ON": "native", "POLYLOOM_RUN_DIR": "", mark: "1"}
    env["POLYLOOM_SEED"] = str(where.get("seed") or 0)
    done = process.tool(command, env, descriptors=[file.descriptor, rows.descriptor])
    if done.returncode != 0:
        said = done.stderr.splitlines()
        raise GraphError(python_words(error_of(said) or f"{app} ended with status {done.returncode}"))
    array = np.load(Path(rows.path), allow_pickle=False)
    columns = {name: array[name] for name in (array.dtype.names or ())}
    return Result(columns.pop("value"), columns, json.loads(done.stdout))


def _arrays(file: MemoryFile, called: str, rows: MemoryFile) -> list[str]:
    """The options by which a program takes a graph from memory and leaves its result there."""
    given = ["--converted", "arrays", called, "--graph", file.path, "--format", "arrays"]
    return [*given, "--rows", rows.path, "--top", "0"]


def _launched(request: launch.RunRequest, what: str) -> tuple[dict[str, Any], float]:
    said: list[str] = []
    with Progress(what) as progress:

        def take(line: str) -> None:
            if PROGRESS.search(line):
                progress.at(0, line.removeprefix("polyloom: "))
            else:
                said.append(line)

        request.on_message = take
        request.environment = {SWITCH: "on"}
        try:
            status, folder, output = launch.launch(request)
        except GraphError:
            raise
        except UserError as error:
            raise GraphError(python_words(str(error))) from None
        except (ValueError, OSError) as error:  # an argument that no command line can have
            raise GraphError(f"{Path(request.app).stem} cannot be started: {error}") from error
    raise_if_interrupted(status)
    facts = {}
    with contextlib.suppress(json.JSONDecodeError):
        facts = json.loads(output)
    if status != 0 or not facts:
        if facts.get("verified") is False:
            raise GraphError(
                f"verify: the values are not those of an independent computation ({facts['verify_criterion']})"
            )
        raise GraphError(python_words(error_of(said) or f"{request.app} ended with status {status}"))
    wall = record.read(folder).number("run.json", "wall_seconds")
    seconds = facts.get("compute_wall_seconds")
    return facts, float(seconds if seconds is not None else wall or 0.0)


def raise_if_interrupted(status: int) -> None:
    """What a signal that has ended a program is to who waited for it: the same, and KeyboardInterrupt."""
    if status in record.INTERRUPTED:
        if threading.current_thread() is threading.main_thread():
            signal.raise_signal(status - launch.FIRST_OF_SIGNALS)  # to whom it was for before the run
        raise KeyboardInterrupt


def error_of(said: Sequence[str]) -> str:
    """The last message, which may have lines."""
    begins = [at for at, line in enumerate(said) if line.startswith("polyloom: ")] or [0]
    whole = any("stands above" in line for line in said[begins[-1] :])
    return "\n".join(said[0 if whole else begins[-1] :]).removeprefix("polyloom: ")


def words(options: Mapping[str, Any]) -> list[str]:
    """Options as a command line has them."""
    line = []
    for name, value in options.items():
        option = f"--{name.replace('_', '-')}"
        if value is True:
            line.append(option)
        elif value is not None and value is not False:
            line += [option, str(value)]
    return line


def python_words(message: str) -> str:
    """A message of a program, with its options as Python's arguments."""
    message = message.partition("; all options: polyloom run")[0]
    message = re.sub(r"--([a-z][a-z-]*) ([^\s:;,]+):", lambda m: f"{m[1].replace('-', '_')} = {m[2]}:", message)
    return re.sub(r"--([a-z][a-z-]*)", lambda m: m[1].replace("-", "_"), message)
