# SPDX-License-Identifier: Apache-2.0
"""Covers: bursts of 1 to 16 beats, reads beside writes, any bytes strobed, any address, lines of 32 and 64 bytes, with
random pauses of the host, of the slice and of lines, which come in any order: each line asked for and written, once and
in order; what the host reads; when a burst of writes is acknowledged; idle or not; a request every other cycle without
pauses; a reset amid bursts.

Leaves out: bursts of more beats (asserted in the RTL); order of reads and writes that are under way together.
"""

from __future__ import annotations

from collections import deque
from itertools import pairwise
from typing import Any

import cocotb
from memory_units import BEAT_BYTES, LINE_REQ, SHAPES, Shape

from polyloom.rtl.testing import Harness, Stall, Struct, bench

test = bench(__file__, "memory_tb")
ADDRESS = Struct([("addr", 32), ("len", 8)])
W = Struct.of("polyloom_axi_pkg::w_t")
R = Struct([("data", 256), ("last", 1)])


class Slice:
    """Takes requests for lines and gives lines back in any order; knows which must come."""

    def __init__(self, h: Harness, shape: Shape, stall: str) -> None:
        self._h, self._shape = h, shape
        self._sink = h.sink("line", stall)
        self._stall = Stall(h.rng, stall)
        self._back = [h.signal(f"back_{name}") for name in ("valid", "tag", "data")]
        self.reads: deque[tuple[int, int]] = deque()  # address of the beat, whether the last
        self.writes: deque[dict[str, int]] = deque()
        self.written = 0
        self.given: list[int] = []  # beats that the host must get
        self._lines: list[tuple[int, int]] = []
        h.add(self)

    @property
    def cycles(self) -> list[int]:
        """When requests were taken."""
        return self._sink.cycles

    def reset(self) -> None:
        """No line."""
        self._back[0].set(0)

    def drive(self) -> None:
        """Give a line back; without one there is noise."""
        rng = self._h.rng
        comes = bool(self._lines) and not self._stall()
        tag, data = self._lines.pop(rng.randrange(len(self._lines))) if comes else (rng.getrandbits(6), 0)
        self._back[0].set(int(comes))
        self._back[1].set(tag)
        self._back[2].set(data if comes else rng.getrandbits(8 * self._shape.line_bytes))

    def sample(self, cycle: int) -> None:
        """Compare what was taken in this cycle."""
        if self._sink.cycles and self._sink.cycles[-1] == cycle:
            self._take(self._sink.passed[-1], cycle)

    def _take(self, bits: int, cycle: int) -> None:
        size, rng = self._shape.line_bytes, self._h.rng
        request, strobe = LINE_REQ.unpack(bits >> 9 * size), bits & (1 << size) - 1
        data = bits >> size & (1 << 8 * size) - 1
        beat = self.writes.popleft() if request["write"] else None
        addr, last = (beat["addr"], 0) if beat else self.reads.popleft()
        assert request["addr"] == addr // size * size, f"cycle {cycle}: {request}, expected {addr:#x}"
        shift = addr % size
        if beat:
            assert strobe == beat["strb"] << shift, f"cycle {cycle}"
            assert data >> 8 * shift & (1 << 256) - 1 == beat["data"], f"cycle {cycle}"
            self.written += 1
            return
        line = rng.getrandbits(8 * size)
        self._lines.append((request["tag"], line))
        self.given.append(R.pack(data=line >> 8 * shift & (1 << 256) - 1, last=last))

    def busy(self) -> str:
        """What was not asked for."""
        return f"{len(self.reads)} reads, {len(self.writes)} writes" if self.reads or self.writes else ""


