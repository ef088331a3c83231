# SPDX-License-Identifier: Apache-2.0
"""Covers: sums for the parent on every board but the root of meshes from 2 x 1 to 8 x 8: the ends that are on the
periphery of its subtree, each once and with the counts that were read for it, the head, questions between sums, a cycle
an end, nothing begun before the last sum has left; random stalls of the link; times; a reset.

Leaves out: when a sum is wanted (..._combine).
"""

from __future__ import annotations

import random
from typing import Any

import cocotb
from detector_tree import END, HEAD, REPORT, REQUEST, Place, end_word, mesh

from polyloom.rtl.testing import Harness, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "detector_units_tb")
MESHES = [(2, 1), (1, 2), (3, 1), (1, 5), (3, 3), (4, 2), (5, 4), (8, 8)]
WORD = (1 << 56) - 1
KEY = 48  # of an end's bits


class Around:
    """Combine's RAM, requests for sums and questions; what must leave for the parent."""

    def __init__(self, h: Harness, place: Place, rates: tuple[float, float], stall: str = "random") -> None:
        self.rng, self.place, self.rates = h.rng, place, rates
        names = ("wanted", "vote", "gate", "epoch", "request", "sent", "received")
        self.inputs = {name: h.signal(name) for name in names}
        self.outputs = {name: h.signal(name) for name in ("start", "busy", "key", "request_accepted", "out_valid")}
        self.sink = h.sink("out", stall)
        self.sink.expect([])
        self.left: list[tuple[int, int, int]] = []  # ends of the sum that is being read
        self.response = (0, 0)
        self.requests = False
        self.sums = self.questions = 0
        self.waited = 0
        self.started: list[int] = []
        EveryCycle(h, self.drive, self.check)

    def drive(self) -> None:
        """A question stands until it is taken; what a sum is of means something in its first cycle only."""
        self.requests = self.requests or self.rng.random() < self.rates[1]
        values = {name: self.rng.getrandbits(self.inputs[name].width) for name in ("vote", "gate", "epoch")}
        values |= {"wanted": int(self.rng.random() < self.rates[0]), "request": int(self.requests)}
        values["sent"], values["received"] = self.response
        for name, value in values.items():
            self.inputs[name].set(value)
        self.now = values

    def check(self, cycle: int) -> None:
        """Begin a sum, read an end, or take a question: never two of them."""
        s = {name: signal.get() for name, signal in self.outputs.items()}
        assert s["busy"] == int(bool(self.left)), f"busy in cycle {cycle}"
        self.response = (self.rng.getrandbits(24), self.rng.getrandbits(24))
        if s["start"]:
            assert self.now["wanted"] and not self.left and not s["out_valid"], f"a sum begins in cycle {cycle}"
            assert self.sink.busy() == "", "a sum begins before the last one has left"
            self.left = sorted(self.place.subtree_ends())
            head = {name: self.now[name] for name in ("vote", "gate", "epoch")}
            self.sink.expect([HEAD.pack(op=REPORT, ends=len(self.left), **head)])
            self.sums += 1
            self.started.append(cycle)
        elif self.left:
            self._read(s["key"], cycle)
        if s["request_accepted"]:
            assert self.requests and not s["start"], f"a question is taken in cycle {cycle}"
            self.requests = False
            self.questions += 1
            self.sink.expect([1 << 56 | HEAD.pack(op=REQUEST)])
        free = not s["busy"] and not s["out_valid"]
        self.waited = self.waited + 1 if free and self.now["wanted"] and not s["start"] else 0
        assert self.waited < 3, f"a sum does not begin in cycle {cycle}"

    def _read(self, key: int, cycle: int) -> None:
        end = END.unpack(key << KEY)
        assert (end["x"], end["y"], end["link"]) == self.left[0], f"key in cycle {cycle}"
        word = end_word(self.left.pop(0), *self.response)
        self.sink.expect([(0 if self.left else 1 << 56) | word])


async def run(dut: Any, place: Place, sums: int, questions: int, rates: tuple[float, float]) -> Around:
    """Until there were so many of each."""
    h = Harness(dut, dut.gen_sum)
    h.signal("place").set(place.packed())
    around = Around(h, place, rates)
    await h.reset()
    await h.until(lambda: around.sums >= sums and around.questions >= questions)
    around.rates = (0.0, 0.0)
    await h.until(lambda: not around.requests and not around.left)
    await h.drain(after=30)
    return around


@cocotb.test()
@cocotb.parametrize(size=MESHES)
async def sums_are_of_the_periphery(dut: Any, size: tuple[int, int]) -> None:
    """On every board of small meshes, on some of large ones."""
    boards = [place for place in mesh(*size) if place.parent() is not None]
    for place in boards if len(boards) < 10 else [boards[0], boards[-1], *random.sample(boards, 8)]:
        await run(dut, place, 5, 1, (0.3, 0.03))


@cocotb.test()
async def questions_pass_between_sums(dut: Any) -> None:
    """However many there are of each, with the buffer of frames full or not."""
    await run(dut, Place(8, 8, 2, 3), 15, 30, (0.5, 0.5))
    around = await run(dut, Place(8, 8, 2, 3), 0, 60, (0.0, 0.9))
    assert around.sums == 0


@cocotb.test()
async def a_word_a_cycle(dut: Any) -> None:
    """The first word stands at the output a cycle after the start, the rest after one more."""
    h = Harness(dut, dut.gen_sum)
    place = Place(8, 8, 2, 3)
    h.signal("place").set(place.packed())
    around = Around(h, place, (0.0, 0.0), "never")
    await h.reset()
    await h.step(5)
    around.rates = (1.0, 0.0)
    await h.until(lambda: bool(around.started))
    around.rates = (0.0, 0.0)
    await h.drain()
    start = around.started[0]
    ends = len(place.subtree_ends())
    assert ends == 7
    assert around.sink.cycles == [start + 1, *range(start + 3, start + 3 + ends)]


@cocotb.test()
async def reset_forgets(dut: Any) -> None:
    """Frames that have not left, and a sum that is being read."""
    place = Place(3, 3, 0, 1)
    for cycles in (1, 2, 3, 5, 8):
        h = Harness(dut, dut.gen_sum)
        h.signal("place").set(place.packed())
        await h.reset()
        h.signal("wanted").set(1)
        h.signal("request").set(cycles & 1)
        await h.step(cycles)
        h.signal("wanted").set(0)
        h.signal("request").set(0)
        await h.reset()
        assert not h.signal("out_valid").get() and not h.signal("busy").get()
        await run(dut, place, 2, 1, (0.3, 0.1))
