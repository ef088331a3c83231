# SPDX-License-Identifier: Apache-2.0
"""Runs an application and leaves a run record. Input: names and arguments; output: exit status, folder."""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import polyloom
from polyloom import paths, process, record
from polyloom.errors import UserError

FIDELITIES = ("native", "sim", "rtl")
#: Applications in C++ are vertex programs of the overlay, those in Python use collectives.
DEFAULT_CLUSTER, DEFAULT_PYTHON_CLUSTER = "laptop", "optweb-8"


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
    runs_parent: Path = field(default_factory=lambda: Path("runs"))


def launch(request: RunRequest) -> tuple[int, Path, str]:
    """Run it. Returns (exit status, run folder, captured standard output when ``json_output``)."""
    on = request.on or os.environ.get("POLYLOOM_ON", "")
    if on and on not in FIDELITIES:
        raise UserError(f"{'--on ' if request.on else 'POLYLOOM_ON='}{on}: allowed are {', '.join(FIDELITIES)}")
    in_python = paths.python_apps()
    known = sorted({*paths.apps(), *in_python})
    if request.app not in known:
        raise UserError(f"no application '{request.app}'; built: {', '.join(known) or 'none (run make build)'}")
    python = request.app in in_python
    program = [sys.executable, "-m", f"apps.{request.app}"] if python else [str(paths.program(f"app_{request.app}"))]
    folder = request.run_dir or record.new_folder(request.runs_parent, request.app, on or "sim")
    folder = folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    env = {
        "POLYLOOM_HOME": str(paths.home()),
        "POLYLOOM_RUN_DIR": str(folder),
        "POLYLOOM_SEED": str(request.seed),
    }
    if on:
        env["POLYLOOM_ON"] = on
    if on != "native":
        cluster = request.cluster or (DEFAULT_PYTHON_CLUSTER if python else DEFAULT_CLUSTER)
        env["POLYLOOM_CLUSTER"] = str(paths.cluster_file(cluster))
    if python:
        env["PYTHONPATH"] = os.pathsep.join([str(paths.home()), *filter(None, [os.environ.get("PYTHONPATH")])])
    if request.engine:
        env["POLYLOOM_ENGINE"] = request.engine
    if request.max_cycles:
        env["POLYLOOM_MAX_CYCLES"] = str(request.max_cycles)
    if request.profile:
        env["POLYLOOM_PROFILE"] = "1"
    if request.trace:
        env["POLYLOOM_TRACE"] = "true"
    command = [*program, *request.args, *(["--json"] if request.json_output else [])]
    start = time.monotonic()
    status, output = process.run_child(command, env, Path.cwd(), capture_stdout=request.json_output)
    if not (folder / "run.json").exists():
        _write_run_json(folder, request, on, command, status, time.monotonic() - start)
    return status, folder, output


def _write_run_json(folder: Path, request: RunRequest, on: str, command: list[str], status: int, wall: float) -> None:
    """The record of a run that had no simulator (native, or one that ended before it started)."""
    content = {
        "version": polyloom.__version__,
        "app": request.app,
        "on": on or "sim",
        "command": command,
        "seed": request.seed,
        "exit_status": status,
        "wall_seconds": wall,
        "simulated_seconds": None,
    }
    record.write_atomically(folder / "run.json", json.dumps(content, indent=2) + "\n")
