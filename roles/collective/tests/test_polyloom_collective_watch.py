# SPDX-License-Identifier: Apache-2.0
"""Covers: the timeout at N-1 and N cycles without progress and what it names; which of several faults wins; the
first is kept until flush; random faults against a list in order of rank.

Tests polyloom_collective_watch. Leaves out: that every engine raises its faults (their own tests).
"""

from __future__ import annotations

from typing import Any

import cocotb
from collective_units import FAULT, TIMEOUT, Inputs

from polyloom.rtl.testing import Harness, bench

C, L = 2, 3

test = bench(__file__, "collective_tb")

NAMES = ("flush", "running", "progress", "watchdog", "lacks_pulse", "lacks_data", "stop", "code", "lane", "value")
FAULTS = ("program_fault", "read_fault", "write_fault", "lane_fault")


@cocotb.test()
@cocotb.parametrize(limit=[1, 2, 17])
async def timeout_after_so_many_cycles(dut: Any, limit: int) -> None:
    h = Harness(dut, dut.gen_watch)
    io = Inputs(h, *NAMES)
    await h.reset()
    io.set(watchdog=limit, lacks_pulse=0b101, lacks_data=0b011)
    await h.step(2 * limit + 2)
    assert not io.get("stop")  # not running
    io.set(running=1)
    for quiet in range(limit):
        io.set(progress=1)
        await h.step()
        io.set(progress=0)
        await h.step(quiet)  # one less than the limit at most
        assert not io.get("stop")
    io.set(progress=1)
    await h.step()
    io.set(progress=0)
    await h.step(limit - 1)
    assert not io.get("stop")
    await h.step()
    assert io.get("stop") and io.get("code") == TIMEOUT and io.get("lane") == 0xFF
    assert io.get("value") == 0b011 << 32 | 0b101


@cocotb.test()
async def no_watchdog_no_timeout(dut: Any) -> None:
    h = Harness(dut, dut.gen_watch)
    io = Inputs(h, *NAMES)
    await h.reset()
    io.set(running=1)
    await h.step(300)
    assert not io.get("stop")


@cocotb.test()
async def the_first_fault_counts_and_the_lowest_place_of_a_cycle(dut: Any) -> None:
    h = Harness(dut, dut.gen_watch)
    io, faults = Inputs(h, *NAMES), Inputs(h, *FAULTS)
    await h.reset()
    ranks = [("program_fault", 0)] + [("read_fault", c) for c in range(C)] + [("write_fault", c) for c in range(C)]
    ranks += [("lane_fault", lane) for lane in range(L)]
    for _ in range(200):
        picked = {place: h.rng.randint(1, 8) for place in ranks if h.rng.random() < 0.2}
        values = dict.fromkeys(FAULTS, 0)
        words = {}
        for (name, index), code in picked.items():
            words[name, index] = h.rng.getrandbits(64)
            values[name] |= FAULT.pack(code=code, value=words[name, index]) << index * FAULT.width
        await faults.once(**values)
        if not picked:
            assert not io.get("stop")
            continue
        first = next(place for place in ranks if place in picked)
        for _ in range(2):  # it stays, whatever else comes
            assert io.get("stop") and (io.get("code"), io.get("value")) == (picked[first], words[first])
            assert io.get("lane") == (first[1] if first[0] == "lane_fault" else 0xFF)
            await faults.once(program_fault=FAULT.pack(code=3, value=1))
        await io.once(flush=1)
        assert not io.get("stop")
        await h.step()
        assert not io.get("stop")
