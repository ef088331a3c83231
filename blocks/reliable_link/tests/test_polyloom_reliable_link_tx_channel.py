# SPDX-License-Identifier: Apache-2.0
"""Covers: groups of items through frames and reports of which many are lost, to a far side that takes items in order
and complains of gaps, with random stalls, frames, frame lengths and time-outs; rings of 3, 13 and 1 items: what comes
there is what went in, every item once and in order; at each frame its number, its items and how many it may have;
when time is up, to the cycle; room asked for; never more items held than fit, all of them held at times; idle.

Leaves out: reports that no far side would send; a time-out that changes.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import cocotb

from polyloom.rtl.testing import Harness, Struct, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "reliable_link_tb")
ITEM = Struct([("last", 1), ("data", 16)])
ITEMS, FAR, SEQ_BITS, MOST = (3, 13, 1), (4, 20, 1), (3, 8, 3), (2, 5, 1)
APART = 4  # cycles between two frames


@dataclass
class Frame:
    """On its way."""

    first: int
    count: int
    poll: bool
    age: int = 0
    requested: int = 0
    items: list[int] = field(default_factory=list)


class FarSide:
    """Takes frames; numbers count from 0 on, never modulo."""

    def __init__(self, room: int) -> None:
        self.room, self.items, self.used = room, list[int](), 0
        self.nack = self.missing = self.wants = False

    def accept(self, frame: Frame) -> None:
        """A frame that came unharmed."""
        expected = len(self.items)
        if frame.first > expected:
            self.nack |= frame.count > 0 and not self.missing
            self.missing |= frame.count > 0
        elif frame.first + frame.count > expected:
            self.items += frame.items[expected - frame.first :]
            self.missing = self.nack = False
        self.wants |= frame.poll or self.nack

    def report(self) -> tuple[int, int, bool]:
        """First missing, first without room, complaint."""
        nack, self.nack, self.wants = self.nack, False, False
        return len(self.items), self.used + self.room, nack


class Link:
    """Builds frames and loses them; the sender's state as it follows from what was told."""

    def __init__(self, h: Harness, which: int, loss: float, timeout: int) -> None:
        self.h, self.rng, self.loss, self.timeout = h, h.rng, loss, timeout
        self.size, self.most, self.modulus = ITEMS[which], MOST[which], 1 << SEQ_BITS[which]
        names = (
            "start",
            "accept",
            "read",
            "report",
            "ack",
            "limit",
            "nack",
            "request",
            "more_cycles",
            "count",
            "seq",
            "poll",
        )
        names += ("may_send", "item", "again", "timeout", "go_back", "idle", "late", "may_send_next")
        self.io = {n: h.signal(n) for n in names}
        self.source = h.source("in")
        self.far = FarSide(FAR[which])
        self.pushed: list[int] = []
        self.whole = self.base = self.next = self.high = 0
        self.limit = FAR[which]
        self.frame: Frame | None = None
        self.forced = self.reading = self.start = False
        self.since = -APART  # the last frame's start
        self.report: list[Any] | None = None  # age, ack, limit, nack, lost
        self.now: tuple[int, int, bool] | None = None
        self.pace = 0.3  # of the far side's user
        self.progress = 0  # the cycle of the last one
        self.counts: Counter[str] = Counter()
        EveryCycle(h, self.drive, self.check)

    def drive(self) -> None:
        """Outputs of registers show their state of this cycle already."""
        rng, cycle = self.rng, self.h.cycle
        self.io["more_cycles"].set(self.timeout - 2)
        free = self.frame is None and cycle - self.since >= APART
        poll, may = bool(self.io["poll"].get()), bool(self.io["may_send"].get())
        assert free or not (poll or self.forced)
        self.start = free and (poll or self.forced or rng.random() < (0.5 if may else 0.02))
        count = self.io["count"].get()
        assert (count > 0) == may
        accept = max(0, count - int(rng.random() < 0.2)) if self.start else rng.randrange(2)
        if self.start:
            self._start(count, accept, poll, cycle)
        self.forced = False
        self.io["start"].set(int(self.start))
        self.io["accept"].set(accept)
        frame = self.frame
        self.reading = not self.start and frame is not None and frame.requested < frame.count and not rng.random() < 0.3
        self.io["read"].set(int(self.reading))
        self.io["request"].set(int(not self.start and self.frame is None and cycle + 1 - self.since >= APART))
        self._drive_report()

    def _start(self, count: int, accept: int, poll: bool, cycle: int) -> None:
        """The frame says what it should."""
        room = max(0, min(self.whole, self.limit) - self.next)
        assert count == min(room, self.most), f"cycle {cycle}: {count} items of {room}"
        assert self.io["seq"].get() == self.next % self.modulus, f"cycle {cycle}: not number {self.next}"
        assert bool(self.io["again"].get()) == (self.next < self.high), f"cycle {cycle}"
        self.frame = Frame(self.next, accept, poll)
        self.since = cycle
        self.counts["again" if self.next < self.high and accept else "new"] += 1
        self.counts["poll"] += poll

    def _drive_report(self) -> None:
        rng = self.rng
        self.far.used += self.far.used < len(self.far.items) and rng.random() < self.pace
        if self.report is None and rng.random() < (0.5 if self.far.wants else 0.05):
            self.report = [0, *self.far.report(), rng.random() < self.loss]
        self.now = None
        ack, limit, nack = rng.getrandbits(16), rng.getrandbits(16), rng.random() < 0.5
        if self.report is not None:
            age, ack, limit, nack, lost = self.report
            self.report[0] += 1
            if age >= 2 and rng.random() < 0.4:
                self.now = None if lost else (ack, limit, nack)
                self.report = None
        self.io["report"].set(int(self.now is not None))
        self.io["ack"].set(ack % self.modulus)
        self.io["limit"].set(limit % self.modulus)
        self.io["nack"].set(int(nack))

    def check(self, cycle: int) -> None:
        """What happens in this cycle; then the state of the next one."""
        base, was_next, was_whole = self.base, self.next, self.whole
        late, timeout, back = (bool(self.io[n].get()) for n in ("late", "timeout", "go_back"))
        held = len(self.pushed) - base
        assert not self.io["idle"].get() or held == 0, f"cycle {cycle}: idle, {held} items are held"
        new_ack = self.now is not None and self.now[0] > base
        waits = was_next > base
        waited = cycle - self.progress
        assert not late or waited >= self.timeout, f"cycle {cycle}: late after {waited} cycles"
        if waits and waited >= self.timeout and not new_ack and not back:
            assert late, f"cycle {cycle}: not late after {waited} cycles"
        requested = self.io["request"].get() and not self.io["may_send_next"].get()
        assert timeout == bool(late and waits and requested), f"cycle {cycle}"
        requests = bool(late and not waits and requested)
        if requests:
            assert was_whole > was_next == self.limit, f"cycle {cycle}: asks for room"
        for bits in self.source.passed[len(self.pushed) :]:
            fields = ITEM.unpack(bits)
            self.pushed.append(fields["data"])
            if fields["last"]:
                self.whole = len(self.pushed)
        assert len(self.pushed) - base <= self.size
        self.counts["full"] += len(self.pushed) - base == self.size
        accepted = self.start and self.frame is not None and self.frame.count > 0
        first = (accepted and was_next == base) or (self.whole > was_whole == base)
        if new_ack or back or timeout or requests:
            self.progress = cycle
        elif first:
            self.progress = cycle - 1  # what begins to wait has waited in this cycle
        self._frame()
        self._move(timeout, back, cycle)
        self.forced = timeout
        self.counts.update(n for n, seen in (("timeout", timeout), ("back", back)) if seen)

    def _frame(self) -> None:
        """An item is there in the cycle after it was asked for."""
        frame = self.frame
        if frame is None:
            return
        if len(frame.items) < frame.requested:
            number = frame.first + frame.requested - 1
            frame.items.append(self.io["item"].get())
            # What the far side has by now, and knows to pass over, need not be here any more.
            assert number < self.base or frame.items[-1] == self.pushed[number]
        frame.requested += self.reading
        frame.age += 1
        if len(frame.items) == frame.count and frame.age >= APART:
            if self.rng.random() >= self.loss:
                self.far.accept(frame)
            self.frame = None

    def _move(self, timeout: bool, back: bool, cycle: int) -> None:
        """Numbers of the next cycle."""
        if self.start and self.frame is not None:
            self.next += self.frame.count
            self.high = max(self.high, self.next)
        if self.now is not None:
            ack, limit, nack = self.now
            assert not back or (nack and self.next > ack), f"cycle {cycle}: goes back to {ack} from {self.next}"
            if nack and ack == self.base < self.next and cycle > self.since:
                assert back, f"cycle {cycle}: does not go back to {ack} from {self.next}"
            self.base = max(self.base, ack)
            self.next = ack if back else max(self.next, ack)
            self.limit = limit
        else:
            assert not back
        if timeout:
            self.next = self.base


@cocotb.test()
@cocotb.parametrize(which=range(3), loss=(0.0, 0.3), timeout=(2, 12, 60))
async def all_arrive_in_order(dut: Any, which: int, loss: float, timeout: int) -> None:
    h = Harness(dut, dut.gen_tx_channel[which])
    link = Link(h, which, loss, timeout)
    await h.reset()
    sent: list[int] = []
    needed = {"full", "new"} | ({"again"} if loss else set())
    needed |= ({"timeout"} if loss else set()) | ({"poll"} if which == 2 else set()) if timeout <= 12 else set()
    while not sent or min(link.counts[name] for name in needed) == 0:
        for _ in range(40):
            group = h.values(16, h.rng.randint(1, ITEMS[which]))
            link.source.send([ITEM.pack(last=int(n == len(group) - 1), data=item) for n, item in enumerate(group)])
            sent += group
        await h.until(lambda sent=sent: link.base == len(sent) == len(link.pushed), limit=60_000)
        await h.until(lambda: bool(h.signal("idle").get()))
        assert link.far.items == sent
        link.pace = 0.02
        assert len(sent) < 5000, link.counts
