# SPDX-License-Identifier: Apache-2.0
"""Covers: polyloom_overlay_cache_counts in every cycle: random pulses of every kind, while it counts and while it does
not, clearing in the cycle of a pulse, reset amid counting.

Leaves out: the wrap at 32 bits.
"""

from __future__ import annotations

from typing import Any

import cocotb
from core_units import Ports

from polyloom.rtl.testing import Harness, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "core_units_tb")


@cocotb.test()
async def counts(dut: Any) -> None:
    h = Harness(dut, dut.gen_cache_counts)
    io = Ports(h, "clear_i counting_i pulse_i count_o")
    want = [0, 0, 0]
    now = {"clear_i": 0, "counting_i": 0, "pulse_i": 0}

    def drive() -> None:
        now["clear_i"] = int(h.rng.random() < 0.01)
        if h.rng.random() < 0.1:
            now["counting_i"] = h.rng.getrandbits(1)
        now["pulse_i"] = h.rng.getrandbits(3)
        io.set(**now)

    def check(cycle: int) -> None:
        got = [io["count_o"] >> 32 * kind & 0xFFFFFFFF for kind in range(3)]
        assert got == want, f"cycle {cycle}: {got}, expected {want}"
        for kind in range(3):
            if now["clear_i"]:
                want[kind] = 0
            elif now["counting_i"]:
                want[kind] += now["pulse_i"] >> kind & 1

    EveryCycle(h, drive, check)
    for _ in range(3):
        await h.reset()
        want[:] = 0, 0, 0
        await h.step(500)
