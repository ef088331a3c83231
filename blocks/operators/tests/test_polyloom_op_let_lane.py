# SPDX-License-Identifier: Apache-2.0
"""Covers: random trees and targets, packed and padded, nodes with gaps, cycles that are not enabled, an output that
stalls until the lane asks to stop: every beat of the LET against a walk of the tree in fp32 of NumPy; what is
counted as kept, busy; a lane that is not used; a flush of a full buffer.

Leaves out: more opened nodes than there is room for (test_polyloom_op_let_resolve.py); corners of fp32
(test_polyloom_op_let_geometry.py).
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any

import cocotb
from let_units import NODE, OPENS_ALL, Record, pruned, stream, target, tree

from polyloom.rtl.testing import Harness, Stall, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "let_tb")
LATENCY = 25


@dataclass
class Slot:
    """An enabled cycle: what enters the pipe in it."""

    record: Record | None = None
    number: int = 0
    last: bool = False
    target: int | None = None


class Pipe:
    """The unpacker before the lane, and the pipe beside it."""

    def __init__(self, h: Harness, stall: str, pause: float = 0.2) -> None:
        self.h, self.pause = h, pause
        names = ("en", "target_we", "target", "position", "q", "record", "last", "node", "id", "kids", "opens")
        self.io = {n: h.signal(n) for n in (*names, "kept", "depth", "room", "busy")}
        self.sink = h.sink("out", stall)
        self.slots: deque[Slot] = deque()
        self.inside: deque[Slot] = deque(Slot() for _ in range(LATENCY))
        self.before = [0, 0]  # positions of the two enabled cycles before
        self.room = self.enabled = False
        self.kept = self.stopped = 0
        EveryCycle(h, self.drive, self.check)

    def send(self, records: list[Record], box: int) -> None:
        """A target in an empty pipe, then a tree."""
        rng = self.h.rng
        self.slots += [Slot() for _ in range(LATENCY + 3)] + [Slot(target=box)]
        alone = not records or rng.random() < 0.3
        for n, record in enumerate(records):
            self.slots += [Slot()] * (rng.random() < self.pause)
            self.slots.append(Slot(record, n, n == len(records) - 1 and not alone))
        if alone:
            self.slots.append(Slot(last=True))

    def drive(self) -> None:
        """A cycle after the lane has had room, the pipe may move."""
        rng = self.h.rng
        self.enabled = self.room and rng.random() >= self.pause
        self.io["en"].set(int(self.enabled))
        if not self.slots:
            self.slots.append(Slot())
        now, out = self.slots[0], self.inside[0]
        node = NODE.unpack(now.record.bits if now.record else rng.getrandbits(192))
        self.position = node["position"]
        self.io["q"].set(node["q"])
        self.io["position"].set(self.position | self.before[0] << 96 | self.before[1] << 192)
        self.io["target_we"].set(int(now.target is not None and self.enabled))
        self.io["target"].set(now.target if now.target is not None else rng.getrandbits(256))
        kids = len(out.record.children) if out.record else 0
        self.io["record"].set(int(out.record is not None))
        self.io["last"].set(int(out.last))
        self.io["node"].set(out.record.bits if out.record else rng.getrandbits(192))
        self.io["id"].set(out.number)
        self.io["kids"].set(kids)
        self.io["opens"].set(int(kids > 0))

    def check(self, cycle: int) -> None:
        """The pipe moves."""
        self.stopped += not self.room
        self.room = bool(self.io["room"].get())
        self.kept += self.io["kept"].get()
        assert not self.io["depth"].get(), f"cycle {cycle}"
        if self.enabled:
            self.before = [self.position, self.before[0]]
            self.inside.popleft()
            self.inside.append(self.slots.popleft())

    def done(self) -> bool:
        """All has passed the pipe."""
        return not any(s.record or s.last or s.target is not None for s in (*self.slots, *self.inside))


@cocotb.test()
@cocotb.parametrize(padded=(0, 1), stall=("random", "never"))
async def prunes(dut: Any, padded: int, stall: str) -> None:
    h = Harness(dut, dut.gen_lane)
    h.signal("on").set(1)
    h.signal("padded").set(padded)
    pipe = Pipe(h, stall)
    pipe.sink.expect([])
    await h.reset()
    kept = 0
    for size in [0, 1, 2, 60, *(h.rng.choice([5, 30, 120]) for _ in range(8))]:
        records, box = tree(h.rng, size), OPENS_ALL if size == 60 else target(h.rng)
        let = pruned(records, box) if records else []
        kept += len(let)
        pipe.sink.expect(stream(let, bool(padded)))
        pipe.send(records, box)
    await h.until(pipe.done)
    await h.drain()
    await h.until(lambda: not h.signal("busy").get())
    assert pipe.kept == kept > 50


@cocotb.test()
async def says_nothing_if_it_is_not_used(dut: Any) -> None:
    h = Harness(dut, dut.gen_lane)
    pipe = Pipe(h, "random")
    pipe.sink.expect([])
    await h.reset()
    pipe.send(tree(h.rng, 60), target(h.rng))
    await h.until(pipe.done)
    await h.drain()
    assert pipe.kept == 0 and not h.signal("busy").get()


@cocotb.test()
async def stops_the_pipe_and_is_flushed(dut: Any) -> None:
    h = Harness(dut, dut.gen_lane)
    h.signal("on").set(1)
    h.signal("padded").set(1)
    pipe = Pipe(h, "always")
    await h.reset()
    pipe.send(tree(h.rng, 200), target(h.rng))
    pipe.send(tree(h.rng, 200), target(h.rng))
    for _ in range(30):  # so many trees that the buffer is full, whatever stays of each
        pipe.send([], target(h.rng))
    await h.until(lambda: pipe.stopped > 30)
    pipe.slots.clear()
    pipe.inside = deque(Slot() for _ in range(LATENCY))
    h.signal("flush").set(1)
    await h.step()
    h.signal("flush").set(0)
    pipe.sink.reset()
    await h.step()
    assert not h.signal("out_valid").get() and h.signal("room").get() and not h.signal("busy").get()


@cocotb.test()
@cocotb.parametrize(padded=(0, 1))
async def stops_in_time(dut: Any, padded: int) -> None:
    """A record each cycle into an output that stands: nothing is lost."""
    h = Harness(dut, dut.gen_lane)
    h.signal("on").set(1)
    h.signal("padded").set(padded)
    pipe = Pipe(h, "always", pause=0.0)
    await h.reset()
    records = tree(h.rng, 100)
    expected = stream(pruned(records, OPENS_ALL), bool(padded))
    pipe.sink.expect(expected)
    pipe.send(records, OPENS_ALL)
    await h.until(lambda: pipe.stopped > 30)
    pipe.sink.stall = Stall(h.rng, 0.7)
    await h.drain()
