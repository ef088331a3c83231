# SPDX-License-Identifier: Apache-2.0
"""Covers: requests of 4 x 4 threads and of one with random pauses of every core and of the cache: who is granted
in every cycle, from the one in which a request comes on; thread and set of loads, stores and flushes; empty or not;
the first turn after reset; a reset while requests wait.

Leaves out: more requests of a core than it has threads (asserted in the RTL).
"""

from __future__ import annotations

from typing import Any

import cocotb
from memory_units import FLUSH, LOOKUP, SHAPES, Shape, Turns, drive_requests

from polyloom.rtl.testing import Harness, Stall, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "memory_tb")


class Threads:
    """Each with at most one request, random pauses of every core."""

    def __init__(self, h: Harness, shape: Shape) -> None:
        self._rng, self._shape = h.rng, shape
        self.free = [set(range(shape.threads)) for _ in range(shape.cores)]
        self._stalls = [Stall(h.rng) for _ in range(shape.cores)]
        self.turns = Turns(shape.cores)

    def request(self) -> dict[int, dict[str, int]]:
        """What each core that asks wants; it waits from now on."""
        rng, requests = self._rng, {}
        for core, free in enumerate(self.free):
            if not self._stalls[core]() and free:
                thread = rng.choice(sorted(free))
                free.remove(thread)
                requests[core] = {
                    **{"op": rng.randrange(3), "size": rng.randrange(3), "sign": rng.getrandbits(1)},
                    **{"thread": thread, "addr": rng.getrandbits(32), "data": rng.getrandbits(32)},
                }
                self.turns.queues[core].append(requests[core])
        return requests

    def grant(self) -> int | None:
        """What is looked up in this cycle."""
        if (granted := self.turns.grant()) is None:
            return None
        core, requested = granted
        self.free[core].add(requested["thread"])
        shape, addr = self._shape, requested["addr"]
        set_ = addr // 16 % shape.sets if requested["op"] == FLUSH else shape.set_of(addr)
        return LOOKUP.pack(**{**requested, "thread": core * shape.threads + requested["thread"], "set": set_})


@cocotb.test()
@cocotb.parametrize(which=range(2))
async def grants_in_turn(dut: Any, which: int) -> None:
    h = Harness(dut, dut.gen_queue[which])
    requests, req, hold, valid, grant, empty = (
        h.signal(name) for name in ("requests", "req", "hold", "valid", "grant", "empty")
    )
    threads, stall = [Threads(h, SHAPES[which])], Stall(h.rng)
    want: list[tuple[int, int | None]] = []
    seen = 0

    def drive() -> None:
        now = threads[-1]
        waits = any(now.turns.queues)
        values = drive_requests(h, req.width, now.request())
        requests.set(values[0])
        req.set(values[1])
        held = stall()
        hold.set(int(held))
        want.append((int(not waits), None if held else now.grant()))

    def check(cycle: int) -> None:
        nonlocal seen
        nothing, lookup = want.pop()
        assert empty.get() == nothing, f"cycle {cycle}"
        assert valid.get() == int(lookup is not None), f"cycle {cycle}: a grant too many, or too few"
        if lookup is not None:
            got = grant.get()
            assert got == lookup, f"cycle {cycle}: {LOOKUP.unpack(got)}, expected {LOOKUP.unpack(lookup)}"
            seen += 1

    EveryCycle(h, drive, check)
    await h.reset()
    await h.until(lambda: seen >= 600)
    await h.reset()
    threads.append(Threads(h, SHAPES[which]))
    await h.until(lambda: seen >= 700)
