# SPDX-License-Identifier: Apache-2.0
"""The rules of an expander, from its description alone (roles/overlay/README.md "Programmable routers"), and random
tables for it.
"""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass, field

from noc_units import EAST, KEY, MASK, NORTH, SOUTH, UNICAST, WEST

from polyloom.rtl.testing import Harness, Stall, Struct

HOST_PORT, COLUMN = 4, 5
KEY_WORD = Struct.of("polyloom_overlay_records_pkg::key_t")
#: By tag; those of an odd one take two chunks.
RECORDS = tuple(
    Struct.of(f"polyloom_overlay_records_pkg::{name}_record_t")
    for name in ("thread", "thread_two", "router", "tile", "indirection")
)
THREAD, THREAD_TWO, ROUTER, TILES, INDIRECTION = range(5)
DIRECTIONS = (NORTH, SOUTH, EAST, WEST)  # of a router record
MEMORY, RECORD, RECEIVER, LINK, TURN, CHAIN = range(6)
CHUNK, CHUNKS, PLACES, CHAIN_PLACE, MOST_INDIRECTIONS = 48, 5, 7, 7, 255
COPY = Struct.of("polyloom_overlay_noc_pkg::copy_t")
REQUEST = Struct.of("polyloom_overlay_noc_pkg::beat_request_t")
FAULT = Struct.of("polyloom_overlay_pkg::route_fault_t")
Beats = dict[tuple[int, int], int]  # by slice and number


@dataclass
class Site:
    """A board, and the input of its router that an expander belongs to."""

    port: int
    tiles: tuple[int, int]
    threads: int
    slices: int
    at: tuple[int, int] = (0, 0)
    mesh: tuple[int, int] = (1, 1)

    def outside(self, key: int) -> bool:
        """Not all beats lie in memory."""
        of = KEY_WORD.unpack(key)
        starts = [32 * (of["beat"] + i) for i in range(of["beats"])]
        return any(of["slice"] >= self.slices or not 0x00800000 <= at < 0x80000000 for at in starts)

    def there(self, link: int) -> bool:
        """A board is behind the link."""
        x, y = self.at
        return {NORTH: y + 1 < self.mesh[1], SOUTH: y > 0, EAST: x + 1 < self.mesh[0], WEST: x > 0}[link]

    def may_turn(self, link: int) -> bool:
        """X before Y, and nothing goes back."""
        ways = {NORTH: {SOUTH}, SOUTH: {NORTH}, EAST: {WEST, NORTH, SOUTH}, WEST: {EAST, NORTH, SOUTH}}
        return link in ways.get(self.port, set(DIRECTIONS))

    def id_bits(self) -> tuple[int, int]:
        """Bits of a tile's x and y in a mailbox's number."""
        x, y = (max(2, (n - 1).bit_length()) for n in self.tiles)
        return x, y


@dataclass
class Copy:
    """What is shown: a copy, with the bits of words that it replaces, or an end."""

    end: bool = False
    last: bool = False
    way: int = 0
    kind: int = 0
    dest: int = 0
    mask: int = 0
    bits: int = 0
    words: int = 0


def copy_of(site: Site, record: int, chunks: int) -> Copy | int:
    """What a record in its highest ``chunks`` chunks says: a copy, or why it is none. No indirections."""
    tag = record >> CHUNK * chunks - 3
    of = RECORDS[tag].unpack(record)
    x_bits, y_bits = site.id_bits()
    if tag == ROUTER:
        link = DIRECTIONS[of["direction"]]
        if not site.there(link):
            return LINK
        if not site.may_turn(link):
            return TURN
        return Copy(way=link, kind=KEY, dest=1 << x_bits + y_bits + 8, mask=of["key"])
    x, y = of["tile_x_high"] << 2 | of["tile_x"], of["tile_y_high"] << 2 | of["tile_y"]
    mask = of["mask"] if tag == TILES else 1 << of["index"]
    if x >= site.tiles[0] or y >= site.tiles[1] or mask == 0 or mask >> site.threads:
        return RECEIVER
    dest = (site.at[1] << 3 | site.at[0]) << x_bits + y_bits | y << x_bits | x
    bits = {THREAD: 0xFFFFFFFF, THREAD_TWO: (1 << 64) - 1, TILES: 0xFFFF}[tag]
    words = of["word"] if tag == THREAD else of["words"] if tag == THREAD_TWO else of["half"]
    return Copy(way=COLUMN + x, kind=MASK if tag == TILES else UNICAST, dest=dest, mask=mask, bits=bits, words=words)


@dataclass
class Level:
    """The records of a key that are at work."""

    key: int
    none: bool
    chain: bool = False
    done: int = 0  # beats
    next: Level | None = None
    consumed: int = 0  # chunks of the beat
    decoded: int = 0  # records


