# SPDX-License-Identifier: Apache-2.0
"""Open MPI between processes of this machine, in wall-clock time: a CPU reference, never set against simulated time."""

from __future__ import annotations

import json
import os
import shutil
import subprocess

from bench.collectives.rows import CPU_ROWS
from bench.common.collective import KIB, MIB, Curve, add_plot, size_text
from bench.common.harness import BUILD, Bench

RANKS = 8


def run(bench: Bench) -> None:
    """Rows 11 to 13 as printed, then four collectives between 8 processes here."""
    for number, what, paper in CPU_ROWS:
        bench.row(f"row {number}: CPU cluster, {what}", "its hardware is not here", paper)
    program = BUILD / "bin" / "bench_mpi"
    if shutil.which("mpirun") is None or not program.is_file():
        bench.note("Open MPI is not installed: no CPU reference")
        return
    most, budget = (KIB * 256, 0.2) if bench.quick else (64 * MIB, 2.0)
    env = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    command = ["mpirun", "-n", str(RANKS), "--oversubscribe", str(program), str(most), str(budget)]
    done = subprocess.run(command, env=env, stdout=subprocess.PIPE, text=True, check=True)
    curves: dict[str, list[tuple[float, float]]] = {}
    for operation, size, median, worst in json.loads(done.stdout):
        bench.row(
            f"Open MPI here: {operation}, {size_text(size)}",
            f"{median * 1e6:.1f} us median, {worst * 1e6:.0f} worst, {size * 8e-9 / median:.2f} Gb/s (wall clock)",
        )
        bench.figures.setdefault("open_mpi_wall_us", {})[f"{operation} {size}"] = median * 1e6
        curves.setdefault(operation, []).append((float(size), median * 1e6))
    title = f"Open MPI, {RANKS} processes on {os.cpu_count()} cores of this machine, wall clock"
    add_plot(bench, "open mpi", title, "bytes", "us", [Curve(name, points) for name, points in curves.items()])
    bench.note(f"Open MPI: {RANKS} processes on {os.cpu_count()} cores, wall clock; clusters: simulated time")
