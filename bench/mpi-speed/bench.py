# SPDX-License-Identifier: Apache-2.0
"""How long simulating MPI on FPGAs takes: from nothing to output, simulated cycles a wall second, 1,000 ranks.

Input: hello.c, speed.c, bench/mpi-scaling/allreduce.c, apps/mpi/jacobi_halo.c; ``sim`` is the fast model, ``rtl`` the
Verilated nodes. Cycles are those of the FPGAs' clock, in each of which three FPGAs do something; speeds are differences
of a long and a short job of the same program, on one core, so that starts do not count. QUICK leaves out RTL, and all
but 300 of the ranks.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from bench.common import mpi
from bench.common.harness import ROOT, Bench

HERE = Path(__file__).parent
HELLO, SPEED = HERE / "hello.c", HERE / "speed.c"
ALLREDUCE = ROOT / "bench" / "mpi-scaling" / "allreduce.c"
HALO = ROOT / "apps" / "mpi" / "jacobi_halo.c"
CLOCK_HZ = 156.25e6
FEW = 4  # ranks: a CPU and three FPGAs
TARGET_HELLO = {"sim": 3.0, "rtl": 12.0}  # seconds
TARGET_COMPUTE, TARGET_MESSAGES = 100e6, 5e6  # cycles a wall second, of the fast model
TARGET_SECONDS, TARGET_BYTES = 60.0, 8e9  # of 1,000 ranks


@dataclass(frozen=True)
class Work:
    """What the FPGAs do: macros of speed.c, and rounds of the short and the long job, by fidelity."""

    what: str
    macros: dict[str, int]
    target: float
    rounds: dict[str, tuple[int, int]]


WORKS = (
    Work("a compute loop", {"ROWS": 64}, TARGET_COMPUTE, {"sim": (1000, 21000), "rtl": (10, 60)}),
    Work("a ring of messages of 256 B", {"BYTES": 256}, TARGET_MESSAGES, {"sim": (1000, 21000), "rtl": (20, 220)}),
    Work("a ring of messages of 64 KiB", {"BYTES": 65536}, TARGET_MESSAGES, {"sim": (50, 550), "rtl": (2, 12)}),
)


def from_nothing(bench: Bench, folder: Path, on: str) -> None:
    """Wall seconds of a program that was never built, on an installation that has built nothing."""
    caches = {name: str(folder / f"{name}-{on}") for name in ("POLYLOOM_KERNEL_CACHE", "POLYLOOM_RTL_CACHE")}
    job = mpi.run(HELLO, mpi.cluster(folder, FEW), folder, {}, ["--on", on], env={**caches, "CCACHE_DISABLE": "1"})
    bench.row(f"hello on three FPGAs from nothing, {on}", f"{job.wall_seconds:.1f} s")
    bench.figures[f"hello {on} s"] = job.wall_seconds
    bench.target(
        f"hello from nothing, {on}: s",
        f"at most {TARGET_HELLO[on]:g}",
        job.wall_seconds,
        job.wall_seconds <= TARGET_HELLO[on],
    )


def cycles_a_second(folder: Path, work: Work, on: str) -> float:
    """Simulated cycles by wall seconds."""
    options = ["--on", on, "--engine", "serial"]
    short, long = (
        mpi.run(SPEED, mpi.cluster(folder, FEW), folder, work.macros, options, [str(rounds)])
        for rounds in work.rounds[on]
    )
    cycles = (long.simulated_seconds - short.simulated_seconds) * CLOCK_HZ
    return cycles / (long.simulator_seconds - short.simulator_seconds)


def speeds(bench: Bench, folder: Path) -> list[list[str]]:
    """All works on both; the best of three, as the machine may be shared."""
    rows = []
    for work in WORKS:
        best = {
            on: max(cycles_a_second(folder, work, on) for _ in range(1 if bench.quick or on == "rtl" else 3))
            for on in (("sim",) if bench.quick else ("sim", "rtl"))
        }
        for on, speed in best.items():
            bench.row(f"{work.what}, {on}", f"{speed / 1e6:.3g} M cycles/s")
            bench.figures[f"{work.what} {on}"] = speed
        holds = best["sim"] >= work.target
        bench.target(f"{work.what}: M cycles/s", f"at least {work.target / 1e6:g}", best["sim"] / 1e6, holds)
        rtl = best.get("rtl")
        more = ["", ""] if rtl is None else [f"{rtl / 1e6:.3g}", f"{best['sim'] / rtl:.3g}"]
        rows.append([work.what, f"{best['sim'] / 1e6:.3g}", *more])
    return rows


def large(bench: Bench, folder: Path) -> list[list[str]]:
    """Wall seconds, memory and simulated time of many ranks, from C to output."""
    ranks = 300 if bench.quick else 1000
    jobs = {
        "all-reduce of 8 B": (ALLREDUCE, {"COUNT": 2, "ROUNDS": 4}),
        "Jacobi with halos": (HALO, {"N": 4 * ranks, "COLUMNS": 1024, "RANKS": ranks, "ITERATIONS": 10}),
    }
    rows = []
    for what, (program, macros) in jobs.items():
        job = mpi.run(program, mpi.cluster(folder, ranks), folder, macros)
        seconds, peak = job.wall_seconds, job.peak_bytes
        bench.row(f"{what}, {ranks:,} ranks", f"{seconds:.1f} s, {peak / 1e9:.2f} GB")
        bench.figures[f"{what} {ranks}"] = {"seconds": seconds, "bytes": peak, "simulated": job.simulated_seconds}
        rows.append([what, f"{ranks:,}", f"{seconds:.1f}", f"{peak / 1e9:.2f}", f"{job.simulated_seconds * 1e3:.3g}"])
        full = not bench.quick
        bench.target(
            f"{what}, 1,000 ranks: s",
            f"at most {TARGET_SECONDS:g}",
            seconds if full else None,
            seconds <= TARGET_SECONDS if full else None,
        )
        bench.target(
            f"{what}, 1,000 ranks: GB",
            f"at most {TARGET_BYTES / 1e9:g}",
            peak / 1e9 if full else None,
            peak <= TARGET_BYTES if full else None,
        )
    return rows


def run(bench: Bench) -> None:
    """All of it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for on in ("sim",) if bench.quick else ("sim", "rtl"):
            from_nothing(bench, folder, on)
        tables = [
            {
                "title": "Millions of simulated cycles a wall second, three FPGAs, one core",
                "head": ["what the FPGAs do", "sim", "rtl", "faster"],
                "rows": speeds(bench, folder),
            },
            {
                "title": "Large jobs on the fast model",
                "head": ["job", "ranks", "wall s", "GB of the simulator", "simulated ms"],
                "rows": large(bench, folder),
            },
        ]
    bench.figures["tables"] = tables
    bench.note("from nothing: caches of kernels and of Verilated nodes empty, no ccache; Polyloom itself is built")
