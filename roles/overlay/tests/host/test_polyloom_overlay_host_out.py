# SPDX-License-Identifier: Apache-2.0
"""Covers: messages for the host, console bytes and faults as frames: contents, whole frames, order of each kind, turns
between them, the pulse of a message that is on the host link; random stalls; gaps within a message; times.

Tests polyloom_overlay_host_tx within polyloom_overlay_host. Leaves out: what the shell's sender does with the frames.
"""

from __future__ import annotations

import itertools
from typing import Any

import cocotb
from host_units import (
    FAULT,
    HOST,
    MASK,
    SHAPES,
    TOLD,
    UART_OUT,
    WORD,
    Agent,
    Shape,
    flits_of,
    message_frame,
    place,
    scope,
    word0,
)

from polyloom.rtl.testing import Harness, bench

test = bench(__file__, "host_tb")


class Pulses(Agent):
    """Cycles in which a signal is high."""

    def __init__(self, h: Harness, name: str) -> None:
        self._signal = h.signal(name)
        self.cycles: list[int] = []
        super().__init__(h)

    def sample(self, cycle: int) -> None:
        """Note."""
        if self._signal.get():
            self.cycles.append(cycle)


def random_event(h: Harness, shape: Shape, board: tuple[int, int]) -> tuple[int, list[int]]:
    """What a tile tells, and the frame that it becomes."""
    rng = h.rng
    tile, core, thread = rng.randrange(shape.tiles), rng.randrange(shape.cores), rng.randrange(shape.threads)
    index = core * shape.threads + thread
    cause, pc, value = rng.randrange(1, 256), rng.getrandbits(32), rng.getrandbits(32)
    if rng.random() < 0.5:
        told = TOLD.pack(tile=tile, thread=index, cause=cause, pc=pc, value=value)
        return told, [word0(UART_OUT, cause, tile * shape.cores + core | thread << 16)]
    told = TOLD.pack(tile=tile, fault=1, thread=index, cause=cause, pc=pc, value=value)
    mailbox = shape.mailbox(board, (tile % shape.tiles_x, tile // shape.tiles_x))
    return told, [word0(FAULT, cause, mailbox << 6 | index), pc | value << 32]


def random_message(h: Harness, shape: Shape) -> tuple[list[int], list[int]]:
    """Flits and frame."""
    dest, mask = h.rng.getrandbits(20), h.rng.getrandbits(64)
    data = h.values(128, h.rng.randint(1, shape.max_flits))
    return flits_of(h.rng.choice([HOST, MASK]), dest, mask, data), message_frame(dest, mask, data)


def frames_of(words: list[int]) -> list[list[int]]:
    """Cut a stream of words into frames."""
    frames: list[list[int]] = [[]]
    for word in map(WORD.unpack, words):
        frames[-1].append(word["data"])
        if word["last"]:
            frames.append([])
    assert not frames[-1], "the last frame is not whole"
    return frames[:-1]


@cocotb.test()
@cocotb.parametrize(which=range(4), board=[(0, 0), (2, 5)])
async def frames_say_what_was_told(dut: Any, which: int, board: tuple[int, int]) -> None:
    """Both inputs at once."""
    h = scope(dut, which)
    tx, told, leave, out = h.sink("tx"), h.source("told"), h.source("leave"), Pulses(h, "host_out")
    place(h, board, (8, 8))
    await h.reset()
    events = [random_event(h, SHAPES[which], board) for _ in range(80)]
    messages = [random_message(h, SHAPES[which]) for _ in range(80)]
    told.send([bits for bits, _ in events])
    for flits, _ in messages:
        leave.send(flits)
    await h.drain(after=60)
    got = frames_of(tx.passed)
    assert [f for f in got if f[0] & 0xFF != 1] == [frame for _, frame in events]
    assert [f for f in got if f[0] & 0xFF == 1] == [frame for _, frame in messages]
    # A pulse with the last word of each message, and no other.
    ends, frame = [], []
    for bits, cycle in zip(tx.passed, tx.cycles, strict=True):
        frame.append(WORD.unpack(bits)["data"])
        if WORD.unpack(bits)["last"]:
            ends += [cycle] if frame[0] & 0xFF == 1 else []
            frame = []
    assert out.cycles == ends


@cocotb.test()
async def messages_and_events_take_turns(dut: Any) -> None:
    """While both wait, none comes twice in a row; a frame costs its words and a cycle."""
    h = scope(dut, 2)
    tx, told, leave = h.sink("tx", "never"), h.source("told", "never"), h.source("leave", "never")
    place(h, (0, 0), (1, 1))
    await h.reset()
    told.send([random_event(h, SHAPES[2], (0, 0))[0] for _ in range(20)])
    for _ in range(20):
        leave.send(random_message(h, SHAPES[2])[0])
    await h.drain(after=20)
    frames = frames_of(tx.passed)
    kinds = [frame[0] & 0xFF == 1 for frame in frames]
    assert all(a != b for a, b in itertools.pairwise(kinds))
    assert tx.cycles[-1] - tx.cycles[0] + 1 == len(tx.passed) + len(frames) - 1
