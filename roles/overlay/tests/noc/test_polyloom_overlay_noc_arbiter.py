# SPDX-License-Identifier: Apache-2.0
"""Covers: 1, 3 and 5 inputs that ask at random, messages of 1 to 4 flits, room at random: every output in every cycle
against the rule of turns, also whose flit is shown while there is no room; nothing waits for more than one message of
each other input; ends of messages that go elsewhere mean nothing.

Leaves out: requests that are taken back (inputs never do).
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
async def grants_in_turns(dut: Any, which: int) -> None:
    h = Harness(dut, dut.gen_arbiter[which])
    legs = Legs(h, 2 * which + 1)
    load, leg, send = (h.signal(name) for name in ("load", "leg", "send"))
    held_back = 0

    def check(cycle: int) -> None:
        nonlocal held_back
        shown = legs.model.choice(legs.requesting)
        assert load.get() == (shown is not None), f"cycle {cycle}"
        assert shown is None or leg.get() == shown, f"cycle {cycle}: leg {leg.get()}, expected {shown}"
        sends = legs.check(cycle)
        assert send.get() == (sends is not None), f"cycle {cycle}"
        held_back += shown is not None and sends is None
        legs.end()

    EveryCycle(h, legs.drive, check)
    await h.reset()
    await h.until(lambda: h.cycle > 1500 and min(legs.granted) > 50 and held_back > 50)
