# SPDX-License-Identifier: Apache-2.0
"""Covers: random events of all ports in every cycle against 30 counts, read at random, numbers of ports and events that
are not there too; counts wrap at 40 bits.

Tests polyloom_hub_counters. Leaves out: nothing known.
"""

from __future__ import annotations

from typing import Any

import cocotb

from polyloom.rtl.testing import Harness, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "hub_tb")
PORTS, EVENTS, BITS = 5, 6, 40
ALL = PORTS * EVENTS


class Counts:
    """What is counted, and the word that shows one cycle after it was asked for."""

    def __init__(self, h: Harness) -> None:
        self.h = h
        self.events, self.port, self.event, self.rdata = (
            h.signal(name) for name in ("events", "from_port", "from_event", "rdata")
        )
        self.counts = [0] * ALL
        self.due: int | None = None
        self.chance = 0.5
        EveryCycle(h, self.drive, self.check)

    def drive(self) -> None:
        self.events.set(sum(1 << i for i in range(ALL) if self.h.rng.random() < self.chance))
        self.port.set(self.h.rng.randrange(8))
        self.event.set(self.h.rng.randrange(8))

    def check(self, cycle: int) -> None:
        if self.due is not None:
            assert self.rdata.get() == self.due, f"cycle {cycle}: {self.rdata.get()}, expected {self.due}"
        port, event = self.port.get(), self.event.get()
        self.due = self.counts[port * EVENTS + event] if port < PORTS and event < EVENTS else 0
        for i in range(ALL):
            self.counts[i] = (self.counts[i] + (self.events.get() >> i & 1)) % (1 << BITS)


@cocotb.test()
async def every_event_counts(dut: Any) -> None:
    c = Counts(Harness(dut, dut.i_parts.gen_counters))
    await c.h.reset()
    for c.chance in (0.5, 0.02, 1.0, 0.0, 0.2):
        await c.h.step(150)


@cocotb.test()
async def counts_wrap(dut: Any) -> None:
    c = Counts(Harness(dut, dut.i_parts.gen_counters))
    await c.h.reset()
    c.counts = [(1 << BITS) - 1 - c.h.rng.randrange(60) for _ in range(ALL)]
    dut.i_parts.gen_counters.i_dut.count_q.value = sum(count << BITS * i for i, count in enumerate(c.counts))
    await c.h.step(300)
    assert any(count < 1000 for count in c.counts)
