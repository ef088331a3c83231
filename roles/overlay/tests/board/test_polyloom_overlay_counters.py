# SPDX-License-Identifier: Apache-2.0
"""Covers: sums of random pulses from all tiles and links, exactly, every counter; what programs read of them.

Leaves out: overflow of 64 bits.
"""

from __future__ import annotations

from typing import Any

import cocotb

from polyloom.rtl.testing import Harness, bench

test = bench(__file__, "board_tb")
TILES, CORES, LINKS = 4, 2, 4
#: Fields of tile_count_t from its lowest bit on -> the counter that sums them.
FIELDS = ("received", "sent", "writebacks", "misses", "hits")


@cocotb.test()
async def sums_are_exact(dut: Any) -> None:
    h = Harness(dut, dut.gen_counters)
    inputs = {name: h.signal(name) for name in ("retired", "count", "link_sent", "link_received", "host_out")}
    outputs = {name: h.signal(name) for name in ("instructions", *FIELDS, "over_links", "from_links")}
    router_sent = h.signal("router_sent")
    await h.reset()
    sums = dict.fromkeys(outputs, 0)
    to_host = 0
    for _ in range(2000):
        retired, count = h.rng.getrandbits(TILES * CORES), h.rng.getrandbits(TILES * len(FIELDS))
        sent, received, out = h.rng.getrandbits(LINKS), h.rng.getrandbits(LINKS), h.rng.getrandbits(1)
        for name, value in zip(inputs, (retired, count, sent, received, out), strict=True):
            inputs[name].set(value)
        sums["instructions"] += retired.bit_count()
        for i, field in enumerate(FIELDS):
            sums[field] += sum(count >> tile * len(FIELDS) + i & 1 for tile in range(TILES))
        sums["over_links"] += sent.bit_count()
        sums["from_links"] += received.bit_count()
        to_host += out
        await h.step()
    for signal in inputs.values():
        signal.set(0)
    await h.step(3)
    assert {name: signal.get() for name, signal in outputs.items()} == sums
    assert router_sent.get() == sums["over_links"] << 32 | sums["over_links"] + to_host
