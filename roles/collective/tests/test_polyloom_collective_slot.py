# SPDX-License-Identifier: Apache-2.0
"""Covers: steps of pass and of two partitions with streams of random length, stalls on all sides: what comes out, that
a step is at work until its last beat has left and no longer; every fault that an operator here can tell, of either
partition, none once stopped; streams that are not fed; flush amid a step; a node without a slot.

Tests polyloom_collective_slot. Leaves out: what operators make of data (blocks/operators/tests).
"""

from __future__ import annotations

from typing import Any

import cocotb
from collective_units import FAULT, LENGTH

from polyloom.rtl.testing import BEAT, Harness, Struct, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "collective_tb")
CONFIG = Struct.of("polyloom_collective_pkg::config_step_t")
SHAPES = ((0, 0), (3, 2), (2, 4))  # inputs and outputs, of all partitions
REDUCE, PARTITION, PASS = 1, 2, 3
OPERATOR_ERROR = 9
ERR_LENGTH, ERR_CONFIG, ERR_STRAY, ERR_RECORD, ERR_KIND = range(5)
RECORD = 1 << 17
ALL_KEYS = 1 << 32  # partition without key bits: all go to this output


class Slot:
    """A slot and its streams. A step is ``owed`` as long as a fed input has not ended or a beat has not left."""

    def __init__(self, dut: Any, which: int, stall: str | float = "random") -> None:
        self.h = h = Harness(dut, dut.i_parts.gen_slot[which])
        self.inputs, self.outputs = SHAPES[which]
        names = ("stop", "flush", "go", "feed", "config_step", "active", "fault", "status")
        self.signals = {name: h.signal(name) for name in names}
        EveryCycle(h, lambda: None, self.check)
        self.sources = [h.source("in", stall, i) for i in range(self.inputs)]
        self.sinks = [h.sink("out", stall, i) for i in range(self.outputs)]
        for sink in self.sinks:
            sink.expect([])
        self.fed: set[int] = set()
        self.sound = True
        self.active: list[int] = []
        self.faults: list[tuple[int, int]] = []

    def set(self, **values: int) -> None:
        for name, value in values.items():
            self.signals[name].set(value)

    def owed(self) -> bool:
        """Before this cycle's beats: the agents come after."""
        return any(self.sources[i].busy() for i in self.fed) or any(
            len(sink.passed) < len(sink._expected or []) for sink in self.sinks
        )

    def check(self, cycle: int) -> None:
        active = self.signals["active"].get()
        self.active.append(active)
        fault = FAULT.unpack(self.signals["fault"].get())
        if fault["code"]:
            assert active and not self.signals["stop"].get()
            self.faults.append((fault["code"], fault["value"]))
        if self.sound and not self.signals["go"].get():
            assert not fault["code"], f"cycle {cycle}: fault {fault}"
            assert active or not self.owed(), f"cycle {cycle}: the step is not over"

    async def go(self, config: dict[int, tuple[int, int, int]], feed: set[int]) -> None:
        """Begin a step: kind, word and inputs of outputs. Then the configuration is noise."""
        words = [CONFIG.pack(valid=1, kind=k, word=w, inputs=m) for k, w, m in config.values()]
        total = sum(word << CONFIG.width * o for o, word in zip(config, words, strict=True))
        self.set(go=1, feed=sum(1 << i for i in feed), config_step=total)
        await self.h.step()
        noise = self.h.rng.getrandbits(CONFIG.width * self.outputs)
        self.set(go=0, feed=self.h.rng.getrandbits(self.inputs), config_step=noise)
        self.fed = feed

    def stream(self, most: int = 12) -> list[int]:
        """Whole beats but the last one."""
        size = self.h.rng.randint(1, most)
        beats = [BEAT.pack(keep=(1 << 32) - 1, data=self.h.rng.getrandbits(256)) for _ in range(size - 1)]
        words = self.h.rng.randint(1, 8)
        data = self.h.rng.getrandbits(32 * words)
        return [*beats, BEAT.pack(last=1, keep=(1 << 4 * words) - 1, data=data)]

    async def over(self) -> None:
        """The step ends, and in time."""
        await self.h.until(lambda: not self.owed())
        self.active.clear()
        await self.h.step(4)
        assert not self.active[-1], "the step is over, and active"
        self.fed = set()


@cocotb.test()
async def steps_of_pass(dut: Any) -> None:
    s = Slot(dut, 1)
    rng = s.h.rng
    await s.h.reset()
    for _ in range(40):
        config = {o: (PASS, 0, 1 << rng.randrange(3)) for o in range(2) if rng.random() < 0.8}
        used = {mask.bit_length() - 1 for _, _, mask in config.values()}
        await s.go(config, used)
        await s.h.step(rng.choice([0, 0, 1, 9]))
        for i in used:
            beats = s.stream()
            s.sources[i].send(beats)
            for o, (_, _, mask) in config.items():
                if mask == 1 << i:
                    s.sinks[o].expect(beats)
        await s.over()


