# SPDX-License-Identifier: Apache-2.0
"""Covers: every set of things to wait for, with every condition that comes first, before and after the call: the
cycle of the wake and its bits (compared by the tile in every cycle); all idle, all vote, and the end of idleness with
and without the vote. Tests polyloom_overlay_mailbox_waits.

Leaves out: many threads at random: test_polyloom_overlay_mailbox.py.
"""

from __future__ import annotations

from typing import Any

import cocotb
from mailbox_units import CAN_RECV, CAN_SEND, IDLE, SIZES, VOTE, Tile

from polyloom.rtl.testing import Harness, bench

test = bench(__file__, "mailbox_tb")


async def call(tile: Tile, made: Any) -> None:
    """One call."""
    tile.policy = made
    await tile.h.step()
    tile.policy = lambda: None


class Waiter:
    """A thread, and what happens to it."""

    def __init__(self, tile: Tile) -> None:
        self.tile, self.h = tile, tile.h
        self.thread = tile.rng.randrange(tile.size.all)
        tile.check_data = False  # nothing was stored

    async def begin(self, bits: int) -> None:
        """Neither can it send, nor is there a message; it waits."""
        self.tile.room = lambda: False
        await call(self.tile, lambda: self.tile.good_send(self.thread, 0, [0], 0, 1))
        await call(self.tile, lambda: self.tile.wait(self.thread, bits))
        assert await self.wakes() == 0
        state, threads = self.h.signal("state").get(), self.tile.size.all
        assert [state >> b * threads + self.thread & 1 for b in range(6)] == [*(bits >> b & 1 for b in range(4)), 0, 0]

    def cause(self, what: int) -> None:
        """Let it happen."""
        if what == CAN_SEND:
            self.tile.room = lambda: True
        elif what == CAN_RECV:
            self.tile.inject.append(self.tile.message(1 << self.thread))
        else:
            self.tile.release = int(what == VOTE)

    async def wakes(self, cycles: int = 10) -> int:
        """How often it is woken."""
        count = 0
        for _ in range(cycles):
            await self.h.step()
            count += self.tile.get("wake") >> self.thread & 1
        return count

    async def end(self) -> None:
        """It can send and has nothing to receive."""
        tile, t = self.tile, self.thread
        tile.room = lambda: True
        await self.h.step(8)
        while tile.get("can_recv"):
            await call(tile, lambda: tile.recv(t))
            await self.h.step(2)
            await call(tile, lambda: tile.free(t, tile.held[t][0]))
            await self.h.step(2)
        assert not tile.waits[t] and not tile.busy_threads


@cocotb.test()
@cocotb.parametrize(which=range(3), bits=range(1, 8))
async def wakes_for_what_it_waits_for(dut: Any, which: int, bits: int) -> None:
    h = Harness(dut, dut.gen_mailbox[which])
    tile = Tile(h, SIZES[which])
    await tile.start()
    waiter = Waiter(tile)
    for first in (CAN_SEND, CAN_RECV, IDLE, VOTE):
        await waiter.begin(bits | (VOTE if h.rng.random() < 0.5 and bits & IDLE else 0))
        waiter.cause(first)
        expected = int(bits & (first if first != VOTE else IDLE) != 0)
        assert await waiter.wakes() == expected, f"waits for {bits}, then {first}"
        if not expected:
            waiter.cause(bits & -bits)
            assert await waiter.wakes() == 1
        await waiter.end()
    # What holds already wakes at once.
    waiter.cause(CAN_RECV)
    await h.until(lambda: bool(tile.get("can_recv")))
    await call(tile, lambda: tile.wait(waiter.thread, bits))
    assert await waiter.wakes(1) == int(bits & (CAN_SEND | CAN_RECV) != 0)


@cocotb.test()
async def a_vote_alone_waits_for_nothing(dut: Any) -> None:
    h = Harness(dut, dut.gen_mailbox[0])
    tile = Tile(h, SIZES[0])
    await tile.start()
    waiter = Waiter(tile)
    await waiter.begin(VOTE)
    for what in (CAN_SEND, CAN_RECV, IDLE, VOTE):
        waiter.cause(what)
        assert await waiter.wakes() == 0


@cocotb.test()
@cocotb.parametrize(which=range(3), votes=("all", "but one", "none"))
async def idle_and_votes(dut: Any, which: int, votes: str) -> None:
    h = Harness(dut, dut.gen_mailbox[which])
    tile = Tile(h, SIZES[which])
    await tile.start()
    n = tile.size.all
    order = list(range(n))
    h.rng.shuffle(order)
    against = h.rng.choice(order)
    for t in order:
        assert not tile.get("all_idle")
        vote = votes == "all" or (votes == "but one" and t != against)
        await call(tile, lambda t=t, vote=vote: tile.wait(t, IDLE | CAN_RECV | (VOTE if vote else 0)))
    await h.step(2)
    all_vote = votes == "all"
    assert (tile.get("all_idle"), tile.get("all_vote")) == (1, int(all_vote))
    tile.release = int(all_vote)
    await h.step()
    assert tile.get("wake") == (1 << n) - 1
    bits = IDLE | (VOTE if all_vote else 0)
    assert tile.get("wake_bits") == sum(bits << 4 * t for t in range(n))
    await h.step()
    assert not tile.get("wake") and not tile.get("all_idle")
