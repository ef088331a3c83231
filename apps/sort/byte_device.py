# SPDX-License-Identifier: Apache-2.0
"""Executes programs of collective nodes on bytes with NumPy: a ``Device`` for tests, written from program.h alone.

A node's step runs when all that it takes has come; no time, no pulses. What a node may not do raises AssertionError:
a stream longer than its place, ends of a lane that disagree, a part used twice in a step.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from apps.sort.device import Bytes, Outcome, ReceiveOverflow, Region
from apps.sort.steps import Place, Program
from polyloom.collectives.program import Instruction

READ, WRITE, SEND, TAKE, FEED, CONFIG, GO = range(1, 8)
Words = NDArray[np.uint32]


class ByteDevice:
    """Fully connected; lane l of rank r leads to the l-th other rank."""

    def __init__(self, ranks: int, channels: int = 8, partitions: int = 2, record_beats: int = 1 << 20) -> None:
        self.ranks, self.channels, self.ports, self.partitions = ranks, channels, channels, partitions
        self.channel_bytes = 1 << 24
        self.record_beats = record_beats
        self._memory = defaultdict[tuple[int, int, int], Bytes](lambda: np.zeros(0, np.uint8))
        self.overflows = False  # whether steps in which a second partition takes from lanes fail
        self.busiest = 0  # bytes over the busiest lane of each run, summed
        self._free = defaultdict[tuple[int, int, int], int](int)
        self._kept: dict[int, tuple[dict[int, Bytes], dict[int, Bytes]]] = {}  # of the step: what is read, what leaves
        self._records: list[dict[int, NDArray[np.int64]]] = [{} for _ in range(ranks)]

    def lane(self, rank: int, peer: int) -> int:
        """Lane of a rank to a peer."""
        return peer if peer < rank else peer - 1

    def allocate(self, rank: int, channel: int, size: int, half: int) -> Region:
        """Never gives back."""
        at = self._free[rank, channel, half]
        self._free[rank, channel, half] += -(-size // 32) * 32
        return Region(rank, Place(channel, at + half * (1 << 40), size))

    def _view(self, rank: int, place: Place, size: int) -> Bytes:
        half, at = place.base >> 40, place.base & (1 << 40) - 1  # addresses of the halves are far apart
        assert at % 32 == 0
        memory = self._memory[rank, place.channel, half]
        if len(memory) < at + size:
            memory = np.concatenate([memory, np.zeros(at + size, np.uint8)])
            self._memory[rank, place.channel, half] = memory
        return memory[at : at + size]

    def store(self, region: Region, data: Bytes) -> None:
        """Write from the region's begin on."""
        self._view(region.rank, region.place, len(data))[:] = data

    def load(self, region: Region, size: int) -> Bytes:
        """Read from the region's begin on."""
        return self._view(region.rank, region.place, size).copy()

    def run(self, programs: Sequence[Program], status: range) -> Outcome:
        """Execute all programs; the status is that of each node's last step."""
        if self.overflows and any(i.op == FEED and i.number >= self.ports for program in programs for i in program):
            raise ReceiveOverflow("rank 0 had no room for a beat")
        waiting = [deque(_steps(program)) for program in programs]
        lanes = defaultdict[tuple[int, int], deque[Bytes]](deque)  # by destination and its lane
        carried = defaultdict[tuple[int, int], int](int)  # by origin and its lane
        words = [[0] * 256 for _ in programs]
        sent = [False] * len(programs)
        moved = True
        while moved:
            moved = False
            for rank, steps in enumerate(waiting):
                if not steps:
                    continue
                # First what leaves: it does not depend on what comes, but by the second partition, which never leaves.
                if not sent[rank]:
                    words[rank] = [0] * 256
                    for lane, data in self._leaving(rank, steps[0], words[rank]).items():
                        peer = lane if lane < rank else lane + 1
                        carried[rank, lane] += len(data)
                        lanes[peer, self.lane(peer, rank)].append(data)
                    sent[rank] = moved = True
                takes = [i.number for i in steps[0] if i.op == TAKE]
                if all(lanes[rank, lane] for lane in takes):
                    came = {lane: lanes[rank, lane].popleft() for lane in takes}
                    self._arriving(rank, steps.popleft(), came, words[rank])
                    sent[rank], moved = False, True
        assert not any(waiting), f"steps wait: {[len(steps) for steps in waiting]}"
        assert not any(lanes.values()), "blocks that nothing takes"
        self.busiest += max(carried.values(), default=0)
        return Outcome([[each[i] for i in status] for each in words], 0.0, 0.0)

    def _leaving(self, rank: int, step: Program, status: list[int]) -> dict[int, Bytes]:
        reads = {i.number: self._read(rank, i) for i in step if i.op == READ}
        outputs = self._partition(rank, step, reads, status, 0)
        self._kept[rank] = (reads, outputs)
        sends = [i for i in step if i.op == SEND]
        return {i.number: outputs[i.source - 0xC0] if i.source >= 0xC0 else reads[i.source] for i in sends}

    def _arriving(self, rank: int, step: Program, came: dict[int, Bytes], status: list[int]) -> None:
        reads, outputs = self._kept[rank]
        by_source = {**reads, **{0x80 + lane: data for lane, data in came.items()}}
        by_source |= {0xC0 + output: data for output, data in outputs.items()}
        second = self._partition(rank, step, by_source, status, self.ports)
        by_source |= {0xC0 + output: data for output, data in second.items()}
        for i in step:
            if i.op == WRITE:
                data = by_source[i.source]
                assert len(data) == i.run_bytes or (i.flags & 4 and len(data) < i.run_bytes), (i, len(data))
                self._view(rank, Place(i.number, i.base, 0), len(data))[:] = data

    def _read(self, rank: int, i: Instruction) -> Bytes:
        parts = [self._view(rank, Place(i.number, i.base + run * i.stride, 0), i.run_bytes) for run in range(i.runs)]
        return np.concatenate(parts)

    def _partition(
        self, rank: int, step: Program, sources: dict[int, Bytes], status: list[int], first: int
    ) -> dict[int, Bytes]:
        """Output ports of the partition whose ports begin at ``first``, as bytes."""
        ports = range(first, first + self.ports)
        configs = {i.number - first: i for i in step if i.op == CONFIG and i.number in ports}
        feeds = {i.number - first: i.source for i in step if i.op == FEED and i.number in ports}
        if not configs:
            assert not feeds
            return {}
        words = {i.base & 0xFFFFFFFF for i in configs.values()}
        assert len(words) == 1
        assert {i.stride for i in configs.values()} == {sum(1 << first + port for port in feeds)}
        word = words.pop()
        at = 128 if first else 0
        assert at + 2 <= len(status)
        chosen = {
            port: self._targets(rank, port, sources[feeds[port]].view(np.uint32), word, configs, status, at)
            for port in sorted(feeds)
        }
        if word >> 19 & 1:
            return {}
        found = {}
        for output in configs:
            parts = [sources[feeds[port]].view(np.uint32)[targets == output] for port, targets in chosen.items()]
            data = np.concatenate(parts)
            status[at + 66 + output] = len(data)
            found[first + output] = data.view(np.uint8)
        return found

    def _targets(
        self, rank: int, port: int, data: Words, word: int, configs: dict[int, Instruction], status: list[int], at: int
    ) -> NDArray[np.int64]:
        """Output of each word of one input."""
        shift, bits, pair, record, steer = word & 31, word >> 8 & 7, word >> 16 & 1, word >> 17 & 1, word >> 18 & 1
        if steer:
            targets = self._records[rank][port]
            assert len(data) <= len(targets)
            return targets[: len(data)]
        place = np.arange(len(data))
        key = data[place & ~1] if pair else data
        bucket = key >> np.uint32(shift) & np.uint32((1 << bits) - 1)
        for found, count in zip(*np.unique(bucket[:: 2 if pair else 1], return_counts=True), strict=True):
            status[at + 2 + int(found)] += int(count)
        lane = place % 8 & ~1 if pair else place % 8
        phase = (lane + place // 8) % self.ports
        route = bucket >> np.uint32(bits == 6)
        targets = np.full(len(data), -1)
        for which in np.unique(route):
            members = [o for o, i in sorted(configs.items()) if i.base >> 32 + int(which) & 1]
            assert members, "a route without an output"
            here = route == which
            targets[here] = np.array(members)[phase[here] * len(members) // self.ports]
        if record:
            assert len(data) <= 8 * self.record_beats
            self._records[rank][port] = targets
        return targets


def _steps(program: Program) -> list[Program]:
    found: list[Program] = [[]]
    for i in program:
        if i.op == GO:
            found.append([])
        else:
            assert all((i.op, i.number) != (other.op, other.number) for other in found[-1])
            found[-1].append(i)
    assert not found.pop(), "instructions after the last go"
    return found
