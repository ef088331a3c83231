# SPDX-License-Identifier: Apache-2.0
"""MPI programs from Python: ``polyloom.mpi.run("prog.c", cluster="zrlmpi:8")`` does what ``polyloom mpirun`` does."""

from __future__ import annotations

import json
import sys
import weakref
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from polyloom.base import extras, process, record
from polyloom.base.errors import UserError
from polyloom.report.shown import Report

if TYPE_CHECKING:
    import pandas

__all__ = ["Job", "MpiError", "run"]


class MpiError(UserError, RuntimeError):
    """A job that failed, or could not begin. ``job`` is what is known of one that began."""

    def __init__(self, message: str, job: Job | None = None) -> None:
        super().__init__(message)
        self.job = job


class Options(TypedDict, total=False):
    """Options of ``polyloom mpirun``, alike in meaning.

    ``on``: "sim" (default), "rtl", "native". ``cluster``: its name or file. ``n``: processes, with "native". ``host``,
    ``hostfile``, ``wire``: of "native". ``collectives``: "auto", "linear", "tree". ``timeout``: seconds of wall time.
    ``cpu_time``: "model:GHZ", "measured", "free". ``engine``: "serial", "threads:N". ``seed``: of the simulator's fault
    draws. ``trace``: write a Chrome trace. ``no_check``: FPGAs do not check addresses and divisors.
    """

    on: str
    cluster: str
    n: int
    host: str
    hostfile: str | Path
    wire: bool
    collectives: str
    timeout: float
    cpu_time: str
    engine: str
    seed: int
    trace: bool
    no_check: bool


class Job:
    """A job that has ended.

    ``stdout``, ``stderr``: what all ranks printed, by lines in order of arrival. ``status``: the exit status of the
    job, ``exits``: those of ranks. ``problems``: what went wrong, the first one says why. ``facts``: all that
    ``polyloom mpirun --json`` says. ``folder``: the run record.
    """

    def __init__(self, stdout: str, stderr: str, facts: dict[str, Any], folder: Path) -> None:
        self.stdout = stdout
        self.stderr = stderr
        self.facts = facts
        self.folder = folder
        self.status: int = facts["exit_status"]
        self.ranks: int = facts["size"]
        self.exits: dict[int, int] = {int(rank): code for rank, code in facts.get("exits", {}).items()}
        self.problems: list[str] = facts.get("problems", [])

    @property
    def simulated_seconds(self) -> float | None:
        """From when the ranks get their arguments to the last one's end; None where nothing is simulated."""
        picoseconds = (self.facts.get("end") or {}).get("simulated_ps")
        return None if picoseconds is None else picoseconds * 1e-12

    def printed(self, rank: int) -> str:
        """What one rank has printed, standard output and error as they came."""
        file = self.folder / "logs" / f"rank-{rank}.log"
        return file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""

    @property
    def waits(self) -> pandas.DataFrame:
        """A row a rank: what it computed, and where it waited, in seconds of simulated time; empty if not known."""
        pandas = extras.need("pandas", "pandas", "pip install pandas")
        return pandas.DataFrame((self.facts.get("waits") or {}).get("ranks", []))

    @property
    def record(self) -> record.RunRecord:
        """The run record: cluster, counters, tables."""
        return record.read(self.folder)

    def report(self) -> Report:
        """The report, a page that needs nothing else; a notebook shows it."""
        from polyloom.report import page

        return Report(Path(page.write(self.record)).read_text(encoding="utf-8"))

    def __repr__(self) -> str:
        spent = "" if self.simulated_seconds is None else f", {self.simulated_seconds:.6g} s simulated"
        return f"<job of {self.ranks} ranks, exit status {self.status}{spent}>"


def run(
    source: str | Path | Sequence[str | Path],
    *args: object,
    define: Mapping[str, object] | None = None,
    include: Sequence[str | Path] = (),
    stdin: str = "",
    check: bool = True,
    run_dir: str | Path | None = None,
    **options: Unpack[Options],
) -> Job:
    """Compile and run an MPI program, and wait for its end.

    ``source``: a C file, several, or the text of a program (with line ends); ``args``: of the program; ``define``: of
    its preprocessor; ``stdin``: what rank 0 may read. The run record is kept in ``run_dir``, else it goes with the
    ``Job``. MpiError if a rank fails, unless ``check`` is false; always if the program cannot be made or started.
    """
    given: dict[str, Any] = dict(options)
    unknown = next((name for name in given if name not in Options.__annotations__), None)
    if unknown is not None:
        names = ", ".join(Options.__annotations__)
        raise MpiError(f"{unknown} = {given[unknown]!r}: no such argument; there are {names}")
    with ExitStack() as stack:  # holds the record for as long as the job is there
        scratch = stack.enter_context(process.scratch("mpi"))
        folder = Path(run_dir) if run_dir is not None else scratch / "run"
        words = ["--json", "--run-dir", str(folder)]
        for name, value in given.items():
            option = "-n" if name == "n" else f"--{name.replace('_', '-')}"
            if value is not None and value is not False:
                words += [option] if value is True else [option, str(value)]
        words += [word for name, value in (define or {}).items() for word in ("-D", f"{name}={value}")]
        words += [word for place in include for word in ("-I", str(place))]
        words += [*_files(source, scratch), *map(str, args)]
        done = process.tool([sys.executable, "-m", "polyloom", "mpirun", *words], stdin=stdin)
        *_, last = done.stdout.splitlines() or [""]
        try:
            facts = json.loads(last)
        except ValueError:
            text = done.stderr.strip().removeprefix("polyloom: ") or f"mpirun ended with status {done.returncode}"
            raise MpiError(text) from None
        job = Job(done.stdout.removesuffix("\n").removesuffix(last), done.stderr, facts, folder)
        weakref.finalize(job, stack.pop_all().close)
    if check and job.status != 0:
        raise MpiError(job.problems[0] if job.problems else f"the job ended with status {job.status}", job)
    return job


def _files(source: str | Path | Sequence[str | Path], scratch: Path) -> list[str]:
    if isinstance(source, str) and "\n" in source:
        file = scratch / "program.c"
        file.write_text(source, encoding="utf-8")
        return [str(file)]
    return [str(source)] if isinstance(source, str | Path) else list(map(str, source))
