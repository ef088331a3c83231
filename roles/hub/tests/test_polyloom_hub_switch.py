# SPDX-License-Identifier: Apache-2.0
"""Covers: all inputs send random TLPs, sound and faulty, to all outputs under random rules, with random stalls and
credit delays on all sides: whole TLPs, order kept between an input and an output, credits never exceeded, the bubble
rule, every fault told once and nothing else disturbed; latency and back-to-back rate; the function's room; what
leaves a ring passes what waits for one.

Tests polyloom_hub_switch, polyloom_hub_input, polyloom_hub_queue, polyloom_hub_output. Leaves out: rings (C++ with the
fabric).
"""

from __future__ import annotations

from typing import Any

import cocotb
from hub_units import (
    EAST,
    FUNCTION,
    LOCAL,
    MAX_PAYLOAD,
    NONE,
    NORTH,
    REPLY,
    SLOTS,
    SOUTH,
    WEST,
    WRITE,
    Faults,
    LinkSink,
    LinkSource,
    Rule,
    Rules,
    Tlp,
    random_rules,
    random_tlp,
    unit,
)  # fmt: skip

from polyloom.rtl.testing import Harness, bench

test = bench(__file__, "hub_tb")
LATENCY = 4  # header in at edge k, out at edge k + 4 (timing.h: switch_cycles)


class Bench:
    """A switch with the far ends of all its streams."""

    def __init__(self, dut: Any, stall: str | float = "random", delay: int = 30) -> None:
        self.h = Harness(dut, dut.gen_switch)
        h = self.h
        self.inputs = [LinkSource(h, "in", i, "left" if i < LOCAL else None, stall) for i in range(6)]
        self.outputs = [LinkSink(h, "out", o, "credit" if o < LOCAL else None, stall, delay) for o in range(5)]
        self.faults = Faults(h, "fault", 6)

    def set(self, rules: Rules) -> None:
        self.h.signal("rules").set(rules.packed())
        self.h.signal("links").set(rules.links)
        self.h.signal("stream_room").set(1)


@cocotb.test()
@cocotb.parametrize(delay=[0, 60])
async def random_traffic(dut: Any, delay: int) -> None:
    b = Bench(dut, delay=delay)
    h = b.h
    await h.reset()
    for _ in range(5):
        rules = random_rules(h.rng)
        b.set(rules)
        await h.step()
        for end in b.outputs:
            end.got.clear()
            end.outstanding.clear()
            end.cycles.clear()
        reported = [len(b.faults.of(i)) for i in range(6)]
        sent: dict[tuple[int, int], list[Tlp]] = {(i, o): [] for i in range(6) for o in range(5)}
        faulty: list[list[tuple[int, int, int]]] = [[] for _ in range(6)]
        for number in range(200):
            i = h.rng.randrange(6)
            tlp = random_tlp(h.rng, i)
            if len(tlp.payload) >= 4:  # who sent it
                tlp.payload = bytes([i]) + number.to_bytes(3, "little") + tlp.payload[4:]
            cause, output = rules.route(tlp, i)
            if cause == NONE:
                sent[i, output].append(tlp)
            else:
                faulty[i].append((cause, i, tlp.address & (1 << 48) - 1))
            b.inputs[i].send(tlp)
        await h.drain(after=200)
        for i in range(6):
            assert b.faults.of(i)[reported[i] :] == faulty[i]
        for o, end in enumerate(b.outputs):
            queues = {i: list(sent[i, o]) for i in range(6)}
            for tlp, outstanding in zip(end.got, end.outstanding, strict=True):
                owners = [i for i, queue in queues.items() if queue and queue[0] == tlp]
                assert owners, f"output {o}: {tlp} is the next of no input"
                i = owners[0]
                if len(owners) == 1 and o in {EAST, WEST} and i in {NORTH, SOUTH, LOCAL}:
                    assert outstanding < SLOTS, "entered a ring without leaving a bubble"
                queues[i].pop(0)
            assert not any(queues.values()), f"output {o} lacks {queues}"


def to(port: int) -> Rules:
    """All goes to one port."""
    rules = Rules()
    rules.ports[port] = [Rule(upper=0x7FFF), Rule(valid=False)]
    return rules


