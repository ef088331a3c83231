# SPDX-License-Identifier: Apache-2.0
# Covers: jobs on the fast model of FPGA ranks and on RTL: the same output, the same simulated time to the cycle, the same
#         words on each link; random messages, DRAM, wrong programs, whose messages are the same too.
# Leaves out: kernels alone (polyloom/hls/tests/test_model.py), what the output must be (test_mpirun.py).
from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest
from mpi_jobs import FAULTS, ROOT, mpirun, source

from polyloom.testing import FULL

MPI = ROOT / "tests" / "mpi"
TRAFFIC = str(MPI / "swap" / "traffic.c")
SEEDS = range(1, 41) if FULL else (1, 2)
PROGRAMS = sorted([*(ROOT / "apps" / "mpi").glob("*.c"), *MPI.glob("*.c")]) if FULL else []
#: What goes wrong (faults.c), on which rank.
WRONG = [("deadlock", 0), ("truncate", 2), ("leave", 2), ("exit", 3)]


def run(folder: Path, on: str, *words: str) -> tuple[list[str], int, dict[str, str]]:
    """Output, simulated time in ps, words by link; the job must go well."""
    done = mpirun(folder / on, "--on", on, *words)
    assert done.returncode == 0, done.stderr
    with (folder / on / "run" / "counters.csv").open() as file:
        words_of = {row["name"]: row["value"] for row in csv.DictReader(file) if row["name"].endswith(".words")}
    assert words_of
    time = json.loads((folder / on / "run" / "run.json").read_text())["simulated_ps"]
    return sorted(done.stdout.splitlines()), time, words_of


def same(folder: Path, *words: str) -> None:
    """The job does the same on both."""
    for on in ("sim", "rtl"):
        (folder / on).mkdir()
    assert run(folder, "sim", *words) == run(folder, "rtl", *words)


@pytest.mark.parametrize("seed", SEEDS)
def test_random_messages_take_the_same_cycles(seed: int, tmp_path: Path) -> None:
    same(tmp_path, TRAFFIC, str(seed), str(24 if seed % 2 else 60))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.stem)
def test_shipped_programs_take_the_same_cycles(program: Path, tmp_path: Path) -> None:
    same(tmp_path, str(program))


@pytest.mark.parametrize(("what", "who"), WRONG)
def test_wrong_programs_are_told_the_same(what: str, who: int, tmp_path: Path) -> None:
    told = []
    for on in ("sim", "rtl"):
        done = mpirun(tmp_path / on, "--on", on, FAULTS, what, str(who))
        text = re.sub(r"^(rtl|polyloom: mpirun): .*\n", "", done.stderr, flags=re.MULTILINE)  # how far the build is
        told.append((done.returncode, text))
    assert told[0][0] != 0 and told[0] == told[1]


def test_a_store_outside_of_all_objects_is_told_the_same(tmp_path: Path) -> None:
    words = "static int a[8]; int main(int c, char **v) { MPI_Init(&c, &v); a[c * 1000] = c; return MPI_Finalize(); }"
    program = source(tmp_path, words)
    for on in ("sim", "rtl"):
        done = mpirun(tmp_path / on, "--on", on, program)
        assert done.returncode != 0
        assert re.search(r"rank \d: program.c:4:\d+: .*store", done.stderr), done.stderr
