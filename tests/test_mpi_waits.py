# SPDX-License-Identifier: Apache-2.0
# Covers: jobs whose bottleneck is known: it is named, on the terminal, in JSON and on the page; what ranks record
#         adds up to what the simulator counted; jobs of 2, 4 and 301 ranks are drawn; what is not known is not claimed.
# Leaves out: causes made up (polyloom/report/tests/test_waits.py), where a kernel's cycles go (test_mpi_profile.py).
from __future__ import annotations

import csv
import json
import re
from collections import defaultdict
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from mpi_jobs import ROOT, mpirun, source

SKEW = """
int main(void) {
  int rank;
  MPI_Init(0, 0);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int round = 0; round < 4; round++) {
    unsigned x = (unsigned)rank, sum = 0;
    for (int i = 0; i < (rank == 2 ? 50000 : 5000); i++) x = x * 1664525u + 1013904223u;
    MPI_Allreduce(&x, &sum, 1, MPI_UNSIGNED, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) printf("%u\\n", sum);
  }
  return MPI_Finalize();
}"""
RING = """
int main(void) {
  int rank, size, token = 7;
  MPI_Init(0, 0);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int round = 0; round < 20; round++) {
    if (rank == 0) MPI_Send(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    MPI_Recv(&token, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank != 0) MPI_Send(&token, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD);
  }
  return MPI_Finalize();
}"""
LONG = """
static int data[1 << 16];
int main(void) {
  int rank;
  MPI_Init(0, 0);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 4; i++) {
    if (rank == 1) MPI_Send(data, 1 << 16, MPI_INT, 2, 0, MPI_COMM_WORLD);
    if (rank == 2) MPI_Recv(data, 1 << 16, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  return MPI_Finalize();
}"""
IN_DRAM = """
int main(void) {
  int rank;
  MPI_Init(0, 0);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1) {
    unsigned *far = malloc(1 << 16), sum = 0;
    for (unsigned i = 0; i < 4096; i++) far[i * 97 % 4096] = i;
    for (unsigned i = 0; i < 4096; i++) sum += far[i];
    MPI_Send(&sum, 1, MPI_UNSIGNED, 0, 0, MPI_COMM_WORLD);
  }
  if (rank == 0) MPI_Recv(&rank, 1, MPI_UNSIGNED, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return MPI_Finalize();
}"""
KNOWN = {
    "skew": (SKEW, r"\d+% of the critical path: computing of rank 2, for which others waited .* most in MPI_Allreduce"),
    "ring": (RING, r"\d+% of the critical path: the latency of short messages, 80 in a row of 4 bytes, 3\.\d+ µs each"),
    "long": (
        LONG,
        r"\d+% .*: long messages, 4 in a row of 262,144 bytes, 2\d\d µs .* fpga\.0 to switch, was busy 9\d%",
    ),
    "in DRAM": (IN_DRAM, r"computing of rank 1, mostly waits for DRAM"),
}


def rows(folder: Path, table: str) -> list[dict[str, str]]:
    with (folder / f"{table}.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def run(folder: Path, *words: str) -> dict[str, Any]:
    done = mpirun(folder, "--json", *words)
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


@pytest.mark.parametrize("name", KNOWN)
def test_a_bottleneck_that_is_known(name: str, tmp_path: Path) -> None:
    body, expected = KNOWN[name]
    result = run(tmp_path, "--explain", source(tmp_path, body))
    text = result["waits"]["bottleneck"]
    assert re.search(expected, text), text
    assert text in unescape((tmp_path / "run" / "report.html").read_text())


def test_the_sentence_is_printed_where_it_is_asked_for(tmp_path: Path) -> None:
    program = source(tmp_path, SKEW)
    assert "bottleneck" not in mpirun(tmp_path, program).stdout
    assert "bottleneck" in mpirun(tmp_path, "--explain", program).stdout.splitlines()[-1]


def test_lost_frames_are_told(tmp_path: Path) -> None:
    text = (ROOT / "clusters" / "zrlmpi-4.toml").read_text().replace("[link]\n", "[link]\ndrop_rate = 0.05\n")
    (tmp_path / "lossy.toml").write_text(text)
    result = run(tmp_path, "--cluster", str(tmp_path / "lossy.toml"), source(tmp_path, RING.replace("< 20", "< 200")))
    assert result["waits"]["lost_frames"] > 3
    assert "packets that were lost" in result["waits"]["bottleneck"]


def test_what_ranks_record_adds_up(tmp_path: Path) -> None:
    """Against the kernels' own counters, the job's end by the manager, and loops that take a cycle an iteration."""
    result = run(tmp_path, source(tmp_path, SKEW.replace("x * 1664525u + 1013904223u", "x ^ (unsigned)(i * i)")))
    folder = tmp_path / "run"
    ranks = {int(row["rank"]): {key: int(value) for key, value in row.items()} for row in rows(folder, "mpi_ranks")}
    assert sorted(ranks) == [0, 1, 2, 3]
    cycle = 6400  # ps, at 156.25 MHz
    in_calls: dict[int, int] = defaultdict(int)
    for row in rows(folder, "mpi_calls"):
        in_calls[int(row["rank"])] += int(row["end_ps"]) - int(row["begin_ps"])
    by_call: dict[int, int] = defaultdict(int)
    for row in rows(folder, "mpi_waits"):
        by_call[int(row["rank"])] += int(row["ps"])
    counters = {row["name"]: int(row["value"]) for row in rows(folder, "counters")}
    for number, rank in ranks.items():
        assert rank["waited_ps"] == in_calls[number] == by_call[number]
        assert rank["kept"] == rank["commands"]
        if number:
            popped = counters[f"fpga.{number - 1}.kernel.cycles_waited"] * cycle
            assert popped <= rank["waited_ps"] <= popped + rank["commands"] * 60 * cycle, "words of commands, too"
            loops = 4 * (50000 if number == 2 else 5000)
            assert loops * cycle <= rank["end_ps"] - rank["begin_ps"] - rank["waited_ps"] <= (loops + 1000) * cycle
    begin = max(rank["begin_ps"] for rank in ranks.values())
    end = max(rank["end_ps"] for rank in ranks.values())
    assert sum(result["waits"]["critical_path_ps"].values()) == end - begin
    # The manager begins to count when it has started all ranks, and hears of the end some microseconds later.
    assert 0 <= result["end"]["simulated_ps"] - (end - begin) < 60e6
    assert [(row["sent"], row["sent_bytes"]) for row in result["waits"]["ranks"][1:]] == [(4, 16)] * 3


@pytest.mark.parametrize(("ranks", "bars"), [(2, 2), (301, 16)])
def test_ranks_are_drawn(ranks: int, bars: int, tmp_path: Path) -> None:
    body = SKEW.replace("rank == 2", "rank == 1")
    result = run(tmp_path, "--cluster", f"zrlmpi:{ranks}", source(tmp_path, body))
    assert "computing of rank 1" in result["waits"]["bottleneck"] and len(result["waits"]["ranks"]) == ranks
    html = (tmp_path / "run" / "report.html").read_text()
    [svg] = re.findall(r'<svg [^>]*aria-label="ranks".*?</svg>', html)
    assert len(re.findall(r"<text [^>]*>rank \d+</text>", svg)) == bars
    assert ("<polygon" in svg) == (ranks > 32)


def test_native_jobs_claim_nothing(tmp_path: Path) -> None:
    result = run(tmp_path, "--on", "native", "-n", "2", source(tmp_path, SKEW))
    assert result["waits"] is None
    assert "critical path" not in (tmp_path / "run" / "report.html").read_text()
