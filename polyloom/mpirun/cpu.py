# SPDX-License-Identifier: Apache-2.0
"""The program of CPU ranks. Input: sources; output: an executable in the cache (one for all CPU ranks)."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from polyloom import paths
from polyloom.errors import UserError
from polyloom.hls import toolchain
from polyloom.transpile import kernels, program


def compile_program(source: program.Source, size: int) -> Path:
    """Compile and link with ``libpolyloom_mpi``. UserError with the compiler's own message if that fails."""
    library = library_file()
    include = paths.home() / "roles" / "kernel" / "runtime" / "include"
    flags = [*program.definitions(source, size), "-O2", "-std=gnu11", "-ffp-contract=off"]
    flags += ["-Werror=implicit-function-declaration", "-fno-caret-diagnostics", f"-isystem{include}", *source.flags]
    # What the preprocessor makes of it, and so every header that it includes, says whether it was compiled before.
    text = toolchain.run("clang", [*flags, "-E", *source.files])
    key = hashlib.sha256("\0".join([*flags, str(library), text]).encode()).hexdigest()[:24]
    target = kernels.cache_dir() / f"cpu-{key}"
    if not target.is_file():
        _compile([*flags, *source.files, library, f"-Wl,-rpath,{library.parent}", "-lm"], target)
    return target


def _compile(arguments: Sequence[str | Path], target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, fresh = tempfile.mkstemp(prefix="making-", dir=target.parent)
    os.close(handle)
    try:
        toolchain.run("clang", [*arguments, "-o", fresh])
        Path(fresh).rename(target)
    finally:
        Path(fresh).unlink(missing_ok=True)


def library_file() -> Path:
    """The library of CPU ranks; UserError saying how to build it if it is not there."""
    path = paths.build_dir() / "lib" / "libpolyloom_mpi.so"
    if not path.is_file():
        raise UserError(f"{path} is not built; run `make build` in {paths.home()}")
    return path
