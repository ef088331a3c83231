# SPDX-License-Identifier: Apache-2.0
"""Covers: descriptors of both channels of random blocks, sizes and alignments, data in beats of 1 to 16 bytes, stalls
on all sides: TLPs as large as can be, none across a multiple of the largest payload, flags behind their data, the
function's stream; a poisoned beat, after which its channel writes nothing until it is cleared and the other one goes
on; rate; TLPs of 128 and 512 bytes.

Tests polyloom_hub_dma_write. Leaves out: other data than the blocks say.
"""

from __future__ import annotations

from typing import Any

import cocotb
from hub_parts import BLOCK, READ_BEAT
from hub_units import BEAT, WINDOW, WRITE, Tlp

from polyloom.rtl.testing import Harness, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "hub_tb")
MOST = (128, 512)


class Bench:
    """Both ends of the write side, and what it must make of the blocks."""

    def __init__(self, dut: Any, which: int, stall: str | float = "random") -> None:
        self.h = h = Harness(dut, dut.i_dma.gen_write[which])
        self.most = MOST[which]
        self.block, self.data = h.source("block", stall), h.source("data", stall)
        self.out, self.stream = h.sink("out", stall), h.monitor("stream")
        self.stream_ready = h.signal("stream_ready")
        self.signals = {name: h.signal(name) for name in ("done", "failed", "idle", "clear")}
        self.tlps: list[Tlp] = []
        self.stream_beats: list[int] = []
        self.due = [0, 0]
        self.done = [0, 0]
        self.watch = True  # that idle means done
        EveryCycle(h, self.drive, self.check)

    def descriptor(self, proxy: int, sizes: list[int], stream: bool = False, flag: bool = False, bad: int = -1) -> None:
        """So many blocks; what is expected of them, unless a byte is bad."""
        rng, ident, flag_address = self.h.rng, self.h.rng.getrandbits(32), 8 * rng_below(self.h, WINDOW // 8)
        end = rng.getrandbits(1)
        for number, size in enumerate(sizes):
            final, address = number == len(sizes) - 1, 0 if stream else rng_below(self.h, WINDOW - size)
            data = rng.randbytes(size)
            reported = BLOCK.pack(
                proxy=proxy, final_block=int(final), to_stream=int(stream), stream_end=end, flag=int(flag),
                flag_address=flag_address, id=ident, bytes=size, address=address,
            )  # fmt: skip
            self.block.send(reported)
            self._feed(data, bad if number == 0 else -1)
            if stream:
                last = bool(final and end)
                parts = [data[i : i + 16] for i in range(0, size, 16)]
                for i, part in enumerate(parts):
                    word = int.from_bytes(part, "little")
                    ends = int(last and i == len(parts) - 1)
                    self.stream_beats.append(BEAT.pack(last=ends, top=len(part) - 1, data=word))
            else:
                self._tlps(address, data)
        if flag:
            self.tlps.append(Tlp(WRITE, flag_address, ident.to_bytes(8, "little")))
        self.due[proxy] += 1

    def _feed(self, data: bytes, bad: int) -> None:
        """As the read side gives it: beats of any size; above their top is noise."""
        rng, place = self.h.rng, 0
        while place < len(data):
            size = min(len(data) - place, rng.choice([16, 16, 16, rng.randint(1, 16)]))
            word = int.from_bytes(data[place : place + size] + rng.randbytes(16 - size), "little")
            poisoned = int(place <= bad < place + size)
            self.data.send(READ_BEAT.pack(final_beat=rng.getrandbits(1), bad=poisoned, top=size - 1, data=word))
            place += size

    def _tlps(self, address: int, data: bytes) -> None:
        while data:
            size = min(len(data), self.most - address % self.most)
            self.tlps.append(Tlp(WRITE, address, data[:size]))
            address, data = address + size, data[size:]

    def drive(self) -> None:
        self.stream_ready.set(int(self.h.rng.random() < 0.7))

    def check(self, cycle: int) -> None:
        get = {name: signal.get() for name, signal in self.signals.items()}
        for channel in range(2):
            self.done[channel] += get["done"] >> channel & 1
        assert not get["done"] & get["failed"]
        idle_early = get["idle"] and self.watch and self.whole(cycle) != self.done
        assert not idle_early, f"cycle {cycle}: idle amid a descriptor"

    def whole(self, cycle: int) -> list[int]:
        """Descriptors of each channel of which the last block came before this cycle."""
        count = [0, 0]
        for word, when in zip(self.block.passed, self.block.cycles, strict=True):
            block = BLOCK.unpack(word)
            count[block["proxy"]] += block["final_block"] and when < cycle
        return count

    def got(self) -> list[Tlp]:
        tlps, beats = [], []
        for beat in self.out.passed:
            beats.append(beat)
            if BEAT.unpack(beat)["last"]:
                tlps.append(Tlp.of(beats))
                beats = []
        assert not beats
        return tlps


def rng_below(h: Harness, most: int) -> int:
    """An address: at a multiple of 512 or any."""
    place = h.rng.randrange(most)
    return h.rng.choice([place, place - place % 512, place - place % 16])


@cocotb.test()
@cocotb.parametrize(which=range(2))
async def random_blocks(dut: Any, which: int) -> None:
    b = Bench(dut, which)
    rng = b.h.rng
    await b.h.reset()
    for _ in range(25):
        sizes = [rng.choice([1, 15, 16, 17, b.most, b.most + 1, rng.randint(1, 900)]) for _ in range(rng.randint(1, 4))]
        stream = rng.random() < 0.25
        b.descriptor(rng.getrandbits(1), sizes, stream, flag=rng.random() < 0.5)
    await b.h.until(lambda: b.done == b.due and bool(b.signals["idle"].get()))
    assert b.got() == b.tlps
    assert b.stream.passed == b.stream_beats
    assert b.signals["failed"].get() == 0


@cocotb.test()
@cocotb.parametrize(proxy=range(2))
async def a_poisoned_beat_stops_its_channel(dut: Any, proxy: int) -> None:
    b = Bench(dut, 0)
    rng, watch = b.h.rng, b.signals
    await b.h.reset()
    for _ in range(6):
        before, done = len(b.got()), list(b.done)
        b.watch, b.tlps = False, []
        b.descriptor(proxy, [700], flag=True, bad=(bad := rng.randrange(700)))
        sound, b.tlps = b.tlps[:-1], []
        b.descriptor(proxy, [50], flag=True)  # already on its way
        b.tlps = []
        b.descriptor(1 - proxy, [300, 5], flag=True)
        await b.h.until(lambda: not b.block.busy() and not b.data.busy() and bool(watch["idle"].get()))
        got = b.got()[before:]
        assert got[len(got) - len(b.tlps) :] == b.tlps, "the other channel"
        early = got[: len(got) - len(b.tlps)]
        assert early == sound[: len(early)] and sum(len(tlp.payload) for tlp in early) <= bad
        assert b.done[proxy] == done[proxy] and b.done[1 - proxy] == done[1 - proxy] + 1
        assert watch["failed"].get() == 1 << proxy
        watch["clear"].set(1)
        await b.h.step()
        watch["clear"].set(0)
        assert watch["failed"].get() == 0
        before, b.tlps = len(b.got()), []
        b.descriptor(proxy, [200], flag=True)
        await b.h.until(lambda: b.done[proxy] > done[proxy] and bool(watch["idle"].get()))  # noqa: B023
        assert b.got()[before:] == b.tlps


@cocotb.test()
@cocotb.parametrize(which=range(2))
async def a_beat_a_cycle(dut: Any, which: int) -> None:
    b = Bench(dut, which, "never")
    await b.h.reset()
    b.block.send(BLOCK.pack(final_block=1, bytes=8 * b.most, address=b.most))
    data = [READ_BEAT.pack(top=15, data=b.h.rng.getrandbits(128)) for _ in range(b.most // 2)]
    b.data.send(data)
    await b.h.until(lambda: b.done == [1, 0] and bool(b.signals["idle"].get()))
    first = b.out.cycles[0]
    assert b.out.cycles == [first + n for n in range(8 * (1 + b.most // 16))]
    beats = b.most // 16
    assert b.data.cycles[:beats] == [b.data.cycles[0] + n for n in range(beats)]
