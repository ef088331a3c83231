# SPDX-License-Identifier: Apache-2.0
"""Covers: the input of each link with random TLPs, sound and faulty, under random rules, five outputs that stall on
their own and faults that wait: whole TLPs by the right output and in order, each fault once, events, idle, a pulse a
TLP; senders that keep to their credits, which never wait, and such that do not; what waits for a ring and what passes
it; latency and rate.

Tests polyloom_hub_input. Leaves out: the inputs from inside, L and the reply (test_polyloom_hub_switch.py).
"""

from __future__ import annotations

from typing import Any

import cocotb
from hub_parts import Taker, element
from hub_units import (
    EAST,
    FAULT,
    LOCAL,
    MAX_PAYLOAD,
    NONE,
    NORTH,
    SOUTH,
    WEST,
    WRITE,
    LinkSource,
    Rule,
    Rules,
    Tlp,
    random_rules,
    random_tlp,
    unit,
)  # fmt: skip

from polyloom.rtl.testing import Harness, Struct, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "hub_tb")
SLOTS = (4, 3, 2, 5)
PORTS = 5
EVENTS = Struct.of("polyloom_hub_pkg::events_t")


class Bench:
    """An input, its sender and the outputs."""

    def __init__(self, dut: Any, port: int, credits: bool, stall: str | float = "random") -> None:
        self.h = h = Harness(dut, dut.i_parts.gen_input[port])
        self.port, self.credits = port, credits
        self.link = LinkSource(h, "in", None, "left" if credits else None, stall, SLOTS[port])
        self.fault = h.sink("fault", stall)
        self.fault.expect([])
        self.takers = [Taker(h, o, stall) for o in range(PORTS)]
        names = ("rules", "links", "allow", "request", "to_stream", "beat_valid", "beat_ready", "beat", "left")
        names += ("events", "idle", "in_ready", "in_valid")
        self.signals = {name: h.signal(name) for name in names}
        self.rules = Rules()
        self.wanted: list[list[Tlp]] = [[] for _ in range(PORTS)]
        self.came = self.pulses = self.left = 0
        self.requests: list[tuple[int, int]] = []
        EveryCycle(h, self.drive, self.check)

    def set(self, rules: Rules) -> None:
        self.rules = rules
        self.signals["rules"].set(rules.packed())
        self.signals["links"].set(rules.links)

    def send(self, tlp: Tlp) -> None:
        cause, output = self.rules.route(tlp, self.port)
        if cause == NONE:
            self.wanted[output].append(tlp)
        else:
            self.fault.expect([FAULT.pack(cause=cause, port=self.port, address=tlp.address & (1 << 48) - 1)])
        self.link.send(tlp)

    def drive(self) -> None:
        self.signals["allow"].set(sum(taker.allow() << o for o, taker in enumerate(self.takers)))
        self.signals["beat_ready"].set(sum(taker.ready() << o for o, taker in enumerate(self.takers)))

    def check(self, cycle: int) -> None:
        get = {name: signal.get() for name, signal in self.signals.items() if name != "beat"}
        assert get["idle"] == (self.came == self.pulses and not get["left"]), f"cycle {cycle}: idle"
        moved = bool(self.link.source.cycles) and self.link.source.cycles[-1] == cycle
        first = moved and (len(self.link.source.passed) < 2 or self.link.source.passed[-2] >> 132 == 1)
        dropped = bool(self.fault.cycles) and self.fault.cycles[-1] == cycle
        assert EVENTS.unpack(get["events"]) == {
            "drop": dropped, "stall": get["request"] & ~get["allow"] != 0, "beat_out": 0, "beat_in": moved,
            "tlp_out": 0, "tlp_in": first,
        }  # fmt: skip
        assert not self.credits or get["in_ready"] or not get["in_valid"], f"cycle {cycle}: kept to its credits, waits"
        self.came += first
        self.pulses += get["left"]
        assert self.pulses <= self.left + len(self.fault.passed), f"cycle {cycle}: a slot free too early"
        for o, taker in enumerate(self.takers):
            granted = get["request"] & get["allow"] & 1 << o
            if get["request"] >> o & 1:
                self.requests.append((cycle, o))
            if granted and o == LOCAL:
                tlp = self.wanted[o][len(taker.got)]
                assert get["to_stream"] == (tlp.kind == WRITE and tlp.address >> 28 & 31 == 1)
            valid, ready = get["beat_valid"] >> o & 1, get["beat_ready"] >> o & 1
            beat = element(self.signals["beat"], o, PORTS)
            self.left += taker.check(cycle, bool(granted), bool(valid), bool(ready), beat)

    def done(self) -> bool:
        wait = any(len(taker.got) < len(self.wanted[o]) for o, taker in enumerate(self.takers))
        return not (wait or any(taker.active for taker in self.takers)) and self.came == self.pulses

    def compare(self) -> None:
        for o, taker in enumerate(self.takers):
            assert taker.tlps() == self.wanted[o], f"output {o}"


@cocotb.test()
@cocotb.parametrize(port=range(4), credits=[False, True])
async def random_traffic(dut: Any, port: int, credits: bool) -> None:
    b = Bench(dut, port, credits)
    await b.h.reset()
    for _ in range(2):
        b.set(random_rules(b.h.rng))
        await b.h.step()
        for _ in range(25):
            tlp = random_tlp(b.h.rng, port)
            if credits and len(tlp.payload) > MAX_PAYLOAD:
                continue
            b.send(tlp)
        await b.h.drain()
        await b.h.until(b.done)
    b.compare()


def by_node() -> Rules:
    """Node 1 lies north, 2 east, 3 south, 4 west, 5 is the own."""
    rules = Rules()
    for port in range(PORTS):
        rules.ports[port] = [Rule(lower=port + 1 << 11, upper=(port + 2 << 11) - 1), Rule(valid=False)]
    return rules


@cocotb.test()
@cocotb.parametrize(way=[(NORTH, EAST, WEST), (NORTH, WEST, LOCAL), (EAST, WEST, NORTH), (WEST, EAST, SOUTH)])
async def passes_what_waits_for_a_ring(dut: Any, way: tuple[int, int, int]) -> None:
    port, blocked, free = way
    b = Bench(dut, port, True)
    await b.h.reset()
    b.set(by_node())
    allow = b.takers[blocked].allow
    b.takers[blocked].allow = lambda: False  # type: ignore[method-assign]
    for n in range(SLOTS[port] - 1):
        b.send(Tlp(WRITE, unit(blocked + 1, 0, 256 * n), b"wait" * (n + 1)))
    for n in range(5):
        b.send(Tlp(WRITE, unit(free + 1, 0, 256 * n), b"pass" * (n + 1)))
    await b.h.until(lambda: len(b.takers[free].got) == 5 and not b.takers[free].active)
    assert not b.takers[blocked].got
    b.takers[blocked].allow = allow  # type: ignore[method-assign]
    await b.h.until(b.done)
    b.compare()


@cocotb.test()
@cocotb.parametrize(port=range(4))
async def latency_and_rate(dut: Any, port: int) -> None:
    b = Bench(dut, port, False, "never")
    await b.h.reset()
    b.set(by_node())
    output = (port + 1) % 4
    for n in range(10):
        b.send(Tlp(WRITE, unit(output + 1, 1, 4096 * n), b.h.rng.randbytes(MAX_PAYLOAD)))
    await b.h.until(b.done)
    b.compare()
    first = b.link.source.cycles[0]
    assert b.requests[0] == (first + 2, output)
    assert b.takers[output].cycles == [first + 3 + n for n in range(10 * (1 + MAX_PAYLOAD // 16))]
