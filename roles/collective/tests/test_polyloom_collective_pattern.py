# SPDX-License-Identifier: Apache-2.0
"""Covers: random patterns as bursts and as beats with random stalls, against runs cut in Python; first item at N-1 and
N, one item a cycle, clear.

Tests polyloom_collective_pattern. Leaves out: patterns that the sequencer refuses (no run, not aligned).
"""

from __future__ import annotations

from typing import Any

import cocotb
from collective_units import BLOCK, Inputs, Pattern, random_pattern

from polyloom.rtl.testing import Harness, Struct, bench

ITEM = Struct([("addr", 40), ("beats", 6), ("block_end", 1), ("run_end", 1), ("last", 1)])

test = bench(__file__, "collective_tb")


def items(pattern: Pattern, bursts: bool) -> list[int]:
    parts = pattern.bursts() if bursts else [(place, 1, ends) for place, _, ends in pattern.beats()]
    return [
        ITEM.pack(
            addr=place, beats=beats, block_end=int((place + 32 * beats) % BLOCK == 0), run_end=int(ends),
            last=int(number == len(parts) - 1),
        )
        for number, (place, beats, ends) in enumerate(parts)
    ]  # fmt: skip


@cocotb.test()
@cocotb.parametrize(bursts=[False, True])
async def walks_every_item(dut: Any, bursts: bool) -> None:
    h = Harness(dut, dut.gen_pattern[int(bursts)])
    sink, inputs = h.sink("item"), Inputs(h, "load", "pattern")
    await h.reset()
    for _ in range(60):
        pattern = random_pattern(h.rng, 60)
        sink.expect(items(pattern, bursts))
        await inputs.once(load=1, pattern=pattern.packed())
        await h.drain(after=3)


@cocotb.test()
@cocotb.parametrize(bursts=[False, True])
async def the_first_item_comes_after_one_cycle_and_then_one_a_cycle(dut: Any, bursts: bool) -> None:
    h = Harness(dut, dut.gen_pattern[int(bursts)])
    sink, inputs = h.sink("item", "never"), Inputs(h, "load", "pattern")
    await h.reset()
    for pattern in (Pattern(32, 64, 32, 20), Pattern(992, 0, 3000, 1)):
        before = len(sink.passed)
        load = await inputs.once(load=1, pattern=pattern.packed())
        sink.expect(items(pattern, bursts))
        await h.drain(after=3)
        count = len(items(pattern, bursts))
        assert sink.cycles[before:] == list(range(load + 1, load + 1 + count))


@cocotb.test()
async def clear_drops_the_rest(dut: Any) -> None:
    h = Harness(dut, dut.gen_pattern[1])
    sink, inputs = h.sink("item", "never"), Inputs(h, "load", "pattern", "clear", "item_valid")
    await h.reset()
    await inputs.once(load=1, pattern=Pattern(0, 64, 32, 20).packed())
    await h.step(3)
    await inputs.once(clear=1)
    passed = len(sink.passed)
    assert inputs.get("item_valid") == 0 and passed == 4
    await h.step(10)
    assert len(sink.passed) == passed
