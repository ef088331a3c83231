# SPDX-License-Identifier: Apache-2.0
"""Covers: messages of every length, begun whenever there is room, taken with random stalls: flits in order, each once,
the first one in the cycle after it came; room given back when a message's last flit has left, and no sooner;
buffers of 16, 32, 4 and 1 flits.

Leaves out: gaps within a message (the network makes none).
"""

from __future__ import annotations

from collections import deque
from typing import Any

import cocotb

from polyloom.rtl.testing import Harness, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "noc_tb")
SIZES = ((16, 4), (32, 3), (4, 4), (1, 1))


class Writer:
    """Begins a message in the cycle after one that had room; knows what the buffer holds."""

    def __init__(self, h: Harness, size: int, longest: int, stall: str) -> None:
        self.h, self.size, self.longest = h, size, longest
        self.io = {name: h.signal(name) for name in ("in_valid", "first", "last", "flits", "in", "room")}
        self.sink = h.sink("out", stall)
        self.sent: list[int] = []
        self.cycles: list[int] = []
        self.messages: deque[int] = deque()  # lengths, of those whose last flit has not left
        self.left, self.length, self.accepted, self.granted = 0, 0, 0, False
        self.blocked = 0
        EveryCycle(h, self.drive, self.check)

    def drive(self) -> None:
        if self.left == 0 and self.granted:
            self.length = self.left = self.h.rng.randint(1, self.longest)
            self.messages.append(self.length)
        first, last = self.left == self.length, self.left == 1
        self.io["in_valid"].set(int(self.left > 0))
        self.io["first"].set(int(self.left > 0 and first))
        self.io["last"].set(int(last))
        self.io["flits"].set(self.length - 1 if self.left and first else self.h.rng.getrandbits(2))
        word = self.h.rng.getrandbits(32)
        self.io["in"].set(word)
        if self.left:
            self.sent.append(word)
            self.cycles.append(self.h.cycle)

    def check(self, cycle: int) -> None:
        room = bool(self.io["room"].get())
        assert room == (sum(self.messages) + self.longest <= self.size), f"cycle {cycle}: {list(self.messages)}"
        self.blocked += not room
        # A grant while the last flit but one is on the wire begins right behind the message.
        self.granted = room and self.left <= 1 and self.h.rng.random() < 0.9
        self.left -= self.left > 0
        if self.sink.valid.get() and self.sink.ready.get():
            self.accepted += 1
            if self.accepted == self.messages[0]:
                self.messages.popleft()
                self.accepted = 0


@cocotb.test()
@cocotb.parametrize(which=range(4), stall=("random", "never"))
async def keeps_messages(dut: Any, which: int, stall: str) -> None:
    h = Harness(dut, dut.gen_exit[which])
    writer = Writer(h, *SIZES[which], stall)
    await h.reset()
    await h.until(lambda: len(writer.sent) > 1500)
    passed = len(writer.sink.passed)
    assert writer.sink.passed == writer.sent[:passed] and len(writer.sent) - passed <= SIZES[which][0]
    if stall == "random":
        assert writer.blocked > 20
    else:
        assert [out - come for out, come in zip(writer.sink.cycles, writer.cycles, strict=False)] == [1] * passed
