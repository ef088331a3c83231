# SPDX-License-Identifier: Apache-2.0
"""Covers: polyloom_overlay_mailbox under random calls of all threads, random messages in, random room for messages
out, on three sizes: every receiver of a mask gets each message once, in order, with its data; sends leave in order with
what was stored before; forwarding in place; levels, wakes and their bits in every cycle; nothing is left at the end.

Leaves out: refused sends (sender), full buffers (receiver), idle (waits); timing of the data cache's side of a core.
"""

from __future__ import annotations

from typing import Any

import cocotb
from mailbox_units import CAN_RECV, CAN_SEND, HOST_BIT, IDLE, KEY_BIT, SIZES, VOTE, Message, Tile, mailbox_id

from polyloom.rtl.testing import Harness, Stall, bench

test = bench(__file__, "mailbox_tb")


class Programs:
    """What the threads do: store, send, wait, receive, look, forward, free; each at random."""

    def __init__(self, tile: Tile, sends: int) -> None:
        self.tile, self.rng, self.left = tile, tile.rng, sends
        n = tile.size.all
        self.words: list[list[int]] = [[] for _ in range(n)]  # the send slot's, while a message is made
        self.forwarding: dict[int, Message] = {}
        self.forwarded = self.looked = 0
        self.rate = 0.5
        self.stopped = False  # threads take no more
        tile.policy = self.act

    def act(self) -> None:
        """One call a core at most. A false end of all idleness comes now and then: who waits for a message wakes."""
        if self.rng.random() < 0.02:
            self.tile.release = self.rng.getrandbits(1)
        for core in range(self.tile.size.cores):
            if self.rng.random() < self.rate:
                self.thread(core * self.tile.size.threads + self.rng.randrange(self.tile.size.threads))

    def thread(self, t: int) -> None:
        """One call of a thread, if it can make one."""
        tile, rng = self.tile, self.rng
        core, local = divmod(t, tile.size.threads)
        if tile.waits[t] or t in tile.woken or (core, local) in tile.pending or t in tile.received_by.values():
            return
        can_send = tile.get("can_send") >> t & 1
        can_recv = tile.get("can_recv") >> t & 1
        choice = rng.random()
        if self.words[t] and can_send:
            if len(self.words[t]) % 4 == 0 and (len(self.words[t]) == 4 * tile.size.max_flits or choice < 0.3):
                self.send(t, t, self.words[t])
                self.words[t] = []
            else:
                self.words[t].append(rng.getrandbits(32))
                tile.access(t, t * 16 + len(self.words[t]) - 1, self.words[t][-1])
        elif t in self.forwarding and can_send:
            tile.free(t, self.forwarding.pop(t))
        elif tile.held[t] and t not in self.forwarding and choice < 0.6:
            self.use(t, rng.choice(tile.held[t]))
        elif can_recv and not self.stopped and len(tile.held[t]) < 5:
            tile.recv(t)
        elif can_send and self.left and choice < 0.8:
            self.left -= 1
            self.words[t] = [rng.getrandbits(32)]
            tile.access(t, t * 16, self.words[t][0])
        elif choice > 0.8:
            tile.wait(t, rng.choice((CAN_RECV | IDLE, CAN_RECV | IDLE | VOTE, CAN_SEND | CAN_RECV, CAN_SEND, IDLE)))

    def use(self, t: int, message: Message) -> None:
        """Load a word of it, forward it, or free it."""
        tile, choice = self.tile, self.rng.random()
        assert message.slot is not None
        if choice < 0.3:
            self.looked += 1
            tile.access(t, message.slot * 16 + self.rng.randrange(4 * len(message.data)))
        elif choice < 0.45 and tile.get("can_send") >> t & 1:
            words = [flit >> 32 * i & 0xFFFFFFFF for flit in message.data for i in range(4)]
            self.forwarding[t] = message
            self.forwarded += 1
            self.send(t, message.slot, words)
        else:
            tile.free(t, message)

    def send(self, t: int, slot: int, words: list[int]) -> None:
        """To a thread, to some, to the host, with a key."""
        rng, size = self.rng, self.tile.size
        data = [sum(w << 32 * j for j, w in enumerate(words[i : i + 4])) for i in range(0, len(words), 4)]
        dest = mailbox_id(rng.randrange(2), rng.randrange(3), rng.randrange(2), rng.randrange(3))
        mask = rng.randrange(1, 1 << size.all) if rng.random() < 0.5 else 1 << rng.randrange(size.all)
        if rng.random() < 0.1:
            dest, mask = rng.getrandbits(10) | HOST_BIT, rng.getrandbits(64)
        elif size.routers and rng.random() < 0.2:
            dest, mask = rng.getrandbits(14) | KEY_BIT, rng.getrandbits(64)
        self.tile.good_send(t, slot, data, dest, mask)


def random_mask(tile: Tile) -> int:
    """One thread, some, or all."""
    choice, n = tile.rng.random(), tile.size.all
    if choice < 0.6:
        return 1 << tile.rng.randrange(n)
    return (1 << n) - 1 if choice < 0.65 else tile.rng.randrange(1, 1 << n)


@cocotb.test()
@cocotb.parametrize(which=range(3), rates=[(0.5, 1.0), (1.0, 0.3), (0.2, 1.0)])
async def random_traffic(dut: Any, which: int, rates: tuple[float, float]) -> None:
    h = Harness(dut, dut.gen_mailbox[which])
    tile = Tile(h, SIZES[which])
    stall = Stall(h.rng)
    tile.room = lambda: not stall()
    await tile.start()
    count = 150 if which != 1 else 80
    programs = Programs(tile, count)
    programs.rate, tile.inject_rate = rates
    came = [tile.message(random_mask(tile)) for _ in range(count)]
    tile.inject.extend(came)
    await h.until(lambda: not tile.inject and not programs.left, 60_000)
    await h.until(lambda: all_done(tile, programs) and tile.freed == count, 60_000)
    programs.rate = 0
    tile.room = lambda: True
    await h.step(20)
    assert tile.delivered == sum(m.mask.bit_count() for m in came)
    assert tile.counts["received"] == count and tile.counts["freed"] == tile.freed == count
    assert tile.counts["received_flit"] == sum(len(m.data) for m in came)
    assert tile.counts["sent"] == tile.accepted == len(tile.sent)
    assert tile.counts["sent_flit"] == sum(len(m.data) for _, m in tile.sent)
    assert tile.get("in_flight") == (tile.accepted - tile.freed) % 2**16
    assert programs.looked and programs.forwarded
    await no_slot_is_lost(tile)


def all_done(tile: Tile, programs: Programs) -> bool:
    """Nothing is held, sent or queued. Threads that wait for a message which does not come count as done."""
    return not (
        any(tile.held) or any(tile.queues) or tile.sends or tile.pending or any(programs.words) or tile.in_flits
    ) and all(not core.buffer for core in tile.cores)


async def no_slot_is_lost(tile: Tile) -> None:
    """As many messages as there are slots are taken, and no more."""
    slots = tile.size.slots - tile.size.first
    before = tile.counts["received"]
    tile.inject_rate = 1.0
    tile.inject.extend(tile.message(1 << i % tile.size.all, 1) for i in range(slots + 3))
    await tile.h.step(slots + 200)
    assert tile.counts["received"] - before == slots and tile.get("in_room") == 0
