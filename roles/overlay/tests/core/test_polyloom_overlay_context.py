# SPDX-License-Identifier: Apache-2.0
"""Covers: polyloom_overlay_context for memories of 2, 2048 and 65536 words: random writes and reads of all threads in
every cycle, with gaps, compared two cycles after the read; what is remembered of a pc is its part beyond the memory's
end, and InstrAddr has as many bits as the memory needs; the rest is 0.

Leaves out: a read of the word that is written in the same cycle (undefined; never driven).
"""

from __future__ import annotations

from typing import Any

import cocotb
from core_units import CONTEXT, Ports

from polyloom.rtl.testing import Harness, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "core_units_tb")
ADDR_BITS = (1, 11, 16)


@cocotb.test()
@cocotb.parametrize(which=range(3))
async def remembers_each_thread(dut: Any, which: int) -> None:
    bits = ADDR_BITS[which]
    h = Harness(dut, dut.gen_context[which])
    io = Ports(h, "s0_thread_i s2_context_o s7_we_i s7_thread_i s7_context_i")
    kept: dict[int, dict[str, int]] = {}
    due: list[dict[str, int] | None] = [None, None]
    now = {"read": 0, "we": 0, "write": 0, "context": 0}
    checked = 0

    def drive() -> None:
        now["write"], now["we"] = h.rng.randrange(16), int(h.rng.random() < 0.5)
        now["read"] = h.rng.randrange(16)
        if now["we"] and now["read"] == now["write"]:
            now["read"] ^= 1 << h.rng.randrange(4)
        now["context"] = CONTEXT.random(h.rng)
        io.set(s0_thread_i=now["read"], s7_we_i=now["we"], s7_thread_i=now["write"], s7_context_i=now["context"])

    def check(cycle: int) -> None:
        nonlocal checked
        want = due.pop(0)
        if want is not None:
            got = CONTEXT.unpack(io["s2_context_o"])
            assert got == want, f"cycle {cycle}: {got}, expected {want}"
            checked += 1
        due.append(kept.get(now["read"]))
        if now["we"]:
            word = CONTEXT.unpack(now["context"])
            pc = word["pc"] >> bits + 1 << bits + 1  # in words; one bit says that it is the memory's end
            kept[now["write"]] = word | {"pc": pc, "addr": word["addr"] & (1 << bits) - 1}

    EveryCycle(h, drive, check)
    await h.reset()
    await h.until(lambda: checked > 600 and len(kept) == 16)
