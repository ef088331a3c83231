# SPDX-License-Identifier: Apache-2.0
"""Which of the models' topologies a communicator's lanes are. Input: who is linked to whom; output: a ``Topology``."""

from __future__ import annotations

from typing import Any

from polyloom.collectives.models.topology import Topology, fully_connected, hypercube


def topology_of(communicator: Any) -> Topology:
    """Fully connected, or a hypercube whose ranks count x first. ValueError if it is neither."""
    ranks = int(communicator.size)
    peers = [{peer for peer, _ in communicator.lane_ends(rank) if peer >= 0} for rank in range(ranks)]
    for width in range(ranks, 0, -1):
        if ranks % width == 0 and all(peers[rank] == _neighbours(rank, width, ranks) for rank in range(ranks)):
            return fully_connected(ranks) if width == ranks else hypercube(width - 1, ranks // width - 1)
    raise ValueError("the cluster is neither fully connected nor a two-dimensional hypercube")


def _neighbours(rank: int, width: int, ranks: int) -> set[int]:
    row, column = rank - rank % width, rank % width
    return (set(range(row, row + width)) | set(range(column, ranks, width))) - {rank}
