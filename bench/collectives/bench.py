# SPDX-License-Identifier: Apache-2.0
"""Collectives: the OPTWEB paper's rows on the presets, our clusters against the targets, closed forms, Open MPI.

Source: OPTWEB sections 2.D and 4.B, Figures 8 to 11. Two clocks, never mixed: all times of clusters are simulated;
Open MPI's are this machine's wall clock, shown for scale only.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from bench.collectives import forms, mpi, ours
from bench.collectives.rows import ROWS, Row
from bench.common.collective import KIB, MIB, Curve, add_plot, compare, gbps, measure, open_cluster, seconds, size_text
from bench.common.harness import Bench
from polyloom.collectives import Communicator
from polyloom.collectives.verify import verify

TOLERANCE = 0.10


def value_of(row: Row, comm: Communicator) -> float:
    """Run the row once; its figure in the paper's unit."""
    result = measure(comm, row.operation, row.size, row.algorithm)
    values = {
        "us": seconds(result) * 1e6,
        "ms": seconds(result) * 1e3,
        "Gb/s": gbps(result),
        "Gb/s a link": gbps(result) / comm.size,
    }
    return values[row.unit]


def published(bench: Bench, folder: Path) -> None:
    """Rows 1 to 14 on the presets, with the paper's algorithms."""
    for row in ROWS:
        what = f"row {row.number}: {row.what} (section {row.where})"
        if bench.quick and row.slow:
            bench.target(what, f"within {TOLERANCE:.0%} of {row.paper:g} {row.unit}", None, None, row.paper)
            continue
        comm = open_cluster(folder, row.cluster, **row.changes)
        compare(bench, what, value_of(row, comm), row.paper, row.unit, TOLERANCE, row.limit)
    comm = open_cluster(folder, "optweb-paper-8")
    round_trip = 2e6 * seconds(measure(comm, "barrier", 0))
    bench.row("row 4: block pulse, round trip (4.B.1)", f"{round_trip:.3f} us", "< 1 us", "", "2 x link latency")
    bench.target("row 4: block pulse round trip", "below 1 us", round_trip, round_trip < 1, "< 1 us")
    for size in (KIB, 64 * KIB):
        verify(comm, "all_to_all", size)


def figures(bench: Bench, folder: Path) -> None:
    """Figures 8 to 11 as curves: time and throughput over bytes a node."""
    last = 2 * MIB if bench.quick else 64 * MIB
    sizes = [256 * 4**k for k in range(12) if 256 * 4**k <= last]
    time: list[Curve] = []
    rate: list[Curve] = []
    gather: list[Curve] = []
    network: list[Curve] = []
    for name in ("optweb-paper-8", "optweb-8", "optweb-paper-8x2", "optweb-8x2", "optweb-paper-4x2", "optweb-4x2",
                 "optweb-4x2-double"):  # fmt: skip
        comm = open_cluster(folder, name, contents='"none"')
        results = [measure(comm, "all_to_all", size) for size in sizes]
        times = Curve(name, [(r.bytes, seconds(r) * 1e6) for r in results])
        if "4x2" not in name:
            time.append(times)
            rate.append(Curve(name, [(r.bytes, gbps(r)) for r in results]))
            whole = [measure(comm, "all_gather", size) for size in sizes]
            gather.append(Curve(name, [(r.bytes, seconds(r) * 1e6) for r in whole]))
        if "8x2" not in name:
            network.append(times)
    label = "bytes a node"
    add_plot(bench, "figure 8", "Figure 8: all-to-all, simulated time", label, "us", time)
    add_plot(bench, "figure 9", "Figure 9: all-to-all, Gb/s an FPGA (algorithm bandwidth)", label, "Gb/s", rate)
    add_plot(bench, "figure 10", "Figure 10: all-gather, simulated time", label, "us", gather)
    add_plot(bench, "figure 11", "Figure 11: all-to-all on 8-FPGA topologies, simulated time", label, "us", network)


def run(bench: Bench) -> None:
    """Everything; QUICK leaves out sizes above a few MiB."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        published(bench, folder)
        ours.run(bench, folder)
        forms.run(bench, folder)
        figures(bench, folder)
        mpi.run(bench)
    bench.note("presets: link latency, read and command cycles as fixed in clusters/optweb-paper-*.toml")
    bench.note("bus bandwidth as nccl-tests: all-to-all, all-gather x (n-1)/n; all-reduce x 2(n-1)/n; broadcast x 1")
    bench.note(f'sizes from {size_text(256)}; timing-only above {size_text(2 * MIB)}: contents = "none"')
