# SPDX-License-Identifier: Apache-2.0
"""Covers: blocks of a few elements where block checks are off and lanes send no word alone: every reduction of 1 to 70
elements with every algorithm, whose shares are 0 to 70, and copies of 1 to 40 bytes; as a model and as RTL.

Expected: NumPy. Leaves out: streams that turn out empty (swap_partition_test).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from small_clusters import cluster

from polyloom.collectives import Communicator

SHAPES = [("fully_connected", [5], "sim"), ("hypercube", [3, 2], "sim"), ("fully_connected", [3], "rtl")]


@pytest.mark.parametrize(("kind", "size", "on"), SHAPES)
def test_short_blocks_without_checks(tmp_path: Path, kind: str, size: list[int], on: str) -> None:
    role = "block_check = false\noperator_inputs = " + str(int(np.prod(size)))
    comm = Communicator(cluster(tmp_path, kind, size, 0, role=role, memory="64 KiB"), on=on)
    rng = np.random.default_rng(1)
    for elements in [*range(1, 18), 23, 40, 70] if on == "sim" else [1, 2, 3, 5, 7, 13]:
        arrays = [rng.integers(-1000, 1000, elements).astype(np.int32) for _ in range(comm.size)]
        total = np.sum(arrays, axis=0, dtype=np.int32)
        for name in comm.algorithms(comm.request("all_reduce", [4 * elements], np.int32)):
            got, result = comm.all_reduce(arrays, algorithm=name)
            assert all(np.array_equal(g, total) for g in got), (name, elements)
            assert result.simulated_seconds == pytest.approx(result.predicted_seconds, rel=0.05), (name, elements)
        for name in comm.algorithms(comm.request("reduce", [4 * elements], np.int32)):
            assert np.array_equal(comm.reduce(arrays, algorithm=name)[0], total), (name, elements)
    for size_in_bytes in range(1, 41 if on == "sim" else 20):
        sent = rng.integers(0, 256, size_in_bytes, np.uint8)
        for got in comm.broadcast(sent)[0]:
            assert np.array_equal(got, sent), size_in_bytes
