# SPDX-License-Identifier: Apache-2.0
# Covers: cycles by source line and by loop of jobs on the fast model (mpirun --explain): they add up to each rank's
#         whole time; loops run as often as the program says and take what they are known to take; MPI and DRAM are told
#         apart; terminal, JSON and page have the same numbers; without --explain nothing is counted.
# Leaves out: why loops are as they are (polyloom/hls/tests/test_why.py).
from __future__ import annotations

import csv
import json
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from mpi_jobs import ROOT, mpirun, source

CYCLE = 6400  # ps
#: Of the tree, and ``program.c``, which is BODY.
PROGRAMS = [
    "apps/mpi/jacobi_halo.c",
    "apps/mpi/master_worker.c",
    "tests/mpi/messages.c",
    "tests/mpi/library.c",
    "program.c",
]
BODY = """
static unsigned near[1000];
__attribute__((noinline)) static void fill(int n) {
  for (int i = 0; i < n; i++) near[i] = (unsigned)i;
}
int main(void) {
  int rank;
  MPI_Init(0, 0);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank > 0) {
    unsigned *far = malloc(4000), sum = 0;
    for (int r = 0; r < 3; r++)
      fill(100 * r);
    MPI_Recv(near, 1000, MPI_UNSIGNED, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < 1000; i++) far[i] = near[i];
    for (int i = 0; i < 1000; i++) sum += far[i] / (near[i] | 1);
    MPI_Send(&sum, 1, MPI_UNSIGNED, 0, 0, MPI_COMM_WORLD);
  } else {
    for (int r = 1; r < 4; r++) {
      MPI_Send(near, 1000, MPI_UNSIGNED, r, 0, MPI_COMM_WORLD);
      MPI_Recv(near, 1, MPI_UNSIGNED, r, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
  return MPI_Finalize();
}"""


def rows(folder: Path, table: str) -> list[dict[str, str]]:
    with (folder / f"{table}.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def explained(folder: Path, *words: str) -> tuple[str, dict[str, Any]]:
    """What is printed, and the JSON."""
    done = mpirun(folder, "--explain", "--json", *words)
    assert done.returncode == 0, done.stderr
    text, _, result = done.stdout.rstrip("\n").rpartition("\n")
    return text, json.loads(result)


@pytest.mark.parametrize(("program", "check"), [*((p, "--check") for p in PROGRAMS), (PROGRAMS[0], "--no-check")])
def test_all_cycles_are_some_lines(program: str, check: str, tmp_path: Path) -> None:
    _, result = explained(tmp_path, check, source(tmp_path, BODY) if program == "program.c" else str(ROOT / program))
    total: dict[int, int] = defaultdict(int)
    counts = rows(tmp_path / "run", "mpi_counts")
    for kernel in result["programs"]:
        counted = json.loads((Path(kernel["folder"]) / "report.json").read_text())["counted"]["rows"]
        for row in counts:
            if int(row["rank"]) in kernel["ranks"]:
                weight = sum(counted[int(row["counter"]) % len(counted)]["lines"].values())
                total[int(row["rank"])] += int(row["count"]) * weight
    ran = {int(r["rank"]): int(r["end_ps"]) - int(r["begin_ps"]) for r in rows(tmp_path / "run", "mpi_ranks")}
    assert total == {rank: ran[rank] // CYCLE for rank in (1, 2, 3)}
    assert sum(sum(line[k] for k in line.keys() - {"file", "line"}) for line in result["lines"]) == sum(total.values())
    names = {Path(line["file"]).name for line in result["lines"]} - {""}
    assert names == {Path(program).name}, "cycles of the library are those of the program's line that calls it"


def test_lines_and_loops_of_a_program_that_is_known(tmp_path: Path) -> None:
    program = source(tmp_path, BODY)
    place = {text.strip(): n for n, text in enumerate(Path(program).read_text().splitlines(), 1)}

    def line_of(begin: str) -> int:
        [found] = [n for text, n in place.items() if text.startswith(begin) and "r, 0" not in text]
        return found

    text, result = explained(tmp_path, program)
    by_line = {line["line"]: line for line in result["lines"]}
    # A store to DRAM a cycle, in 3 ranks; a load takes the latency of 20 cycles and one each; a division 34.
    stores, loads = (by_line[line_of(f"for (int i = 0; i < 1000; i++) {what}")] for what in ("far", "sum"))
    assert 3000 <= stores["computes"] <= 4000 * 3 and loads["dram"] >= 3000 * 19
    assert 3000 * 34 <= loads["computes"] + loads["dram"] <= 3000 * 80
    receive = by_line[line_of("MPI_Recv(near, 1000")]
    assert receive["engine"] > 0.9 * sum(receive[k] for k in ("computes", "engine", "dram", "shared"))
    filled = by_line[line_of("for (int i = 0; i < n")]
    assert 900 <= filled["computes"] <= 1100 and filled["engine"] == 0
    # Iterations, as the program says, of all three ranks.
    after = text.partition("loops, waiting included")[2]
    found = {int(n): int(count.replace(",", "")) for n, count in re.findall(r"program\.c:(\d+) +([\d,]+)", after)}
    assert found[line_of("for (int i = 0; i < n")] == 900
    assert found[line_of("for (int i = 0; i < 1000; i++) sum")] == 3000
    # The hottest line with its text, its share, and the same on the page.
    whole = sum(sum(line[k] for k in ("computes", "engine", "dram", "shared")) for line in result["lines"])
    first = text.partition("\nshare ")[2].splitlines()[1]
    hottest = result["lines"][0]
    cycles = sum(hottest[k] for k in ("computes", "engine", "dram", "shared"))
    assert first.split()[:2] == [f"{cycles / whole:.1%}", f"{cycles:,}"]
    assert Path(program).read_text().splitlines()[hottest["line"] - 1].strip()[:50] in first
    page = (tmp_path / "run" / "report.html").read_text()
    section = page.partition("Cycles of FPGA ranks by source line")[2]
    assert f"program.c:{hottest['line']}" in section and f"{cycles:,}" in section and f"{whole:,} cycles" in section


def test_loops_are_explained_before_the_job(tmp_path: Path) -> None:
    text, _ = explained(tmp_path, source(tmp_path, BODY))
    before = text.partition("collectives of")[0]
    reason = r"a load .* \(line \d+\), and accesses to DRAM are one at a time"
    assert re.search(rf"program\.c:\d+ +1000 +\d+ +\d+ +{reason}", before), before
    assert re.search(r"program\.c:\d+ +- +1 +1$", before, re.MULTILINE), "the loop of fill, an iteration a cycle"


def test_nothing_is_counted_unless_it_is_asked_for(tmp_path: Path) -> None:
    done = mpirun(tmp_path, source(tmp_path, BODY))
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "run" / "mpi_counts.csv").exists() and not (tmp_path / "run" / "mpi_lines.csv").exists()
