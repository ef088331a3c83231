# SPDX-License-Identifier: Apache-2.0
"""A native run of a vertex program by several processes, joined by MPI.

Input: how many and where; output: a command that starts them, and what is to be said of what they and mpirun say.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from polyloom.base import paths, site_mpi
from polyloom.base.errors import UserError
from polyloom.base.site_mpi import DIALECTS, Hosts

LIBRARY = "libpolyloom_processes.so"
PACKAGES = ("libopenmpi-dev", "openmpi-bin")
#: Variables that processes on other hosts need, too, by what they begin with.
PREFIXES = ("POLYLOOM_", "POLITE_")


@dataclass(frozen=True)
class Processes:
    """How many, and where."""

    count: int
    hosts: Hosts = field(default_factory=Hosts)

    @classmethod
    def of(cls, count: int | None, hosts: Hosts) -> Processes | None:
        """As many as there are slots if it is not said; none if no hosts are given either."""
        if count is None and not hosts.given:
            return None
        return cls(count or hosts.slots, hosts)

    def command(self, program: Sequence[str], environment: Mapping[str, str]) -> tuple[list[str], dict[str, str]]:
        """A command that starts the processes, and its environment. UserError if they cannot be started."""
        library = paths.build_dir() / "lib" / LIBRARY
        if not library.is_file():
            raise UserError(
                f"--processes {self.count}: {library} is not built; {paths.how_to_install(*PACKAGES)}, "
                f"then {paths.how_to_build()}"
            )
        launcher = shutil.which("mpirun")
        if launcher is None:
            how = paths.how_to_install(PACKAGES[1])
            raise UserError(f"--processes {self.count}: there is no mpirun in PATH, which starts them; {how}")
        kind = site_mpi.started_by(launcher)
        if kind not in DIALECTS:
            raise UserError(f"{launcher} is that of an MPI that is neither Open MPI nor MPICH: {kind}")
        if self.hosts.host and self.count > self.hosts.slots:
            raise UserError(
                f"--processes {self.count}: --host {self.hosts.host} has room for {self.hosts.slots}; "
                "name:N says how many a host takes"
            )
        self.hosts.check()
        own = {name: value for name, value in os.environ.items() if name.startswith(PREFIXES)}
        given = {**own, **environment, "POLYLOOM_PROCESSES": str(self.count)}
        dialect = DIALECTS[kind]
        words = [launcher, "-n", str(self.count), *dialect.any_processor, *self.hosts.words(dialect)]
        root = site_mpi.AS_ROOT if os.geteuid() == 0 else {}
        return [*words, *dialect.environment(given), *program], {**given, **root}


class Messages:
    """Lines of standard error: what processes say alike is shown once, what mpirun says is kept."""

    def __init__(self, show: Callable[[str], None]) -> None:
        self._show = show
        self._seen: set[str] = set()
        self._by_mpirun: list[str] = []
        self._inside = False

    def take(self, line: str) -> None:
        """One line."""
        if site_mpi.RULE.fullmatch(line):
            self._inside = not self._inside
        elif self._inside:
            self._by_mpirun.append(line)
        else:
            problem = line.partition("; ")[0]  # what follows may have numbers of each process's own
            if problem not in self._seen:
                self._show(line)
            if line.startswith("polyloom: "):
                self._seen.add(problem)

    def cause(self, status: int) -> str:
        """Why a run ended as it did, in one line; empty if a process has said it, or if all is well."""
        said = "\n".join(self._by_mpirun)
        if status == 0:
            return ""
        if found := site_mpi.SIGNAL.search(said):
            return f"process {found['rank']} on host {found['host']} was killed by signal {found['signal']}"
        if found := site_mpi.LOST.search(said):
            return f"host {found['host']} was lost"
        if found := site_mpi.STATUS.search(said):
            return "" if self._seen else f"process {found['rank']} ended with status {found['status']}"
        return (
            "" if self._seen else f"mpirun ended with status {status}" + (f":\n{said.strip()}" if said.strip() else "")
        )
