# SPDX-License-Identifier: Apache-2.0
"""Steps of the sorts as instructions of one node: pure functions of what lies where.

Input: where each stream begins and how long it is, the partition's configuration; output: instructions of one step,
without ``go``. Streams with nothing in them must be left out by the caller, on both ends of a lane.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from apps.sort.deal import Deal, Keys
from polyloom.collectives import program as p

MAX_ROUTE_BITS = 5  # of a configuration word: 32 routes
HISTOGRAM_BITS = 6
#: Status words of a partition (blocks/operators/README.md): errors, beats, 64 buckets, words out by output.
BUCKET_WORD, OUTPUT_WORD, SECOND = 2, 66, 128

Program = list[p.Instruction]


@dataclass(frozen=True)
class Place:
    """Bytes in a channel."""

    channel: int
    base: int
    size: int


@dataclass(frozen=True)
class Setup:
    """What a partition does: bucket = ``bits`` key bits from ``shift``; bit r of ``routes[o]``: r leaves by o."""

    shift: int
    bits: int
    routes: tuple[int, ...]
    pair: bool = False
    record: bool = False
    steer: bool = False
    silent: bool = False

    def word(self, output: int) -> int:
        """Configuration word of one output."""
        flags = self.pair << 16 | self.record << 17 | self.steer << 18 | self.silent << 19
        return self.shift | self.bits << 8 | flags | self.routes[output] << 32

    def remembering(self) -> Setup:
        """The same, but keys are only remembered: nothing leaves."""
        return replace(self, record=True, silent=True)

    def following(self) -> Setup:
        """The same, but what comes goes where remembered keys went."""
        return replace(self, steer=True)

    @property
    def outputs(self) -> list[int]:
        """Outputs that something may leave by."""
        return [output for output, routes in enumerate(self.routes) if routes]

    def outputs_of(self, keys: Keys) -> NDArray[np.int64]:
        """Output by which a record of each key leaves; -1 where outputs take turns at it."""
        table = np.full(1 << self.bits, -1, dtype=np.int64)
        for route in range(len(table)):
            members = [output for output, routes in enumerate(self.routes) if routes >> route & 1]
            if len(members) == 1:
                table[route] = members[0]
        found: NDArray[np.int64] = table[keys >> np.uint32(self.shift) & np.uint32(len(table) - 1)]
        return found


def histogram_setup(shift: int, ports: int, pair: bool) -> Setup:
    """Count 64 buckets, let nothing leave."""
    routes = [0] * ports
    for route in range(1 << MAX_ROUTE_BITS):
        routes[route % ports] |= 1 << route
    return Setup(shift, HISTOGRAM_BITS, tuple(routes), pair, silent=True)


def spreading(ports: int) -> Setup:
    """Deal pairs to all outputs in turn, whatever their key."""
    return Setup(0, 0, (1,) * ports, pair=True)


def setup_for(deal: Deal, ports: int, fan: int = 1, pair: bool = False) -> Setup:
    """Setup that deals as ``deal`` says, output m by the operator's outputs m fan to m fan + fan - 1 in turn.

    The operator knows a type by few of its bits only, so this finds bits that tell apart all types that go to
    different outputs. A type without any weight does not occur. ValueError says what the operator cannot do.
    """
    shift, types = type_shift(deal.bounds)
    if deal.outputs * fan > ports:
        raise ValueError(f"a deal to {deal.outputs} x {fan} outputs; the partition has {ports}")
    shown = [_targets(row) for row in deal.weights]
    top = max(1, (types - 1).bit_length())
    for bits in range(MAX_ROUTE_BITS + 1):
        for low in range(max(1, top - bits + 1)):
            chosen: dict[int, frozenset[int]] = {}
            fits = all(
                chosen.setdefault(kind >> low & (1 << bits) - 1, targets) == targets
                for kind, targets in enumerate(shown)
                if targets
            )
            if fits:
                return _routed(shift + low, bits, chosen, ports, fan, pair)
    raise ValueError("the partition operator deals by five bits of the key's type; this deal needs more")


def type_shift(bounds: Keys) -> tuple[int, int]:
    """How far a key is shifted to be its type, and how many types there are."""
    types = len(bounds)
    if types == 1:
        return 0, 1
    width = int(bounds[1])
    if width & (width - 1) or not np.array_equal(bounds, np.arange(types, dtype=np.uint64) * width):
        raise ValueError("the partition operator knows types by key bits, not ranges of any width")
    return width.bit_length() - 1, types


def _targets(weights: NDArray[np.int64]) -> frozenset[int]:
    held = weights[weights > 0]
    if len(held) and held.min() != held.max():
        raise ValueError("the partition operator shares a type in equal turns, not in other shares")
    return frozenset(int(output) for output in np.nonzero(weights)[0])


def _routed(shift: int, bits: int, chosen: Mapping[int, frozenset[int]], ports: int, fan: int, pair: bool) -> Setup:
    routes = [0] * ports
    spare = next(iter(chosen.values()), frozenset({0}))  # for what no type has: every route needs an output
    for route in range(1 << bits):
        for output in chosen.get(route, spare):
            for turn in range(fan):
                routes[output * fan + turn] |= 1 << route
    return Setup(shift, bits, tuple(routes), pair)


def read_and_feed(sources: Sequence[Place], first: int = 0) -> tuple[Program, int]:
    """R# of each place feeds the operator's input of its channel; returns the mask of inputs too."""
    steps: Program = []
    mask = 0
    for place in sources:
        steps += [
            p.read(place.channel, place.base, place.size),
            p.feed(first + place.channel, p.from_read(place.channel)),
        ]
        mask |= 1 << first + place.channel
    return steps, mask


