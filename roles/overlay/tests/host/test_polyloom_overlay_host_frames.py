# SPDX-License-Identifier: Apache-2.0
"""Covers: random messages, with keys too where there are routers, console bytes and starts on four shapes of boards,
good ones and each reason to refuse: responses, requests to the tiles, flits, their order; at board (0,0) and elsewhere;
random stalls on all sides; times.

Tests polyloom_overlay_host_frames within polyloom_overlay_host. Leaves out: malformed frames (the shell stops those).
"""

from __future__ import annotations

from typing import Any

import cocotb
from host_units import (
    SHAPES,
    START,
    UART_IN,
    FrameMaker,
    Network,
    Shell,
    Tiles,
    message_frame,
    place,
    scope,
    word0,
)

from polyloom.rtl.testing import bench

test = bench(__file__, "host_tb")
PLACES = (((0, 0), (1, 1)), ((0, 0), (3, 2)), ((1, 0), (2, 2)), ((0, 0), (8, 8)))


@cocotb.test()
@cocotb.parametrize(which=range(4))
async def does_what_frames_request(dut: Any, which: int) -> None:
    """Against the checks of roles/overlay/sim/board/board_shell.cc, written in Python."""
    for board, mesh in PLACES:
        h = scope(dut, which)
        shell, tiles, network = Shell(h), Tiles(h), Network(h)
        h.sink("tx")  # the host is told of room for messages
        tiles.sink.expect([])
        place(h, board, mesh)
        await h.reset()
        maker = FrameMaker(h.rng, SHAPES[which], board, mesh)
        for _ in range(40):
            shell.send(maker.make())
        tiles.sink.expect(maker.expected.requests)
        await h.drain(after=100)
        assert shell.responses == maker.expected.refused
        assert network.flits == maker.expected.flits
        assert {True, False} <= set(maker.expected.refused)
        assert h.signal("idle").get()


@cocotb.test()
async def responses_in_the_time_of_the_header(dut: Any) -> None:
    """Cycles from a frame's last word to its response, no one stalling."""
    h = scope(dut, 0)
    shell, _, _ = Shell(h, "never"), Tiles(h, "never"), Network(h, 1.0, 1.0)
    place(h, (0, 0), (1, 1))
    await h.reset()
    frames = (
        (message_frame(0, 1, [5, 6, 7, 8]), 1),
        (message_frame(0, 0, [5, 6, 7, 8]), 1),  # refused, dropped word by word
        ([word0(UART_IN, 9, 4 << 16)], 2),  # refused
        ([word0(UART_IN, 9, 0)], 3),
        ([word0(START, 4, 3 << 16), 0x100], 2 + 12),
    )
    for frame, cycles in frames:
        shell.send(frame)
        await h.drain()
        assert shell.cycles[-1] - shell._source.cycles[-1] == cycles, frame
    assert shell.responses == [False, True, True, False, False]
