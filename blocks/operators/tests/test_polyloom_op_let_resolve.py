# SPDX-License-Identifier: Apache-2.0
"""Covers: random trees in breadth-first order, far or not at random, streams one behind the other, with cycles that
are not enabled and others without a record: which records stay, their new numbers, children and marks, against the
tree itself; an output that is not used; more opened nodes than there is room for are told.

Leaves out: numbers that are not breadth-first; what is lost when there is no room.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import cocotb

from polyloom.rtl.testing import Harness, Struct, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "let_tb")
NODE = Struct.of("polyloom_operator_pkg::let_node_t")
CLOSED = 0xBF800000  # q of a leaf: -1


@dataclass
class Record:
    """A record of a tree."""

    kids: int
    far: bool
    count: int
    rest: dict[str, int]
    first: int = 0
    children: list[int] = field(default_factory=list)


def tree(rng: random.Random, size: int, far: float) -> list[Record]:
    """About so many records, breadth first."""
    records: list[Record] = []
    numbered = 1
    while len(records) < numbered:
        kids = rng.randint(0, 5) if numbered < size else 0
        rest = {"mass": rng.getrandbits(32), "position": rng.getrandbits(96), "q": rng.getrandbits(32)}
        record = Record(kids, rng.random() < far, rng.getrandbits(6), rest, numbered if kids else rng.getrandbits(26))
        record.children = list(range(numbered, numbered + kids))
        numbered += kids
        records.append(record)
    return records


def kept(records: list[Record]) -> list[int]:
    """What stays of it, packed, in order."""
    stay, result, following = {0}, [], 1
    for number, record in enumerate(records):
        if number not in stay:
            continue
        if record.kids and not record.far:
            stay.update(record.children)
            result.append(NODE.pack(count=record.count, first=following, **record.rest))
            following += record.kids
        else:
            result.append(NODE.pack(count=0, first=len(result), **(record.rest | {"q": CLOSED})))
    return result


class Driver:
    """Sends trees; keeps what comes out."""

    def __init__(self, h: Harness) -> None:
        self.h = h
        names = (
            "en",
            "on",
            "record",
            "last",
            "node",
            "id",
            "kids",
            "opens",
            "far",
            "out_record",
            "out_last",
            "out_node",
        )
        self.io = {name: h.signal(name) for name in (*names, "depth")}
        self.out: list[int] = []
        self.ends = self.depths = 0
        EveryCycle(h, lambda: None, self.check)

    def check(self, cycle: int) -> None:
        if not self.io["en"].get():
            return
        self.depths += self.io["depth"].get()
        self.ends += self.io["out_last"].get()
        if self.io["out_record"].get():
            self.out.append(self.io["out_node"].get())

    async def cycle(self, **values: int) -> None:
        """One that is enabled, perhaps after some that are not."""
        while self.h.rng.random() < 0.2:
            self.io["en"].set(0)
            self.io["record"].set(self.h.rng.getrandbits(1))
            self.io["last"].set(self.h.rng.getrandbits(1))
            await self.h.step()
        self.io["en"].set(1)
        for name in ("record", "last", "node", "id", "kids", "opens", "far"):
            self.io[name].set(values.get(name, self.h.rng.getrandbits(1) if name in {"opens", "far"} else 0))
        await self.h.step()

    async def send(self, records: list[Record]) -> None:
        """A stream."""
        alone = self.h.rng.random() < 0.3
        for number, record in enumerate(records):
            while self.h.rng.random() < 0.1:
                await self.cycle()
            node = NODE.pack(count=record.count, first=record.first, **record.rest)
            await self.cycle(
                record=1, last=int(number == len(records) - 1 and not alone), node=node, id=number,
                kids=record.kids, opens=int(record.kids > 0), far=int(record.far),
            )  # fmt: skip
        if alone:
            await self.cycle(last=1)


@cocotb.test()
@cocotb.parametrize(far=(0.0, 0.3, 1.0))
async def keeps_what_a_walk_of_the_tree_keeps(dut: Any, far: float) -> None:
    h = Harness(dut, dut.gen_resolve[0])
    driver = Driver(h)
    driver.io["on"].set(1)
    await h.reset()
    expected: list[int] = []
    for n in range(12):
        records = tree(h.rng, h.rng.choice([1, 5, 60, 200]), far)
        expected += kept(records)
        await driver.send(records)
        if n % 3 == 0:
            await driver.cycle()
    await driver.cycle()
    await driver.cycle()
    assert driver.out == expected
    assert (driver.ends, driver.depths) == (12, 0)


@cocotb.test()
async def says_nothing_for_an_output_that_is_not_used(dut: Any) -> None:
    h = Harness(dut, dut.gen_resolve[0])
    driver = Driver(h)
    await h.reset()
    await driver.send(tree(h.rng, 50, 0.2))
    await driver.cycle()
    assert not driver.out and not driver.ends


@cocotb.test()
async def tells_that_there_is_no_room(dut: Any) -> None:
    h = Harness(dut, dut.gen_resolve[1])
    driver = Driver(h)
    driver.io["on"].set(1)
    await h.reset()
    for kids, depth in (
        (3, False),
        (20, True),
        (3, False),
    ):  # children that are opened before the first one's child comes
        driver.depths = 0
        rest = {"mass": 1, "position": 2, "q": 3}
        records = [Record(kids, False, 0, rest, 1)]
        records += [Record(1, False, 0, rest, kids + 1 + n) for n in range(kids)]
        await driver.send(records)
        assert (driver.depths > 0) == depth, f"{kids} opened nodes wait"
        await driver.cycle()
