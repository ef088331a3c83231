# SPDX-License-Identifier: Apache-2.0
# Covers: closed forms of the schedules that go past the paper: against a block-by-block count of what links carry; laws
# that hold for any shape, published forms included. Leaves out: the numbers of the paper (test_collective_models.py).
from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyloom.collectives import models
from polyloom.collectives.models import improved, operations
from polyloom.collectives.models.topology import Link, Topology, balanced_hypercube, fully_connected, hypercube

FC8 = fully_connected(8)
PAPER_4X2 = hypercube(3, 1)

degrees = st.integers(0, 40)
pairs = st.tuples(degrees, degrees).filter(lambda pair: sum(pair) > 0)
links = st.builds(Link.of, st.floats(0, 5), st.floats(1, 400))
sizes = st.floats(1, 1e10)


# --- ours: schedules at data level ------------------------------------------------------------------------------


def busiest_links(topology: Topology, share: Fraction, one_step: bool = False) -> list[Fraction]:
    """Step by step, what the busiest link of an all-to-all carries; block by block, from ranks alone."""
    members = [each.members for each in topology.dimensions]
    steps: list[dict[tuple[int, int, int], Fraction]] = [{}, {}]
    for source in range(topology.nodes):
        for target in range(topology.nodes):
            corners = (
                source // members[0] * members[0] + target % members[0],
                target // members[0] * members[0] + source % members[0],
            )
            for first, (corner, part) in enumerate(zip(corners, (share, 1 - share), strict=True)):
                for step, (dimension, a, b) in enumerate([(first, source, corner), (1 - first, corner, target)]):
                    load = part / topology.nodes / topology.dimensions[dimension].links
                    loads = steps[0 if one_step else step]
                    loads[dimension, a, b] = loads.get((dimension, a, b), Fraction(0)) + load
    return [max(step.values()) for step in steps if step]


@settings(deadline=None, max_examples=40)
@given(
    st.tuples(st.integers(1, 4), st.integers(1, 4)), st.integers(1, 2), st.integers(1, 2), st.sampled_from([0, 1, 2, 4])
)
def test_all_to_all_forms_equal_what_links_carry(pair: tuple[int, int], a: int, b: int, quarters: int) -> None:
    ghc, share = hypercube(*pair, a, b), Fraction(quarters, 4)
    assert sum(busiest_links(ghc, share)) == improved.all_to_all(ghc, share).volume
    assert sum(busiest_links(ghc, Fraction(1))) == operations.all_to_all(ghc).volume
    # In one step what matters is the sum over steps of each link, which is the same for any share.
    assert busiest_links(ghc, share, one_step=True) == [improved.all_to_all_cut_through(ghc).volume]


def test_groups_of_a_hypercube() -> None:
    assert PAPER_4X2.groups(0) == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert PAPER_4X2.groups(1) == [[0, 4], [1, 5], [2, 6], [3, 7]]
    assert fully_connected(3).groups(0) == [[0, 1, 2]]


# --- ours: laws for any shape -----------------------------------------------------------------------------------


def test_two_halves_on_4x2() -> None:
    fc = operations.all_to_all(FC8).volume
    assert fc / improved.all_to_all(PAPER_4X2).volume == Fraction(1, 4)
    assert fc / improved.all_to_all(hypercube(3, 1, links_y=2)).volume == Fraction(1, 2)


@given(pairs, st.integers(1, 3), st.integers(1, 3))
def test_two_halves_reach_what_must_cross_the_narrow_dimension(pair: tuple[int, int], a: int, b: int) -> None:
    ghc = hypercube(*pair, a, b)
    assert improved.all_to_all(ghc).volume == Fraction(1, min(each.lanes for each in ghc.dimensions))


@given(pairs, st.integers(1, 3), st.integers(1, 3), st.fractions(0, 1))
def test_no_share_beats_the_best(pair: tuple[int, int], a: int, b: int, share: Fraction) -> None:
    ghc = hypercube(*pair, a, b)
    best = improved.reduce_scatter(ghc)
    assert best.volume <= improved.reduce_scatter(ghc, share).volume
    # No one can do it faster than all ports of a node together.
    assert best.volume * sum(each.lanes for each in ghc.dimensions) >= Fraction(ghc.nodes - 1, ghc.nodes)


@given(pairs)
def test_ours_is_never_slower_for_large_data(pair: tuple[int, int]) -> None:
    ghc = hypercube(*pair)
    assert improved.all_to_all(ghc).volume <= operations.all_to_all(ghc).volume
    assert improved.average(ghc).volume <= improved.average_prose(ghc).volume <= operations.average(ghc).volume
    assert improved.average_hierarchical(ghc).volume <= operations.average(ghc).volume
    assert improved.average(ghc, share=None).volume <= improved.average(ghc).volume


