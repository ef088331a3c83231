# SPDX-License-Identifier: Apache-2.0
"""Covers: beats with random words to 4 outputs and to 2, by key bits with outputs of a route in turn, in pairs, and as
recorded before; random stalls on both sides: every group of every output against a list of words, groups full but
for the last one; what is silent leaves nothing; keys for the histogram; a record that overflows says so.

Leaves out: which outputs a bucket's route should have (roles, host); cycles (operators_rtl_test.cc).
"""

from __future__ import annotations

from typing import Any

import cocotb

from polyloom.rtl.testing import BEAT, Harness, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "operators_tb")
Beat = list[int | None]
RECORD_BEATS = 16


class Run:
    """One distributor: configuration, what came out of it in a step."""

    def __init__(self, h: Harness, outputs: int) -> None:
        self.h, self.outputs = h, outputs
        self.source = h.source("in")
        names = ("room", "push", "count", "words", "at_end", "key_valid", "key_bucket", "record_error")
        self.io = {name: h.signal(name) for name in names}
        self.begin_step()
        EveryCycle(h, self.drive, self.check)

    def begin_step(self) -> None:
        self.groups: list[list[list[int]]] = [[] for _ in range(self.outputs)]
        self.keys: list[int] = []
        self.ended = self.errors = 0

    def drive(self) -> None:
        self.io["room"].set(int(self.h.rng.random() < 0.7))

    def check(self, cycle: int) -> None:
        push, count, words = (self.io[name].get() for name in ("push", "count", "words"))
        for o in range(self.outputs):
            if push >> o & 1:
                own = count >> 4 * o & 15
                self.groups[o].append([words >> 256 * o + 32 * s & 0xFFFFFFFF for s in range(own)])
        assert not push or self.io["room"].get(), f"cycle {cycle}: a group without room"
        self.ended += bool(self.io["at_end"].get() and self.io["room"].get())
        self.errors += self.io["record_error"].get()
        for k in range(8):
            if self.io["key_valid"].get() >> k & 1:
                self.keys.append(self.io["key_bucket"].get() >> 6 * k & 63)

    async def configure(self, **values: int) -> None:
        """A new step."""
        for name in ("shift", "bits", "pair", "recording", "steer", "silent", "on", "route", "members"):
            self.h.signal(name).set(values.get(name, 0))
        self.h.signal("record_next").set(values.get("recording", 0))
        self.h.signal("step").set(1)
        await self.h.step()
        self.h.signal("step").set(0)
        self.h.signal("record_next").set(0)
        self.begin_step()

    async def send(self, beats: list[Beat]) -> None:
        """A stream; noise where no word is."""
        for n, beat in enumerate(beats):
            data = sum((self.h.rng.getrandbits(32) if w is None else w) << 32 * k for k, w in enumerate(beat))
            keep = sum(15 << 4 * k for k, w in enumerate(beat) if w is not None)
            self.source.send(BEAT.pack(data=data, keep=keep, last=int(n == len(beats) - 1)))
        await self.h.drain()
        await self.h.until(lambda: not self.h.signal("busy").get())

    def words(self, output: int) -> list[int]:
        """All that an output got; groups are full but for the last one."""
        groups = self.groups[output]
        assert all(len(group) == 8 for group in groups[:-1]), f"output {output}: {[len(group) for group in groups]}"
        return [word for group in groups for word in group]


def routes(h: Harness, outputs: int) -> tuple[list[list[int]], dict[str, int]]:
    """Outputs of each of 32 routes, at random; the same for the ports."""
    sets = [sorted(h.rng.sample(range(outputs), h.rng.randint(1, outputs))) for _ in range(32)]
    width = outputs.bit_length()
    route = sum(sum(1 << o for o in members) << outputs * r for r, members in enumerate(sets))
    return sets, {"route": route, "members": sum(len(m) << width * r for r, m in enumerate(sets))}


