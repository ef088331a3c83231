# SPDX-License-Identifier: Apache-2.0
"""Jacobi by MPI on a CPU and FPGAs: Table I of the ZRLMPI paper beside the same program here, and the wire's limit.

Source: ZRLMPI, section V, Table I, Listing 5. The paper's times are of its own data centre; the column "preset" is its
protocol (four packets a message of at most 346 words, one call at a time) in our network, a lower bound of it
(zrlmpi_preset.cc). All times but the paper's are simulated; links 10 Gb/s, 500 ns, a switch of 1 us, FPGAs at
156.25 MHz as fast models, of which one row is run in RTL too and must take the same cycles, a CPU's call 1 us, an
instruction of its program a cycle of 2.5 GHz, copying nothing. The column "CPU free" has the CPU's own computing take
no time. No power is modelled.
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from bench.common import mpi
from bench.common.harness import ROOT, Bench

JACOBI = ROOT / "apps" / "mpi" / "jacobi.c"
HALO = ROOT / "apps" / "mpi" / "jacobi_halo.c"
SERIAL = ROOT / "bench" / "mpi-jacobi" / "serial.c"
SHORT = ROOT / "bench" / "mpi-jacobi" / "short.c"
LINK_BITS_A_MS = 10e6
CYCLE_MS = 6.4e-6


@dataclass(frozen=True)
class Row:
    """A line of Table I: milliseconds an iteration of 1 CPU and ``ranks`` - 1 FPGAs."""

    dim: int
    ranks: int
    paper: float
    in_quick: bool = False

    @property
    def iterations(self) -> int:
        """The paper's mean is of five; simulated iterations hardly differ, so large grids do two."""
        return 2 if self.dim >= 1024 else 5

    @property
    def floor(self) -> float:
        """ms that the root's link needs: chunks and two rows a rank, then chunks back."""
        others = self.ranks - 1
        return self.wire(2 * others * self.chunk + 2 * others * self.dim)

    @property
    def bound(self) -> float:
        """ms for all to leave by the root's link, the last rank's arithmetic at a cycle a point, its chunk back."""
        others = self.ranks - 1
        return self.wire(others * (self.chunk + 2 * self.dim) + self.chunk) + self.chunk * CYCLE_MS

    @property
    def chunk(self) -> int:
        """Points of a rank."""
        return self.dim * self.dim // self.ranks

    @staticmethod
    def wire(words: int) -> float:
        """ms of a link."""
        return words * 32 / LINK_BITS_A_MS


TABLE_1 = (
    Row(16, 2, 7.59, True),
    Row(256, 4, 444.77),
    Row(256, 8, 842.58),
    Row(1024, 8, 7763.87),
    Row(1024, 16, 9311.71),
    Row(1024, 32, 20939.65),
)
TARGET_FACTOR, TARGET_HALO, TARGET_TREE, TARGET_LOSS = 1.5, 1.5, 1.3, 2.0


def jacobi(folder: Path, row: Row, program: Path = JACOBI, drop_rate: float = 0, *options: str) -> mpi.Job:
    """One run of a line of the table."""
    on = mpi.cluster(folder, row.ranks, drop_rate)
    return mpi.run(program, on, folder, {"N": row.dim, "ITERATIONS": row.iterations, "RANKS": row.ranks}, options)


def table(bench: Bench, folder: Path) -> None:
    """Table I."""
    rows: list[list[str]] = []
    for row in TABLE_1:
        what = f"{row.dim}x{row.dim}, {row.ranks} ranks"
        preset = mpi.preset(row.dim, row.ranks, row.iterations)["ms_per_iteration"]
        bench.row(f"preset: {what}", f"{preset:.4g} ms", f"{row.paper:g} ms", f"{preset / row.paper:.3g}", "")
        bench.figures[f"preset {what}"] = preset
        target = f"{TARGET_FACTOR} x the wire's {row.floor:.3g} ms"
        if bench.quick and not row.in_quick:
            if row.dim == 1024 and row.ranks == 8:
                bench.target(f"Jacobi {what}", target, None, None, row.paper)
            continue
        ours = jacobi(folder, row).milliseconds
        limit = f"wire {row.floor:.4g} ms, ours {ours / row.floor:.2f} of it; preset {preset / ours:.3g}x ours"
        bench.row(f"Jacobi {what}", f"{ours:.4g} ms", f"{row.paper:g} ms", f"{ours / row.paper:.2g}", limit)
        bench.figures[f"jacobi {what}"] = ours
        free = jacobi(folder, row, JACOBI, 0, "--cpu-time", "free").milliseconds
        cells = (row.dim, row.ranks, row.paper, preset, ours, free, row.floor, preset / ours)
        rows.append([f"{v:.4g}" for v in cells])
        if row.dim == 1024 and row.ranks == 8:
            bench.target(f"Jacobi {what}", target, ours, ours <= TARGET_FACTOR * row.floor, row.paper)
    head = ["grid", "ranks", "published", "its protocol in our network", "ours"]
    head += ["CPU free", "wire, one way at a time", "faster"]
    title = "Table I: milliseconds an iteration, 1 CPU and FPGAs; all but the published are simulated"
    bench.figures["tables"] = [{"title": title, "head": head, "rows": rows}]
    large = [row for row in rows if row[0] == "1024"]
    curves = {head[i]: [[float(row[1]), float(row[i])] for row in large] for i in (2, 3, 4, 6)}
    if large:
        title = "Jacobi 1024x1024, root scatters and gathers"
        bench.figures["plots"] = {"table 1": {"title": title, "x": "ranks", "y": "ms an iteration", "curves": curves}}


