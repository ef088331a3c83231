# SPDX-License-Identifier: Apache-2.0
"""Covers: cycles of a send; order of sends, also of one cycle; a flit a cycle without a bubble; every reason to
refuse a send, and what the host is told of it; keys with and without routers; slots of sending, more of them, and any
other. Tests
polyloom_overlay_mailbox_sender, polyloom_overlay_mailbox_check and polyloom_overlay_mailbox_events.

Leaves out: sends while cores store, and random room: test_polyloom_overlay_mailbox.py.
"""

from __future__ import annotations

from typing import Any

import cocotb
from mailbox_units import (
    ACCELERATOR_BIT,
    BUSY,
    EVENT,
    HOST_BIT,
    KEY_BIT,
    LENGTH,
    NO_RECEIVER,
    NO_THREAD,
    NOWHERE,
    POINTER,
    REFUSED,
    SIZES,
    Tile,
    mailbox_id,
)

from polyloom.rtl.testing import Harness, bench

test = bench(__file__, "mailbox_tb")


async def with_slots(dut: Any, which: int) -> Tile:
    """A mailbox that is ready, every slot of it written."""
    h = Harness(dut, dut.gen_mailbox[which])
    tile = Tile(h, SIZES[which])
    await tile.start()
    for word in range(tile.size.slots * 16):
        tile.set("ctl_valid", 1)
        tile.shadow[word] = h.rng.getrandbits(32)
        tile.set("ctl", 2 << 59 | word * 4 << 32 | tile.shadow[word])  # CTL_WRITE_SCRATCHPAD
        await h.step()
        assert tile.get("ctl_ready")
    tile.set("ctl_valid", 0)
    await h.step(4)
    return tile


def flits_of(tile: Tile, slot: int, count: int) -> list[int]:
    """What a slot holds."""
    return [sum(tile.shadow[slot * 16 + 4 * i + j] << 32 * j for j in range(4)) for i in range(count)]


async def calls(tile: Tile, made: list[Any]) -> None:
    """Make these calls in the next cycle."""

    def once() -> None:
        for call in made:
            call()
        tile.policy = lambda: None

    tile.policy = once
    await tile.h.step()


@cocotb.test()
@cocotb.parametrize(which=range(3))
async def cycles_of_a_send(dut: Any, which: int) -> None:
    tile = await with_slots(dut, which)
    for flits in range(1, tile.size.max_flits + 1):
        for slot in (0, tile.size.first - 1, tile.size.slots - 1):
            called = tile.h.cycle
            await calls(tile, [lambda s=slot, n=flits: tile.good_send(0, s, flits_of(tile, s, n), 0, 1)])
            await tile.h.step(flits)
            assert tile.busy_threads == {0}
            await tile.h.step()  # tile compares can_send in every cycle: true again from here on
            assert not tile.busy_threads and tile.sent[-1][0] == called + 2
            assert tile.get("in_flight") == len(tile.sent)