class Host:
    """Bursts, their responses, and what is under way."""

    def __init__(self, h: Harness, shape: Shape, stall: str = "random") -> None:
        self._h = h
        self._aw, self._w, self._ar = (h.source(name, stall) for name in ("aw", "w", "ar"))
        self._b, self._r = h.sink("b", stall), h.sink("r", stall)
        self._b_valid, self._idle = h.signal("b_valid"), h.signal("idle")
        self.slice = Slice(h, shape, stall)
        self._seen = self._before = self._read = 0
        self._nothing = True  # was under way at the end of the cycle before
        self._lengths: deque[int] = deque()  # of bursts of writes
        h.add(self)

    def send(self, beats: int, write: bool) -> None:
        """Queue a burst."""
        rng = self._h.rng
        addr = rng.getrandbits(27) * BEAT_BYTES
        (self._aw if write else self._ar).send(ADDRESS.pack(addr=addr, len=beats - 1))
        for i in range(beats):
            at = (addr + i * BEAT_BYTES) % (1 << 32)
            if not write:
                self.slice.reads.append((at, int(i == beats - 1)))
                continue
            beat = {"data": rng.getrandbits(256), "strb": rng.choice([rng.getrandbits(32), (1 << 32) - 1])}
            self._w.send(W.pack(**beat, last=int(i == beats - 1)))
            self.slice.writes.append({**beat, "addr": at})
        if write:
            self._lengths.append(beats)

    def reset(self) -> None:
        """Nothing of its own."""

    def drive(self) -> None:
        """Nothing of its own."""

    def sample(self, cycle: int) -> None:
        """Check what the host got, when a burst is acknowledged, and idle."""
        given = self.slice.given
        for bits in self._r.passed[self._seen :]:
            assert given, f"cycle {cycle}: a beat of a line that was not given"
            assert bits == given.pop(0), f"cycle {cycle}: {R.unpack(bits)}"
            self._read += bits & 1
        self._seen = len(self._r.passed)
        assert self.idle() == self._nothing, f"cycle {cycle}"
        self._nothing = len(self._aw.passed) == len(self._b.passed) and len(self._ar.passed) == self._read
        due = bool(self._lengths) and self._before >= self._lengths[0]
        assert self._b_valid.get() == int(due), f"cycle {cycle}: {self._before} beats written of {self._lengths}"
        self._before = self.slice.written  # of cycles before the next
        if self._b.cycles and self._b.cycles[-1] == cycle:
            beats = self._lengths.popleft()
            self.slice.written -= beats
            self._before -= beats

    def busy(self) -> str:
        """Say how much was not answered."""
        waits = self._lengths or self.slice.given
        return f"{len(self._lengths)} bursts of writes, {len(self.slice.given)} beats" if waits else ""

    def idle(self) -> bool:
        """What the port says."""
        return bool(self._idle.get())


@cocotb.test()
@cocotb.parametrize(which=range(2))
async def bursts(dut: Any, which: int) -> None:
    h = Harness(dut, dut.gen_dma[which])
    host = Host(h, SHAPES[which])
    await h.reset()
    await h.step()
    assert host.idle()
    for _ in range(40):
        host.send(h.rng.choice([1, 2, 16, h.rng.randint(1, 16)]), write=h.rng.random() < 0.5)
    await h.drain()
    assert host.idle()


@cocotb.test()
@cocotb.parametrize(which=range(2), write=(False, True))
async def one_burst(dut: Any, which: int, write: bool) -> None:
    h = Harness(dut, dut.gen_dma[which])
    host = Host(h, SHAPES[which], "never")
    await h.reset()
    host.send(16, write)
    await h.until(lambda: bool(host.slice.cycles))
    assert not host.idle()
    await h.drain()
    cycles = host.slice.cycles
    assert [b - a for a, b in pairwise(cycles)] == [2] * 15
    assert host.idle()


@cocotb.test()
@cocotb.parametrize(which=range(2))
async def reset_amid_bursts(dut: Any, which: int) -> None:
    for _ in range(6):
        h = Harness(dut, dut.gen_dma[which])
        host = Host(h, SHAPES[which])
        await h.reset()
        host.send(16, write=False)
        host.send(h.rng.randint(1, 16), write=True)
        await h.step(h.rng.randrange(40))  # wherever it is; the next host begins with a reset
    h = Harness(dut, dut.gen_dma[which])
    host = Host(h, SHAPES[which])
    await h.reset()
    await h.step()
    assert host.idle()
    for _ in range(4):
        host.send(h.rng.randint(1, 16), write=h.rng.random() < 0.5)
    await h.drain()
