# SPDX-License-Identifier: Apache-2.0
"""Covers: all flags, both timers and all that units say, at random in each cycle, against the rules of
polyloom_mpe_isa_pkg.sv and ENGINE.md: which event is shown, and when nothing runs; timers of 0 and more cycles,
started again while they run, stopped before and after their end.

Leaves out: timers of many cycles; what the program makes of an event (test_polyloom_mpe_program.py).
"""

from __future__ import annotations

from typing import Any

import cocotb
from kernel_parts import part

from polyloom.rtl.testing import Harness, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "kernel_tb")
FLAGS, ACK_TIMER, TICK_TIMER, NO_ACK, NO_TICK = 2, 14, 15, 16, 17  # outputs
NONE, SWEEP, ACK, COMMAND, PACKET, MANAGE, SEND, COPIED, RESPONSE, STOP = range(10)
F_SEND, F_MANAGE, F_SWEEP, F_RESPONSE, F_STOP = 0x3F, 0x20, 0x40, 0x80, 0x100
UNITS = (
    "command", "head", "manage", "writer_ready", "writer_idle", "builder_ready", "builder_idle", "out_empty", "copied",
    "response_free",
)  # fmt: skip


class Timer:
    """Runs from a cycle on, for some cycles."""

    def __init__(self) -> None:
        self.end: int | None = None

    def over(self, cycle: int) -> bool:
        """Its time has come."""
        return self.end is not None and cycle >= self.end

    def start(self, cycle: int, time: int) -> None:
        """Unless it runs."""
        if self.end is None:
            self.end = cycle + 1 + time


class Events:
    """What the program has put out so far."""

    def __init__(self) -> None:
        self.flags = 0
        self.ack, self.tick = Timer(), Timer()

    def put(self, cycle: int, output: int, result: int) -> None:
        """An output of the program."""
        if output == FLAGS:
            self.flags = result & 0x1FF
        elif output == ACK_TIMER:
            self.ack.start(cycle, result)
        elif output == TICK_TIMER:
            self.tick.start(cycle, result // 4)
        elif output == NO_ACK:
            self.ack.end = None
        elif output == NO_TICK:
            self.tick.end = None

    def rests(self) -> bool:
        """Nothing will happen without the units."""
        return self.flags == 0 and self.ack.end is None and self.tick.end is None

    def shown(self, cycle: int, u: dict[str, bool]) -> int:
        """The most urgent event."""
        still = u["writer_idle"] and u["builder_idle"]
        stops = bool(self.flags & F_STOP)
        if stops and still:
            return STOP
        if self.flags & F_RESPONSE and u["writer_idle"] and u["response_free"]:
            return RESPONSE
        if u["copied"]:
            return COPIED
        if not stops and u["builder_ready"]:
            if self.flags & F_MANAGE:  # its response comes first, and waits for an empty store
                if u["out_empty"]:
                    return SEND
            elif self.flags & F_SEND:
                return SEND
        if u["head"]:
            if u["manage"] and u["writer_idle"]:
                return MANAGE
            if not u["manage"] and u["writer_ready"]:
                return PACKET
        if u["command"]:
            return COMMAND
        if self.ack.over(cycle):
            return ACK
        return SWEEP if self.flags & F_SWEEP or self.tick.over(cycle) else NONE


@cocotb.test()
@cocotb.parametrize(busy=[0.1, 0.5, 0.9])
async def shows_the_most_urgent(dut: Any, busy: float) -> None:
    h = part(dut, "events")
    code, result, said, rests, why = (h.signal(n) for n in ("code", "result", "said", "rests", "why"))
    model = Events()
    seen: set[int] = set()
    driven = (0, 0, 0)

    def drive() -> None:
        nonlocal driven
        out, number = output(h)
        bits = sum(1 << i for i in range(len(UNITS)) if h.rng.random() < busy)
        driven = (out, number, bits)
        code.set(out)
        result.set(number)
        said.set(bits)

    def check(cycle: int) -> None:
        out, number, bits = driven
        u = {name: bool(bits >> i & 1) for i, name in enumerate(UNITS)}
        want = model.shown(cycle, u)
        assert why.get() == want, f"cycle {cycle}: event {why.get()}, not {want}; flags {model.flags:#x} {u}"
        assert rests.get() == model.rests(), f"cycle {cycle}: rests"
        seen.add(want)
        model.put(cycle, out, number)

    EveryCycle(h, drive, check)
    await h.reset()
    await h.step(1500)
    await h.until(lambda: len(seen) == 10)


def output(h: Harness) -> tuple[int, int]:
    """An output and its result; half of the time none of these."""
    rng = h.rng
    out = rng.choice([FLAGS, ACK_TIMER, TICK_TIMER, NO_ACK, NO_TICK]) if rng.random() < 0.3 else rng.randrange(28)
    if out == FLAGS:
        flags = rng.choice([0, 0, rng.getrandbits(9), 1 << rng.randrange(9), F_STOP | rng.getrandbits(6)])
        return out, flags | rng.getrandbits(23) << 9
    if out in {ACK_TIMER, TICK_TIMER}:
        return out, rng.choice([0, 1, 2, 3, 4, 5, 7, 8, rng.randrange(64), rng.getrandbits(32)])
    return out, rng.getrandbits(32)
