# SPDX-License-Identifier: Apache-2.0
# Covers: the programs of the sorts, executed on bytes by an interpreter of its own, against NumPy: FC and GHC, 2 to 8
# nodes, one partition or two, random, degenerate and skewed keys, lengths that are multiples of nothing.
# Leaves out: the simulated nodes (test_on_cluster.py), time.
from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.sort import sorts, steps
from apps.sort.byte_device import ByteDevice
from apps.sort.cluster import Cluster, Column, NumpyCluster
from apps.sort.deal import Counts, Deal, type_bounds
from apps.sort.simulated import DeviceCluster
from polyloom.collectives.models import sorting
from polyloom.collectives.models.topology import Topology, fully_connected, hypercube

FC8, GHC = fully_connected(8), hypercube(3, 1)
TOPOLOGIES = [FC8, GHC, fully_connected(2), fully_connected(3), fully_connected(5), hypercube(1, 1), hypercube(2, 1)]
Keys = Callable[[np.random.Generator, int, int], Column]
DATA: dict[str, Keys] = {
    "uniform": lambda rng, n, types: rng.integers(0, types, n, dtype=np.uint32),
    "one-key": lambda rng, n, types: np.full(n, types - 1, dtype=np.uint32),
    "two-to-one": lambda rng, n, types: (rng.integers(0, types + 1, n) % types).astype(np.uint32),
    "zipf": lambda rng, n, types: np.minimum(rng.zipf(1.3, n) - 1, types - 1).astype(np.uint32),
    "descending": lambda rng, n, types: np.arange(n, 0, -1, dtype=np.uint32) % types,
}
LENGTHS: dict[str, Callable[[int], list[int]]] = {
    "uneven": lambda nodes: [1003 + 37 * node - 11 * (node % 3) for node in range(nodes)],
    "one": lambda nodes: [0] * (nodes - 1) + [1],
    "empty": lambda nodes: [0] * nodes,
    "some": lambda nodes: [(node % 3) * 5 * node for node in range(nodes)],
}


def make(
    device: ByteDevice, topology: Topology, keys: list[Column], layout: str = "columns", sample: int = 1
) -> tuple[DeviceCluster, Column]:
    """The cluster, and all keys in the order that the values name."""
    first = np.cumsum([0, *map(len, keys)])
    values = [np.arange(first[n], first[n + 1], dtype=np.uint32) for n in range(len(keys))]
    cluster = DeviceCluster(device, topology, keys, values, "pairs" if layout == "pairs" else "columns", sample)
    return cluster, np.concatenate(keys)


def records(cluster: Cluster) -> tuple[Column, Column]:
    found = [cluster.areas(node) for node in range(cluster.topology.nodes)]
    keys = [area for areas in found for area in areas[0]]
    return np.concatenate(keys), np.concatenate([area for areas in found for area in areas[1]])


def check(cluster: Cluster, before: Column, ordered: bool = True) -> None:
    """No record lost, changed or doubled; keys in order over (node, channel, position)."""
    keys, values = records(cluster)
    assert np.array_equal(np.sort(values), np.arange(len(before)))
    assert np.array_equal(keys, before[values])
    if ordered:
        assert np.array_equal(keys, np.sort(before))


@pytest.mark.parametrize("topology", TOPOLOGIES, ids=lambda each: each.name)
@pytest.mark.parametrize("how", ["published", "none", "node", "one partition", "sample"])
def test_sorts(topology: Topology, how: str) -> None:
    for data in DATA if topology in (FC8, GHC) else ["zipf"]:
        for lengths in LENGTHS if data in ("uniform", "zipf") else ["uneven"]:
            sorts_and_check(topology, lengths, data, how)


