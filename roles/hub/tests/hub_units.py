# SPDX-License-Identifier: Apache-2.0
"""TLPs, the routing rules written down a second time, and the far ends of links, for the tests of this folder."""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass, field

from polyloom.rtl.testing import Harness, Struct
from polyloom.rtl.testing.stall import Stall

NORTH, EAST, SOUTH, WEST, LOCAL, REPLY = range(6)
READ, COMPLETION, WRITE = 0x20, 0x4A, 0x60
(NONE, UNMAPPED, OVERLAP, ABSENT, POISONED, TURN, MALFORMED, REFUSED, PROXY_FULL, FUNCTION_FULL) = range(10)
MAX_PAYLOAD, SLOTS = 128, 4  # of polyloom_hub_pkg::SMALL
BEAT_BYTES, PAGE, READ_BYTES = 16, 4096, 512
WINDOW = 1 << 39
FUNCTION = 1 << 28  # in the hub unit
MEMORY = 1 << 32

BEAT = Struct.of("polyloom_hub_pkg::beat_t")
RULE = Struct.of("polyloom_hub_pkg::rule_t")
FAULT = Struct.of("polyloom_hub_pkg::fault_t")
ROUTE = Struct.of("polyloom_hub_pkg::route_t")


def unit(node: int, number: int, offset: int = 0) -> int:
    """Address of a unit's byte."""
    return node << 35 | number << 33 | offset


@dataclass
class Tlp:
    """A packet; ``payload`` is empty for reads, whose ``length`` says what they want."""

    kind: int
    address: int
    payload: bytes = b""
    length: int = -1
    tag: int = 0
    poisoned: bool = False

    def __post_init__(self) -> None:
        if self.length < 0:
            self.length = len(self.payload)

    def header(self) -> int:
        """As 128 bits."""
        return self.kind | self.poisoned << 8 | self.tag << 16 | self.length << 32 | self.address << 64

    def beats(self) -> list[int]:
        """As beats; a payload's last byte is the top of its beat."""
        parts = [self.payload[i : i + BEAT_BYTES] for i in range(0, len(self.payload), BEAT_BYTES)]
        words = [BEAT.pack(last=int(not parts), top=15, data=self.header())]
        for i, part in enumerate(parts):
            data = int.from_bytes(part, "little")
            words.append(BEAT.pack(last=int(i == len(parts) - 1), top=len(part) - 1, data=data))
        return words

    @classmethod
    def of(cls, beats: list[int]) -> Tlp:
        """The packet of these beats; AssertionError if they are none."""
        head, *rest = [BEAT.unpack(beat) for beat in beats]
        payload = b""
        for i, beat in enumerate(rest):
            assert beat["last"] == (i == len(rest) - 1)
            assert beat["last"] or beat["top"] == 15
            payload += beat["data"].to_bytes(16, "little")[: beat["top"] + 1]
        h = head["data"]
        tlp = cls(h & 0xFF, h >> 64, payload, h >> 32 & 0xFFFFFFFF, h >> 16 & 0xFF, bool(h >> 8 & 1))
        assert head["last"] == (not rest)
        assert tlp.kind == READ or tlp.length == len(payload), f"{tlp}: length differs from {len(payload)}"
        return tlp


@dataclass
class Rule:
    """A port's rule."""

    mask: int = 0x7FFF
    lower: int = 0
    upper: int = 0
    valid: bool = True

    def packed(self) -> int:
        """Bits of rule_t."""
        return RULE.pack(valid=int(self.valid), mask=self.mask, upper=self.upper, lower=self.lower)

    def matches(self, address: int) -> bool:
        """Whether it lets the address pass."""
        return self.valid and self.lower <= (address >> 24 & self.mask) <= self.upper


