# SPDX-License-Identifier: Apache-2.0
"""Covers: messages of every length from each input to each output that it may go to, begun and given room at random:
room at the inputs and every flit on the outputs in every cycle, against buffers and turns on lists; 4 ports with an
output that no one may go to and two deeper inputs, 2 ports, 1 port; longest messages of 3, 4 and 1 flits.

Leaves out: messages for outputs that they may not go to (asserted in the RTL); routes (the routers' tests).
"""

from __future__ import annotations

from typing import Any

import cocotb
from noc_units import CrossbarModel, Message, Ports

from polyloom.rtl.testing import Harness, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "noc_tb")
#: As in noc_tb: flits of each input's buffer, the longest message, inputs of each output.
SHAPES: tuple[tuple[list[int], int, list[set[int]]], ...] = (
    ([9, 9, 5, 5], 3, [{1, 2}, {0, 1, 2, 3}, set(), {0, 2, 3}]),
    ([4, 4], 4, [{0, 1}, {0, 1}]),
    ([2], 1, [{0}]),
)


@cocotb.test()
@cocotb.parametrize(which=range(3))
async def moves_whole_messages(dut: Any, which: int) -> None:
    h = Harness(dut, dut.gen_crossbar[which])
    sizes, longest, legs = SHAPES[which]
    count = len(sizes)
    ways = [[o for o in range(count) if i in legs[o]] for i in range(count)]

    def make(p: int) -> Message:
        return Message(h.values(32, h.rng.randint(1, longest)), h.rng.choice(ways[p]))

    ports = Ports(h, CrossbarModel(sizes, longest), make, 32)
    beside = {name: h.signal(name) for name in ("in_first", "in_flits", "in_way")}

    def drive() -> None:
        ports.drive()
        words = dict.fromkeys(beside, 0)
        for p, now in enumerate(ports.now):
            message, number = now or (make(p), h.rng.randrange(2))
            first = number == 0
            words["in_first"] |= first << p
            words["in_flits"] |= (len(message) - 1 if first else h.rng.getrandbits(2)) << 2 * p
            words["in_way"] |= (1 << message.way if first else h.rng.getrandbits(count)) << count * p
        for name, signal in beside.items():
            signal.set(words[name])

    EveryCycle(h, drive, ports.check)
    await h.reset()
    turns = {(i, o) for i in range(count) for o in ways[i]}
    await h.until(lambda: h.cycle > 2000 and ports.model.turns == turns)
    assert all(writer.blocked > 50 for writer in ports.writers)
