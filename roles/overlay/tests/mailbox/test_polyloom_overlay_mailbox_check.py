# SPDX-License-Identifier: Apache-2.0
"""Covers: sends that are good, wrong in one point or in several, and random words, against the layout of addresses in
arch/address.h: each field at, below and beyond its limit; no thread, a thread that is not there; hosts; keys, with
routers and without; a busy thread; a pointer that is no slot; of several reasons the first; nothing is bad where
nothing is sent; boards of 2x3 and 5x9 tiles, meshes from 1x1 to 8x8 boards.

Leaves out: mesh sizes that no cluster has (0, more than 8).
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from typing import Any

import cocotb
from mailbox_units import BUSY, LENGTH, NO_RECEIVER, NO_THREAD, NOWHERE, POINTER, SEND

from polyloom.rtl.testing import Harness, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "mailbox_tb")


@dataclass(frozen=True)
class Board:
    """As config_of() of mailbox_tb has it."""

    x: int
    y: int
    threads: int  # of a tile
    max_flits: int
    routers: bool

    def shifts(self) -> list[int]:
        """Where a destination's tile x, tile y, board x, board y and extra bits begin."""
        widths = [max(2, (self.x - 1).bit_length()), max(2, (self.y - 1).bit_length()), 3, 3]
        return [sum(widths[:i]) for i in range(5)]


#: Other reasons are bad places.
CODES = {"busy": BUSY, "flits": LENGTH, "no receiver": NO_RECEIVER, "mask": NO_THREAD, "astray": POINTER}
BOARDS = (Board(2, 3, 8, 4, False), Board(2, 3, 64, 4, True), Board(2, 3, 1, 3, False), Board(5, 9, 32, 1, True))


@dataclass
class Send:
    """What a thread asks for, by what it means."""

    at: list[int]  # tile x, tile y, board x, board y
    extra: int  # bits: host side, host, key, accelerator
    mask: int
    flits: int
    busy: bool
    astray: bool = False

    def dest(self, board: Board) -> int:
        """As the thread writes it."""
        return sum(value << shift for value, shift in zip([*self.at, self.extra], board.shifts(), strict=True))

    def key(self, board: Board) -> bool:
        """Whether the board's router is to look it up."""
        return board.routers and bool(self.extra & 4)

    def wrong(self, board: Board, mesh: tuple[int, int]) -> list[str]:
        """Why it is bad, if it is, the first reason first."""
        mailbox = not self.extra & 2 and not self.key(board)
        limits = [board.x, board.y, *mesh]
        reasons = {
            "busy": self.busy,
            "flits": self.flits > board.max_flits,
            "extra": self.extra >= 4 and not self.key(board),
            **{f"at {i}": mailbox and self.at[i] >= limits[i] for i in range(4)},
            "no receiver": mailbox and self.mask == 0,
            "mask": mailbox and self.mask >> board.threads != 0,
            "astray": self.astray,
        }
        return [reason for reason, is_so in reasons.items() if is_so]


def make(rng: random.Random, board: Board, mesh: tuple[int, int]) -> Send:
    """A good send, then now and then a field at random or just beyond its limit."""
    limits = [board.x, board.y, *mesh]
    shifts = board.shifts()
    send = Send([rng.randrange(limit) for limit in limits], rng.randrange(2), 0, rng.randint(1, board.max_flits), False)
    send.mask = rng.getrandbits(board.threads) or 1 << rng.randrange(board.threads)
    for _ in range(rng.choice((0, 1, 1, 1, 2))):
        field = rng.randrange(10)
        if field < 4:
            width = shifts[field + 1] - shifts[field]
            send.at[field] = min(limits[field], (1 << width) - 1) if rng.random() < 0.5 else rng.getrandbits(width)
        elif field == 4:
            send.extra = rng.randrange(16)
        elif field == 5:
            send.mask = rng.choice((0, 1 << rng.randrange(64), 1 << board.threads & (1 << 64) - 1, rng.getrandbits(64)))
        elif field == 6:
            send.flits = rng.randint(1, 8)
        elif field == 7:
            send.busy = True
        elif field == 8:
            send.astray = True
        else:
            send.extra |= 2
    return send


@cocotb.test()
@cocotb.parametrize(which=range(4))
async def reports_good_from_bad(dut: Any, which: int) -> None:
    h = Harness(dut, dut.gen_check[which])
    board = BOARDS[which]
    names = ("send", "valid", "busy", "mesh", "host", "key", "bad", "why")
    word, valid, busy, mesh, host, key, bad, why = (h.signal(name) for name in names)
    rng = h.rng
    size, send, requested = (1, 1), make(rng, board, (1, 1)), False
    only: Counter[str] = Counter()  # what alone was wrong

    def drive() -> None:
        nonlocal size, send, requested
        if rng.random() < 0.05:
            size = (rng.randint(1, 8), rng.randint(1, 8))
        send, requested = make(rng, board, size), rng.random() < 0.9
        mesh.set(size[1] << 4 | size[0])
        valid.set(int(requested))
        busy.set(int(send.busy))
        noise = {"thread": rng.getrandbits(4), "slot": rng.getrandbits(9), "pc": rng.getrandbits(32)}
        noise["astray"] = int(send.astray)
        word.set(SEND.pack(dest=send.dest(board), mask=send.mask, flits=send.flits - 1, **noise))

    def check(cycle: int) -> None:
        wrong = send.wrong(board, size)
        assert host.get() == send.extra >> 1 & 1, f"cycle {cycle}: {send}"
        assert key.get() == send.key(board), f"cycle {cycle}: {send}"
        assert bad.get() == (requested and bool(wrong)), f"cycle {cycle}: {send}, mesh {size}: wrong {wrong}"
        if bad.get():
            assert why.get() == CODES.get(wrong[0], NOWHERE), f"cycle {cycle}: {why.get()}: {wrong}"
        if requested and len(wrong) < 2:
            only["".join(wrong)] += 1

    EveryCycle(h, drive, check)
    await h.reset()
    possible = {"", "busy", "flits", "extra", "no receiver", "astray", "at 1", "at 2", "at 3"}
    possible |= {"mask"} if board.threads < 64 else set()
    await h.until(lambda: h.cycle > 1000 and possible <= only.keys())
