# SPDX-License-Identifier: Apache-2.0
"""A ``Cluster`` whose passes are programs of collective nodes: simulated, natively interpreted, or in a test's model.

Two layouts. ``columns``: keys and values apart, as the paper has them; values are steered by what the partition
remembers of the keys. ``pairs``: records of 64 bit, so that a pass moves both columns and nothing is read twice.
Input: columns of each node. Output: areas; ``seconds``, the time of all passes, each from a barrier to its last end;
``elapsed``, from the first pass's begin to the last one's end, so with the host's turns in between: it reads lengths
from the operator's status words and writes the next pass's programs; ``traffic``, what the lanes had to carry.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from apps.sort import steps
from apps.sort.cluster import Areas, Column
from apps.sort.deal import Counts, Deal, Keys
from apps.sort.device import Device, Outcome, ReceiveOverflow, Region
from apps.sort.steps import BUCKET_WORD, OUTPUT_WORD, SECOND, Place, Program, Setup
from apps.sort.traffic import Traffic
from polyloom.collectives import CollectiveError
from polyloom.collectives import program as p
from polyloom.collectives.models.sorting import Pass, crossing, published
from polyloom.collectives.models.topology import Topology, fully_connected

Layout = Literal["columns", "pairs"]
_LOCAL_SORT = published(fully_connected(2))[-4:]
_BUCKETS = 1 << steps.HISTOGRAM_BITS
_SAMPLE_RUN = 1024  # bytes read at once when a part of the records is counted


@dataclass
class Segment:
    """Records in one channel: one region (pairs) or two (keys, values)."""

    regions: tuple[Region, ...]
    count: int


Node = list[list[Segment]]  # areas of segments; all in different channels, in the same half


def _whole_beats(size: int) -> int:
    return -(-max(size, 1) // p.BEAT) * p.BEAT


def require_partition(device: Device, topology: Topology) -> None:
    """ValueError for nodes that cannot deal to all members of a dimension; their fault would be an instruction's."""
    members = max(dimension.members for dimension in topology.dimensions)
    if device.partitions and min(device.ports, device.channels) >= members:
        return
    has = f"one of {device.ports} outputs" if device.partitions else "none"
    raise ValueError(
        f"a sort between {members} nodes deals records to all of them, to a memory channel each, by the nodes' "
        f"partition operator. It needs {members} channels ([memory.*] channels) and "
        '"partition" among operators in [collective], '
        f"of {members} outputs (operator_inputs, a power of two; unsaid, as many as channels); these nodes have "
        f"channels: {device.channels}, partition operator: {has}"
    )


