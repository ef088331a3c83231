# SPDX-License-Identifier: Apache-2.0
# Covers: every shipped MPI program on CPU processes (1 to 5 ranks) and on one CPU and three FPGAs in RTL: the same
#         output as under Open MPI; exit codes, MPI_Abort, a killed rank, a deadlock, bad programs.
# Leaves out: speed (bench/mpi-jacobi), the engine under loss (roles/kernel/tests).
from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = sorted([*(ROOT / "apps" / "mpi").glob("*.c"), *(ROOT / "tests" / "mpi").glob("*.c")])
REFUSED = sorted((ROOT / "tests" / "mpi" / "refused").glob("*.c"))
OPEN_MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def masked(text: str) -> list[str]:
    """Lines without times, in an order that does not depend on which rank came first."""
    return sorted(line for line in text.splitlines() if not line.lstrip().startswith("time"))


def open_mpi(program: Path, ranks: int, folder: Path) -> list[str]:
    binary = folder / f"{program.stem}-open-mpi"
    if not binary.exists():
        compiler = ["mpicc", "-O2", "-ffp-contract=off", str(program), "-o", str(binary), "-lm"]
        subprocess.run(compiler, check=True, capture_output=True)
    command = ["mpirun", "--oversubscribe", "-n", str(ranks), str(binary)]
    done = subprocess.run(
        command, env={**os.environ, **OPEN_MPI}, capture_output=True, text=True, timeout=120, check=True
    )
    return masked(done.stdout)


def polyloom(folder: Path, *words: str, timeout: float = 500) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "polyloom", "mpirun", "--run-dir", str(folder / "run"), *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False, cwd=ROOT)


@pytest.fixture(scope="module")
def binaries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    assert shutil.which("mpicc"), "Open MPI is the reference; run make setup"
    return tmp_path_factory.mktemp("open-mpi")


def source(folder: Path, body: str) -> str:
    path = folder / "program.c"
    path.write_text(f"#include <mpi.h>\n#include <stdio.h>\n#include <stdlib.h>\n{body}\n")
    return str(path)


@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.stem)
def test_on_cpus_as_under_open_mpi(program: Path, ranks: int, binaries: Path, tmp_path: Path) -> None:
    done = polyloom(tmp_path, "--on", "native", "-n", str(ranks), str(program))
    assert done.returncode == 0, done.stderr
    assert masked(done.stdout) == open_mpi(program, ranks, binaries)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.stem)
def test_on_fpgas_as_under_open_mpi(program: Path, binaries: Path, tmp_path: Path) -> None:
    done = polyloom(tmp_path, "--cluster", "zrlmpi-4", str(program))
    assert done.returncode == 0, done.stderr
    assert masked(done.stdout) == open_mpi(program, 4, binaries)


@pytest.mark.parametrize("on", ["native", "rtl"])
def test_the_exit_code_of_a_rank_is_the_jobs(on: str, tmp_path: Path) -> None:
    text = "int r; MPI_Init(&c, &v); MPI_Comm_rank(MPI_COMM_WORLD, &r); MPI_Finalize(); return r == 1 ? 7 : 0;"
    done = polyloom(tmp_path, "--on", on, source(tmp_path, f"int main(int c, char **v) {{ {text} }}"))
    assert done.returncode == 7, done.stderr


@pytest.mark.parametrize("on", ["native", "rtl"])
def test_abort_ends_all_ranks(on: str, tmp_path: Path) -> None:
    text = (
        "int r, x; MPI_Init(&c, &v); MPI_Comm_rank(MPI_COMM_WORLD, &r); if (r == 2) MPI_Abort(MPI_COMM_WORLD, 9);"
        "MPI_Recv(&x, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); MPI_Finalize(); return 0;"
    )
    done = polyloom(tmp_path, "--on", on, source(tmp_path, f"int main(int c, char **v) {{ {text} }}"))
    assert done.returncode == 9
    assert "rank 2" in done.stderr and "9" in done.stderr


def test_a_deadlock_says_who_waits_for_whom(tmp_path: Path) -> None:
    text = (
        "int r, x; MPI_Init(&c, &v); MPI_Comm_rank(MPI_COMM_WORLD, &r);"
        "MPI_Recv(&x, 1, MPI_INT, (r + 1) % 4, 40 + r, MPI_COMM_WORLD, MPI_STATUS_IGNORE); MPI_Finalize(); return 0;"
    )
    done = polyloom(tmp_path, source(tmp_path, f"int main(int c, char **v) {{ {text} }}"))
    assert done.returncode != 0
    for rank in range(4):
        assert re.search(rf"rank {rank}.*rank {(rank + 1) % 4}.*tag {40 + rank}", done.stderr), done.stderr


def test_a_killed_rank_ends_the_job_and_leaves_nothing(tmp_path: Path) -> None:
    text = (
        "int r, x; MPI_Init(&c, &v); MPI_Comm_rank(MPI_COMM_WORLD, &r); if (r == 1) abort();"
        "MPI_Recv(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); MPI_Finalize(); return 0;"
    )
    program = source(tmp_path, f"int main(int c, char **v) {{ {text} }}")
    begin = time.monotonic()
    done = polyloom(tmp_path, "--on", "native", "-n", "3", program)
    assert done.returncode != 0 and "rank 1" in done.stderr and "signal 6" in done.stderr
    assert time.monotonic() - begin < 60
    left = subprocess.run(["ps", "-eww", "-o", "args"], capture_output=True, text=True, check=True).stdout
    assert str(tmp_path) not in left


@pytest.mark.parametrize("program", REFUSED, ids=lambda p: p.stem)
def test_what_hardware_cannot_do_is_refused_with_its_place(program: Path, tmp_path: Path) -> None:
    place, words = re.search(r"refused: (\S+:\d+): (.*) \*/", program.read_text()).groups()  # type: ignore[union-attr]
    done = polyloom(tmp_path, str(program))
    assert done.returncode != 0
    assert place in done.stderr and words in done.stderr, done.stderr
    assert not list(tmp_path.rglob("*.log")), "nothing was started"


def test_an_error_of_the_program_comes_as_the_compiler_writes_it(tmp_path: Path) -> None:
    done = polyloom(tmp_path, source(tmp_path, "int main(int c, char **v) { return 1 +; }"))
    assert done.returncode != 0 and "program.c:4:" in done.stderr