@dataclass
class Rules:
    """Two rules a port."""

    ports: list[list[Rule]] = field(default_factory=lambda: [[Rule(valid=False)] * 2 for _ in range(5)])
    links: int = 15

    def packed(self) -> int:
        """Bits of rules_t."""
        return sum(self.ports[p][r].packed() << RULE.width * (2 * p + r) for p in range(5) for r in range(2))

    def route(self, tlp: Tlp, port: int) -> tuple[int, int]:
        """Cause and output: the rules of registers.h, one after the other."""
        most = READ_BYTES if tlp.kind == READ else MAX_PAYLOAD
        if tlp.kind not in {READ, COMPLETION, WRITE} or not 0 < tlp.length <= most:
            return MALFORMED, -1
        if tlp.kind != COMPLETION and tlp.address % PAGE + tlp.length > PAGE:
            return MALFORMED, -1
        if tlp.poisoned and tlp.kind != COMPLETION:
            return POISONED, -1
        if port == REPLY:
            if tlp.kind == WRITE:
                return REFUSED, -1
            return (NONE, NORTH) if self.links & 1 else (ABSENT, -1)
        if tlp.kind == COMPLETION:
            return (NONE, LOCAL) if port == NORTH else (REFUSED, -1)
        if tlp.kind == READ and port != NORTH:
            return REFUSED, -1
        ports = [p for p in range(5) if any(rule.matches(tlp.address) for rule in self.ports[p])]
        if tlp.address >= WINDOW or not ports:
            return UNMAPPED, -1
        if len(ports) > 1:
            return OVERLAP, -1
        if tlp.kind == READ and ports != [LOCAL]:
            return REFUSED, -1
        if ports[0] == port and port in {EAST, SOUTH, WEST}:
            return TURN, -1
        if ports[0] != LOCAL and not self.links >> ports[0] & 1:
            return ABSENT, -1
        return NONE, ports[0]


def random_rules(rng: random.Random) -> Rules:
    """Rules that share out nodes to ports, some with gaps, overlaps and masks."""
    rules = Rules(links=rng.choice([15, 15, 15, rng.randrange(16)]))
    cuts = sorted(rng.sample(range(1, 16), 4))
    bounds = [0, *cuts, 16]
    order = rng.sample(range(5), 5)
    for place, port in enumerate(order):
        low, high = bounds[place] << 11, (bounds[place + 1] << 11) - 1
        first, second = Rule(lower=low, upper=high), Rule(valid=False)
        if rng.random() < 0.4 and high - low > 2:  # in two parts, perhaps with a gap
            middle = rng.randint(low + 1, high)
            first, second = (
                Rule(lower=low, upper=middle - 1),
                Rule(lower=min(high, middle + rng.choice([0, 0, 300])), upper=high),
            )
        if rng.random() < 0.15:  # one bit of the node does not count: overlaps
            second = Rule(mask=0x7FFF & ~(1 << rng.randrange(11, 15)), lower=low, upper=high)
        rules.ports[port] = [first, second]
    return rules


def random_tlp(rng: random.Random, port: int, sound: float = 0.8) -> Tlp:
    """Mostly writes to anywhere; else one with something wrong, or of another kind."""
    length = rng.choice([1, 8, 15, 16, 17, 64, MAX_PAYLOAD, rng.randint(1, MAX_PAYLOAD)])
    address = rng.randrange(WINDOW)
    address -= max(0, address % PAGE + length - PAGE)
    tlp = Tlp(WRITE, address, rng.randbytes(length), tag=rng.randrange(256))
    if port == REPLY:
        tlp = rng.choice([Tlp(READ, address, length=length), Tlp(COMPLETION, length, rng.randbytes(length))])
    if rng.random() < sound:
        return tlp
    case = rng.randrange(7)
    if case == 0:
        tlp.poisoned = True
    elif case == 1:
        tlp.address += WINDOW * rng.randint(1, 1000)
    elif case == 2:
        tlp = Tlp(READ, address, length=length)
    elif case == 3:
        tlp = Tlp(COMPLETION, length, rng.randbytes(length), tag=rng.randrange(256))
    elif case == 4:
        tlp.kind = rng.choice([0x00, 0x61, 0x40, 0xFF])
    elif case == 5 and length > 1:
        tlp.address = address - address % PAGE + PAGE - length + 1
    elif case == 6:
        tlp = Tlp(WRITE, address, rng.randbytes(MAX_PAYLOAD + 1))
    return tlp


