# SPDX-License-Identifier: Apache-2.0
"""Drawing of the cluster: boards in their mesh, tiles coloured by work, links by traffic. Output: inline SVG."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable
from html import escape

from polyloom.base.record import RunRecord
from polyloom.report import bottleneck, cluster
from polyloom.report.bottleneck import Board
from polyloom.report.format import heat, quantity

TILE = 16
GAP = 44
WIDTHS = (420, 900)  # on the page: least and most
SHOWN = 32


def render(run: RunRecord) -> str:
    """The drawing with a legend; empty if there are no boards in the counters."""
    cores = bottleneck.core_work(run.counters)
    if not cores:
        return ""
    tiles: dict[tuple[Board, int], int] = defaultdict(int)
    for (board, tile, _), work in cores.items():
        tiles[board, tile] += work
    boards = sorted({board for board, _ in tiles})
    per_board = 1 + max(tile for _, tile in tiles)
    side = next(s for s in range(1, per_board + 1) if s * s >= per_board)
    size = side * TILE
    step = size + GAP
    columns, rows = 1 + max(x for x, _ in boards), 1 + max(y for _, y in boards)

    def corner(board: Board) -> tuple[int, int]:
        return 10 + board[0] * step, 18 + (rows - 1 - board[1]) * step  # north is up

    parts = [_line(load, corner, size / 2) for load in cluster.loads(run)]
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
        f"Tiles: instructions, up to {most:,}. Links: bits in both directions as a share of what their rates allow "
        f"in {run.working_span}. Hover for numbers."
    )
    return (
        f'<svg viewBox="0 0 {width} {height}" width="{min(max(width, WIDTHS[0]), WIDTHS[1])}" role="img" '
        f'aria-label="cluster">{"".join(parts)}</svg>'
        f'<p class="note">{escape(legend)}</p><p>{escape(bottleneck.sentences(run))}</p>'
    )


def links(run: RunRecord) -> str:
    """The busiest links as a table; empty if FPGAs sent each other nothing."""
    found = sorted(cluster.loads(run), key=lambda load: (-(load.share or 0), -load.bits, load.pair))
    if not any(load.bits for load in found):
        return ""
    rows = "".join(
        f"<tr><td>{escape(' - '.join(load.pair))}</td><td class=n>{quantity(load.bits, 'bit')}</td>"
        f"<td class=n>{_rate(load)}</td><td class=n>{_share(load)}</td></tr>"
        for load in found[:SHOWN]
    )
    note = f"The {SHOWN} busiest of {len(found)} links. " if len(found) > SHOWN else ""
    return (
        f"<table><tr><th>link</th><th class=n>sent, both ways</th><th class=n>rate each way</th>"
        f"<th class=n>load</th></tr>{rows}</table>"
        f"<p class=note>{note}Load: what was sent as a share of what the rate allows in {run.working_span}.</p>"
    )


def _line(load: cluster.Load, corner: Callable[[Board], tuple[int, int]], half: float) -> str:
    ends = [re.fullmatch(r"fpga\.(\d+)\.(\d+)", node) for node in load.pair]
    if ends[0] is None or ends[1] is None:
        return ""
    a, b = ((int(end[1]), int(end[2])) for end in ends if end)
    if abs(a[0] - b[0]) + abs(a[1] - b[1]) != 1:
        return ""  # a wrap-around link: drawn nowhere sensible
    (ax, ay), (bx, by) = corner(a), corner(b)
    title = f"{a[0]},{a[1]} to {b[0]},{b[1]}: {quantity(load.bits, 'bit')}, {_share(load)} of {_rate(load)} each way"
    return (
        f'<line x1="{ax + half}" y1="{ay + half}" x2="{bx + half}" y2="{by + half}" '
        f'stroke="{heat(load.share or 0)}" stroke-width="8"><title>{escape(title)}</title></line>'
    )


def _rate(load: cluster.Load) -> str:
    return "an unknown rate" if load.rate_bps is None else quantity(load.rate_bps, "bit/s")


def _share(load: cluster.Load) -> str:
    return "an unknown share" if load.share is None else f"{load.share:.1%}"
