# SPDX-License-Identifier: Apache-2.0
"""Covers: what the host is told of room for its messages, of 1, 3 and 128 flits: one event for each so many flits and
none for the rest, between the events of tiles, which come in order and whole; nothing changes while it stands; idle;
random stalls; the most that can be owed; a reset forgets.

Leaves out: the frames that events become (..._host_tx).
"""

from __future__ import annotations

from typing import Any

import cocotb
from host_units import REPORTED

from polyloom.rtl.testing import Harness, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "host_tb")
#: As gen_room of host_tb.sv has them.
FLITS = (1, 3, 128)
ROOM = 0x88


class Gone:
    """Flits of the host's go on, never so many that the host, who waits for room, could not have sent them."""

    def __init__(self, h: Harness, flits: int, reported: Any, rate: float) -> None:
        self.rate, self.count = rate, 0
        self._h, self._flits, self._reported, self._gone = h, flits, reported, h.signal("gone")
        EveryCycle(h, self.drive, lambda cycle: None)

    def reported(self) -> int:
        """Flits that the host knows of."""
        return self._flits * sum(REPORTED.unpack(event)["cause"] == ROOM for event in self._reported.passed)

    def drive(self) -> None:
        """One more flit, or none."""
        under_way = self.count - self.reported()
        go = under_way < 4 * self._flits and self._h.rng.random() < self.rate
        self._gone.set(int(go))
        self.count += go


@cocotb.test()
@cocotb.parametrize(which=range(3), rate=[0.2, 1.0], stall=["random", "never"])
async def each_so_many_flits_are_told(dut: Any, which: int, rate: float, stall: str) -> None:
    h = Harness(dut, dut.gen_room[which])
    events, reported = h.source("tiles"), h.sink("reported", stall)
    gone = Gone(h, FLITS[which], reported, 0.0)
    await h.reset()
    assert h.signal("idle").get()
    gone.rate = rate
    of_tiles = [
        REPORTED.pack(tile=h.rng.randrange(1, 256), cause=1, pc=i, value=h.rng.getrandbits(32)) for i in range(150)
    ]
    events.send(of_tiles)
    wanted = 20 if FLITS[which] < 100 else 3
    await h.until(lambda: gone.reported() >= wanted * FLITS[which] and len(events.passed) == len(of_tiles))
    gone.rate = 0.0
    await h.drain(after=20)
    room = [event for event in reported.passed if REPORTED.unpack(event)["cause"] == ROOM]
    assert [event for event in reported.passed if event not in room] == of_tiles
    assert set(room) == {REPORTED.pack(fault=1, cause=ROOM, value=FLITS[which])}
    assert len(room) == gone.count // FLITS[which]
    assert h.signal("idle").get()


@cocotb.test()
async def reset_forgets_what_is_owed(dut: Any) -> None:
    h = Harness(dut, dut.gen_room[1])
    reported = h.sink("reported", 1.0)
    gone = Gone(h, FLITS[1], reported, 0.0)
    await h.reset()
    gone.rate = 1.0
    await h.until(lambda: gone.count == 4 * FLITS[1])
    gone.rate = 0.0
    await h.step(3)
    assert not h.signal("idle").get() and not reported.passed
    await h.reset()
    assert h.signal("idle").get() and not reported.passed