def configs(setup: Setup, mask: int, first: int = 0) -> Program:
    """Configuration of all outputs that are used; ``first``: the partition's first port in the slot."""
    return [p.config(first + output, p.PARTITION, setup.word(output), mask) for output in setup.outputs]


def local_step(sources: Sequence[Place], setup: Setup, targets: Mapping[int, Place]) -> Program:
    """Memory -> partition -> memory; output o to targets[o], which must hold the worst case."""
    steps, mask = read_and_feed(sources)
    steps += configs(setup, mask)
    if not setup.silent:
        steps += [write_open(p.from_operator(output), targets[output]) for output in setup.outputs]
    return steps


def write_open(source: int, target: Place) -> p.Instruction:
    """W# takes a stream of unknown length."""
    return p.write(target.channel, source, target.base, target.size, open_end=True)


def send_step(sources: Sequence[Place], setup: Setup, lanes: Mapping[int, int]) -> Program:
    """Memory -> partition -> lanes: output o leaves by lanes[o]; other outputs are the caller's to take."""
    steps, mask = read_and_feed(sources)
    steps += configs(setup, mask)
    return steps + [p.send(lane, p.from_operator(output)) for output, lane in lanes.items()]


def receive_step(arrivals: Mapping[int, int], setup: Setup, targets: Mapping[int, Place], first: int) -> Program:
    """What comes from member s (source arrivals[s]) -> second partition, ports from ``first`` -> memory."""
    mask = sum(1 << first + member for member in arrivals)
    steps = [p.feed(first + member, source) for member, source in arrivals.items()]
    steps += configs(setup, mask, first)
    return steps + [write_open(p.from_operator(first + output), targets[output]) for output in setup.outputs]


def exchange_step(sends: Mapping[int, Place], takes: Mapping[int, Place], own: tuple[Place, Place] | None) -> Program:
    """All-to-all of a group: by lane what leaves and what comes; ``own``: from where to where inside the node."""
    steps: Program = []
    for lane, place in sends.items():
        steps += [p.read(place.channel, place.base, place.size), p.send(lane, p.from_read(place.channel))]
    for lane, place in takes.items():
        steps += [p.take(lane), p.write(place.channel, p.from_lane(lane), place.base, place.size)]
    if own is not None:
        source, target = own
        steps.append(p.read(source.channel, source.base, source.size))
        steps.append(p.write(target.channel, p.from_read(source.channel), target.base, target.size))
    return steps
