# SPDX-License-Identifier: Apache-2.0
"""The program of CPU ranks. Input: sources; output: an executable in the cache (one for all CPU ranks)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from polyloom.base import paths, process
from polyloom.base.cache import KERNELS
from polyloom.base.errors import UserError
from polyloom.hls import toolchain
from polyloom.mpirun import counting
from polyloom.transpile import program

PROGRAM = "cpu-program"  # of an entry of the cache


def compile_program(source: program.Source, size: int, counts: bool = False) -> Path:
    """Compile and link with ``libpolyloom_mpi``; if it ``counts``, it knows how many instructions it has executed.

    UserError with the compiler's own message if that fails.
    """
    library = library_file()
    include = paths.home() / "roles" / "mpi" / "include"
    flags = [*program.definitions(source, size), "-O2", "-std=gnu11", "-ffp-contract=off"]
    flags += ["-Werror=implicit-function-declaration", "-fno-caret-diagnostics", f"-isystem{include}", *source.flags]
    # What the preprocessor makes of it, and so every header that it includes, says whether it was compiled before.
    text = toolchain.run("clang", [*flags, "-E", *source.files])
    how = Path(counting.__file__).read_text(encoding="utf-8") if counts else ""
    key = hashlib.sha256("\0".join([*flags, str(library), how, text]).encode(errors="surrogateescape")).hexdigest()[:24]
    known = KERNELS.find(key, PROGRAM)
    if known is None:
        with KERNELS.making(key) as fresh, process.scratch("counting") as folder:
            parts = source.files
            if counts:
                parts = tuple(compile_counting(file, flags, folder / f"{n}.o") for n, file in enumerate(source.files))
            linked = [str(library), f"-Wl,-rpath,{library.parent}", "-lm"]
            _link([*flags, *parts, *linked, "-o", fresh / PROGRAM])
        known = KERNELS.folder / key
    return known / PROGRAM


def compile_counting(file: Path, flags: Sequence[str], output: Path) -> Path:
    """An object file of a C file, whose code counts. What LLVM does after counting is what it does to any IR at -O2."""
    text = counting.instrument(toolchain.run("clang", [*flags, "-S", "-emit-llvm", file, "-o", "-"]))
    module = output.with_suffix(".bc")
    toolchain.run("opt", ["-passes=mem2reg", "-", "-o", module], stdin=text)
    toolchain.run("clang", ["-O2", "-ffp-contract=off", "-Xclang", "-disable-llvm-passes", "-c", module, "-o", output])
    return output


def _link(arguments: Sequence[str | Path]) -> None:
    try:
        toolchain.run("clang", arguments)
    except UserError as error:
        raise program.explained(error) from error


def library_file() -> Path:
    """The library of CPU ranks; UserError saying how to build it if it is not there."""
    path = paths.build_dir() / "lib" / "libpolyloom_mpi.so"
    if not path.is_file():
        raise UserError(f"{path} is not built; {paths.how_to_build()}")
    return path
