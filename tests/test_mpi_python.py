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
