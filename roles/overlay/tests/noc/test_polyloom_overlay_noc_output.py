# SPDX-License-Identifier: Apache-2.0
"""Covers: messages of 1 to 4 flits from 1, 3 and 5 inputs, asked for and given room at random: grants and the wire in
every cycle: each flit in the cycle after it is granted or its message goes on, whole messages, no gap in them.

Leaves out: as test_polyloom_overlay_noc_arbiter.py.
"""

from __future__ import annotations

from typing import Any

import cocotb
from noc_legs import Legs

from polyloom.rtl.testing import Harness, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "noc_tb")


@cocotb.test()
@cocotb.parametrize(which=range(3))
async def sends_whole_messages(dut: Any, which: int) -> None:
    h = Harness(dut, dut.gen_output[which])
    legs = Legs(h, 2 * which + 1)
    flit, valid, out = (h.signal(name) for name in ("flit", "valid", "out"))
    wire: int | None = None
    gapless = 0  # flits behind another one

    def drive() -> None:
        legs.drive()
        shown = [port.flit() if port.inside else h.rng.getrandbits(32) for port in legs.inputs]
        flit.set(sum(word << 32 * leg for leg, word in enumerate(shown)))

    def check(cycle: int) -> None:
        nonlocal wire, gapless
        assert valid.get() == (wire is not None), f"cycle {cycle}"
        assert wire is None or out.get() == wire, f"cycle {cycle}: {out.get():#x}, expected {wire:#x}"
        sends = legs.check(cycle)
        gapless += wire is not None and sends is not None
        wire = None if sends is None else legs.inputs[sends].flit()
        legs.end()

    EveryCycle(h, drive, check)
    await h.reset()
    await h.until(lambda: h.cycle > 1500 and min(legs.granted) > 50 and gapless > 300)
