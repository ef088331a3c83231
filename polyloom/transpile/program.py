# SPDX-License-Identifier: Apache-2.0
"""C sources and the kernels' MPI library as one LLVM module.

Input: sources, flags, size of the job. Output: IR text, not yet optimised, in which rank is a call of the intrinsic
``__polyloom_rank``, everything but the entry is internal, calls through pointers are direct ones and none has ``...``.
Errors of the program come out as clang writes them, with file, line and column.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path

from polyloom.base import process
from polyloom.base.cache import KERNELS, digest
from polyloom.base.errors import UserError
from polyloom.hls import frontend, toolchain
from polyloom.transpile import indirect, library, newlib, variadic

ENTRY = "polyloom_kernel"
LIBRARY = "library.bc"  # of an entry of the cache
NO_MAIN = "the program has no main; give the C file that defines it, too"
_MAIN = re.compile(r"^define [^\n]*@main\(([^\n]*?)\)[^\n]*\{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
COLLECTIVES = ("auto", "linear", "tree")


@dataclass(frozen=True)
class Source:
    """A program as the user gave it."""

    files: tuple[Path, ...]
    flags: tuple[str, ...] = ()  # -D, -I, -U of the command line
    collectives: str = "auto"  # linear, tree or auto
    checks: bool = True  # kernels notice in simulation what a CPU would notice
    count: bool = False  # models of kernels count where their cycles go

    def __post_init__(self) -> None:
        if self.collectives not in COLLECTIVES:
            raise UserError(f"--collectives {self.collectives}: allowed are {', '.join(COLLECTIVES)}")
        for file in self.files:
            if not file.is_file():
                raise UserError(f"{file}: no such file; give the C sources of an MPI program")


@dataclass(frozen=True)
class Target:
    """What kernels may know of the job and of their FPGAs."""

    size: int
    clock_hz: int = 156_250_000
    dram_bytes: int = 64 << 20


def explained(error: UserError) -> UserError:
    """What a linker says, in words of the user's program where that is possible."""
    return UserError(NO_MAIN) if "undefined reference to `main'" in str(error) else error


def definitions(source: Source, size: int) -> list[str]:
    """Preprocessor flags of every translation unit of a job of ``size`` ranks."""
    chosen = [] if source.collectives == "auto" else [f"-DPOLYLOOM_COLLECTIVES={source.collectives}"]
    return [f"-DPOLYLOOM_SIZE={size}", *chosen]


def link(source: Source, target: Target) -> str:
    """The whole program of a kernel as one module of IR text."""
    job = definitions(source, target.size)
    job += [f"-DPOLYLOOM_CLOCK_HZ={target.clock_hz}", f"-DPOLYLOOM_DRAM_BYTES={target.dram_bytes}u"]
    with process.scratch("ir") as folder:
        own = [
            _compile(file, [*job, *source.flags], Path(folder) / f"own-{n}.ll") for n, file in enumerate(source.files)
        ]
        job.append(f"-DPOLYLOOM_MAIN_ARGUMENTS={_main_arguments(map(_text, own))}")
        linked = Path(folder) / "linked.bc"
        toolchain.run("llvm-link", [*own, "-o", linked])
        # As with an archive of natively compiled objects, the program sees of the library what it does not define
        # itself: its own `int time;` stands beside the library's function, which the library goes on to call.
        offered = f"-internalize-public-api-list={','.join([ENTRY, *_undefined(linked)])}"
        part = Path(folder) / LIBRARY
        toolchain.run("opt", [_library(job), "-passes=internalize", offered, "-o", part])
        toolchain.run("llvm-link", [linked, part, "-o", linked])
        _add_newlib(linked, Path(folder))
        public = f"-internalize-public-api-list={ENTRY}"
        text = toolchain.run("opt", [linked, "-passes=internalize,globaldce", public, "-S", "-o", "-"])
        return variadic.resolve(indirect.resolve(text))


def _add_newlib(linked: Path, folder: Path) -> None:
    """Link what is asked for of newlib's libm."""
    wanted = newlib.requested([name for name in _undefined(linked) if not name.startswith("__polyloom_")])
    if wanted:
        part = folder / newlib.MODULE
        offered = f"-internalize-public-api-list={','.join(wanted)}"
        toolchain.run("opt", [str(newlib.module()), "-passes=internalize,globaldce", offered, "-o", part])
        toolchain.run("llvm-link", [linked, part, "-o", linked])


def _undefined(module: Path) -> list[str]:
    return toolchain.run("llvm-nm", ["--undefined-only", "--format=just-symbols", module]).split()


def _library(job: Sequence[str]) -> Path:
    """The kernels' library for a job, compiled once: it takes as long as a program of a thousand lines."""
    places = [toolchain.tool("clang"), *map(str, library.includes())]  # what messages and names of files hold
    words = [*job, *library.STRICT_FLAGS, *frontend.CLANG_FLAGS, toolchain.version(), *places]

    def make(fresh: Path) -> None:
        with process.scratch("library") as folder:
            files = library.sources()
            outputs = [Path(folder) / f"{n}.ll" for n in range(len(files))]
            with ThreadPoolExecutor(min(len(files), os.cpu_count() or 1)) as pool:
                parts = list(pool.map(_compile, files, repeat(job), outputs))
            toolchain.run("llvm-link", [*parts, "-o", fresh / LIBRARY])

    return KERNELS.provide("library-" + digest(words, library.files()), LIBRARY, make)[0] / LIBRARY


def _text(module: Path) -> str:
    return module.read_text(errors="surrogateescape")  # it has names of files


def _main_arguments(modules: Iterable[str]) -> int:
    """What kernel/platform.c wants to know of ``main``: 0 no parameters, 1 it uses them, 2 it does not."""
    for text in modules:
        if found := _MAIN.search(text):
            names = re.findall(r"%[\w.]+", found[1])
            body = found[2]
            used = any(re.search(rf"{re.escape(name)}(?![\w.])", body) for name in names)
            return 0 if not names else 1 if used else 2
    raise UserError(NO_MAIN)


def _compile(file: Path, flags: Sequence[str], output: Path) -> Path:
    """One translation unit, as IR text."""
    includes = [f"-isystem{folder}" for folder in library.includes()]
    return frontend.compile_unit(file, [*library.STRICT_FLAGS, "-DPOLYLOOM_KERNEL", *includes, *flags], output)
