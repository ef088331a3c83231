# SPDX-License-Identifier: Apache-2.0
"""MPI on 2 to 1,024 ranks: Jacobi with halos, strong and weak, and all-reduce, each beside a bound of the machine.

Input: apps/mpi/jacobi_halo.c, allreduce.c, clusters ``zrlmpi:N`` (rank 0 a CPU at an instruction a cycle of 2.5 GHz,
the others FPGAs). All times are simulated, on the fast model, which is exact to the cycle of the RTL. Bounds know the
machine's parameters only, nothing of how we use it:

- a message takes ONE_WAY and its bytes the link's rate, in packets with headers;
- an FPGA computes a point a cycle;
- what all ranks must know, one of them knew first, and each passes it on once in a frame's time on its link.
"""

from __future__ import annotations

import heapq
import tempfile
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any

from polyloom.transpile.explain import cost_model

from bench.common import mpi
from bench.common.harness import ROOT, Bench

HALO = ROOT / "apps" / "mpi" / "jacobi_halo.c"
ALLREDUCE = Path(__file__).parent / "allreduce.c"
RANKS = tuple(1 << i for i in range(1, 11))
QUICK_RANKS = (2, 8, 64)
#: Of the clusters: us of two cables and the switch; us of a byte on a link; us of a cycle.
ONE_WAY, BYTE, CYCLE = 2.0, 8e-4, 6.4e-3
PACKET, HEADER = 1440, 80  # bytes: most payload of a packet; what a packet has beside it, check and pause included
GRID = 1024  # rows and columns of the strong form
ROWS, COLUMNS = 32, 512  # of each rank in the weak form
ITERATIONS = 6
LENGTHS = {"8 B": 2, "64 KiB": 16384}  # of an all-reduce, in integers
TARGET_HALO, TARGET_REDUCE = 1.5, 3.0  # times the bound


def wire(payload: int) -> float:
    """us of a message's packets on a link."""
    return (payload + max(1, ceil(payload / PACKET)) * HEADER) * BYTE


def spread(ranks: int, payload: int) -> float:
    """us until all know what one rank knew first, if who knows sends to another one whenever its link is free."""
    free = [0.0]
    last = 0.0
    for _ in range(ranks - 1):
        begin = heapq.heappop(free)
        last = begin + wire(payload) + ONE_WAY
        heapq.heappush(free, begin + wire(payload))
        heapq.heappush(free, last)
    return last


