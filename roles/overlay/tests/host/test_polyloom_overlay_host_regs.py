# SPDX-License-Identifier: Apache-2.0
"""Covers: every register of enum Register (roles/overlay/sim/board/board.h), those that are not there, writes; the
count of retired instructions with random pulses of all cores.

Tests polyloom_overlay_host_regs within polyloom_overlay_host. Leaves out: counts above 2^16.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import cocotb
from host_units import SHAPES, Agent, place, scope

from polyloom.rtl.testing import Harness, Struct, bench

test = bench(__file__, "host_tb")
BOARD_H = (Path(__file__).resolve().parents[2] / "sim" / "board" / "board.h").read_text()
REQ = Struct.of("polyloom_shell_pkg::reg_req_t")
RSP = Struct.of("polyloom_shell_pkg::reg_rsp_t")


def number(name: str) -> int:
    """Of a register, as the shell asks for it: from the role's first one on."""
    match = re.search(rf"\b{name} = (0x[0-9a-f]+),", BOARD_H)
    assert match, name
    return int(match.group(1), 0) - 0x100


class Retired(Agent):
    """Random pulses."""

    def __init__(self, h: Harness) -> None:
        self._signal = h.signal("retired")
        self.rate, self.count = 0.7, 0
        super().__init__(h)

    def drive(self) -> None:
        """Each core at random."""
        bits = sum(int(self.h.rng.random() < self.rate) << i for i in range(self._signal.width))
        self._signal.set(bits)
        self.count += bits.bit_count()


async def access(h: Harness, index: int, write: bool = False) -> dict[str, int]:
    """One access; the response comes in its cycle."""
    h.signal("reg_valid").set(1)
    h.signal("reg_req").set(REQ.pack(write=int(write), index=index, wdata=h.rng.getrandbits(64)))
    await h.step()
    assert h.signal("reg_rsp_valid").get()
    response = RSP.unpack(h.signal("reg_rsp").get())
    h.signal("reg_valid").set(0)
    await h.step()
    assert not h.signal("reg_rsp_valid").get()
    return response


@cocotb.test()
@cocotb.parametrize(which=range(4))
async def registers_say_what_the_board_is(dut: Any, which: int) -> None:
    """All of them."""
    h, s = scope(dut, which), SHAPES[which]
    place(h, (0, 0), (5, 8))
    barriers = h.rng.getrandbits(64)
    h.signal("barriers").set(barriers)
    await h.reset()
    expected = {
        "kMeshSize": 5 | 8 << 16,
        "kTiles": s.tiles_x | s.tiles_y << 8 | s.cores << 16 | s.threads << 24,
        "kSlices": s.slices,
        "kOptions": s.extra_send_slot,
        "kBarriers": barriers,
        "kInstructions": 0,
    }
    for name, value in expected.items():
        assert await access(h, number(name)) == {"error": 0, "rdata": value}, name
        assert (await access(h, number(name), write=True))["error"] == 1, name
    for index in (6, 7, 1 << 31, 0xFFFFFFFF, h.rng.randrange(6, 1 << 32)):
        assert (await access(h, index))["error"] == 1
        assert (await access(h, index, write=True))["error"] == 1


@cocotb.test()
@cocotb.parametrize(which=range(4))
async def instructions_are_counted(dut: Any, which: int) -> None:
    """No pulse is lost; the last one counts 3 cycles later."""
    h = scope(dut, which)
    retired = Retired(h)
    await h.reset()
    for rate in (0.7, 1.0, 0.02):
        retired.rate = rate
        await h.step(100)
    retired.rate = 1.0
    before = retired.count
    h.signal("reg_valid").set(1)
    h.signal("reg_req").set(REQ.pack(index=number("kInstructions")))
    await h.step()
    retired.rate = 0.0
    last = retired.count - before
    for cycles, missing in ((1, last), (1, 0), (5, 0)):
        assert not h.signal("idle").get() or missing == 0
        await h.step(cycles)
        assert RSP.unpack(h.signal("reg_rsp").get()) == {"error": 0, "rdata": retired.count - missing}
    assert h.signal("idle").get()
