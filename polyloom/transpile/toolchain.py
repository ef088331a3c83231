# SPDX-License-Identifier: Apache-2.0
"""The C compiler and LLVM's tools as child processes. Input: command lines; output: text; errors as the tools say."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from polyloom import paths
from polyloom.errors import UserError

VERSION = "19"

#: LP64, so that ``long`` and pointers have the size that they have on CPU ranks; kernels use 32 bits of an address.
TARGET = "riscv64-unknown-elf"

#: What keeps IR plain for scheduling: no vectors, no unrolled copies, no contraction of a*b+c (CPU ranks have none).
CODE_FLAGS = (
    f"--target={TARGET}",
    "-O2",
    "-ffreestanding",
    "-ffp-contract=off",
    "-fsigned-char",
    "-fno-math-errno",
    "-fno-vectorize",
    "-fno-slp-vectorize",
    "-fno-unroll-loops",
)


def tool(name: str) -> str:
    """Path of ``clang``, ``opt`` or ``llvm-link`` of our version; UserError saying how to get it."""
    for candidate in (f"{name}-{VERSION}", f"/usr/lib/llvm-{VERSION}/bin/{name}"):
        found = shutil.which(candidate)
        if found:
            return found
    package = "clang" if name == "clang" else "llvm"
    raise UserError(f"{name}-{VERSION} is not installed; run `make setup` (Debian package {package}-{VERSION})")


def run(name: str, arguments: Sequence[str | Path], stdin: str | None = None) -> str:
    """Run a tool and return its standard output. UserError with what it said on standard error if it fails."""
    command = [tool(name), *map(str, arguments)]
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
