# SPDX-License-Identifier: Apache-2.0
"""The MPI that this site has, for jobs without FPGA ranks. Input: a program; output: ``SiteMpi``, an executable.

It is what ``mpicc`` and ``mpirun`` of the PATH belong to: Open MPI, or MPICH and what descends from it.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from polyloom.base import process
from polyloom.base.cache import KERNELS, digest
from polyloom.base.errors import UserError
from polyloom.hls import toolchain
from polyloom.mpirun.request import C_PLUS_PLUS, LINKED, Request, is_source
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
#: The variable of Open MPI's that names what starts its daemons on other hosts.
AGENT = "OMPI_MCA_plm_rsh_agent"
#: How long a host may take to respond before the job starts.
RESPONSE_SECONDS = 10


@dataclass(frozen=True)
class Dialect:
    """How a launcher is told what every launcher can do."""

    host: str
    hostfile: str
    crowd: tuple[str, ...]  # more ranks than processors
    any_source: int  # MPI_ANY_SOURCE


DIALECTS = {
    "Open MPI": Dialect(
        host="--host",
        hostfile="--hostfile",
        crowd=("--oversubscribe",),
        any_source=-1,
    ),
    "MPICH": Dialect(
        host="-hosts",
        hostfile="-f",
        crowd=(),
        any_source=-2,
    ),
}


@dataclass(frozen=True)
class SiteMpi:
    """A compiler and a launcher that belong together."""

    name: str  # a key of DIALECTS
    version: str
    compiler: str
    launcher: str

    def __str__(self) -> str:
        return f"{self.name} {self.version}"

    def environment(self, variables: Mapping[str, str]) -> list[str]:
        """Words that give ranks these variables."""
        if self.name == "Open MPI":
            return [word for name, value in variables.items() for word in ("-x", f"{name}={value}")]
        return [word for name, value in variables.items() for word in ("-genv", name, value)]

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
    starts = _started_by(launcher)
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


def _started_by(launcher: str) -> str:
    text = toolchain.call([launcher, "--version"], launcher)
    if "Open MPI" in text or "OpenRTE" in text:
        return "Open MPI"
    return "MPICH" if "HYDRA" in text or "Intel(R) MPI" in text else (text.strip() or "?").splitlines()[0]


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


def given_hosts(request: Request) -> list[tuple[str, int]]:
    """The hosts that the user gave, and ranks that each takes: ``name:3``, or ``name slots=3`` in a file; else 1."""
    words = [word.partition(":")[::2] for word in request.host.split(",")] if request.host else []
    if request.hostfile is not None:
        for line in request.hostfile.read_text().splitlines():
            if found := re.match(r"\s*([^\s#:]+)(?::(\d+))?(?:.*?\bslots\s*=\s*(\d+))?", line):
                words.append((found[1], found[2] or found[3] or ""))
    return [(name, int(slots) if slots.isdecimal() else 1) for name, slots in words]


def other_hosts(request: Request) -> list[str]:
    """Names of the hosts that the user gave, each once, but this one's."""
    here = {"localhost", "127.0.0.1", os.uname().nodename, os.uname().nodename.partition(".")[0]}
    return [host for host in dict.fromkeys(name for name, _ in given_hosts(request)) if host not in here]


def check_hosts(request: Request) -> None:
    """UserError that names hosts on which nothing can be started. Under Slurm its own daemons do that."""
    others = other_hosts(request)
    if not others or "SLURM_JOB_ID" in os.environ:
        return
    agent = os.environ.get(AGENT, "ssh -o BatchMode=yes -o ConnectTimeout=5").split()
    if shutil.which(agent[0]) is None:
        raise UserError(f"{others[0]}: ranks on other hosts are started by {agent[0]}, which is not installed")
    with ThreadPoolExecutor(len(others)) as pool:
        said = list(pool.map(lambda host: _response([*agent, host, "true"]), others))
    silent = [f"{host} ({why})" for host, why in zip(others, said, strict=True) if why]
    if silent:
        raise UserError(f"nothing can be started on {', '.join(silent)}; try `{' '.join(agent)} {others[0]} true`")


def _response(command: Sequence[str]) -> str:
    """What stands in the way of running something on a host; empty if nothing does."""
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=RESPONSE_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return f"no response in {RESPONSE_SECONDS} s"
    last = done.stderr.strip().splitlines()[-1:] or [f"status {done.returncode}"]
    return "" if done.returncode == 0 else last[0].strip()
