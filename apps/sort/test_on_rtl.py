# SPDX-License-Identifier: Apache-2.0
# Covers: the published and the fused sort on RTL nodes with two partitions against NumPy and against the fast model:
# the same records in the same places, and the same simulated time of every pass.
# Leaves out: more than two nodes, sizes that take long (test_on_cluster.py has them on the fast model).
from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from apps.sort import sorts
from apps.sort.cluster import Column
from apps.sort.simulated import DeviceCluster, Layout
from apps.sort.test_on_cluster import make
from apps.sort.test_simulated import DATA, check
from polyloom.collectives import Communicator
from polyloom.testing import FULL

pytestmark = pytest.mark.skipif(not FULL, reason="builds a node; POLYLOOM_TEST_FULL=1 runs it")

CLUSTER = """# SPDX-License-Identifier: Apache-2.0
version = 1
[topology]
kind = "fully_connected"
size = [2]
[link]
latency = "250 ns"
rate = "27 Gb/s"
[fpga]
role = "collective"
clocks = { core = "125 MHz" }
[host]
latency = "1 us"
rate = "64 Gb/s"
call_time = "1 us"
[collective]
channels = 4
channel_size = "64 KiB"
partitions = 2
record_beats = 100
rx_beats = 256
"""
CASES = [
    ("uniform", [700, 650]),
    ("zipf", [501, 3]),
    ("one-key", [200, 200]),
    ("uniform", [0, 300]),
    ("uniform", [1, 0]),
]


def keys_of(data: str, lengths: list[int]) -> list[Column]:
    rng = np.random.default_rng(5)
    return [DATA[data](rng, n, 8) for n in lengths]


def sorted_by(communicator: Communicator, algorithm: str) -> list[tuple[list[bytes], list[float]]]:
    """Of each case what lies in each channel, and the time of each pass."""
    found = []
    for data, lengths in CASES:
        layout: Layout = "columns" if algorithm == "published" else "pairs"
        cluster, before = make(communicator, keys_of(data, lengths), layout)
        if algorithm == "published":
            sorts.published(cluster, 8)
        else:
            sorts.fused(cluster, 8, split="node" if algorithm == "fused, split" else "none")
        check(cluster, before, ordered=algorithm != "fused, split")
        found.append((contents(cluster), list(cluster.pass_seconds)))
    return found


def contents(cluster: DeviceCluster) -> list[bytes]:
    return [area.tobytes() for node in range(2) for column in cluster.areas(node) for area in column]


@pytest.mark.parametrize("algorithm", ["published", "fused", "fused, split"])
def test_rtl_nodes_sort_as_the_model_does(tmp_path: Path, algorithm: str) -> None:
    path = tmp_path / "sort-2.toml"
    path.write_text(CLUSTER)
    sim, rtl = (sorted_by(Communicator(str(path), on=on), algorithm) for on in ("sim", "rtl"))
    for case, one, other in zip(CASES, sim, rtl, strict=True):
        assert one[0] == other[0], f"{case}: other records in the channels"
        assert one[1] == pytest.approx(other[1], abs=1e-9), f"{case}: times of the passes"