@cocotb.test()
@cocotb.parametrize(pair=[(WEST, NORTH), (NORTH, EAST), (WEST, EAST), (EAST, LOCAL), (LOCAL, SOUTH), (REPLY, NORTH)])
async def latency_and_rate(dut: Any, pair: tuple[int, int]) -> None:
    b = Bench(dut, "never", 0)
    h, (i, o) = b.h, pair
    await h.reset()
    b.set(to(o))
    await h.step(3)
    kind = WRITE if i != REPLY else 0x4A
    tlps = [Tlp(kind, 4096 * n, h.rng.randbytes(MAX_PAYLOAD)) for n in range(20)]
    for tlp in tlps:
        b.inputs[i].send(tlp)
    await h.drain()
    beats = len(tlps[0].beats())
    assert b.outputs[o].got == tlps
    first = b.inputs[i].source.cycles[0]
    assert b.outputs[o].sink.cycles == [first + LATENCY + n for n in range(20 * beats)]


@cocotb.test()
async def bubble_at_every_count_of_credits(dut: Any) -> None:
    b = Bench(dut, "never", 0)
    h = b.h
    await h.reset()
    b.set(to(EAST))
    b.outputs[EAST].drive = lambda: b.outputs[EAST]._pulse(0)  # type: ignore[method-assign]
    for _ in range(SLOTS + 3):
        b.inputs[NORTH].send(Tlp(WRITE, 0, b"n" * 16))
    await h.step(200)
    assert len(b.outputs[EAST].got) == SLOTS - 1  # the last credit is not for who enters
    b.inputs[WEST].send(Tlp(WRITE, 0, b"w" * 16))
    await h.step(50)
    assert [t.payload[:1] for t in b.outputs[EAST].got] == [b"n"] * (SLOTS - 1) + [b"w"]


@cocotb.test()
@cocotb.parametrize(
    way=[(WEST, EAST, NORTH), (EAST, WEST, LOCAL), (NORTH, EAST, WEST), (NORTH, WEST, LOCAL), (LOCAL, WEST, EAST)]
)
async def passes_what_waits_for_a_ring(dut: Any, way: tuple[int, int, int]) -> None:
    b = Bench(dut)
    h, (i, blocked, free) = b.h, way
    await h.reset()
    rules = Rules()
    rules.ports[blocked] = [Rule(lower=1 << 11, upper=(2 << 11) - 1), Rule(valid=False)]
    rules.ports[free] = [Rule(lower=2 << 11, upper=(3 << 11) - 1), Rule(valid=False)]
    b.set(rules)
    drive = b.outputs[blocked].drive
    b.outputs[blocked].drive = lambda: b.outputs[blocked]._pulse(0)  # type: ignore[method-assign]
    waiting = [Tlp(WRITE, unit(1, 0, 256 * n), b"wait" * (n + 1)) for n in range(SLOTS + 1)]
    passing = [Tlp(WRITE, unit(2, 0, 256 * n), b"pass" * (n + 1)) for n in range(6)]
    for tlp in waiting + passing:
        b.inputs[i].send(tlp)
    await h.step(800)
    gone = SLOTS if i in {EAST, WEST} else SLOTS - 1  # who enters leaves a bubble
    assert b.outputs[blocked].got == waiting[:gone]
    assert b.outputs[free].got == passing
    b.outputs[blocked].drive = drive  # type: ignore[method-assign]
    await h.until(lambda: len(b.outputs[blocked].got) == len(waiting))
    await h.drain()
    assert b.outputs[blocked].got == waiting


@cocotb.test()
async def north_waits_for_the_function_and_others_do_not(dut: Any) -> None:
    b = Bench(dut)
    h = b.h
    await h.reset()
    b.set(to(LOCAL))
    h.signal("stream_room").set(0)
    stream = unit(3, 3, FUNCTION)
    b.inputs[NORTH].send(Tlp(WRITE, stream, b"north"))
    b.inputs[NORTH].send(Tlp(WRITE, unit(3, 3), b"behind"))
    b.inputs[WEST].send(Tlp(WRITE, stream, b"west"))
    await h.step(300)
    assert [t.payload for t in b.outputs[LOCAL].got] == [b"west"]
    h.signal("stream_room").set(1)
    await h.drain()
    assert [t.payload for t in b.outputs[LOCAL].got] == [b"west", b"north", b"behind"]
