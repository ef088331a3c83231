# SPDX-License-Identifier: Apache-2.0
"""What the tests of the network's parts share: messages, who writes them, and the rules of a router on lists.

The rules are those of roles/overlay/rtl/noc/README.md: a message is granted whole, with room for the longest one; its
flits follow each other; its place is free again when its last flit has left; of those who wait the next in turn wins.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from polyloom.rtl.testing import Harness, Stall, Struct

FLIT = Struct.of("polyloom_overlay_pkg::flit_t", flat=True)
UNICAST, MASK, KEY, HOST = range(4)
NORTH, EAST, SOUTH, WEST = range(4)


def bits(of: set[int] | set[int | None]) -> int:
    """A word with these bits."""
    return sum(1 << bit for bit in of if bit is not None)


@dataclass
class Message:
    """Flits as they are on the wire, and the output that they take."""

    flits: list[int]
    way: int

    def __len__(self) -> int:
        return len(self.flits)


def message_of(rng: random.Random, kind: int, dest: int, way: int, longest: int) -> Message:
    """A message of any length; a header means something with the first flit only."""
    flits = []
    length = rng.randint(1, longest)
    for i in range(length):
        head = {"kind": kind, "flits": length - 1, "dest": dest, "mask": rng.getrandbits(64)}
        if i > 0:
            head = {"kind": rng.randrange(8), "flits": rng.randrange(4), "dest": rng.getrandbits(20), "mask": 0}
        flits.append(FLIT.pack(first=int(i == 0), last=int(i == length - 1), data=rng.getrandbits(128), **head))
    return Message(flits, way)


class Writer:
    """Puts messages on a wire: each begins after a cycle with room, in the next one or later."""

    def __init__(self, rng: random.Random, make: Callable[[], Message | None]) -> None:
        self._make, self._stall = make, Stall(rng, "random")
        self._message: Message | None = None
        self._left, self._may = 0, False
        self.blocked = 0  # cycles without room

    def next(self) -> tuple[Message, int] | None:
        """The coming cycle's message and number of the flit; None: nothing on the wire."""
        if self._left == 0 and self._may and not self._stall():
            self._message = self._make()
            self._left, self._may = len(self._message or ()), False
        if self._message is None or self._left == 0:
            return None
        return self._message, len(self._message) - self._left

    def end(self, room: bool) -> None:
        """The cycle ends in which there was room, or not."""
        self._may = self._may or (room and self._left <= 1)
        self._left -= self._left > 0
        self.blocked += not room


class InputModel:
    """Messages in the buffer of an input, in order; the first one may be leaving."""

    def __init__(self, size: int, longest: int) -> None:
        self.size, self.longest = size, longest
        self.inside: deque[Message] = deque()  # all whose last flit has not left
        self.gone = 0  # flits of the first one that have left

    def room(self, arriving: Message | None) -> bool:
        """Beside what is here and what begins in this cycle."""
        return sum(map(len, self.inside)) + len(arriving or ()) + self.longest <= self.size

    def head(self) -> Message | None:
        """Who may be granted."""
        return self.inside[0] if self.inside and self.gone == 0 else None

    def ending(self) -> bool:
        """Whether the last flit of a message that was granted earlier leaves."""
        return self.gone > 0 and self.gone == len(self.inside[0]) - 1

    def flit(self) -> int:
        """That may leave, or does."""
        return self.inside[0].flits[self.gone]

    def end(self, arriving: Message | None, granted: bool) -> None:
        """The cycle ends."""
        if granted or self.gone:
            self.gone += 1
            if self.gone == len(self.inside[0]):
                self.inside.popleft()
                self.gone = 0
        if arriving:
            self.inside.append(arriving)


class ArbiterModel:
    """Who sends: one message after the other, the first after the last winner among those who ask."""

    def __init__(self, legs: int) -> None:
        self.legs, self.last = legs, legs - 1
        self.owner: int | None = None

    def choice(self, requesting: set[int]) -> int | None:
        """Whose flit may be sent."""
        if self.owner is not None:
            return self.owner
        return next(
            (leg for leg in ((self.last + 1 + n) % self.legs for n in range(self.legs)) if leg in requesting), None
        )

    def end(self, requesting: set[int], long: set[int], ending: set[int], room: bool) -> tuple[int | None, int | None]:
        """The cycle ends: who is granted, who sends a flit."""
        leg = self.choice(requesting)
        if self.owner is not None:
            self.owner = None if leg in ending else leg
            return None, leg
        if leg is None or not room:
            return None, None
        self.last = leg
        self.owner = leg if leg in long else None
        return leg, leg


