# SPDX-License-Identifier: Apache-2.0
"""Runs programs of the suite. Input: a program, a folder for its files. Output: what it prints, as sorted lines."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from .program import Program

ROOT = Path(__file__).resolve().parents[2]
OPEN_MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def options(on: str, ranks: int) -> list[str]:
    """Of polyloom mpirun: all ranks are CPU ranks (``native``), or rank 0 alone is one."""
    if on == "native":
        return ["--on", "native", "--wire", "-n", str(ranks)]
    return ["--on", on, "--cluster", f"zrlmpi:{ranks}"]


def written(program: Program, folder: Path) -> Path:
    """The program's source in the folder."""
    path = folder / (program.name.replace("/", "-") + ".c")
    path.write_text(program.source)
    return path


def open_mpi(program: Program, folder: Path) -> list[str]:
    """What it prints under Open MPI; ``AssertionError`` if it does not compile or fails there."""
    source = written(program, folder)
    binary = source.with_suffix("")
    command = ["mpicc", "-w", "-O1", "-ffp-contract=off", str(source), "-o", str(binary), "-lm"]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    command = ["mpirun", "--oversubscribe", "-n", str(program.ranks), str(binary)]
    done = subprocess.run(command, env=os.environ | OPEN_MPI, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return sorted(done.stdout.splitlines())


def mpirun(program: Program, folder: Path, on: str, *words: str) -> subprocess.CompletedProcess[str]:
    """The job by Polyloom; its record is folder/run-ON."""
    command = [sys.executable, "-m", "polyloom", "mpirun", "--run-dir", str(folder / f"run-{on}")]
    command += [*options(on, program.ranks), *words, str(written(program, folder))]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, check=False, cwd=ROOT)
