# SPDX-License-Identifier: Apache-2.0
"""Covers: the router of random boards of a mesh: messages of every kind and length that pass there on their way, X
before Y, from and to links, the host and columns of tiles, begun and given room at random, taken from exits with random
stalls: room and every flit on the outputs in every cycle; every turn that such ways take; 5x6 tiles, whose addresses
are wider than published.

Leaves out: what has no way there: messages from the host to itself, for boards that do not exist, keys; boards of 1x1
and 2x2 tiles (test_polyloom_overlay_noc.py).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import cocotb
from noc_units import EAST, FLIT, HOST, MASK, NORTH, SOUTH, UNICAST, WEST, CrossbarModel, Message, Ports, message_of

from polyloom.rtl.testing import Harness, Stall, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "noc_tb")
HOST_PORT, COLUMN, EXITS = 4, 5, 5
EXIT_FLITS = 32  # that an exit's buffer holds, and that of an input from there
STEPS = {NORTH: (0, 1), EAST: (1, 0), SOUTH: (0, -1), WEST: (-1, 0)}
BACK = {NORTH: SOUTH, EAST: WEST, SOUTH: NORTH, WEST: EAST}
COLUMNS, ROWS, LONGEST, FLITS = 5, 6, 3, 7  # tiles; the longest message, flits of the buffer of a column's input
MESH = (8, 4)

Board = tuple[int, int]
Goal = tuple[Board | None, int]  # where a message goes: a board, None for the host; a column


class Exit:
    """The buffer between the router and a link or the host."""

    def __init__(self) -> None:
        self.flits: deque[int] = deque()
        self.lengths: deque[int] = deque()  # of messages whose last flit has not been taken
        self.accepted = self.blocked = 0

    def room(self, flit: int | None) -> bool:
        """Beside a flit that comes."""
        coming = FLIT.unpack(flit)["flits"] + 1 if flit is not None and FLIT.unpack(flit)["first"] else 0
        has_room = sum(self.lengths) + coming + LONGEST <= EXIT_FLITS
        self.blocked += not has_room
        return has_room

    def end(self, flit: int | None, ready: bool) -> None:
        """The cycle ends."""
        if self.flits and ready:
            self.flits.popleft()
            self.accepted += 1
            if self.accepted == self.lengths[0]:
                self.lengths.popleft()
                self.accepted = 0
        if flit is not None:
            self.flits.append(flit)
            if FLIT.unpack(flit)["first"]:
                self.lengths.append(FLIT.unpack(flit)["flits"] + 1)


class BoardPorts(Ports):
    """With exits behind the first outputs."""

    def __init__(self, h: Harness, model: CrossbarModel, make: Callable[[int], Message | None]) -> None:
        super().__init__(h, model, make, FLIT.width)
        self.exits = [Exit() for _ in range(EXITS)]
        self.stalls = [Stall(h.rng, "random") for _ in range(EXITS)]
        self.io |= {name: h.signal(name) for name in ("exit_valid", "leaving", "exit_ready")}

    def drive_outputs(self) -> None:
        """Room in the columns; some exits are taken from."""
        self.room = [not stall() for stall in self.no_room]
        self.ready = [not stall() for stall in self.stalls]
        self.io["out_room"].set(sum(1 << x for x, room in enumerate(self.room[COLUMN:]) if room))
        self.io["exit_ready"].set(sum(1 << e for e, ready in enumerate(self.ready) if ready))

    def check_outputs(self, cycle: int) -> None:
        """Wires to the columns, and what the exits offer."""
        self.compare("out_valid", "out", self.model.wires[COLUMN:], cycle)
        self.compare("exit_valid", "leaving", [e.flits[0] if e.flits else None for e in self.exits], cycle)
        for e, buffer in enumerate(self.exits):
            flit = self.model.wires[e]
            self.room[e] = buffer.room(flit)
            buffer.end(flit, self.ready[e])


def way(board: Board, enters: int, to: Board | None, column: int) -> Iterator[tuple[Board, int, int]]:
    """Each board on a message's way: the board, the port that it enters by, the one that it leaves by."""
    goal = to or (0, 0)
    while True:
        if goal[0] != board[0]:
            leaves = EAST if goal[0] > board[0] else WEST
        elif goal[1] != board[1]:
            leaves = NORTH if goal[1] > board[1] else SOUTH
        else:
            leaves = HOST_PORT if to is None else COLUMN + column
        yield board, enters, leaves
        if board == goal:
            return
        board = (board[0] + STEPS[leaves][0], board[1] + STEPS[leaves][1])
        enters = BACK[leaves]


def passing(here: Board, columns: int, size: Board) -> list[dict[int, list[Goal]]]:
    """By the ports of a board's router that messages enter by and leave by: where they go."""
    boards = [(x, y) for x in range(size[0]) for y in range(size[1])]
    cases: list[dict[int, list[Goal]]] = [{} for _ in range(COLUMN + columns)]
    for to in [*boards, None]:
        begins = [(board, COLUMN + x) for board in boards for x in range(columns) if board != to]
        if to is not None:
            begins.append(((0, 0), HOST_PORT))
        for begin, port in begins:
            for column in range(columns) if to is not None else [0]:
                for at, enters, leaves in way(begin, port, to, column):
                    if at == here:
                        cases[enters].setdefault(leaves, []).append((to, column))
    return cases


@cocotb.test()
@cocotb.parametrize(here=[(3, 1), (0, 0), (7, 0), (5, 3)])
async def routes_x_then_y(dut: Any, here: Board) -> None:
    h = Harness(dut, dut.gen_board_router)
    cases = passing(here, COLUMNS, MESH)
    x_bits, y_bits = (COLUMNS - 1).bit_length(), (ROWS - 1).bit_length()

    def make(p: int) -> Message | None:
        if not cases[p]:
            return None
        out = h.rng.choice(sorted(cases[p]))
        to, column = h.rng.choice(cases[p][out])
        dest, kind = h.rng.getrandbits(20), HOST
        if to is not None:
            kind = h.rng.choice((UNICAST, MASK))
            board = to[1] << 3 | to[0]
            dest = board << x_bits + y_bits | h.rng.randrange(ROWS) << x_bits | column
        return message_of(h.rng, kind, dest, out, LONGEST)

    ports = BoardPorts(h, CrossbarModel([EXIT_FLITS] * EXITS + [FLITS] * COLUMNS, LONGEST), make)
    h.signal("board").set(here[1] << 3 | here[0])
    EveryCycle(h, ports.drive, ports.check)
    await h.reset()
    turns = {(enters, leaves) for enters, some in enumerate(cases) for leaves in some}
    await h.until(lambda: h.cycle > 800 and ports.model.turns == turns)
