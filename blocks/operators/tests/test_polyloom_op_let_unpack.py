# SPDX-License-Identifier: Apache-2.0
"""Covers: streams of targets and records, packed and padded, for each set of used outputs of 1 and of 3, with stalls
on all sides, several streams in a step: every target to its output while the pipe is empty, every record once and
in order, the end with the last one; records that wait for their parents; streams and beats that end where they may
not.

Leaves out: which beat of a wrong stream is lost; a flush in the middle (let_rtl_test.cc).
"""

from __future__ import annotations

import random
from typing import Any

import cocotb

from polyloom.rtl.testing import BEAT, Harness, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "let_tb")
OUTPUTS = (1, 3)


def beats(rng: random.Random, targets: list[int], records: list[int], padded: int, extra: int = 0) -> list[int]:
    """A stream; ``extra`` bytes behind the last record."""
    result = [BEAT.pack(data=target, keep=(1 << 32) - 1, last=0) for target in targets]
    if padded:
        chunks = [record.to_bytes(24, "little") + rng.randbytes(8) for record in records]
    else:
        data = b"".join(record.to_bytes(24, "little") for record in records)
        chunks = [data[at : at + 32] for at in range(0, len(data), 32)]
    if extra:
        chunks.append(bytes(extra))
    result += [BEAT.pack(data=int.from_bytes(c, "little"), keep=(1 << len(c)) - 1, last=0) for c in chunks]
    fields = BEAT.unpack(result[-1])
    return [*result[:-1], BEAT.pack(**(fields | {"last": 1}))]


class Watch:
    """The pipe's side: moves at random, is empty now and then, knows more parents with time."""

    def __init__(self, h: Harness, waits: bool) -> None:
        self.h, self.waits = h, waits
        names = ("en", "empty", "known", "record", "last", "node", "target_we", "cut", "in", "in_ready", "in_valid")
        self.io = {name: h.signal(name) for name in names}
        self.targets: list[tuple[int, int]] = []
        self.records: list[int] = []
        self.ends: list[int] = []  # how many records had come
        self.cuts = self.id = self.known = self.waited = 0
        EveryCycle(h, self.drive, self.check)

    def drive(self) -> None:
        self.known += self.h.rng.random() < 0.1
        self.io["en"].set(int(self.h.rng.random() < 0.8))
        self.io["empty"].set(int(self.h.rng.random() < (0.1 if self.waits else 0.5)))
        self.io["known"].set(self.known if self.waits else self.h.rng.getrandbits(27))

    def check(self, cycle: int) -> None:
        moves, empty = self.io["en"].get(), self.io["empty"].get()
        if target := self.io["target_we"].get():
            assert moves and empty and self.io["in_ready"].get(), f"cycle {cycle}"
            self.targets.append((target.bit_length() - 1, BEAT.unpack(self.io["in"].get())["data"]))
            assert target.bit_count() == 1
        if self.io["record"].get():
            assert moves and (not self.waits or empty or self.id < self.known), f"cycle {cycle}: record {self.id}"
            self.waited += self.waits and self.id >= self.known
            self.records.append(self.io["node"].get())
            self.id += 1
        if self.io["last"].get():
            self.ends.append(len(self.records))
            self.id = self.known = 0
        self.cuts += self.io["cut"].get()


async def begin(h: Harness, used: int, padded: int, parent_first: int) -> None:
    """A step."""
    for name, value in (("used", used), ("padded", padded), ("parent_first", parent_first), ("start", 1)):
        h.signal(name).set(value)
    await h.step()
    h.signal("start").set(0)


@cocotb.test()
@cocotb.parametrize(which=range(2), padded=(0, 1), parent_first=(0, 1))
async def unpacks(dut: Any, which: int, padded: int, parent_first: int) -> None:
    h = Harness(dut, dut.gen_unpack[which])
    source, watch = h.source("in"), Watch(h, bool(parent_first))
    await h.reset()
    for used in [*range(1, 1 << OUTPUTS[which])] * 3:
        watch.targets.clear()
        watch.records.clear()
        watch.ends.clear()
        await begin(h, used, padded, parent_first)
        assert h.signal("on").get() == used
        outputs = [o for o in range(OUTPUTS[which]) if used >> o & 1]
        targets, records, ends = [], [], []
        for count in [1, 4, *(h.rng.randint(0, 30) for _ in range(4))]:
            own = h.values(256, len(outputs))
            some = h.values(192, count)
            targets += list(zip(outputs, own, strict=True))
            records += some
            ends.append(len(records))
            source.send(beats(h.rng, own, some, padded))
        await h.until(lambda ends=ends: len(watch.ends) == len(ends))
        await h.drain()
        assert (watch.targets, watch.records, watch.ends) == (targets, records, ends)
        assert watch.cuts == 0 and not h.signal("is_open").get()
    assert not parent_first or watch.waited > 0


@cocotb.test()
@cocotb.parametrize(padded=(0, 1), extra=(8, 16, 4))
async def reports_of_a_cut(dut: Any, padded: int, extra: int) -> None:
    h = Harness(dut, dut.gen_unpack[0])
    source, watch = h.source("in"), Watch(h, waits=False)
    await h.reset()
    await begin(h, 1, padded, 0)
    records = h.values(192, 4)
    source.send(beats(h.rng, [5], records, padded, extra))
    await h.until(lambda: len(watch.ends) == 1)
    assert watch.records == records and watch.cuts > 0
