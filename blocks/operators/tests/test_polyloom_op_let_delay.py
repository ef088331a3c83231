# SPDX-License-Identifier: Apache-2.0
"""Covers: delays of 3, 24 and 37 enabled cycles with others in between: every node in its cycle, and what comes next
one enabled cycle before.

Leaves out: what stands there before the first node.
"""

from __future__ import annotations

from typing import Any

import cocotb

from polyloom.rtl.testing import Harness, bench

test = bench(__file__, "let_tb")
LATENCIES = (3, 24, 37)


@cocotb.test()
@cocotb.parametrize(which=range(3))
async def delays(dut: Any, which: int) -> None:
    h = Harness(dut, dut.gen_delay[which])
    latency = LATENCIES[which]
    en, node, following, out = (h.signal(name) for name in ("en", "node", "next", "out"))
    await h.reset()
    nodes: list[int] = []
    for _ in range(20 * latency):
        while h.rng.random() < 0.3:
            en.set(0)
            node.set(h.rng.getrandbits(node.width))
            await h.step()
        en.set(1)
        nodes.append(h.rng.getrandbits(node.width))
        node.set(nodes[-1])
        await h.step()
        if len(nodes) >= latency:
            assert out.get() == nodes[-latency]
            assert following.get() == nodes[1 - latency]
