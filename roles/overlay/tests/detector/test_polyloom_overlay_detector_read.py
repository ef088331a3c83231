# SPDX-License-Identifier: Apache-2.0
"""Covers: the own report and frames of four links as one stream, on boards in corners, at edges, in the middle, alone:
in every cycle whose word stands at the output, what it is, who is answered; whole frames; turns of the links; the own
report first; words of it with the counts of their cycles; random gaps and stalls on all sides.

Leaves out: frames without an end.
"""

from __future__ import annotations

from typing import Any

import cocotb
from detector_tree import HEAD, OWN, REPORT, STEP, Place, end_word

from polyloom.rtl.testing import Harness, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "detector_units_tb")
PLACES = [Place(1, 1, 0, 0), Place(2, 1, 1, 0), Place(3, 3, 1, 1), Place(8, 8, 7, 7), Place(3, 2, 1, 0)]
INPUTS = ("own_vote", "own_sent", "own_received", "epoch", "own_start", "step_ready")
OUTPUTS = ("own_begin", "step_valid", "step")


class Reader:
    """Drives everything; says what the stream is in each cycle."""

    def __init__(self, h: Harness, place: Place, frames: int) -> None:
        self.rng, self.place = h.rng, place
        self.links = [[h.signal(n, link, 4) for n in ("in_valid", "in", "in_last", "in_ready")] for link in range(4)]
        self.inputs = {name: h.signal(name) for name in INPUTS}
        self.outputs = {name: h.signal(name) for name in OUTPUTS}
        self.queues = [self._words(frames) for _ in range(4)]
        self.offered = [False] * 4
        self.now: dict[str, int] = {}  # inputs of the cycle
        self.inside: int | None = None  # whose frame has begun
        self.last_link = 0  # whose frame was the last, or 0 before the first
        self.own_ends: list[int] = []  # links that the own report still tells of
        self.owns = self.ties = 0
        EveryCycle(h, self.drive, self.check)

    def _words(self, frames: int) -> list[tuple[int, int]]:
        out = []
        for _ in range(frames):
            count = self.rng.choice([1, 1, 2, 5, 9])
            out += [(self.rng.getrandbits(56), int(i == count - 1)) for i in range(count)]
        return out

    def drive(self) -> None:
        """Links offer a word until it is taken; all else changes in every cycle."""
        for link, (valid, data, last, _) in enumerate(self.links):
            self.offered[link] = bool(self.queues[link]) and (self.offered[link] or self.rng.random() < 0.4)
            word, ends = self.queues[link][0] if self.offered[link] else (self.rng.getrandbits(56), 0)
            valid.set(int(self.offered[link]))
            data.set(word)
            last.set(ends)
        self.now = {name: self.rng.getrandbits(signal.width) for name, signal in self.inputs.items()}
        self.now["own_start"] = int(self.rng.random() < 0.15)
        for name, signal in self.inputs.items():
            signal.set(self.now[name])

    def _source(self) -> int | None:
        """Whose word stands at the output."""
        if self.inside is not None:
            return self.inside if self.inside == OWN or self.offered[self.inside] else None
        if self.now["own_start"]:
            return OWN
        turns = [(self.last_link + k) % 4 for k in range(1, 5)]
        waiting = [link for link in turns if self.offered[link]]
        self.ties += len(waiting) > 1
        return waiting[0] if waiting else None

    def _own_word(self) -> tuple[int, int]:
        if self.inside is None:
            return HEAD.pack(op=REPORT, vote=self.now["own_vote"], epoch=self.now["epoch"]), not self.place.links()
        link = self.own_ends[0]
        sent, received = (self.now[n] >> 24 * link & 0xFFFFFF for n in ("own_sent", "own_received"))
        return end_word((self.place.x, self.place.y, link), sent, received), len(self.own_ends) == 1

    def check(self, cycle: int) -> None:
        """Compare, and go on if the word is taken."""
        source = self._source()
        ready = self.now["step_ready"]
        assert self.outputs["step_valid"].get() == int(source is not None), f"valid in cycle {cycle}"
        begins = source == OWN and self.inside is None and ready
        assert self.outputs["own_begin"].get() == int(begins), f"own_begin in cycle {cycle}"
        for link in range(4):
            accepted = self.links[link][3].get() and self.offered[link]
            assert bool(accepted) == bool(source == link and ready), f"link {link} in cycle {cycle}"
        if source is None:
            return
        word, last = self._own_word() if source == OWN else self.queues[source][0]
        want = STEP.pack(source=source, first=int(self.inside is None), last=int(last), word=word)
        assert self.outputs["step"].get() == want, f"word in cycle {cycle}"
        if ready:
            self._take(source, bool(last))

    def _take(self, source: int, last: bool) -> None:
        if source == OWN:
            self.own_ends = self.place.links() if self.inside is None else self.own_ends[1:]
            self.owns += last
            self.last_link = 0  # turns go on from the first link after an own report
        else:
            self.queues[source].pop(0)
            self.offered[source] = False
            self.last_link = source
        self.inside = None if last else source


@cocotb.test()
@cocotb.parametrize(which=range(len(PLACES)))
async def one_frame_after_the_other(dut: Any, which: int) -> None:
    h = Harness(dut, dut.gen_read)
    h.signal("place").set(PLACES[which].packed())
    await h.reset()
    reader = Reader(h, PLACES[which], 60)
    await h.until(lambda: not any(reader.queues))
    assert reader.owns > 10 and reader.ties > 10


@cocotb.test()
async def every_link_has_its_turn(dut: Any) -> None:
    """With words of all links waiting and no one stalling, a word passes in every cycle and links take turns."""
    h = Harness(dut, dut.gen_read)
    h.signal("place").set(PLACES[2].packed())
    sources = [h.source("in", "never", index=link) for link in range(4)]
    await h.reset()
    for source in sources:
        source.send(h.values(56, 20))
    h.signal("in_last").set(15)
    h.signal("step_ready").set(1)
    await h.drain()
    for link, source in enumerate(sources):
        first = (link - 1) % 4
        begin = min(s.cycles[0] for s in sources)
        assert source.cycles == [begin + first + 4 * i for i in range(20)]
