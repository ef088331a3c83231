# SPDX-License-Identifier: Apache-2.0
"""Covers: all three shifts by every amount, of corners and random words, a shift in each cycle with gaps; nothing
where no shift is wanted; the cycles of the result and of the mark that its upper half is all ones.

Leaves out: how the core adds the ones (test_polyloom_overlay_cores.py).
"""

from __future__ import annotations

from typing import Any

import cocotb

from polyloom.rtl.testing import Harness, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "core_units_tb")
LEFT, RIGHT, ARITHMETIC = range(3)


def shifted(way: int, word: int, amount: int) -> int:
    """As RISC-V has it."""
    if way == LEFT:
        return word << amount & 0xFFFFFFFF
    number = word - (1 << 32) if way == ARITHMETIC and word >> 31 else word
    return number >> amount & 0xFFFFFFFF


@cocotb.test()
async def shifts(dut: Any) -> None:
    h = Harness(dut, dut.gen_shifter)
    names = ("valid", "left", "arith", "data", "amount", "ones", "result")
    valid, left, arith, data, amount, ones, result = (h.signal(name) for name in names)
    corners = [0, 1, 0x80000000, 0xFFFFFFFF, 0x7FFFFFFF, 0xFFFF0000, 0x0000FFFF, 0x80008000]
    cases = [(way, word, by) for way in range(3) for word in [*corners, *h.values(32, 12)] for by in range(32)]
    h.rng.shuffle(cases)
    due: list[int | None] = [None, None]  # results of stages 7 and 6
    was_ones = 0

    def drive() -> None:
        wanted = h.rng.random() < 0.9
        way, word, by = cases.pop() if wanted else (h.rng.randrange(3), h.rng.getrandbits(32), h.rng.getrandbits(5))
        valid.set(int(wanted))
        left.set(int(way == LEFT))
        arith.set(int(way == ARITHMETIC) if way != LEFT else h.rng.getrandbits(1))
        data.set(word)
        amount.set(by)
        due.append(shifted(way, word, by) if wanted else 0)

    def check(cycle: int) -> None:
        nonlocal was_ones
        want = due.pop(0)
        if want is not None:
            got = result.get() | 0xFFFF0000 * was_ones
            assert got == want, f"cycle {cycle}: {got:#x}, expected {want:#x}"
        was_ones = ones.get()

    EveryCycle(h, drive, check)
    await h.reset()
    await h.until(lambda: not cases)