def beats_of(h: Harness, count: int, whole: bool = False) -> list[Beat]:
    """Full beats, the last one perhaps not."""
    beats: list[Beat] = [list(h.values(32, 8)) for _ in range(count)]
    if not whole:
        left = h.rng.randrange(0, 8, 2)
        beats[-1] = [word if k < left else None for k, word in enumerate(beats[-1])]
    return beats


def targets(beats: list[Beat], sets: list[list[int]], shift: int, bits: int, pair: int, outputs: int) -> list[Beat]:
    """The output of each word."""
    result: list[Beat] = []
    for turn, beat in enumerate(beats):
        own: Beat = []
        for k, word in enumerate(beat):
            lane = k & 6 if pair else k
            number = ((beat[lane] or 0) >> shift) & (1 << bits) - 1
            members = sets[number >> 1 if bits == 6 else number]
            phase = (lane + turn) % outputs
            own.append(None if word is None else members[phase * len(members) // outputs])
        result.append(own)
    return result


def expect(run: Run, beats: list[Beat], where: list[Beat]) -> None:
    """Each output has its words, in order, and one end."""
    for o in range(run.outputs):
        pairs = [
            (word, to) for beat, goes in zip(beats, where, strict=True) for word, to in zip(beat, goes, strict=True)
        ]
        assert run.words(o) == [word for word, to in pairs if to == o and word is not None], f"output {o}"
    assert run.ended == 1


@cocotb.test()
@cocotb.parametrize(which=range(2), pair=(0, 1))
async def by_key(dut: Any, which: int, pair: int) -> None:
    h = Harness(dut, dut.gen_distribute[which])
    outputs = (4, 2)[which]
    run = Run(h, outputs)
    await h.reset()
    for _ in range(6):
        sets, ports = routes(h, outputs)
        shift, bits = h.rng.randrange(27), h.rng.randint(1, 6)
        await run.configure(shift=shift, bits=bits, pair=pair, on=(1 << outputs) - 1, **ports)
        beats = beats_of(h, h.rng.randint(1, 40))
        await run.send(beats)
        expect(run, beats, targets(beats, sets, shift, bits, pair, outputs))
        keys = [word for beat in beats for word in (beat[::2] if pair else beat) if word is not None]
        assert run.keys == [key >> shift & (1 << bits) - 1 for key in keys]


@cocotb.test()
@cocotb.parametrize(which=range(2))
async def as_recorded(dut: Any, which: int) -> None:
    """Keys that leave nothing, then values that go where the keys would have."""
    h = Harness(dut, dut.gen_distribute[which])
    outputs = (4, 2)[which]
    run = Run(h, outputs)
    await h.reset()
    for _ in range(4):
        sets, ports = routes(h, outputs)
        keys = beats_of(h, h.rng.randint(1, RECORD_BEATS), whole=True)
        on = (1 << outputs) - 1
        await run.configure(bits=5, recording=1, silent=1, on=on, **ports)
        await run.send(keys)
        assert not any(run.groups) and not run.ended and not run.errors
        values = beats_of(h, len(keys), whole=True)
        await run.configure(steer=1, on=on, **ports)
        await run.send(values)
        expect(run, values, targets(keys, sets, 0, 5, 0, outputs))
        assert not run.errors and not run.keys


@cocotb.test()
async def a_record_that_overflows_says_so(dut: Any) -> None:
    h = Harness(dut, dut.gen_distribute[0])
    run = Run(h, 4)
    await h.reset()
    _, ports = routes(h, 4)
    await run.configure(bits=5, recording=1, on=15, **ports)
    await run.send(beats_of(h, RECORD_BEATS, whole=True))
    assert run.errors == 0
    await run.configure(bits=5, recording=1, on=15, **ports)
    await run.send(beats_of(h, RECORD_BEATS + 3, whole=True))
    assert run.errors == 3
    await run.configure(steer=1, on=15, **ports)
    await run.send(beats_of(h, RECORD_BEATS + 2, whole=True))
    assert run.errors == 2
