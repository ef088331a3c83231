# SPDX-License-Identifier: Apache-2.0
"""C sources and the kernels' MPI library as one LLVM module.

Input: sources, flags, size of the job. Output: IR text, not yet optimised, in which rank is a call of the intrinsic
``__polyloom_rank`` and everything but the entry is internal. Errors of the program come out as clang writes them, with
file, line and column.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from polyloom.errors import UserError
from polyloom.hls import frontend
from polyloom.transpile import toolchain

ENTRY = "polyloom_kernel"
COLLECTIVES = ("auto", "linear", "tree")


@dataclass(frozen=True)
class Source:
    """A program as the user gave it."""

    files: tuple[Path, ...]
    flags: tuple[str, ...] = ()  # -D, -I, -U of the command line
    collectives: str = "auto"  # linear, tree or auto

    def __post_init__(self) -> None:
        if self.collectives not in COLLECTIVES:
            raise UserError(f"--collectives {self.collectives}: allowed are {', '.join(COLLECTIVES)}")
        for file in self.files:
            if not file.is_file():
                raise UserError(f"{file}: no such file; give the C sources of an MPI program")


def definitions(source: Source, size: int) -> list[str]:
    """Preprocessor flags of every translation unit of a job of ``size`` ranks."""
    chosen = [] if source.collectives == "auto" else [f"-DPOLYLOOM_COLLECTIVES={source.collectives}"]
    return [f"-DPOLYLOOM_SIZE={size}", *chosen]


def link(source: Source, size: int) -> str:
    """The whole program of a kernel as one module of IR text."""
    with tempfile.TemporaryDirectory(prefix="polyloom-ir-") as folder:
        modules: list[Path] = []
        units = [(file, source.flags) for file in source.files]
        units += [(file, ()) for file in toolchain.library_sources()]
        for number, (file, flags) in enumerate(units):
            module = Path(folder) / f"{number}.bc"
            _compile(file, [*definitions(source, size), *flags], module)
            modules.append(module)
        linked = Path(folder) / "linked.bc"
        toolchain.run("llvm-link", [*modules, "-o", linked])
        inner = "internalize,globaldce,function(mem2reg)"
        arguments: list[str | Path] = [
            linked,
            f"-passes={inner}",
            f"-internalize-public-api-list={ENTRY}",
            "-S",
            "-o",
            "-",
        ]
        return toolchain.run("opt", arguments)


def _compile(file: Path, flags: Sequence[str], output: Path) -> None:
    """One translation unit."""
    includes = [f"-isystem{folder}" for folder in toolchain.kernel_includes()]
    target = f"--target={frontend.TARGET}"
    command = [target, *frontend.CLANG_FLAGS, *toolchain.STRICT_FLAGS, "-DPOLYLOOM_KERNEL", *includes, *flags]
    toolchain.run("clang", [*command, "-emit-llvm", "-c", file, "-o", output])
