# SPDX-License-Identifier: Apache-2.0
"""Covers: reports of the board and of its children, right ones and wrong ones, old ones, ones that fail, on boards with
no to four children; frames that are no reports; sums that read; every output in every cycle against a model that, of
the latest reports, compares all ends anew; random gaps, stalls while a sum reads, epochs, holds.

Leaves out: reports of boards that are no children, which an assertion refuses; ..._read and ..._sum, which feed it.
"""

from __future__ import annotations

from typing import Any

import cocotb
from combine_model import Counts, Model
from detector_tree import GRANT, HEAD, OWN, RELEASE, REPORT, REQUEST, STEP, End, Place, end_word, far_end

from polyloom.rtl.testing import Harness, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "detector_units_tb")
PLACES = [
    Place(1, 1, 0, 0),
    Place(2, 1, 0, 0),
    Place(3, 3, 1, 1),
    Place(3, 2, 1, 0),
    Place(2, 3, 1, 1),
    Place(6, 5, 4, 2),
]


class Detector:
    """Drives the whole of combine's surroundings, and moves the model through its two stages."""

    def __init__(self, h: Harness, place: Place) -> None:
        self.rng, self.place, self.model = h.rng, place, Model(place)
        names = "step_valid step own_begin own_start own_keep epoch clear hold own_gate sum_start sum_busy sum_key"
        self.inputs = {name: h.signal(name) for name in names.split()}
        names = "step_ready own_wanted own_valid complete vote gate sum_wanted sent received"
        names += " released released_vote request grant"
        self.outputs = {name: h.signal(name) for name in names.split()}
        self.frame: list[int] = []  # words that are left of it
        self.now: dict[str, int] = {}
        self.a: int | None = None  # words on their way
        self.b: int | None = None
        self.head: dict[str, int] = {}  # of the frame in b
        self.epoch = self.reading = 0
        self.true: dict[End, Counts] = {}
        self.read: Counts | None = None  # what the sum has read in the cycle before
        self.seen = dict.fromkeys(("complete", "sum_wanted", "agreed_not", "failed"), 0)
        EveryCycle(h, self.drive, self.check)

    # ---- frames ----

    def _counts(self, end: End) -> Counts:
        """What crossed a link, seen from this end; mostly what the other end says too."""
        if self.rng.random() < 0.06:
            self.true.pop(end, None)
        if end not in self.true:
            self.true[end] = (self.rng.getrandbits(24), self.rng.getrandbits(24))
        counts = self.true[end]
        self.true[far_end(end)] = counts[::-1]
        return (counts[0] ^ 1, counts[1]) if self.rng.random() < 0.02 else counts

    def _steps(self, source: int, words: list[int]) -> list[int]:
        last = len(words) - 1
        return [STEP.pack(source=source, first=int(i == 0), last=int(i == last), word=w) for i, w in enumerate(words)]

    def _report(self, source: int) -> list[int]:
        epoch = self.epoch ^ (source != OWN and self.rng.random() < 0.1)
        ends = self.place.ends_of(frozenset({source}))
        if source == OWN:
            ends = [(self.place.x, self.place.y, link) for link in self.place.links()]
        head = HEAD.pack(
            op=REPORT,
            vote=int(self.rng.random() < 0.7),
            epoch=int(epoch),
            gate=self.rng.randrange(3),
            ends=len(ends) if source != OWN else 0,
        )
        return self._steps(source, [head, *(end_word(e, *self._counts(e)) for e in ends)])

    def _next_frame(self, own: bool) -> list[int]:
        if own and self.rng.random() < 0.7:
            return self._report(OWN)
        links = self.place.links()
        if links and self.rng.random() < 0.1:
            op = self.rng.choice([RELEASE, REQUEST, GRANT])
            return self._steps(self.rng.choice(links), [HEAD.pack(op=op, vote=self.rng.getrandbits(1))])
        kids = self.place.children()
        return self._report(self.rng.choice(kids)) if kids and self.rng.random() < 0.15 else []

    # ---- the cycle ----

    def drive(self) -> None:
        """Inputs, of which some follow from what the outputs must be."""
        rng, m = self.rng, self.model
        start = rng.random() < 0.985
        n = dict.fromkeys(self.inputs, 0)
        n["hold"] = int(rng.random() < 0.05)
        n["clear"] = int(n["hold"] and rng.random() < 0.3)
        start = start and not n["clear"]
        n["own_start"] = int(start)
        n["own_keep"] = int(start or (not n["clear"] and rng.random() < 0.5))
        n["epoch"], n["own_gate"] = self.epoch, rng.randrange(2)
        n["sum_busy"] = int(self.reading > 0)
        ends = self.place.subtree_ends()
        self.key = rng.choice(ends) if ends and n["sum_busy"] else (0, 0, 0)
        n["sum_key"] = self.key[1] << 5 | self.key[0] << 2 | self.key[2]
        if not self.frame:
            self.frame = self._next_frame(start and not m.own_valid and not m.own_busy)
            self.shown = False
        first_own = bool(self.frame) and STEP.unpack(self.frame[0])["source"] == OWN
        first_own = first_own and bool(STEP.unpack(self.frame[0])["first"])
        if first_own and not start:
            self.frame = []  # it is begun with leave only
        self.shown = bool(self.frame) and (self.shown or rng.random() < 0.7)
        ready = self.a is None or not n["sum_busy"]
        n["step_valid"] = int(self.shown)
        n["step"] = self.frame[0] if self.shown else rng.getrandbits(STEP.width)
        n["own_begin"] = int(self.shown and ready and first_own)
        self.want = self._outputs(n, ready)
        n["sum_start"] = int(bool(self.want["sum_wanted"]) and rng.random() < 0.3)
        for name, value in n.items():
            self.inputs[name].set(value)
        self.now = n

    def _outputs(self, n: dict[str, int], ready: bool) -> dict[str, int]:
        m = self.model
        want = {"step_ready": int(ready), "own_valid": int(m.own_valid)}
        want["own_wanted"] = int(not m.own_valid and not m.own_busy)
        complete = m.complete(self.epoch) and self.b is None and not n["hold"]
        want["complete"] = int(complete)
        news = False
        if complete:
            want["vote"], want["gate"] = m.vote(), m.gate(n["own_gate"])
            news = m.renewed or m.sent_last != (want["vote"], want["gate"])
        want["sum_wanted"] = int(complete and self.a is None and news)
        op = 0
        if self.b is not None:
            b = STEP.unpack(self.b)
            head = HEAD.unpack(b["word"])
            op = head["op"] if b["first"] and b["source"] != OWN else 0
            if op == RELEASE:
                want["released_vote"] = head["vote"]
        want |= {"released": int(op == RELEASE), "request": int(op == REQUEST), "grant": int(op == GRANT)}
        if self.read is not None:
            want["sent"], want["received"] = self.read
        return want

    def check(self, cycle: int) -> None:
        """Compare; then the edge."""
        for name, value in self.want.items():
            got = self.outputs[name].get()
            assert got == value, f"{name} in cycle {cycle}: {got:#x}, expected {value:#x}"
        for name in ("complete", "sum_wanted"):
            self.seen[name] += self.want[name]
        m, n = self.model, self.now
        self.seen["agreed_not"] += m.own_valid and len(m.reports) == len(m.inner) and not m._agree()
        self.read = m.ends[self.key] if n["sum_busy"] and self.place.subtree_ends() else None
        if n["sum_start"]:
            m.renewed, m.sent_last = False, (self.want["vote"], self.want["gate"])
        if n["clear"]:
            m.sent_last, self.epoch = None, self.epoch ^ 1
        self._compare()
        self.reading = self.rng.randint(1, 9) if n["sum_start"] else max(0, self.reading - 1)
        if self.want["step_ready"]:
            self.b, self.a = self.a, self.frame.pop(0) if n["step_valid"] else None
            self.shown = self.shown and not n["step_valid"]
        else:
            self.b = None

    def _compare(self) -> None:
        m, n = self.model, self.now
        over = False
        if self.b is not None:
            step = STEP.unpack(self.b)
            if step["first"]:
                self.head = HEAD.unpack(step["word"])
            over = step["source"] == OWN and bool(step["last"])
            if self.head["op"] == REPORT:
                m.compare(step["source"], bool(step["first"]), bool(step["last"]), step["word"], self.head)
        failed = m.own_failed or not n["own_start"]
        if over:
            m.own_valid = not failed
            m.own_busy = m.own_failed = False
            self.seen["failed"] += failed
        else:
            m.own_valid = m.own_valid and bool(n["own_keep"])
            m.own_failed = m.own_busy and failed
        if n["own_begin"]:
            m.own_busy, m.own_failed = True, False


@cocotb.test()
@cocotb.parametrize(which=range(len(PLACES)))
async def as_if_all_were_compared_anew(dut: Any, which: int) -> None:
    h = Harness(dut, dut.gen_combine)
    h.signal("place").set(PLACES[which].packed())
    await h.reset()
    detector = Detector(h, PLACES[which])
    await h.step(1500)
    seen = detector.seen
    await h.until(lambda: seen["complete"] > 20 and seen["sum_wanted"] > 5 and seen["failed"] > 0)
    await h.until(lambda: not PLACES[which].children() or seen["agreed_not"] > 0)
