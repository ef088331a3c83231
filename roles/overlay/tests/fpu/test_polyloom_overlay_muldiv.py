# SPDX-License-Identifier: Apache-2.0
"""Covers: all of M by two cores of two threads with random pauses, on corners and random words: word, thread, core and
cycle of every response, products beside quotients, the divider busy and idle; flags are 0; a reset amid operations.

Leaves out: other sizes (those of its parts, overlay_fpu_rtl_test.cc).
"""

from __future__ import annotations

from typing import Any

import cocotb
from fpu_operations import DIVIDES, OPS, RESPONSE, result_of
from fpu_units import INTERVAL, SIZES, Cores, Turns, drive_requests

from polyloom.rtl.testing import Harness, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "fpu_tb")
LATENCY, DIVIDE_LATENCY = 10, 28


class Model:
    """Who is answered with what in which cycle, at either port."""

    def __init__(self, h: Harness) -> None:
        self.cores, self.turns = Cores(h, SIZES[2], OPS[:8]), Turns(SIZES[2][0])
        self.due: dict[str, dict[int, tuple[int, int]]] = {"rsp": {}, "div": {}}
        self._start = -INTERVAL

    def grant(self, cycle: int) -> None:
        """One request a cycle; those that divide start at intervals."""
        if (granted := self.turns.grant()) is None:
            return
        core, fields = granted
        response = RESPONSE.pack(thread=fields["thread"], data=result_of(fields)[0])
        if OPS[fields["op"]] in DIVIDES:
            self._start = max(cycle, self._start + INTERVAL)
            self.due["div"][self._start + DIVIDE_LATENCY] = core, response
        else:
            self.due["rsp"][cycle + LATENCY] = core, response


@cocotb.test()
async def responses(dut: Any) -> None:
    h = Harness(dut, dut.gen_muldiv)
    requests, req = h.signal("requests"), h.signal("req")
    ports = {name: (h.signal(f"{name}_valid"), h.signal(name)) for name in ("rsp", "div")}
    models = [Model(h)]
    seen = {"rsp": 0, "div": 0}

    def drive() -> None:
        wanted = models[-1].cores.request()
        drive_requests(h, requests, req, wanted)
        for core, fields in wanted.items():
            models[-1].turns.request(core, fields)
        models[-1].grant(h.cycle)

    def check(cycle: int) -> None:
        for name, (valid, response) in ports.items():
            want = models[-1].due[name].pop(cycle, None)
            assert valid.get() == (0 if want is None else 1 << want[0]), f"{name}, cycle {cycle}: expected {want}"
            if want is not None:
                got = response.get()
                assert got == want[1], (
                    f"{name}, cycle {cycle}: {RESPONSE.unpack(got)}, expected {RESPONSE.unpack(want[1])}"
                )
                models[-1].cores.responded(want[0], RESPONSE.unpack(got)["thread"])
                seen[name] += 1

    EveryCycle(h, drive, check)
    await h.reset()
    await h.until(lambda: min(seen.values()) >= 120)
    await h.reset()
    models.append(Model(h))
    await h.until(lambda: min(seen.values()) >= 150)
