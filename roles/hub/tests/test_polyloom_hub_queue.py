# SPDX-License-Identifier: Apache-2.0
"""Covers: TLPs of one beat to far beyond the largest size, sound and faulty, with gaps, an output and a fault register
that stall, against a model in every cycle: beats, requests, faults, room, the end of each TLP.

Tests polyloom_hub_queue. Leaves out: which queue a TLP comes to (test_polyloom_hub_input.py).
"""

from __future__ import annotations

from collections import deque
from typing import Any

import cocotb
from hub_units import BEAT, FAULT, LOCAL, MAX_PAYLOAD, NONE, ROUTE

from polyloom.rtl.testing import Harness, Stall, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "hub_tb")
SLOTS = (2, 3)
TLP_BEATS = 1 + MAX_PAYLOAD // 16
PORTS = 5


class Queue:
    """The queue as it stands, and both its ends."""

    def __init__(self, h: Harness, which: int, stall: str | float = "random") -> None:
        self.h, self.slots, self.port = h, SLOTS[which], 1 + which
        names = ("in_valid", "in_first", "in", "in_route", "room", "request", "to_stream", "allow", "beat_valid")
        names += ("beat_ready", "beat", "last_out", "fault_valid", "fault_ready", "fault")
        self.signals = {name: h.signal(name) for name in names}
        self.coming: deque[tuple[int, list[int]]] = deque()  # route, beats
        self.stalls = {name: Stall(h.rng, stall) for name in ("in", "allow", "ready", "fault")}
        self.may_come = False
        self.routes, self.beats = deque[dict[str, int]](), deque[int]()
        self.held, self.active, self.full = 0, "", False
        self.passed: list[int] = []  # cycles of beats
        self.came: list[int] = []
        EveryCycle(h, self.drive, self.check)

    def send(self, size: int, cause: int, dest: int) -> None:
        rng = self.h.rng
        beats = [BEAT.random(rng) & ~(1 << 132) | int(i == size - 1) << 132 for i in range(size)]
        route = ROUTE.pack(cause=cause, dest=1 << dest, stream=rng.getrandbits(1), address=rng.getrandbits(48))
        self.coming.append((route, [*beats, -1]))  # -1: its first beat has not come

    def drive(self) -> None:
        """A beat comes the cycle after the input has seen room, and for a header a free slot."""
        set_ = {name: signal.set for name, signal in self.signals.items()}
        set_["allow"](self.h.rng.getrandbits(PORTS) if self.stalls["allow"]() else (1 << PORTS) - 1)
        set_["beat_ready"](int(not self.stalls["ready"]()))
        set_["fault_ready"](int(not self.stalls["fault"]()))
        come = bool(self.coming) and self.may_come and not self.stalls["in"]()
        first = come and self.coming[0][1][-1] == -1
        if first and self.held == self.slots:
            come = first = False
        set_["in_valid"](int(come))
        set_["in_first"](int(first) if come else self.h.rng.getrandbits(1))
        set_["in"](self.coming[0][1][0] if come else self.h.rng.getrandbits(BEAT.width))
        set_["in_route"](self.coming[0][0] if first else self.h.rng.getrandbits(ROUTE.width))

    def check(self, cycle: int) -> None:
        get = {name: signal.get() for name, signal in self.signals.items()}
        beats = self.beats
        assert get["room"] == (len(beats) <= self.slots * TLP_BEATS), f"cycle {cycle}: room with {len(beats)} beats"
        self.full |= not get["room"]
        assert get["beat_valid"] == (self.active == "goes" and bool(beats)), f"cycle {cycle}"
        assert not get["beat_valid"] or get["beat"] == beats[0], f"cycle {cycle}: wrong beat"
        moves = bool(beats) and (self.active == "drops" or (self.active == "goes" and bool(get["beat_ready"])))
        ends = moves and bool(BEAT.unpack(beats[0])["last"])
        assert get["last_out"] == ends, f"cycle {cycle}"
        front = self.routes[0] if self.routes and (not self.active or ends) else {"cause": -1}
        sound = front["cause"] == NONE
        assert get["request"] == (front["dest"] if sound else 0), f"cycle {cycle}: request {get['request']:#b}"
        assert not get["request"] >> LOCAL or get["to_stream"] == front["stream"]
        assert get["fault_valid"] == (front["cause"] > NONE), f"cycle {cycle}"
        if get["fault_valid"]:
            fault = FAULT.pack(cause=front["cause"], port=self.port, address=front["address"])
            assert get["fault"] == fault, f"cycle {cycle}: fault {get['fault']:#x}, expected {fault:#x}"
        if moves:
            beats.popleft()
            if self.active == "goes":
                self.passed.append(cycle)
        if ends:
            self.active = ""
            self.held -= 1
        begins = "goes" if get["request"] & get["allow"] else "drops" if get["fault_valid"] & get["fault_ready"] else ""
        if begins:
            self.active = begins
            self.routes.popleft()
        self.accept(get, cycle)

    def accept(self, get: dict[str, int], cycle: int) -> None:
        """What comes in this cycle."""
        self.may_come = bool(get["room"])
        if not get["in_valid"]:
            return
        self.came.append(cycle)
        beats = self.coming[0][1]
        self.beats.append(beats.pop(0))
        if get["in_first"]:
            beats.pop()
            self.routes.append(ROUTE.unpack(get["in_route"]))
            self.held += 1
        if not beats:
            self.coming.popleft()

    def done(self) -> bool:
        return not (self.coming or self.beats or self.active)


