# SPDX-License-Identifier: Apache-2.0
# Covers: the programs of tests/conformance by all CPU ranks, and by one CPU and FPGAs (the model; in full runs twenty
#         in RTL too): what they print under Open MPI; those that must fail, and what is said of them; calls that
#         Polyloom has not are refused by name.
# Leaves out: simulated time (test_mpi_swap.py), programs of some length (test_mpirun.py).
from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from conformance import ABSENT, PROGRAMS, jobs
from conformance.program import Program

from polyloom.testing import FULL, spread

GOOD = [p for p in PROGRAMS.values() if p.name not in ABSENT and not p.words]
WRONG = [p for p in PROGRAMS.values() if p.words]
#: A daily run takes as many of each chapter, evenly spread: some 50 s of a core in all. -k NAME reaches all programs.
DAILY = {"native": 3, "sim": 1, "rtl": 0}
DAILY_OTHERS = 4
RTL = 20


def of_each_chapter(most: int) -> list[Program]:
    """The first and the last ones leave the middle to a sample of one."""
    chapters = {p.chapter: [q for q in GOOD if q.chapter == p.chapter] for p in GOOD}
    return [
        p for programs in chapters.values() for p in (spread(programs, 3)[1:2] if most == 1 else spread(programs, most))
    ]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    everything = FULL or bool(metafunc.config.getoption("keyword"))
    if metafunc.function is test_as_under_open_mpi:
        chosen = {on: GOOD if everything else of_each_chapter(most) for on, most in DAILY.items() if most}
        if FULL:
            chosen["rtl"] = spread(GOOD, RTL)
        cases = [(program, on) for on, programs in chosen.items() for program in programs]
        metafunc.parametrize(("program", "on"), cases, ids=[f"{program.name}-{on}" for program, on in cases])
    elif metafunc.function is test_what_is_said_of_a_program_that_fails:
        cases = [(p, on) for on in ("native", "sim") for p in WRONG]
        cases = cases if everything else spread(cases[: len(WRONG)], DAILY_OTHERS)
        metafunc.parametrize(("program", "on"), cases, ids=[f"{program.name}-{on}" for program, on in cases])
    elif "name" in metafunc.fixturenames:
        metafunc.parametrize("name", list(ABSENT) if everything else spread(list(ABSENT), DAILY_OTHERS))


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Program], list[str]]:
    folder = tmp_path_factory.mktemp("open-mpi")
    return cache(lambda program: jobs.open_mpi(program, folder))


def test_as_under_open_mpi(
    program: Program, on: str, reference: Callable[[Program], list[str]], tmp_path: Path
) -> None:
    done = jobs.mpirun(program, tmp_path, on)
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == reference(program)


def test_what_is_said_of_a_program_that_fails(program: Program, on: str, tmp_path: Path) -> None:
    done = jobs.mpirun(program, tmp_path, on, "--timeout", "120")
    assert done.returncode != 0 and "--timeout" not in done.stderr, done.stderr
    for pattern in program.words:
        assert re.search(pattern, done.stderr), f"no {pattern} in:\n{done.stderr}"


def test_what_is_absent_is_refused_by_name(name: str, tmp_path: Path) -> None:
    done = jobs.mpirun(PROGRAMS[name], tmp_path, "native")
    assert done.returncode != 0, f"{name} compiles: take it out of ABSENT"
    assert f"{ABSENT[name]} is not supported by Polyloom" in done.stderr, done.stderr
