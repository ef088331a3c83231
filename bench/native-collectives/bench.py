# SPDX-License-Identifier: Apache-2.0
"""Collectives of a native communicator against plain NumPy: 8 ranks, 16 MiB a rank, in this process's memory.

Wall time. A rate counts what must be read and written at least: every rank's vector in and out. NumPy adds the vectors
up in one and copies it to all; for an exchange it copies block by block. ``step by step`` is a named algorithm, whose
programs are executed instruction by instruction, as tests of schedules want it.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from bench.common.harness import Bench
from polyloom.collectives import Communicator

RANKS = 8
MIB = 1 << 20
SIZE = 16 * MIB
TARGET = 0.9  # of NumPy's rate, at least

Vectors = list[NDArray[np.float32]]


def rate(work: Callable[[], object], size: int, repeats: int) -> float:
    """GB/s of the quickest of some runs."""
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return 2 * RANKS * size / min(seconds) / 1e9


def numpy_all_reduce(vectors: Vectors, out: Vectors) -> None:
    """Sum of all in all."""
    total = vectors[0] + vectors[1]
    for vector in vectors[2:]:
        total += vector
    for to in out:
        to[:] = total


def numpy_all_to_all(vectors: Vectors, out: Vectors) -> None:
    """Block j of rank i is block i of rank j."""
    for j, to in enumerate(out):
        for i, target in enumerate(np.split(to, RANKS)):
            target[:] = np.split(vectors[i], RANKS)[j]


def run(bench: Bench) -> None:
    """Measure both operations."""
    comm = Communicator(on="native", native_ranks=RANKS)
    repeats = 3 if bench.quick else 10
    rng = np.random.default_rng(1)
    vectors = [rng.standard_normal(SIZE // 4).astype(np.float32) for _ in range(RANKS)]
    out = [np.zeros_like(vector) for vector in vectors]
    for operation, plain, steps in (
        ("all_reduce", numpy_all_reduce, "aggressive"),
        ("all_to_all", numpy_all_to_all, "direct"),
    ):
        numpy_rate = rate(lambda plain=plain: plain(vectors, out), SIZE, repeats)  # type: ignore[misc]
        prepared = comm.prepare(comm.uniform(operation, SIZE))
        for rank, vector in enumerate(vectors):
            comm.write_send(prepared, rank, vector)
        comm.run(prepared)
        for rank, wanted in enumerate(out):
            got = comm.read_recv(prepared, rank, np.float32)
            np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-5)  # sums in another order
        ours = rate(lambda prepared=prepared: comm.run(prepared), SIZE, repeats)  # type: ignore[misc]
        small = comm.prepare(comm.uniform(operation, MIB), steps)
        slow = rate(lambda small=small: comm.run(small), MIB, 1)  # type: ignore[misc]
        bench.row(f"{operation}, NumPy", f"{numpy_rate:.1f} GB/s")
        bench.row(f"{operation}, native", f"{ours:.1f} GB/s", ratio=f"{ours / numpy_rate:.2f} of NumPy")
        bench.row(f"{operation}, native step by step, 1 MiB", f"{slow:.2f} GB/s")
        bench.figures[operation] = {"numpy_gbs": numpy_rate, "native_gbs": ours, "step_by_step_gbs": slow}
        ratio = ours / numpy_rate
        bench.target(f"{operation}, native against NumPy", f"at least {TARGET}", ratio, ratio >= TARGET)
    bench.note(
        f"{RANKS} ranks, {SIZE // MIB} MiB a rank; bytes read and written once each, wall time, best of {repeats}"
    )
