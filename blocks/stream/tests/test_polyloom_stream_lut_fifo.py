# SPDX-License-Identifier: Apache-2.0
"""Covers: depths 1, 2, 3, 7 and 16 with random stalls; order, full, empty, push and pop in one cycle, latency, rate,
flush.

Leaves out: proofs for all inputs (formal/proofs.toml), other payload types.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import cocotb

from polyloom.rtl.testing import BEAT, Harness, bench

test = bench(__file__, "stream_tb")
DEPTHS = [1, 2, 3, 7, 16]


@cocotb.test()
@cocotb.parametrize(which=range(len(DEPTHS)))
async def keeps_order_under_random_stalls(dut: Any, which: int) -> None:
    h = Harness(dut, dut.gen_lut_fifo[which])
    source, sink = h.source("in"), h.sink("out")
    ready, valid = h.signal("in_ready"), h.signal("out_valid")
    await h.reset()
    data = [BEAT.random(h.rng) for _ in range(1000)]
    source.send(data)
    sink.expect(data)
    while h.waiting():
        assert h.cycle < 20_000, h.waiting()
        await h.step()
        held = len(source.passed) - len(sink.passed)
        assert ready.get() == (held < DEPTHS[which])
        assert valid.get() == (held > 0)
    await h.drain()


@cocotb.test()
@cocotb.parametrize(which=range(len(DEPTHS)))
async def pushes_and_pops_as_a_queue_does_in_every_state(dut: Any, which: int) -> None:
    """Every pair (push or not, pop or not) at every fill, the sides driven by hand, against a queue."""
    h = Harness(dut, dut.gen_lut_fifo[which])
    depth, held = DEPTHS[which], deque[int]()
    in_valid, payload, in_ready = h.signal("in_valid"), h.signal("in"), h.signal("in_ready")
    out_valid, out, out_ready = h.signal("out_valid"), h.signal("out"), h.signal("out_ready")
    await h.reset()
    seen = set()
    wanted = {(fill, push, pop) for fill in range(depth + 1) for push in (0, 1) for pop in (0, 1)}
    while seen != wanted:
        assert h.cycle < 50_000, wanted - seen
        assert in_ready.get() == (len(held) < depth)
        assert out_valid.get() == bool(held)
        if held:
            assert out.get() == held[0]
        # Drifts up or down for a while, so that the ends are reached at depth 16 too.
        up = (h.cycle // 100) % 2
        push, pop = int(h.rng.random() < 0.3 + 0.4 * up), int(h.rng.random() < 0.7 - 0.4 * up)
        seen.add((len(held), push, pop))
        beat = h.rng.getrandbits(289)
        in_valid.set(push)
        payload.set(beat)
        out_ready.set(pop)
        accepts = push and len(held) < depth
        if pop and held:
            held.popleft()
        if accepts:
            held.append(beat)
        await h.step()


@cocotb.test()
@cocotb.parametrize(which=range(len(DEPTHS)))
async def holds_exactly_its_depth(dut: Any, which: int) -> None:
    h = Harness(dut, dut.gen_lut_fifo[which])
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
@cocotb.parametrize(which=range(len(DEPTHS)))
async def first_beat_comes_after_one_cycle_and_the_rate_is_full(dut: Any, which: int) -> None:
    h = Harness(dut, dut.gen_lut_fifo[which])
    source, sink = h.source("in", "never"), h.sink("out", "never")
    await h.reset()
    data = [BEAT.random(h.rng) for _ in range(100)]
    source.send(data)
    sink.expect(data)
    await h.drain()
    assert {b - a for a, b in zip(source.cycles, sink.cycles, strict=True)} == {1}
    gaps = {b - a for a, b in zip(sink.cycles, sink.cycles[1:], strict=False)}
    assert gaps == ({2} if DEPTHS[which] == 1 else {1})


@cocotb.test()
@cocotb.parametrize(which=range(len(DEPTHS)))
async def a_flush_empties_it_whatever_it_holds(dut: Any, which: int) -> None:
    h = Harness(dut, dut.gen_lut_fifo[which])
    depth, flush, valid = DEPTHS[which], h.signal("flush"), h.signal("out_valid")
    source, sink = h.source("in", "never"), h.sink("out", "always")
    await h.reset()
    for held in sorted({1, (depth + 1) // 2, depth}):
        source.send([BEAT.random(h.rng) for _ in range(held)])
        await h.step(held + 2 + h.rng.randrange(3))
        assert valid.get() == 1
        sink.reset()  # what it was offered may go
        flush.set(1)
        await h.step()
        flush.set(0)
        sink.reset()
        assert valid.get() == 0
        data = [BEAT.random(h.rng) for _ in range(depth)]
        source.send(data)
        sink.stall = lambda: False  # type: ignore[assignment]
        sink.expect(data)
        await h.drain()
        sink.stall = lambda: True  # type: ignore[assignment]
