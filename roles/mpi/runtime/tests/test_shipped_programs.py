# SPDX-License-Identifier: Apache-2.0
# Covers: MPI programs as CPU ranks by UDP against Open MPI, each choice of collectives; how failing jobs end.
# Leaves out: simulated time and FPGAs (end-to-end tests of mpirun), loss (engine_test.cc).
from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import mpi_job
import pytest

from polyloom.testing import FULL

HERE = Path(__file__).resolve().parent
PROGRAMS = mpi_job.BUILD / "tests" / "mpi"
APPS = mpi_job.REPOSITORY / "apps" / "mpi"
CHECKED = ["messages", "comms", "collectives", "reductions"]
SHIPPED = sorted(path.stem for path in APPS.glob("*.c"))

pytestmark = [
    pytest.mark.skipif(shutil.which("mpicc") is None, reason="Open MPI is the reference"),
    pytest.mark.skipif(not (PROGRAMS / "messages").exists(), reason="the C++ build makes these programs"),
]


@pytest.fixture(scope="session")
def reference(tmp_path_factory: pytest.TempPathFactory):
    """What the ranks of a program print under Open MPI."""
    folder = tmp_path_factory.mktemp("openmpi")

    @cache
    def build(source: Path) -> Path:
        binary = folder / source.stem
        subprocess.run(["mpicc", "-std=c11", "-O1", "-w", str(source), "-o", str(binary), "-lm"], check=True)
        return binary

    @cache
    def run(source: Path, size: int) -> list[str]:
        out = folder / f"{source.stem}-{size}"
        command = ["mpirun", "--oversubscribe", "--mca", "btl", "self,vader", "--output-filename", str(out)]
        subprocess.run(
            [*command, "-n", str(size), str(build(source))],
            check=True,
            stdout=subprocess.DEVNULL,
            timeout=100,
            env=os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"},
        )
        return [path.read_text() for path in sorted(out.glob("1/rank.*/stdout"))]

    return run


def masked(texts: list[str]) -> list[str]:
    """Lines that begin with "time" tell times."""
    return [re.sub(r"(?m)^time.*$", "time", text) for text in texts]


def compare(reference, source: Path, size: int, **changes: str) -> None:
    ours = mpi_job.run(PROGRAMS / source.stem, size, **changes)
    assert (ours.manager_code, ours.codes) == (0, [0] * size), ours
    assert masked(ours.stdout) == masked(reference(source, size))


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8] if FULL else [5])
@pytest.mark.parametrize("program", CHECKED)
def test_same_as_open_mpi(reference, program: str, size: int) -> None:
    compare(reference, HERE / "programs" / f"{program}.c", size)


@pytest.mark.parametrize("size", [2, 3, 4, 5, 7, 8] if FULL else [5])
@pytest.mark.parametrize("choice", ["linear", "tree"])
@pytest.mark.parametrize("program", ["collectives", "reductions"])
def test_every_choice_of_collectives(reference, program: str, choice: str, size: int) -> None:
    compare(reference, HERE / "programs" / f"{program}.c", size, collectives=choice)


@pytest.mark.parametrize("size", [2, 4])
def test_errors_are_returned(reference, size: int) -> None:
    compare(reference, HERE / "programs" / "errors.c", size)


@pytest.mark.parametrize("size", [1, 2, 6])
@pytest.mark.parametrize("choice", ["auto", "linear", "tree"])
def test_order_of_short_reductions(size: int, choice: str) -> None:
    ours = mpi_job.run(PROGRAMS / "order", size, collectives=choice)
    assert ours.stdout == [f"{rank}: wrong: 0\n" for rank in range(size)]


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5] if FULL else [1, 4])
@pytest.mark.parametrize("program", SHIPPED)
def test_shipped_programs(reference, program: str, size: int) -> None:
    compare(reference, APPS / f"{program}.c", size)


def test_the_table_of_choices_is_that_of_the_cost_model() -> None:
    folder = HERE.parent / "mpi"
    made = subprocess.run([sys.executable, "-m", "polyloom.mpirun.cost"], capture_output=True, text=True, check=True)
    assert made.stdout == (folder / "choose_table.h").read_text()


def test_a_small_window_and_few_credits(reference) -> None:
    source = HERE / "programs" / "messages.c"
    ours = mpi_job.run(PROGRAMS / "messages", 3, window=2888, credits=1, eager_bytes=64)
    assert ours.stdout == reference(source, 3)


@pytest.mark.parametrize(
    ("how", "code", "message"),
    [
        ("truncate", 1, "rank 0: MPI_Recv: the message is longer than the receive's buffer (rank 1, tag 5, MPI_COMM_W"),
        ("type", 1, "rank 0: MPI_Recv: the datatype is none of Polyloom's or not committed, or the message"),
        ("rank", 1, "rank 1: MPI_Send: no such rank in the communicator (rank 99, tag 5, MPI_COMM_WORLD)"),
        ("abort", 42, "rank 1: MPI_Abort: the program ended the job with code 42"),
        ("unfinished", 1, "rank 1: the program ended without MPI_Finalize"),
    ],
)
def test_fatal_ends(how: str, code: int, message: str) -> None:
    ours = mpi_job.run(PROGRAMS / "fatal", 2, how)
    abort = ours.event("abort")
    assert message in abort["text"]
    assert message in "".join(ours.stderr)
    assert (ours.manager_code, code in ours.codes) == (1, True)


@pytest.mark.parametrize(
    ("how", "waits", "circle"),
    [
        ("deadlock", ["rank 1 waits in MPI_Recv for a message from rank 0, tag 77, MPI_COMM_WORLD"], []),
        (
            "circle",
            [
                "rank 0 waits in MPI_Ssend for rank 1 to receive, tag 3, MPI_COMM_WORLD",
                "rank 1 waits in MPI_Ssend for rank 0 to receive, tag 3, MPI_COMM_WORLD",
            ],
            [0, 1],
        ),
        (
            "collective",
            [
                "rank 0 waits in MPI_Recv for a message from rank 1, tag 0, MPI_COMM_WORLD",
                "rank 1 waits in MPI_Bcast for a message from rank 0, MPI_COMM_WORLD",
            ],
            [0, 1],
        ),
    ],
)
def test_deadlocks_are_explained(how: str, waits: list[str], circle: list[int]) -> None:
    ours = mpi_job.run(PROGRAMS / "fatal", 2, how, hang_ps=100_000_000_000)
    deadlock = ours.event("deadlock")
    assert ours.manager_code == 3
    assert [w["text"].split(", since")[0] for w in deadlock["waits"]] == waits
    assert deadlock["circle"] == circle


def test_a_rank_that_computes_long_is_not_asked_again_and_again() -> None:
    """More looks than the manager may have messages under way."""
    ours = mpi_job.run(PROGRAMS / "fatal", 2, "compute", hang_ps=1_000_000_000)
    assert (ours.manager_code, ours.codes) == (0, [0, 0]), ours.stderr