@cocotb.test()
@cocotb.parametrize(which=range(2))
async def against_a_model(dut: Any, which: int) -> None:
    h = Harness(dut, dut.i_parts.gen_queue[which])
    q = Queue(h, which)
    await h.reset()
    for _ in range(150):
        cause = h.rng.choice([NONE, NONE, NONE, h.rng.randint(1, 9)])
        size = h.rng.choice([1, 2, TLP_BEATS, h.rng.randint(1, TLP_BEATS)])
        if cause and h.rng.random() < 0.3:  # only faulty ones are too long
            size = h.rng.randint(TLP_BEATS, 5 * TLP_BEATS)
        q.send(size, cause, h.rng.randrange(PORTS))
    await h.until(q.done)


@cocotb.test()
@cocotb.parametrize(which=range(2))
async def room_for_all_slots_and_no_more(dut: Any, which: int) -> None:
    h = Harness(dut, dut.i_parts.gen_queue[which])
    q = Queue(h, which, "never")
    q.stalls["fault"] = q.stalls["ready"] = q.stalls["allow"] = Stall(h.rng, "always")
    await h.reset()
    for _ in range(SLOTS[which]):
        q.send(TLP_BEATS, NONE, LOCAL)
    await h.until(lambda: not q.coming)
    await h.step(3)
    assert not q.full  # all that credits allow fits
    for name in ("fault", "ready", "allow"):
        q.stalls[name] = Stall(h.rng, "never")
    await h.until(q.done)
    q.stalls["fault"] = Stall(h.rng, "always")
    q.send(20 * TLP_BEATS, 6, 0)
    await h.until(lambda: q.full)
    await h.step(5)
    assert len(q.beats) == SLOTS[which] * TLP_BEATS + 2  # the input has seen it a cycle late
    q.stalls["fault"] = Stall(h.rng, "never")
    await h.until(q.done)


@cocotb.test()
async def latency_and_rate(dut: Any) -> None:
    h = Harness(dut, dut.i_parts.gen_queue[1])
    q = Queue(h, 1, "never")
    await h.reset()
    for _ in range(12):
        q.send(3, NONE, h.rng.randrange(PORTS))
    await h.until(q.done)
    assert q.passed == [q.came[0] + 2 + n for n in range(36)]  # a cycle in the queue, a cycle for the grant
