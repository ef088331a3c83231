# SPDX-License-Identifier: Apache-2.0
"""Covers: ranges of every space around every limit of four shapes of boards, against the limits written in Python.

Tests polyloom_overlay_host_range within polyloom_overlay_host. Leaves out: ranges that the shell refuses before.
"""

from __future__ import annotations

from typing import Any

import cocotb
from host_units import BROADCAST, RANGE, SHAPES, Shape, scope

from polyloom.rtl.testing import bench

test = bench(__file__, "host_tb")
SRAM_A, DRAM_END, INTERLEAVED, TOP = 0x00800000, 0x80000000, 0xC0000000, 1 << 32
MOST = 1 << 24


def has(s: Shape, space: int, target: int, address: int, size: int) -> bool:
    """Whether the board has these bytes (roles/overlay/sim/board/board_shell.cc)."""
    end = address + size
    if space in (0, 1):
        return space < s.slices and ((address >= SRAM_A and end <= DRAM_END) or address >= INTERLEAVED)
    if space == 2:
        return (
            (target in range(s.pairs) or target == BROADCAST) and size % 4 == 0 and address + size // 4 <= s.instr_words
        )
    if space == 3:
        return target < s.tiles and address % 4 == 0 and size % 4 == 0 and end <= s.mailbox_slots * 64
    return False


@cocotb.test()
@cocotb.parametrize(which=range(4))
async def only_what_is_there(dut: Any, which: int) -> None:
    """Random ranges near the limits."""
    h, s = scope(dut, which), SHAPES[which]
    await h.reset()
    signal, response, seen = h.signal("range"), h.signal("range_ok"), set()
    for _ in range(6000):
        space = h.rng.choice([0, 1, 2, 3, 3, 2, h.rng.randrange(256)])
        ends = {2: [s.instr_words, 0], 3: [s.mailbox_slots * 64, 0]}.get(space, [SRAM_A, DRAM_END, INTERLEAVED, TOP])
        size = h.rng.choice([1, 4, 8, h.rng.randint(1, 64), 4 * h.rng.randint(1, 64), MOST, h.rng.randint(1, MOST)])
        length = size // 4 if space == 2 else size
        address = h.rng.choice(ends) - h.rng.choice([0, length, length - 1, length + 1, h.rng.randrange(-70, 200)])
        if address < 0 or address + length > TOP or address == TOP:
            continue
        count = s.pairs if space == 2 else s.tiles
        target = h.rng.choice([0, count - 1, count, BROADCAST, 1 << h.rng.randrange(32), h.rng.randrange(count)])
        signal.set(RANGE.pack(space=space, target=target, address=address, bytes=size))
        await h.step()
        wanted = has(s, space, target, address, size)
        assert bool(response.get()) == wanted, f"space {space} target {target:#x} address {address:#x} bytes {size}"
        seen.add((space, wanted))
    assert {(0, True), (0, False), (2, True), (2, False), (3, True), (3, False)} <= seen
