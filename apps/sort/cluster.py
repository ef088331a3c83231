# SPDX-License-Identifier: Apache-2.0
"""What a sort asks of a cluster, and a NumPy cluster that does it: the reference for every other one.

Data are two columns, key and value. On a node a column lies in areas: one a memory channel, or one a member of a
dimension (then an area is an equal number of channels). Ranks count x first: rank = y (dx + 1) + x.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from apps.sort.deal import Counts, Deal, Keys
from polyloom.collectives.models.sorting import Pass, crossing, published
from polyloom.collectives.models.topology import Topology, fully_connected

Column = NDArray[np.uint32]
Areas = list[Column]

_LOCAL_SORT = published(fully_connected(2))[-4:]


class Cluster(Protocol):
    """A cluster that holds the two columns. Each operation appends the memory passes that it takes to ``log``."""

    topology: Topology
    channels: int
    log: list[Pass]

    def histogram(self, bounds: Keys) -> Counts:
        """Records of each bucket, [node, bucket]. One pass over the keys."""

    def local_sort(self, deals: Sequence[Deal]) -> None:
        """Deal the records of node n to its areas as deals[n] says: keys, then values steered by keys read again."""

    def exchange(self, dimension: int) -> None:
        """All-to-all in each group of a dimension: area m goes to member m, into the area of its source."""

    def fused(self, dimension: int, send: Sequence[Deal], receive: Sequence[Deal] | None) -> None:
        """Records of node n go to members of its group as send[n] says; where they come, into areas by receive[n].

        One pass a column: dealt on the way out and on the way in. None: areas as the next pass reads them best.
        """

    def areas(self, node: int) -> tuple[Areas, Areas]:
        """Keys and values of a node, by area."""


class OrderingCluster(Cluster, Protocol):
    """A cluster whose nodes can order what lies in a channel; no collective node has such an operator yet."""

    def order(self, bases: NDArray[np.uint32], shift: int, bits: int) -> None:
        """Inside each channel, stable, by ``bits`` bits from ``shift`` of key - bases[node, channel]."""


class NumpyCluster:
    """Reference implementation of OrderingCluster; partitions are stable."""

    def __init__(self, topology: Topology, channels: int, keys: Sequence[Column], values: Sequence[Column]) -> None:
        if len(keys) != topology.nodes or len(values) != topology.nodes:
            raise ValueError(f"{topology.name} needs {topology.nodes} columns, got {len(keys)} and {len(values)}")
        for node, (key, value) in enumerate(zip(keys, values, strict=True)):
            if len(key) != len(value):
                raise ValueError(f"node {node} has {len(key)} keys and {len(value)} values")
        self.topology = topology
        self.channels = channels
        self.log: list[Pass] = []
        self._keys = [list(np.array_split(np.asarray(key, dtype=np.uint32), channels)) for key in keys]
        self._values = [list(np.array_split(np.asarray(value, dtype=np.uint32), channels)) for value in values]

    def areas(self, node: int) -> tuple[Areas, Areas]:
        """Keys and values of a node, by area."""
        return self._keys[node], self._values[node]

    def histogram(self, bounds: Keys) -> Counts:
        """Records of each bucket, [node, bucket]."""
        self.log.append(Pass("histogram", "key"))
        counts = np.zeros((self.topology.nodes, len(bounds)), dtype=np.int64)
        for node, areas in enumerate(self._keys):
            found = np.searchsorted(bounds, np.concatenate(areas), side="right") - 1
            counts[node] = np.bincount(found, minlength=len(bounds))
        return counts

    def _dealt(self, node: int, deal: Deal) -> tuple[Areas, Areas]:
        keys, values = (np.concatenate(areas) for areas in self.areas(node))
        outputs = deal.route(keys)
        chosen = [outputs == output for output in range(deal.outputs)]
        return [keys[each] for each in chosen], [values[each] for each in chosen]

    def local_sort(self, deals: Sequence[Deal]) -> None:
        """Deal the records of node n to its areas as deals[n] says."""
        self.log += _LOCAL_SORT
        for node, deal in enumerate(deals):
            self._keys[node], self._values[node] = self._dealt(node, deal)

    def exchange(self, dimension: int) -> None:
        """All-to-all in each group of a dimension."""
        self.log += crossing("exchange", self.topology, dimension)
        self._transpose(dimension)

    def _transpose(self, dimension: int) -> None:
        for columns in (self._keys, self._values):
            for group in self.topology.groups(dimension):
                if any(len(columns[node]) != len(group) for node in group):
                    raise ValueError(f"dimension {dimension} needs an area for each of its {len(group)} members")
                arrived = [[columns[source][place] for source in group] for place in range(len(group))]
                for node, areas in zip(group, arrived, strict=True):
                    columns[node] = areas

    def fused(self, dimension: int, send: Sequence[Deal], receive: Sequence[Deal] | None) -> None:
        """All-to-all that deals records on both sides."""
        self.log += crossing("fused", self.topology, dimension)
        for node, deal in enumerate(send):
            self._keys[node], self._values[node] = self._dealt(node, deal)
        self._transpose(dimension)
        for node, deal in enumerate(receive or []):
            self._keys[node], self._values[node] = self._dealt(node, deal)

    def order(self, bases: NDArray[np.uint32], shift: int, bits: int) -> None:
        """Inside each channel, stable, by a digit of the key."""
        self.log += [Pass("move", "key"), Pass("move", "value")]
        for node in range(self.topology.nodes):
            keys, values = self.areas(node)
            for channel, key in enumerate(keys):
                digit = (key - bases[node, channel]) >> np.uint32(shift) & np.uint32((1 << bits) - 1)
                order = np.argsort(digit, kind="stable")
                keys[channel], values[channel] = key[order], values[channel][order]
