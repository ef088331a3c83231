# SPDX-License-Identifier: Apache-2.0
"""Covers: ranges of 1 to some hundred bytes at any byte address, to the end of the address space, from memory channels
and from memories of words, random stalls on all sides: words and `last` against the bytes of the memory, bytes past
the end zero; bursts, their bounds and how many are open; the channel; errors told; throughput and latency to the cycle.
Bursts of 16 beats, 4 open, and of 2, 1 open.

Leaves out: beats out of order (excluded by contract); ranges of more than 700 bytes.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import cocotb
from shell_units import BURST, BURSTS, CMD, PROG, WORD, Part, check_burst, memory, some_range

from polyloom.rtl.testing import Harness, Struct, bench

test = bench(__file__, "shell_tb")
R = Struct([("data", 256), ("resp", 2), ("last", 1)])
OPEN = (4, 1)


class Memories(Part):
    """Channels and memories of words; responses in order of requests."""

    def __init__(self, h: Harness, which: int, stall: str | float) -> None:
        self.which = which
        self.ar, self.prog = h.sink("ar", stall), h.sink("prog", stall)
        self.r = h.source("r", stall)
        self.cmd = h.source("cmd", stall)
        self.read = memory(h.rng)
        self.io = {n: h.signal(n) for n in ("error", "channel", "prog_rsp_valid", "prog_rsp")}
        self.commands: deque[dict[str, int]] = deque()
        self.next_beat = self.left = self.open = self.errors = 0
        self.responses: deque[tuple[int, int]] = deque()  # cycle from which it may come, word
        self.faulty = 0.1
        self._seen = [0, 0, 0, 0]
        super().__init__(h)

    def send(self, **fields: int) -> list[int]:
        """Queue a command; the words that it brings."""
        self.commands.append(fields)
        self.cmd.send(CMD.pack(**fields))
        data = self.read(self.place(fields), fields["address"], fields["bytes"]).to_bytes(fields["bytes"], "little")
        words = [data[at : at + 8] for at in range(0, len(data), 8)]
        return [WORD.pack(last=int(w is words[-1]), data=int.from_bytes(w, "little")) for w in words]

    @staticmethod
    def place(fields: dict[str, int]) -> int:
        """A number for each memory."""
        if not fields["words"]:
            return fields["target"] & 127
        return 1 << 13 | fields["scratchpad"] << 12 | fields["all"] << 11 | fields["target"]

    def drive(self) -> None:
        """Respond to a read of a word."""
        due = bool(self.responses) and self.h.cycle >= self.responses[0][0]
        self.io["prog_rsp_valid"].set(int(due))
        self.io["prog_rsp"].set(self.responses.popleft()[1] if due else self.h.rng.getrandbits(64))

    def sample(self, cycle: int) -> None:
        """Take what was asked for."""
        for _ in self._new(0, self.cmd.passed):
            self.now = self.commands.popleft()
            first, past = self.now["address"] // 32, -(-(self.now["address"] + self.now["bytes"]) // 32)
            self.next_beat, self.left = first, 0 if self.now["words"] else past - first
            self.half, self.bytes = self.now["address"] // 4, self.now["bytes"]
        reported = False
        for bits in self._new(1, self.r.passed):
            reported |= R.unpack(bits)["resp"] != 0
            self.open -= R.unpack(bits)["last"]
        assert bool(self.io["error"].get()) == reported, f"cycle {cycle}"
        self.errors += reported
        for bits in self._new(2, self.ar.passed):
            self._burst(BURST.unpack(bits))
        for bits in self._new(3, self.prog.passed):
            self._word(PROG.unpack(bits), cycle)

    def _new(self, which: int, passed: list[int]) -> list[int]:
        new = passed[self._seen[which] :]
        self._seen[which] = len(passed)
        return new

    def _burst(self, burst: dict[str, int]) -> None:
        assert not self.now["words"]
        assert self.io["channel"].get() == self.now["target"] & 127
        beats = check_burst(burst["addr"], burst["len"], self.next_beat, self.left, BURSTS[self.which])
        self.open += 1
        assert self.open <= OPEN[self.which]
        for n in range(self.next_beat, self.next_beat + beats):
            resp = self.h.rng.randrange(1, 4) if self.h.rng.random() < self.faulty else 0
            data = self.read(self.place(self.now), n * 32, 32)
            self.r.send(R.pack(data=data, resp=resp, last=int(n == self.next_beat + beats - 1)))
        self.next_beat += beats
        self.left -= beats

    def _word(self, requested: dict[str, int], cycle: int) -> None:
        assert self.now["words"] and not requested["write"]
        assert {n: requested[n] for n in ("scratchpad", "all", "target")} == {
            n: self.now[n] for n in ("scratchpad", "all", "target")
        }
        assert requested["half"] == self.half and requested["pair"] == int(self.bytes >= 8)
        assert requested["addr"] == self.half // 2
        noise = 0 if requested["pair"] else self.h.rng.getrandbits(32) << 32
        word = self.read(self.place(self.now), self.half * 4, 8 if requested["pair"] else 4) | noise
        self.responses.append((cycle + 1 + self.h.rng.choice([0, 0, 3, 10]), word))
        self.half += 2
        self.bytes -= min(8, self.bytes)


@cocotb.test()
@cocotb.parametrize(which=range(2), stall=("random", "never"))
async def brings_the_bytes(dut: Any, which: int, stall: str) -> None:
    h = Harness(dut, dut.gen_read_dma[which])
    memories, sink = Memories(h, which, stall), h.sink("word", stall)
    sink.expect([])
    await h.reset()
    for _ in range(60):
        words = h.rng.random() < 0.3
        address, count = some_range(h.rng, words, 700 if h.rng.random() < 0.3 else 100)
        place = {"scratchpad": h.rng.getrandbits(1), "all": h.rng.getrandbits(1), "target": h.rng.getrandbits(10)}
        sink.expect(memories.send(words=int(words), address=address, bytes=count, **place))
    await h.drain()
    assert not memories.commands and memories.left == 0 and memories.open == 0 and memories.errors > 0
    assert h.signal("cmd_ready").get()


@cocotb.test()
@cocotb.parametrize(shift=range(8))
async def a_word_a_cycle(dut: Any, shift: int) -> None:
    """Address request 1 cycle after the command, the first word 1 or 2 cycles after its beat, then one a cycle."""
    h = Harness(dut, dut.gen_read_dma[0])
    memories, sink = Memories(h, 0, "never"), h.sink("word", "never")
    place = {"words": 0, "scratchpad": 0, "all": 0, "target": 1}
    await h.reset()
    words = memories.send(address=0x1000 + shift, bytes=1000, **place)
    sink.expect(words)
    await h.drain()
    assert memories.ar.cycles[0] == memories.cmd.cycles[0] + 1
    first = sink.cycles[0]
    assert sink.cycles == list(range(first, first + len(words)))
    # A beat is taken with its last lane, so the first one stands for 4 cycles.
    assert first == memories.r.cycles[0] - 3 + 1 + int(shift > 0)
