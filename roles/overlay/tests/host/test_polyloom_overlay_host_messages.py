# SPDX-License-Identifier: Apache-2.0
"""Covers: messages of the host from one to the most flits into the network: whole, without a gap, only while the gate
is open and there is room; a full buffer holds the frames behind it and no more; no cycle is lost; reset forgets.

Tests polyloom_overlay_host_inject within polyloom_overlay_host. Leaves out: what the board router does with them.
"""

from __future__ import annotations

from typing import Any

import cocotb
from host_units import (
    CTL,
    CTL_UART,
    SHAPES,
    UART_IN,
    UNICAST,
    Network,
    Shell,
    Tiles,
    flits_of,
    message_frame,
    place,
    scope,
    word0,
)

from polyloom.rtl.testing import Harness, bench

test = bench(__file__, "host_tb")


def messages(h: Harness, shell: Shell, which: int, count: int, flits: int = 0) -> list[int]:
    """Send so many, of any length if none is given; their flits."""
    expected = []
    for _ in range(count):
        data = h.values(128, flits or h.rng.randint(1, SHAPES[which].max_flits))
        mask = 1 << h.rng.randrange(SHAPES[which].cores * SHAPES[which].threads)
        shell.send(message_frame(0, mask, data))
        expected += flits_of(UNICAST, 0, mask, data)
    return expected


@cocotb.test()
@cocotb.parametrize(which=range(4), gate=[(0.1, 0.9), (0.9, 0.1), (1.0, 1.0)])
async def all_come_in_order(dut: Any, which: int, gate: tuple[float, float]) -> None:
    """Room and gate at random."""
    h = scope(dut, which)
    shell, network = Shell(h), Network(h, *gate)
    place(h, (0, 0), (1, 1))
    await h.reset()
    expected = messages(h, shell, which, 60)
    await h.until(lambda: len(network.flits) == len(expected))
    await h.drain()
    assert network.flits == expected
    assert not h.signal("wanted").get()
    assert h.signal("idle").get()


@cocotb.test()
@cocotb.parametrize(which=[0, 1])
async def a_closed_gate_holds_what_fits(dut: Any, which: int) -> None:
    """With the buffer full a frame waits; what is behind it comes after the gate opens."""
    h = scope(dut, which)
    shell, tiles, network = Shell(h), Tiles(h), Network(h, 1.0, 0.0)
    place(h, (0, 0), (1, 1))
    await h.reset()
    shape = SHAPES[which]
    fits = shape.host_flits // shape.max_flits
    expected = messages(h, shell, which, fits + 1, shape.max_flits)
    shell.send([word0(UART_IN, 1, 0)])
    tiles.sink.expect([CTL.pack(op=CTL_UART, data=1)])
    await h.step(2000)
    assert shell.answers == [False] * fits
    assert not network.flits
    assert h.signal("wanted").get()
    assert not h.signal("idle").get()
    network.open = 1.0
    await h.drain()
    assert network.flits == expected
    assert len(shell.answers) == fits + 2


@cocotb.test()
async def no_cycle_is_lost(dut: Any) -> None:
    """What has waited goes out a flit a cycle; one that finds all open is on the wire 2 cycles after its end."""
    h = scope(dut, 2)
    shell, network = Shell(h, "never"), Network(h, 1.0, 0.0)
    place(h, (0, 0), (1, 1))
    await h.reset()
    expected = messages(h, shell, 2, 50)
    await h.drain()
    network.open = 1.0
    await h.drain(after=len(expected) + 10)
    assert network.flits == expected
    assert network.cycles == list(range(network.cycles[0], network.cycles[0] + len(expected)))
    for flits in (1, 2, 4):
        messages(h, shell, 2, 1, flits)
        await h.drain()
        assert network.cycles[-flits] - shell._source.cycles[-1] == 2


@cocotb.test()
async def reset_forgets_what_waits(dut: Any) -> None:
    """Nothing of before comes after."""
    h = scope(dut, 0)
    shell, network = Shell(h), Network(h, 1.0, 0.0)
    place(h, (0, 0), (1, 1))
    await h.reset()
    messages(h, shell, 0, 2)
    await h.drain()
    await h.reset()
    network.open = 1.0
    expected = messages(h, shell, 0, 3)
    await h.drain(after=60)
    assert network.flits == expected
