# SPDX-License-Identifier: Apache-2.0
"""Covers: responses on all ports in one cycle, of random threads, and reads of the last one of a thread, by where it
comes from: data and flags two cycles after it is asked for; hits and fills told apart by the bit that a fill changes.

Leaves out: a response read in the cycle in which it comes (undefined; never asked for here); fewer threads (the core's
tests).
"""

from __future__ import annotations

from typing import Any

import cocotb

from polyloom.rtl.testing import Harness, bench
from polyloom.rtl.testing.every_cycle import EveryCycle
from polyloom.rtl.testing.payload import Struct

test = bench(__file__, "core_units_tb")
RSP = Struct.of("polyloom_overlay_pkg::rsp_t")
HIT, FILL, SCRATCHPAD, FPU, DIVIDER, WAKE = range(6)
SOURCE = {HIT: 0, FILL: 0, SCRATCHPAD: 1, FPU: 2, DIVIDER: 3, WAKE: 4}
THREADS = 16


@cocotb.test()
async def keeps_the_last_of_each_thread(dut: Any) -> None:
    h = Harness(dut, dut.gen_responses)
    names = ("valid", "response", "wake", "wake_bits", "thread", "src", "side", "side_now", "we", "wthread", "wside")
    io = {name: h.signal(name) for name in (*names, "data", "flags")}
    held: dict[int, tuple[int, int, int]] = {}  # by thread: port, data, flags
    noted: dict[int, int] = {}  # by thread: the bit that its latent instruction has found
    requested: set[int] = set()  # threads whose instruction has taken note and has no response
    looks: int | None = None  # the thread whose bit is read in this cycle
    writes: int | None = None  # the thread whose note is written in this cycle
    wanted: tuple[int, int] | None = None
    due: list[tuple[int, int] | None] = [None, None]
    reads = dict.fromkeys(SOURCE, 0)

    def responses() -> dict[int, tuple[int, int, int]]:
        """Up to one on each port, of threads that wait for one."""
        came: dict[int, tuple[int, int, int]] = {}
        words, valid, wake, bits = [0] * WAKE, 0, 0, h.rng.getrandbits(4 * THREADS)
        for port in SOURCE:
            thread = h.rng.randrange(THREADS)
            comes = thread in requested - came.keys() and h.rng.random() < 0.7
            value, flags = h.rng.getrandbits(32), h.rng.getrandbits(5) if port in {FPU, DIVIDER} else 0
            if port != WAKE:
                words[port] = RSP.pack(thread=thread, data=value, flags=flags)
                valid |= comes << port
            elif comes:
                wake, value = 1 << thread, bits >> 4 * thread & 15
            if comes:
                came[thread] = (port, value, flags)
        io["valid"].set(valid)
        io["response"].set(sum(word << 41 * port for port, word in enumerate(words)))
        io["wake"].set(wake)
        io["wake_bits"].set(bits)
        return came

    def drive() -> None:
        nonlocal looks, writes, wanted
        looks, writes, wanted = None, looks, None
        io["we"].set(int(writes is not None))
        if writes is not None:
            io["wthread"].set(writes)
            io["wside"].set(noted[writes])
        came = responses()
        idle = [thread for thread in range(THREADS) if thread not in requested and thread != writes]
        if idle and h.rng.random() < 0.4:
            looks = h.rng.choice(idle)
            held.pop(looks, None)
            io["thread"].set(looks)
        elif held:
            thread = h.rng.choice(sorted(held))
            port, *wanted_now = held[thread]
            wanted = (wanted_now[0], wanted_now[1])
            reads[port] += 1
            io["thread"].set(thread)
            io["src"].set(SOURCE[port])
            io["side"].set(noted[thread])
        held.update(came)
        requested.difference_update(came)

    def check(cycle: int) -> None:
        value = due.pop(0)
        if value is not None:
            assert (io["data"].get(), io["flags"].get()) == value, f"cycle {cycle}"
        due.append(wanted)
        if looks is not None:
            noted[looks] = io["side_now"].get()
        if writes is not None:
            requested.add(writes)

    EveryCycle(h, drive, check)
    await h.reset()
    await h.until(lambda: min(reads.values()) > 200)
