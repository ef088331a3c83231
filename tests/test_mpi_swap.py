# SPDX-License-Identifier: Apache-2.0
# Covers: jobs on the fast model of FPGA ranks and on RTL: the same output, the same simulated time, the same
#         words on each link; random messages, DRAM, wrong programs, whose messages are the same too.
# Leaves out: kernels alone (polyloom/hls/tests/test_model.py), what the output must be (test_mpirun.py).
from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest
from mpi_jobs import FAULTS, LIMITS, ROOT, mpirun

from polyloom.testing import FULL

MPI = ROOT / "tests" / "mpi"
TRAFFIC = str(MPI / "swap" / "traffic.c")
CROWD = str(MPI / "swap" / "crowd.c")
SEEDS = range(1, 41) if FULL else (1, 2)
PROGRAMS = sorted([*(ROOT / "apps" / "mpi").glob("*.c"), *MPI.glob("*.c")]) if FULL else []
#: Output, simulated time in ps, words by link.
Job = tuple[list[str], int, dict[str, int]]
#: What goes wrong (faults.c), on which rank.
WRONG = [("deadlock", 0), ("truncate", 2), ("leave", 2), ("exit", 3)]


def run(folder: Path, on: str, *words: str) -> Job:
    """Output, simulated time in ps, words by link; the job must go well."""
    done = mpirun(folder / on, "--on", on, *words)
    assert done.returncode == 0, done.stderr
    with (folder / on / "run" / "counters.csv").open() as file:
        rows = {row["name"]: int(row["value"]) for row in csv.DictReader(file)}
    words_of = {name: value for name, value in rows.items() if name.endswith(".words")}
    assert words_of
    time = json.loads((folder / on / "run" / "run.json").read_text())["simulated_ps"]
    return sorted(done.stdout.splitlines()), time, words_of


def both(folder: Path, *words: str) -> tuple[Job, Job]:
    """The job on the model and in RTL, with the same output."""
    for on in ("sim", "rtl"):
        (folder / on).mkdir()
    sim, rtl = (run(folder, on, *words) for on in ("sim", "rtl"))
    assert sim[0] == rtl[0]
    return sim, rtl


@pytest.mark.parametrize("seed", SEEDS)
def test_random_messages_take_the_same_cycles(seed: int, tmp_path: Path) -> None:
    sim, rtl = both(tmp_path, TRAFFIC, str(seed), str(24 if seed % 2 else 60))
    assert sim == rtl


def test_a_store_that_overflows_loses_the_same_frames(tmp_path: Path) -> None:
    sim, rtl = both(tmp_path, CROWD, "8")
    assert sim == rtl


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.stem)
def test_shipped_programs_take_the_same_time(program: Path, tmp_path: Path) -> None:
    """But for who comes first at a block RAM's port, where kernel and engine use one at once (model_node.h)."""
    (_, time, links), (_, rtl_time, rtl_links) = both(tmp_path, str(program))
    assert time == pytest.approx(rtl_time, rel=1e-3)
    assert links == pytest.approx(rtl_links, rel=1e-2)


def reported(folder: Path, *words: str) -> tuple[int, str]:
    """Exit status and what is said of a job, but for how far its build is, and where in the program ranks wait, which
    FPGAs in RTL do not know."""
    done = mpirun(folder, *words)
    said = re.sub(r"^(rtl|polyloom: mpirun): .*\n", "", done.stderr, flags=re.MULTILINE)
    return done.returncode, re.sub(r"(, since \S+ ms), at \S+$", r"\1", said, flags=re.MULTILINE)


@pytest.mark.parametrize(("what", "who"), WRONG)
def test_wrong_programs_are_told_the_same(what: str, who: int, tmp_path: Path) -> None:
    sim, rtl = (reported(tmp_path / on, "--on", on, FAULTS, what, str(who)) for on in ("sim", "rtl"))
    assert sim[0] != 0 and sim == rtl


@pytest.mark.parametrize("words", [["null", "0"], ["send", "100000"], ["requests", "260"]], ids=lambda w: w[0])
def test_what_an_fpga_cannot_do_is_told_the_same(words: list[str], tmp_path: Path) -> None:
    sim, rtl = (reported(tmp_path / on, "--on", on, "--cluster", "zrlmpi:2", LIMITS, *words) for on in ("sim", "rtl"))
    assert sim[0] != 0 and "rank 1" in sim[1] and sim == rtl
