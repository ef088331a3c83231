# SPDX-License-Identifier: Apache-2.0
"""Covers: reads and writes of 1 to 8 bytes at every place of a word on both ports, DMA on the second one in between,
the kernel standing still at random: every datum read against an array of bytes, also after stalls; initial values;
2 and 13 words.

Leaves out: a read and a write of one word in the same cycle (undefined), addresses beyond the end.
"""

from __future__ import annotations

from typing import Any

import cocotb

from polyloom.rtl.testing import Harness, bench

test = bench(__file__, "hls_tb")
WORDS = (2, 13)
INIT = 0xFEDC_BA98_7654_3210_0F1E_2D3C_4B5A_6978


class Port:
    """A port of the kernel, or DMA: one access a cycle at most."""

    def __init__(self, h: Harness, name: str) -> None:
        self.h, self.dma = h, name == "dma"
        fields = ("en", "we", "word" if self.dma else "addr", "be", "wdata", "rdata")
        self.io = dict(
            zip(("en", "we", "at", "be", "wdata", "rdata"), (h.signal(f"{name}_{f}") for f in fields), strict=True)
        )
        self.pending: tuple[int, int] | None = None  # bytes that the last read shows, and what they are
        self.idle()

    def idle(self) -> None:
        """Ask for nothing; data are noise."""
        self.now: tuple[int, int, bool, int] | None = None  # first byte, count, write, data

    def request(self, words: int) -> None:
        """An access at random."""
        word, lane = self.h.rng.randrange(words), 0 if self.dma else self.h.rng.randrange(8)
        count = 8 if self.dma else self.h.rng.randint(1, 8 - lane)
        self.now = (8 * word + lane, count, self.h.rng.random() < 0.5, self.h.rng.getrandbits(64))

    def word(self) -> int | None:
        """Which word it touches."""
        return None if self.now is None else self.now[0] // 8

    def drive(self) -> None:
        """Onto the signals."""
        at, count, write, data = self.now or (0, 8, bool(self.h.rng.getrandbits(1)), self.h.rng.getrandbits(64))
        self.io["en"].set(int(self.now is not None))
        self.io["we"].set(int(write))
        self.io["at"].set(at // 8 if self.dma else at)
        self.io["be"].set((1 << count) - 1)
        self.io["wdata"].set(data)

    def perform(self, memory: bytearray) -> None:
        """The access takes place."""
        if self.now is None:
            return
        at, count, write, data = self.now
        if write:
            memory[at : at + count] = data.to_bytes(8, "little")[:count]
            self.pending = None
        else:
            self.pending = count, int.from_bytes(memory[at : at + count], "little")

    def check(self, cycle: int) -> None:
        """What was read shows."""
        if self.pending is not None:
            count, data = self.pending
            got = self.io["rdata"].get() & (1 << 8 * count) - 1
            assert got == data, f"cycle {cycle}: {got:#x}, expected {data:#x}"


@cocotb.test()
@cocotb.parametrize(which=range(2))
async def keeps_bytes(dut: Any, which: int) -> None:
    h = Harness(dut, dut.gen_memory[which])
    words = WORDS[which]
    a, b, dma = (Port(h, name) for name in ("a", "b", "dma"))
    advance = h.signal("advance")
    await h.reset()
    # What the configuration holds, read before anything is written; a test before may have written.
    memory = bytearray(INIT.to_bytes(16, "little") + bytes(8 * (words - 2)))
    if which == 1:
        for word in range(words):
            dma.now = (8 * word, 8, False, 0)
            dma.drive()
            await h.step()
            dma.perform(memory)
            dma.check(h.cycle)
    for word in range(words):
        dma.now = (8 * word, 8, True, h.rng.getrandbits(64))
        dma.drive()
        await h.step()
        dma.perform(memory)
    dma.pending = None
    for _ in range(4000):
        moves = h.rng.random() < 0.6
        for port in (a, b, dma):
            port.idle()
        if h.rng.random() < 0.8:
            a.request(words)
        if h.rng.random() < 0.4:
            dma.request(words)
            if a.word() == dma.word() and (a.now or dma.now) and (a.now[2] or dma.now[2]):  # type: ignore[index]
                dma.idle()
        elif h.rng.random() < 0.8:
            b.request(words)
            if a.word() == b.word() and a.now and b.now and (a.now[2] or b.now[2]):
                b.idle()
        if dma.now and b.now:
            b.idle()
        advance.set(int(moves))
        for port in (a, b, dma):
            port.drive()
        await h.step()
        dma.pending = None  # its datum shows for one cycle
        for port in (a, b) if moves else ():
            port.perform(memory)
        dma.perform(memory)
        for port in (a, b, dma):
            port.check(h.cycle)