ON_ANY_TOPOLOGY = [
    operations.barrier,
    operations.all_to_all,
    operations.reduce_scatter,
    operations.all_gather,
    operations.scatter,
    operations.gather,
    operations.broadcast,
    operations.average,
    operations.average_naive,
    improved.all_to_all,
    improved.all_to_all_cut_through,
    improved.reduce_scatter,
    improved.all_gather,
    improved.average,
    improved.average_prose,
    improved.average_hierarchical,
    improved.broadcast,
]


@given(st.integers(1, 60))
def test_ghc_with_one_row_or_column_is_fc(degree: int) -> None:
    for form in ON_ANY_TOPOLOGY:
        assert form(hypercube(0, degree)) == form(hypercube(degree, 0)) == form(fully_connected(degree + 1))


@given(pairs, links, sizes, sizes)
def test_time_grows_with_size(pair: tuple[int, int], link: Link, first: float, second: float) -> None:
    small, large = sorted((first, second))
    for form in ON_ANY_TOPOLOGY:
        cost = form(hypercube(*pair))
        assert cost.seconds(link, small) <= cost.seconds(link, large)
        assert cost.seconds(link, 0) == pytest.approx(cost.startups * link.alpha)


@given(st.integers(2, 100), links)
def test_broadcasts(nodes: int, link: Link) -> None:
    fc = fully_connected(nodes)
    lane, pieces, relayed = operations.broadcast(fc), improved.broadcast(fc), improved.broadcast_cut_through(fc)
    assert pieces.volume == Fraction(2, nodes)
    assert relayed.volume == Fraction(1, nodes - 1)
    switch = improved.broadcast_switch_point(fc, link)
    if nodes > 2:
        assert pieces.seconds(link, switch) == pytest.approx(lane.seconds(link, switch))
        assert pieces.seconds(link, 2 * switch + 1) < lane.seconds(link, 2 * switch + 1)


def test_broadcast_and_striping_on_eight() -> None:
    assert operations.broadcast(FC8).volume / improved.broadcast(FC8).volume == 4
    assert operations.broadcast(FC8).volume / improved.broadcast_cut_through(FC8).volume == 7
    assert operations.unicast().volume / improved.unicast_striped(FC8).volume == 4
    assert operations.unicast().volume / improved.unicast_striped_cut_through(FC8).volume == 7


@given(st.integers(3, 100), links)
def test_striping_beats_one_link_for_large_data_only(nodes: int, link: Link) -> None:
    fc = fully_connected(nodes)
    for striped in (improved.unicast_striped(fc), improved.unicast_striped_cut_through(fc)):
        assert striped.volume < 1
        assert striped.seconds(link, 0) >= operations.unicast().seconds(link, 0)


@given(st.integers(1, 200))
def test_kautz_reaches_more_nodes(degree: int) -> None:
    assert models.kautz_nodes(degree) >= degree + 1 if degree > 1 else models.kautz_nodes(degree) == 2
    if degree >= 2:
        assert models.kautz_nodes(degree) > balanced_hypercube(degree).nodes


@pytest.mark.parametrize(("degree", "nodes"), [(8, (9, 25, 72)), (16, (17, 81, 272)), (64, (65, 1089, 4160))])
def test_nodes_of_diameter_two(degree: int, nodes: tuple[int, int, int]) -> None:
    found = (fully_connected(degree + 1).nodes, balanced_hypercube(degree).nodes, models.kautz_nodes(degree))
    assert found == nodes


@pytest.mark.parametrize(("operation", "factor"), [("all-to-all", "7/8"), ("average", "7/4"), ("broadcast", "1")])
def test_bus_factors(operation: str, factor: str) -> None:
    assert operations.bus_factor(operation, 8) == Fraction(factor)


def test_bad_arguments_say_what_is_wrong() -> None:
    with pytest.raises(ValueError, match="at least two nodes"):
        fully_connected(1)
    with pytest.raises(ValueError, match="positive rate"):
        Link.of(1, 0)
    with pytest.raises(ValueError, match="fully connected"):
        improved.unicast_striped(PAPER_4X2)
    with pytest.raises(ValueError, match="share"):
        improved.all_to_all(PAPER_4X2, Fraction(3, 2))
    with pytest.raises(ValueError, match="there are: all-gather"):
        operations.bus_factor("all_to_all", 8)
