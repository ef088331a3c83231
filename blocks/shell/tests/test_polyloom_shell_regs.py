# SPDX-License-Identifier: Apache-2.0
"""Covers: random reads and writes of every register and of numbers that none has, of the role's with random delays
before its response, while all counters count; each output in every cycle against a model of the register map.

Leaves out: that counters of 64 bit overflow.
"""

from __future__ import annotations

from typing import Any

import cocotb
from shell_units import REG_REQ, REG_RSP

from polyloom.rtl.testing import Harness, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "shell_tb")
MAGIC, ROLE, CLOCK = int.from_bytes(b"POLYLOOM", "little"), 3, 0x1_2345_6789
STATUS, CONTROL, ROLE_BASE = 6, 7, 0x100
COUNTERS = ("frame_in", "frame_out", "bad_frame", "bytes_written", "bytes_read")  # registers 8 to 12
PULSES = (*COUNTERS, "reads_pending")


class Registers:
    """The map of host_frames.h, a cycle a step."""

    def __init__(self, h: Harness) -> None:
        self.h, self.rng = h, h.rng
        names = ("position", "cycle", "req_valid", "req", "rsp_valid", "rsp", "role_req_valid", "role_req")
        self.io = {n: h.signal(n) for n in (*names, "role_rsp_valid", "role_rsp", "reset_counters", *PULSES)}
        self.counts = dict.fromkeys(COUNTERS, 0)
        self.bad_seen = False
        self.request: dict[str, int] | None = None
        self.now: dict[str, int] = {}
        self.done = {"own": 0, "role": 0, "cleared": 0, "refused": 0}
        EveryCycle(h, self.drive, self.check)

    def drive(self) -> None:
        """A request stands until its response; the role responds when it likes."""
        rng = self.rng
        if self.request is None and rng.random() < 0.5:
            some = [rng.randrange(16), rng.randrange(0xFE, 0x104), rng.getrandbits(32)]
            index = rng.choice([*some, CONTROL, CONTROL, STATUS, STATUS])
            data = rng.choice([rng.randrange(4), rng.getrandbits(64), 1 << rng.randrange(64)])
            self.request = {"write": rng.getrandbits(1), "index": index, "wdata": data}
        requests_role = self.request is not None and self.request["index"] >= ROLE_BASE
        self.now = {n: rng.getrandbits(1) for n in PULSES}
        self.now |= {n: rng.randrange(9) for n in ("bytes_written", "bytes_read")}
        clears = self.request is not None and self.request["index"] == CONTROL
        self.now["bad_frame"] = int(rng.random() < (0.5 if clears else 0.05))  # often in the clock of a clear
        self.now |= {"position": rng.getrandbits(32), "cycle": rng.getrandbits(64)}
        self.now |= {"role_rsp": rng.getrandbits(65), "role_rsp_valid": int(requests_role and rng.random() < 0.3)}
        self.now |= {"req_valid": int(self.request is not None)}
        self.now |= {"req": REG_REQ.pack(**self.request) if self.request else rng.getrandbits(97)}
        for name, value in self.now.items():
            self.io[name].set(value)

    def own(self, index: int) -> int | None:
        """What a register of the shell reads."""
        values = [MAGIC, 1, ROLE, self.now["position"], CLOCK, self.now["cycle"]]
        values += [self.now["reads_pending"] << 1 | int(self.bad_seen)]
        fixed: dict[int, int] = dict(enumerate(values))
        fixed |= {8 + n: self.counts[name] for n, name in enumerate(COUNTERS)}
        return fixed.get(index)

    def check(self, cycle: int) -> None:
        """Compare; then count."""
        clear = self.response(cycle) if self.request else 0
        assert bool(self.io["reset_counters"].get()) == bool(clear & 1), f"cycle {cycle}"
        if not self.request:
            assert not self.io["role_req_valid"].get(), f"cycle {cycle}: asks without a request"
        for name in COUNTERS:
            self.counts[name] = 0 if clear & 1 else self.counts[name] + self.now[name]
        self.bad_seen = bool(self.now["bad_frame"]) or (self.bad_seen and not clear & 2)
        if self.request and self.io["rsp_valid"].get():
            self.request = None

    def response(self, cycle: int) -> int:
        """Compare the response; what the request clears: bit 0 counters, bit 1 status."""
        assert self.request is not None
        write, index, data = (self.request[n] for n in ("write", "index", "wdata"))
        got = REG_RSP.unpack(self.io["rsp"].get())
        if index >= ROLE_BASE:
            requested = REG_REQ.unpack(self.io["role_req"].get())
            assert self.io["role_req_valid"].get() and requested == self.request | {"index": index - ROLE_BASE}
            assert self.io["rsp_valid"].get() == self.now["role_rsp_valid"]
            if self.now["role_rsp_valid"]:
                assert REG_RSP.pack(**got) == self.now["role_rsp"], f"cycle {cycle}"
                self.done["role"] += 1
            return 0
        assert self.io["rsp_valid"].get() and not self.io["role_req_valid"].get(), f"cycle {cycle}: register {index}"
        value = None if write else self.own(index)
        good = index == CONTROL and data < 4 if write else value is not None
        assert got["error"] == int(not good), f"cycle {cycle}: register {index}, write {write}, {data:#x}"
        assert not good or got["rdata"] == (value or 0), f"cycle {cycle}: register {index} reads {got['rdata']:#x}"
        self.done["own" if good else "refused"] += 1
        if write and good:
            self.done["cleared"] += data & 1
            return data
        return 0


@cocotb.test()
async def as_the_map_says(dut: Any) -> None:
    h = Harness(dut, dut.gen_regs)
    registers = Registers(h)
    await h.reset()
    await h.until(lambda: min(registers.done.values()) >= 100)
