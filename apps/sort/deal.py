# SPDX-License-Identifier: Apache-2.0
"""Where records go: key ranges (buckets) to outputs, and how buckets are cut so that all outputs get as much.

An output is a member of a dimension (send side) or a memory channel (receive side). Slots are the channels of the
whole cluster in order of (node, channel); a sort is done when no key of a slot is above a key of a later slot.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Keys = NDArray[np.uint32]
Counts = NDArray[np.int64]

#: Entries of the table in which a shared bucket's outputs take turns: shares are exact to 1/64.
TURNS = 64
KEY_BITS = 32


@dataclass(frozen=True)
class Deal:
    """Bucket b holds the keys from bounds[b] up to bounds[b+1]; its records go to outputs in the shares weights[b].

    A bucket with one output is an ordinary partition. Outputs of a shared bucket take turns by a table of TURNS entries
    and a counter for the bucket, which hardware can do too.
    """

    bounds: Keys
    weights: Counts

    def __post_init__(self) -> None:
        if len(self.bounds) != len(self.weights) or len(self.bounds) == 0 or self.bounds[0] != 0:
            raise ValueError("a deal needs a row of weights for each bucket, and a first bucket that begins at key 0")
        if np.any(self.bounds[1:] <= self.bounds[:-1]) or np.any(self.weights < 0):
            raise ValueError("bounds must ascend and weights must not be negative")

    @property
    def outputs(self) -> int:
        """Number of outputs."""
        return int(self.weights.shape[1])

    def buckets_of(self, keys: Keys) -> NDArray[np.intp]:
        """Bucket of each key."""
        return np.searchsorted(self.bounds, keys, side="right") - 1

    def route(self, keys: Keys) -> NDArray[np.intp]:
        """Output of each record, in the order in which the node reads them."""
        buckets = self.buckets_of(keys)
        shared = np.count_nonzero(self.weights, axis=1) > 1
        outputs: NDArray[np.intp] = np.argmax(self.weights, axis=1)[buckets]
        for bucket in np.unique(buckets[shared[buckets]]):
            (where,) = np.nonzero(buckets == bucket)
            table = turns(self.weights[bucket])
            outputs[where] = table[np.arange(len(where)) % TURNS]
        return outputs


def turns(weights: Counts) -> NDArray[np.intp]:
    """Table of TURNS outputs in the shares ``weights`` (largest remainder), each output's turns spread evenly."""
    exact = weights / weights.sum() * TURNS
    entries = np.floor(exact).astype(np.int64)
    missing = TURNS - int(entries.sum())
    entries[np.argsort(entries - exact, kind="stable")[:missing]] += 1
    outputs = np.repeat(np.arange(len(weights)), entries)
    position = np.concatenate([(np.arange(count) + 0.5) / count for count in entries if count])
    return outputs[np.argsort(position, kind="stable")]


def type_bounds(types: int, shift: int) -> Keys:
    """Buckets of ``types`` key types, the type being ``key >> shift``."""
    if not 1 <= types <= 1 << (KEY_BITS - shift):
        raise ValueError(f"a key has 1 to {1 << (KEY_BITS - shift)} types above bit {shift}, got {types}")
    return (np.arange(types, dtype=np.uint64) << np.uint64(shift)).astype(np.uint32)


def one_slot_each(types: int, slots: int) -> Counts:
    """The paper's placement: type t goes to slot t, so each channel holds one type."""
    if types > slots:
        raise ValueError(f"{types} key types do not fit one a channel into {slots} channels; use the full sort")
    return np.eye(types, slots, dtype=np.int64)


def balanced(totals: Counts, splittable: NDArray[np.bool_], slots: int) -> Counts:
    """Records of each bucket for each slot, so that every slot gets as much as the others and order is kept.

    A bucket that may be split (one key, or one type) is cut at the slot's ends exactly; another goes whole where its
    middle lies, so a slot is off by half such a bucket at each end.
    """
    ends = np.cumsum(totals)
    starts, total = ends - totals, int(ends[-1])
    edges = np.arange(slots + 1, dtype=np.int64) * total // slots
    low, high = np.maximum(starts[:, None], edges[:-1]), np.minimum(ends[:, None], edges[1:])
    shares = np.maximum(high - low, 0)
    middle = (starts + ends) // 2
    home = np.minimum(np.searchsorted(edges, middle, side="right") - 1, slots - 1)
    whole = np.zeros_like(shares)
    whole[np.arange(len(totals)), home] = totals
    chosen: Counts = np.where(splittable[:, None], shares, whole)
    return chosen


def spread_in_node(totals: Counts, nodes: int, channels: int, limit: float = 1.25) -> Counts:
    """One type a channel, but a node's most frequent types over all its channels in equal shares.

    As few as bring its fullest channel under ``limit`` times the cluster's mean; if none do, as many as are best.
    Needs only equal turns, which the partition operator has; order inside the node is lost for the spread types.
    """
    slots = nodes * channels
    shares = one_slot_each(len(totals), slots) * totals[:, None]
    padded = np.zeros(slots, dtype=np.int64)
    padded[: len(totals)] = totals
    for node in range(nodes):
        first = node * channels
        counts = padded[first : first + channels]
        order = np.argsort(-counts, kind="stable")
        rest = np.append(counts[order], 0)  # fullest channel of its own when the first k are spread
        fullest = np.append(0, np.cumsum(counts[order])) / channels + rest
        (enough,) = np.nonzero(fullest <= limit * totals.sum() / slots)
        chosen = int(enough[0]) if len(enough) else int(np.argmin(fullest))
        for kind in order[:chosen] + first:
            if kind < len(totals):
                shares[kind, first : first + channels] = totals[kind]  # weights: equal, whatever they sum to
    return shares


@dataclass(frozen=True)
class Ranges:
    """Buckets fine enough to be balanced: their bounds, their counts, and whether one is a single key."""

    bounds: Keys
    totals: Counts
    single: NDArray[np.bool_]


def find_ranges(
    histogram: Callable[[Keys], Counts], slots: int, first: int = 12, digit: int = 6, tolerance: float = 0.05
) -> Ranges:
    """Refine buckets, a histogram pass a round, until none that has several keys holds over ``tolerance`` of a slot.

    ``histogram`` counts each bucket's records in the whole cluster. Uniform keys need one round.
    """
    lows = np.arange(1 << first, dtype=np.uint64) << np.uint64(KEY_BITS - first)
    bits = np.full(1 << first, KEY_BITS - first, dtype=np.uint64)
    while True:
        totals = histogram(lows.astype(np.uint32))
        big = (totals > tolerance * totals.sum() / slots) & (bits > 0)
        if not big.any():
            return Ranges(lows.astype(np.uint32), totals, bits == 0)
        pieces: list[NDArray[np.uint64]] = [lows[~big]]
        widths: list[NDArray[np.uint64]] = [bits[~big]]
        for low, width in zip(lows[big], bits[big], strict=True):
            cut = min(digit, int(width))
            left = np.uint64(int(width) - cut)
            pieces.append(low + (np.arange(1 << cut, dtype=np.uint64) << left))
            widths.append(np.full(1 << cut, left, dtype=np.uint64))
        lows, bits = np.concatenate(pieces), np.concatenate(widths)
        order = np.argsort(lows)
        lows, bits = lows[order], bits[order]
