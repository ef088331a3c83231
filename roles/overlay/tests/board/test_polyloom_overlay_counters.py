# SPDX-License-Identifier: Apache-2.0
"""Covers: sums of random pulses of all tiles, links and the router, exactly, every counter; what programs read of them.

Leaves out: overflow of 64 bits.
"""

from __future__ import annotations

from typing import Any

import cocotb

from polyloom.rtl.testing import Harness, bench

test = bench(__file__, "board_tb")
TILES, CORES, LINKS = 4, 2, 4
#: Pulses of links -> the counter that sums them.
LINK_PULSES = {"link_sent": "over_links", "link_received": "from_links", "link_again": "again", "link_bad": "bad"}
#: How many things the router does in a cycle, at most -> the counter that sums them.
OF_ROUTER = {
    "router_copies": (7, "copies"),
    "router_links": (4, "links"),
    "router_keys": (7, "keys"),
    "router_beats": (2, "beats"),
}
#: Fields of tile_count_t from its lowest bit on -> the counter that sums them.
FIELDS = ("received", "sent", "writebacks", "misses", "hits")


@cocotb.test()
async def sums_are_exact(dut: Any) -> None:
    h = Harness(dut, dut.gen_counters)
    inputs = {name: h.signal(name) for name in ("retired", "count", *LINK_PULSES, *OF_ROUTER, "host_out", "router_up")}
    sums_of_router = [name for _, name in OF_ROUTER.values()]
    outputs = {name: h.signal(name) for name in ("instructions", *FIELDS, *LINK_PULSES.values(), *sums_of_router)}
    router_sent = h.signal("router_sent")
    await h.reset()
    sums = dict.fromkeys(outputs, 0)
    elsewhere = 0  # to the host, up into columns
    for _ in range(2000):
        retired, count = h.rng.getrandbits(TILES * CORES), h.rng.getrandbits(TILES * len(FIELDS))
        pulses, out = [h.rng.getrandbits(LINKS) for _ in LINK_PULSES], h.rng.getrandbits(1)
        router, up = [h.rng.randint(0, most) for most, _ in OF_ROUTER.values()], h.rng.randint(0, 2)
        for name, value in zip(inputs, (retired, count, *pulses, *router, out, up), strict=True):
            inputs[name].set(value)
        sums["instructions"] += retired.bit_count()
        for i, field in enumerate(FIELDS):
            sums[field] += sum(count >> tile * len(FIELDS) + i & 1 for tile in range(TILES))
        for name, value in zip(LINK_PULSES.values(), pulses, strict=True):
            sums[name] += value.bit_count()
        for name, value in zip(sums_of_router, router, strict=True):
            sums[name] += value
        elsewhere += out + up
        await h.step()
    for signal in inputs.values():
        signal.set(0)
    await h.step(3)
    assert {name: signal.get() for name, signal in outputs.items()} == sums
    assert router_sent.get() == sums["over_links"] << 32 | sums["over_links"] + elsewhere