class LinkSource:
    """Sends TLPs on input ``index`` of ``name``, never more than it has credits; ``left``: credits back."""

    def __init__(
        self,
        harness: Harness,
        name: str,
        index: int | None,
        left: str | None,
        stall: str | float = "random",
        slots: int = SLOTS,
    ) -> None:
        self.source = harness.source(name, stall, index)
        self._left = harness.signal(left, index, 4) if left else None
        self.credits = slots if left else 1 << 30
        self.slots = slots
        self._queue: deque[Tlp] = deque()
        self._stall = Stall(harness.rng, 0.3 if stall == "random" else stall)
        harness.add(self)

    def send(self, tlp: Tlp) -> None:
        """Queue a TLP."""
        self._queue.append(tlp)

    def reset(self) -> None:
        """Nothing of its own to drive."""

    def drive(self) -> None:
        """Hand the next TLP to the stream."""
        if self._queue and self.credits > 0 and not self._stall():
            self.source.send(self._queue.popleft().beats())
            self.credits -= 1

    def sample(self, cycle: int) -> None:
        """Count credits that come back."""
        if self._left is not None and self._left.get():
            self.credits += 1
            assert self.credits <= self.slots, f"a credit too many in cycle {cycle}"

    def busy(self) -> str:
        """Say what is not sent or not drained."""
        if self._queue:
            return f"{self.source.name} has {len(self._queue)} TLPs to send"
        if self._left is not None and self.credits != self.slots:
            return f"{self.source.name} has {self.credits} credits of {self.slots}"
        return ""


class LinkSink:
    """Takes TLPs from output ``index`` of ``name``, gives credits back some time after a TLP; checks their number."""

    def __init__(
        self, harness: Harness, name: str, index: int, credit: str | None, stall: str | float = "random",
        delay: int = 30, slots: int = SLOTS,
    ) -> None:  # fmt: skip
        self.sink = harness.sink(name, stall, index)
        self._credit = harness.signal(credit, index, 4) if credit else None
        self.index, self.slots, self._delay, self._rng = index, slots, delay, harness.rng
        self.got: list[Tlp] = []
        self.cycles: list[int] = []  # of headers
        self.outstanding: list[int] = []  # at each header: TLPs without a credit back, this one included
        self._beats: list[int] = []
        self._seen = self._open = 0
        self._due: list[int] = []
        harness.add(self)

    def reset(self) -> None:
        """No pulse."""
        self._pulse(0)

    def _pulse(self, value: int) -> None:
        if self._credit is not None:
            self._credit.set(value)

    def drive(self) -> None:
        """Decide about a pulse in this cycle."""
        due = [i for i, left in enumerate(self._due) if left <= 0]
        self._due = [left - 1 for left in self._due]
        if due:
            self._due.pop(due[0])
            self._open -= 1
        self._pulse(int(bool(due)))

    def sample(self, cycle: int) -> None:
        """Put the beats together."""
        for beat, when in zip(self.sink.passed[self._seen :], self.sink.cycles[self._seen :], strict=True):
            if not self._beats:
                self._open += 1
                assert self._credit is None or self._open <= self.slots, (
                    f"output {self.index}: no credit in cycle {when}"
                )
                self.cycles.append(when)
                self.outstanding.append(self._open)
            self._beats.append(beat)
            if BEAT.unpack(beat)["last"]:
                self.got.append(Tlp.of(self._beats))
                self._beats = []
                if self._credit is not None:
                    self._due.append(self._rng.randint(0, self._delay) if self._delay else 0)
        self._seen = len(self.sink.passed)

    def busy(self) -> str:
        """Say if a TLP or a credit is under way."""
        return f"output {self.index} has a TLP under way" if self._beats or self._due else ""


class Faults:
    """Takes the faults of the switch's inputs with random stalls."""

    def __init__(self, harness: Harness, name: str, count: int) -> None:
        self._sinks = [harness.sink(name, "random", i) for i in range(count)]

    def of(self, port: int) -> list[tuple[int, int, int]]:
        """Cause, port, address of each."""
        found = [FAULT.unpack(word) for word in self._sinks[port].passed]
        return [(fault["cause"], fault["port"], fault["address"]) for fault in found]
