# SPDX-License-Identifier: Apache-2.0
"""What the benchmarks of collectives share: variants of clusters, one operation's run, comparisons in one form.

Times are simulated, from the end of the barrier before an operation to the last rank's end.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.common.harness import Bench, cluster_variant
from polyloom.collectives import Communicator, Result

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30


def size_text(count: int) -> str:
    """A size as people write it: 64 KiB."""
    for unit, name in ((GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB")):
        if count >= unit:
            return f"{count / unit:g} {name}"
    return f"{count} B"


def open_cluster(folder: Path, base: str, **changes: str) -> Communicator:
    """A communicator on the shipped cluster ``base``, or on a copy with other values (written to ``folder``)."""
    if not changes:
        return Communicator(base, on="sim", watchdog_seconds=1.0)
    name = "-".join([base, *(f"{key}{value}" for key, value in sorted(changes.items()))])
    plain = "".join(c if c.isalnum() or c in "-." else "_" for c in name)
    path = cluster_variant(folder, plain, base, table="collective", **changes)
    return Communicator(str(path), on="sim", watchdog_seconds=1.0)


def measure(comm: Communicator, operation: str, total: int, algorithm: str = "", **options: Any) -> Result:
    """Run an operation of ``total`` bytes a rank once, in buffers of its own."""
    return comm.run(comm.prepare(comm.uniform(operation, total, **options), algorithm))


def seconds(result: Result) -> float:
    """Simulated time of a result; every cluster here is simulated."""
    assert result.simulated_seconds is not None
    return result.simulated_seconds


def gbps(result: Result) -> float:
    """Bytes by time in Gb/s: the paper's aggregate throughput an FPGA, nccl-tests' algorithm bandwidth."""
    assert result.algorithm_gbps is not None
    return result.algorithm_gbps


@dataclass(frozen=True)
class Curve:
    """One line of a plot: points of (bytes a node, value)."""

    name: str
    points: list[tuple[float, float]]


def add_plot(bench: Bench, name: str, title: str, x: str, y: str, curves: list[Curve]) -> None:
    """Keep a plot's data among the figures; bench.common.plots draws them."""
    plots = bench.figures.setdefault("plots", {})
    plots[name] = {"title": title, "x": x, "y": y, "curves": {curve.name: curve.points for curve in curves}}


def compare(bench: Bench, what: str, ours: float, paper: float, unit: str, tolerance: float, limit: str = "") -> None:
    """A preset's figure beside the paper's: one row, one target."""
    ratio = ours / paper
    bench.row(what, f"{ours:.4g} {unit}", f"{paper:g} {unit}", f"{ratio:.3f}", limit)
    bench.figures[what] = ours
    bench.target(what, f"within {tolerance:.0%} of {paper:g} {unit}", ours, abs(ratio - 1) <= tolerance, paper)
