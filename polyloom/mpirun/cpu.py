# SPDX-License-Identifier: Apache-2.0
"""The program of CPU ranks. Input: sources; output: an executable in the cache (one for all CPU ranks)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from polyloom import paths
from polyloom.cache import KERNELS
from polyloom.errors import UserError
from polyloom.hls import toolchain
from polyloom.transpile import program

PROGRAM = "cpu-program"  # of an entry of the cache


def compile_program(source: program.Source, size: int) -> Path:
    """Compile and link with ``libpolyloom_mpi``. UserError with the compiler's own message if that fails."""
    library = library_file()
    include = paths.home() / "roles" / "kernel" / "runtime" / "include"
    flags = [*program.definitions(source, size), "-O2", "-std=gnu11", "-ffp-contract=off"]
    flags += ["-Werror=implicit-function-declaration", "-fno-caret-diagnostics", f"-isystem{include}", *source.flags]
    # What the preprocessor makes of it, and so every header that it includes, says whether it was compiled before.
    text = toolchain.run("clang", [*flags, "-E", *source.files])
    key = hashlib.sha256("\0".join([*flags, str(library), text]).encode(errors="surrogateescape")).hexdigest()[:24]
    known = KERNELS.find(key, PROGRAM)
    if known is None:
        with KERNELS.making(key) as fresh:
            linked = [str(library), f"-Wl,-rpath,{library.parent}", "-lm"]
            _link([*flags, *source.files, *linked, "-o", fresh / PROGRAM])
        known = KERNELS.folder / key
    return known / PROGRAM


def _link(arguments: Sequence[str | Path]) -> None:
    try:
        toolchain.run("clang", arguments)
    except UserError as error:
        if "undefined reference to `main'" in str(error):
            raise UserError(program.NO_MAIN) from error
        raise


def library_file() -> Path:
    """The library of CPU ranks; UserError saying how to build it if it is not there."""
    path = paths.build_dir() / "lib" / "libpolyloom_mpi.so"
    if not path.is_file():
        raise UserError(f"{path} is not built; {paths.how_to_build()}")
    return path
