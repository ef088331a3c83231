# SPDX-License-Identifier: Apache-2.0
# Covers: what computing on CPU ranks takes in simulated time: as many cycles as instructions, the same in every run;
#         when messages of and to a rank that computes arrive; --cpu-time measured and free; where it is said.
# Leaves out: how instructions are counted (polyloom/mpirun/tests/test_counting.py), results (test_mpirun.py).
from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from mpi_jobs import cpu_cluster, mpirun, source

#: Of work(n): load, add, store, add, compare, branch.
INSTRUCTIONS = 6
ROUNDS = 1_000_000
#: Seconds that a message of a few bytes is under way: three calls, two links, the switch.
SOON = 10e-6
MEGABYTE = 8e6 / 10e9  # seconds of a link of 10 Gb/s
HEAD = """
volatile int x;
static char data[1000000];
static void work(int n) {
#pragma clang loop unroll(disable)
  for (int i = 0; i < n; i++) x = x + i;
}
static void tell(const char *what, double seconds) { printf("%s %.12f\\n", what, seconds); }
int main(int c, char **v) {
  int rank, n = atoi(v[1]);
  MPI_Init(&c, &v);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
"""
TAIL = """
  MPI_Finalize();
  return 0;
}
"""
SENDER = """
  if (rank == 0) {
    work(n);
    const double half = MPI_Wtime();
    tell("work", half - begin);
    work(2 * n);
    tell("twice", MPI_Wtime() - half);
    MPI_Send(data, 4, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
  } else {
    MPI_Recv(data, 4, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    tell("arrival", MPI_Wtime() - begin);
  }
"""
RECEIVER = """
  MPI_Request request;
  if (rank == 0) {
    MPI_Ssend(data, 1000000, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    tell("sent", MPI_Wtime() - begin);
  } else {
    MPI_Irecv(data, 1000000, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &request);
    work(n);
    tell("work", MPI_Wtime() - begin);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    tell("received", MPI_Wtime() - begin);
  }
"""


def job(folder: Path, body: str, *options: str) -> dict[str, float]:
    """Two CPU ranks: the seconds that they tell, by name."""
    words = ["--cluster", cpu_cluster(folder, 2), *options, source(folder, HEAD + body + TAIL), str(ROUNDS)]
    done = mpirun(folder, *words)
    assert done.returncode == 0, done.stderr
    return {name: float(seconds) for name, seconds in re.findall(r"^(\w+) (\S+)$", done.stdout, re.MULTILINE)}


def record(folder: Path) -> dict[str, object]:
    known: dict[str, object] = json.loads((folder / "run" / "run.json").read_text())
    return known


@pytest.mark.parametrize(("options", "ghz"), [([], 2.5), (["--cpu-time", "model:0.5"], 0.5)], ids=["default", "slow"])
def test_an_instruction_takes_a_cycle(options: list[str], ghz: float, tmp_path: Path) -> None:
    reported = job(tmp_path, SENDER, *options)
    work = INSTRUCTIONS * ROUNDS / (ghz * 1e9)
    assert reported["work"] == pytest.approx(work, rel=0.05)
    assert reported["twice"] == pytest.approx(2 * work, rel=0.05)
    assert reported["work"] + reported["twice"] < reported["arrival"] < reported["work"] + reported["twice"] + SOON
    assert record(tmp_path)["cpu_time"] == f"CPU ranks: counted instructions at {ghz:g} GHz"
    assert f"counted instructions at {ghz:g} GHz" in (tmp_path / "run" / "report.html").read_text()


def test_the_same_in_every_run(tmp_path: Path) -> None:
    folders = [tmp_path / "first", tmp_path / "second"]
    for folder in folders:
        folder.mkdir()
    first, second = (job(folder, SENDER) for folder in folders)
    assert first == second
    assert record(folders[0])["digest"] == record(folders[1])["digest"]


def test_a_rank_that_computes_takes_what_comes_meanwhile(tmp_path: Path) -> None:
    """It responds to the request to send: neither side waits for the end of its work."""
    reported = job(tmp_path, RECEIVER, "--cpu-time", "model:0.5")
    work = INSTRUCTIONS * ROUNDS / 0.5e9
    assert MEGABYTE < reported["sent"] < 3 * MEGABYTE < work
    assert reported["work"] == pytest.approx(work, rel=0.05)
    assert reported["received"] < reported["work"] + SOON


def test_computing_may_be_free(tmp_path: Path) -> None:
    reported = job(tmp_path, SENDER, "--cpu-time", "free")
    assert reported["work"] == reported["twice"] == 0
    assert 0 < reported["arrival"] < SOON
    assert record(tmp_path)["reproducible"] is True


def test_computing_may_be_measured(tmp_path: Path) -> None:
    """A processor needs a cycle for a load and a store of the same place at least, and there are none of 100 GHz."""
    reported = job(tmp_path, SENDER, "--cpu-time", "measured")
    assert reported["work"] > ROUNDS / 100e9
    assert reported["arrival"] > reported["work"] + reported["twice"]
    assert record(tmp_path)["reproducible"] is False


def test_it_is_said(tmp_path: Path) -> None:
    text = "int main(int c, char **v) { MPI_Init(&c, &v); return MPI_Finalize(); }"
    done = mpirun(tmp_path, "--cluster", cpu_cluster(tmp_path, 1), "--explain", "--json", source(tmp_path, text))
    assert json.loads(done.stdout.splitlines()[-1])["cpu_time"] == "CPU ranks: counted instructions at 2.5 GHz"
    assert "CPU ranks: counted instructions at 2.5 GHz" in done.stdout.splitlines()


@pytest.mark.parametrize("value", ["", "model", "model:", "model:0", "model:1e3", "model:2000", "model:-1", "fast"])
def test_another_way_is_refused(value: str, tmp_path: Path) -> None:
    done = mpirun(tmp_path, "--cpu-time", value, source(tmp_path, "int main(void) { return 0; }"))
    assert done.returncode != 0
    assert f"--cpu-time {value}: allowed are model:GHZ" in done.stderr
    assert not (tmp_path / "run").exists()
