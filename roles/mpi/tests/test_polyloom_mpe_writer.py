# SPDX-License-Identifier: Apache-2.0
"""Covers: payload from packets and from the store, to memory at every alignment, to the store, thrown away; the
whole packet or less; one job that waits while another runs; random stalls of payload and of the memory, of when
jobs come; each word that is written with its bytes, no other; idle; a word a cycle and the cycles to the first one.

Leaves out: jobs from the store to the store and jobs of more bytes than their packet, which do not occur.
"""

from __future__ import annotations

from typing import Any

import cocotb
from kernel_parts import STORE_WORDS, Store, Strobe, part, with_last, words_of

from polyloom.rtl.testing import Stall, Struct, bench

test = bench(__file__, "kernel_tb")
JOB = Struct.of("polyloom_mpe_pkg::write_job_t")
REQUEST = Struct([("addr", 32), ("data", 64), ("strobe", 8)])


class Bench:
    """The part and what surrounds it: gives it a job, with its address before it, when none waits."""

    def __init__(self, dut: Any, stall: str | float = "random") -> None:
        self.h = part(dut, "writer")
        self.source, self.requests = self.h.source("in", stall), self.h.sink("req", stall)
        self.store = Store(self.h)
        self._address, self._job = Strobe(self.h, "address"), Strobe(self.h, "job")
        self._ready, self._idle = self.h.signal("ready"), self.h.signal("idle")
        self._stall = Stall(self.h.rng, stall)
        self._todo: list[tuple[int | None, int]] = []  # address, job
        self._given = False  # in this cycle or the one before
        self._free = False  # none waited in the cycle before
        self.job_cycles: list[int] = []
        self.requests.expect([])
        self.written = 0  # requests expected
        self.kept: list[tuple[int, int]] = []  # expected in the store
        self.ends = [(0, 0, 0)]  # requests, words stored, words taken after so many jobs
        self.places: dict[int, bytes] = {}  # what is known of the store, by first word
        self.h.add(self)

    def reset(self) -> None:
        """Nothing."""

    def drive(self) -> None:
        """The address, then the job; both are seen a cycle after they are handed over."""
        if not self._todo or self._given or not self._free or self._stall():
            self._given = False
            return
        address, job = self._todo[0]
        if address is not None:
            self._address.next = address
            self._todo[0] = (None, job)
            return
        self._job.next = job
        self._given = True
        self._todo.pop(0)

    def sample(self, cycle: int) -> None:
        """Compare what is written, in order; at rest all is."""
        self._free = bool(self._ready.get())
        if self.h.signal("job_valid").get():
            self.job_cycles.append(cycle)
            self._free = False
        if self._idle.get():
            assert self._free or self._given or self._job.next is not None or self.job_cycles[-1] == cycle
            done = len(self.job_cycles) - int(bool(self.job_cycles) and self.job_cycles[-1] == cycle)
            assert len(self.requests.passed) == self.ends[done][0], f"idle in cycle {cycle} before all is written"
            assert len(self.store.written) == self.ends[done][1], f"idle in cycle {cycle} before all is stored"
            assert len(self.source.passed) == self.ends[done][2], f"idle in cycle {cycle} before the packet's end"

    def busy(self) -> str:
        """Say what is not done."""
        if self._todo:
            return f"{len(self._todo)} jobs"
        return "" if self._idle.get() else "not idle"

    def job(self, count: int, address: int | None = None, to: int | None = None, source: int | None = None,
            packet: int = 0) -> None:  # fmt: skip
        """``count`` bytes of a packet of ``packet`` bytes, or from word ``source`` on, to an address or to a word."""
        rng = self.h.rng
        if source is None:
            data = rng.randbytes(packet)
            words = words_of(data, rng.randbytes(8))
            self.source.send(with_last(words))
        else:
            data, words = self.places[source], []
        bits = {"bytes": count, "unused": rng.getrandbits(2)}
        bits |= {"to_memory": int(address is not None), "to_store": int(to is not None)}
        bits |= {"from_store": int(source is not None)}
        place = to if to is not None else source if source is not None else rng.getrandbits(16)
        self._todo.append((address, JOB.pack(word=place, **bits)))
        if address is not None:
            wanted = writes_of(address, data[:count])
            self.requests.expect(wanted)
            self.written += len(wanted)
        if to is not None:
            used = words[: (count + 7) // 8]
            self.kept += [(to + i, word) for i, word in enumerate(used)]
            self.places[to] = b"".join(word.to_bytes(8, "little") for word in used)
        last = self.ends[-1]
        self.ends.append((self.written, len(self.kept), last[2] + len(words)))

    async def finish(self) -> None:
        """All is done as expected; bytes that are not written are 0 here."""
        await self.h.drain()
        assert self.store.written == self.kept


def writes_of(address: int, data: bytes) -> list[int]:
    """Each word that has a byte of it, once, in order."""
    out = []
    for word in range(address // 8, (address + len(data) + 7) // 8 if data else 0):
        bytes_ = {
            a - 8 * word: data[a - address] for a in range(8 * word, 8 * word + 8) if 0 <= a - address < len(data)
        }
        value = sum(byte << 8 * b for b, byte in bytes_.items())
        out.append(REQUEST.pack(addr=8 * word, data=value, strobe=sum(1 << b for b in bytes_)))
    return out


@cocotb.test()
async def writes(dut: Any) -> None:
    for _ in range(2):
        b = Bench(dut)
        rng = b.h.rng
        await b.h.reset()
        for _ in range(100):
            packet = rng.choice([1, 7, 8, 9, 16, rng.randint(1, 120), rng.randint(1, 300)])
            count = rng.choice([packet, packet, rng.randint(0, packet), 0])
            address = rng.choice([0x10000, 0x80000100, 0xFFFFE000]) + rng.randrange(64)
            where = rng.randrange(5)
            if where == 0:
                b.job(packet, to=rng.randrange(STORE_WORDS - 40), packet=packet)
            elif where == 1 and b.places:
                place = rng.choice(list(b.places)[-1:])  # others may have been written over
                b.job(rng.randint(0, len(b.places[place])), address, source=place)
            elif where == 2:
                b.job(rng.choice([0, count]), packet=packet)  # thrown away
            else:
                b.job(count, address, packet=packet)
        await b.finish()


@cocotb.test()
async def every_alignment(dut: Any) -> None:
    """Also with more of the packet behind what is wanted."""
    b = Bench(dut, "never")
    await b.h.reset()
    for at in range(8):
        for count in range(1, 20):
            b.job(count, 0x10000 + 64 * count + at, packet=count + b.h.rng.choice([0, 0, 1, 8, 20]))
    await b.finish()


@cocotb.test()
async def pace(dut: Any) -> None:
    """The first word two cycles after the job, three from the store; a word a cycle."""
    b = Bench(dut, "never")
    await b.h.reset()
    b.job(1440, 0x10000, packet=1440)
    await b.h.drain()
    first = b.job_cycles[-1] + 2
    assert b.requests.cycles == list(range(first, first + 180)), (first, b.requests.cycles[:2])
    b.job(256, to=100, packet=256)
    await b.h.drain()
    b.job(253, 0x10005, source=100)
    await b.finish()
    first = b.job_cycles[-1] + 3
    assert b.requests.cycles[180:] == list(range(first, first + 33)), (first, b.requests.cycles[180:])
