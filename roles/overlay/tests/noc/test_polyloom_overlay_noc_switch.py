# SPDX-License-Identifier: Apache-2.0
"""Covers: heads at three inputs that want outputs at random, of which two inputs may not go to one: grants and every
flit on the outputs in every cycle; room at random; every pair of input and output that may be.

Leaves out: more shapes, buffers before it (test_polyloom_overlay_noc_crossbar.py).
"""

from __future__ import annotations

from typing import Any

import cocotb
from noc_units import ArbiterModel, InputModel, Message, bits

from polyloom.rtl.testing import Harness, Stall, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "noc_tb")
LEGS = ({1}, {0, 1, 2}, {0, 1, 2})  # inputs of each output, as in noc_tb
PORTS = len(LEGS)
WAYS = [[o for o in range(PORTS) if i in LEGS[o]] for i in range(PORTS)]


@cocotb.test()
async def grants_in_turns(dut: Any) -> None:
    h = Harness(dut, dut.gen_switch)
    io = {
        name: h.signal(name) for name in ("valid", "long", "way", "ending", "flit", "grant", "out_valid", "out", "room")
    }
    inputs = [InputModel(8, 4) for _ in range(PORTS)]
    arbiters = [ArbiterModel(PORTS) for _ in range(PORTS)]
    stalls = [Stall(h.rng, "random") for _ in range(2 * PORTS)]
    wires: list[int | None] = [None] * PORTS
    turns: set[tuple[int, int]] = set()
    room = [False] * PORTS

    def message(i: int) -> Message:
        return Message(h.values(32, h.rng.randint(1, 4)), h.rng.choice(WAYS[i]))

    def drive() -> None:
        for i, port in enumerate(inputs):
            if not port.inside and not stalls[i]():
                port.inside.append(message(i))
        heads = {i: port.inside[0] for i, port in enumerate(inputs) if port.head()}
        room[:] = [not stall() for stall in stalls[PORTS:]]
        io["valid"].set(bits(set(heads)))
        io["long"].set(bits({i for i, head in heads.items() if len(head) > 1}))
        io["ending"].set(bits({i for i, port in enumerate(inputs) if port.ending()}))
        io["way"].set(sum(1 << heads[i].way + PORTS * i for i in heads))
        io["flit"].set(sum((port.flit() if port.inside else 0) << 32 * i for i, port in enumerate(inputs)))
        io["room"].set(bits({o for o in range(PORTS) if room[o]}))

    def check(cycle: int) -> None:
        assert io["out_valid"].get() == bits({o for o in range(PORTS) if wires[o] is not None}), f"cycle {cycle}"
        for o, flit in enumerate(wires):
            assert flit is None or io["out"].get() >> 32 * o & 0xFFFFFFFF == flit, f"cycle {cycle}: output {o}"
        heads = {i: port.inside[0] for i, port in enumerate(inputs) if port.head()}
        ending = {i for i, port in enumerate(inputs) if port.ending()}
        granted = set()
        for o, arbiter in enumerate(arbiters):
            requesting = {i for i, head in heads.items() if head.way == o}
            winner, sends = arbiter.end(requesting, {i for i in requesting if len(heads[i]) > 1}, ending, room[o])
            wires[o] = None if sends is None else inputs[sends].flit()
            if winner is not None:
                granted.add(winner)
                turns.add((winner, o))
        assert io["grant"].get() == bits(granted), f"cycle {cycle}: grants {io['grant'].get():#b}, expected {granted}"
        for i, port in enumerate(inputs):
            port.end(None, i in granted)

    EveryCycle(h, drive, check)
    await h.reset()
    await h.until(lambda: h.cycle > 1000 and turns == {(i, o) for i in range(PORTS) for o in WAYS[i]})
