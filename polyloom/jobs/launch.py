# SPDX-License-Identifier: Apache-2.0
"""Runs an application and leaves a run record. Input: names and arguments; output: exit status, folder."""

from __future__ import annotations

import os
import re
import shlex
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from polyloom.base import paths, process, record
from polyloom.base.errors import UserError
from polyloom.jobs import applications, graph_files
from polyloom.jobs.processes import Messages, Processes

FIDELITIES = ("native", "sim", "rtl")
#: Applications in C++ are vertex programs of the overlay, those in Python use collectives.
DEFAULT_CLUSTER, DEFAULT_PYTHON_CLUSTER = "laptop", "optweb-8"
#: In the record of a run whose request holds the cluster file's text.
CLUSTER_FILE = "cluster.toml"
#: Exit statuses from here on are those of programs that a signal has ended.
FIRST_OF_SIGNALS = 128


@dataclass
class RunRequest:
    """What to run, where, and how."""

    app: str
    args: list[str]
    on: str = ""  # empty: as the cluster file says of each FPGA
    cluster: str = ""  # empty: DEFAULT_CLUSTER, or DEFAULT_PYTHON_CLUSTER
    engine: str = ""
    max_cycles: int = 0
    seed: int = 0
    trace: bool = False
    profile: bool = True
    json_output: bool = False
    run_dir: Path | None = None
    environment: Mapping[str, str] = field(default_factory=dict)  # beside what follows from all this
    on_message: Callable[[str], None] | None = None  # takes lines of its standard error, and what is said of its end
    cluster_text: str = ""  # of a cluster file, which the record keeps, in the place of ``cluster``
    compare_folder: Path | None = None  # for edges.csv and values.csv, to be compared with a user's function
    processes: Processes | None = None  # of a native run
    runs_parent: Path = field(default_factory=lambda: Path("runs"))


def fidelity(given: str) -> str:
    """What was asked for by ``--on`` or POLYLOOM_ON; empty: as the cluster file says of each FPGA."""
    on = given or os.environ.get("POLYLOOM_ON", "")
    if on and on not in FIDELITIES:
        raise UserError(f"{'--on ' if given else 'POLYLOOM_ON='}{on}: allowed are {', '.join(FIDELITIES)}")
    return on


def launch(request: RunRequest) -> tuple[int, Path, str]:
    """Run it. Returns (exit status, run folder, captured standard output when ``json_output``)."""
    on = fidelity(request.on)
    app = applications.find(request.app)
    cluster = ""
    if on != "native":
        default = DEFAULT_PYTHON_CLUSTER if app.in_python else DEFAULT_CLUSTER
        cluster = str(paths.cluster_file(request.cluster or default))
    words = [cluster, *request.args, *(word.partition("=")[2] for word in request.args)]
    with (
        graph_files.readable([] if app.in_python else request.args) as readable,
        record.open_folder(request.run_dir, request.runs_parent, app.name, on or "sim", words) as folder,
    ):
        if request.cluster_text:
            cluster = str(folder.write(CLUSTER_FILE, request.cluster_text))
        given = [*request.args, *(["--json"] if request.json_output else [])]
        command = [*app.command, *(given if app.in_python else [*readable, *given[len(request.args) :]])]
        env = {**app.environment, **_environment(request, on, cluster), **folder.env}
        if on != "native":
            env |= app.for_threads()
        env |= {"POLYLOOM_RUN_DIR": str(folder.path), **request.environment}
        on_message = request.on_message
        messages = Messages(on_message or (lambda line: print(line, file=sys.stderr)))
        if request.processes is not None:
            _refuse_alone(request.processes, app, request.args, readable, words)
            command, env = request.processes.command(command, env)
            on_message = messages.take
        start = time.monotonic()
        status, output = process.run_child(
            command,
            env,
            Path.cwd(),
            capture_stdout=request.json_output,
            on_message=on_message,
            descriptors=[*folder.descriptors, *_descriptors_named(words)],
        )
        folder.remove_partial()
        wall = time.monotonic() - start
        if 0 < status < FIRST_OF_SIGNALS and not folder.has_begun:
            folder.give_up()  # it has said why there is nothing to keep
            return status, folder.path, output
        record.complete(folder, app.name, on or "sim", [*app.command, *given], request.seed, status, wall)
    if request.processes is not None and status not in record.INTERRUPTED:
        if cause := messages.cause(status):
            _report(request, cause)
    elif status > FIRST_OF_SIGNALS and status not in record.INTERRUPTED:
        name = signal.Signals(status - FIRST_OF_SIGNALS).name
        shown = shlex.join([*app.command, *given])
        where = f"; to see where: POLYLOOM_ON=native gdb --args {shown}" if on == "native" else ""
        _report(request, f"{app.name} was ended by {name}{where}")
    if status in record.INTERRUPTED:
        _report(request, f"{record.INTERRUPTED[status]}; the record of the run so far: {folder.path}")
    return status, folder.path, output


def _refuse_alone(
    processes: Processes,
    app: applications.Application,
    args: Sequence[str],
    readable: Sequence[str],
    words: Sequence[str],
) -> None:
    """UserError for what one process can do, and several cannot."""
    if app.in_python:
        raise UserError(f"--processes {processes.count} is for vertex programs; {app.name} is none")
    once = [word for word in words if word == "-" or re.fullmatch(r"/(?:dev|proc/self)/fd/\d+", word)]
    if once:
        raise UserError(f"{once[0]} gives its bytes once, and {processes.count} processes read the graph; give a file")
    if processes.hosts.others and list(readable) != list(args):
        raise UserError(
            f"the graph is converted on this host, and processes on {', '.join(processes.hosts.others)} read it, too; "
            "write it as an edge list or as CSV first"
        )


def _report(request: RunRequest, text: str) -> None:
    line = f"polyloom: {text}"
    if request.on_message is None:
        print(line, file=sys.stderr)
    else:
        request.on_message(line)


def _descriptors_named(words: Sequence[str]) -> list[int]:
    """Those that the caller's shell has opened for the program: ``--graph <(zcat graph.gz)``."""
    found = {int(match[1]) for word in words if (match := re.fullmatch(r"/(?:dev|proc/self)/fd/(\d+)", word))}
    return sorted(number for number in found if number > 2 and Path(f"/proc/self/fd/{number}").exists())


def _environment(request: RunRequest, on: str, cluster: str) -> dict[str, str]:
    """What the program is told of the request."""
    env = {"POLYLOOM_SEED": str(request.seed)}
    if on:
        env["POLYLOOM_ON"] = on
    if cluster:
        env["POLYLOOM_CLUSTER"] = cluster
    if request.engine:
        env["POLYLOOM_ENGINE"] = request.engine
    if request.max_cycles:
        env["POLYLOOM_MAX_CYCLES"] = str(request.max_cycles)
    if request.profile:
        env["POLYLOOM_PROFILE"] = "1"
    if request.compare_folder is not None:
        env["POLYLOOM_COMPARE_FOLDER"] = str(request.compare_folder)
    if request.trace:
        env["POLYLOOM_TRACE"] = "true"
    return env
