# SPDX-License-Identifier: Apache-2.0
"""Closed forms of the algorithms that go past the paper: two parts in opposite dimension order, hierarchical
averaging, broadcast as scatter and all-gather, cut-through and striping over two-hop paths.

Two parts: a share ``w`` of the data uses the dimensions x then y, the rest y then x, so the links of both work in
every step. A step ends when both parts have done it. On one dimension everything falls back to the paper's form.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from polyloom.collectives.models import operations
from polyloom.collectives.models.topology import Cost, Dimension, Link, Topology

HALF = Fraction(1, 2)
Volumes = Callable[[tuple[Dimension, ...]], list[Fraction]]


def _full(order: tuple[Dimension, ...]) -> list[Fraction]:
    """Volume of each step when all data crosses every dimension (all-to-all)."""
    return [Fraction(1, each.lanes) for each in order]


def _shrinking(order: tuple[Dimension, ...]) -> list[Fraction]:
    """Volume of each step when a dimension of k members leaves 1/k (reduce-scatter)."""
    volumes, left = [], Fraction(1)
    for each in order:
        volumes.append(left / each.lanes)
        left /= each.members
    return volumes


def _overlapped(topology: Topology, volumes: Volumes, share: Fraction) -> Cost:
    if not 0 <= share <= 1:
        raise ValueError(f"the share that goes x first must be in 0..1, got {share}")
    order = topology.dimensions
    there, back = volumes(order), volumes(order[::-1])
    steps = there if len(order) < 2 else [max(share * a, (1 - share) * b) for a, b in zip(there, back, strict=True)]
    return Cost(startups=len(order), volume=sum(steps, Fraction(0)))


def best_share(topology: Topology, volumes: Volumes = _shrinking) -> Fraction:
    """The share x first that minimises the sum of steps; one half where that is as good.

    The sum is convex and piecewise linear in the share, so its minimum is at an end or where a step's two parts take
    equally long.
    """
    order = topology.dimensions
    if len(order) < 2:
        return HALF
    crossings = [b / (a + b) for a, b in zip(volumes(order), volumes(order[::-1]), strict=True)]
    candidates = [HALF, *crossings, Fraction(0), Fraction(1)]
    return min(candidates, key=lambda share: _overlapped(topology, volumes, share).volume)


def all_to_all(topology: Topology, share: Fraction = HALF) -> Cost:
    """L bytes leave each FPGA, L/N to each; half of each block x then y, half y then x.

    With halves 2 alpha + beta L / min(lanes): what has to cross the narrow dimension anyhow.
    """
    return _overlapped(topology, _full, share)


def all_to_all_cut_through(topology: Topology) -> Cost:
    """As ``all_to_all`` in a single step: corner nodes pass on what comes, half of each block by either corner."""
    relays = len(topology.dimensions) - 1
    return Cost(startups=1, volume=Fraction(1, min(each.lanes for each in topology.dimensions)), relays=relays)


def reduce_scatter(topology: Topology, share: Fraction | None = None) -> Cost:
    """L bytes in each FPGA, L/N of the sum stays with each; two parts, each hierarchical. None: the best share."""
    chosen = best_share(topology) if share is None else share
    return _overlapped(topology, _shrinking, chosen)


def all_gather(topology: Topology, share: Fraction | None = None) -> Cost:
    """L bytes are in each FPGA at the end: the reduce-scatter's steps backwards."""
    return reduce_scatter(topology, share)


def average_prose(topology: Topology) -> Cost:
    """Averaging as the prose of section 4.D.2 has it: the full vector in each dimension, but two halves at once.

    Half one goes through the rows while half two goes through the columns, then they change places. Table 4 and the
    printed 4.2x are without this overlap (``operations.average``).
    """
    once = _overlapped(topology, _full, HALF)
    return once + once


def average_hierarchical(topology: Topology) -> Cost:
    """Reduce-scatter in x, then in y on what is left, and gather back; one dimension works at a time."""
    once = operations.reduce_scatter(topology)
    return once + once


def average(topology: Topology, share: Fraction | None = HALF) -> Cost:
    """Hierarchical, two parts in opposite order. Halves by default; None takes the best share, better if dx != dy."""
    once = reduce_scatter(topology, share)
    return once + once


def broadcast(topology: Topology) -> Cost:
    """L bytes of the root to all: a scatter, then an all-gather. FC: 2 alpha + 2 beta L/N."""
    return operations.scatter(topology) + operations.all_gather(topology)


def broadcast_cut_through(topology: Topology) -> Cost:
    """L bytes to all on FC: the root sends another 1/(N-1) to each peer, who relays it to the others as it comes."""
    only = _single(topology, "broadcast by relays")
    if topology.nodes == 2:
        return operations.broadcast(topology)
    return Cost(startups=1, volume=Fraction(1, (topology.nodes - 1) * only.links), relays=1)


def broadcast_switch_point(topology: Topology, link: Link) -> float:
    """Bytes above which scatter and all-gather beat one lane on FC: alpha N / [beta (N - 2)]; inf for two nodes."""
    only = _single(topology, "the switch point")
    if only.links != 1:
        raise ValueError("the switch point is for single links")
    if topology.nodes == 2:
        return float("inf")
    return link.alpha * topology.nodes / (link.beta * (topology.nodes - 2))


def unicast_two_hops() -> Cost:
    """L bytes over two links, the relay passing on what comes (cut-through). Needs only that links are equally fast."""
    return Cost(startups=1, volume=Fraction(1), relays=1)


def unicast_striped(topology: Topology) -> Cost:
    """L bytes to one peer on FC, stored and forwarded by N-2 relays; the direct link works in both steps.

    In a step of t a relayed stripe moves t/beta a hop, the direct link 2 t/beta in all: N t/beta = L.
    """
    only = _single(topology, "striping")
    if topology.nodes == 2:
        return Cost(startups=1, volume=Fraction(1, only.links))
    return Cost(startups=2, volume=Fraction(2, topology.nodes * only.links), turnarounds=1)


def unicast_striped_cut_through(topology: Topology) -> Cost:
    """As ``unicast_striped`` with relays that pass on what comes: N-1 lanes in parallel."""
    only = _single(topology, "striping")
    relays = 1 if topology.nodes > 2 else 0
    return Cost(startups=1, volume=Fraction(1, (topology.nodes - 1) * only.links), relays=relays)


def _single(topology: Topology, what: str) -> Dimension:
    if len(topology.dimensions) != 1:
        raise ValueError(f"{what} is derived for a fully connected network, not {topology.name}")
    return topology.dimensions[0]
