# SPDX-License-Identifier: Apache-2.0
"""Drawing of the cluster: boards in their mesh, tiles coloured by work, links by traffic. Output: inline SVG."""

from __future__ import annotations

import re
from collections import defaultdict
from html import escape

from polyloom.record import RunRecord
from polyloom.report.format import heat, quantity

TILE = 16
GAP = 44

Board = tuple[int, int]


def render(run: RunRecord) -> str:
    """The drawing with a legend; empty if there are no boards in the counters."""
    tiles = _tile_work(run.counters)
    if not tiles:
        return ""
    boards = sorted({board for board, _ in tiles})
    per_board = 1 + max(tile for _, tile in tiles)
    side = next(s for s in range(1, per_board + 1) if s * s >= per_board)
    size = side * TILE
    step = size + GAP
    columns, rows = 1 + max(x for x, _ in boards), 1 + max(y for _, y in boards)

    def corner(board: Board) -> tuple[int, int]:
        return 10 + board[0] * step, 18 + (rows - 1 - board[1]) * step  # north is up

    parts = [_link(run, corner, size, a, b, bits) for (a, b), bits in sorted(_link_bits(run.counters).items())]
    most = max(tiles.values()) or 1
    for board in boards:
        x, y = corner(board)
        parts.append(f'<text x="{x}" y="{y - 4}" font-size="10" fill="currentColor">{board[0]},{board[1]}</text>')
        for tile in range(per_board):
            work = tiles.get((board, tile), 0)
            tx, ty = x + tile % side * TILE, y + (side - 1 - tile // side) * TILE
            parts.append(
                f'<rect x="{tx}" y="{ty}" width="{TILE - 1}" height="{TILE - 1}" fill="{heat(work / most)}">'
                f"<title>board {board[0]},{board[1]} tile {tile}: {work:,} instructions</title></rect>"
            )
    width, height = columns * step, rows * step + 10
    legend = (
        f"Tiles: instructions, up to {most:,}. Links: bits in both directions as a share of what the rate allows "
        "in the whole run. Hover for numbers."
    )
    return (
        f'<svg viewBox="0 0 {width} {height}" width="{min(width, 900)}" role="img" aria-label="cluster">'
        + "".join(parts)
        + f'</svg><p class="note">{escape(legend)}</p>'
    )


def _tile_work(counters: dict[str, int]) -> dict[tuple[Board, int], int]:
    work: dict[tuple[Board, int], int] = defaultdict(int)
    regex = re.compile(r"fpga\.(\d+)\.(\d+)\.tile\.(\d+)\.core\.\d+\.instret")
    for name, value in counters.items():
        match = regex.fullmatch(name)
        if match:
            x, y, tile = map(int, match.groups())
            work[(x, y), tile] += value
    return dict(work)


def _link_bits(counters: dict[str, int]) -> dict[tuple[Board, Board], int]:
    """Bits of each board-to-board link, both directions together."""
    bits: dict[tuple[Board, Board], int] = defaultdict(int)
    regex = re.compile(r"link\.fpga\.(\d+)\.(\d+)->fpga\.(\d+)\.(\d+)\.bits")
    for name, value in counters.items():
        match = regex.fullmatch(name)
        if match:
            ax, ay, bx, by = map(int, match.groups())
            a, b = sorted([(ax, ay), (bx, by)])
            bits[a, b] += value
    return dict(bits)


def _link(run: RunRecord, corner: object, size: int, a: Board, b: Board, bits: int) -> str:
    assert callable(corner)
    seconds = float(run.run.get("simulated_seconds") or 0)
    share = bits / (2 * 10e9 * seconds) if seconds else 0.0
    (ax, ay), (bx, by) = corner(a), corner(b)
    half = size / 2
    x1, y1, x2, y2 = ax + half, ay + half, bx + half, by + half
    if abs(a[0] - b[0]) + abs(a[1] - b[1]) != 1:
        return ""  # a wrap-around link: drawn nowhere sensible
    return (
        f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{heat(share)}" stroke-width="8">'
        f"<title>{a[0]},{a[1]} to {b[0]},{b[1]}: {quantity(float(bits), 'bit')}, {share:.1%} of 10 Gb/s each way</title></line>"
    )
