# SPDX-License-Identifier: Apache-2.0
"""Runs MPI programs on clusters of the shape of zrlmpi-4. Input: program, ranks, macros; output: times, counters."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Sequence
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
    answer: dict[str, Any]

    def counters(self, rank: int) -> dict[str, int]:
        """Those of an FPGA rank's engine (roles/kernel/PROTOCOL.md, Management)."""
        values: dict[str, int] = self.answer["end"]["counters"][str(rank)]
        return values


def cluster(folder: Path, ranks: int, drop_rate: float = 0) -> Path:
    """One CPU and ``ranks`` - 1 FPGAs on a switch."""
    changes = {"size": f"[{ranks - 1}]"} | ({"drop_rate": str(drop_rate)} if drop_rate else {})
    return cluster_variant(folder, f"zrlmpi-{ranks}{'-lossy' if drop_rate else ''}", "zrlmpi-4", "link", **changes)


def run(
    program: Path,
    on: Path,
    folder: Path,
    macros: dict[str, int],
    options: Sequence[str] = (),
    arguments: Sequence[str] = (),
) -> Job:
    """Run a program; exits with its message if it fails."""
    flags = [word for name, value in macros.items() for word in ("-D", f"{name}={value}")]
    command = [sys.executable, "-m", "polyloom", "mpirun", "--json", "--cluster", str(on), *flags, *options]
    command += ["--run-dir", str(folder / f"run-{len(list(folder.iterdir()))}"), str(program), *arguments]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"bench: {' '.join(command)} ended with status {done.returncode}: {done.stdout[-500:]}")
    *lines, last = done.stdout.strip().splitlines()
    text = "\n".join(lines)
    found = _TIME.search(text)
    milliseconds = 0.0 if found is None else float(found[1]) * (1 if found[2] == "ms" else 1e-3)
    return Job(milliseconds, text, json.loads(last))


def preset(dim: int, ranks: int, iterations: int, *options: str) -> dict[str, Any]:
    """The published protocol in the same network (zrlmpi_preset.cc)."""
    command = [str(BUILD / "bin" / "bench_zrlmpi_preset"), "--dim", str(dim), "--ranks", str(ranks)]
    command += ["--iterations", str(iterations), *options]
    answer: dict[str, Any] = json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)
    return answer
