# SPDX-License-Identifier: Apache-2.0
"""Covers: random requests and holds, every output in every cycle against the rule of the model (each core in order,
the core after the last one granted first, a request can be granted in its own cycle); 4 cores and 1.

Leaves out: more requests than a core can have outstanding (asserted in the RTL).
"""

from __future__ import annotations

from collections import deque
from typing import Any

import cocotb

from polyloom.rtl.testing import Harness, bench

test = bench(__file__, "mailbox_tb")


class Cores:
    """Requests at random; the rule, on lists."""

    def __init__(self, h: Harness, cores: int, depth: int, rate: float, hold: float) -> None:
        self.rng, self.cores, self.depth, self.rate, self.hold_rate = h.rng, cores, depth, rate, hold
        names = ("valid", "request", "hold", "waiting", "grant", "core", "granted")
        self.io = {name: h.signal(name) for name in names}
        self.queues: list[deque[int]] = [deque() for _ in range(cores)]
        self.last = cores - 1
        self.grants = self.at_once = 0
        h.add(self)

    def reset(self) -> None:
        """Idle."""

    def busy(self) -> str:
        """Wait for nothing."""
        return ""

    def drive(self) -> None:
        """New requests, while the core may have one more."""
        valid = request = 0
        self.new = set()
        for c, queue in enumerate(self.queues):
            value = self.rng.getrandbits(8)
            request |= value << 8 * c
            if len(queue) < self.depth and self.rng.random() < self.rate:
                valid |= 1 << c
                queue.append(value)
                self.new.add(c)
        self.hold = self.rng.random() < self.hold_rate
        self.io["valid"].set(valid)
        self.io["request"].set(request)
        self.io["hold"].set(int(self.hold))

    def sample(self, cycle: int) -> None:
        """Who is granted."""
        order = [(self.last + 1 + i) % self.cores for i in range(self.cores)]
        requesting = [c for c in order if self.queues[c]]
        assert self.io["waiting"].get() == bool(requesting)
        assert self.io["grant"].get() == (bool(requesting) and not self.hold), f"cycle {cycle}"
        if requesting and not self.hold:
            got = self.io["core"].get(), self.io["granted"].get()
            assert got == (requesting[0], self.queues[requesting[0]][0]), (
                f"cycle {cycle}: {got}, expected core {requesting[0]}"
            )
            self.at_once += requesting[0] in self.new and len(self.queues[requesting[0]]) == 1
            self.queues[requesting[0]].popleft()
            self.last = requesting[0]
            self.grants += 1


@cocotb.test()
@cocotb.parametrize(which=range(2), rate=(0.1, 0.4, 1.0), hold=(0.0, 0.5))
async def follows_the_rule(dut: Any, which: int, rate: float, hold: float) -> None:
    h = Harness(dut, dut.gen_turns[which])
    cores = Cores(h, *((4, 5) if which == 0 else (1, 1)), rate, hold)
    await h.reset()
    await h.step(600)
    assert cores.grants > 25 and (cores.at_once > 0 or rate * (1 + hold) > 0.5)