class ExpanderModel:
    """A cycle at a time: `ask`, `shown` and `fault` are of the cycle that `end` ends."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.to_fetch: deque[list[int]] = deque()  # keys, with beats that have been asked for
        self.to_decode: deque[int] = deque()
        self.places: list[int | None] = [None] * (PLACES + 1)  # beats that are there
        self.used = self.put = self.accept = self.indirections = 0
        self.chain: tuple[int, int] | None = None  # key and beat to ask for
        self.level: Level | None = None
        self.shown: Copy | None = None
        self.fault: tuple[int, int, int] | None = None
        self.inside = 0  # messages
        self.copies = self.faults = self.chains = 0

    def request(self) -> dict[str, int] | None:
        """The beat that is asked for."""
        if self.chain:
            (key, beat), place = self.chain, CHAIN_PLACE
        elif self.to_fetch and self.used < PLACES:
            (key, beat), place = self.to_fetch[0], self.put
        else:
            return None
        of = KEY_WORD.unpack(key)
        return {"slice": of["slice"], "beat": of["beat"] + beat, "place": place}

    def end(
        self, key: int | None, granted: bool, beats: list[tuple[int, int]], accepted: bool, fault_ready: bool
    ) -> None:
        """The cycle ends. ``key``: of a message on the wire; ``beats``: places and what has come for them."""
        if accepted:
            assert self.shown
            self.copies += not self.shown.end
            self.inside -= self.shown.end or self.shown.last
            self.shown = None
        if fault_ready:
            self.fault = None
        used, chain = self.used, self.chain
        if self.shown is None and self.fault is None:
            self._decode()
        if granted and chain:
            self.chain = None
        elif granted:
            assert used < PLACES
            self.used += 1
            self.put = (self.put + 1) % PLACES
            self.to_fetch[0][1] += 1
            if self.to_fetch[0][1] == KEY_WORD.unpack(self.to_fetch[0][0])["beats"]:
                self.to_fetch.popleft()
        for place, beat in beats:
            assert self.places[place] is None
            self.places[place] = beat
        if key is not None:
            self.inside += 1
            self.to_decode.append(key)
            if KEY_WORD.unpack(key)["beats"] and not self.site.outside(key):
                self.to_fetch.append([key, 0])

    def _report(self, why: int, key: int, value: int) -> None:
        self.fault = (why, key, value)
        self.faults += 1

    def _level(self, key: int, chain: bool) -> Level:
        return Level(key, KEY_WORD.unpack(key)["beats"] == 0 or self.site.outside(key), chain)

    def _decode(self) -> None:
        if self.level is None:
            if not self.to_decode:
                return
            self.level = self._level(self.to_decode.popleft(), chain=False)
            self.indirections = 0
        level = self.level
        if level.none:
            if not level.chain and self.site.outside(level.key):
                self._report(MEMORY, level.key, 0)
            self.level = None
            self.shown = Copy(end=True)
            return
        beat = self.places[CHAIN_PLACE if level.chain else self.accept]
        if beat is None:
            return
        result, beat_ends = self._record(level, beat)
        message_ends = beat_ends and self._beat_ends(level)
        if isinstance(result, Copy):
            result.last = message_ends
            self.shown = result
        elif message_ends:
            self.shown = Copy(end=True)

    def _record(self, level: Level, beat: int) -> tuple[Copy | None, bool]:
        """The next record's copy, if it is one; whether it is the beat's last."""
        count = beat >> CHUNK * CHUNKS
        left = CHUNKS - level.consumed
        rest = beat & (1 << CHUNK * left) - 1
        head = rest >> CHUNK * left - 32 if left else 0
        tag = rest >> CHUNK * left - 3 if left else 0
        chunks = 1 + tag % 2
        if count == 0 or chunks > left or tag >= len(RECORDS):
            self._report(RECORD, level.key, head)
            return None, True
        level.consumed += chunks
        level.decoded += 1
        record = rest >> CHUNK * (left - chunks)
        result = None
        if tag == INDIRECTION:
            self._indirection(level, RECORDS[tag].unpack(record)["key"])
        else:
            what = copy_of(self.site, record, chunks)
            if isinstance(what, Copy):
                result = what
            else:
                self._report(what, level.key, head)
        return result, level.decoded == count

    def _indirection(self, level: Level, key: int) -> None:
        if level.next or self.indirections == MOST_INDIRECTIONS:
            self._report(CHAIN, level.key, key)
            return
        self.indirections += 1
        self.chains += 1
        level.next = self._level(key, chain=True)
        if self.site.outside(key):
            self._report(MEMORY, key, 0)
        elif not level.next.none and not level.chain:
            self.chain = (key, 0)

    def _beat_ends(self, level: Level) -> bool:
        """Whether it was the message's last."""
        level.consumed = level.decoded = 0
        level.done += 1
        more = level.done < KEY_WORD.unpack(level.key)["beats"]
        if level.chain:
            self.places[CHAIN_PLACE] = None
            if more:
                self.chain = (level.key, level.done)
        else:
            self.places[self.accept] = None
            self.accept = (self.accept + 1) % PLACES
            self.used -= 1
        if more:
            return False
        self.level = level.next
        if level.chain and level.next and not level.next.none:
            self.chain = (level.next.key, 0)
        return level.next is None