@cocotb.test()
async def two_partitions_at_once(dut: Any) -> None:
    s = Slot(dut, 2)
    rng = s.h.rng
    await s.h.reset()
    for _ in range(25):
        sides = rng.choice([(0, 1), (0, 1), (0,), (1,)])
        outputs = {side: 2 * side + rng.randrange(2) for side in sides}
        await s.go({o: (PARTITION, ALL_KEYS, 1 << side) for side, o in outputs.items()}, set(outputs))
        for side, output in outputs.items():
            beats = s.stream()
            s.sources[side].send(beats)
            s.sinks[output].expect(beats)
        await s.over()


async def flush(s: Slot) -> None:
    """Forget the step and all beats."""
    s.set(flush=1)
    for agent in (*s.sources, *s.sinks):
        agent.reset()
        agent.stall = lambda: True  # type: ignore[assignment]
    for source in s.sources:
        source._queue.clear()
    await s.h.step()
    s.set(flush=0)
    for sink in s.sinks:
        sink.reset()
    await s.h.step()
    assert not s.signals["active"].get() and s.signals["status"].get() == 0
    for agent in (*s.sources, *s.sinks):
        agent.stall = lambda: s.h.rng.random() < 0.3  # type: ignore[assignment]


@cocotb.test()
@cocotb.parametrize(
    case=[
        (1, {0: (PASS, 0, 0b011)}, 1 << ERR_CONFIG),
        (1, {0: (PARTITION, 0, 1)}, 1 << ERR_KIND),
        (1, {0: (PASS, 0, 1), 1: (REDUCE, 0, 2)}, 1 << ERR_KIND),
        (1, {1: (PASS, 0, 2)}, 1 << ERR_STRAY),
        (2, {0: (PARTITION, ALL_KEYS | RECORD, 1)}, 1 << ERR_RECORD),
        (2, {3: (PARTITION, ALL_KEYS | RECORD, 2)}, 1 << ERR_RECORD),
        (2, {0: (PARTITION, ALL_KEYS, 1), 2: (PARTITION, ALL_KEYS | 1 << 7, 2)}, 1 << ERR_CONFIG),
    ]
)
async def what_an_operator_cannot_do(dut: Any, case: tuple[int, dict[int, tuple[int, int, int]], int]) -> None:
    which, config, error = case
    s = Slot(dut, which)
    await s.h.reset()
    for _ in range(3):
        s.sound, s.faults = False, []
        used = {mask.bit_length() - 1 for _, _, mask in config.values()}
        await s.go(config, used)
        if error in {1 << ERR_STRAY, 1 << ERR_RECORD}:  # on an input that is not used; more than fits, without an end
            number = 0 if error == 1 << ERR_STRAY else min(used)
            s.sources[number].send([BEAT.pack(keep=(1 << 32) - 1, data=s.h.rng.getrandbits(256))] * 8)
        for sink in s.sinks:
            sink._expected = None
        await s.h.until(lambda: len(s.faults) > 5)  # it stands
        await s.h.step()
        assert s.faults[-1] == (OPERATOR_ERROR, error)
        s.set(stop=1)
        await s.h.step()
        s.faults.clear()
        await s.h.step(5)
        assert not s.faults, "once stopped there is nothing to tell"
        await flush(s)
        s.set(stop=0)
        await s.h.step(3)
        assert not s.faults
        s.sound = True
        for sink in s.sinks:
            sink._expected = list(sink.passed)
        kind, word = (PASS, 0) if which == 1 else (PARTITION, ALL_KEYS)
        await s.go({1: (kind, word, 1)}, {0})
        beats = s.stream()
        s.sources[0].send(beats)
        s.sinks[1].expect(beats)
        await s.over()


@cocotb.test()
async def lengths_have_a_fault_of_their_own(dut: Any) -> None:
    s = Slot(dut, 1)
    await s.h.reset()
    s.sound = False
    await s.go({0: (PASS, 0, 1)}, {0})
    dut.i_parts.gen_slot[1].i_dut.gen_slot.i_slot.gen_pass.i_pass.errors_q.value = 1 << ERR_LENGTH | 1 << ERR_STRAY
    await s.h.step(2)
    assert s.faults[-1] == (LENGTH, 1 << ERR_LENGTH | 1 << ERR_STRAY)


@cocotb.test()
async def without_a_slot(dut: Any) -> None:
    h = Harness(dut, dut.i_parts.gen_slot[0])
    drives = {name: h.signal(name) for name in ("stop", "flush", "go", "feed", "config_step", "in_valid", "in")}
    shows = {name: h.signal(name) for name in ("active", "fault", "status", "in_ready", "out_valid")}
    await h.reset()
    for _ in range(30):
        for signal in drives.values():
            signal.set(h.rng.getrandbits(signal.width))
        await h.step()
        assert not any(signal.get() for signal in shows.values())
