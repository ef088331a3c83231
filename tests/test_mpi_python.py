# SPDX-License-Identifier: Apache-2.0
# Covers: polyloom.mpi.run: programs as files and as text, arguments, input, what a job leaves, how errors come.
# Leaves out: what mpirun does (test_mpirun.py, test_site_mpi.py).
from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from mpi_jobs import FAULTS, ROOT

import polyloom
from polyloom.mpi import MpiError
from polyloom.testing import FULL

SUM = """#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  int rank, sum, own = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) { if (scanf("%d", &own) != 1) own = 0; } else own = rank * atoi(argv[1]) + MORE;
  MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  printf("rank %d: %d\\n", rank, sum);
  MPI_Finalize();
  return 0;
}
"""


@pytest.mark.parametrize("where", [{"cluster": "zrlmpi:3"}, {"on": "native", "n": 3}], ids=["sim", "native"])
def test_a_program_as_text(where: dict[str, Any]) -> None:
    job = polyloom.mpi.run(SUM, 10, define={"MORE": 1}, stdin="1000\n", **where)
    assert sorted(job.stdout.splitlines()) == [f"rank {rank}: 1032" for rank in range(3)]
    assert (job.status, job.ranks, job.exits, job.problems) == (0, 3, {0: 0, 1: 0, 2: 0}, [])
    assert job.printed(2) == "rank 2: 1032\n"
    assert (job.simulated_seconds is None) == ("on" in where)
    assert job.record.number("run.json", "ranks") == 3
    if job.simulated_seconds is not None:
        assert 1e-6 < job.simulated_seconds < 1e-3
        assert len(job.waits) == 3
    assert "<html" in job.report().html


def test_files_and_a_record_that_stays(tmp_path: Path) -> None:
    source = ROOT / "apps" / "mpi" / "pi.c"
    job = polyloom.mpi.run(source, on="native", wire=True, n=2, run_dir=tmp_path / "kept")
    assert "pi is about" in job.stdout
    del job
    assert (tmp_path / "kept" / "run.json").is_file()


def test_what_fails_is_an_exception_with_the_job(tmp_path: Path) -> None:
    with pytest.raises(MpiError, match=r"rank 1 called MPI_Abort\(9\)") as error:
        polyloom.mpi.run(FAULTS, "abort", 1, on="native", n=2)
    assert error.value.job is not None and error.value.job.status == 9
    assert polyloom.mpi.run(FAULTS, "abort", 1, on="native", n=2, check=False).status == 9
    for source, words, match in [
        ("int main(void) {\n  return 1 +; }\n", {"on": "native"}, r"program\.c:2:"),
        ("missing.c", {}, "missing.c: no such file"),
        (FAULTS, {"on": "silicon"}, "silicon: allowed are"),
        (FAULTS, {"ranks": 3}, "ranks = 3: no such argument"),
    ]:
        with pytest.raises(MpiError, match=match):
            polyloom.mpi.run(source, **words)  # type: ignore[arg-type]


HOST = """import array, sys
from mpi4py import MPI
world = MPI.COMM_WORLD
values = range(int(sys.argv[1]))
for rank in range(1, world.size):
    world.Send([array.array("i", [value + rank for value in values]), MPI.INT], dest=rank, tag=1)
sums, buffer, status = [0] * world.size, array.array("q", [0]), MPI.Status()
for _ in range(1, world.size):
    world.Recv([buffer, MPI.LONG], source=MPI.ANY_SOURCE, tag=2, status=status)
    sums[status.Get_source()] = buffer[0]
total = array.array("q", [0])
world.Allreduce([array.array("q", [sum(sums)]), MPI.LONG], [total, MPI.LONG])
print("host", *sums, total[0])
"""
KERNEL = """#include <mpi.h>
#include <stdio.h>
static int values[1000];
int main(int argc, char **argv) {
  int count;
  long sum = 0, total;
  MPI_Status status;
  MPI_Init(&argc, &argv);
  MPI_Recv(values, 1000, MPI_INT, 0, 1, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  for (int i = 0; i < count; i++) sum += values[i];
  MPI_Send(&sum, 1, MPI_LONG, 0, 2, MPI_COMM_WORLD);
  MPI_Allreduce(&sum, &total, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  printf("sum %ld total %ld\\n", sum, total);
  MPI_Finalize();
  return 0;
}
"""


@pytest.mark.skipif(not FULL, reason="compiles mpi4py; in full test runs")
def test_python_on_the_cpu_and_c_on_fpgas(tmp_path: Path) -> None:
    (tmp_path / "host.py").write_text(HOST)
    (tmp_path / "kernel.c").write_text(KERNEL)
    job = polyloom.mpi.run([tmp_path / "host.py", tmp_path / "kernel.c"], 100, cluster="zrlmpi:4")
    sums = [0, *(sum(range(100)) + 100 * rank for rank in range(1, 4))]
    lines = [f"sum {own} total {2 * sum(sums)}" for own in sums[1:]]
    assert sorted(job.stdout.splitlines()) == sorted([f"host {' '.join(map(str, sums))} {2 * sum(sums)}", *lines])
    assert job.facts["cpu_time"] == "CPU ranks: computing is free"


def test_python_needs_c_for_fpgas(tmp_path: Path) -> None:
    (tmp_path / "host.py").write_text("print(1)\n")
    with pytest.raises(MpiError, match=r"host\.py kernel\.c"):
        polyloom.mpi.run(tmp_path / "host.py")
    job = polyloom.mpi.run(tmp_path / "host.py", on="native", n=2)
    assert job.stdout == "1\n1\n"
