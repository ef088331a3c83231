# SPDX-License-Identifier: Apache-2.0
"""The C compiler and LLVM's tools as child processes. Input: command lines; output: text; errors as the tools say."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from polyloom import paths
from polyloom.errors import UserError
from polyloom.hls import frontend

#: The compiler's flags for kernels are those of ``polyloom.hls``; these say what a program must not leave out.
STRICT_FLAGS = ("-std=gnu11", "-Werror=implicit-function-declaration", "-Werror=implicit-int", "-fno-caret-diagnostics")


def run(name: str, arguments: Sequence[str | Path], stdin: str | None = None) -> str:
    """Run a tool and return its standard output. UserError with what it said on standard error if it fails."""
    command = [frontend.tool(f"{name}-19"), *map(str, arguments)]
    done = subprocess.run(command, input=stdin, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = done.stderr.strip() or f"{name} ended with status {done.returncode}"
        raise UserError(said if name == "clang" else f"{name}: {said}")
    return done.stdout


def kernel_includes() -> tuple[Path, ...]:
    """Folders of headers of kernels, first found first used."""
    runtime = paths.home() / "roles" / "kernel" / "runtime"
    return (runtime / "kernel" / "include", runtime / "include", runtime / "kernel", runtime)


def library_sources() -> list[Path]:
    """The MPI and C library of kernels, sorted."""
    runtime = paths.home() / "roles" / "kernel" / "runtime"
    return sorted([*(runtime / "mpi").glob("*.c"), *(runtime / "kernel").glob("*.c")])
