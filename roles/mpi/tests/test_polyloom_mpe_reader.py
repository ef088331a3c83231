# SPDX-License-Identifier: Apache-2.0
"""Covers: jobs of every alignment and of 1 to 2,047 bytes, one after the other; words outside the memory; a memory
that responds in order, early and late, and does not always take; random stalls of the output; 32, 5 and 1 words
asked for ahead (never more: the module asserts that its FIFO has room); a word a cycle; the cycles to the first
word.

Leaves out: a reset while responses are under way, which the module does not allow.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import cocotb
from kernel_parts import part, with_last, words_of

from polyloom.rtl.testing import Harness, Stall, bench

test = bench(__file__, "kernel_tb")
MOST = 2047


class Memory:
    """Bytes by address; ``outside`` says which words, by number, the memory does not have."""

    def __init__(self, h: Harness, stall: str | float = "random", latency: int = 1) -> None:
        self.h, self.latency = h, latency
        self.requested = h.sink("req", stall)
        self.bytes: dict[int, int] = {}
        self.outside: dict[int, bool] = {}
        self._valid, self._rsp = h.signal("rsp_valid"), h.signal("rsp")
        self._late = Stall(h.rng, stall)
        self._responses: deque[tuple[int, int]] = deque()  # from this cycle on
        self._seen = 0
        h.add(self)

    def reset(self) -> None:
        """No response."""
        self._valid.set(0)

    def drive(self) -> None:
        """Respond to one request, in order."""
        ready = bool(self._responses) and self.h.cycle >= self._responses[0][0] and not self._late()
        self._valid.set(int(ready))
        self._rsp.set(self._responses.popleft()[1] if ready else self.h.rng.getrandbits(65))

    def sample(self, cycle: int) -> None:
        """See what is asked for."""
        for address in self.requested.passed[self._seen :]:
            assert address % 8 == 0
            word = int.from_bytes(
                bytes(self.bytes.get(address + i, self.fresh(address + i)) for i in range(8)), "little"
            )
            self._responses.append((cycle + self.latency, word | int(self.outside[address // 8]) << 64))
        self._seen = len(self.requested.passed)

    def fresh(self, address: int) -> int:
        """A byte that is not asked for: anything."""
        return self.bytes.setdefault(address, self.h.rng.getrandbits(8))

    def busy(self) -> str:
        """Wait for nothing: what is not answered is waited for at the output."""
        return ""


class Bench:
    """The part and what surrounds it."""

    def __init__(self, dut: Any, which: int, stall: str | float = "random", latency: int = 1) -> None:
        self.h = part(dut, "reader", which)
        self.jobs, self.out = self.h.source("job", stall), self.h.sink("out", stall)
        self.memory = Memory(self.h, stall, latency)
        self._bad = self.h.signal("out_bad")
        self._want_bad: list[bool] = []
        self._ended = 0
        self.out.expect([])
        self.memory.requested.expect([])
        self.h.add(self)

    def reset(self) -> None:
        """Nothing."""

    def drive(self) -> None:
        """Nothing."""

    def sample(self, cycle: int) -> None:
        """With the last word it is said if some lay outside."""
        if self.out.cycles and self.out.cycles[-1] == cycle and self.out.passed[-1] >> 64:
            want = self._want_bad[self._ended]
            assert bool(self._bad.get()) == want, f"cycle {cycle}, job {self._ended}: outside {not want}"
            self._ended += 1

    def busy(self) -> str:
        """Wait for nothing."""
        return ""

    def job(self, address: int, count: int, chance: float = 0.02) -> None:
        """A job, what it asks for and what it brings."""
        rng = self.h.rng
        words = range(address // 8, (address + count - 1) // 8 + 1)
        outside = [self.memory.outside.setdefault(word, rng.random() < chance) for word in words]
        data = bytes(self.memory.fresh(address + i) for i in range(count))
        self.jobs.send(address << 11 | count)
        self.memory.requested.expect([8 * word for word in words])
        self.out.expect(with_last(words_of(data)))
        self._want_bad.append(any(outside))


@cocotb.test()
@cocotb.parametrize(which=range(3))
async def reads(dut: Any, which: int) -> None:
    b = Bench(dut, which, latency=1 + which)
    rng = b.h.rng
    await b.h.reset()
    for i in range(60):
        count = rng.choice([1, 2, 7, 8, 9, 15, 16, 17, 1 + rng.randrange(80), rng.randint(1, 300) if i % 9 == 0 else 3])
        base = rng.choice([0x10000, 0x80000000, 0x10000 + 8 * rng.randrange(64), 0xFFFFF000])
        b.job(base + rng.randrange(8), count)
    if which == 0:
        b.job(0x20003, MOST)
        b.job(0xFFFFFFF0, 16)
    await b.h.drain()


@cocotb.test()
async def every_alignment(dut: Any) -> None:
    b = Bench(dut, 0, "never")
    await b.h.reset()
    for at in range(8):
        for count in range(1, 25):
            b.job(0x10000 + 64 * count + at, count, 0.0)
    await b.h.drain()


@cocotb.test()
async def pace(dut: Any) -> None:
    """A word a cycle from a memory that responds within the cycles of what is asked ahead."""
    for at, latency in ((0, 1), (5, 1), (0, 12), (3, 25)):
        b = Bench(dut, 0, "never", latency)
        await b.h.reset()
        b.job(0x10000 + at, 1440, 0.0)
        await b.h.drain()
        first = b.jobs.cycles[0] + 1 + latency + 1 + (at != 0)
        assert b.out.cycles == list(range(first, first + 180)), f"{at} {latency}: {b.out.cycles[:3]} not {first}"
