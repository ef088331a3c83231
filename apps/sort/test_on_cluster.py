# SPDX-License-Identifier: Apache-2.0
# Covers: the sorts on simulated nodes against NumPy: FC of 2 to 8, GHC, random and degenerate keys; simulated time
# against the predictions and its growth with size; the fused sort's skew; `polyloom run sort`.
# Leaves out: the data path of each step (test_simulated.py), full size (bench/sort), RTL nodes.
from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

from apps.sort import sorts
from apps.sort.cluster import Column
from apps.sort.device import CommunicatorDevice
from apps.sort.simulated import DeviceCluster, Layout
from apps.sort.test_simulated import DATA, LENGTHS, check
from apps.sort.topologies import topology_of
from polyloom import paths
from polyloom.collectives import CollectiveError, Communicator
from polyloom.collectives.models import sorting
from polyloom.collectives.models.topology import OPTWEB_SORT, fully_connected, hypercube

Open = Callable[[str], Communicator]
CASES = [("uniform", "uneven"), ("zipf", "uneven"), ("one-key", "some"), ("uniform", "one"), ("uniform", "empty")]


@pytest.fixture(scope="module")
def cluster_of(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Open]:
    """A communicator by name; "FC n" and "GHC x y" are like optweb-sort-8 but for their shape."""
    folder, known = tmp_path_factory.mktemp("clusters"), dict[str, Communicator]()

    def find(name: str) -> Communicator:
        if name not in known:
            kind, *sides = name.split()
            path = name
            if sides:
                text = paths.cluster_file("optweb-sort-8").read_text().replace("[8]", f"[{', '.join(sides)}]")
                path = str(folder / f"{name.replace(' ', '-')}.toml")
                Path(path).write_text(text.replace("fully_connected", "hypercube") if kind == "GHC" else text)
            known.clear()  # one simulator at a time
            known[name] = Communicator(path, on="sim")
        return known[name]

    yield find
    known.clear()


def make(
    communicator: Communicator, keys: list[Column], layout: Layout, sample: int = 1
) -> tuple[DeviceCluster, Column]:
    first = np.cumsum([0, *map(len, keys)])
    values = [np.arange(first[n], first[n + 1], dtype=np.uint32) for n in range(len(keys))]
    device = CommunicatorDevice(communicator)
    return DeviceCluster(device, topology_of(communicator), keys, values, layout, sample), np.concatenate(keys)


def uniform(nodes: int, count: int, types: int = 64) -> list[Column]:
    rng = np.random.default_rng(7)
    return [rng.integers(0, types, count, dtype=np.uint32) for _ in range(nodes)]


@pytest.mark.parametrize("name", ["FC 2", "FC 3", "FC 5", "FC 8", "GHC 4 2", "GHC 2 2", "GHC 3 2", "optweb-8"])
def test_sorts(cluster_of: Open, name: str) -> None:
    communicator = cluster_of(name)
    nodes = communicator.size
    types = min(64, 8 * nodes)
    for data, lengths in CASES:
        rng = np.random.default_rng(3)
        keys = [DATA[data](rng, n, types) for n in LENGTHS[lengths](nodes)]
        cluster, before = make(communicator, keys, "columns")
        sorts.published(cluster, types)
        check(cluster, before)
        cluster, before = make(communicator, keys, "pairs")
        sorts.fused(cluster, types, split="node")
        check(cluster, before, ordered=False)
        cluster, before = make(communicator, keys, "pairs")
        sorts.fused(cluster, types, split="none")
        check(cluster, before)


@pytest.mark.parametrize("split", ["node", "none"])
def test_sorted_keys_overflow_a_receiver_and_are_dealt_again(cluster_of: Open, split: Literal["node", "none"]) -> None:
    # All nodes send the same type at a time, so one channel gets what eight should.
    keys = [np.sort(each) for each in uniform(8, 1 << 15)]
    cluster, before = make(cluster_of("optweb-sort-8"), keys, "pairs")
    sorts.fused(cluster, 64, split=split)
    check(cluster, before, ordered=split == "none")
    assert cluster.overflows == 1
    cluster, before = make(cluster_of("optweb-sort-8"), uniform(8, 999), "pairs")  # nothing is left behind
    sorts.fused(cluster, 64, split=split)
    check(cluster, before, ordered=split == "none")
    assert cluster.overflows == 0


