# SPDX-License-Identifier: Apache-2.0
"""Ordered pairs of operations back to back on clusters whose every FPGA is RTL, ranks started in any order.

Covers: 4 ranks, some pairs, of the shape that other tests build too; with POLYLOOM_TEST_FULL=1 every ordered pair on 2,
3, 8 and 16 ranks and a hypercube, both protocols; a rank that never comes. Expected: NumPy. Leaves out: cycles (the
swap tests).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from operation_cases import OPERATIONS, every_ordered_pair, one_pair
from small_clusters import cluster

from polyloom.collectives import CollectiveError, Communicator
from polyloom.collectives import program as p
from polyloom.testing import FULL

CLUSTER = str(Path(__file__).resolve().parents[2] / "tests" / "shared_node.toml")
#: As little as schedules of 16 ranks need, so that a node of 15 lanes builds in a minute or two.
SMALL = "operator_inputs = 2\nprogram_size = 256"


def test_some_pairs() -> None:
    rng = np.random.default_rng(0)
    comm = Communicator(CLUSTER, on="rtl")
    for first in OPERATIONS:
        second = OPERATIONS[int(rng.integers(len(OPERATIONS)))]
        one_pair(comm, first, second, rng, most=1000)


def test_a_rank_that_never_comes() -> None:
    comm = Communicator(CLUSTER, on="rtl", watchdog_seconds=10e-6)
    steps = [p.send(lane, pulse_only=True) for lane in range(3)] + [p.take(lane, pulse_only=True) for lane in range(3)]
    programs = [[p.end()] if rank == 2 else [*steps, p.go(), p.end()] for rank in range(4)]
    with pytest.raises(CollectiveError) as error:
        comm.run_programs(programs)
    assert "waits for permission of rank 2" in str(error.value)
    assert "rank 2 waits" not in str(error.value)
    one_pair(comm, "all_to_all", "all_reduce", np.random.default_rng(1), most=100)


@pytest.mark.skipif(not FULL, reason="minutes; POLYLOOM_TEST_FULL=1 runs it")
@pytest.mark.parametrize("eager", [0, 1024])
@pytest.mark.parametrize(
    ("kind", "size"),
    [("fully_connected", [n]) for n in (2, 3, 8, 16)] + [("hypercube", [3, 2])],
)
def test_every_ordered_pair(tmp_path: Path, kind: str, size: list[int], eager: int) -> None:
    path = cluster(tmp_path, kind, size, eager, channels=2, role=SMALL, memory="128 KiB")
    comm = Communicator(path, on="rtl")
    every_ordered_pair(comm, np.random.default_rng(sum(size) + eager), most=300)
