# SPDX-License-Identifier: Apache-2.0
"""Covers: refused sends of all cores at random, events taken with random stalls, every output in every cycle: each
core's events in order, cores in turn, an event two cycles after its send; what is lost because the thread's first one
still waits; all threads waiting at once; 2 cores of 4 threads, 4 of 16 and 1 of 1.

Leaves out: who refuses (test_polyloom_overlay_mailbox_check.py).
"""

from __future__ import annotations

from collections import deque
from typing import Any

import cocotb
from mailbox_units import EVENT, REFUSED, SEND, SIZES, Size

from polyloom.rtl.testing import Harness, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "mailbox_tb")


class Refusals:
    """Makes them, and knows which the host is to see when."""

    def __init__(self, h: Harness, size: Size) -> None:
        self.h, self.rng, self.size, self.rate = h, h.rng, size, 0.5
        self.io = {name: h.signal(name) for name in ("bad", "why", "send", "lost")}
        self.sink = h.sink("reported")
        self.queues: list[deque[tuple[int, int, int, int]]] = [
            deque() for _ in range(size.cores)
        ]  # thread, pc, dest, why
        self.new: dict[int, tuple[int, int, int, int]] = {}
        self.shown: int | None = None  # the event that the host is offered
        self.last = size.cores - 1
        self.lost = self.reported = self.most = 0
        self.stop = False
        EveryCycle(h, self.drive, self.check)

    def drive(self) -> None:
        if self.rng.random() < 0.02:
            self.rate = self.rng.choice((0.01, 0.1, 0.5, 1.0))
        self.new, words, reasons = {}, 0, 0
        for core in range(self.size.cores):
            what = (
                self.rng.randrange(self.size.threads),
                *(self.rng.getrandbits(bits) for bits in (32, 20, 3)),
            )
            reasons |= what[3] << 3 * core
            noise = {
                "mask": self.rng.getrandbits(64),
                "slot": self.rng.getrandbits(9),
                "flits": self.rng.getrandbits(3),
            }
            words |= SEND.pack(thread=what[0], pc=what[1], dest=what[2], **noise) << SEND.width * core
            if not self.stop and self.rng.random() < self.rate:
                self.new[core] = what
        self.io["bad"].set(sum(1 << core for core in self.new))
        self.io["send"].set(words)
        self.io["why"].set(reasons)

    def check(self, cycle: int) -> None:
        lost = {core for core, what in self.new.items() if any(what[0] == old[0] for old in self.queues[core])}
        assert self.io["lost"].get() == sum(1 << core for core in lost), f"cycle {cycle}: {lost} lose"
        assert self.sink.valid.get() == (self.shown is not None), f"cycle {cycle}"
        if self.shown is not None:
            assert self.sink.payload is not None
            got = self.sink.payload.get()
            assert got == self.shown, f"cycle {cycle}: {EVENT.unpack(got)}, expected {EVENT.unpack(self.shown)}"
            if self.sink.ready.get():
                self.shown = None
                self.reported += 1
        elif any(self.queues):
            turns = ((self.last + 1 + n) % self.size.cores for n in range(self.size.cores))
            self.last = next(core for core in turns if self.queues[core])
            thread, pc, dest, why = self.queues[self.last].popleft()
            thread += self.last * self.size.threads
            self.shown = EVENT.pack(fault=1, thread=thread, cause=REFUSED | why, pc=pc, value=dest)
        for core, what in self.new.items():
            if core not in lost:
                self.queues[core].append(what)
        self.lost += len(lost)
        self.most = max(self.most, sum(map(len, self.queues)))


@cocotb.test()
@cocotb.parametrize(which=range(3))
async def reports_each_threads_first(dut: Any, which: int) -> None:
    h = Harness(dut, dut.gen_events[which])
    refusals = Refusals(h, SIZES[which])
    await h.reset()
    await h.until(lambda: refusals.reported > 300 and refusals.lost > 300 and refusals.most == SIZES[which].all)
    refusals.stop = True
    await h.until(lambda: not any(refusals.queues) and refusals.shown is None)
