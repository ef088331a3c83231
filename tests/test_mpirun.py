# SPDX-License-Identifier: Apache-2.0
# Covers: every shipped MPI program on CPU processes (1 to 5 ranks), on a cluster of CPUs whose instructions are
#         counted, and on one CPU and three FPGAs: the same output as under Open MPI; bad options and programs;
#         the record of a run.
# Leaves out: speed (bench/mpi-jacobi), jobs that fail (test_mpirun_ends.py, test_mpirun_limits.py).
from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from mpi_jobs import ROOT, WIRE, cpu_cluster, mpirun, source

from polyloom.testing import FULL

PROGRAMS = sorted([*(ROOT / "apps" / "mpi").glob("*.c"), *(ROOT / "tests" / "mpi").glob("*.c")])
#: Kernels with every operation take a minute to build. Those of jacobi, odd_even_sort and pi run under Open MPI's eyes
#: in roles/mpi/runtime/tests/test_kernel.py. One of matmul serves three ranks, whose arithmetic differs; requests
#: has types with gaps and calls through pointers, files what the manager does for kernels.
QUICK = {"errors", "files", "master_worker", "matmul", "overlap", "requests"}
FPGA_PROGRAMS = [p for p in PROGRAMS if p.stem in QUICK or FULL]
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


@pytest.fixture(scope="module")
def binaries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    assert shutil.which("mpicc"), "Open MPI is the reference; run make setup"
    return tmp_path_factory.mktemp("open-mpi")


@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 5] if FULL else [1, 5])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.stem)
def test_on_cpus_as_under_open_mpi(program: Path, ranks: int, binaries: Path, tmp_path: Path) -> None:
    done = mpirun(tmp_path, *WIRE, "-n", str(ranks), str(program))
    assert done.returncode == 0, done.stderr
    assert masked(done.stdout) == open_mpi(program, ranks, binaries)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.stem)
def test_on_a_cluster_of_cpus_as_under_open_mpi(program: Path, binaries: Path, tmp_path: Path) -> None:
    done = mpirun(tmp_path, "--cluster", cpu_cluster(tmp_path, 5), str(program))
    assert done.returncode == 0, done.stderr
    assert masked(done.stdout) == open_mpi(program, 5, binaries)


@pytest.mark.parametrize("program", FPGA_PROGRAMS, ids=lambda p: p.stem)
def test_on_fpgas_as_under_open_mpi(program: Path, binaries: Path, tmp_path: Path) -> None:
    done = mpirun(tmp_path, "--cluster", "zrlmpi-4", str(program))
    assert done.returncode == 0, done.stderr
    assert masked(done.stdout) == open_mpi(program, 4, binaries)


def test_an_fpga_rank_knows_the_date(tmp_path: Path) -> None:
    """That of the job's start, and the simulated time since; a program's CPU time is the latter in microseconds."""
    body = """#include <time.h>
int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1) printf("%ld %ld\\n", (long)time(NULL), (long)clock());
  return MPI_Finalize();
}"""
    begin = int(time.time())
    done = mpirun(tmp_path, "--cluster", "zrlmpi:2", source(tmp_path, body))
    date, clock = map(int, done.stdout.split())
    assert begin <= date <= time.time()
    assert 0 < clock < 1000


def test_more_sums_at_once_than_an_fpga_has_requests_for(tmp_path: Path) -> None:
    ranks = 24
    done = mpirun(tmp_path, "--cluster", f"zrlmpi:{ranks}", str(ROOT / "tests" / "mpi" / "overlap.c"))
    assert done.returncode == 0, done.stderr
    total = (sum(range(8)) + 1) * sum(range(ranks))
    expected = [f"rank {rank}: {total}, from {(rank - 1) % ranks}" for rank in range(ranks)]
    assert sorted(done.stdout.splitlines()) == sorted(expected)


def test_what_the_simulator_is_told(tmp_path: Path) -> None:
    program = str(FPGA_PROGRAMS[0])
    done = mpirun(tmp_path, "--cluster", "zrlmpi-4", "--trace", "--engine", "serial", "--seed", "3", program)
    assert done.returncode == 0, done.stderr
    run = json.loads((tmp_path / "run" / "run.json").read_text())
    assert (run["engine"], run["seed"]) == ("serial", 3)
    assert json.loads((tmp_path / "run" / "trace.json").read_text())["traceEvents"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-n", "-3"], "-n -3: allowed are 1 to"),
        (["-n", "0"], "-n 0: allowed are 1 to"),
        (["--np", "40000"], "-n 40000: allowed are 1 to"),
        (["-np", "2", "--timeout", "nan"], "--timeout nan"),
        (["-np", "2", "--timeout", "-1"], "--timeout -1"),
        (["--on", "rtl", "--engine", "bogus"], "--engine bogus: allowed are serial"),
        (["--on", "rtl", "--seed", "-1"], "--seed -1"),
        (["--on", "rtl", "--seed", str(1 << 64)], f"--seed {1 << 64}: allowed are 0 to"),
    ],
)
def test_options_that_make_no_sense_are_refused_at_once(words: list[str], message: str, tmp_path: Path) -> None:
    done = mpirun(tmp_path, "--on", "native", *words, str(PROGRAMS[0]))
    assert done.returncode != 0 and message in done.stderr, done.stderr
    assert not (tmp_path / "run").exists()


def test_a_program_without_main_is_named(tmp_path: Path) -> None:
    done = mpirun(tmp_path, "--on", "native", "-np", "2", source(tmp_path, "int f(void) { return 1; }"))
    assert done.returncode != 0 and "the program has no main" in done.stderr


def test_a_native_job_leaves_its_record(tmp_path: Path) -> None:
    program = source(tmp_path, "int main(int c, char **v) { MPI_Init(&c, &v); MPI_Finalize(); return c == 2 ? 5 : 0; }")
    assert mpirun(tmp_path, "--on", "native", "-np", "3", program).returncode == 0
    run = json.loads((tmp_path / "run" / "run.json").read_text())
    assert (run["app"], run["on"], run["ranks"], run["exit_status"]) == ("program", "native", 3, 0)
    assert (tmp_path / "run" / "report.html").is_file()


@pytest.mark.parametrize("program", REFUSED, ids=lambda p: p.stem)
def test_what_hardware_cannot_do_is_refused_with_its_place(program: Path, tmp_path: Path) -> None:
    place, words = re.search(r"refused: (\S+:\d+): (.*) \*/", program.read_text()).groups()  # type: ignore[union-attr]
    done = mpirun(tmp_path, str(program))
    assert done.returncode != 0
    assert place in done.stderr and words in done.stderr, done.stderr
    assert not list(tmp_path.rglob("*.log")), "nothing was started"


def test_a_kernel_that_is_too_large_is_refused(tmp_path: Path) -> None:
    body = (
        "static double big[1 << 28]; int main(int c, char **v) { MPI_Init(&c, &v); MPI_Bcast(big, c << 18, MPI_DOUBLE, "
    )
    done = mpirun(tmp_path, source(tmp_path, body + "0, MPI_COMM_WORLD); return MPI_Finalize(); }"))
    assert done.returncode != 0 and "bytes of DRAM" in done.stderr and "big" in done.stderr, done.stderr
    assert not list(tmp_path.rglob("*.log")), "nothing was started"


def test_an_error_of_the_program_comes_as_the_compiler_writes_it(tmp_path: Path) -> None:
    done = mpirun(tmp_path, source(tmp_path, "int main(int c, char **v) { return 1 +; }"))
    assert done.returncode != 0 and "program.c:4:" in done.stderr
