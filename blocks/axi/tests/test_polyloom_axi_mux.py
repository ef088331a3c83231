# SPDX-License-Identifier: Apache-2.0
"""Covers: two initiators with random bursts, ids and strobes on a memory that responds out of order (by id) or in
order; all sides stall at random, the protocol checker listens on all three ports. Fairness, full rate of write data.

Tests polyloom_axi_mux with polyloom_axi_mux_arbiter and polyloom_axi_mux_list. Leaves out: error responses.
"""

from __future__ import annotations

from typing import Any

import cocotb

from polyloom.rtl.testing import Harness, bench
from polyloom.rtl.testing.axi import ALL_BYTES, AX, BEAT_BYTES, AxiInitiator, AxiMemory

test = bench(__file__, "axi_tb")


@cocotb.test()
@cocotb.parametrize(ordered=[False, True])
async def what_is_written_is_read(dut: Any, ordered: bool) -> None:
    h = Harness(dut, dut.gen_mux[int(ordered)])
    memory = AxiMemory(h, "m_", ordered)
    initiators = [AxiInitiator(h, "", index, by_id=not ordered) for index in range(2)]
    await h.reset()
    for _ in range(4):
        written: list[list[tuple[int, list[int]]]] = [[], []]
        for index, initiator in enumerate(initiators):
            for number in range(12):
                address = (index << 20 | number << 12) + BEAT_BYTES * h.rng.randrange(100)
                data = h.values(256, h.rng.choice([1, 1, 2, 5, 16]))
                strobes = [h.rng.choice([ALL_BYTES, h.rng.getrandbits(32)]) for _ in data]
                initiator.write(address, data, 0 if ordered else h.rng.randrange(8), strobes)
                after = [
                    merged(memory.words.get(address + i * BEAT_BYTES, 0), value, strobe)
                    for i, (value, strobe) in enumerate(zip(data, strobes, strict=True))
                ]
                written[index].append((address, after))
        await h.drain()
        for index, initiator in enumerate(initiators):
            for address, after in written[index]:
                initiator.read(address, after, 0 if ordered else h.rng.randrange(8))
        await h.drain()


def merged(old: int, new: int, strobe: int) -> int:
    """A beat after a write with strobes."""
    before, after = old.to_bytes(BEAT_BYTES, "little"), new.to_bytes(BEAT_BYTES, "little")
    return int.from_bytes(bytes(after[i] if strobe >> i & 1 else before[i] for i in range(BEAT_BYTES)), "little")


@cocotb.test()
@cocotb.parametrize(ordered=[False, True])
async def reads_alternate_and_write_data_flow(dut: Any, ordered: bool) -> None:
    h = Harness(dut, dut.gen_mux[int(ordered)])
    AxiMemory(h, "m_", ordered, stall="never")
    addresses = h.monitor("m_ar")
    data = h.monitor("m_w")
    initiators = [AxiInitiator(h, "", index, "never", by_id=not ordered) for index in range(2)]
    await h.reset()
    for index, initiator in enumerate(initiators):
        for number in range(20):
            initiator.read(index << 20 | number << 12, [0, 0])
            initiator.write(1 << 30 | index << 20 | number << 12, h.values(256, 8))
    await h.drain()
    who = [AX.unpack(packed)["addr"] >> 20 & 1 for packed in addresses.passed]
    assert who == [0, 1] * 20
    assert data.cycles[-1] - data.cycles[0] == len(data.cycles) - 1 == 2 * 20 * 8 - 1, "bubbles in the write data"
