# SPDX-License-Identifier: Apache-2.0
"""The sorts, as operations on a cluster.

``published``: as OPTWEB section 3.B (FC three steps, GHC five). ``fused``: partition on both sides of the all-to-all,
hot keys split over channels. ``full``: order of all 32 bits. ``top_bits``: what of it today's nodes can do.
After each, no key (type) of a slot is above one of a later slot, slots in order of (node, channel).
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from apps.sort.cluster import Cluster, OrderingCluster
from apps.sort.deal import (
    KEY_BITS,
    Counts,
    Deal,
    Keys,
    balanced,
    find_ranges,
    one_slot_each,
    spread_in_node,
    type_bounds,
)
from polyloom.collectives.models.sorting import Pass

TYPE_BITS = 6  # of a key that the partition operator tells apart
DIGIT = 7  # 128 regions a channel: as many write addresses as fit in one block RAM


def published(cluster: Cluster, types: int, shift: int = 0) -> None:
    """Counting sort of ``types`` key types (key >> shift), one a channel; local sort and all-to-all a dimension."""
    bounds = type_bounds(types, shift)
    shares = one_slot_each(types, cluster.topology.nodes * cluster.channels)
    _count_types(cluster, types, shift)
    for dimension in range(len(cluster.topology.dimensions)):
        cluster.local_sort(send_deals(cluster, bounds, shares, dimension))
        cluster.exchange(dimension)
    cluster.local_sort(receive_deals(cluster, bounds, shares))


Split = Literal["slots", "node", "none"]


def fused(cluster: Cluster, types: int, shift: int = 0, split: Split = "slots") -> None:
    """Counting sort in one all-to-all a dimension. ``split`` is what happens to a type that is too frequent:

    slots   types are cut at the ends of channels, so all channels of the cluster get as much and order is kept
    node    it is dealt over all channels of its node (``spread_in_node``)
    none    it fills one channel; no histogram is needed, and keys above the last type, which nothing counts, go where
            the last type goes
    """
    bounds = type_bounds(types, shift)
    nodes = cluster.topology.nodes
    slots = nodes * cluster.channels
    if split == "none":
        shares = one_slot_each(types, slots)
    else:
        totals = _count_types(cluster, types, shift).sum(axis=0)
        if split == "slots":
            shares = balanced(totals, np.ones(types, dtype=np.bool_), slots)
        else:
            # The counts may be a sample's: a type that it has not may be there, and needs a place.
            shares = spread_in_node(np.maximum(totals, 1), nodes, cluster.channels)
    _exchange_fused(cluster, bounds, shares)


def full(cluster: OrderingCluster, digit: int = DIGIT) -> None:
    """Order by all 32 bits: ranges of equal weight to channels, then least digit first inside each channel.

    Digits count from a channel's lowest possible key, so only bits that differ inside channels are sorted.
    """
    slots = cluster.topology.nodes * cluster.channels
    ranges = find_ranges(lambda bounds: cluster.histogram(bounds).sum(axis=0), slots)
    shares = balanced(ranges.totals, ranges.single, slots)
    _exchange_fused(cluster, ranges.bounds, shares)
    bases, bits = channel_ranges(ranges.bounds, shares)
    if bits:
        cluster.log.append(Pass("histogram", "key"))
    shape = (cluster.topology.nodes, cluster.channels)
    for shift in range(0, bits, digit):
        cluster.order(bases.reshape(shape), shift, min(digit, bits - shift))


def top_bits(cluster: Cluster, largest: int) -> None:
    """Keys up to ``largest`` to slots by their top bits, for nodes that deal by key bits only and order no channel.

    Slots are in order, what lies inside one is not; all get as much only where keys are even in those bits.
    """
    slots = cluster.topology.nodes * cluster.channels
    bits = min(slots.bit_length() - 1, TYPE_BITS)
    fused(cluster, 1 << bits, max(largest.bit_length() - bits, 0), split="none")


def _exchange_fused(cluster: Cluster, bounds: Keys, shares: Counts) -> None:
    last = len(cluster.topology.dimensions) - 1
    for dimension in range(last + 1):
        receive = receive_deals(cluster, bounds, shares) if dimension == last else None
        cluster.fused(dimension, send_deals(cluster, bounds, shares, dimension), receive)


def send_deals(cluster: Cluster, bounds: Keys, shares: Counts, dimension: int) -> list[Deal]:
    """For each node, buckets to members of its group: as much as slots that are reached through the member get.

    Dimension 0 is x. After it a node's records all belong to its own column, so of the slots only those count.
    """
    members = [each.members for each in cluster.topology.dimensions]
    grid = shares.reshape(len(bounds), *members[::-1], cluster.channels).sum(axis=-1)  # [bucket, (y,) x]
    if len(members) == 1:
        return [Deal(bounds, grid)] * members[0]
    if dimension == 0:
        return [Deal(bounds, grid.sum(axis=1))] * cluster.topology.nodes
    columns = [Deal(bounds, np.ascontiguousarray(grid[:, :, x])) for x in range(members[0])]
    return [columns[rank % members[0]] for rank in range(cluster.topology.nodes)]


def receive_deals(cluster: Cluster, bounds: Keys, shares: Counts) -> list[Deal]:
    """For each node, buckets to its channels."""
    by_node = shares.reshape(len(bounds), cluster.topology.nodes, cluster.channels)
    return [Deal(bounds, by_node[:, node]) for node in range(cluster.topology.nodes)]


def channel_ranges(bounds: Keys, shares: Counts) -> tuple[NDArray[np.uint32], int]:
    """Lowest possible key of each slot, and how many bits keys inside a slot differ by at most."""
    ends = np.append(bounds[1:].astype(np.int64), 1 << KEY_BITS) - 1
    bases = np.zeros(shares.shape[1], dtype=np.uint32)
    most = 0
    for slot in range(shares.shape[1]):
        (held,) = np.nonzero(shares[:, slot])
        if len(held):
            bases[slot] = bounds[held[0]]
            most = max(most, int(ends[held[-1]]) - int(bounds[held[0]]))
    return bases, most.bit_length()


def _count_types(cluster: Cluster, types: int, shift: int) -> Counts:
    """Records of each type, [node, type]. One more bucket finds keys above the last type."""
    limit = types << shift
    known = type_bounds(types, shift)
    bounds = known if limit >> KEY_BITS else np.append(known, np.uint32(limit))
    counts = cluster.histogram(bounds)
    beyond = counts[:, types:].sum(axis=1)
    if beyond.any():
        node = int(np.argmax(beyond > 0))
        raise ValueError(f"node {node} holds {beyond[node]} keys of type {types} or above (key >> {shift})")
    return counts[:, :types]
