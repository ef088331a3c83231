# SPDX-License-Identifier: Apache-2.0
"""Covers: items of messages of every kind and length, with gaps, room at random, epochs that fit and that come late:
every output in every cycle, that is flits and their headers, two cycles after the last item at best, without a gap; no
item while a message waits; what is held, let in, idle; longest messages of 4, 3 and 1 flits; keys, whose destination is
the bit of boards of 1x1, 5x9 and 8x1 tiles.

Leaves out: messages longer than that (asserted in the RTL); sizes that are refused (test_polyloom_overlay_link.py).
"""

from __future__ import annotations

from collections import deque
from typing import Any

import cocotb
from link_units import FLIT, HALF, KEY, MASK, Message

from polyloom.rtl.testing import Harness, Stall, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "link_tb")


class Board:
    """Sends items, has room and changes its epoch at random; knows in which cycle what must come."""

    def __init__(self, h: Harness, longest: int, key_bit: int) -> None:
        self.h, self.rng, self.longest, self.key_bit = h, h.rng, longest, key_bit
        self.source = h.source("item")
        self.io = {name: h.signal(name) for name in ("in_valid", "in", "room", "epoch", "held", "received", "idle")}
        self.no_room = Stall(h.rng, "random")
        self.coming: deque[Message] = deque()
        self.left = 0  # items of the first one that have not come
        self.sending: deque[int] | None = None  # flits of a message that is let in
        self.whole = False
        self.epoch = 0
        self.held = self.let_in = self.soonest = 0
        self.ended = 0  # cycle of the last item
        EveryCycle(h, self.drive, self.check)

    def send(self, count: int) -> None:
        """Messages; epochs change now and then."""
        epoch = self.rng.randrange(2)
        for _ in range(count):
            epoch ^= self.rng.random() < 0.3
            message = Message.any_of(self.rng, int(epoch), self.longest)
            self.coming.append(message)
            items = message.items()
            used = 48 if message.kind == KEY else 36
            self.source.send([items[0] | self.rng.getrandbits(64 - used) << used, *items[1:]])
        self.left = len(self.coming[0].items())

    def drive(self) -> None:
        self.epoch ^= self.rng.random() < 0.05
        self.room = not self.no_room()
        self.io["epoch"].set(int(self.epoch))
        self.io["room"].set(int(self.room))

    def check(self, cycle: int) -> None:
        io = {name: signal.get() for name, signal in self.io.items()}
        message = self.coming[0] if self.coming else None
        fits = message is not None and message.epoch == self.epoch
        ready = not self.whole and self.sending is None
        assert self.source.ready.get() == ready, f"cycle {cycle}: takes items {not ready}"
        assert io["held"] == (self.whole and not fits), f"cycle {cycle}"
        assert io["received"] == (self.whole and fits and self.room), f"cycle {cycle}"
        assert io["in_valid"] == (self.sending is not None), f"cycle {cycle}"
        begun = message is not None and self.left < len(message.items())
        assert io["idle"] == (ready and not begun), f"cycle {cycle}"
        self.held += io["held"]
        if self.sending is not None:
            self._flit(FLIT.unpack(io["in"]), cycle)
        elif io["received"]:
            assert message is not None
            self.soonest += cycle == self.ended + 1
            self.let_in += 1
            self.whole, self.sending = False, deque(message.data)
        elif ready and self.source.valid.get():
            self.left -= 1
            self.whole, self.ended = self.left == 0, cycle

    def _flit(self, flit: dict[str, int], cycle: int) -> None:
        message = self.coming[0]
        assert self.sending is not None
        first = len(self.sending) == len(message.data)
        assert flit["first"] == first, f"cycle {cycle}"
        assert flit["last"] == (len(self.sending) == 1), f"cycle {cycle}"
        assert flit["data"] == self.sending.popleft(), f"cycle {cycle}: {flit['data']:#x}"
        if first:
            head = (message.kind, len(message.data) - 1, *message.address(self.key_bit))
            got = (flit["kind"], flit["flits"], flit["dest"], flit["mask"])
            assert got == head, f"cycle {cycle}: {got}, expected {head}"
        if not self.sending:
            self.sending = None
            self.coming.popleft()
            self.left = len(self.coming[0].items()) if self.coming else 0


@cocotb.test()
@cocotb.parametrize(which=range(3))
async def makes_messages(dut: Any, which: int) -> None:
    h = Harness(dut, dut.gen_unpacker[which])
    board = Board(h, (4, 3, 1)[which], 1 << (12, 15, 13)[which])
    await h.reset()
    board.send(400)
    assert any(m.kind == MASK and m.mask > HALF >> 1 for m in board.coming)
    assert any(m.kind == KEY and m.mask == 0 for m in board.coming)
    await h.until(lambda: not board.coming)
    assert board.let_in == 400 and board.held > 100 and board.soonest > 50
    await h.step()
