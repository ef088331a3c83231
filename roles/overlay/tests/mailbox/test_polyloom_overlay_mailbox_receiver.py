# SPDX-License-Identifier: Apache-2.0
"""Covers: slots run out, and one that is freed lets the next message in; a thread that never receives stops the
deliveries of its core, then the tile; a flit a cycle comes in without a bubble; cycles from the wire to can_recv
(compared by the tile in every cycle); frees of slots that hold nothing, of send slots, and one too many; frees of all
cores at full rate. Tests polyloom_overlay_mailbox_receiver, polyloom_overlay_mailbox_slots,
polyloom_overlay_mailbox_references and polyloom_overlay_mailbox_queues.

Leaves out: all orders of pushes and pops of the free list and of the counts: see the proofs.
"""

from __future__ import annotations

from typing import Any

import cocotb
from mailbox_units import PLACES, SIZES, Tile

from polyloom.rtl.testing import Harness, bench

FREED = 4  # cycles from the call to the first grant that finds the slot

test = bench(__file__, "mailbox_tb")


async def tile_of(dut: Any, which: int) -> Tile:
    """A mailbox that is ready."""
    h = Harness(dut, dut.gen_mailbox[which])
    tile = Tile(h, SIZES[which])
    await tile.start()
    return tile


def consume(tile: Tile, threads: list[int], keep: int = 0) -> None:
    """The threads receive whenever they can and free what is more than `keep`; at most one call a core and cycle."""

    def act() -> None:
        accepted = set()
        for t in threads:
            core = t // tile.size.threads
            if core in accepted or t in tile.received_by.values():
                continue
            if len(tile.held[t]) > keep:
                tile.free(t, tile.held[t][0])
                accepted.add(core)
            elif tile.get("can_recv") >> t & 1:
                tile.recv(t)
                accepted.add(core)
        tile.h.rng.shuffle(threads)

    tile.policy = act


@cocotb.test()
@cocotb.parametrize(which=range(3))
async def slots_run_out(dut: Any, which: int) -> None:
    tile = await tile_of(dut, which)
    size, h = tile.size, tile.h
    slots = size.slots - size.first
    tile.inject.extend(tile.message(1 << i % size.all, 1) for i in range(slots + 40))
    start = tile.counts["received"]
    await h.step(slots + 3)
    assert tile.counts["received"] - start == slots  # a message a cycle
    assert tile.get("in_room") == 0
    for _ in range(20):
        t = h.rng.choice([t for t in range(size.all) if tile.queues[t]])
        tile.policy = lambda t=t: tile.recv(t)
        await h.step()
        tile.policy = lambda: None
        await h.step(2)
        came = len(tile.inject)
        tile.policy = lambda t=t: tile.free(t, tile.held[t][0])
        called = h.cycle
        await h.step()
        tile.policy = lambda: None
        await h.until(lambda came=came: len(tile.inject) < came, 20)
        assert h.cycle - 1 - called == FREED
        await h.step(4)
        assert len(tile.inject) == came - 1


@cocotb.test()
@cocotb.parametrize(which=(0, 1))
async def who_never_receives_stops_its_core_then_the_tile(dut: Any, which: int) -> None:
    tile = await tile_of(dut, which)
    size, h = tile.size, tile.h
    lazy, slots = size.threads - 1, size.slots - size.first  # of core 0
    others = [t for t in range(size.all) if t != lazy]
    consume(tile, others)
    # One message for both the lazy thread and another of its core, one for another core.
    tile.inject.extend(tile.message(m) for _ in range(2 * slots) for m in (1 << lazy | 1, 1 << size.all - 1))
    await h.until(lambda: len(tile.queues[lazy]) == PLACES)
    await h.step(100)
    served = tile.delivered
    await h.step(3000)
    assert len(tile.queues[lazy]) == PLACES
    # All slots are held by messages for core 0; while there were others, those for the other core went on.
    assert tile.get("in_room") == 0 and tile.slots_free() == 0
    assert tile.delivered - served >= (slots - PLACES) // 2 - 60 and len(tile.inject) > 0
    consume(tile, [*others, lazy])
    await h.until(lambda: not tile.inject and not any(tile.queues) and not any(tile.held), 40_000)
    await h.step(20)
    assert tile.counts["freed"] == tile.freed == 4 * slots
    assert tile.delivered == 6 * slots


@cocotb.test()
async def every_core_frees_at_full_rate(dut: Any) -> None:
    tile = await tile_of(dut, 1)
    size, h = tile.size, tile.h
    count = 60
    tile.inject.extend(tile.message((1 << size.all) - 1, 1) for _ in range(count))
    consume(tile, list(range(size.all)), keep=count)  # hold all, then free all
    await h.until(lambda: all(len(held) == count for held in tile.held), 40_000)
    start = h.cycle
    consume(tile, list(range(size.all)))
    await h.until(lambda: not any(tile.held))
    assert h.cycle - start < count * size.threads + 10  # four frees a cycle
    await h.until(lambda: tile.counts["freed"] == count)
    assert h.cycle - start < count * size.all + 30  # done one a cycle


@cocotb.test()
@cocotb.parametrize(which=range(3))
async def frees_of_nothing(dut: Any, which: int) -> None:
    tile = await tile_of(dut, which)
    size, h = tile.size, tile.h
    for _ in range(2 * size.slots):
        slot = h.rng.randrange(size.slots)
        tile.policy = lambda slot=slot: tile.free_slot(h.rng.randrange(size.all), slot)
        await h.step()
    tile.policy = lambda: None
    await h.step(20)
    assert tile.counts["freed"] == 0
    # A slot that was freed by its last receiver stays free, however often it is freed.
    tile.inject.append(tile.message(1))
    await h.until(lambda: tile.get("can_recv") == 1)
    tile.policy = lambda: tile.recv(0)
    await h.step()
    tile.policy = lambda: None
    await h.step(2)
    slot = tile.held[0][0].slot
    tile.policy = lambda: tile.free(0, tile.held[0][0])
    await h.step()
    tile.policy = lambda: tile.free_slot(0, slot)
    await h.step(10)
    tile.policy = lambda: None
    await h.step(20)
    assert tile.counts["freed"] == 1
    slots = size.slots - size.first
    tile.inject.extend(tile.message(1 << i % size.all, 1) for i in range(slots + 4))
    consume(tile, list(range(size.all)), keep=slots)
    await h.until(lambda: sum(map(len, tile.held)) == slots)
    await h.step(20)
    assert len(tile.live) == slots and tile.get("in_room") == 0  # no slot twice, none lost