def bound_of_reduce(ranks: int, payload: int) -> float:
    """us of an all-reduce: each link carries 2 (n - 1) / n of the whole at least, and news must reach every rank."""
    return max(spread(ranks, 8), 2 * wire(payload * (ranks - 1) // ranks) + ONE_WAY)


def bound_of_halo(ranks: int, rows: int, columns: int) -> float:
    """us of an iteration: all points; or rows of neighbours, then the points that need them."""
    neighbours = min(2, ranks - 1)
    border = min(rows, neighbours) * columns * CYCLE
    return max(rows * columns * CYCLE, ONE_WAY + neighbours * wire(4 * columns) + border)


def algorithm(ranks: int, payload: int) -> str:
    """Of an all-reduce, as the cost model has it."""
    return str(cost_model().chosen("ALLREDUCE", ranks, payload)).lower()


def dropped(job: mpi.Job) -> int:
    """Frames that FPGAs had no room for."""
    return sum(counters["dropped_no_room"] for counters in job.result["end"]["counters"].values())


@dataclass
class Form:
    """A program that runs on more and more ranks: what is taken of it."""

    name: str
    what: str
    target: float
    head: tuple[str, ...]
    rows: list[list[str]]
    ours: list[list[float]]
    bound: list[list[float]]

    def add(self, ranks: int, ours: float, bound: float, *more: str) -> None:
        """A row of the table, a point of each curve."""
        self.rows.append([f"{ranks:,}", f"{ours:.4g}", f"{bound:.4g}", f"{ours / bound:.2f}", *more])
        self.ours.append([ranks, ours])
        self.bound.append([ranks, bound])

    def show(self, bench: Bench) -> None:
        """Into the result."""
        for row in self.rows:
            bench.row(f"{self.name}, {row[0]} ranks", f"{row[1]} us", limit=f"bound {row[2]} us, ours {row[3]} of it")
        bench.figures[self.name] = {"ours": self.ours, "bound": self.bound}
        bench.figures["tables"].append({"title": self.what, "head": list(self.head), "rows": self.rows})
        curves = {"ours": self.ours, "bound": self.bound}
        bench.figures["plots"][self.name] = {"title": self.what, "x": "ranks", "y": "us", "curves": curves}
        last = {ranks: (ours, of[1]) for (ranks, ours), of in zip(self.ours, self.bound, strict=True)}
        for ranks in (64, 1024):
            ours, bound = last.get(ranks, (None, None))
            holds = None if ours is None or bound is None else ours <= self.target * bound
            ratio = None if ours is None or bound is None else ours / bound
            what = f"{self.name}, {ranks:,} ranks: times the bound"
            bench.target(what, f"at most {self.target}", ratio, holds)


def halos(folder: Path, ranks_of: tuple[int, ...], weak: bool) -> Form:
    """An iteration on a grid that stays the same, or grows with the ranks."""
    name = "weak halos" if weak else "strong halos"
    grid = f"{ROWS} x {COLUMNS} points a rank" if weak else f"{GRID} x {GRID} points"
    head = ("ranks", "us an iteration", "bound", "of it", "efficiency", "frames dropped")
    form = Form(name, f"Jacobi with halos, {grid}: us an iteration", TARGET_HALO, head, [], [], [])
    for ranks in ranks_of:
        rows, columns = (ROWS, COLUMNS) if weak else (ceil(GRID / ranks), GRID)
        macros = {"N": rows * ranks if weak else GRID, "COLUMNS": columns, "RANKS": ranks, "ITERATIONS": ITERATIONS}
        job = mpi.run(HALO, mpi.cluster(folder, ranks), folder, macros)
        ours = job.milliseconds * 1e3
        points = rows * columns if weak else GRID * GRID / ranks
        form.add(ranks, ours, bound_of_halo(ranks, rows, columns), f"{points * CYCLE / ours:.0%}", f"{dropped(job):,}")
    return form


def reductions(folder: Path, ranks_of: tuple[int, ...], length: str) -> Form:
    """An all-reduce of integers."""
    count = LENGTHS[length]
    head = ("ranks", "us", "bound", "of it", "algorithm", "frames dropped", "all by rank 0: us")
    form = Form(f"all-reduce of {length}", f"All-reduce of {length}: us", TARGET_REDUCE, head, [], [], [])
    for ranks in ranks_of:
        macros = {"COUNT": count, "ROUNDS": 4 if count <= 2 else 2}
        job = mpi.run(ALLREDUCE, mpi.cluster(folder, ranks), folder, macros)
        linear = ""
        if count <= 2:  # of long ones it has no chance, and takes long to simulate
            options = ["--collectives", "linear"]
            linear = f"{mpi.run(ALLREDUCE, mpi.cluster(folder, ranks), folder, macros, options).milliseconds * 1e3:.4g}"
        how, lost = algorithm(ranks, 4 * count), f"{dropped(job):,}"
        form.add(ranks, job.milliseconds * 1e3, bound_of_reduce(ranks, 4 * count), how, lost, linear)
    return form


def run(bench: Bench) -> None:
    """All of it; QUICK: few ranks."""
    ranks = QUICK_RANKS if bench.quick else RANKS
    plots: dict[str, Any] = {}
    bench.figures |= {"tables": [], "plots": plots}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for weak in (False, True):
            halos(folder, ranks, weak).show(bench)
        for length in LENGTHS:
            reductions(folder, ranks, length).show(bench)
    bench.note("efficiency: an FPGA's time for its points at one a cycle, by ours")
    bench.note(
        "strong halos, 2 ranks: a strip of more than 2 MiB is in DRAM, where a loop waits for each access; from some "
        "hundred ranks on a row takes longer than the points: it is no eager message, its RTS, CTS and DONE are three "
        "more latencies than the bound has, and the CPU rank pays 1 us for each of its calls to the network"
    )
    bench.note(
        "all-reduce of 8 B: a binomial tree goes up and down, log2(n) levels each, and an engine's program takes some "
        "hundred cycles a message, where the bound has ten; the cost model does not know that rank 0 is a CPU, which "
        "takes many messages in one call: up to some hundred ranks it is quicker to send all to it (last column)"
    )
    bench.note(
        "all-reduce of 64 KiB: a ring has 2 (n - 1) steps, each with a handshake as soon as a block is longer than an "
        "eager message (16 B at 1,024 ranks, as all pairs share a pool of 48 KiB), a tree sends the whole log2(n) "
        "times up and down; no algorithm here halves. Where a node sends and receives at once, its memory port gives "
        "each half of the link's rate, frames find no room, and one lost at a message's end costs a retransmission time"
    )
