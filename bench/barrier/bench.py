# SPDX-License-Identifier: Apache-2.0
"""Barriers a second of tinselIdle with no message in flight: our tree against the published star, same model.

Source: Tinsel paper, section V (40,000/s on 6 boards, 26,000/s on 12). The lower bound is what light needs in this
model: from the farthest board to the root and back, 2 x radius x hop.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from bench.common.harness import Bench, cluster_variant, run_bare

HOP_CYCLES = 195
CLOCK_HZ = 250e6
SIZES = {1: (1, 1), 6: (3, 2), 12: (3, 4), 48: (6, 8)}
PAPER = {6: 40_000, 12: 26_000}
TARGET = 3.5


def cycles_per_barrier(folder: Path, boards: int, detector: str) -> float:
    """Cycles of one barrier on a mesh of ``boards`` boards."""
    x, y = SIZES[boards]
    base = "tinsel-paper-12" if detector == "star" else "tinsel-12"
    cluster = cluster_variant(folder, f"{detector}-{boards}", base, size=f"[{x}, {y}]", detector=f'"{detector}"')
    run = run_bare("bench_barrier", 1, cluster)
    _, cycles, rounds, _ = run.output[0]
    return float(cycles) / float(rounds)


def run(bench: Bench) -> None:
    """Measure all sizes with both detectors."""
    with tempfile.TemporaryDirectory() as name:
        for boards in (1, 6, 12, 48):
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
    bench.note(f"simulated cycles at 250 MHz; a hop is {HOP_CYCLES} cycles; limit = 2 x radius x hop")
