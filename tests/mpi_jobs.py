# SPDX-License-Identifier: Apache-2.0
"""Shared by the tests of `polyloom mpirun`: jobs of shipped and of short programs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from polyloom.testing import FULL

ROOT = Path(__file__).resolve().parent.parent
#: CPU processes by our own runtime.
WIRE = ["--on", "native", "--wire"]
#: A program that goes wrong in the way that its arguments name, on one rank.
FAULTS = str(ROOT / "tests" / "mpi" / "faults" / "faults.c")
#: One that tries what a kernel has too little of.
LIMITS = str(ROOT / "tests" / "mpi" / "faults" / "limits.c")
ON = {"wire": [*WIRE, "-n", "4"], "sim": ["--on", "sim"], **({"rtl": ["--on", "rtl"]} if FULL else {})}


def cpu_cluster(folder: Path, ranks: int) -> str:
    """The path of a cluster of CPU ranks and the manager's host on one switch, in the folder."""
    names = ["switch", *(f"rank{rank}" for rank in range(ranks)), "manager"]
    lines = ["version = 1", '[topology]\nkind = "explicit"', '[link]\nlatency = "500 ns"\nrate = "10 Gb/s"']
    lines += [f'[[node]]\nname = "{name}"\nkind = "{"switch" if name == "switch" else "host"}"' for name in names]
    lines += [f'[[connect]]\na = "switch:{port}"\nb = "{name}:0"' for port, name in enumerate(names[1:])]
    path = folder / "cpus.toml"
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def mpirun(folder: Path, *words: str, timeout: float = 500) -> subprocess.CompletedProcess[str]:
    """Run a job whose record is folder/run."""
    command = [sys.executable, "-m", "polyloom", "mpirun", "--run-dir", str(folder / "run"), *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False, cwd=ROOT)


def source(folder: Path, body: str) -> str:
    """The path of a program of this text, with the usual headers, in the folder."""
    path = folder / "program.c"
    path.write_text(f"#include <mpi.h>\n#include <stdio.h>\n#include <stdlib.h>\n{body}\n")
    return str(path)