def fidelities(bench: Bench, folder: Path) -> None:
    """A row in RTL, too: the bench ends if anything differs from the fast model."""
    row = TABLE_1[0] if bench.quick else TABLE_1[1]
    sim, rtl = (jacobi(folder, row, JACOBI, 0, "--on", on) for on in ("sim", "rtl"))
    times = [job.result["end"]["simulated_ps"] for job in (sim, rtl)]
    if times[0] != times[1] or sim.output != rtl.output:
        sys.exit(f"bench: {row.dim}x{row.dim}, {row.ranks} ranks: sim takes {times[0]} ps, rtl {times[1]} ps")
    what = f"Jacobi {row.dim}x{row.dim}, {row.ranks} ranks, the whole job: sim and rtl"
    bench.row(what, f"both {times[0] / 6400:,.0f} cycles; {sim.wall_seconds:.1f} s, {rtl.wall_seconds:.1f} s")
    bench.figures["same cycles"] = times[0] // 6400


def halos(bench: Bench, folder: Path) -> None:
    """The same with strips that stay where they are."""
    row = TABLE_1[0] if bench.quick else TABLE_1[3]
    ours = jacobi(folder, row, HALO).milliseconds
    bench.row(f"neighbour halos {row.dim}x{row.dim}, {row.ranks} ranks", f"{ours:.4g} ms", "", "", "compute 0.84 ms")
    bench.figures[f"halo {row.dim} {row.ranks}"] = ours
    full = None if bench.quick else ours
    bench.target("neighbour halos 1024x1024, 8 ranks", f"{TARGET_HALO} ms", full, full and full <= TARGET_HALO)


def packets(bench: Bench, folder: Path) -> None:
    """What a short message costs on the wire between two FPGAs that result each other."""
    on = mpi.cluster(folder, 4)
    sent = []
    for messages in (50, 100):  # the acknowledgement of the last one is in both
        job = mpi.run(SHORT, on, folder, {}, arguments=[str(messages)])
        sent.append(sum(job.counters(rank)["frames_out"] for rank in (1, 2)))
    each = (sent[1] - sent[0]) / 100
    bench.row("packets of a short message", f"{each:g}", "4", f"{each / 4:g}", "1")
    bench.row("short message there and back, FPGA to FPGA", f"{job.milliseconds * 1e3:.4g} us")
    bench.figures |= {"packets of a short message": each, "round trip us": job.milliseconds * 1e3}
    bench.target("packets of a short message", "1", each, each <= 1.0, 4)


def choices(bench: Bench, folder: Path) -> None:
    """Collectives in a line, one message after the other as published, against what is chosen here."""
    row = TABLE_1[2]
    if bench.quick:
        bench.target("tree against linear, 256x256, 8 ranks", f"{TARGET_TREE}x", None, None, 1.32)
        return
    serial = jacobi(folder, row, SERIAL).milliseconds
    linear = jacobi(folder, row, JACOBI, 0, "--collectives", "linear").milliseconds
    auto = jacobi(folder, row).milliseconds
    published = mpi.preset(row.dim, row.ranks, row.iterations)["ms_per_iteration"]
    times = f"{serial:.4g} / {linear:.4g} / {auto:.4g} ms"
    bench.row(
        "256x256, 8 ranks: one by one / linear / chosen", times, "842.6 / 637.9", f"{serial / auto:.3g}x", "1.32x"
    )
    bench.figures |= {"one by one ms": serial, "linear ms": linear, "chosen ms": auto}
    bench.row(
        "  its bound: wire and arithmetic", f"{row.bound:.4g} ms", "", "", f"{auto / row.bound:.3g} of it is ours"
    )
    bench.figures["bound ms"] = row.bound
    bench.row("  the published protocol, in a line, by the chosen one", f"{published / auto:.3g}x", "1.32x")
    what = "tree against linear, 256x256, 8 ranks: one by one as published, by what is chosen"
    bench.target(what, f"{TARGET_TREE}x", serial / auto, serial / auto >= TARGET_TREE, 1.32)


def losses(bench: Bench, folder: Path) -> None:
    """One frame of a thousand lost on every link."""
    row = Row(64, 4, 0) if bench.quick else TABLE_1[2]
    clean = jacobi(folder, row)
    lossy = jacobi(folder, row, JACOBI, 0.001)
    ratio = lossy.milliseconds / clean.milliseconds
    same = clean.output.splitlines()[0] == lossy.output.splitlines()[0]
    bench.row(
        f"{row.dim}x{row.dim}, 0.1 % of frames lost", f"{ratio:.3g} of the time, {'same' if same else 'OTHER'} result"
    )
    bench.figures["loss ratio"] = ratio
    bench.target("0.1 % loss: right, and the time", f"{TARGET_LOSS}x", ratio, same and ratio <= TARGET_LOSS, "hangs")


def run(bench: Bench) -> None:
    """Everything; QUICK leaves out all but the smallest grid."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        packets(bench, folder)
        table(bench, folder)
        fidelities(bench, folder)
        halos(bench, folder)
        choices(bench, folder)
        losses(bench, folder)
    bench.note("An instruction of a CPU takes a cycle of 2.5 GHz, its copying nothing; FPGAs are cycle-exact.")
