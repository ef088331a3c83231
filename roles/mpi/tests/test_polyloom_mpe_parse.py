# SPDX-License-Identifier: Apache-2.0
"""Covers: MPI packets of every kind, good ones and ones that break one rule of PROTOCOL.md, at all borders of the
rules; what is cut short; management's datagrams; headers that wait while payload flows, read word by word; random
stalls of datagrams and payload; the cycles to a header, a word a cycle while it is looked at.

Leaves out: frames and addresses before it (blocks/udp/tests), E of more than 8,191 bytes.
"""

from __future__ import annotations

import struct
from dataclasses import replace
from typing import Any

import cocotb
from kernel_frames import ACK, DATA, EAGER, Packet
from kernel_parts import ENDPOINT, WORD, part, with_last, words_of

from polyloom.rtl.testing import Harness, Struct, bench

test = bench(__file__, "kernel_tb")
CFG = Struct.of("polyloom_mpe_pkg::cfg_t")
IN = Struct([("bytes", 13), ("from", ENDPOINT.width), ("manage", 1), ("last", 1), ("data", 64)])
ABOUT = Struct([("from", ENDPOINT.width), ("bytes", 13), ("manage", 1), ("more", 1)])
MAX_PAYLOAD, HEADER = 1440, 30


class Heads:
    """Looks at headers word by word and takes each after a random time."""

    def __init__(self, h: Harness, patience: int = 30) -> None:
        self.h, self.patience = h, patience
        self.expected: list[tuple[list[int], int]] = []  # words, about
        self.checked = 0
        self.cycles: list[int] = []  # first seen
        self._left: int | None = None
        self._s = {n: h.signal(n) for n in ("head_valid", "head_ready", "head_word", "head", "about")}
        h.add(self)

    def reset(self) -> None:
        """Take nothing."""
        self._s["head_ready"].set(0)

    def drive(self) -> None:
        """Look at a word; take the header when its time has come."""
        self._s["head_word"].set(self.h.rng.randrange(4))
        self._s["head_ready"].set(int(self._left == 0))

    def sample(self, cycle: int) -> None:
        """Compare."""
        if not self._s["head_valid"].get():
            assert self._left is None, f"the header fell in cycle {cycle}"
            return
        assert self.checked < len(self.expected), f"a header in cycle {cycle} after all that were expected"
        words, about = self.expected[self.checked]
        if self._left is None:
            self._left = self.h.rng.randint(1, self.patience)
            self.cycles.append(cycle)
        got = ABOUT.unpack(self._s["about"].get())
        assert got == ABOUT.unpack(about), f"cycle {cycle}, header {self.checked}: {got}"
        word = self._s["head_word"].get()
        if word < len(words):
            assert self._s["head"].get() == words[word], f"cycle {cycle}, header {self.checked}: word {word}"
        if self._left == 0:
            self.checked += 1
            self._left = None
        else:
            self._left -= 1

    def busy(self) -> str:
        """Say how many have not come."""
        return f"{len(self.expected) - self.checked} headers" if self.checked < len(self.expected) else ""


class Settings:
    """A rank's settings, and packets for it."""

    def __init__(self, h: Harness) -> None:
        rng = h.rng
        self.rng = rng
        self.job = rng.choice([1, 0xFFFFFFFF, rng.getrandbits(32) | 1])
        self.size = rng.choice([1, 2, 64])
        self.rank = rng.randrange(self.size)
        self.eager = rng.choice([8, 64, 256, MAX_PAYLOAD])
        self.cfg = CFG.pack(job=self.job, size=self.size, rank=self.rank, eager=self.eager)

    def good(self, payload: int | None = None) -> Packet:
        """A packet for this rank; now and then at a border."""
        rng = self.rng
        kind = rng.choice([EAGER, DATA, rng.randrange(1, 8)])
        most = {EAGER: self.eager, DATA: MAX_PAYLOAD}.get(kind, 0)
        count = rng.choice([0, 1, 8, 9, most, rng.randint(0, min(most, 200))]) if payload is None else payload
        count = min(count, most)
        offset, length = rng.getrandbits(32), rng.getrandbits(32)
        if kind == EAGER:
            offset, length = 0, count
        elif kind == DATA:
            count = max(count, 1)
            offset = rng.choice([0, 8, 0xFFFFF000, 8 * rng.getrandbits(28)])
            length = min(offset + count + rng.choice([0, 0, 1, 7, 5000]), 0xFFFFFFFF)
        return Packet(
            kind, rng.choice([0, self.size, rng.randrange(self.size)]), self.rank, rng.getrandbits(16),
            rng.getrandbits(16), rng.getrandbits(32), rng.getrandbits(16), rng.getrandbits(16), length, offset,
            rng.getrandbits(8), self.job, rng.randbytes(count),
        )  # fmt: skip

    def broken(self, p: Packet) -> Packet:
        """With something else in it; it may be good still."""
        rng = self.rng
        n = len(p.payload)
        match rng.randrange(9):
            case 0:
                return replace(p, job=rng.choice([0, self.job ^ 1 << rng.randrange(32)]))
            case 1:
                return replace(p, kind=rng.choice([0, ACK + 1, 255, rng.randrange(256)]))
            case 2:
                return replace(p, src=rng.choice([self.size + 1, 0xFFFF, rng.getrandbits(16)]))
            case 3:
                return replace(p, dst=rng.choice([self.rank ^ 1, self.rank ^ 0x8000, self.size]))
            case 4:
                return replace(p, length=rng.choice([n, n + 1, abs(n - 1), n ^ 1 << rng.randrange(32), p.offset]))
            case 5:
                return replace(p, offset=rng.choice([1, 4, 8, p.length & ~7, p.offset ^ 1 << rng.randrange(32)]))
            case 6:
                return replace(p, kind=rng.randrange(1, 8))
            case 7:
                more = rng.choice([self.eager + 1, MAX_PAYLOAD + 1, 1, 0])
                return replace(p, payload=rng.randbytes(more), length=rng.choice([more, p.length]))
        end = min(p.offset + n, 0xFFFFFFFF)
        return replace(p, length=rng.choice([end, abs(end - 1)]))

    def accepts(self, p: Packet) -> bool:
        """By PROTOCOL.md, "Packet" and "Filter"."""
        n = len(p.payload)
        if self.job == 0 or p.job != self.job or p.src > self.size or p.dst != self.rank or n > MAX_PAYLOAD:
            return False
        if p.kind == EAGER:
            return n <= self.eager and p.length == n and p.offset == 0
        if p.kind == DATA:
            return n > 0 and p.offset % 8 == 0 and p.offset + n <= p.length
        return 1 <= p.kind <= 7 and n == 0


