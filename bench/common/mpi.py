# SPDX-License-Identifier: Apache-2.0
"""Runs MPI programs on clusters ``zrlmpi:N``. Input: program, ranks, macros; output: times, counters, memory."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.common.harness import BUILD, ROOT, cluster_variant

_TIME = re.compile(r"^time of (?:an iteration|a round): ([0-9.e+-]+) (ms|us)", re.MULTILINE)


@dataclass(frozen=True)
class Job:
    """What a job answered; ``milliseconds`` are simulated, of what the program itself timed."""

    milliseconds: float
    output: str
    result: dict[str, Any]
    wall_seconds: float  # of the command, from start to end
    peak_bytes: int  # of the largest of its processes

    @property
    def simulated_seconds(self) -> float:
        """Of the whole job."""
        return float(self.result["end"]["simulated_ps"]) * 1e-12

    @property
    def simulator_seconds(self) -> float:
        """Wall time of the simulator alone."""
        record = json.loads(Path(self.result["run_dir"], "run.json").read_text())
        return float(record["wall_seconds"])

    def counters(self, rank: int) -> dict[str, int]:
        """Those of an FPGA rank's engine (roles/mpi/PROTOCOL.md, Management)."""
        values: dict[str, int] = self.result["end"]["counters"][str(rank)]
        return values


def cluster(folder: Path, ranks: int, drop_rate: float = 0) -> str:
    """One CPU and ``ranks`` - 1 FPGAs on a switch; ``drop_rate``: of the frames on each link."""
    if drop_rate == 0:
        return f"zrlmpi:{ranks}"
    changes = {"size": f"[{ranks - 1}]", "drop_rate": str(drop_rate)}
    return str(cluster_variant(folder, f"zrlmpi-{ranks}-lossy", "zrlmpi-4", "link", **changes))


def run(
    program: Path,
    on: str,
    folder: Path,
    macros: dict[str, int],
    options: Sequence[str] = (),
    arguments: Sequence[str] = (),
    env: Mapping[str, str] | None = None,
) -> Job:
    """Run a program; exits with its message if it fails. ``env``: what differs from this process's."""
    flags = [word for name, value in macros.items() for word in ("-D", f"{name}={value}")]
    command = [sys.executable, "-m", "polyloom", "mpirun", "--json", "--cluster", on, *flags, *options]
    command += ["--run-dir", str(folder / f"run-{len(list(folder.iterdir()))}"), str(program), *arguments]
    begin = time.monotonic()
    started = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, env={**os.environ, **(env or {})})
    assert started.stdout is not None
    printed = started.stdout.read()
    _, status, used = os.wait4(started.pid, 0)
    started.returncode = os.waitstatus_to_exitcode(status)
    wall = time.monotonic() - begin
    if started.returncode != 0:
        sys.exit(f"bench: {' '.join(command)} ended with status {started.returncode}: {printed[-500:]}")
    *lines, last = printed.strip().splitlines()
    text = "\n".join(lines)
    found = _TIME.search(text)
    milliseconds = 0.0 if found is None else float(found[1]) * (1 if found[2] == "ms" else 1e-3)
    return Job(milliseconds, text, json.loads(last), wall, used.ru_maxrss * 1024)


def preset(dim: int, ranks: int, iterations: int, *options: str) -> dict[str, Any]:
    """The published protocol in the same network (zrlmpi_preset.cc)."""
    command = [str(BUILD / "bin" / "bench_zrlmpi_preset"), "--dim", str(dim), "--ranks", str(ranks)]
    command += ["--iterations", str(iterations), *options]
    result: dict[str, Any] = json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)
    return result
