# SPDX-License-Identifier: Apache-2.0
"""What every kernel is compiled with: headers and sources of the kernels' library, and what a program must not omit."""

from __future__ import annotations

from pathlib import Path

from polyloom.base import paths

#: Beside the flags of ``polyloom.hls``.
STRICT_FLAGS = ("-std=gnu11", "-Werror=implicit-function-declaration", "-Werror=implicit-int", "-fno-caret-diagnostics")


def includes() -> tuple[Path, ...]:
    """Folders of headers of kernels, first found first used."""
    runtime = paths.home() / "roles" / "mpi" / "runtime"
    return (runtime / "kernel" / "include", runtime.parent / "include", runtime / "kernel", runtime)


def sources() -> list[Path]:
    """The MPI and C library of kernels, sorted."""
    runtime = paths.home() / "roles" / "mpi" / "runtime"
    return sorted([*(runtime / "mpi").glob("*.c"), *(runtime / "kernel").glob("*.c")])


def files() -> list[Path]:
    """All that decides on the library: its sources, and headers of any folder that they may come from."""
    folders = [*includes(), paths.home() / "roles" / "mpi" / "arch"]
    return [*sources(), *sorted({header for folder in folders for header in folder.rglob("*.h")})]