class Bench:
    """The part and what surrounds it."""

    def __init__(self, dut: Any, stall: str | float = "random", patience: int = 30) -> None:
        self.h = part(dut, "parse")
        self.source, self.sink = self.h.source("in", stall), self.h.sink("out", stall)
        self.heads = Heads(self.h, patience)
        self.settings = Settings(self.h)
        self._dropped = self.h.signal("dropped")
        self._lasts: list[bool] = []  # of datagrams: dropped
        self._ended = 0
        self.h.signal("cfg").set(self.settings.cfg)
        self.sink.expect([])
        self.h.add(self)

    def reset(self) -> None:
        """Nothing."""

    def drive(self) -> None:
        """Nothing."""

    def sample(self, cycle: int) -> None:
        """A drop is told with the last word of the datagram."""
        now = bool(self.source.cycles) and self.source.cycles[-1] == cycle
        ends = now and bool(IN.unpack(self.source.passed[-1])["last"])
        want = ends and self._lasts[self._ended]
        assert bool(self._dropped.get()) == want, f"cycle {cycle}, datagram {self._ended}: dropped {not want}"
        self._ended += ends

    def busy(self) -> str:
        """Wait for nothing."""
        return ""

    def send(self, data: bytes, manage: bool, good: bool, cut: int = 0) -> None:
        """A datagram in words from word 5 on, less some at the end."""
        rng = self.h.rng
        words = words_of(rng.randbytes(2) + data, rng.randbytes(8))
        words = words[: max(1, len(words) - cut)]
        head = 2 if manage else 4
        good = good and len(words) >= head
        sender = ENDPOINT.random(rng)
        for i, word in enumerate(words):
            last = int(i == len(words) - 1)
            values = {"bytes": len(data), "from": sender, "manage": int(manage), "last": last, "data": word}
            self.source.send(IN.pack(**values))
        self._lasts.append(not good)
        if good:
            size, more = len(data) - (0 if manage else HEADER), int(len(words) > head)
            about = ABOUT.pack(**{"from": sender, "bytes": size, "manage": int(manage), "more": more})
            self.heads.expected.append((words[:head], about))
            self.sink.expect(with_last(words[head:]))


@cocotb.test()
async def filters(dut: Any) -> None:
    good = bad = 0
    for _ in range(3):
        b = Bench(dut)
        rng, s = b.h.rng, b.settings
        await b.h.reset()
        for _ in range(130):
            choice = rng.randrange(10)
            if choice == 0:
                body = struct.pack("<HBBHII", *(rng.getrandbits(w) for w in (16, 8, 8, 16, 32, 32)))
                b.send(body + rng.randbytes(8 * rng.randrange(6)), True, True, rng.choice([0, 0, 1]))
                continue
            packet = s.good() if choice < 4 else s.broken(s.good(rng.randrange(40)))
            data, accepted = packet.datagram(), s.accepts(packet)
            good, bad = good + accepted, bad + (not accepted)
            if choice == 9:
                data, accepted = data[: rng.randrange(HEADER)], False
            b.send(data, False, accepted)
        await b.h.drain()
    assert good > 80 and bad > 80


@cocotb.test()
async def nothing_without_a_job(dut: Any) -> None:
    b = Bench(dut)
    await b.h.reset()
    b.h.signal("cfg").set(b.settings.cfg & (1 << 48) - 1)
    for _ in range(30):
        b.send(replace(b.settings.good(), job=b.h.rng.choice([0, b.settings.job])).datagram(), False, False)
    b.send(bytes(30), True, True)
    await b.h.drain()


@cocotb.test()
async def pace(dut: Any) -> None:
    """A header a cycle after its last word; a word a cycle if each header is taken within 32 cycles."""
    b = Bench(dut, "never", patience=25)
    s = b.settings
    await b.h.reset()
    for _ in range(8):
        size = 400
        packet = Packet(DATA, 0, s.rank, length=size, job=s.job, payload=b.h.rng.randbytes(size))
        b.send(packet.datagram(), False, True)
    await b.h.drain()
    assert b.source.cycles == list(range(b.source.cycles[0], b.source.cycles[0] + 8 * 54))
    assert b.heads.cycles == [b.source.cycles[54 * i + 3] + 1 for i in range(8)]
    assert [bool(WORD.unpack(w)["last"]) for w in b.sink.passed] == ([False] * 49 + [True]) * 8
