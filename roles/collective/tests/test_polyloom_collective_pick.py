# SPDX-License-Identifier: Apache-2.0
"""Covers: random choices at random times, with all sources changing in every cycle: the beat is that of the source
chosen last, in the same cycle; choices of sources out of reach and of none; one source of
one, two, five and one of five.

Tests polyloom_collective_pick. Leaves out: what is shown before the first choice.
"""

from __future__ import annotations

from typing import Any

import cocotb

from polyloom.rtl.testing import BEAT, Harness, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "collective_tb")
SOURCES = (1, 5, 5, 5)
REACH = ((0,), (1, 4), (0, 1, 2, 3, 4), (3,))


@cocotb.test()
@cocotb.parametrize(which=range(4))
async def shows_the_source_that_was_chosen(dut: Any, which: int) -> None:
    h = Harness(dut, dut.i_parts.gen_pick[which])
    go, select, src, beat = (h.signal(name) for name in ("go", "select", "src", "beat"))
    count, reach = SOURCES[which], REACH[which]
    shown: tuple[int, ...] | None = reach if len(reach) == 1 else None  # one of these
    seen = set[int]()

    def drive() -> None:
        go.set(int(h.rng.random() < 0.3))
        select.set(h.rng.choice([0, *(1 << s for s in range(count))]))
        src.set(h.rng.getrandbits(BEAT.width * count))

    def check(cycle: int) -> None:
        nonlocal shown
        if shown is not None:
            beats = [src.get() >> BEAT.width * s & (1 << BEAT.width) - 1 for s in shown]
            assert beat.get() in beats, f"cycle {cycle}: not the beat of {shown}"
        if go.get():
            chosen = select.get().bit_length() - 1
            shown = (chosen,) if chosen in reach else reach
            seen.update(shown if len(shown) == 1 else ())

    EveryCycle(h, drive, check)
    await h.reset()
    await h.step(200)
    await h.until(lambda: seen >= set(reach) or len(reach) == 1)