@cocotb.test()
@cocotb.parametrize(which=range(2))
async def one_cycle_after_the_other_without_a_bubble(dut: Any, which: int) -> None:
    tile = await with_slots(dut, which)
    size, rng = tile.size, tile.h.rng
    tile.room = lambda: False
    threads = list(range(size.all))
    rng.shuffle(threads)
    while threads:  # one of each core, or of some, in one cycle
        made: dict[int, int] = {}
        for t in threads[:3]:
            made.setdefault(t // size.threads, t)
        threads = [t for t in threads if t not in made.values()]
        sends = []
        for t in made.values():
            count = rng.randint(1, size.max_flits)
            mask = rng.randrange(1, 1 << size.all)
            sends.append(
                lambda t=t, n=count, m=mask: tile.good_send(t, t, flits_of(tile, t, n), mailbox_id(1, 2, 1, 2), m)
            )
        await calls(tile, sends)
    await tile.h.step(5)
    assert not tile.sent
    tile.room = lambda: True
    await tile.h.until(lambda: not tile.sends)
    at = tile.sent[0][0]
    for cycle, message in tile.sent:
        assert cycle == at
        at += len(message.data)


def bad_sends(tile: Tile) -> list[tuple[int, int, int, int, int]]:
    """Destination, mask, flits that cannot be, whether the pointer is no slot, and why it is refused."""
    host, n = HOST_BIT, tile.size.all
    bad = [
        (mailbox_id(2, 0), 1, 1, 0, NOWHERE),
        (mailbox_id(7, 0), 1, 1, 0, NOWHERE),
        (mailbox_id(0, 3), 1, 1, 0, NOWHERE),
        (mailbox_id(1, 7, 1, 2), 1, 1, 0, NOWHERE),
        (mailbox_id(0, 0, 2, 0), 1, 1, 0, NOWHERE),
        (mailbox_id(0, 0, 3, 2), 1, 1, 0, NOWHERE),
        (mailbox_id(1, 1, 1, 3), 1, 1, 1, NOWHERE),
        (mailbox_id(), 0, 1, 0, NO_RECEIVER),
        (ACCELERATOR_BIT, 1, 1, 0, NOWHERE),
        (host | ACCELERATOR_BIT, 0, 1, 0, NOWHERE),
        (mailbox_id(), 1, 1, 1, POINTER),
        (host, 0, 1, 1, POINTER),
        (0, 1, 5, 0, LENGTH),
        (host, 1, 8, 1, LENGTH),
    ]
    if tile.size.routers:
        bad += [(KEY_BIT, 1, 1, 1, POINTER), (KEY_BIT | 0x7FF, 0, 5, 0, LENGTH)]
    else:
        bad += [(KEY_BIT, 1, 1, 0, NOWHERE), (host | KEY_BIT, 1, 1, 0, NOWHERE)]
    if n < 64:
        bad += [(0, 1 << n, 1, 0, NO_THREAD), (0, 1 << 63 | 1, 1, 1, NO_THREAD)]
    if tile.size.max_flits < 4:
        bad += [(0, 1, 4, 0, LENGTH), (host, 1, 4, 0, LENGTH)]
    return bad


@cocotb.test()
@cocotb.parametrize(which=range(3))
async def refuses(dut: Any, which: int) -> None:
    tile = await with_slots(dut, which)
    size, h = tile.size, tile.h
    expected = []
    for dest, mask, flits, astray, why in bad_sends(tile):
        thread, pc = h.rng.randrange(size.all), h.rng.getrandbits(32)
        made = (thread, 5, dest, mask, flits, pc, astray)
        await calls(tile, [lambda made=made: tile.send(*made)])
        await h.step(3)  # can_send, and what leaves, are compared in every cycle
        expected.append(EVENT.pack(fault=1, thread=thread, cause=REFUSED | why, pc=pc, value=dest))
    assert tile.events == expected
    # While the previous message is there.
    tile.room = lambda: False
    await calls(tile, [lambda: tile.good_send(0, 0, flits_of(tile, 0, 1), mailbox_id(1, 2, 1, 2), 1)])
    for _ in range(3):
        await calls(tile, [lambda: tile.send(0, 0, mailbox_id(1, 2, 1, 2), 1, pc=0x1234)])
        await h.step(3)
        expected.append(EVENT.pack(fault=1, thread=0, cause=REFUSED | BUSY, pc=0x1234, value=mailbox_id(1, 2, 1, 2)))
    tile.room = lambda: True
    await h.until(lambda: not tile.sends)
    await h.step(3)
    assert tile.events == expected and tile.get("in_flight") == 1 and not tile.lost
    # What is not refused: the host with any mask and place, the last tile of the last board, all threads; with routers
    # any key, before all else that the destination says.
    good = [(HOST_BIT | 0x3FF, 0), (HOST_BIT, 1 << 63), (mailbox_id(1, 2, 1, 2), (1 << size.all) - 1)]
    if size.routers:
        keys = (0, 1, 0xF0000001, 1 << 63 | 0xFFFFFFFF)
        good += zip((KEY_BIT, KEY_BIT | 0xBFF, KEY_BIT | HOST_BIT, KEY_BIT | ACCELERATOR_BIT), keys, strict=True)
    for dest, mask in good:
        await calls(tile, [lambda d=dest, m=mask: tile.good_send(0, 1, flits_of(tile, 1, size.max_flits), d, m)])
        await h.until(lambda: not tile.sends)
        await h.step(2)
    assert tile.events == expected


@cocotb.test()
@cocotb.parametrize(which=range(3))
async def first_refusal_of_each_thread_is_told(dut: Any, which: int) -> None:
    tile = await with_slots(dut, which)
    size = tile.size
    tile.event_ready = False
    for turn in range(3):
        for t in range(size.threads):
            threads = [core * size.threads + t for core in range(size.cores)]
            await calls(
                tile, [lambda t=t, turn=turn: tile.send(t, 0, ACCELERATOR_BIT, 1, pc=100 * turn + t) for t in threads]
            )
    await tile.h.step(10)
    tile.event_ready = True
    await tile.h.step(3 * size.all + 10)
    events = [EVENT.unpack(event) for event in tile.events]
    first = {t: next(e["pc"] for e in events if e["thread"] == t) for t in range(size.all)}
    assert first == {t: t for t in range(size.all)}
    assert len(events) + tile.lost == 3 * size.all and tile.lost >= 2 * size.all - 2
