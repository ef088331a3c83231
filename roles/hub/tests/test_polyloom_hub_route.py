# SPDX-License-Identifier: Apache-2.0
"""Covers: random headers, sound and faulty, at each of the six inputs under random rules and links, against the rules
written down again in hub_units.py; every cause appears; bounds of a rule at the byte.

Tests polyloom_hub_route. Leaves out: what happens to the TLP (test_polyloom_hub_switch.py).
"""

from __future__ import annotations

from typing import Any

import cocotb
from hub_units import LOCAL, NONE, REPLY, ROUTE, UNMAPPED, WRITE, Rule, Rules, Tlp, random_rules, random_tlp

from polyloom.rtl.testing import Harness, bench

test = bench(__file__, "hub_tb")


def show(h: Harness) -> dict[str, int]:
    return ROUTE.unpack(h.signal("route").get())


@cocotb.test()
@cocotb.parametrize(port=range(6))
async def agrees_with_the_rules(dut: Any, port: int) -> None:
    h = Harness(dut, dut.gen_route[port])
    await h.reset()
    causes = set()
    for _ in range(40):
        rules = random_rules(h.rng)
        h.signal("rules").set(rules.packed())
        h.signal("links").set(rules.links)
        for _ in range(20):
            tlp = random_tlp(h.rng, port, 0.6)
            h.signal("header").set(tlp.header())
            await h.step()
            route, (cause, output) = show(h), rules.route(tlp, port)
            assert route["cause"] == cause, f"{tlp.header():#x}: cause {route['cause']}, not {cause}"
            if cause == NONE:
                assert route["dest"] == 1 << output
            assert route["address"] == tlp.address & (1 << 48) - 1
            causes.add(cause)
    assert len(causes) >= (4 if port == REPLY else 6), f"only causes {causes}"


@cocotb.test()
async def bounds_hold_at_the_byte(dut: Any) -> None:
    h = Harness(dut, dut.gen_route[0])
    await h.reset()
    rules = Rules()
    rules.ports[LOCAL] = [Rule(lower=5, upper=7), Rule(lower=9, upper=9)]
    h.signal("rules").set(rules.packed())
    h.signal("links").set(15)
    for block in range(12):
        for address in (block << 24, (block + 1 << 24) - 1):
            h.signal("header").set(Tlp(WRITE, address, b"x").header())
            await h.step()
            assert show(h)["cause"] == (NONE if block in {5, 6, 7, 9} else UNMAPPED), hex(address)
