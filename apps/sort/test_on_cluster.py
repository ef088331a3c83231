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
from apps.sort.__main__ import check as main_check
from apps.sort.__main__ import links_seconds
from apps.sort.cluster import Column
from apps.sort.device import CommunicatorDevice
from apps.sort.simulated import DeviceCluster, Layout
from apps.sort.test_simulated import DATA, LENGTHS, check
from apps.sort.topologies import topology_of
from polyloom.base import paths
from polyloom.collectives import Communicator
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


@pytest.mark.parametrize("name", ["FC 8", "FC 3", "GHC 4 2", "optweb-8"])
def test_no_sort_is_quicker_than_its_links(cluster_of: Open, name: str) -> None:
    communicator = cluster_of(name)
    nodes, types = communicator.size, min(64, 8 * communicator.size)
    assert communicator.fastest_lane_gbps == communicator.lane_gbps
    for count in (0, 1, 100, 1 << 14):
        for data in ("uniform", "one-key", "descending"):
            keys = [DATA[data](np.random.default_rng(n), count, types) for n in range(nodes)]
            for how in ("published", "node", "none"):
                if how == "published" and count > communicator.record_beats:
                    continue
                cluster, _ = make(communicator, keys, "columns" if how == "published" else "pairs")
                sorts.published(cluster, types) if how == "published" else sorts.fused(cluster, types, split=how)
                links = links_seconds(cluster, communicator.fastest_lane_gbps)
                assert (links > 0) == (count > 0)
                assert links <= cluster.seconds
                if name == "FC 8" and how == "none" and data == "uniform" and count == 1 << 14:
                    assert links > 0.8 * cluster.seconds  # and it says something


def test_the_fastest_lane_bounds_what_others_carry(tmp_path: Path) -> None:
    text = paths.cluster_file("optweb-sort-8").read_text().replace("[8]", "[3]")
    path = tmp_path / "uneven.toml"
    path.write_text(text + '\n[[override]]\nbetween = ["fpga.1", "fpga.2"]\nrate = "1 Gb/s"\n')
    communicator = Communicator(str(path), on="sim")
    assert communicator.fastest_lane_gbps == pytest.approx(27, rel=0.01)
    cluster, before = make(communicator, uniform(3, 1000, 24), "pairs")
    sorts.fused(cluster, 24, split="none")
    check(cluster, before)
    assert 0 < links_seconds(cluster, 27) < cluster.seconds


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


@pytest.mark.parametrize(
    ("shape", "passes"), [("FC 8", 11), ("FC 4", 11 + 2), ("GHC 4 2", 25), ("GHC 2 2", 4 * 4 + 13)]
)
def test_predicted_time_of_a_dimension_with_fewer_lanes_than_channels(tmp_path: Path, shape: str, passes: int) -> None:
    """Table 3 counts every pass alike, and says 17/11 for GHC; a pass over 2 of 8 lanes takes 4 times as long."""
    kind, *sides = shape.split()
    text = paths.cluster_file("optweb-paper-sort-8").read_text().replace("[8]", f"[{', '.join(sides)}]")
    text = text.replace("step_cycles = ", "step_cycles = 0 # ")
    path = tmp_path / "shape.toml"
    path.write_text(text.replace("fully_connected", "hypercube") if kind == "GHC" else text)
    communicator = Communicator(str(path), on="sim")
    topology = topology_of(communicator)
    assert sorting.passes_of_time(sorting.published(topology), 8) == passes
    seconds = []
    for count in (1 << 14, 1 << 16):
        cluster, before = make(communicator, uniform(topology.nodes, count, 8 * topology.nodes), "columns")
        sorts.published(cluster, min(64, 8 * topology.nodes))
        check(cluster, before)
        seconds.append(cluster.seconds)
    column = 4 * 3 << 14  # bytes that the second one has more
    assert (seconds[1] - seconds[0]) == pytest.approx(passes * column * 8 / 256e9, rel=0.02)
    assert seconds[1] == pytest.approx(sorting.seconds(cluster.log, 4 << 16, 8, OPTWEB_SORT), rel=0.05)


