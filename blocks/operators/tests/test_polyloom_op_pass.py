# SPDX-License-Identifier: Apache-2.0
"""Covers: random masks of 3 inputs to 5 outputs and 1 to 1, outputs that are not used, several streams a step, random
stalls on all sides: every beat at every output whose mask names its input, in order; status and idle; masks and words
that are refused; strays; a flush; latency and throughput to the cycle.

Leaves out: other shapes (test_polyloom_op_slot.py).
"""

from __future__ import annotations

from typing import Any

import cocotb
from operator_units import ERR_CONFIG, ERR_STRAY, Socket, noise

from polyloom.rtl.testing import Harness, bench

test = bench(__file__, "operators_tb")
SHAPES = ((3, 5), (1, 1))


@cocotb.test()
@cocotb.parametrize(which=range(2))
async def repeats(dut: Any, which: int) -> None:
    h = Harness(dut, dut.gen_pass[which])
    inputs, outputs = SHAPES[which]
    socket = Socket(h, inputs, outputs)
    for sink in socket.sinks:
        sink.expect([])
    await h.reset()
    for _ in range(15):
        picks = {o: h.rng.randrange(inputs) for o in range(outputs) if h.rng.random() < 0.7}
        await socket.step({o: (0, 1 << i) for o, i in picks.items()})
        beats = 0
        for i in set(picks.values()):
            stream = noise(h.rng, h.rng.randint(1, 20)) + noise(h.rng, h.rng.randint(1, 20))
            beats += len(stream)
            socket.sources[i].send(stream)
            for o, own in picks.items():
                if own == i:
                    socket.sinks[o].expect(stream)
        await h.drain()
        assert socket.idle() and socket.status(0) == 0
        assert which == 1 or (socket.status(1), socket.status(2)) == (beats, 0)


@cocotb.test()
@cocotb.parametrize(config=((0, 0b011), (0, 0), (1 << 40, 0b001), (1, 0b100)))
async def refuses(dut: Any, config: tuple[int, int]) -> None:
    """The output with the bad configuration is silent; others are as they should be."""
    h = Harness(dut, dut.gen_pass[0])
    socket = Socket(h, *SHAPES[0])
    await h.reset()
    await socket.step({1: config, 4: (0, 0b010)})
    beats = noise(h.rng, 9)
    socket.sources[1].send(beats)
    await h.drain()
    assert socket.came(4) == beats and not any(socket.came(o) for o in range(4))
    assert socket.status(0) == ERR_CONFIG


@cocotb.test()
async def a_stray_stays_where_it_is(dut: Any) -> None:
    h = Harness(dut, dut.gen_pass[0])
    socket = Socket(h, *SHAPES[0])
    await h.reset()
    await socket.step({0: (0, 0b010)})
    socket.sources[2].send(noise(h.rng, 1))
    await h.until(lambda: socket.status(0) != 0)
    assert socket.status(0) == ERR_STRAY and not socket.idle()
    beats = noise(h.rng, 20)
    socket.sources[1].send(beats)
    await h.drain()
    assert socket.came(0) == beats and not socket.idle()
    await socket.flush()
    assert socket.idle() and socket.status(0) == 0 and socket.status(1) == 0


@cocotb.test()
async def a_flush_drops_all(dut: Any) -> None:
    h = Harness(dut, dut.gen_pass[0])
    socket = Socket(h, *SHAPES[0], stall="never", sinks="always")
    await h.reset()
    await socket.step({o: (0, 0b001) for o in range(5)})
    socket.sources[0].send(noise(h.rng, 4))
    await h.until(lambda: not socket.sources[0].busy())
    for sink in socket.sinks:
        sink.reset()
    await socket.flush()
    assert socket.idle() and not h.signal("out_valid").get()


@cocotb.test()
async def a_beat_a_cycle(dut: Any) -> None:
    h = Harness(dut, dut.gen_pass[0])
    socket = Socket(h, *SHAPES[0], stall="never")
    await h.reset()
    await socket.step({0: (0, 0b001), 1: (0, 0b001), 2: (0, 0b100)})
    for i in (0, 2):
        socket.sources[i].send(noise(h.rng, 50))
    await h.drain()
    for o, i in ((0, 0), (1, 0), (2, 2)):
        assert socket.sinks[o].cycles == [cycle + 2 for cycle in socket.sources[i].cycles]
        assert socket.sinks[o].cycles == list(range(socket.sinks[o].cycles[0], socket.sinks[o].cycles[0] + 50))
