# SPDX-License-Identifier: Apache-2.0
"""Every ordered pair of operations back to back in one program, ranks started in any order, 2 to 64 ranks, sizes from
1 byte, both protocols; a rank that never comes. Expected: NumPy.

More than 16 ranks with POLYLOOM_TEST_FULL=1. Leaves out: RTL nodes (test_stress_rtl.py), wiring (test_wiring.py), link
errors (test_link_faults.py).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from operation_cases import every_ordered_pair
from small_clusters import cluster

from polyloom.collectives import CollectiveError, Communicator
from polyloom.collectives import program as p
from polyloom.testing import FULL, daily

SHAPES = [("fully_connected", [n]) for n in (2, 3, 5, 8, 16)] + [("hypercube", [3, 2]), ("hypercube", [3, 4])]


@pytest.mark.parametrize("eager", [0, 4096])
@pytest.mark.parametrize(("kind", "size"), daily(SHAPES, 4))
def test_every_ordered_pair(tmp_path: Path, kind: str, size: list[int], eager: int) -> None:
    rng = np.random.default_rng(sum(size) + eager)
    comm = Communicator(cluster(tmp_path, kind, size, eager), on="sim")
    every_ordered_pair(comm, rng)


@pytest.mark.skipif(not FULL, reason="minutes; POLYLOOM_TEST_FULL=1 runs it")
@pytest.mark.parametrize("eager", [0, 4096])
@pytest.mark.parametrize(
    ("kind", "size"),
    [("fully_connected", [33]), ("fully_connected", [64]), ("hypercube", [8, 8]), ("hypercube", [7, 5])],
)
def test_every_ordered_pair_of_many_ranks(tmp_path: Path, kind: str, size: list[int], eager: int) -> None:
    rng = np.random.default_rng(sum(size) + eager)
    comm = Communicator(cluster(tmp_path, kind, size, eager), on="sim")
    every_ordered_pair(comm, rng, most=1000)


@pytest.mark.parametrize("latency", [50, 1000])
def test_reductions_on_short_and_long_links(tmp_path: Path, latency: int) -> None:
    comm = Communicator(cluster(tmp_path, "hypercube", [3, 3], 4096, latency, 18), on="sim")
    rng = np.random.default_rng(latency)
    arrays = [rng.integers(-1000, 1000, 20000).astype(np.int32) for _ in range(comm.size)]
    total = np.sum(arrays, axis=0)
    for name in comm.algorithms(comm.request("all_reduce", [80000], np.int32)):
        for got in comm.all_reduce(arrays, algorithm=name)[0]:
            assert np.array_equal(got, total), name


def test_a_rank_that_never_comes(tmp_path: Path) -> None:
    comm = Communicator(cluster(tmp_path, "fully_connected", [4], 0), on="sim", watchdog_seconds=20e-6)
    programs = []
    for rank in range(4):  # all send a pulse to and take one from all, but rank 2 has left
        steps = [p.send(lane, pulse_only=True) for lane in range(3)] + [
            p.take(lane, pulse_only=True) for lane in range(3)
        ]
        programs.append([p.end()] if rank == 2 else [*steps, p.go(), p.end()])
    with pytest.raises(CollectiveError) as error:
        comm.run_programs(programs)
    text = str(error.value)
    assert "waits for permission of rank 2" in text
    assert "rank 2 waits" not in text
    assert comm.barrier().simulated_seconds is not None


def test_who_waits_on_a_high_lane_is_named(tmp_path: Path) -> None:
    """More lanes than a fault's value has bits."""
    comm = Communicator(cluster(tmp_path, "fully_connected", [36], 0, channels=2), on="sim", watchdog_seconds=20e-6)
    (lane,) = comm.lanes_to(0, 35)
    assert lane == 34
    programs = [[p.end()]] * 36
    programs[0] = [p.send(lane, pulse_only=True), p.go(), p.end()]
    with pytest.raises(CollectiveError, match=r"rank 0 waits for rank 35 \(lane 34\)"):
        comm.run_programs(programs)
    assert comm.barrier().simulated_seconds is not None