def test_time_of_the_preset(cluster_of: Open) -> None:
    # From the first pass's begin to the last one's end, as ours is timed. The slope gives the passes without
    # turnaround, so what the fitted constant adds can be told from two small sizes.
    communicator = cluster_of("optweb-paper-sort-8")
    seconds = []
    for count in (1 << 14, 1 << 16):
        cluster, before = make(communicator, uniform(8, count), "columns")
        sorts.published(cluster, 64)
        check(cluster, before)
        seconds.append(cluster.elapsed)
    slope = (seconds[1] - seconds[0]) / (3 << 14)
    full = seconds[1] + slope * ((64 << 18) - (1 << 16))
    ideal = sorting.seconds(sorting.published(fully_connected(8)), 64 << 20, 8, OPTWEB_SORT, accept=1.0)
    assert slope * (64 << 18) == pytest.approx(ideal, rel=0.05)
    assert full == pytest.approx(31.0e-3, rel=0.02)


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
    with pytest.raises(ValueError, match=r"where 8192 keys went .*record_beats = 1024\), and node 0 has 8750 in one"):
        sorts.published(cluster, 64)


def test_records_that_no_channel_holds_are_refused(cluster_of: Open) -> None:
    communicator = cluster_of("optweb-small")  # 64 KiB a channel, so 4096 records in half of it
    with pytest.raises(ValueError, match=r"5000 records for channel 0 of node 0: .* 65536 bytes holds 4096"):
        make(communicator, uniform(4, 20000, 16), "pairs")
    for layout in ("pairs", "columns"):
        cluster, before = make(communicator, [np.zeros(1024, np.uint32)] * 4, layout)
        sorts.fused(cluster, 16, split="none") if layout == "pairs" else sorts.published(cluster, 16)
        check(cluster, before)  # all 4096 in one channel: just
        cluster, _ = make(communicator, [np.zeros(1250, np.uint32)] * 4, layout)
        with pytest.raises(ValueError, match=r"too many records to one channel: .* 65536 bytes holds 4096"):
            sorts.fused(cluster, 16, split="none") if layout == "pairs" else sorts.published(cluster, 16)


@pytest.mark.parametrize(
    ("channels", "role", "says"),
    [
        (1, "", "channels: 1, partition operator: none"),
        (2, "", "channels: 2, partition operator: one of 2 outputs"),
        (4, "operators = []", "channels: 4, partition operator: none"),
        (1, "operator_inputs = 8", "channels: 1, partition operator: one of 8 outputs"),
        (8, 'operators = ["reduce"]', "channels: 8, partition operator: none"),
    ],
)
@pytest.mark.parametrize("algorithm", ["fused", "published"])
def test_nodes_that_cannot_deal_are_named(tmp_path: Path, channels: int, role: str, says: str, algorithm: str) -> None:
    path, text = tmp_path / "small.toml", paths.cluster_file("optweb-8").read_text()
    text = text.replace("channels = 8", f"channels = {channels}").replace("[collective]", f"[collective]\n{role}")
    path.write_text(text)
    words = ["--keys", "9", "--algorithm", algorithm, "--cluster", path, "--run-dir", tmp_path / "run"]
    found = command(*words, on="sim")
    assert found.returncode == 1
    assert found.stderr.startswith("polyloom: a sort between 8 nodes deals records to all of them")
    assert says in found.stderr
    assert len(found.stderr.splitlines()) == 1


