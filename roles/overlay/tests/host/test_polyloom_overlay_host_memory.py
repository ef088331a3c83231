# SPDX-License-Identifier: Apache-2.0
"""Covers: words of instruction memories and scratchpads: single and broadcast writes, pairs and odd halves, reads of
both; random stalls, late answers; frames with requests of their own beside a read.

Tests polyloom_overlay_host_words within polyloom_overlay_host. Leaves out: ranges outside a memory (..._host_range).
"""

from __future__ import annotations

from typing import Any

import cocotb
from host_units import (
    CTL,
    READ_INSTR,
    READ_PAD,
    REQUEST,
    ROLE_WORD,
    SHAPES,
    UART_IN,
    WRITE_INSTR,
    WRITE_PAD,
    Agent,
    Shell,
    Tiles,
    place,
    scope,
    word0,
)

from polyloom.rtl.testing import Harness, bench

test = bench(__file__, "host_tb")


class Words(Agent):
    """The shell's accesses, one after the other; a read waits for its answer."""

    def __init__(self, h: Harness, stall: str | float = "random") -> None:
        self._source = h.source("words", stall)
        self._valid, self._data = h.signal("words_rsp_valid"), h.signal("words_rsp")
        self._queue: list[tuple[int, bool, bool]] = []  # bits, read, pair
        self._waits = False
        self._read = False
        self._pair = False
        self.answers: list[int] = []
        self.requests: list[int] = []
        super().__init__(h)

    def access(self, write: bool, pad: bool, everyone: bool, target: int, at: int, pair: bool, data: int) -> None:
        """Queue an access, and note the requests that it is."""
        request = REQUEST.pack(write=int(write), addr=self.h.rng.getrandbits(32), wdata=data)
        role = ROLE_WORD.pack(scratchpad=int(pad), all=int(everyone), target=target, addr=at, pair=int(pair))
        self._queue.append((request << ROLE_WORD.width | role, not write, pair))
        op = {(True, False): WRITE_INSTR, (False, False): READ_INSTR, (True, True): WRITE_PAD}.get(
            (write, pad), READ_PAD
        )
        for half in range(1 + pair):
            self.requests.append(
                CTL.pack(
                    op=op,
                    all=int(everyone and write),
                    target=0 if everyone and not write else target,
                    addr=4 * (at + half) if pad else at + half,
                    data=data >> 32 * half & 0xFFFFFFFF if write else 0,
                )
            )

    def drive(self) -> None:
        """The next access."""
        if self._queue and not self._waits and not self._read:
            bits, self._read, self._pair = self._queue.pop(0)
            self._waits, self._passed = True, len(self._source.passed)
            self._source.send(bits)

    def sample(self, cycle: int) -> None:
        """A read's answer."""
        if self._waits and len(self._source.passed) > self._passed:
            self._waits = False
        if self._valid.get():
            assert self._read, f"answer without a read in cycle {cycle}"
            assert not self._waits, f"answer before the access was taken in cycle {cycle}"
            self._read = False
            self.answers.append(self._data.get() & (1 << (64 if self._pair else 32)) - 1)

    def busy(self) -> str:
        """Say how much is left."""
        return f"{len(self._queue)} accesses" if self._queue or self._waits or self._read else ""


def random_accesses(h: Harness, words: Words, which: int, count: int) -> list[int]:
    """Queue some; what the reads must bring, from the addresses alone (Tiles answers so)."""
    s, rng, answers = SHAPES[which], h.rng, []
    for _ in range(count):
        write, pad, pair = rng.random() < 0.5, rng.random() < 0.5, rng.random() < 0.7
        everyone = not pad and rng.random() < 0.3
        size = s.mailbox_slots * 16 if pad else s.instr_words
        at = rng.choice([0, size - 1 - pair, rng.randrange(size - 1)])
        # The target means nothing with `everyone`; the shell passes on what the frame said: all ones.
        target = 0x3FF if everyone else rng.randrange(s.tiles if pad else s.pairs)
        words.access(write, pad, everyone, target, at, pair, rng.getrandbits(64))
        if not write:
            place_ = 0 if everyone else target
            halves = [(at + i) * 0x10001 ^ place_ << 24 for i in range(1 + pair)]
            answers.append(sum(half << 32 * i for i, half in enumerate(halves)))
    return answers


@cocotb.test()
@cocotb.parametrize(which=range(4))
async def words_become_requests(dut: Any, which: int) -> None:
    """All kinds, in order, with stalls."""
    h = scope(dut, which)
    words, tiles = Words(h), Tiles(h)
    await h.reset()
    answers = random_accesses(h, words, which, 200)
    tiles.sink.expect(words.requests)
    await h.drain()
    assert words.answers == answers
    assert h.signal("idle").get()


@cocotb.test()
async def frames_run_beside_reads(dut: Any) -> None:
    """Neither starves nor changes the other."""
    h = scope(dut, 0)
    place(h, (0, 0), (1, 1))
    shell, words, tiles = Shell(h), Words(h), Tiles(h, wait=40)
    await h.reset()
    answers = random_accesses(h, words, 0, 60)
    bytes_ = [h.rng.getrandbits(8) for _ in range(60)]
    for byte in bytes_:
        shell.send([word0(UART_IN, byte, 2)])
    await h.drain()
    assert words.answers == answers
    of_words = [r for r in tiles.requests() if r["op"] <= READ_PAD]
    assert [CTL.pack(**r) for r in of_words] == words.requests
    assert [r["data"] for r in tiles.requests() if r["op"] > READ_PAD] == bytes_


@cocotb.test()
async def a_half_a_cycle(dut: Any) -> None:
    """Writes keep the tiles busy when nobody stalls."""
    h = scope(dut, 0)
    words, tiles = Words(h, "never"), Tiles(h, "never")
    await h.reset()
    words.access(True, True, False, 1, 0, True, 1)
    words.access(True, False, True, 0x3FF, 4, True, 2)
    await h.drain()
    assert tiles.sink.cycles[1] - tiles.sink.cycles[0] == 1
    assert [r["addr"] for r in tiles.requests()] == [0, 4, 4, 5]
