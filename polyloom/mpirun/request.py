# SPDX-License-Identifier: Apache-2.0
"""What ``polyloom mpirun`` was asked for, as data."""

from __future__ import annotations

import math
import re
import shutil
from dataclasses import dataclass, field
from pathlib import Path

from polyloom.base.errors import UserError
from polyloom.base.site_mpi import Hosts
from polyloom.mpirun.cpu_time import DEFAULT, CpuTime
from polyloom.transpile.program import Source

FIDELITIES = ("sim", "rtl", "native")
MOST_RANKS = 0x7FFF  # of a job file
MOST_SEED = 2**64 - 1
#: Files that a job without FPGA ranks is made of beside C: C++, and what is linked as it is.
C_PLUS_PLUS = (".cc", ".cpp", ".cxx", ".C")
LINKED = (".o", ".a", ".so")
#: Of the simulator's serial and parallel loops (fabric/engine.h).
ENGINE = re.compile(r"serial|threads:[1-9]\d*")


@dataclass
class Request:
    """One job: the program, its arguments, where and how it runs."""

    source: Source
    args: list[str] = field(default_factory=list)
    cluster: str = "zrlmpi-4"
    on: str = "sim"
    ranks: int | None = None  # with on = native: how many processes; None: as many as the cluster has
    tag_output: bool = False
    timeout: float | None = None  # seconds of wall time
    trace: bool = False
    run_dir: Path | None = None
    engine: str = ""
    seed: int = 0
    cpu_time: CpuTime = field(default_factory=lambda: CpuTime.of(DEFAULT))  # on a cluster
    wire: bool = False  # CPU processes alone by our own runtime, not by the site's MPI
    hosts: Hosts = field(default_factory=Hosts)  # for the site's mpirun
    script: Path | None = None  # Python, of CPU ranks; the source is then that of FPGA ranks alone

    def __post_init__(self) -> None:
        if self.on not in FIDELITIES:
            raise UserError(f"--on {self.on}: allowed are {', '.join(FIDELITIES)}")
        if self.ranks is not None and not 1 <= self.ranks <= MOST_RANKS:
            raise UserError(f"-n {self.ranks}: allowed are 1 to {MOST_RANKS} processes")
        if self.ranks is not None and self.on != "native":
            raise UserError("-n is for --on native; on a cluster the number of ranks is that of its nodes")
        if self.timeout is not None and not 0 < self.timeout < math.inf:
            raise UserError(f"--timeout {self.timeout:g}: a number of seconds greater than 0")
        if self.engine and not ENGINE.fullmatch(self.engine):
            raise UserError(f"--engine {self.engine}: allowed are serial, threads:N")
        if self.script is not None and not self.script.is_file():
            raise UserError(f"{self.script}: no such file; give a Python script, or the C sources of an MPI program")
        if self.on != "native" or self.wire:
            self.need_c()
        if not 0 <= self.seed <= MOST_SEED:
            raise UserError(f"--seed {self.seed}: allowed are 0 to {MOST_SEED}")

    @property
    def name(self) -> str:
        """What the job is called."""
        return (self.script or self.source.files[0]).stem

    @property
    def files(self) -> list[Path]:
        """All that the user wrote."""
        return [*([self.script] if self.script else []), *self.source.files]

    def need_c(self) -> None:
        """What our own runtime and our circuits are made of."""
        for file in self.source.files:
            if file.suffix != ".c":
                raise UserError(
                    f"{file}: FPGA ranks, and --wire, want C sources (.c); a site's MPI takes it (--on native)"
                )


def is_source(file: Path) -> bool:
    """Whether a program is made from the file, and not the file the program."""
    return file.suffix in {".c", *C_PLUS_PLUS, *LINKED}


def split_arguments(words: list[str]) -> tuple[Path | None, list[Path], list[str]]:
    """Command line after the options: a Python script, files of the program, its arguments.

    Leading source files are the program, or a finished one comes first. The script is of CPU ranks.
    """
    rest = list(words)
    script = Path(rest.pop(0)) if rest and rest[0].endswith(".py") else None
    files: list[Path] = []
    while rest and is_source(Path(rest[0])):
        files.append(Path(rest.pop(0)))
    if script is None and not files and rest and (found := shutil.which(rest[0])):
        files.append(Path(found))
        del rest[0]
    if script is None and not files:
        given = f"'{rest[0]}' is none" if rest else "none is given"
        raise UserError(f"mpirun wants the C sources of an MPI program, and {given}; e.g. polyloom mpirun jacobi.c")
    return script, files, rest
