# SPDX-License-Identifier: Apache-2.0
"""Covers: the router of random tiles of a board: messages of every kind and length that pass there on their way, X
before Y, to another tile, to other boards and to the host, or with a key, wherever its destination points, begun and
given room at random: room and every flit on the outputs in every cycle; every turn that such ways take; 3x2 tiles, and
5x6 whose addresses are wider.

Leaves out: addresses that do not exist (mailbox and host check); bad sizes (test_polyloom_overlay_noc.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import cocotb
from noc_units import (
    EAST,
    FLIT,
    HOST,
    KEY,
    MASK,
    NORTH,
    SOUTH,
    UNICAST,
    WEST,
    CrossbarModel,
    Message,
    Ports,
    message_of,
)

from polyloom.rtl.testing import Harness, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "noc_tb")
LOCAL = 4
STEPS = {NORTH: (0, 1), EAST: (1, 0), SOUTH: (0, -1), WEST: (-1, 0)}
BACK = {NORTH: SOUTH, EAST: WEST, SOUTH: NORTH, WEST: EAST}
SHAPES = ((3, 2, 4, 16), (5, 6, 3, 7))  # tiles, longest message, flits of a buffer

Tile = tuple[int, int]


def way(tile: Tile, enters: int, to: Tile | None) -> Iterator[tuple[Tile, int, int]]:
    """Each router on a message's way: the tile, the port that it enters by, the one that it leaves by.

    ``to``: None for another board, the host or a key.
    """
    while True:
        if to is None:
            leaves = SOUTH
        elif to[0] != tile[0]:
            leaves = EAST if to[0] > tile[0] else WEST
        elif to[1] != tile[1]:
            leaves = NORTH if to[1] > tile[1] else SOUTH
        else:
            leaves = LOCAL
        yield tile, enters, leaves
        if leaves == LOCAL:
            return
        tile = (tile[0] + STEPS[leaves][0], tile[1] + STEPS[leaves][1])
        if tile[1] < 0:
            return
        enters = BACK[leaves]


def passing(here: Tile, size: Tile) -> list[dict[int, list[Tile | None]]]:
    """By the ports of a router that messages enter by and leave by: where they go."""
    tiles = [(x, y) for x in range(size[0]) for y in range(size[1])]
    cases: list[dict[int, list[Tile | None]]] = [{} for _ in range(5)]
    for to in [*tiles, None]:
        begins = [(tile, LOCAL) for tile in tiles] + ([((to[0], 0), SOUTH)] if to else [])
        for begin, enters in begins:
            for at, entered, leaves in way(begin, enters, to):
                if at == here:
                    cases[entered].setdefault(leaves, []).append(to)
    return cases


@cocotb.test()
@cocotb.parametrize(which=range(2), place=range(4))
async def routes_x_then_y(dut: Any, which: int, place: int) -> None:
    h = Harness(dut, dut.gen_router[which])
    width, height, longest, flits = SHAPES[which]
    # An inner tile, one on the periphery, one in a corner, any.
    here = ((1, height // 2), (width - 1, height // 2), (0, 0), (h.rng.randrange(width), h.rng.randrange(height)))[
        place
    ]
    cases = passing(here, (width, height))
    x_bits, y_bits = max(2, (width - 1).bit_length()), max(2, (height - 1).bit_length())
    board = h.rng.choice((0, 63, h.rng.getrandbits(6)))

    def make(p: int) -> Message | None:
        if not cases[p]:
            return None
        leaves = h.rng.choice(sorted(cases[p]))
        to = h.rng.choice(cases[p][leaves])
        kind = h.rng.choice((UNICAST, MASK))
        dest = h.rng.getrandbits(20)
        if to is not None:
            dest = board << x_bits + y_bits | to[1] << x_bits | to[0]
        elif h.rng.random() < 0.5:
            kind = h.rng.choice((HOST, KEY))
            if h.rng.random() < 0.5:  # an address of this board means nothing then
                dest = board << x_bits + y_bits | h.rng.getrandbits(x_bits + y_bits)
        else:
            other = board ^ h.rng.choice((1 << h.rng.randrange(6), h.rng.randrange(1, 64)))
            dest = other << x_bits + y_bits | h.rng.getrandbits(x_bits + y_bits)
        return message_of(h.rng, kind, dest, leaves, longest)

    ports = Ports(h, CrossbarModel([flits] * 5, longest), make, FLIT.width)
    for name, value in (("board", board), ("x", here[0]), ("y", here[1])):
        h.signal(name).set(value)
    EveryCycle(h, ports.drive, ports.check)
    await h.reset()
    turns = {(enters, leaves) for enters in range(5) for leaves in cases[enters]}
    await h.until(lambda: h.cycle > 800 and ports.model.turns == turns)
