# SPDX-License-Identifier: Apache-2.0
"""The MPI that this site has, for jobs without FPGA ranks. Input: a program; output: ``SiteMpi``, an executable.

It is what ``mpicc`` and ``mpirun`` of the PATH belong to: Open MPI, or MPICH and what descends from it.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from polyloom.base import process, site_mpi
from polyloom.base.cache import KERNELS, digest
from polyloom.base.errors import UserError
from polyloom.base.site_mpi import DIALECTS, Dialect
from polyloom.hls import toolchain
from polyloom.mpirun.request import C_PLUS_PLUS, LINKED, is_source
from polyloom.transpile import program
from polyloom.transpile.program import Source

PROGRAM, PRELOAD = "site-program", "preload.so"  # of entries of the cache
FLAGS = ("-O2", "-ffp-contract=off", "-fno-diagnostics-show-caret")  # as FPGA ranks compute
OWN = "--wire runs the job on Polyloom's own runtime"
PROBE = """#include <mpi.h>
#ifdef OMPI_MAJOR_VERSION
polyloom: Open MPI OMPI_MAJOR_VERSION.OMPI_MINOR_VERSION.OMPI_RELEASE_VERSION
#elif defined MPICH_VERSION
polyloom: MPICH MPICH_VERSION
#endif
"""


@dataclass(frozen=True)
class SiteMpi:
    """A compiler and a launcher that belong together."""

    name: str  # a key of DIALECTS
    version: str
    compiler: str
    launcher: str

    def __str__(self) -> str:
        return f"{self.name} {self.version}"

    @property
    def dialect(self) -> Dialect:
        """How its launcher is spoken to."""
        return DIALECTS[self.name]


def find() -> SiteMpi | None:
    """The site's MPI; None if it has none. UserError if compiler and launcher are of two."""
    compiler, launcher = shutil.which("mpicc"), shutil.which("mpirun")
    if compiler is None or launcher is None:
        return None
    name, version = _compiled_for(compiler)
    starts = site_mpi.started_by(launcher)
    if name != starts:
        raise UserError(
            f"{compiler} compiles for {name}, and {launcher} starts programs of {starts}; "
            f"put both of one MPI first into PATH, or {OWN}"
        )
    return SiteMpi(name, version, compiler, launcher)


def _compiled_for(compiler: str) -> tuple[str, str]:
    text = toolchain.call([compiler, "-E", "-P", "-x", "c", "-"], compiler, stdin=PROBE)
    found = re.search(r"^polyloom: (Open MPI|MPICH) (.*)$", text, re.MULTILINE)
    if found is None:
        raise UserError(f"{compiler} compiles for an MPI that is neither Open MPI nor MPICH; {OWN}")
    return found[1], found[2].replace(" ", "").strip('"')


def compile_program(source: Source, site: SiteMpi) -> Path:
    """The executable that these files make, compiled unless it is in the cache; a finished program as it is.

    UserError with the compiler's own message if that fails.
    """
    if not is_source(source.files[0]):
        return source.files[0].absolute()
    flags = [*FLAGS, *source.flags]
    sources = [file for file in source.files if file.suffix not in LINKED]
    linked = [file for file in source.files if file.suffix in LINKED]
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:  # each file is read, then compiled, by a process of its own
        texts = list(pool.map(lambda file: toolchain.call([_compiler(site, file), *flags, "-E", file]), sources))
        words = [str(site), site.compiler, toolchain.version(site.compiler), *flags, *texts]
        said = "\0".join([*words, digest([], linked)])
        key = hashlib.sha256(said.encode(errors="surrogateescape")).hexdigest()[:24]

        def make(fresh: Path) -> None:
            with process.scratch("objects") as folder:
                objects = [Path(folder) / f"{n}.o" for n in range(len(sources))]

                def compiled(file: Path, output: Path) -> None:
                    toolchain.call([_compiler(site, file), *flags, "-c", file, "-o", output])

                list(pool.map(compiled, sources, objects))
                _link(site, sources, [*objects, *linked, "-lm", "-o", fresh / PROGRAM])

        return KERNELS.provide(key, PROGRAM, make)[0] / PROGRAM


def preload(site: SiteMpi) -> Path:
    """The library that is loaded into each rank, compiled for this MPI unless it is in the cache."""
    sources = sorted((Path(__file__).parent / "preload").glob("*.c"))
    key = digest([str(site), site.compiler, toolchain.version(site.compiler)], sources)

    def make(fresh: Path) -> None:
        with process.scratch("preload") as folder:
            objects = [Path(folder) / f"{source.stem}.o" for source in sources]
            for source, output in zip(sources, objects, strict=True):
                toolchain.call([site.compiler, "-O2", "-fPIC", "-fno-plt", "-c", source, "-o", output])
            toolchain.call([site.compiler, "-shared", *objects, "-o", fresh / PRELOAD])

    return KERNELS.provide(f"preload-{key}", PRELOAD, make)[0] / PRELOAD


def _compiler(site: SiteMpi, file: Path) -> str:
    if file.suffix not in C_PLUS_PLUS:
        return site.compiler
    found = shutil.which("mpicxx", path=str(Path(site.compiler).parent))
    if found is None:
        raise UserError(f"{file} is C++, and beside {site.compiler} there is no mpicxx")
    return found


def _link(site: SiteMpi, sources: Sequence[Path], words: Sequence[str | Path]) -> None:
    linker = next((file for file in sources if file.suffix in C_PLUS_PLUS), Path("main.c"))
    try:
        toolchain.call([_compiler(site, linker), *words])
    except UserError as error:
        raise program.explained(error) from error
