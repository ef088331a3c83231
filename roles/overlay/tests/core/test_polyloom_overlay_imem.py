# SPDX-License-Identifier: Apache-2.0
"""Covers: polyloom_overlay_imem with one port and with two, of 2 and of 64 words: random reads and writes on all ports
in every cycle, with gaps (both of one word too, where that is defined); a read sees the writes of earlier cycles, its
word comes a cycle later and a write leaves it there.

Leaves out: a read of the word that the other port writes, and two writes of one word (undefined; never driven), other
sizes (the core's tests).
"""

from __future__ import annotations

from typing import Any

import cocotb
from core_units import Ports

from polyloom.rtl.testing import Harness, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "core_units_tb")
SIZES = ((2, 1), (2, 2), (64, 1), (64, 2))  # words, ports


@cocotb.test()
@cocotb.parametrize(which=range(4))
async def reads_what_was_written(dut: Any, which: int) -> None:
    words, ports = SIZES[which]
    h = Harness(dut, dut.gen_imem[which])
    io = Ports(h, "we_i addr_i wdata_i rdata_o")
    bits = io.width("addr_i") // ports
    memory: dict[int, int] = {}
    shown: list[int | None] = [None] * ports  # what a port gives in this cycle
    accesses: list[tuple[bool, int, int]] = []
    reads = 0

    def drive() -> None:
        accesses.clear()
        for port in range(ports):
            write, at, data = h.rng.random() < 0.3, h.rng.randrange(words), h.rng.getrandbits(32)
            if port and accesses[0][1] == at and (write or accesses[0][0]):
                write, at = write and not accesses[0][0], at ^ 1
            accesses.append((write, at, data))
        io.set(
            we_i=sum(int(write) << port for port, (write, _, _) in enumerate(accesses)),
            addr_i=sum(at << bits * port for port, (_, at, _) in enumerate(accesses)),
            wdata_i=sum(data << 32 * port for port, (_, _, data) in enumerate(accesses)),
        )

    def check(cycle: int) -> None:
        nonlocal reads
        for port, (write, at, _) in enumerate(accesses):
            want = shown[port]
            got = io["rdata_o"] >> 32 * port & 0xFFFFFFFF
            assert want is None or got == want, f"cycle {cycle}, port {port}: {got:#x}, expected {want:#x}"
            reads += want is not None
            if not write:
                shown[port] = memory.get(at)
        memory.update({at: data for write, at, data in accesses if write})

    EveryCycle(h, drive, check)
    await h.reset()
    await h.until(lambda: reads > 700 and len(memory) == words)
