# SPDX-License-Identifier: Apache-2.0
# Covers: the sorts on the NumPy cluster against np.sort, on FC and GHC, with random, degenerate and skewed keys; memory
# passes against the published counts; balance. Leaves out: the time and the data path of simulated nodes.
from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.sort import sorts
from apps.sort.cluster import Column, NumpyCluster
from apps.sort.deal import TURNS, Deal, balanced, find_ranges, one_slot_each, spread_in_node, turns, type_bounds
from polyloom.collectives.models import sorting
from polyloom.collectives.models.buckets import accept_rate
from polyloom.collectives.models.topology import OPTWEB_SORT, Topology, fully_connected, hypercube

TYPES = 64
FC8, GHC = fully_connected(8), hypercube(3, 1)
TOPOLOGIES = [FC8, GHC, hypercube(2, 2), fully_connected(3), hypercube(1, 0)]
Generator = Callable[[np.random.Generator, int], Column]


def two_to_one(rng: np.random.Generator, n: int) -> Column:
    """Type 27 twice as frequent as each other one."""
    drawn = rng.integers(0, TYPES + 1, n)
    return np.where(drawn == TYPES, 27, drawn).astype(np.uint32)


TYPED: dict[str, Generator] = {
    "uniform": lambda rng, n: rng.integers(0, TYPES, n, dtype=np.uint32),
    "all-equal": lambda rng, n: np.full(n, 17, dtype=np.uint32),
    "two-to-one": two_to_one,
    "zipf": lambda rng, n: np.minimum(rng.zipf(1.3, n) - 1, TYPES - 1).astype(np.uint32),
    "descending": lambda rng, n: np.arange(n, 0, -1, dtype=np.uint32) % TYPES,
}
WIDE: dict[str, Generator] = {
    "uniform": lambda rng, n: rng.integers(0, 1 << 32, n, dtype=np.uint32),
    "all-equal": lambda rng, n: np.full(n, 0xFFFFFFFF, dtype=np.uint32),
    "small": lambda rng, n: rng.integers(0, 1000, n, dtype=np.uint32),
    "normal": lambda rng, n: (2**31 + rng.normal(0, 2**20, n)).astype(np.uint32),
    "half-one-key": lambda rng, n: np.where(rng.random(n) < 0.5, 12345, rng.integers(0, 1 << 32, n)).astype(np.uint32),
    "sorted": lambda rng, n: np.sort(rng.integers(0, 1 << 32, n, dtype=np.uint32)),
}


def make(topology: Topology, channels: int, lengths: list[int], generate: Generator, seed: int = 1) -> NumpyCluster:
    rng = np.random.default_rng(seed)
    keys = [generate(rng, length) for length in lengths]
    first = np.cumsum([0, *lengths])
    values = [np.arange(first[n], first[n + 1], dtype=np.uint32) for n in range(len(lengths))]  # names each record
    return NumpyCluster(topology, channels, keys, values)


def records(cluster: NumpyCluster) -> tuple[Column, Column]:
    """All keys and values, in order of (node, area)."""
    found = [cluster.areas(node) for node in range(cluster.topology.nodes)]
    return (
        np.concatenate([area for keys, _ in found for area in keys]),
        np.concatenate([area for _, values in found for area in values]),
    )


def check(
    cluster: NumpyCluster, before: tuple[Column, Column], full_order: bool = True, slot_order: bool = True
) -> None:
    """No record lost, changed or doubled; keys ordered (over slots, or everywhere)."""
    keys, values = records(cluster)
    assert np.array_equal(np.sort(values), np.arange(len(before[0])))
    assert np.array_equal(keys, before[0][values])  # values name the records in the order in which they were made
    if full_order:
        assert np.array_equal(keys, np.sort(before[0]))
    last = -1
    for node in range(cluster.topology.nodes):
        assert len(cluster.areas(node)[0]) == cluster.channels
        for area in cluster.areas(node)[0]:
            if len(area) and slot_order:
                assert int(area.min()) >= last
                last = int(area.max())


def loads(cluster: NumpyCluster) -> np.ndarray:
    return np.array([len(area) for node in range(cluster.topology.nodes) for area in cluster.areas(node)[0]])


