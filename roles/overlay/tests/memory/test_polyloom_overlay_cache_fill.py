# SPDX-License-Identifier: Apache-2.0
"""Covers: loads and stores of every size and place that missed, lines of 32 and 64 bytes that come in any order, one a
cycle with gaps: the line with a store's bytes in it, its place, the load's value and thread, each in its cycle; idle or
not; a reset with lines under way.

Leaves out: a second miss of a thread before its line has come; the data of a store's response, which nothing uses.
"""

from __future__ import annotations

from typing import Any

import cocotb
from memory_units import SHAPES, WORD, a_word, loaded, stored

from polyloom.rtl.testing import Harness, Stall, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "memory_tb")
Done = tuple[int, int, dict[str, int], int, int]  # thread, place, access, byte in the line, the line


@cocotb.test()
@cocotb.parametrize(which=range(2))
async def ends_misses(dut: Any, which: int) -> None:
    h, shape = Harness(dut, dut.gen_fill[which]), SHAPES[which]
    miss_valid, miss_thread, miss_place, miss = (
        h.signal(f"miss{name}") for name in ("_valid", "_thread", "_place", "")
    )
    line_valid, line_tag, line = (h.signal(f"line{name}") for name in ("_valid", "_tag", ""))
    fill_valid, fill_place, fill = (h.signal(f"fill{name}") for name in ("_valid", "_place", ""))
    rsp_valid, rsp_thread, rsp_data, idle = (h.signal(n) for n in ("rsp_valid", "rsp_thread", "rsp_data", "idle"))
    stalls = [Stall(h.rng), Stall(h.rng)]
    waits: dict[int, tuple[int, dict[str, int], int]] = {}
    stages: list[Done | None] = [None] * 3  # of lines that came 1, 2 and 3 cycles ago
    seen = 0

    def come() -> Done | None:
        if stalls[0]() or not waits:
            return None
        thread = h.rng.choice(sorted(waits))
        return (thread, *waits.pop(thread), h.rng.getrandbits(line.width))

    def drive() -> None:
        stages.insert(0, come())
        line_valid.set(int(stages[0] is not None))
        line_tag.set(stages[0][0] if stages[0] is not None else h.rng.getrandbits(6))
        line.set(stages[0][-1] if stages[0] is not None else h.rng.getrandbits(line.width))
        under_way = {*waits, *([stages[0][0]] if stages[0] is not None else [])}
        free = sorted(set(range(shape.all_threads)) - under_way)
        misses = bool(free) and not stalls[1]()
        word, at = a_word(h.rng, shape.line_bytes)
        thread, place = h.rng.choice(free or [0]), h.rng.getrandbits(12)
        if misses:
            waits[thread] = (place, word, at)
        miss_valid.set(int(misses))
        miss_thread.set(thread)
        miss_place.set(place)
        miss.set(WORD.pack(**word))

    def check(cycle: int) -> None:
        nonlocal seen
        responded = stages.pop()
        assert fill_valid.get() == int(stages[1] is not None), f"cycle {cycle}"
        assert rsp_valid.get() == int(responded is not None), f"cycle {cycle}"
        assert idle.get() == int(stages[1:] == [None, None] and responded is None), f"cycle {cycle}"
        if stages[1] is not None:
            _, place, word, at, data = stages[1]
            want = stored(data, at, word["size"], word["data"]) if word["store"] else data
            assert (fill_place.get(), fill.get()) == (place, want), f"cycle {cycle}: {word}, {data:#x}"
        if responded is not None:
            thread, _, word, at, data = responded
            assert rsp_thread.get() == thread, f"cycle {cycle}"
            if not word["store"]:
                want = loaded(data, at, word["size"], word["sign"])
                assert rsp_data.get() == want, f"cycle {cycle}: {rsp_data.get():#x}, expected {want:#x}: {word}"
            seen += 1

    EveryCycle(h, drive, check)
    await h.reset()
    await h.until(lambda: seen >= 600)
    await h.reset()
    waits.clear()
    stages[:] = [None] * 3
    await h.until(lambda: seen >= 650)
