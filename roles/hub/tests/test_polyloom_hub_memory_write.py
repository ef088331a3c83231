# SPDX-License-Identifier: Apache-2.0
"""Covers: payloads of all sizes at all alignments against a byte array, stalls on all channels; idle only when all is
acknowledged; full rate.

Tests polyloom_hub_memory_write. Leaves out: bursts across 4 KiB: TLPs cross none.
"""

from __future__ import annotations

from typing import Any

import cocotb
from hub_bench import MEMORY_BYTES, BoardMemory
from hub_units import MAX_PAYLOAD, PAGE, WRITE, Tlp

from polyloom.rtl.testing import Harness, bench

test = bench(__file__, "hub_tb")


@cocotb.test()
async def any_address_and_size(dut: Any) -> None:
    h = Harness(dut, dut.gen_memory_write)
    memory = BoardMemory(h, "random")
    start, payload = h.source("start"), h.source("in")
    await h.reset()
    image = bytearray(memory.bytes)
    for i in range(200):
        size = h.rng.choice([1, 15, 16, 17, MAX_PAYLOAD, h.rng.randint(1, MAX_PAYLOAD)])
        place = h.rng.randrange(MEMORY_BYTES - size) if i % 8 else 16 * h.rng.randrange(100) + i % 16
        place -= max(0, place % PAGE + size - PAGE)
        data = h.rng.randbytes(size)
        image[place : place + size] = data
        start.send(place << 10 | size)
        payload.send(Tlp(WRITE, place, data).beats()[1:])
    await h.drain(after=0)
    await h.until(lambda: bool(h.signal("idle").get()))
    assert memory.bytes == image and not memory.busy()


@cocotb.test()
@cocotb.parametrize(shift=[0, 1, 15])
async def full_rate(dut: Any, shift: int) -> None:
    h = Harness(dut, dut.gen_memory_write)
    memory = BoardMemory(h, "never")
    start, payload = h.source("start", "never"), h.source("in", "never")
    await h.reset()
    for i in range(10):
        start.send(256 * i + shift << 10 | MAX_PAYLOAD)
        payload.send(Tlp(WRITE, 0, bytes(MAX_PAYLOAD)).beats()[1:])
    await h.drain()
    beats = MAX_PAYLOAD // 16 + (shift > 0)
    assert len(memory._w.cycles) == 10 * beats
    assert memory._w.cycles[-1] - memory._w.cycles[0] == 10 * beats + 9 - 1  # and one to begin each
