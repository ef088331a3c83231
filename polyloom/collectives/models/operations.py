# SPDX-License-Identifier: Apache-2.0
"""Closed forms of the published algorithms: OPTWEB sections 2.C and 4.B, dimensions one after the other.

Each function returns a Cost for L bytes; its docstring says what L is. Nothing here is fitted: beta is the inverse
of the link rate and the start-up is one alpha a step.
"""

from __future__ import annotations

from fractions import Fraction

from polyloom.collectives.models.topology import Cost, Topology


def _phase(volume: Fraction) -> Cost:
    return Cost(startups=1, volume=volume)


def barrier(topology: Topology) -> Cost:
    """A pulse each way on every port of each dimension. No data."""
    return Cost(startups=len(topology.dimensions))


def unicast(hops: int = 1) -> Cost:
    """L bytes over one link a hop, stored and forwarded whole in between (section 2.D)."""
    if hops < 1:
        raise ValueError(f"a unicast needs at least one hop, got {hops}")
    return Cost(startups=hops, volume=Fraction(hops), turnarounds=hops - 1)


def all_to_all(topology: Topology) -> Cost:
    """L bytes leave each FPGA, L/N to each (Table 2): alpha + beta L/N; GHC a phase for each dimension.

    In a dimension of k members every node sends the bundle L/k to each. What has come is regrouped by the read
    pattern of the next phase, so regrouping takes no time of its own.
    """
    return sum((_phase(Fraction(1, each.lanes)) for each in topology.dimensions), Cost())


def reduce_scatter(topology: Topology) -> Cost:
    """L bytes in each FPGA, L/N of the sum stays with each: an all-to-all whose receive side reduces (section 3.C).

    After a dimension of k members only 1/k of the data is left. The paper has this on FC only.
    """
    cost, left = Cost(), Fraction(1)
    for each in topology.dimensions:
        cost += _phase(left / each.lanes)
        left /= each.members
    return cost


def all_gather(topology: Topology) -> Cost:
    """L bytes are in each FPGA at the end, L/N contributed by each: the distributor copies one read to all ports.

    Dimensions in opposite order of ``reduce_scatter``, so the larger pieces move last.
    """
    return reduce_scatter(topology)


def scatter(topology: Topology) -> Cost:
    """L bytes in the root, L/N to each. On a GHC the root's row first, then all columns at once."""
    return reduce_scatter(topology)


def gather(topology: Topology) -> Cost:
    """L bytes come to the root, L/N from each: a scatter backwards."""
    return reduce_scatter(topology)


def broadcast(topology: Topology) -> Cost:
    """L bytes of the root to all: one channel read, so one lane's rate whatever N is. A phase for each dimension."""
    return sum((_phase(Fraction(1, each.links)) for each in topology.dimensions), Cost())


def average(topology: Topology) -> Cost:
    """L bytes averaged in place, as Table 4 counts: twice the all-to-all.

    In each dimension the whole vector is averaged by an all-to-all into the averaging circuit and an all-gather
    ("aggressive"), then the same in the next dimension.
    """
    once = all_to_all(topology)
    return once + once


def average_naive(topology: Topology) -> Cost:
    """As ``average``, with a pass memory -> circuit -> memory between: 3 steps where ``average`` has 2 (section 3.C.2).

    The pass is counted at the link's rate; a memory lane is a little faster (51.2 against 45 Gb/s).
    """
    once = all_to_all(topology)
    return once + once + once


def bus_factor(operation: str, nodes: int) -> Fraction:
    """Bus bandwidth by algorithm bandwidth, as nccl-tests counts: the share of L that must cross a node's links."""
    share = Fraction(nodes - 1, nodes)
    factors = {
        "all-to-all": share,
        "all-gather": share,
        "reduce-scatter": share,
        "scatter": share,
        "gather": share,
        "all-reduce": 2 * share,
        "average": 2 * share,
        "broadcast": Fraction(1),
        "reduce": Fraction(1),
        "unicast": Fraction(1),
    }
    if operation not in factors:
        raise ValueError(f"no bus factor for {operation!r}; there are: {', '.join(sorted(factors))}")
    return factors[operation]