def random_record(rng: random.Random, site: Site, senseless: float) -> tuple[int, int]:
    """A record that copies, and its chunks. ``senseless``: how often (of 1) a part of it makes no sense."""

    def sound() -> bool:
        return rng.random() >= senseless

    tag = rng.choice((THREAD, THREAD_TWO, ROUTER, TILES))
    members = {name: rng.getrandbits(bits) for name, bits in RECORDS[tag].members if name != "unused"} | {"tag": tag}
    if "tile_x" in members and sound():
        x, y = (rng.randrange(n) for n in site.tiles)
        members |= {"tile_x": x & 3, "tile_x_high": x >> 2, "tile_y": y & 3, "tile_y_high": y >> 2}
    if "index" in members and sound():
        members["index"] = rng.randrange(site.threads)
    if "mask" in members and sound():
        members["mask"] = members["mask"] % (1 << site.threads) or 1
    ways = [d for d, link in enumerate(DIRECTIONS) if site.there(link) and site.may_turn(link)]
    if tag == ROUTER and sound():
        if not ways:
            return random_record(rng, site, senseless)
        members["direction"] = rng.choice(ways)
    return RECORDS[tag].pack(**members), 1 + tag % 2


@dataclass
class Tables:
    """Random keys, and the beats that they name. ``senseless``: how often (of 1) something makes none."""

    rng: random.Random
    site: Site
    senseless: float
    beats: Beats = field(default_factory=dict)
    next: int = 0x80000000 // 32  # end of what is free

    def __post_init__(self) -> None:
        self.keys = [0, *(self.key(self.rng.choice((0, 0, 0, 1, 3))) for _ in range(40))]

    def makes_none(self) -> bool:
        """This time."""
        return self.rng.random() < self.senseless

    def key(self, chain: int) -> int:
        """One with indirections behind each other."""
        rng = self.rng
        if self.makes_none():
            beats = rng.randint(2, 31)
            low, high = rng.choice((0, (1 << 18) - 1)), (1 << 26) - beats + 1
            return KEY_WORD.pack(slice=rng.randrange(self.site.slices), beat=rng.choice((low, high)), beats=beats)
        records = [random_record(rng, self.site, self.senseless) for _ in range(rng.choice((0, 1, 3, 8, 40)))]
        for _ in range(1 if chain else 0) if not self.makes_none() else range(2):
            key = self.key(chain - 1) if chain else 0
            records.insert(rng.randint(0, len(records)), (RECORDS[INDIRECTION].pack(tag=INDIRECTION, key=key), 1))
        beats: list[list[tuple[int, int]]] = []
        for record, chunks in records:
            if not beats or sum(c for _, c in beats[-1]) + chunks > CHUNKS:
                beats.append([])
            beats[-1].append((record, chunks))
        place, first = rng.randrange(self.site.slices), self.next - len(beats)
        self.next = first - rng.randrange(3)
        for i, beat in enumerate(beats):
            bits, left = len(beat), CHUNKS
            for record, chunks in beat:
                bits = bits << CHUNK * chunks | record
                left -= chunks
            bits = bits << CHUNK * left | rng.getrandbits(CHUNK * left or 1) % (1 << CHUNK * left)
            if self.makes_none():
                bits ^= rng.choice((rng.getrandbits(3), 1 << 8)) << CHUNK * CHUNKS
            if self.makes_none():
                bits ^= rng.getrandbits(CHUNK * CHUNKS)
            self.beats[place, first + i] = bits
        return KEY_WORD.pack(slice=place, beat=first if beats else 0, beats=len(beats))


class Memory:
    """Responses for an expander, when it likes."""

    def __init__(self, h: Harness, tables: Tables, stall: str) -> None:
        self.rng, self.tables, self.stall = h.rng, tables, Stall(h.rng, stall)
        self.requested: list[dict[str, int]] = []

    def responses(self) -> dict[int, tuple[int, int]]:
        """Of the coming cycle, by slice: place and beat."""
        some = {}
        for slice_ in range(self.tables.site.slices):
            mine = [request for request in self.requested if request["slice"] == slice_]
            if mine and not self.stall():
                request = self.rng.choice(mine)
                self.requested.remove(request)
                some[slice_] = request["place"], self.tables.beats.get((slice_, request["beat"]), 0)
        return some
