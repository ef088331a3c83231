# SPDX-License-Identifier: Apache-2.0
"""Covers: random traffic of the shell and of an engine that comes and goes: the memory changes hands only when the
other side is owed nothing and owes nothing, and then after one cycle.

Tests polyloom_collective_owner. Leaves out: 256 and more requests outstanding (not allowed).
"""

from __future__ import annotations

from typing import Any

import cocotb
from collective_units import Inputs

from polyloom.rtl.testing import Harness, bench

test = bench(__file__, "collective_tb")


@cocotb.test()
async def no_requester_loses_a_response(dut: Any) -> None:
    h = Harness(dut, dut.gen_owner)
    io = Inputs(h, "busy", "shell_valid", "request", "response", "write", "ack", "engine")
    await h.reset()
    reads = writes = turns = 0
    engine = False
    for _ in range(4000):
        busy, valid = h.rng.random() < (0.9 if engine else 0.5), h.rng.random() < 0.3
        request = valid and not engine and h.rng.random() < 0.5
        write = valid and not engine and not request and h.rng.random() < 0.5
        response, ack = reads > 0 and h.rng.random() < 0.3, writes > 0 and h.rng.random() < 0.3
        io.set(busy=busy, shell_valid=valid, request=request, write=write, response=response, ack=ack)
        await h.step()
        free = reads == 0 and writes == 0 and not valid
        reads, writes = reads + request - response, writes + write - ack
        before, engine = engine, busy if engine else busy and free
        assert io.get("engine") == engine
        turns += before != engine
        assert not engine or reads == writes == 0
    assert turns > 50
