# SPDX-License-Identifier: Apache-2.0
"""Covers: exactly once and in order, whatever the network does: random traffic of all three players to each other
and to themselves, with frames lost, repeated, delayed past each other and damaged; sizes around E and pieces, any
alignment, buffers in block RAM and, by polyloom_kernel_memory, in DRAM. What only faults reach: the programs
polyloom_mpe_program_time_pkg and, on old and early packets, polyloom_mpe_program_match_pkg.

Leaves out: a peer that is gone (test_polyloom_mpe.py).
"""

from __future__ import annotations

from typing import Any

import cocotb
from kernel_traffic import Traffic
from kernel_world import Fault, World

from polyloom.rtl.testing import bench

test = bench(__file__, "kernel_tb")

SIZES = [0, 1, 7, 8, 9, 63, 64, 128, 129, 1440, 1441, 3000]


def network(world: World, loss: float, twice: float, late: float, damage: float) -> Fault:
    """What becomes of frames."""
    rng = world.rng

    def fault(frame: bytes) -> list[tuple[int, bytes]]:
        if rng.random() < loss:
            return []
        copies = [frame] * (2 if rng.random() < twice else 1)
        out = []
        for copy in copies:
            if rng.random() < damage:
                bit = rng.randrange(8 * len(copy))
                copy = bytes(b ^ (1 << bit % 8 if i == bit // 8 else 0) for i, b in enumerate(copy))
            out.append((rng.randint(1, 600) if rng.random() < late else 0, copy))
        return out

    return fault


@cocotb.test()
@cocotb.parametrize(kind=["none", "loss", "order", "all"])
async def traffic(dut: Any, kind: str) -> None:
    w = World(dut, holes=0.02)
    await w.reset()
    slots = w.rng.choice([1, 2, 4])
    # Without faults nothing is sent again if the time is longer than a response may wait behind others' data.
    time = 10_000 if kind == "none" else 1200
    await w.set_up([0, 1, 2], eager=128, slots=slots, window=2880, retransmit=time, ack_delay=150, retries=30)
    t = Traffic(w, 3, 60, SIZES)
    t.load()
    faults = {"none": (0, 0, 0, 0), "loss": (0.1, 0, 0, 0), "order": (0, 0.1, 0.2, 0), "all": (0.05, 0.05, 0.1, 0.05)}
    w.fault = network(w, *faults[kind])
    await w.start(0, 1, 2)
    await w.run(0, 1, 2, limit=400_000)
    t.check()
    if kind == "none":
        counters = [await w.read(n, 0x10, 10) for n in range(3)]
        assert all(c[7] == 0 and c[9] == 0 for c in counters), counters  # nothing sent again, no time-out