def test_shapes_are_found(cluster_of: Open) -> None:
    assert topology_of(cluster_of("GHC 4 2")) == hypercube(3, 1)
    assert topology_of(cluster_of("GHC 2 2")) == hypercube(1, 1)
    assert topology_of(cluster_of("FC 5")) == fully_connected(5)


def test_full_order(cluster_of: Open) -> None:
    rng = np.random.default_rng(2)
    keys = [rng.integers(0, 1 << 32, 3000 + n, dtype=np.uint32) for n in range(8)]
    cluster, before = make(cluster_of("FC 8"), keys, "pairs")
    sorts.full_by_bits(cluster)
    check(cluster, before)


def test_time_of_the_published_passes(cluster_of: Open) -> None:
    # 11 passes; what a pass costs beside its beats is start-up and the partition's accept rate.
    communicator = cluster_of("optweb-sort-8")
    seconds = []
    for count in (1 << 15, 1 << 16):
        cluster, before = make(communicator, uniform(8, count), "columns")
        sorts.published(cluster, 64)
        check(cluster, before)
        seconds.append(cluster.seconds)
    # The two exchanges run at this cluster's 27 Gb/s, the nine others at 32.
    per_key = 4 * 8 / 256e9 * (9 + 2 * 32 / 27)
    assert (seconds[1] - seconds[0]) / (1 << 15) == pytest.approx(per_key, rel=0.04)


def test_time_of_the_preset(cluster_of: Open) -> None:
    # The slope gives the passes without turnaround, so the preset's 31 ms can be told from two small sizes.
    communicator = cluster_of("optweb-paper-sort-8")
    seconds = []
    for count in (1 << 14, 1 << 16):
        cluster, before = make(communicator, uniform(8, count), "columns")
        sorts.published(cluster, 64)
        check(cluster, before)
        seconds.append(cluster.seconds)
    slope = (seconds[1] - seconds[0]) / (3 << 14)
    full = seconds[1] + slope * ((64 << 18) - (1 << 16))
    ideal = sorting.seconds(sorting.published(fully_connected(8)), 64 << 20, 8, OPTWEB_SORT, accept=1.0)
    assert slope * (64 << 18) == pytest.approx(ideal, rel=0.05)
    assert full == pytest.approx(31.0e-3, rel=0.1)


def test_time_and_skew_of_the_fused_sort(cluster_of: Open) -> None:
    communicator = cluster_of("optweb-sort-8")
    count = 1 << 17
    times = {}
    for data in ("uniform", "two-to-one"):
        rng = np.random.default_rng(4)
        keys = [rng.integers(0, 64 if data == "uniform" else 65, count, dtype=np.uint32) for _ in range(8)]
        for key in keys:
            key[key == 64] = 27
        cluster, before = make(communicator, keys, "pairs", sample=16)
        sorts.fused(cluster, 64, split="node")
        check(cluster, before, ordered=False)
        times[data] = cluster.seconds
    assert times["two-to-one"] < 1.3 * times["uniform"]
    # 64 MiB a node and column would take 8 ms at most: 61 ns for 128 records.
    assert times["uniform"] < 8e-3 * count / (64 << 18) + 4e-6


def test_too_many_keys_to_remember_are_refused(cluster_of: Open) -> None:
    communicator = cluster_of("optweb-8")  # 1024 beats an input
    cluster, _ = make(communicator, uniform(8, 70000), "columns")
    with pytest.raises(CollectiveError, match="operator cannot work on"):
        sorts.published(cluster, 64)


@pytest.mark.parametrize("options", ["--algorithm published", "--split node --data two-to-one", "--algorithm full"])
def test_command(tmp_path: Path, options: str) -> None:
    fixed = [
        "run",
        "sort",
        "--cluster",
        "optweb-8",
        "--on",
        "sim",
        "--keys",
        "3000",
        "--verify",
        "--json",
        "--no-report",
    ]
    out = tmp_path / "sorted.npy"
    found = subprocess.run(
        [
            sys.executable,
            "-m",
            "polyloom",
            *fixed,
            "--run-dir",
            str(tmp_path / "run"),
            "--out",
            str(out),
            *options.split(),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    answer = json.loads(found.stdout)
    assert answer["verified"] is True
    assert answer["records"] == 24000
    assert answer["simulated_seconds"] > 0
    assert np.load(out).shape == (24000, 2)
    assert json.loads((tmp_path / "run" / "result.json").read_text())["records"] == 24000
