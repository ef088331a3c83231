# SPDX-License-Identifier: Apache-2.0
"""Covers: three reads, of which the second comes twice, and a write in every cycle, of random registers of few threads,
against a dictionary: data two cycles after the address, also of the register that was written in the cycle before;
both files; operands that are to be 0.

Leaves out: a register that is read in the cycle of its write (undefined; never asked for here); no Fp (the core's
tests).
"""

from __future__ import annotations

from typing import Any

import cocotb

from polyloom.rtl.testing import Harness, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "core_units_tb")
FLOAT = 32  # added to the index of a floating-point register


@cocotb.test()
async def reads_and_writes(dut: Any) -> None:
    h = Harness(dut, dut.gen_regfile)
    names = ("thread", "rs", "zero", "data", "we", "wthread", "rd", "wdata")
    thread, rs, zero, data, we, wthread, rd, wdata = (h.signal(name) for name in names)
    known: dict[tuple[int, int], int] = {}
    due: list[list[int | None]] = [[None] * 4, [None] * 4]  # of the reads of the last two cycles
    wanted, zeros, compared = [None] * 4, 0, 0

    def drive() -> None:
        nonlocal wanted, zeros
        reader, writer = h.rng.randrange(3), h.rng.randrange(3)
        which = [h.rng.randrange(64), h.rng.randrange(64), FLOAT + h.rng.randrange(32)]
        target = (writer, h.rng.choice([h.rng.randrange(64), which[0] ^ 1]))
        writes = h.rng.random() < 0.7 and not (reader == writer and target[1] in which)
        zeros = h.rng.getrandbits(4) & h.rng.getrandbits(4)
        thread.set(reader)
        rs.set(sum(register << 6 * i for i, register in enumerate(which)))
        zero.set(zeros)
        we.set(int(writes))
        wthread.set(writer)
        rd.set(target[1])
        wdata.set(word := h.rng.getrandbits(32))
        wanted = [known.get((reader, register)) for register in [*which, which[1]]]
        if writes:
            known[target] = word

    def check(cycle: int) -> None:
        nonlocal compared
        found = data.get()
        for i, value in enumerate(due.pop(0)):
            if value is not None:
                compared += 1
                assert found >> 32 * i & 0xFFFFFFFF == value, f"operand {i} in cycle {cycle}"
        due[0] = [0 if zeros >> i & 1 else value for i, value in enumerate(due[0])]  # asked for a cycle ago
        due.append(wanted)

    EveryCycle(h, drive, check)
    await h.reset()
    await h.until(lambda: compared > 6000)
