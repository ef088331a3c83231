# SPDX-License-Identifier: Apache-2.0
"""The calibration presets against the published microbenchmarks: memory, NoC, links, barriers (15 % each).

Source: Tinsel paper, section V. Each model parameter that the paper does not give, and the figure that fixes it, is
listed in bench/calibration/README.md.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from bench.common.harness import Bench, Run, cluster_variant, run_bare

CLOCK_HZ = 250e6
TOLERANCE = 0.15


def compare(bench: Bench, what: str, ours: float, paper: float, unit: str, limit: str = "") -> None:
    """One row and one target."""
    ratio = ours / paper
    bench.row(what, f"{ours:.4g} {unit}", f"{paper:g} {unit}", f"{ratio:.2f}", limit)
    bench.figures[what] = ours
    bench.target(what, f"within {TOLERANCE:.0%} of {paper:g} {unit}", ours, abs(ratio - 1) <= TOLERANCE, paper)


def memory_rate(run: Run, line_bytes: int) -> float:
    """GB/s of cache lines moved between the first and the last barrier of the memory benchmark."""
    cycles = max(report[1] for report in run.output)
    lines = sum(report[2] + report[3] for report in run.output)
    return lines * line_bytes / (cycles / CLOCK_HZ) / 1e9


def run(bench: Bench) -> None:
    """Measure all presets."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        one = cluster_variant(folder, "one", "tinsel-paper-12", size="[1, 1]")
        wide = cluster_variant(folder, "wide", "tinsel-paper-12", size="[1, 1]", line_bytes="64")
        memory(bench, one, wide)
        noc(bench, one)
    links(bench)
    for boards, paper in ((6, 40_000), (12, 26_000)):
        _, cycles, rounds, _ = run_bare("bench_barrier", 1, f"tinsel-paper-{boards}").output[0]
        compare(bench, f"barriers on {boards} boards", CLOCK_HZ * rounds / cycles, paper, "/s")


def memory(bench: Bench, one: Path, wide: Path) -> None:
    """Figure 9."""
    limit = "16 GB/s on-chip bus"
    compare(
        bench,
        "2 x DDR3, 32-byte lines",
        memory_rate(run_bare("bench_memory_dram", 16, one), 32),
        7.8,
        "GB/s",
        limit,
    )
    compare(
        bench,
        "2 x DDR3, 64-byte lines",
        memory_rate(run_bare("bench_memory_dram", 16, wide), 64),
        10.2,
        "GB/s",
        limit,
    )
    compare(
        bench,
        "4 x QDRII+, 32-byte lines",
        memory_rate(run_bare("bench_memory_sram", 16, one), 32),
        13.0,
        "GB/s",
        limit,
    )


def noc(bench: Bench, one: Path) -> None:
    """Neighbour exchange on one board: 48 directed pairs of neighbouring tiles, 64 threads each."""
    _, cycles, rounds, flits = run_bare("bench_noc_4", 1, one).output[0]
    rate = 48 * 64 * rounds * flits * 16 / (cycles / CLOCK_HZ) / 1e9
    compare(bench, "NoC neighbour exchange", rate, 14.4, "GB/s", "32 GB/s at the scratchpad ports")


def links(bench: Bench) -> None:
    """Exchange over 34 directed links of 3 x 4 boards. The paper counts 24 bytes a flit: payload, address, padding."""
    _, cycles, rounds, flits = run_bare("bench_links_3x4", 1, "tinsel-paper-12").output[0]
    rate = 34 * 1024 * rounds * flits * 24 / (cycles / CLOCK_HZ) / 1e9
    compare(bench, "inter-board exchange", rate, 32.1, "GB/s", "42.5 GB/s raw link rate")
