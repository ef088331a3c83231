# SPDX-License-Identifier: Apache-2.0
"""Barriers a second of tinselIdle with no message in flight: our tree against the published star, same model.

Source: Tinsel paper, section V (40,000/s on 6 boards, 26,000/s on 12). The lower bound is what light needs in this
model: from the farthest board to the root and back, 2 x radius x hop.

Boards of one tile are measured in RTL too, and what a larger board adds: the rows of one board, of 2 x 2 tiles in both
fidelities, of 4 x 4 (the default) in the fast model, and in RTL with DEFAULT_RTL=1 (see the note for what that takes).
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from bench.common.harness import Bench, cluster_variant, run_bare

HOP_CYCLES = 195
CLOCK_HZ = 250e6
SIZES = {1: (1, 1), 6: (3, 2), 12: (3, 4), 48: (6, 8)}
PROGRAM_TINY = "bench_barrier_few"  # 20 rounds
PAPER = {6: 40_000, 12: 26_000}
TARGET = 3.5
TINY = 6  # boards of the cluster tiny-6


def cycles_per_barrier(folder: Path, boards: int, detector: str) -> float:
    """Cycles of one barrier on a mesh of ``boards`` boards."""
    x, y = SIZES[boards]
    base = "tinsel-paper-12" if detector == "star" else "tinsel-12"
    cluster = cluster_variant(folder, f"{detector}-{boards}", base, size=f"[{x}, {y}]", detector=f'"{detector}"')
    return measure("bench_barrier", cluster, "sim")


def measure(program: str, cluster: Path | str, on: str) -> float:
    """Cycles of one barrier."""
    _, cycles, rounds, _ = run_bare(program, 1, cluster, on=on).output[0]
    return float(cycles) / float(rounds)


def tiny_boards(bench: Bench, folder: Path) -> None:
    """Boards of one tile: star and tree of the fast model, and the tree in RTL."""
    star = measure(PROGRAM_TINY, cluster_variant(folder, "tiny-star", f"tiny-{TINY}", detector='"star"'), "sim")
    tree = measure(PROGRAM_TINY, f"tiny-{TINY}", "sim")
    rtl = measure(PROGRAM_TINY, f"tiny-{TINY}", "rtl")
    x, y = SIZES[TINY]
    bound = f"{2 * (x // 2 + y // 2) * HOP_CYCLES} cycles"
    for kind, cycles in (("star, fast model", star), ("tree, fast model", tree), ("tree, rtl", rtl)):
        limit = "" if cycles is star else bound
        bench.row(f"{TINY} boards of 1 tile, {kind}", f"{cycles:.0f} cycles, {CLOCK_HZ / cycles:,.0f}/s", limit=limit)
    bench.figures |= {"tiny_star_cycles": star, "tiny_tree_cycles": tree, "tiny_rtl_cycles": rtl}
    what = f"rtl against the fast model's star, {TINY} boards of 1 tile"
    bench.target(what, f"at least {TARGET}x", star / rtl, star / rtl >= TARGET)


def on_board(bench: Bench, folder: Path) -> None:
    """One board: what gathering its tiles' state and releasing them costs, in both fidelities."""
    for size, base in ((2, "laptop"), (4, "tinsel-1")):
        cluster = cluster_variant(folder, f"one-{size}", base, size="[1, 1]")
        name = f"1 board of {size} x {size} tiles"
        sim = measure(PROGRAM_TINY, cluster, "sim")
        bench.row(f"{name}, tree, fast model", f"{sim:.1f} cycles, {CLOCK_HZ / sim:,.0f}/s")
        bench.figures[f"one_{size}x{size}_sim_cycles"] = sim
        if size == 4 and not os.environ.get("DEFAULT_RTL"):
            continue
        rtl = measure(PROGRAM_TINY, cluster, "rtl")
        bench.row(f"{name}, tree, rtl", f"{rtl:.1f} cycles, {CLOCK_HZ / rtl:,.0f}/s")
        bench.figures[f"one_{size}x{size}_rtl_cycles"] = rtl
        apart = rtl / sim - 1
        bench.target(f"{name}: cycles, rtl against the fast model", "within 5 %", apart, abs(apart) <= 0.05)


def run(bench: Bench) -> None:
    """Measure all sizes with both detectors."""
    with tempfile.TemporaryDirectory() as name:
        for boards in (1, 6) if bench.quick else (1, 6, 12, 48):
            star = cycles_per_barrier(Path(name), boards, "star")
            tree = cycles_per_barrier(Path(name), boards, "tree")
            x, y = SIZES[boards]
            bound = 2 * (x // 2 + y // 2) * HOP_CYCLES
            paper = PAPER.get(boards)
            for kind, cycles in (("star", star), ("tree", tree)):
                rate = CLOCK_HZ / cycles
                is_paper = kind == "star" and paper is not None
                bench.row(
                    f"{boards} boards, {kind}",
                    f"{cycles:.0f} cycles, {rate:,.0f}/s",
                    f"{paper:,}/s" if is_paper else "",
                    f"{rate / paper:.2f}" if is_paper and paper else "",
                    f"{bound} cycles" if kind == "tree" and bound else "",
                )
                bench.figures[f"{kind}_{boards}_cycles"] = cycles
            bench.figures[f"speedup_{boards}"] = star / tree
            if boards > 1:
                bench.target(
                    f"tree against star, {boards} boards",
                    f"at least {TARGET}x",
                    star / tree,
                    star / tree >= TARGET,
                )
        tiny_boards(bench, Path(name))
        if not bench.quick:
            on_board(bench, Path(name))
    bench.note(f"simulated cycles at 250 MHz; a hop is {HOP_CYCLES} cycles; limit = 2 x radius x hop")
    bench.note("rtl of 6 boards: boards of one tile (tiny-6); what a default board adds: the rows of one board")