def command(*options: str | Path, on: str = "sim") -> subprocess.CompletedProcess[str]:
    """`polyloom run sort` with its record in the folder of --run-dir."""
    start = [sys.executable, "-m", "polyloom", "run", "sort", "--on", on, "--no-report"]
    where = ["--cluster", "optweb-8"] if on == "sim" and "--cluster" not in options else []
    return subprocess.run([*start, *where, *map(str, options)], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("options", ["--algorithm published", "--split node --data two-to-one", "--algorithm full"])
def test_command(tmp_path: Path, options: str) -> None:
    out = tmp_path / "sorted.npy"
    fixed = ["--keys", "3000", "--verify", "--json", "--run-dir", tmp_path / "run", "--out", out]
    found = command(*fixed, *options.split())
    assert found.returncode == 0, found.stderr
    result = json.loads(found.stdout)
    assert result["verified"] is True
    assert result["records"] == 24000
    assert 0 < result["links_seconds"] < result["passes_seconds"] <= result["simulated_seconds"]
    assert (result["host_wall_seconds"] > 0) == (result["host_orders"] is not None) == ("published" not in options)
    table = np.load(out)
    assert table.shape == (24000, 2)
    assert np.all(table[1:, 0] >= table[:-1, 0])
    assert json.loads((tmp_path / "run" / "result.json").read_text())["records"] == 24000


@pytest.mark.parametrize("on", ["sim", "native"])
@pytest.mark.parametrize("name", ["uint32", "negative", "int64", "few", "one", "none"])
def test_any_integers_come_back_sorted(tmp_path: Path, name: str, on: str) -> None:
    """Random 32-bit keys, with the default algorithm, against NumPy's sort of the same file."""
    rng = np.random.default_rng(11)
    tables = {
        "uint32": rng.integers(0, 1 << 32, (5003, 2), dtype=np.uint32),
        "negative": rng.integers(-(1 << 31), 1 << 31, (5003, 2), dtype=np.int32),
        "int64": rng.integers(-1000, 1000, (777, 2), dtype=np.int64),
        "few": rng.integers(0, 64, (777, 2), dtype=np.uint8),
        "one": np.array([[-5, -(1 << 31)]], dtype=np.int64),
        "none": np.zeros((0, 2), dtype=np.uint32),
    }
    given, out = tmp_path / "given.npy", tmp_path / "sorted.npy"
    np.save(given, tables[name])
    requested = ["--verify"] if on == "sim" else []  # order and permutation are checked without it too
    found = command("--in", given, "--out", out, "--run-dir", tmp_path / "run", *requested, on=on)
    assert found.returncode == 0, found.stderr
    table = np.load(out)
    assert table.dtype == tables[name].dtype
    assert table[:, 0].tolist() == sorted(tables[name][:, 0].tolist())
    assert sorted(map(tuple, table.tolist())) == sorted(map(tuple, tables[name].tolist()))


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        (np.zeros((4, 2), dtype=np.float32), "given.npy: float32; keys and values are integers of 32 bits"),
        (np.array([[0, 0], [1 << 32, 0]]), f"row 1: key {1 << 32}; of 32 bits it may be 0 to {(1 << 32) - 1}"),
        (np.array([[-1, 0], [1 << 31, 0]]), f"row 1: key {1 << 31}; where another one is negative"),
        (np.array([[1, -(1 << 40)]]), f"row 0: value {-(1 << 40)}"),
        (np.zeros((4, 3), dtype=np.int32), "shape (4, 3); needed is a row (key, value)"),
        (np.array([["a", "b"]]), "<U1; keys and values are integers"),
    ],
)
def test_other_tables_are_refused(tmp_path: Path, bad: np.ndarray, says: str) -> None:
    given, out = tmp_path / "given.npy", tmp_path / "sorted.csv"
    np.save(given, bad)
    found = command("--in", given, "--out", out, "--run-dir", tmp_path / "run", on="native")
    assert found.returncode == 1
    assert says in found.stderr
    assert not out.exists()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ("--algorithm fused --data wide", "fused sorts keys of 0 to 63 here, and there are others; --algorithm full"),
        ("--split node --data wide", "--algorithm full sorts any"),
        ("--algorithm full --types 4", "--types is for published and fused"),
        ("--algorithm full --split node", "--split is for fused"),
        ("--sample 4", "--sample 4: for --split node"),
        ("--keys -1", "--keys -1: a node has none or more"),
        ("--in x.npy --data wide", "--data is for generated records"),
        ("--in /nowhere/x.npy", "No such file"),
        ("--in /dev/null", "is a pipe or a device; give a file"),
        ("--out x.txt", "must end in .npy or .csv"),
    ],
)
def test_options_that_would_not_be_heeded_are_refused(tmp_path: Path, options: str, says: str) -> None:
    found = command(*options.split(), "--run-dir", tmp_path / "run", on="native")
    assert found.returncode == 1
    assert says in found.stderr
    assert "Traceback" not in found.stderr


@pytest.mark.parametrize("suffix", [".npy", ".csv"])
def test_no_records_at_all(tmp_path: Path, suffix: str) -> None:
    given, out = tmp_path / "given.npy", tmp_path / f"sorted{suffix}"
    np.save(given, np.empty((0, 2), np.int32))
    found = command("--in", given, "--out", out, "--verify", "--run-dir", tmp_path / "run", on="native")
    assert (found.returncode, found.stderr) == (0, "")
    assert out.read_text() == "key,value\n" if suffix == ".csv" else np.load(out).shape == (0, 2)


def test_a_result_that_is_not_sorted_never_leaves() -> None:
    keys, values = np.array([1, 2, 3], dtype=np.uint32), np.array([7, 8, 9], dtype=np.uint32)
    for wrong in ((keys[::-1], values[::-1]), (keys, values[::-1]), (keys[:2], values[:2])):
        with pytest.raises(RuntimeError, match="defect"):
            main_check((keys, values), wrong)
    main_check((keys, values), (keys, values))
