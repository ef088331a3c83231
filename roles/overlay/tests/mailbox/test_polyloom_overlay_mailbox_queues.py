# SPDX-License-Identifier: Apache-2.0
"""Covers: messages for random sets of threads, received at random, in phases that fill and empty rings and the buffer,
every output in every cycle: each thread in order of arrival, lowest thread of a message first, one in two cycles,
stops at a full ring, recv of an empty ring; 16 threads, 512 slots, rings of 64; 3, 24, 4; 1, 5, 2.

Leaves out: more messages than slots (asserted in the RTL).
"""

from __future__ import annotations

from collections import deque
from typing import Any

import cocotb

from polyloom.rtl.testing import Harness, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "mailbox_tb")
SIZES = ((16, 512, 64), (3, 24, 4), (1, 5, 2))  # threads, slots, places of a ring
#: Chances that a message comes, that a thread receives.
PHASES = ((0.9, 0.05), (0.9, 0.5), (0.1, 0.9), (0.3, 0.3), (1.0, 0.0), (0.0, 1.0), (0.2, 1.0))


class Core:
    """Messages and receivers at random; the rule, on lists."""

    def __init__(self, h: Harness, threads: int, slots: int, places: int) -> None:
        self.h, self.rng, self.threads, self.slots, self.ring = h, h.rng, threads, slots, places - 1
        names = ("in_valid", "in_threads", "in_slot", "can_recv", "recv", "recv_thread", "recv_slot")
        self.io = {name: h.signal(name) for name in (*names, "delivered", "stalled", "idle")}
        self.buffer: deque[tuple[list[int], int]] = deque()  # threads that are left, slot
        self.rings: list[deque[int]] = [deque() for _ in range(threads)]
        self.pause = False  # a receiver was served in the cycle before
        self.due: int | None = None  # slot that the recv of the cycle before brings
        self.phase = PHASES[0]
        self.fixed: tuple[float, float] | None = None
        self.received = self.stalls = self.in_vain = self.most = self.fullest = 0
        self.message: tuple[list[int], int] | None = None
        self.taker: int | None = None
        EveryCycle(h, self.drive, self.check)

    def drive(self) -> None:
        if self.fixed or self.rng.random() < 0.01:
            self.phase = self.fixed or self.rng.choice(PHASES)
        self.message = None
        mask = self.rng.getrandbits(self.threads) & self.rng.choice((self.rng.getrandbits(self.threads), -1))
        slot = self.rng.randrange(self.slots)
        if len(self.buffer) < self.slots and mask and self.rng.random() < self.phase[0]:
            self.message = ([t for t in range(self.threads) if mask >> t & 1], slot)
        self.taker = self.rng.randrange(self.threads)
        self.io["in_valid"].set(int(self.message is not None))
        self.io["in_threads"].set(mask)
        self.io["in_slot"].set(slot)
        self.io["recv_thread"].set(self.taker)
        if self.rng.random() >= self.phase[1]:
            self.taker = None
        self.io["recv"].set(int(self.taker is not None))

    def check(self, cycle: int) -> None:
        io = {name: signal.get() for name, signal in self.io.items()}
        assert io["idle"] == (not self.buffer), f"cycle {cycle}"
        ready = sum(1 << t for t in range(self.threads) if self.rings[t])
        assert io["can_recv"] == ready, f"cycle {cycle}: {io['can_recv']:#x} can receive, expected {ready:#x}"
        if self.due is not None:
            assert io["recv_slot"] == self.due, f"cycle {cycle}: slot {io['recv_slot']}, expected {self.due}"
        serve = self._serve(io, cycle)
        self.most = max(self.most, len(self.buffer))
        self.due = None
        if self.taker is not None and self.rings[self.taker]:
            self.due = self.rings[self.taker].popleft()
            self.received += 1
        else:
            self.in_vain += self.taker is not None
        if serve:
            left, slot = self.buffer[0]
            self.rings[left[0]].append(slot)
            self.fullest = max(self.fullest, len(self.rings[left[0]]))
            left.pop(0)
            if not left:
                self.buffer.popleft()
        self.pause = serve
        if self.message:
            self.buffer.append(self.message)

    def _serve(self, io: dict[str, int], cycle: int) -> bool:
        """Whether the oldest message goes to its next thread in this cycle."""
        full = False
        if self.buffer:
            thread = self.buffer[0][0][0]
            full = len(self.rings[thread]) == self.ring and self.taker != thread
        serve = bool(self.buffer) and not full and not self.pause
        assert io["stalled"] == full, f"cycle {cycle}"
        assert io["delivered"] == serve, f"cycle {cycle}"
        self.stalls += full
        return serve


@cocotb.test()
@cocotb.parametrize(which=range(3))
async def delivers_in_order(dut: Any, which: int) -> None:
    h = Harness(dut, dut.gen_queues[which])
    threads, slots, places = SIZES[which]
    clear, thread = h.signal("clear"), h.signal("clear_thread")
    await h.reset()
    for t in h.rng.sample(range(threads), threads):
        clear.set(1)
        thread.set(t)
        await h.step()
    clear.set(0)
    core = Core(h, threads, slots, places)
    await h.until(lambda: h.cycle > 1500 and core.received > 100 and core.in_vain > 50)
    core.fixed = (1.0, 0.0)  # no one receives: a ring fills, then the buffer
    await h.until(lambda: core.stalls > 50 and (core.most == slots or which == 0))
    assert core.fullest == places - 1
    core.fixed, before = None, core.received
    await h.until(lambda: core.received > before + 300)
    core.fixed = (0.0, 1.0)
    await h.until(lambda: not core.buffer and not any(core.rings))
