# SPDX-License-Identifier: Apache-2.0
"""Covers: random steps with copies to several sinks, all sides stalling, with and without copy and relay paths: every
sink gets its source's beats once and in order; room of each sink, latency at N-1 and N, full rate, permission, flush.

Tests polyloom_collective_switch with polyloom_collective_pick in it. Leaves out: proofs that no beat is lost or
doubled (test_collective_formal.py).
"""

from __future__ import annotations

from typing import Any

import cocotb
from collective_units import Inputs

from polyloom.rtl.testing import BEAT, Harness, Sink, Source, bench

C, L, INPUTS, OUTPUTS = 2, 3, 2, 1  # of one partition; the slot has two
SOURCES, SINKS, WRITE_BEATS = C + L + 2 * OUTPUTS, C + L + 2 * INPUTS, 5

test = bench(__file__, "collective_tb")


def is_there(sink: int, source: int, paths: bool) -> bool:
    """Memory to memory and lane to lane can be left out; of operators only the first partition feeds the second."""
    if (sink < C and source < C) or (C <= sink < C + L and C <= source < C + L):
        return paths
    return not (sink >= C + L and source >= C + L) or (sink >= C + L + INPUTS and source < C + L + OUTPUTS)


def agents(h: Harness, source: str | float, sink: str | float) -> tuple[list[Source], list[Sink]]:
    sources = [h.source("src", source, i) for i in range(SOURCES)]
    sinks = [h.sink("sink", sink, i) for i in range(SINKS)]
    for agent in sinks:
        agent.expect([])
    return sources, sinks


def select(picks: dict[int, int]) -> int:
    return sum(1 << SOURCES * sink + source for sink, source in picks.items())


@cocotb.test()
@cocotb.parametrize(paths=[False, True])
async def every_sink_gets_the_beats_of_its_source(dut: Any, paths: bool) -> None:
    h = Harness(dut, dut.gen_switch[int(paths)])
    sources, sinks = agents(h, "random", "random")
    inputs = Inputs(h, "go", "select", "enable", "selected")
    await h.reset()
    for _ in range(25):
        few = h.rng.sample(range(SOURCES), h.rng.randint(1, SOURCES))
        picks = {k: h.rng.choice(few) for k in range(SINKS) if h.rng.random() < 0.8}
        there = {k: s for k, s in picks.items() if is_there(k, s, paths)}
        inputs.set(enable=0)
        await inputs.once(go=1, select=select(picks))
        assert inputs.get("selected") == select(there)
        for number in set(there.values()):
            data = [BEAT.random(h.rng) for _ in range(h.rng.randint(1, 40))]
            sources[number].send(data)
            for k in (k for k, s in there.items() if s == number):
                sinks[k].expect(data)
        enable = 0
        for k in h.rng.sample(range(SINKS), SINKS):  # permission comes to one after the other
            enable |= 1 << k
            await h.step(h.rng.choice([0, 0, 1, 7]))
            inputs.set(enable=enable)
        await h.drain(after=4)


@cocotb.test()
async def a_sink_holds_so_many_and_a_copy_waits_for_the_fullest(dut: Any) -> None:
    h = Harness(dut, dut.gen_switch[1])
    sources, sinks = agents(h, "never", "always")
    inputs = Inputs(h, "go", "select", "enable")
    await h.reset()
    inputs.set(enable=(1 << SINKS) - 1)
    await inputs.once(go=1, select=select({0: 0, 1: 2, 2: 2, 5: 3}))
    data = [BEAT.random(h.rng) for _ in range(WRITE_BEATS + 4)]
    for number in (0, 2, 3):
        sources[number].send(data)
    await h.step(20)
    assert [len(sources[n].passed) for n in (0, 2, 3)] == [WRITE_BEATS, 2, 2]
    for k in (0, 1, 2, 5):
        sinks[k].expect(data)
        sinks[k].stall = lambda: False  # type: ignore[assignment]
    await h.drain()


@cocotb.test()
async def a_beat_takes_one_cycle_and_one_follows_the_other(dut: Any) -> None:
    h = Harness(dut, dut.gen_switch[1])
    sources, sinks = agents(h, "never", "never")
    inputs = Inputs(h, "go", "select", "enable")
    await h.reset()
    inputs.set(enable=(1 << SINKS) - 1)
    await inputs.once(go=1, select=select({0: 2, 3: 2, 6: 1}))
    for number, takers in ((2, (0, 3)), (1, (6,))):
        data = [BEAT.random(h.rng) for _ in range(50)]
        sources[number].send(data)
        for k in takers:
            sinks[k].expect(data)
    await h.drain()
    for number, k in ((2, 0), (2, 3), (1, 6)):
        first = sources[number].cycles[0]
        assert sources[number].cycles == list(range(first, first + 50))
        assert sinks[k].cycles == [cycle + 1 for cycle in sources[number].cycles]


@cocotb.test()
async def nothing_moves_before_permission(dut: Any) -> None:
    h = Harness(dut, dut.gen_switch[1])
    sources, sinks = agents(h, "never", "never")
    inputs = Inputs(h, "go", "select", "enable")
    await h.reset()
    inputs.set(enable=0b0000100)
    await inputs.once(go=1, select=select({2: 0, 3: 0}))
    data = [BEAT.random(h.rng) for _ in range(5)]
    sources[0].send(data)
    await h.step(15)
    assert sources[0].passed == []  # one of the two lanes that copy it has not begun
    inputs.set(enable=0b0001100)
    begin = h.cycle
    for k in (2, 3):
        sinks[k].expect(data)
    await h.drain()
    assert sources[0].cycles == list(range(begin, begin + 5))


@cocotb.test()
async def flush_forgets_beats_and_selection(dut: Any) -> None:
    h = Harness(dut, dut.gen_switch[1])
    sources, sinks = agents(h, "never", "always")
    inputs = Inputs(h, "go", "select", "enable", "flush", "selected", "sink_valid")
    await h.reset()
    inputs.set(enable=(1 << SINKS) - 1)
    await inputs.once(go=1, select=select({0: 0, 4: 1}))
    for number in (0, 1):
        sources[number].send([BEAT.random(h.rng) for _ in range(2)])
    await h.step(6)
    assert inputs.get("sink_valid") == 0b000010001
    for agent in sinks:
        agent.reset()
    await inputs.once(flush=1)
    assert inputs.get("sink_valid") == 0 and inputs.get("selected") == 0
    for agent in sinks:
        agent.reset()
        agent.stall = lambda: False  # type: ignore[assignment]
    await h.step(5)
    assert not any(agent.passed for agent in sinks)
