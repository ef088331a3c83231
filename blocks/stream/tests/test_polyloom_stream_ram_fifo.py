# SPDX-License-Identifier: Apache-2.0
"""Covers: depths 2, 3, 7 and 128 with random stalls; order, capacity, usage, latency at N-1 and N, no bubble,
full throughput.

Leaves out: proofs for all inputs (formal/proofs.toml), other payload types.
"""

from __future__ import annotations

from typing import Any

import cocotb

from polyloom.rtl.testing import BEAT, Harness, bench

test = bench(__file__, "stream_tb")
DEPTHS = [2, 3, 7, 128]


@cocotb.test()
@cocotb.parametrize(which=range(len(DEPTHS)))
async def keeps_order_under_random_stalls(dut: Any, which: int) -> None:
    h = Harness(dut, dut.gen_ram_fifo[which])
    source, sink, usage, valid = h.source("in"), h.sink("out"), h.signal("usage"), h.signal("out_valid")
    await h.reset()
    data = [BEAT.random(h.rng) for _ in range(1000)]
    source.send(data)
    sink.expect(data)
    while h.waiting():
        assert h.cycle < 20_000, h.waiting()
        await h.step()
        assert usage.get() == len(source.passed) - len(sink.passed)
        assert usage.get() <= DEPTHS[which]
        assert valid.get() == (usage.get() != 0), "what it holds stands at the output"
    await h.drain()


@cocotb.test()
@cocotb.parametrize(which=range(len(DEPTHS)))
async def holds_exactly_its_depth(dut: Any, which: int) -> None:
    h = Harness(dut, dut.gen_ram_fifo[which])
    source, sink = h.source("in", "never"), h.sink("out", "always")
    await h.reset()
    data = [BEAT.random(h.rng) for _ in range(DEPTHS[which] + 5)]
    source.send(data)
    await h.step(DEPTHS[which] + 10)
    assert len(source.passed) == DEPTHS[which]
    sink.stall = lambda: False  # type: ignore[assignment]
    sink.expect(data)
    await h.drain()


@cocotb.test()
async def first_beat_comes_after_one_cycle(dut: Any) -> None:
    h = Harness(dut, dut.gen_ram_fifo[2])
    source, sink = h.source("in", "never"), h.sink("out", "never")
    await h.reset()
    for gap in (0, 1, 2, 5):
        source.send(BEAT.random(h.rng))
        await h.step(gap + 3)
    assert [b - a for a, b in zip(source.cycles, sink.cycles, strict=True)] == [1] * 4


@cocotb.test()
@cocotb.parametrize(which=[1, 2, 3])
async def one_beat_a_cycle_before_and_after_a_stall(dut: Any, which: int) -> None:
    h = Harness(dut, dut.gen_ram_fifo[which])
    source, sink = h.source("in", "never"), h.sink("out", "never")
    await h.reset()
    data = [BEAT.random(h.rng) for _ in range(400)]
    source.send(data)
    sink.expect(data)
    await h.until(lambda: len(sink.passed) == 100)
    sink.stall = lambda: True  # type: ignore[assignment]
    await h.step(60)
    sink.stall = lambda: False  # type: ignore[assignment]
    await h.drain()
    gaps = [b - a for a, b in zip(sink.cycles, sink.cycles[1:], strict=False)]
    assert sorted(gaps)[-1] == 61 and sorted(gaps)[-2] == 1, "bubbles besides the stall"


@cocotb.test()
@cocotb.parametrize(which=range(len(DEPTHS)))
async def a_flush_empties_it_whatever_it_holds(dut: Any, which: int) -> None:
    h = Harness(dut, dut.gen_ram_fifo[which])
    depth, flush, usage = DEPTHS[which], h.signal("flush"), h.signal("usage")
    source, sink = h.source("in", "never"), h.sink("out", "always")
    await h.reset()
    for held in sorted({1, 2, depth - 1, depth}):
        source.send([BEAT.random(h.rng) for _ in range(held)])
        await h.step(held + 2 + h.rng.randrange(3))
        assert usage.get() == held
        sink.reset()  # what it was offered may go
        flush.set(1)
        await h.step()
        flush.set(0)
        sink.reset()
        data = [BEAT.random(h.rng) for _ in range(depth)]
        source.send(data)
        sink.stall = lambda: False  # type: ignore[assignment]
        sink.expect(data)
        await h.drain()
        sink.stall = lambda: True  # type: ignore[assignment]
