# SPDX-License-Identifier: Apache-2.0
"""Covers: messages for the host, console bytes and faults as frames, for boards of four shapes: contents, whole frames,
order of each kind, turns between them, the pulse of a message that is on the host link, idle; random stalls; gaps
within a message; times; a reset within a frame.

Leaves out: what the shell's sender does with the frames.
"""

from __future__ import annotations

import itertools
from typing import Any

import cocotb
from host_ends import Pulses, frames_of, message_ends, random_event, random_message
from host_units import SHAPES, place_board

from polyloom.rtl.testing import Harness, bench

test = bench(__file__, "host_tb")


@cocotb.test()
@cocotb.parametrize(which=range(4), board=[(0, 0), (2, 5), (7, 7)])
async def frames_say_what_was_reported(dut: Any, which: int, board: tuple[int, int]) -> None:
    """Both inputs at once."""
    h = Harness(dut, dut.gen_tx[which])
    tx, reported, leave, out = h.sink("tx"), h.source("reported"), h.source("leave"), Pulses(h, "host_out")
    place_board(h, board)
    await h.reset()
    events = [random_event(h, SHAPES[which], board) for _ in range(80)]
    messages = [random_message(h, SHAPES[which]) for _ in range(80)]
    reported.send([bits for bits, _ in events])
    for flits, _ in messages:
        leave.send(flits)
    await h.until(lambda: bool(tx.passed))
    assert not h.signal("idle").get()
    await h.drain(after=60)
    got = frames_of(tx.passed)
    assert [f for f in got if f[0] & 0xFF != 1] == [frame for _, frame in events]
    assert [f for f in got if f[0] & 0xFF == 1] == [frame for _, frame in messages]
    assert out.cycles == message_ends(tx.passed, tx.cycles)
    assert h.signal("idle").get()


@cocotb.test()
async def messages_and_events_take_turns(dut: Any) -> None:
    """While both wait, none comes twice in a row; a frame costs its words and a cycle. The first is a message."""
    h = Harness(dut, dut.gen_tx[2])
    tx, reported, leave = h.sink("tx", "never"), h.source("reported", "never"), h.source("leave", "never")
    await h.reset()
    reported.send([random_event(h, SHAPES[2], (0, 0))[0] for _ in range(20)])
    for _ in range(20):
        leave.send(random_message(h, SHAPES[2])[0])
    await h.drain(after=20)
    frames = frames_of(tx.passed)
    kinds = [frame[0] & 0xFF == 1 for frame in frames]
    assert kinds[0]
    assert all(a != b for a, b in itertools.pairwise(kinds))
    assert tx.cycles[-1] - tx.cycles[0] + 1 == len(tx.passed) + len(frames) - 1


@cocotb.test()
async def the_first_word_comes_a_cycle_later(dut: Any) -> None:
    """Than what it tells of, and an event or a flit goes with its last word."""
    h = Harness(dut, dut.gen_tx[0])
    tx, reported, leave = h.sink("tx", "never"), h.source("reported", "never"), h.source("leave", "never")
    await h.reset()
    for _ in range(30):
        seen = len(tx.passed)
        begin = h.cycle
        if h.rng.random() < 0.5:
            reported.send(random_event(h, SHAPES[0], (0, 0))[0])
        else:
            leave.send(random_message(h, SHAPES[0])[0])
        await h.drain(after=h.rng.randrange(1, 5))
        assert tx.cycles[seen] == begin + 1
        assert tx.cycles[-1] in (reported.cycles + leave.cycles)
        assert h.signal("idle").get()


@cocotb.test()
async def reset_begins_anew(dut: Any) -> None:
    """Within a frame; what waits is told from its first word."""
    h = Harness(dut, dut.gen_tx[1])
    tx, reported, leave = h.sink("tx"), h.source("reported"), h.source("leave")
    place_board(h, (3, 4))
    for _ in range(20):
        await h.reset()
        reported.send(random_event(h, SHAPES[1], (3, 4))[0])
        leave.send(random_message(h, SHAPES[1])[0])
        await h.step(h.rng.randrange(12))
        # What stands at the inputs stands there after the reset too, or is gone; so whole frames must come.
        await h.reset()
        seen = len(tx.passed)
        await h.drain()
        frames_of(tx.passed[seen:])
