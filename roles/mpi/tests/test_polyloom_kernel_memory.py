# SPDX-License-Identifier: Apache-2.0
"""Covers: three askers who read and write the same few words at random, each with stalls, on a memory that takes
addresses and data in any order, does writes as late as it responds to them and reads as early or late as it may: each
read has what was written before its turn and nothing later, and goes to who asked; strobes; 32, 3 and 1 accesses
under way, never more; turns; idle; a word a cycle of one direction and the cycles to memory.

Leaves out: an asker that never lets the direction change (the others then wait).
"""

from __future__ import annotations

from collections import deque
from typing import Any

import cocotb
from kernel_parts import part

from polyloom.rtl.testing import Harness, Stall, Struct, bench

test = bench(__file__, "kernel_tb")
REQUEST = Struct([("write", 1), ("addr", 32), ("data", 64), ("strobe", 8)])
W = Struct([("data", 64), ("strobe", 8)])
OPEN = (32, 3, 1)
BASE = 0x80000000
WORD = (1 << 64) - 1


def merged(old: int, data: int, strobe: int) -> int:
    """A word with some of its bytes written."""
    mask = sum(0xFF << 8 * b for b in range(8) if strobe >> b & 1)
    return old & ~mask & WORD | data & mask


class Axi:
    """A memory by AXI's rules for one id: reads in order among themselves, writes too, nothing between the two."""

    def __init__(self, h: Harness, stall: str | float = "random", latency: int = 1) -> None:
        self.h, self.latency = h, latency
        self.words: dict[int, int] = {}
        self.ar, self.aw, self.w = (h.sink(name, stall) for name in ("ar", "aw", "w"))
        self._r, self._r_valid, self._b_valid = h.signal("r"), h.signal("r_valid"), h.signal("b_valid")
        self._late = Stall(h.rng, stall), Stall(h.rng, stall)
        self._reads: deque[tuple[int, int, int | None]] = deque()  # from this cycle on, address, data if read already
        self._writes: deque[tuple[int, int]] = deque()  # from this cycle on, number
        self._known = [0, 0]  # reads, writes seen
        self.responded = [0, 0]
        h.add(self)

    def reset(self) -> None:
        """No response."""
        self._r_valid.set(0)
        self._b_valid.set(0)

    def drive(self) -> None:
        """Response: a word that was read when it was asked for, or is read now; a write is done now."""
        now = self.h.cycle
        r = bool(self._reads) and now >= self._reads[0][0] and not self._late[0]()
        b = bool(self._writes) and now >= self._writes[0][0] and not self._late[1]()
        self._r_valid.set(int(r))
        self._b_valid.set(int(b))
        self._r.set(self.h.rng.getrandbits(64))
        if r:
            _, address, data = self._reads.popleft()
            self._r.set(self.words.get(address, 0) if data is None else data)
        if b:
            number = self._writes.popleft()[1]
            address, word = self.aw.passed[number], W.unpack(self.w.passed[number])
            self.words[address] = merged(self.words.get(address, 0), word["data"], word["strobe"])
        self.responded[0] += r
        self.responded[1] += b

    def sample(self, cycle: int) -> None:
        """See what is asked."""
        for address in self.ar.passed[self._known[0] :]:
            assert address % 8 == 0
            data = self.words.get(address, 0) if self.h.rng.random() < 0.5 else None
            self._reads.append((cycle + self.latency, address, data))
        for number in range(self._known[1], min(len(self.aw.passed), len(self.w.passed))):
            self._writes.append((cycle + self.latency, number))
        self._known = [len(self.ar.passed), min(len(self.aw.passed), len(self.w.passed))]

    def busy(self) -> str:
        """Say what is not answered."""
        return f"{len(self._reads)} reads, {len(self._writes)} writes" if self._reads or self._writes else ""