class DeviceCluster:
    """See the module. ``sample``: a histogram reads one in so many of the records (pairs only)."""

    def __init__(
        self,
        device: Device,
        topology: Topology,
        keys: Sequence[Column],
        values: Sequence[Column],
        layout: Layout = "columns",
        sample: int = 1,
    ) -> None:
        if device.ranks != topology.nodes:
            raise ValueError(f"{topology.name} of {topology.nodes} nodes; the cluster has {device.ranks}")
        require_partition(device, topology)
        if any(len(key) != len(value) for key, value in zip(keys, values, strict=True)):
            raise ValueError("keys and values differ in number")
        if sample > 1 and layout != "pairs":
            raise ValueError("only pairs can be sampled")
        self.topology = topology
        self.device = device
        self.channels = min(device.channels, device.ports)
        self.log: list[Pass] = []
        self.seconds = self.elapsed = self._begin = 0.0
        self.pass_seconds: list[float] = []
        self.overflows = 0
        self.traffic = Traffic(keys)
        self._pairs = layout == "pairs"
        self._sample = sample
        self._item = 8 if self._pairs else 4
        self._half = 0
        self._most = device.channel_bytes // 2 // 8  # records that half a channel holds
        self._clipped = False  # whether a pass's rooms may be too small for what comes
        self._largest = [int(key.max()) if len(key) else 0 for key in keys]
        self._nodes: list[Node] = []
        for rank, (key, value) in enumerate(zip(keys, values, strict=True)):
            shares = zip(np.array_split(key, self.channels), np.array_split(value, self.channels), strict=True)
            self._nodes.append([[self._loaded(rank, c, *share)] for c, share in enumerate(shares)])

    # ---- memory

    def _loaded(self, rank: int, channel: int, keys: Column, values: Column) -> Segment:
        columns = [np.column_stack([keys, values]).reshape(-1)] if self._pairs else [keys, values]
        if len(keys) > self._most:
            raise ValueError(self._too_many(f"{len(keys)} records for channel {channel} of node {rank}"))
        segment = self._segment(rank, channel, 0, len(keys))
        for region, column in zip(segment.regions, columns, strict=True):
            if len(column):
                self.device.store(region, np.ascontiguousarray(column, dtype=np.uint32).view(np.uint8))
        segment.count = len(keys)
        return segment

    def _segment(self, rank: int, channel: int, half: int, most: int) -> Segment:
        """Room for ``most`` records, with nothing in it; at most half a channel: see ``_run``."""
        size = min(_whole_beats(most * self._item), self._most * self._item)
        self._clipped = self._clipped or most > self._most
        columns = range(1 if self._pairs else 2)
        return Segment(tuple(self.device.allocate(rank, channel, size, half) for _ in columns), 0)

    def _too_many(self, what: str) -> str:
        return (
            f"{what}: half of a memory channel of {self.device.channel_bytes} bytes holds {self._most}, and a pass "
            "reads one half and fills the other; give fewer records, or a cluster with larger channels ([memory] size)"
        )

    def _held(self, rank: int) -> list[Segment]:
        return [segment for area in self._nodes[rank] for segment in area if segment.count]

    def _total(self, rank: int) -> int:
        return sum(segment.count for segment in self._held(rank))

    def _source(self, segment: Segment, column: int) -> Place:
        place = segment.regions[column].place
        return Place(place.channel, place.base, segment.count * self._item)

    def areas(self, node: int) -> tuple[Areas, Areas]:
        """Keys and values of a node, by area."""
        keys: Areas = []
        values: Areas = []
        for area in self._nodes[node]:
            columns = [[self._column(segment, n) for segment in area if segment.count] for n in (0, 1)]
            for target, parts in zip((keys, values), columns, strict=True):
                target.append(np.concatenate([np.zeros(0, np.uint32), *parts]))
        return keys, values

    def _column(self, segment: Segment, column: int) -> Column:
        if self._pairs:
            pairs: Column = self.device.load(segment.regions[0], segment.count * 8).view(np.uint32).reshape(-1, 2)
            return pairs[:, column]
        found: Column = self.device.load(segment.regions[column], segment.count * 4).view(np.uint32)
        return found

    # ---- running

    def _run(self, programs: Sequence[list[Program]], wanted: range) -> Outcome:
        """Each node's steps, one after the other; steps without anything in them are left out."""
        codes: list[Program] = []
        for node_steps in programs:
            there = [step for step in node_steps if step]
            marks = [p.NO_MARK] * (len(there) - 1) + [1]
            codes.append([i for step, mark in zip(there, marks, strict=False) for i in [*step, p.go(mark)]])
        if not any(codes):
            return Outcome([[0] * len(wanted)] * len(programs), 0.0, 0.0)
        try:
            outcome = self.device.run(codes, wanted)
        except CollectiveError as error:
            if not self._clipped:
                raise
            raise ValueError(self._too_many("these keys bring too many records to one channel")) from error
        self._clipped = False
        # A node without steps still shows the words of an earlier program.
        status = [words if code else [0] * len(wanted) for words, code in zip(outcome.status, codes, strict=True)]
        if not self.pass_seconds:
            self._begin = outcome.begin
        self.pass_seconds.append(outcome.end - outcome.begin)
        self.seconds += self.pass_seconds[-1]
        self.elapsed = outcome.end - self._begin
        return replace(outcome, status=status)

    # ---- operations of Cluster

    def histogram(self, bounds: Keys) -> Counts:
        """Records of each type, [node, type]; of a sample: an estimate."""
        self.log.append(Pass("histogram", "key"))
        shift, kinds = steps.type_shift(bounds)
        if kinds > _BUCKETS + 1:
            raise ValueError(f"the partition operator counts {_BUCKETS} types, not {kinds}")
        for node, largest in enumerate(self._largest):  # the operator sees six bits; the host has seen the keys
            if kinds > 1 and largest >> shift >= _BUCKETS:
                raise ValueError(f"node {node} holds keys of type {_BUCKETS} or above (key >> {shift})")
        setup = steps.histogram_setup(shift, self.device.ports, self._pairs)
        programs = []
        for rank in range(self.topology.nodes):
            sources = [self._source(segment, 0) for segment in self._held(rank)]
            step = steps.local_step(sources, setup, {}) if sources else []
            programs.append([[self._sampled(i) for i in step]])
        status = self._run(programs, range(BUCKET_WORD, BUCKET_WORD + _BUCKETS)).status
        found = np.array(status, dtype=np.int64)
        counts = np.zeros((self.topology.nodes, kinds), dtype=np.int64)
        counts[:, : min(kinds, _BUCKETS)] = found[:, :kinds]
        if kinds <= _BUCKETS:
            counts[:, -1] += found[:, kinds:].sum(axis=1)
        return counts * self._sample

    def _sampled(self, instruction: p.Instruction) -> p.Instruction:
        span = _SAMPLE_RUN * self._sample
        if self._sample == 1 or instruction.op != p.read(0, 0, 1).op or instruction.run_bytes < span:
            return instruction
        runs = instruction.run_bytes // span
        return instruction._replace(run_bytes=_SAMPLE_RUN, runs=runs, stride=span)

    def local_sort(self, deals: Sequence[Deal]) -> None:
        """Deal the records of node n to its areas as deals[n] says: four passes of columns, or one of pairs."""
        self.log += _LOCAL_SORT
        self._local(deals)

    def _local(self, deals: Sequence[Deal]) -> None:
        programs: list[list[Program]] = []
        found: list[Node] = []
        fans = []
        for rank, deal in enumerate(deals):
            fan = self.channels // deal.outputs
            setup = steps.setup_for(deal, self.device.ports, fan, self._pairs)
            most = self._total(rank)
            slots = range(deal.outputs * fan)
            room = [self._segment(rank, o, 1 - self._half, most if o in setup.outputs else 0) for o in slots]
            found.append([room[m * fan : (m + 1) * fan] for m in range(deal.outputs)])
            fans.append(fan)
            self._check_remembered(rank)
            programs.append(self._dealing(self._held(rank), setup, room) if most else [])
        status = self._run(programs, range(OUTPUT_WORD, OUTPUT_WORD + self.device.ports)).status
        for words, areas, fan in zip(status, found, fans, strict=True):
            for m, area in enumerate(areas):
                for turn, segment in enumerate(area):
                    segment.count = words[m * fan + turn] * 4 // self._item
        self._settle(found)

    def _check_remembered(self, rank: int) -> None:
        remembered = self.device.record_beats * p.BEAT // 4
        most = max((segment.count for segment in self._held(rank)), default=0)
        if not self._pairs and most > remembered:
            raise ValueError(
                f"channel by channel, a node remembers where {remembered} keys went ([collective] record_beats = "
                f"{self.device.record_beats}), and node {rank} has {most} in one; give fewer records, or take "
                "--algorithm fused, which remembers none"
            )

    def _dealing(self, held: list[Segment], setup: Setup, room: list[Segment]) -> list[Program]:
        def step(column: int, how: Setup, into: int) -> Program:
            targets = {} if how.silent else {o: room[o].regions[into].place for o in how.outputs}
            return steps.local_step([self._source(each, column) for each in held], how, targets)

        if self._pairs:
            return [step(0, setup, 0)]
        remember, follow = setup.remembering(), setup.following()
        return [step(0, remember, 0), step(0, follow, 0), step(0, remember, 0), step(1, follow, 1)]

    def _settle(self, found: list[Node]) -> None:
        counts = [sum(s.count for node in nodes for area in node for s in area) for nodes in (self._nodes, found)]
        if counts[0] != counts[1]:
            raise RuntimeError(f"a pass began with {counts[0]} records and ended with {counts[1]}")
        self._nodes = found
        self._half = 1 - self._half

    def exchange(self, dimension: int) -> None:
        """All-to-all in each group of a dimension, column after column."""
        self.log += crossing("exchange", self.topology, dimension)
        if self._pairs:
            raise ValueError("pairs are exchanged by fused()")
        programs: list[list[Program]] = [[] for _ in range(self.topology.nodes)]
        found: list[Node] = [[] for _ in range(self.topology.nodes)]
        sent = [[0] * self.topology.nodes for _ in range(self.topology.nodes)]
        for group in self.topology.groups(dimension):
            fan = len(self._nodes[group[0]][0])
            for place, rank in enumerate(group):
                sources = [self._nodes[source][place] for source in group]
                for m, area in enumerate(sources):
                    sent[group[m]][rank] = sum(each.count for each in area)
                    room = [self._segment(rank, m * fan + j, 1 - self._half, each.count) for j, each in enumerate(area)]
                    for segment, each in zip(room, area, strict=True):
                        segment.count = each.count
                    found[rank].append(room)
        for group in self.topology.groups(dimension):
            fan = len(self._nodes[group[0]][0])
            for place, rank in enumerate(group):
                steps_of = [self._crossing(group, place, found[rank], c, j) for c in (0, 1) for j in range(fan)]
                programs[rank] = steps_of
        self._run(programs, range(0))
        self.traffic.exchanged(sent)
        self._settle(found)

    def _crossing(self, group: Sequence[int], place: int, room: Node, column: int, turn: int) -> Program:
        rank = group[place]
        sends, takes = {}, {}
        own = None
        for m, peer in enumerate(group):
            out, into = self._nodes[rank][m][turn], room[m][turn]
            if m == place:
                own = (self._source(out, column), self._source(into, column)) if out.count else None
                continue
            lane = self.device.lane(rank, peer)
            if out.count:
                sends[lane] = self._source(out, column)
            if into.count:
                takes[lane] = self._source(into, column)
        return steps.exchange_step(sends, takes, own)

    def fused(self, dimension: int, send: Sequence[Deal], receive: Sequence[Deal] | None) -> None:
        """All-to-all that deals records on the way out and, where nodes have a second partition, on the way in.

        With one partition what arrives is dealt in a pass of its own. So it is where lanes bring more for one channel
        than it takes, as sorted keys do: links cannot wait, the nodes stop, and the pass is made again in two
        (``overflows``; the time that was lost is not known and not counted).
        """
        self.log += crossing("fused", self.topology, dimension)
        if not self._pairs:
            raise ValueError("the fused sort needs pairs")
        ports = self.device.ports
        # Where nothing is asked for, the second partition spreads records over all channels for the next pass.
        into = [steps.setup_for(deal, ports, pair=True) for deal in receive or []]
        into = into or [steps.spreading(ports)] * self.topology.nodes
        if self.device.partitions >= 2:
            try:
                self._fused(dimension, send, into)
                return
            except ReceiveOverflow:
                self.overflows += 1
        self._fused(dimension, send, None)
        if receive is not None:
            self._local(receive)

    def _fused(self, dimension: int, send: Sequence[Deal], receive: Sequence[Setup] | None) -> None:
        ports = self.device.ports
        setups = [steps.setup_for(deal, ports, pair=True) for deal in send]
        programs: list[list[Program]] = [[] for _ in range(self.topology.nodes)]
        found: list[Node] = [[] for _ in range(self.topology.nodes)]
        came: list[set[int]] = [set() for _ in range(self.topology.nodes)]
        for group in self.topology.groups(dimension):
            everything = sum(self._total(rank) for rank in group)
            for place, rank in enumerate(group):
                into = receive[rank] if receive else None
                rooms = (
                    [self._segment(rank, c, 1 - self._half, everything) for c in range(self.channels)]
                    if into
                    else [self._segment(rank, s, 1 - self._half, self._total(peer)) for s, peer in enumerate(group)]
                )
                found[rank] = [[room] for room in rooms]
                sources = [s for s, peer in enumerate(group) if place in setups[peer].outputs and self._total(peer)]
                came[rank] = set(sources)
                arrivals = {s: self._arrival(group, place, s) for s in sources}
                programs[rank] = [self._fused_step(group, place, setups[rank], arrivals, into, rooms)]
        first = OUTPUT_WORD + (SECOND if receive else 0)
        status = self._run(programs, range(first, first + ports)).status
        for group in self.topology.groups(dimension):
            for place, rank in enumerate(group):
                for s, area in enumerate(found[rank]):  # a node without a partition in its step shows older words
                    if receive and came[rank]:
                        area[0].count = status[rank][s] // 2
                    elif not receive and s in came[rank]:
                        area[0].count = status[group[s]][place] // 2
        last = dimension == len(self.topology.dimensions) - 1
        self.traffic.dealt(self.topology.groups(dimension), setups, last)
        self._settle(found)

    def _arrival(self, group: Sequence[int], place: int, source: int) -> int:
        if source == place:
            return p.from_operator(place)
        return p.from_lane(self.device.lane(group[place], group[source]))

    def _fused_step(
        self,
        group: Sequence[int],
        place: int,
        setup: Setup,
        arrivals: dict[int, int],
        into: Setup | None,
        rooms: list[Segment],
    ) -> Program:
        rank = group[place]
        step: Program = []
        held = self._held(rank)
        if held:
            lanes = {m: self.device.lane(rank, group[m]) for m in setup.outputs if m != place}
            step += steps.send_step([self._source(each, 0) for each in held], setup, lanes)
        step += [p.take(self.device.lane(rank, group[s])) for s in arrivals if s != place]
        places = {o: room.regions[0].place for o, room in enumerate(rooms)}
        if into is None:
            step += [steps.write_open(source, places[s]) for s, source in arrivals.items()]
        elif arrivals:
            step += steps.receive_step(arrivals, into, places, self.device.ports)
        return step
