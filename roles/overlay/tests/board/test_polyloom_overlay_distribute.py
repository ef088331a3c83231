# SPDX-License-Identifier: Apache-2.0
"""Covers: requests for one tile and for all reach exactly those, once and in order, under random stalls; responses too.

Leaves out: what tiles do with them. 2 x 2 tiles of 2 cores, an instruction memory each.
"""

from __future__ import annotations

from typing import Any

import cocotb

from polyloom.rtl.testing import Harness, bench

test = bench(__file__, "board_tb")

WRITE_INSTR, READ_INSTR, WRITE_SCRATCHPAD, READ_SCRATCHPAD, START, UART = range(6)
TILES, CORES = 4, 2


def packed(op: int, everybody: bool, target: int, addr: int, data: int) -> int:
    """ctl_req_t."""
    return op << 59 | everybody << 58 | target << 48 | addr << 32 | data


def receivers(op: int, everybody: bool, target: int) -> list[int]:
    """Tiles that a request is for."""
    if everybody:
        return [0] if op in (READ_INSTR, READ_SCRATCHPAD) else list(range(TILES))
    tile = target // CORES if op in (START, UART) else target
    return [tile] if tile < TILES else []


@cocotb.test()
async def each_tile_gets_what_is_for_it(dut: Any) -> None:
    h = Harness(dut, dut.gen_distribute)
    s = {name: h.signal(name) for name in ("ctl_valid", "ctl_ready", "ctl", "tile_valid", "tile_ready", "tile")}
    await h.reset()
    expected: list[list[int]] = [[] for _ in range(TILES)]
    got: list[list[int]] = [[] for _ in range(TILES)]
    waiting = []
    for i in range(400):
        op = h.rng.randrange(6)
        everybody = h.rng.random() < 0.3
        target = h.rng.randrange(TILES * CORES + 2 if op in (START, UART) else TILES + 1)
        word = packed(op, everybody, target, i, h.rng.getrandbits(32))
        waiting.append(word)
        for tile in receivers(op, everybody, target):
            expected[tile].append(word)
    for _ in range(20_000):
        valid, ready = bool(waiting) and h.rng.random() < 0.7, h.rng.getrandbits(TILES)
        s["ctl_valid"].set(int(valid))
        s["tile_ready"].set(ready)
        if waiting:
            s["ctl"].set(waiting[0])
        # Both depend on registers alone: what stands now holds until the clock rises.
        for tile in range(TILES):
            if s["tile_valid"].get() & ready & 1 << tile:
                got[tile].append(s["tile"].get())
        if valid and s["ctl_ready"].get():
            waiting.pop(0)
        await h.step()
        if not waiting and got == expected:
            break
    assert got == expected


@cocotb.test()
async def responses_come_back(dut: Any) -> None:
    h = Harness(dut, dut.gen_distribute)
    s = {name: h.signal(name) for name in ("tile_rsp_valid", "tile_rdata", "rsp_valid", "rdata")}
    await h.reset()
    for _ in range(50):
        tile, data, other = h.rng.randrange(TILES), h.rng.getrandbits(32), h.rng.getrandbits(32)
        s["tile_rsp_valid"].set(1 << tile)
        s["tile_rdata"].set(data << 32 * tile | other << 32 * ((tile + 1) % TILES))
        await h.step()
        assert (s["rsp_valid"].get(), s["rdata"].get()) == (1, data)
        s["tile_rsp_valid"].set(0)
        await h.step()
        assert s["rsp_valid"].get() == 0
