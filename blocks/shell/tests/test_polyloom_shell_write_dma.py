# SPDX-License-Identifier: Apache-2.0
"""Covers: ranges of 1 to some hundred bytes at any byte address, to memory channels and to memories of words, whole or
cut short, random stalls on all sides: every byte and no other is written, once; bursts, their bounds and `last`; the
channel; memory's refusals; that a command is taken only when all before is acknowledged; throughput to the cycle.
Bursts of 16 beats and of 2.

Leaves out: words without a command, or more than it says (excluded by contract); ranges of more than 700 bytes.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import cocotb
from shell_units import BURST, BURSTS, CMD, PROG, Part, check_burst, some_range

from polyloom.rtl.testing import Harness, Struct, bench

test = bench(__file__, "shell_tb")
W = Struct.of("polyloom_axi_pkg::w_t")
Bytes = dict[tuple[int, int], int]


class Memories(Part):
    """Takes bursts and words; responds to each burst once, in order."""

    def __init__(self, h: Harness, which: int, stall: str | float) -> None:
        self.burst = BURSTS[which]
        self.aw, self.w, self.prog = (h.sink(n, stall) for n in ("aw", "w", "prog"))
        self.b = h.source("b", stall)
        self.io = {n: h.signal(n) for n in ("channel", "error", "cmd_ready")}
        self.written: Bytes = {}
        self.now: dict[str, int] = {}
        self.bursts: deque[list[int]] = deque()  # first beat, beats
        self.next_beat = self.left = self.open = self.done = 0
        self.refused = False
        self.faulty = 0.1
        self._seen = [0, 0, 0, 0]
        super().__init__(h)

    def begin(self, fields: dict[str, int]) -> None:
        """A command is about to be sent."""
        first, past = fields["address"] // 32, -(-(fields["address"] + fields["bytes"]) // 32)
        self.now, self.next_beat, self.left = fields, first, past - first
        self.written = {}
        self.refused = False
        self.half, self.bytes = fields["address"] // 4, fields["bytes"]

    def sample(self, cycle: int) -> None:
        """Take what came."""
        for bits in self._new(0, self.b.passed):
            self.refused |= bits != 0
            self.open -= 1
        for bits in self._new(1, self.aw.passed):
            burst = BURST.unpack(bits)
            assert not self.now["words"] and self.io["channel"].get() == self.now["target"] & 127
            beats = check_burst(burst["addr"], burst["len"], self.next_beat, self.left, self.burst)
            self.bursts.append([self.next_beat, beats])
            self.next_beat += beats
            self.left -= beats
            self.open += 1
        for bits in self._new(2, self.w.passed):
            self._beat(W.unpack(bits))
        for bits in self._new(3, self.prog.passed):
            self._word(PROG.unpack(bits))
        assert not self.io["cmd_ready"].get() or self.open <= 0, f"cycle {cycle}: ready with bursts not acknowledged"

    def _new(self, which: int, passed: list[int]) -> list[int]:
        new = passed[self._seen[which] :]
        self._seen[which] = len(passed)
        return new

    def _beat(self, beat: dict[str, int]) -> None:
        burst = self.bursts[0]
        for n in range(32):
            if beat["strb"] >> n & 1:
                self._put((self.now["target"] & 127, burst[0] * 32 + n), beat["data"] >> 8 * n & 255)
        burst[0] += 1
        burst[1] -= 1
        assert beat["last"] == int(burst[1] == 0)
        if burst[1] == 0:
            self.bursts.popleft()
            self.b.send(self.h.rng.randrange(1, 4) if self.h.rng.random() < self.faulty else 0)

    def _put(self, where: tuple[int, int], byte: int) -> None:
        assert where not in self.written, f"{where} is written twice"
        self.written[where] = byte

    def _word(self, requested: dict[str, int]) -> None:
        assert self.now["words"] and requested["write"] and requested["addr"] == self.half // 2
        assert all(requested[n] == self.now[n] for n in ("scratchpad", "all", "target"))
        assert requested["half"] == self.half and requested["pair"] == int(self.bytes >= 8)
        for n in range(min(8, self.bytes)):
            self._put((self.now["target"] & 127, self.half * 4 + n), requested["wdata"] >> 8 * n & 255)
        self.half += 2
        self.bytes -= min(8, self.bytes)


async def write(h: Harness, memories: Memories, fields: dict[str, int], cut: int | None) -> None:
    """A command and its words, the first ``cut`` of them only, then abort; compare what memory has."""
    cmd, source = memories.cmd, memories.words
    count = fields["bytes"]
    data = h.rng.randbytes(count)
    words = [int.from_bytes(data[at : at + 8], "little") for at in range(0, count, 8)]
    if count % 8:  # what lies past the end is zero by contract
        assert words[-1] >> 8 * (count % 8) == 0
    memories.begin(fields)
    cmd.send(CMD.pack(**fields))
    accepted = len(cmd.passed)
    await h.until(lambda: len(cmd.passed) > accepted)
    base = len(source.passed)
    source.send(words[:cut])
    if cut is not None:
        await h.until(lambda: len(source.passed) == base + cut)
        h.signal("abort").set(1)
        await h.step()
        h.signal("abort").set(0)
    await h.until(lambda: len(source.passed) == base + len(words[:cut]) and bool(h.signal("cmd_ready").get()))
    place = fields["target"] & 127
    sent = data if cut is None else data[: 8 * cut]
    assert memories.written == {(place, fields["address"] + n): byte for n, byte in enumerate(sent)}
    assert not memories.bursts and memories.open == 0
    assert fields["words"] or bool(memories.io["error"].get()) == memories.refused
    memories.done += memories.refused


@cocotb.test()
@cocotb.parametrize(which=range(2), stall=("random", "never"))
async def writes_the_bytes(dut: Any, which: int, stall: str) -> None:
    h = Harness(dut, dut.gen_write_dma[which])
    memories = Memories(h, which, stall)
    memories.cmd, memories.words = h.source("cmd", stall), h.source("word", stall)
    await h.reset()
    for _ in range(60):
        words = h.rng.random() < 0.3
        address, count = some_range(h.rng, words, 700 if h.rng.random() < 0.3 else 100)
        place = {"scratchpad": h.rng.getrandbits(1), "all": h.rng.getrandbits(1), "target": h.rng.getrandbits(10)}
        fields = {"words": int(words), "address": address, "bytes": count, **place}
        cut = h.rng.randrange(-(-count // 8)) if h.rng.random() < 0.3 else None
        await write(h, memories, fields, cut)
    assert memories.done > 0


@cocotb.test()
@cocotb.parametrize(shift=range(0, 8, 3))
async def a_word_a_cycle(dut: Any, shift: int) -> None:
    """Behind the first beat of each burst, here of 64 words, one cycle is lost."""
    h = Harness(dut, dut.gen_write_dma[0])
    memories = Memories(h, 0, "never")
    memories.cmd, memories.words = h.source("cmd", "never"), h.source("word", "never")
    await h.reset()
    fields = {"words": 0, "scratchpad": 0, "all": 0, "target": 5, "address": 0x2000 + shift, "bytes": 1024 - shift}
    await write(h, memories, fields, None)
    cycles = memories.words.cycles
    assert cycles == [cycles[0] + n + int(n >= 4) + int(n >= 68) for n in range(len(cycles))]