class CrossbarModel:
    """A router without its routes. ``sizes``: flits that each input's buffer holds."""

    def __init__(self, sizes: list[int], longest: int) -> None:
        self.inputs = [InputModel(size, longest) for size in sizes]
        self.arbiters = [ArbiterModel(len(sizes)) for _ in sizes]
        self.wires: list[int | None] = [None] * len(sizes)  # flits on the outputs in this cycle
        self.turns: set[tuple[int, int]] = set()  # (input, output) of messages that were granted

    def room(self, arriving: list[Message | None]) -> list[bool]:
        """At each input."""
        return [port.room(message) for port, message in zip(self.inputs, arriving, strict=True)]

    def end(self, arriving: list[Message | None], room: list[bool]) -> None:
        """The cycle ends, in which the outputs had room, or not."""
        heads = {i: head for i, port in enumerate(self.inputs) if (head := port.head())}
        long = {i for i, head in heads.items() if len(head) > 1}
        ending = {i for i, port in enumerate(self.inputs) if port.ending()}
        granted = set()
        for o, arbiter in enumerate(self.arbiters):
            requesting = {i for i, head in heads.items() if head.way == o}
            winner, sends = arbiter.end(requesting, long, ending, room[o])
            self.wires[o] = None if sends is None else self.inputs[sends].flit()
            if winner is not None:
                granted.add(winner)
                self.turns.add((winner, o))
        for i, port in enumerate(self.inputs):
            port.end(arriving[i], i in granted)


class Ports:
    """Messages into a router and room at its outputs at random; the model's outputs must come in every cycle.

    ``make(p)``: a message for input p, None if there can be none. A router with other outputs has its own
    `drive_outputs` and `check_outputs`.
    """

    def __init__(self, h: Harness, model: CrossbarModel, make: Callable[[int], Message | None], width: int) -> None:
        self.h, self.rng, self.model, self.width = h, h.rng, model, width
        self.ports = len(model.inputs)
        self.writers = [Writer(h.rng, lambda p=p: make(p)) for p in range(self.ports)]  # type: ignore[misc]
        self.io = {name: h.signal(name) for name in ("in_valid", "in", "in_room", "out_valid", "out", "out_room")}
        self.no_room = [Stall(h.rng, "random") for _ in range(self.ports)]
        self.now: list[tuple[Message, int] | None] = []
        self.room: list[bool] = []

    def drive(self) -> None:
        """Flits, noise where there is none."""
        self.now = [writer.next() for writer in self.writers]
        words = [self.rng.getrandbits(self.width) if now is None else now[0].flits[now[1]] for now in self.now]
        self.io["in_valid"].set(bits({p for p, now in enumerate(self.now) if now}))
        self.io["in"].set(sum(word << self.width * p for p, word in enumerate(words)))
        self.drive_outputs()

    def drive_outputs(self) -> None:
        """Room at each."""
        self.room = [not stall() for stall in self.no_room]
        self.io["out_room"].set(bits({o for o, room in enumerate(self.room) if room}))

    def check(self, cycle: int) -> None:
        """Compare, then the cycle ends."""
        arriving = [now[0] if now and now[1] == 0 else None for now in self.now]
        room = self.model.room(arriving)
        got = self.io["in_room"].get()
        expected = bits({p for p in range(self.ports) if room[p]})
        assert got == expected, f"cycle {cycle}: room {got:#b}, expected {expected:#b}"
        self.check_outputs(cycle)
        self.model.end(arriving, self.room)
        for writer, has_room in zip(self.writers, room, strict=True):
            writer.end(has_room)

    def check_outputs(self, cycle: int) -> None:
        """Compare what is on their wires."""
        self.compare("out_valid", "out", self.model.wires, cycle)

    def compare(self, valid: str, payload: str, expected: list[int | None], cycle: int) -> None:
        """The flits of some outputs."""
        got = self.io[valid].get()
        want = bits({o for o, flit in enumerate(expected) if flit is not None})
        assert got == want, f"cycle {cycle}: {valid} {got:#b}, expected {want:#b}"
        words = self.io[payload].get()
        for o, flit in enumerate(expected):
            word = words >> self.width * o & (1 << self.width) - 1
            assert flit is None or word == flit, f"cycle {cycle}: {payload} {o} is {word:#x}, expected {flit:#x}"
