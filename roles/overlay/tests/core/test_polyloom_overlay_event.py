# SPDX-License-Identifier: Apache-2.0
"""Covers: polyloom_overlay_event in every cycle: random faults of every cause, console bytes, lost and read bytes of
the host, offered while it is empty and while it is full, under random stalls of the host; an event stands a cycle after
it was offered and until it is taken, and what comes meanwhile leaves no trace.

Leaves out: a fault and a byte in one cycle (one instruction does not do both).
"""

from __future__ import annotations

from typing import Any

import cocotb
from core_units import EVENT, Ports

from polyloom.rtl.testing import Harness, Struct, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "core_units_tb")
WHY = Struct.of("polyloom_overlay_pkg::why_t")
# By RISC-V's mcause: what says that it is this cause; what is not named may be anything.
CAUSES = {
    0: {"bad_fetch": 0, "illegal": 0, "trap": 0, "memory": 0},
    1: {"bad_fetch": 1},
    2: {"bad_fetch": 0, "illegal": 1},
    3: {"bad_fetch": 0, "illegal": 0, "trap": 1, "ebreak": 1},
    4: {"bad_fetch": 0, "illegal": 0, "trap": 0, "memory": 1, "store": 0, "aligned": 0},
    5: {"bad_fetch": 0, "illegal": 0, "trap": 0, "memory": 1, "store": 0, "aligned": 1},
    6: {"bad_fetch": 0, "illegal": 0, "trap": 0, "memory": 1, "store": 1, "aligned": 0},
    7: {"bad_fetch": 0, "illegal": 0, "trap": 0, "memory": 1, "store": 1, "aligned": 1},
    11: {"bad_fetch": 0, "illegal": 0, "trap": 1, "ebreak": 0},
}
LOST, READ = 0x81, 0x82  # what became of a byte of the host's
INPUTS = "fault_i why_i uart_i byte_i lost_i read_i thread_i pc_i value_i"


@cocotb.test()
async def reports_one_after_the_other(dut: Any) -> None:
    h = Harness(dut, dut.gen_event)
    io = Ports(h, f"{INPUTS} event_valid_o")
    sink = h.sink("event")
    sink.expect([])
    offered: int | None = None
    valid = False  # that it should be
    seen: dict[int, int] = {}

    def drive() -> None:
        nonlocal offered
        offered = None
        io.noise(*INPUTS.split())
        io.set(fault_i=0, uart_i=0, lost_i=0, read_i=0)
        if h.rng.random() < 0.4:
            return
        thread, pc, value, byte = (h.rng.getrandbits(bits) for bits in (4, 30, 32, 8))
        io.set(thread_i=thread, pc_i=pc, value_i=value, byte_i=byte)
        kind = h.rng.randrange(5)
        if kind == 0:
            io.set(uart_i=1)
            seen_cause = byte
        elif kind == 1:
            io.set(lost_i=1)
            seen_cause, pc, value = LOST, 0, 0
        elif kind == 2:
            io.set(read_i=1)
            seen_cause, pc, value = READ, 0, 0
        else:
            mcause = h.rng.choice(list(CAUSES))
            why = WHY.unpack(WHY.random(h.rng)) | CAUSES[mcause]
            io.set(fault_i=1, why_i=WHY.pack(**why))
            seen_cause = mcause + 1
        offered = EVENT.pack(fault=int(kind > 0), thread=thread, cause=seen_cause, pc=pc << 2, value=value)

    def check(cycle: int) -> None:
        nonlocal valid
        assert io["event_valid_o"] == valid, f"cycle {cycle}: valid is {io['event_valid_o']}"
        if valid:
            valid = len(sink.passed) == before[0]
        elif offered is not None:
            sink.expect([offered])
            valid = True
            cause = EVENT.unpack(offered)["cause"]
            seen[cause] = seen.get(cause, 0) + 1
        before[0] = len(sink.passed)

    before = [0]
    EveryCycle(h, drive, check)
    await h.reset()
    await h.until(lambda: all(seen.get(mcause + 1, 0) > 20 for mcause in CAUSES))