def sorts_and_check(topology: Topology, lengths: str, data: str, how: str) -> None:
    rng = np.random.default_rng(3)
    types = min(64, 8 * topology.nodes)
    device = ByteDevice(topology.nodes, partitions=1 if how == "one partition" else 2)
    keys = [DATA[data](rng, n, types) for n in LENGTHS[lengths](topology.nodes)]
    layout = "columns" if how == "published" else "pairs"
    cluster, before = make(device, topology, keys, layout, sample=4 if how == "sample" else 1)
    if how == "published":
        sorts.published(cluster, types)
        assert cluster.log == sorting.published(topology)
    else:
        split = how in ("node", "sample")
        sorts.fused(cluster, types, split="node" if split else "none")
        assert cluster.log == sorting.fused(topology, histogram=split)
    assert cluster.traffic.busiest == device.busiest
    check(cluster, before, ordered=how not in ("node", "sample"))
    for node in range(topology.nodes):  # each type on its node
        assert all(np.all(area // 8 == node) for area in cluster.areas(node)[0])


def test_published_equals_the_reference_by_channel() -> None:
    rng = np.random.default_rng(5)
    keys = [rng.integers(0, 64, 500 + 3 * n, dtype=np.uint32) for n in range(8)]
    cluster, _ = make(ByteDevice(8), GHC, keys)
    reference = NumpyCluster(GHC, 8, keys, keys)
    sorts.published(cluster, 64)
    sorts.published(reference, 64)
    for node in range(8):
        for ours, theirs in zip(cluster.areas(node)[0], reference.areas(node)[0], strict=True):
            assert np.array_equal(ours, theirs)


@pytest.mark.parametrize("topology", [FC8, GHC], ids=lambda each: each.name)
def test_what_overflows_is_dealt_in_a_pass_of_its_own(topology: Topology) -> None:
    device = ByteDevice(8)
    device.overflows = True
    cluster, before = make(device, topology, [DATA["descending"](np.random.default_rng(), 500, 64)] * 8, "pairs")
    sorts.fused(cluster, 64, split="none")
    check(cluster, before)
    assert cluster.traffic.busiest == device.busiest
    assert cluster.overflows == len(topology.dimensions)


def test_a_hot_type_is_spread_over_its_node() -> None:
    rng = np.random.default_rng(1)
    keys = [DATA["two-to-one"](rng, 4000, 64) for _ in range(8)]
    fullest = []
    for split in ("node", "none"):
        cluster, before = make(ByteDevice(8), FC8, keys, "pairs")
        sorts.fused(cluster, 64, split=split)
        check(cluster, before, ordered=split == "none")
        loads = [len(area) for node in range(8) for area in cluster.areas(node)[0]]
        fullest.append(max(loads) * 64 / len(before))
    assert fullest[0] < 1.35 < 1.8 < fullest[1]


@pytest.mark.parametrize("topology", [FC8, GHC, fully_connected(3)], ids=lambda each: each.name)
@pytest.mark.parametrize("keys", ["wide", "all-equal", "small"])
def test_top_bits_put_slots_in_order(topology: Topology, keys: str) -> None:
    rng = np.random.default_rng(2)
    top = {"wide": 1 << 32, "all-equal": 1, "small": 1000}[keys]
    columns = [rng.integers(0, top, 700 + n, dtype=np.uint32) for n in range(topology.nodes)]
    cluster, before = make(ByteDevice(topology.nodes), topology, columns, "pairs")
    sorts.top_bits(cluster, int(before.max()))
    check(cluster, before, ordered=False)
    slots = [np.sort(area) for node in range(topology.nodes) for area in cluster.areas(node)[0]]
    assert np.array_equal(np.concatenate(slots), np.sort(before))
    assert keys == "all-equal" or max(map(len, slots)) < 0.2 * len(before)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 64), st.integers(0, 26), st.integers(1, 4), st.randoms(use_true_random=False))
def test_setup_deals_as_the_deal_does(types: int, shift: int, fan: int, random: object) -> None:
    # Types to outputs in runs of 2^k, as all sorts deal; the interpreter is checked against Deal.route elsewhere.
    rng = np.random.default_rng(random.getrandbits(32))  # type: ignore[attr-defined]
    run = 1 << int(rng.integers(0, 7))
    outputs = 8 // fan
    target = np.arange(types) // run % outputs
    weights: Counts = np.zeros((types, outputs), dtype=np.int64)
    weights[np.arange(types), target] = rng.integers(0, 3, types)
    try:
        setup = steps.setup_for(Deal(type_bounds(types, shift), weights), 8, fan)
    except ValueError as error:
        assert "five bits" in str(error)
        assert (types > 32, run) == (True, 1)
        return
    for kind in np.nonzero(weights.sum(axis=1))[0]:
        bucket = int(kind) << shift >> setup.shift & (1 << setup.bits) - 1
        leaves = {o for o, routes in enumerate(setup.routes) if routes >> bucket & 1}
        assert leaves == {int(target[kind]) * fan + turn for turn in range(fan)}
    covered = 0
    for routes in setup.routes:
        covered |= routes
    assert covered == (1 << (1 << setup.bits)) - 1  # every route has an output


def test_what_the_operator_cannot_do_is_refused() -> None:
    bounds = type_bounds(4, 3)
    with pytest.raises(ValueError, match="equal turns"):
        steps.setup_for(Deal(bounds, np.array([[1, 2], [1, 0], [1, 0], [1, 0]])), 8)
    with pytest.raises(ValueError, match="not ranges"):
        steps.setup_for(Deal(np.array([0, 3], dtype=np.uint32), np.ones((2, 1), dtype=np.int64)), 8)
    with pytest.raises(ValueError, match="5 x 2 outputs"):
        steps.setup_for(Deal(bounds, np.ones((4, 5), dtype=np.int64)), 8, fan=2)
    big = [np.array([64], dtype=np.uint32), np.zeros(0, np.uint32)]
    with pytest.raises(ValueError, match="node 0 holds keys of type 64"):
        sorts.published(make(ByteDevice(2), fully_connected(2), big)[0], 16)
    with pytest.raises(ValueError, match="type 16 or above"):
        sorts.published(make(ByteDevice(2), fully_connected(2), [np.array([16], np.uint32), *big[1:]])[0], 16)
    with pytest.raises(ValueError, match="has 8"):
        make(ByteDevice(8), fully_connected(2), big)
    with pytest.raises(ValueError, match="only pairs"):
        make(ByteDevice(2), fully_connected(2), big, sample=2)
    with pytest.raises(ValueError, match="needs pairs"):
        sorts.fused(make(ByteDevice(2), fully_connected(2), [k % 3 for k in big])[0], 4)