class Bench:
    """The part, its askers and its memory."""

    def __init__(self, dut: Any, which: int, stall: str | float = "random", latency: int = 1) -> None:
        self.h = part(dut, "memory", which)
        self.open = OPEN[which]
        self.requesters = [self.h.source("request", stall, n) for n in range(3)]
        self.axi = Axi(self.h, stall, latency)
        self.golden: dict[int, int] = {}  # by address: all that was taken, in turn
        self.due: list[deque[int]] = [deque() for _ in range(3)]  # words that each asker waits for
        self.turns: list[int] = []
        self.accepted = [0, 0]  # reads, writes
        names = ("request_valid", "rsp_valid", "rdata", "idle")
        self._s = {name: self.h.signal(name) for name in names}
        self._order: deque[int] = deque()
        self.h.add(self)

    def reset(self) -> None:
        """Nothing."""

    def drive(self) -> None:
        """Nothing."""

    def sample(self, cycle: int) -> None:
        """Responses against what was due; then the access that is taken in this cycle."""
        responses = self._s["rsp_valid"].get()
        assert responses.bit_count() <= 1
        for n in range(3):
            if responses >> n & 1:
                assert self.due[n], f"asker {n} is answered in cycle {cycle} and has not asked"
                want, got = self.due[n].popleft(), self._s["rdata"].get()
                assert got == want, f"asker {n}, cycle {cycle}: {got:#x}, not {want:#x}"
        if self._s["idle"].get():
            done = self.accepted == self.axi.responded and not self._s["request_valid"].get()
            assert done, f"idle in cycle {cycle}: {self.accepted} taken, {self.axi.responded} answered"
        now = [n for n in range(3) if self.requesters[n].cycles and self.requesters[n].cycles[-1] == cycle]
        assert len(now) <= 1, f"cycle {cycle}: {now} at once"
        for n in now:
            self._take(n, REQUEST.unpack(self.requesters[n].passed[-1]), cycle)

    def _take(self, n: int, a: dict[str, int], cycle: int) -> None:
        address = a["addr"] - BASE & ~7
        self.turns.append(n)
        self.accepted[a["write"]] += 1
        if a["write"]:
            self.golden[address] = merged(self.golden.get(address, 0), a["data"], a["strobe"])
        else:
            self.due[n].append(self.golden.get(address, 0))
        under_way = [
            accepted - responded for accepted, responded in zip(self.accepted, self.axi.responded, strict=True)
        ]
        assert min(under_way) == 0 and max(under_way) <= self.open, f"cycle {cycle}: {under_way} under way"

    def busy(self) -> str:
        """Say who waits."""
        return f"words due: {[len(d) for d in self.due]}" if any(self.due) else ""

    def request(self, n: int, write: bool, address: int) -> None:
        """An access; its strobe is random."""
        rng = self.h.rng
        strobe = rng.choice([255, rng.getrandbits(8)])
        values = {"data": rng.getrandbits(64), "strobe": strobe, "write": int(write)}
        self.requesters[n].send(REQUEST.pack(addr=BASE + address, **values))


@cocotb.test()
@cocotb.parametrize(which=range(3))
async def in_turn(dut: Any, which: int) -> None:
    for writes in (0.5, 0.1, 0.9):
        b = Bench(dut, which, latency=(9, 2, 1)[which])
        rng = b.h.rng
        await b.h.reset()
        places = [8 * rng.getrandbits(28) for _ in range(3)] + [0, 0x7FFFFFF8]
        for _ in range(70):
            for n in range(3):
                b.request(n, rng.random() < writes, rng.choice(places) + rng.randrange(8))
        await b.h.drain()
        assert b.axi.words == b.golden
        assert b.h.signal("idle").get()


@cocotb.test()
async def turns(dut: Any) -> None:
    """Three who always ask for the same direction take turns; a word a cycle; memory sees it in the next cycle."""
    for write in (False, True):
        b = Bench(dut, 0, "never", latency=8)
        await b.h.reset()
        for i in range(40):
            for n in range(3):
                b.request(n, write, 8 * (64 * n + i))
        await b.h.drain()
        assert b.turns == [b.turns[0], (b.turns[0] + 1) % 3, (b.turns[0] + 2) % 3] * 40
        accepted = sorted(c for a in b.requesters for c in a.cycles)
        assert accepted == list(range(accepted[0], accepted[0] + 120))
        channel = b.axi.aw if write else b.axi.ar
        assert channel.cycles == [c + 1 for c in accepted]
        assert [address // 8 for address in channel.passed] == [64 * n + i // 3 for i, n in enumerate(b.turns)]


@cocotb.test()
async def directions_change(dut: Any) -> None:
    """Anyone who wants the other direction goes as soon as what is under way has ended, if no one else asks
    meanwhile."""
    b = Bench(dut, 0, "never", latency=20)
    await b.h.reset()
    for i in range(10):
        b.request(0, False, 8 * i)
    await b.h.step(2)
    b.request(1, True, 0)
    await b.h.drain()
    assert b.turns == [0] * 10 + [1]
    assert b.requesters[1].cycles[0] == b.requesters[0].cycles[-1] + 1 + 20 + 1
