# SPDX-License-Identifier: Apache-2.0
"""Covers: reads of data and of descriptors at any alignment from a memory and through N, in random order, responses of
both late and with gaps, completions of one to 32 beats, a write side that stalls: all bytes in the order of requests,
each read ended once, descriptors whole, poisoned completions marked; how many reads may be open; completions that
nothing asked for; latency; one read under way and three.

Tests polyloom_hub_dma_read. Leaves out: completions that are no multiples of 16 bytes before a read's last.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import cocotb
from hub_parts import READ_BEAT
from hub_units import BEAT, MEMORY, READ, READ_BYTES, Tlp, unit

from polyloom.rtl.testing import Harness, Stall, Struct, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "hub_tb")
REQUEST = Struct([("fetch", 1), ("bytes", 10), ("address", 39)])
TAGS = (1, 3)
NODE = 6


def data_at(address: int, size: int) -> bytes:
    """What lies there."""
    words = range(address // 4, (address + size - 1) // 4 + 1)
    raw = b"".join((word * 0x9E3779B1 & 0xFFFFFFFF).to_bytes(4, "little") for word in words)
    return raw[address % 4 :][:size]


class North:
    """Responds to MRds in order, in pieces, by the ports that the local unit has for it."""

    def __init__(self, h: Harness, stall: str | float) -> None:
        self.h, self.mrd = h, h.sink("mrd", stall)
        self.mrd.expect([])
        names = ("reads_header", "reads_tag", "reads_expected", "reads_valid", "reads_final", "reads_bad", "reads")
        self.signals = {name: h.signal(name) for name in names}
        self.stall = Stall(h.rng, stall)
        self.waiting: deque[tuple[int, int, int]] = deque()  # tag, address, bytes still to come
        self.beats: deque[tuple[int, int, int]] = deque()  # beat, final, bad
        self.tag, self.seen = -1, 0
        self.poison = 0.0
        self.bad: list[bool] = []  # of each read that was answered, whether a piece was poisoned
        self.cycles: list[int] = []
        EveryCycle(h, self.drive, self.check)

    def drive(self) -> None:
        """A header, then its beats, or nothing."""
        values = {name: self.h.rng.getrandbits(signal.width) for name, signal in self.signals.items()}
        values["reads_header"] = values["reads_valid"] = 0
        self.tag = -1
        if not self.stall():
            if self.beats:
                values["reads_valid"] = 1
                values["reads"], values["reads_final"], values["reads_bad"] = self.beats[0]
            else:
                values["reads_header"] = 1  # of a tag that is due, or of none, nor soon
                values["reads_tag"] = (len(self.mrd.passed) + self.h.rng.randint(10, 200)) % 256
                if self.waiting and self.h.rng.random() < 0.8:
                    values["reads_tag"] = self.waiting[0][0]
                self.tag = values["reads_tag"]
        for name in self.signals.keys() - {"reads_expected"}:
            self.signals[name].set(values[name])

    def check(self, cycle: int) -> None:
        due = bool(self.waiting) and self.waiting[0][0] == self.tag
        assert self.signals["reads_expected"].get() == due, f"cycle {cycle}: tag {self.tag} expected"
        if self.signals["reads_valid"].get():
            self.cycles.append(cycle)
            self.beats.popleft()
        if due:
            self.piece()
        for beat in self.mrd.passed[self.seen :]:
            tlp = Tlp.of([beat])
            assert tlp.kind == READ and not tlp.poisoned
            assert tlp.tag not in {tag for tag, _, _ in self.waiting}
            self.waiting.append((tlp.tag, tlp.address, tlp.length))
            self.bad.append(False)
        self.seen = len(self.mrd.passed)

    def piece(self) -> None:
        """The beats of the next completion."""
        tag, address, left = self.waiting.popleft()
        size = min(left, 16 * self.h.rng.randint(1, 32))
        bad = int(self.h.rng.random() < self.poison)
        self.bad[-1 - len(self.waiting)] |= bool(bad)
        data = data_at(address, size)
        for place in range(0, size, 16):
            part = data[place : place + 16]
            word = int.from_bytes(part + self.h.rng.randbytes(16 - len(part)), "little")
            last = int(place + 16 >= size)
            self.beats.append((BEAT.pack(last=last, top=len(part) - 1, data=word), int(left == size), bad))
        if left > size:
            self.waiting.appendleft((tag, address + size, left - size))


class Memory:
    """Responds to bursts in order; bytes around what was asked for come too."""

    def __init__(self, h: Harness, stall: str | float) -> None:
        self.h, self.ar, self.r = h, h.sink("ar", stall), h.source("r", stall)
        self.ar.expect([])
        self.seen = 0
        EveryCycle(h, lambda: None, self.check)

    def check(self, cycle: int) -> None:
        for word in self.ar.passed[self.seen :]:
            base, beats = (word >> 8) + unit(NODE, 3, MEMORY), (word & 0xFF) + 1
            for i in range(beats):
                data = int.from_bytes(data_at(base + 16 * i, 16), "little")
                self.r.send(data << 1 | int(i == beats - 1))
        self.seen = len(self.ar.passed)


class Bench:
    """The read side between control, both memories and the write side."""

    def __init__(self, dut: Any, which: int, stall: str | float = "random") -> None:
        self.h = h = Harness(dut, dut.i_dma.gen_read[which])
        self.tags = TAGS[which]
        self.request, self.data = h.source("request", stall), h.sink("data", stall)
        self.memory, self.north = Memory(h, stall), North(h, stall)
        self.signals = {name: h.signal(name) for name in ("r_ready", "fetch_valid", "fetch_bad", "fetch", "idle")}
        self.reads: list[tuple[int, int]] = []  # of data: address, bytes
        self.fetches: list[int] = []
        self.fetched: list[tuple[int, bytes, bool]] = []  # cycle, descriptor, poisoned
        self.most = 0
        EveryCycle(h, lambda: None, self.check)

    def fetch_bytes(self, address: int, size: int, fetch: bool = False) -> None:
        if fetch:
            self.fetches.append(address)
        else:
            self.reads.append((address, size))
        self.request.send(REQUEST.pack(fetch=int(fetch), bytes=size, address=address))
        if address >> 33 & 3 == 3:
            beats = (address % 16 + size + 15) // 16
            self.memory.ar.expect([(address - address % 16 - unit(NODE, 3, MEMORY)) << 8 | beats - 1])
        else:
            tag = len(self.north.mrd._expected or []) % 256
            self.north.mrd.expect(Tlp(READ, address, length=size, tag=tag).beats())

    def check(self, cycle: int) -> None:
        assert self.signals["r_ready"].get(), "room was kept"
        requested = [REQUEST.unpack(word) for word in self.request.passed]
        data = sum(not request["fetch"] for request in requested)
        ended = sum(READ_BEAT.unpack(beat)["final_beat"] for beat in self.data.passed)
        self.most = max(self.most, data - ended)
        assert data - ended <= self.tags, f"cycle {cycle}: {data - ended} reads"
        now = bool(self.request.cycles) and self.request.cycles[-1] == cycle
        if self.signals["idle"].get() and not now:
            assert len(requested) == ended + len(self.fetched), f"cycle {cycle}: idle amid a read"
        if self.signals["fetch_valid"].get():
            word = self.signals["fetch"].get().to_bytes(64, "little")
            self.fetched.append((cycle, word, bool(self.signals["fetch_bad"].get())))

    def compare(self) -> None:
        """All data, read by read; the poisoned ones; the descriptors."""
        got = [READ_BEAT.unpack(beat) for beat in self.data.passed]
        bad = iter(self.north.bad)
        poisoned = {word: next(bad) for word in self.north.mrd.passed}
        tags = iter(self.north.mrd.passed)
        marks = {number: poisoned[next(tags)] for number, request in enumerate(self.all()) if request[2]}
        for number, (address, size, _, fetch) in enumerate(self.all()):
            mark = marks.get(number, False)
            if fetch:
                _, word, failed = self.fetched.pop(0)
                assert word == data_at(address, 64) and failed == mark
                continue
            data, ended, some_bad = b"", False, False
            while not ended:
                beat = got.pop(0)
                data += beat["data"].to_bytes(16, "little")[: beat["top"] + 1]
                ended, some_bad = bool(beat["final_beat"]), some_bad or bool(beat["bad"])
            assert data == data_at(address, size), f"read {number}, {address:#x}"
            assert some_bad == mark
        assert not got and not self.fetched

    def all(self) -> list[tuple[int, int, bool, bool]]:
        """Requests in order: address, bytes, through N, of a descriptor."""
        words = [REQUEST.unpack(word) for word in self.request.passed]
        return [(w["address"], w["bytes"], w["address"] >> 33 & 3 != 3, bool(w["fetch"])) for w in words]


@cocotb.test()
@cocotb.parametrize(which=range(2))
async def any_reads(dut: Any, which: int) -> None:
    b = Bench(dut, which)
    rng = b.h.rng
    b.north.poison = 0.1
    await b.h.reset()
    to_memory = True
    for _ in range(70):
        to_memory ^= rng.random() < 0.3
        fetch = rng.random() < 0.15
        base = unit(NODE, 3, MEMORY) if to_memory ^ (fetch and rng.random() < 0.5) else unit(NODE, rng.randrange(3))
        place = 64 * rng.randrange(1 << 10) if fetch else rng.randrange(1 << 16)
        most = READ_BYTES - place % READ_BYTES
        size = 64 if fetch else rng.choice([1, min(16, most), most, rng.randint(1, most)])
        b.fetch_bytes(base + place, size, fetch)
    await b.h.until(lambda: not b.request.busy() and bool(b.signals["idle"].get()))
    await b.h.drain()
    b.compare()


@cocotb.test()
@cocotb.parametrize(which=range(2), north=[False, True])
async def so_many_reads_and_no_more(dut: Any, which: int, north: bool) -> None:
    b = Bench(dut, which, "never")
    await b.h.reset()
    b.data.stall = Stall(b.h.rng, "always")
    base = unit(NODE, 1) if north else unit(NODE, 3, MEMORY)
    for i in range(TAGS[which] + 2):
        b.fetch_bytes(base + READ_BYTES * i, READ_BYTES)
    await b.h.step(40 * (TAGS[which] + 2))  # all data come and wait for the write side
    assert b.most == TAGS[which] and len(b.request.passed) == TAGS[which]
    b.data.stall = Stall(b.h.rng, "never")
    await b.h.until(lambda: not b.request.busy() and bool(b.signals["idle"].get()))
    b.compare()


@cocotb.test()
async def latency(dut: Any) -> None:
    b = Bench(dut, 1, "never")
    await b.h.reset()
    for base in (unit(NODE, 0), unit(NODE, 3, MEMORY)):
        far, back = (b.north.mrd, b.north) if base == unit(NODE, 0) else (b.memory.ar, b.memory.r)
        first, data = len(b.request.passed), len(b.data.passed)
        for i in range(3):
            b.fetch_bytes(base + 16 * i, 16)
        await b.h.until(lambda: not b.request.busy() and bool(b.signals["idle"].get()))
        requested = b.request.cycles[first]
        assert far.cycles[-3:] == [requested + 1 + n for n in range(3)]
        assert b.data.cycles[data:] == [cycle + 1 for cycle in back.cycles[-3:]]
        b.fetch_bytes(base, 64, fetch=True)
        await b.h.until(lambda: bool(b.signals["fetch_valid"].get()))
        assert b.h.cycle == back.cycles[-1] + 1
        await b.h.step(2)
        assert b.signals["idle"].get()
    b.compare()
