# SPDX-License-Identifier: Apache-2.0
"""What the sorts need of a cluster of collective nodes, on top of ``polyloom.collectives.Communicator``.

Input: programs of nodes, bytes for their memories; output: bytes, status words, simulated time. Tests put an
interpreter of programs in the communicator's place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from apps.sort.steps import Place, Program
from polyloom.collectives import CollectiveError
from polyloom.collectives import program as p

Bytes = NDArray[np.uint8]


@dataclass
class Region:
    """Memory of one node; free again when nothing refers to ``keep`` any more."""

    rank: int
    place: Place
    keep: Any = None


class ReceiveOverflow(Exception):
    """Lanes brought more than a node could take in; all nodes have stopped and are clear again."""


@dataclass(frozen=True)
class Outcome:
    """Status words of each node after its last step; seconds of their clock: end of the barrier before, last end."""

    status: list[list[int]]
    begin: float
    end: float


class Device(Protocol):
    """A cluster of nodes that execute programs."""

    ranks: int
    channels: int
    channel_bytes: int
    ports: int
    partitions: int
    record_beats: int

    def lane(self, rank: int, peer: int) -> int:
        """First lane of a rank to a peer."""

    def allocate(self, rank: int, channel: int, size: int, half: int) -> Region:
        """Memory of ``size`` bytes in half 0 or 1 of a channel."""

    def store(self, region: Region, data: Bytes) -> None:
        """Write from the region's begin on."""

    def load(self, region: Region, size: int) -> Bytes:
        """Read from the region's begin on."""

    def run(self, programs: Sequence[Program], status: range) -> Outcome:
        """Execute steps (without ``end``), one program a node; mark 1 is on its last step."""


class CommunicatorDevice:
    """The nodes of a Communicator."""

    def __init__(self, communicator: Any) -> None:
        self.communicator = communicator
        self.ranks: int = communicator.size
        self.channels: int = communicator.channels
        self.channel_bytes: int = communicator.channel_bytes
        self.ports: int = communicator.operator_ports
        self.partitions: int = communicator.partitions
        self.record_beats: int = communicator.record_beats

    def lane(self, rank: int, peer: int) -> int:
        """First lane of a rank to a peer."""
        return int(self.communicator.lanes_to(rank, peer)[0])

    def allocate(self, rank: int, channel: int, size: int, half: int) -> Region:
        """Memory of ``size`` bytes in half 0 or 1 of a channel."""
        buffer = self.communicator.allocate(rank, channel, size, ("first", "second")[half])
        return Region(rank, Place(channel, int(buffer.offset), size), buffer)

    def store(self, region: Region, data: Bytes) -> None:
        """Write from the region's begin on."""
        self.communicator.store(region.keep, data)

    def load(self, region: Region, size: int) -> Bytes:
        """Read from the region's begin on."""
        found: Bytes = self.communicator.load(region.keep, np.uint8, size)
        return found

    def run(self, programs: Sequence[Program], status: range) -> Outcome:
        """Execute steps, one program a node."""
        ended = [[*program, p.end()] for program in programs]
        try:
            runs = self.communicator.run_programs(ended, marks=2, status=status)
        except CollectiveError as error:
            if "had no room for a beat" in str(error):
                raise ReceiveOverflow(str(error)) from error
            raise
        begin = min(run.marks[0] for run in runs)
        finish = max(run.marks[1] if program else run.marks[0] for run, program in zip(runs, programs, strict=True))
        clock = self.communicator.clock_hz
        times = (begin / clock, finish / clock) if clock else (0.0, 0.0)
        return Outcome([list(run.status) for run in runs], *times)