def uneven(topology: Topology, mean: int) -> list[int]:
    return [mean + 37 * node - 11 * (node % 3) for node in range(topology.nodes)]


def types_for(topology: Topology, channels: int) -> int:
    return min(TYPES, topology.nodes * channels)


@pytest.mark.parametrize("topology", TOPOLOGIES, ids=lambda each: each.name)
@pytest.mark.parametrize("data", TYPED)
@pytest.mark.parametrize("how", ["published", "slots", "node", "none"])
def test_counting_sorts(topology: Topology, data: str, how: Literal["published", "slots", "node", "none"]) -> None:
    channels, types = 8, types_for(topology, 8)
    cluster = make(topology, channels, uneven(topology, 777), lambda rng, n: TYPED[data](rng, n) % np.uint32(types))
    before = records(cluster)
    if how == "published":
        sorts.published(cluster, types)
        assert cluster.log == sorting.published(topology)
    else:
        sorts.fused(cluster, types, split=how)
        assert cluster.log == sorting.fused(topology, histogram=how != "none")
    check(cluster, before, full_order=how in ("published", "none"), slot_order=how != "node")
    if how in ("published", "none"):  # one type a channel, and stable
        assert all(len(np.unique(area)) <= 1 for node in range(topology.nodes) for area in cluster.areas(node)[0])
        assert np.array_equal(records(cluster)[1], np.argsort(before[0], kind="stable"))
    if how == "node":  # every type on its node
        for node in range(topology.nodes):
            assert all(np.all(area // channels == node) for area in cluster.areas(node)[0])


def test_pass_counts_of_the_paper_and_ours() -> None:
    counts = []
    for topology in (FC8, GHC):
        for how in (sorts.published, sorts.fused):
            cluster = make(topology, 8, [64] * 8, TYPED["uniform"])
            how(cluster, TYPES)
            counts.append(len(cluster.log))
    assert counts == [11, 3, 17, 5]


def test_types_may_be_the_top_bits() -> None:
    cluster = make(FC8, 8, [500] * 8, WIDE["uniform"])
    before = records(cluster)
    sorts.published(cluster, TYPES, shift=26)
    keys, values = records(cluster)
    assert np.array_equal(keys >> 26, np.sort(before[0] >> 26))
    assert np.array_equal(values, np.argsort(before[0] >> 26, kind="stable"))


def test_nine_types_on_three_nodes_as_in_the_papers_drawing() -> None:
    cluster = make(fully_connected(3), 3, [12] * 3, lambda rng, n: rng.permutation(n).astype(np.uint32) % 9)
    before = records(cluster)
    sorts.published(cluster, 9)
    check(cluster, before)
    assert np.array_equal(loads(cluster), np.bincount(before[0], minlength=9))


@pytest.mark.parametrize("topology", [FC8, GHC], ids=lambda each: each.name)
@pytest.mark.parametrize(("data", "limit"), [("two-to-one", 1.03), ("all-equal", 1.03), ("zipf", 1.1)])
def test_a_hot_type_is_split_over_channels(topology: Topology, data: str, limit: float) -> None:
    lengths = [16384] * 8
    split, unsplit = make(topology, 8, lengths, TYPED[data]), make(topology, 8, lengths, TYPED[data])
    sorts.fused(split, TYPES)
    sorts.fused(unsplit, TYPES, split="none")
    assert loads(split).max() <= limit * loads(split).mean()
    assert loads(unsplit).max() > 1.8 * loads(unsplit).mean()
    # The predicted time of a skewed sort, by what each channel gets, is near the uniform one only when split.
    args = (sorting.fused(topology), 64 << 20, 8, OPTWEB_SORT)
    uniform = sorting.seconds(*args)
    assert sorting.skewed_seconds(*args, loads(split).tolist()) < 1.3 * uniform
    assert sorting.skewed_seconds(*args, loads(unsplit).tolist()) > 1.3 * uniform


@pytest.mark.parametrize("topology", [FC8, GHC], ids=lambda each: each.name)
def test_equal_turns_inside_the_node_are_enough_for_two_to_one(topology: Topology) -> None:
    cluster = make(topology, 8, [16384] * 8, two_to_one)
    sorts.fused(cluster, TYPES, split="node")
    assert loads(cluster).max() <= 1.27 * loads(cluster).mean()  # (1 + 2/8) 64/65 = 1.23, and what keys are drawn
    mixed = [len(np.unique(area)) for node in range(8) for area in cluster.areas(node)[0]]
    assert mixed == [1] * 24 + [2, 2, 2, 1, 2, 2, 2, 2] + [1] * 32  # only the hot type's node


def test_spread_takes_as_few_types_as_it_can() -> None:
    even = np.full(16, 10)
    assert np.array_equal(spread_in_node(even, 2, 8), np.diag(even))
    two = even.copy()
    two[3] = two[9] = 20
    shares = spread_in_node(two, 2, 8)
    assert np.count_nonzero(shares, axis=1).tolist() == [1, 1, 1, 8, 1, 1, 1, 1, 1, 8, 1, 1, 1, 1, 1, 1]
    assert shares[3].tolist() == [20] * 8 + [0] * 8


def test_splitting_keeps_both_partitions_of_a_hot_type_busy() -> None:
    # One of 64 types twice as frequent; buckets of 64 words. Without the split the receiver of the hot type's node
    # takes input in little more than half of all clocks.
    rng = np.random.default_rng(9)
    keys = two_to_one(rng, 1 << 18)
    totals = np.bincount(keys, minlength=TYPES)
    node = 27 // 8
    rates = {}
    for name, shares in {
        "split": balanced(totals, np.ones(TYPES, dtype=np.bool_), TYPES),
        "node": spread_in_node(totals, 8, 8),
        "unsplit": one_slot_each(TYPES, TYPES) * totals[:, None],
    }.items():
        cube = shares.reshape(TYPES, 8, 8)
        sent = Deal(type_bounds(TYPES, 0), cube.sum(axis=2)).route(keys)
        dealt = Deal(type_bounds(TYPES, 0), cube[:, node]).route(keys[sent == node])
        rates[name] = min(accept_rate(sent.tolist(), 8, 64), accept_rate(dealt.tolist(), 8, 64))
    assert rates["unsplit"] < 0.6
    assert rates["node"] > sorting.UNIFORM_ACCEPT / 1.3
    assert rates["split"] > 0.95


@pytest.mark.parametrize("topology", TOPOLOGIES, ids=lambda each: each.name)
@pytest.mark.parametrize("data", WIDE)
@pytest.mark.parametrize("digit", [7, 11])
def test_full_sort(topology: Topology, data: str, digit: int) -> None:
    cluster = make(topology, 8, uneven(topology, 2000), WIDE[data])
    before = records(cluster)
    sorts.full(cluster, digit)
    check(cluster, before)
    assert loads(cluster).max() <= 1.15 * loads(cluster).mean() + 2


def test_full_sort_of_uniform_keys_takes_four_rounds_of_seven_bits() -> None:
    cluster = make(FC8, 8, [1 << 17] * 8, WIDE["uniform"])  # so few that sampling noise moves a bound by little
    sorts.full(cluster)
    assert cluster.log == sorting.fused(FC8) + sorting.finish(26)
    assert len(cluster.log) == 12


def test_a_full_sort_of_one_key_has_nothing_to_finish() -> None:
    cluster = make(FC8, 8, [100] * 8, WIDE["all-equal"])
    sorts.full(cluster)
    assert [each.kind for each in cluster.log].count("move") == 0


@pytest.mark.parametrize("lengths", [[0] * 8, [1] + [0] * 7, [0] * 7 + [1], [0, 5, 0, 3, 1, 0, 0, 1000]])
@pytest.mark.parametrize("topology", [FC8, GHC], ids=lambda each: each.name)
def test_empty_and_nearly_empty_nodes(topology: Topology, lengths: list[int]) -> None:
    for how in (lambda c: sorts.published(c, TYPES), lambda c: sorts.fused(c, TYPES), sorts.full):
        cluster = make(topology, 8, lengths, TYPED["uniform"])
        before = records(cluster)
        how(cluster)
        check(cluster, before, full_order=False)


@settings(max_examples=40, deadline=None)
@given(
    st.tuples(st.integers(0, 3), st.integers(0, 3)).filter(lambda pair: sum(pair) > 0),
    st.integers(1, 9),
    st.lists(st.one_of(st.integers(0, 3), st.integers(0, 2**32 - 1)), max_size=120),
    st.randoms(use_true_random=False),
)
def test_full_sort_of_anything(pair: tuple[int, int], channels: int, keys: list[int], random: object) -> None:
    topology = hypercube(*pair)
    cuts = np.sort(np.random.default_rng(random.getrandbits(32)).integers(0, len(keys) + 1, topology.nodes - 1))  # type: ignore[attr-defined]
    columns = np.split(np.array(keys, dtype=np.uint32), cuts)
    values = np.split(np.arange(len(keys), dtype=np.uint32), cuts)
    cluster = NumpyCluster(topology, channels, columns, values)
    before = (np.array(keys, dtype=np.uint32), np.arange(len(keys)))
    sorts.full(cluster)
    check(cluster, before)


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=9).filter(any))
def test_turns_follow_the_weights_evenly(weights: list[int]) -> None:
    table = turns(np.array(weights))
    assert len(table) == TURNS
    exact = np.array(weights) / sum(weights) * TURNS
    assert np.all(np.abs(np.bincount(table, minlength=len(weights)) - exact) < 1)
    half = np.bincount(table[: TURNS // 2], minlength=len(weights))
    assert np.all(np.abs(half - exact / 2) <= 1.5)


@given(st.lists(st.tuples(st.integers(0, 50), st.booleans()), min_size=1, max_size=60), st.integers(1, 20))
def test_balanced_keeps_counts_and_order(buckets: list[tuple[int, bool]], slots: int) -> None:
    totals = np.array([count for count, _ in buckets])
    shares = balanced(totals, np.array([single for _, single in buckets]), slots)
    assert np.array_equal(shares.sum(axis=1), totals)
    reached = 0
    for row in shares:
        (held,) = np.nonzero(row)
        if len(held):
            assert held[0] >= reached
            reached = int(held[-1])
    if all(single for _, single in buckets):
        assert shares.sum(axis=0).max() <= -(-totals.sum() // slots)


def test_a_range_that_may_not_be_cut_goes_where_its_middle_lies() -> None:
    never, always = np.zeros(2, dtype=np.bool_), np.ones(2, dtype=np.bool_)
    assert balanced(np.array([1, 9]), never, 2).tolist() == [[1, 0], [0, 9]]
    assert balanced(np.array([1, 9]), always, 2).tolist() == [[1, 0], [4, 5]]


def test_ranges_are_refined_only_where_keys_crowd() -> None:
    keys = np.concatenate([np.full(1000, 77), np.arange(0, 1 << 32, 1 << 22)]).astype(np.uint32)
    rounds = 0

    def histogram(bounds: np.ndarray) -> np.ndarray:
        nonlocal rounds
        rounds += 1
        return np.bincount(np.searchsorted(bounds, keys, side="right") - 1, minlength=len(bounds))

    ranges = find_ranges(histogram, slots=8)
    assert rounds == 5  # 12 + 6 + 6 + 6 + 2 bits
    where = int(np.searchsorted(ranges.bounds, 77))
    assert ranges.bounds[where] == 77
    assert ranges.single[where]
    assert ranges.totals[where] == 1000
    assert ranges.totals.sum() == len(keys)


def test_bad_input_is_refused() -> None:
    cluster = make(FC8, 8, [10] * 8, WIDE["uniform"])
    with pytest.raises(ValueError, match="type 64 or above"):
        sorts.published(cluster, TYPES)
    with pytest.raises(ValueError, match="full sort"):
        sorts.published(cluster, 65)
    with pytest.raises(ValueError, match="2 keys and 1 values"):
        NumpyCluster(fully_connected(2), 2, [np.zeros(2, np.uint32)] * 2, [np.zeros(1, np.uint32)] * 2)
    with pytest.raises(ValueError, match="begins at key 0"):
        Deal(np.array([1], dtype=np.uint32), np.ones((1, 1), dtype=np.int64))
    with pytest.raises(ValueError, match="types above bit 30"):
        type_bounds(5, 30)
