# SPDX-License-Identifier: Apache-2.0
"""Covers: messages of every length for random outputs, begun whenever there is room or later, granted at random and at
once: room, head, its length and way, flits and ends in every cycle; a message shown in the cycle after it began, the
next one in the cycle after the last flit; full and empty; buffers of 16, 7, 4 and 1 flits, 5, 3, 2 and 1 outputs.

Leaves out: messages without room, with gaps or for outputs that are not allowed (asserted in the RTL).
"""

from __future__ import annotations

from typing import Any

import cocotb
from noc_units import InputModel, Message, Writer

from polyloom.rtl.testing import Harness, Stall, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "noc_tb")
SIZES = ((16, 4, 5), (7, 3, 3), (4, 4, 2), (1, 1, 1))  # flits, of the longest message; outputs


class Input:
    """Writer and outputs around it."""

    def __init__(self, h: Harness, flits: int, longest: int, ways: int) -> None:
        self.h, self.rng, self.longest, self.ways = h, h.rng, longest, ways
        names = (
            "valid",
            "first",
            "flits",
            "way",
            "in",
            "room",
            "head_valid",
            "head_long",
            "head_way",
            "grant",
            "ending",
        )
        self.io = {name: h.signal(name) for name in (*names, "flit")}
        self.model = InputModel(flits, longest)
        self.writer = Writer(h.rng, self.message)
        self.stall = Stall(h.rng, "random")
        self.granted = self.emptied = self.fullest = 0
        EveryCycle(h, self.drive, self.check)

    def message(self) -> Message:
        return Message(self.h.values(32, self.rng.randint(1, self.longest)), self.rng.randrange(self.ways))

    def drive(self) -> None:
        self.now = self.writer.next()
        message, number = self.now or (self.message(), self.rng.randrange(2))  # noise
        first = number == 0
        self.io["valid"].set(int(self.now is not None))
        self.io["first"].set(int(first))
        self.io["flits"].set(len(message) - 1 if first else self.rng.getrandbits(2))
        self.io["way"].set(1 << message.way if first else self.rng.getrandbits(self.ways))
        self.io["in"].set(message.flits[number] if self.now else self.rng.getrandbits(32))
        self.grant = self.model.head() is not None and not self.stall()
        self.io["grant"].set(int(self.grant))

    def check(self, cycle: int) -> None:
        io = {name: signal.get() for name, signal in self.io.items()}
        arriving = self.now[0] if self.now and self.now[1] == 0 else None
        room = self.model.room(arriving)
        assert io["room"] == room, f"cycle {cycle}: room {io['room']}"
        head = self.model.head()
        assert io["head_valid"] == (head is not None), f"cycle {cycle}: a head {io['head_valid']}"
        if head:
            got, expected = (io["head_long"], io["head_way"]), (len(head) > 1, 1 << head.way)
            assert got == expected, f"cycle {cycle}: head {got}, expected {expected}"
        assert io["ending"] == self.model.ending(), f"cycle {cycle}"
        if self.grant or self.model.gone:
            assert io["flit"] == self.model.flit(), f"cycle {cycle}: {io['flit']:#x}, expected {self.model.flit():#x}"
        self.granted += self.grant
        self.model.end(arriving, self.grant)
        self.writer.end(room)
        self.emptied += not self.model.inside
        self.fullest = max(self.fullest, sum(map(len, self.model.inside)))


@cocotb.test()
@cocotb.parametrize(which=range(4))
async def shows_heads_in_order(dut: Any, which: int) -> None:
    h = Harness(dut, dut.gen_input[which])
    port = Input(h, *SIZES[which])
    await h.reset()
    await h.until(lambda: port.granted > 400 and port.emptied > 20 and port.fullest == SIZES[which][0])
