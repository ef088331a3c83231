# SPDX-License-Identifier: Apache-2.0
"""The program of CPU ranks. Input: sources; output: an executable in the cache (one for all CPU ranks)."""

from __future__ import annotations

import hashlib
import os
import subprocess
import tempfile
from pathlib import Path

from polyloom import paths
from polyloom.errors import UserError
from polyloom.hls import frontend
from polyloom.transpile import kernels, program


def compile_program(source: program.Source, size: int) -> Path:
    """Compile and link with ``libpolyloom_mpi``. UserError with the compiler's own message if that fails."""
    library = library_file()
    include = paths.home() / "roles" / "kernel" / "runtime" / "include"
    flags = [*program.definitions(source, size), "-O2", "-std=gnu11", "-ffp-contract=off"]
    flags += ["-Werror=implicit-function-declaration", "-fno-caret-diagnostics", f"-isystem{include}", *source.flags]
    files = [str(file) for file in source.files]
    key = hashlib.sha256(repr((flags, files)).encode())
    for file in [*source.files, library, *sorted(include.glob("*.h"))]:
        key.update(file.read_bytes())
    target = kernels.cache_dir() / f"cpu-{key.hexdigest()[:24]}"
    # Headers of the user's own are no part of the key, so this is compiled each time; it takes about a second.
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, fresh = tempfile.mkstemp(prefix="making-", dir=target.parent)
    os.close(handle)
    command = [
        frontend.tool("clang-19"),
        *flags,
        *files,
        str(library),
        f"-Wl,-rpath,{library.parent}",
        "-lm",
        "-o",
        fresh,
    ]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise UserError(done.stderr.strip())
        Path(fresh).rename(target)
    finally:
        Path(fresh).unlink(missing_ok=True)
    return target


def library_file() -> Path:
    """The library of CPU ranks; UserError saying how to build it if it is not there."""
    path = paths.build_dir() / "lib" / "libpolyloom_mpi.so"
    if not path.is_file():
        raise UserError(f"{path} is not built; run `make build` in {paths.home()}")
    return path
