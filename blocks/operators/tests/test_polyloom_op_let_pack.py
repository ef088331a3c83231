# SPDX-License-Identifier: Apache-2.0
"""Covers: streams of 0 to 40 records one behind the other, packed and padded, with cycles that are not enabled and
others without a record: every byte in order, full beats but for the last one, which alone says so; a flush.

Leaves out: a record in the two enabled cycles after the end of a stream (excluded by contract).
"""

from __future__ import annotations

from typing import Any

import cocotb

from polyloom.rtl.testing import BEAT, Harness, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "let_tb")


class Driver:
    """Sends records; keeps the beats that come out."""

    def __init__(self, h: Harness) -> None:
        self.h = h
        self.io = {
            name: h.signal(name) for name in ("en", "padded", "record", "last", "node", "valid", "beat", "flush")
        }
        self.beats: list[dict[str, int]] = []
        EveryCycle(h, lambda: None, self.check)

    def check(self, cycle: int) -> None:
        assert not self.io["valid"].get() or self.io["en"].get(), f"cycle {cycle}"
        if self.io["valid"].get():
            self.beats.append(BEAT.unpack(self.io["beat"].get()))

    async def cycle(self, record: int | None = None, last: bool = False) -> None:
        """One that is enabled, perhaps after some that are not."""
        while self.h.rng.random() < 0.3:
            self.io["en"].set(0)
            await self.h.step()
        self.io["en"].set(1)
        self.io["record"].set(int(record is not None))
        self.io["node"].set(self.h.rng.getrandbits(192) if record is None else record)
        self.io["last"].set(int(last))
        await self.h.step()
        for name in ("record", "last"):
            self.io[name].set(0)


@cocotb.test()
@cocotb.parametrize(padded=(0, 1))
async def packs(dut: Any, padded: int) -> None:
    h = Harness(dut, dut.gen_pack)
    driver = Driver(h)
    driver.io["padded"].set(padded)
    await h.reset()
    for count in [0, 1, 2, 3, 4, 5, *(h.rng.randrange(40) for _ in range(20))]:
        driver.beats.clear()
        records = h.values(192, count)
        alone = not records or h.rng.random() < 0.3
        for n, record in enumerate(records):
            while h.rng.random() < 0.2:
                await driver.cycle()
            await driver.cycle(record, last=n == count - 1 and not alone)
        if alone:
            await driver.cycle(last=True)
        for _ in range(4):
            await driver.cycle()
        size = 32 if padded else 24
        data = b"".join(record.to_bytes(size, "little") for record in records)
        whole = max(1, -(-len(data) // 32))
        assert [beat["last"] for beat in driver.beats] == [0] * (whole - 1) + [1]
        kept = [min(32, len(data) - 32 * n) for n in range(whole)]
        assert [beat["keep"] for beat in driver.beats] == [(1 << bytes_kept) - 1 for bytes_kept in kept]
        assert b"".join(beat["data"].to_bytes(32, "little") for beat in driver.beats) == data.ljust(32 * whole, b"\0")
        assert not h.signal("busy").get()


@cocotb.test()
async def a_flush_drops_what_waits(dut: Any) -> None:
    h = Harness(dut, dut.gen_pack)
    driver = Driver(h)
    await h.reset()
    await driver.cycle(h.rng.getrandbits(192))
    driver.io["flush"].set(1)
    await h.step()
    driver.io["flush"].set(0)
    assert not h.signal("busy").get()
    await driver.cycle(7, last=True)
    for _ in range(3):
        await driver.cycle()
    assert driver.beats == [{"data": 7, "keep": (1 << 24) - 1, "last": 1}]
