# SPDX-License-Identifier: Apache-2.0
"""Covers: random C kernels as circuits against the same C run natively, bit for bit, with and without stalls: integers,
floats, arrays, structs, unions, pointers, loops, switches, functions, pops and pushes; every fourth program
has its objects of more than 16 bytes in DRAM. 4 programs, or 500 if POLYLOOM_TEST_FULL is set. Leaves out: the MPE,
recursion and function pointers.

A failure prints the seed and a smaller program that still fails. POLYLOOM_SEED=N: the program of that seed only.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor

import pytest

from polyloom.base.errors import UserError
from polyloom.hls import Options
from polyloom.hls.testing import NativeError, StuckError, build_kernel, run_native, simulate
from polyloom.hls.tests.random_kernels.program import random_program, random_words
from polyloom.hls.tests.random_kernels.reducer import reduce
from polyloom.hls.tests.random_kernels.tree import Program
from polyloom.testing import FULL

ONE = os.environ.get("POLYLOOM_SEED")
SEEDS = [int(ONE)] if ONE else list(range(500 if FULL else 4))
FLAGS = ["-fno-strict-aliasing"]  # programs look at unions through pointers; the native compiler has this flag, too
TRIES = 40  # of the reducer: each builds a circuit, some seconds


def problem_of(program: Program) -> str:
    """What is wrong with the circuit of a program, or ""; the first word is the kind of problem."""
    source, words = program.source(), random_words(program)
    expected = run_native(source, words)
    try:
        kernel = build_kernel(source, Options(object_limit=16) if program.seed % 4 == 3 else None, FLAGS)
        for stall in (0, 60):
            pushes, _ = kernel.run(words, seed=program.seed, stall=stall)
            if pushes != expected:
                pairs = zip([*pushes, None], [*expected, None], strict=False)
                at, (got, want) = next((n, pair) for n, pair in enumerate(pairs) if pair[0] != pair[1])
                return f"wrong: push {at} with stalls of {stall} %: {got}, expected {want}"
    except StuckError as error:
        return f"stuck: {error}"
    except UserError as error:
        return f"refused: {error}"
    except RuntimeError as error:
        return f"broken: {error}"
    return ""


def smaller(program: Program, problem: str) -> Program:
    """A smaller program with a problem of the same kind."""
    kind = problem.split(":")[0]

    def fails(candidate: Program) -> bool:
        try:
            return problem_of(candidate).split(":")[0] == kind
        except NativeError:  # words are left out that the rest would pop
            return False

    return reduce(program, fails, TRIES)


def report(seed: int) -> str:
    """The problem of a seed's program with a smaller one, or ""."""
    program = random_program(seed)
    problem = problem_of(program)
    if not problem:
        return ""
    return f"seed {seed}: {problem}\n{smaller(program, problem).source()}"


@pytest.fixture(scope="module")
def reports(request: pytest.FixtureRequest) -> Iterator[dict[int, Future[str]]]:
    """Those of the seeds that were asked for; several are made at a time."""
    items = [item for item in request.session.items if isinstance(item, pytest.Function)]
    ours = [item for item in items if item.module is request.module and item.originalname == test_as_native.__name__]
    seeds = [int(str(item.callspec.params["seed"])) for item in ours]
    simulate.runtime()  # or all would make it
    workers = int(os.environ.get("POLYLOOM_RTL_JOBS") or len(os.sched_getaffinity(0)))
    with ProcessPoolExecutor(workers) as pool:
        yield {seed: pool.submit(report, seed) for seed in seeds}
        pool.shutdown(cancel_futures=True)


@pytest.mark.parametrize("seed", SEEDS)
def test_as_native(seed: int, reports: dict[int, Future[str]]) -> None:
    found = reports[seed].result()
    assert not found, found


def test_a_seed_gives_the_same_program_and_others_differ() -> None:
    sources = [random_program(seed).source() for seed in (1, 2, 1)]
    assert sources[0] == sources[2] != sources[1]


@pytest.mark.parametrize("seed", [200, *range(500 if FULL else 3)])
def test_programs_do_nothing_that_c_leaves_open(seed: int) -> None:
    program = random_program(seed)
    run_native(program.source(), random_words(program), sanitize=True)


@pytest.mark.parametrize("seed", range(5))
def test_the_reducer_keeps_what_fails_and_drops_the_rest(seed: int) -> None:
    program = random_program(seed)
    last = "__polyloom_push(0, checksum)"
    for needle in (last, "show(g0"):
        wanted: Callable[[Program], bool] = lambda p, needle=needle: needle in p.source()  # type: ignore[misc] # noqa: E731
        if not wanted(program):
            continue
        small = reduce(program, wanted, 500)
        assert wanted(small)
        assert len(small.source().splitlines()) < len(program.source().splitlines())
        run_native(small.source(), random_words(small))  # still a whole program
