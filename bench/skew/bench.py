# SPDX-License-Identifier: Apache-2.0
"""Skewed graphs with and without combiners: simulated compute time, its bound, and what a combining network would add.

The bound of a run is what its supersteps would take if every core issued in each cycle and all had as much to do: its
instructions over all cores, a barrier a superstep, and for each level of the highest tree one message through a partial
receiver, by a thread that issues once in eight cycles. Without skew there is no tree.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.common.harness import BUILD, ROOT, Bench, Run, machine, run_program

PACKAGES = ("--graph", str(ROOT / "apps" / "data" / "debian-packages.plg.gz"))
KRONECKER = ("--generate", "kronecker:16:16")
CLOCK_HZ = 250e6
#: Of the softswitch and a core (polite/mapper/costs.h): instructions of a message that a partial receiver takes and
#: sends on, cycles between a thread's instructions.
LEVEL, THREAD_CYCLES = 24 + 40 + 13, 8
#: Cycles of a hop between boards (bench/calibration) and hops across 3 x 4 boards: the way of a message in the network.
HOP_CYCLES, HOPS = 211, 5


@dataclass(frozen=True)
class Case:
    """One row: an application on a graph and a cluster."""

    what: str
    app: str
    words: tuple[str, ...]
    cluster: str
    ratio: float | None = None  # aims: at least so many times as quick as without combiners
    ms: float | None = None  # at most so many milliseconds


def cases(quick: bool, folder: Path) -> list[Case]:
    """All rows; QUICK: small ones."""
    star = folder / "star.txt"
    senders = 20_000 if quick else 200_000
    star.write_text("".join(f"{i} 0\n" for i in range(1, senders + 1)))
    star_words = ("--graph", str(star), "--iterations", "10")
    on_star = Case(f"star of {senders:,}, PageRank 10", "pagerank", star_words, "tinsel-12", ms=11.0)
    if quick:
        small = ("--generate", "kronecker:11:16")
        return [Case("Kronecker 11 x 16, PageRank 5", "pagerank", (*small, "--iterations", "5"), "laptop"), on_star]
    found = [
        Case("packages, PageRank 20", "pagerank", (*PACKAGES, "--iterations", "20"), "tinsel-12", ms=3.0),
        Case("packages, PageRank 20", "pagerank", (*PACKAGES, "--iterations", "20"), "laptop"),
    ]
    for cluster in ("tinsel-12", "laptop"):
        five = (*KRONECKER, "--iterations", "5")
        aim = 10.0 if cluster == "tinsel-12" else None
        found.append(Case("Kronecker 16 x 16, PageRank 5", "pagerank", five, cluster, ratio=aim))
        for name, graph in (("packages", PACKAGES), ("Kronecker 16 x 16", KRONECKER)):
            both_ways = (*graph, "--undirected", "--max-weight", "100")
            found += [
                Case(f"{name}, hashmin", "hashmin", graph, cluster, ratio=5.0),
                Case(f"{name} undirected, sssp", "sssp", both_ways, cluster, ratio=5.0),
                Case(f"{name}, asp of 64", "asp", (*graph, "--sources", "64"), cluster),
            ]
    flat = ("--generate", "geometric:100000:50", "--iterations", "5")
    return [*found, Case("geometric 100,000 x 50, PageRank 5", "pagerank", flat, "tinsel-12"), on_star]


def measure(case: Case, combine: str) -> Run:
    """One run; its result must be right."""
    program = str(BUILD / "bin" / f"app_{case.app}")
    command = [program, *case.words, *("--combine", combine), "--verify", *("--top", "0"), "--json"]
    return run_program(command, case.cluster)


def bound_ms(run: Run, barrier_ms: float) -> float:
    """What the run's supersteps take at least (see above), in milliseconds."""
    supersteps = max(1, run.total(".barriers") // max(1, sum(name.endswith(".barriers") for name in run.counters)))
    cores = sum(name.endswith(".instret") for name in run.counters)
    depth = max((tree["depth"] for tree in run.output["mapping"]["most_heard"]), default=0)
    cycles = run.total(".instret") / cores + supersteps * depth * LEVEL * THREAD_CYCLES
    return 1e3 * cycles / CLOCK_HZ + supersteps * barrier_ms


def compute_ms(run: Run) -> float:
    """Simulated time of the compute phase."""
    return 1e3 * float(run.output["compute_simulated_seconds"])


def barrier_ms(cluster: str) -> float:
    """A superstep in which one vertex sends to another."""
    rounds = 50
    case = Case("", "pagerank", ("--generate", "grid:2:1", "--iterations", str(rounds)), cluster)
    return compute_ms(measure(case, "off")) / (rounds + 1)


def run(bench: Bench) -> None:
    """All rows."""
    barriers: dict[str, float] = {}
    runs: dict[str, Run] = {}
    with tempfile.TemporaryDirectory() as folder:
        for case in cases(bench.quick, Path(folder)):
            if case.cluster not in barriers:
                barriers[case.cluster] = barrier_ms(case.cluster)
            row(bench, case, barriers[case.cluster], runs)
    if not bench.quick:
        for what, graph in (("packages, PageRank 20", PACKAGES), ("Kronecker 16 x 16, PageRank 5", KRONECKER)):
            network(bench, what, graph, runs[f"{what} on tinsel-12"], barriers["tinsel-12"])
        demo(bench, measure(Case("", "pagerank", (*PACKAGES, "--iterations", "20"), "tinsel-12"), "auto"))
    picture(bench)
    bench.note("simulated time of the compute phase; every result is verified; supersteps and start are in the time")
    bench.note("limit: the bound of the run with combiners, as the docstring of bench/skew/bench.py has it")
    bench.note(f"host: {machine()}")


def picture(bench: Bench) -> None:
    """Rows as a table and a plot for the documentation."""
    timed = {name: figures for name, figures in bench.figures.items() if "bound_ms" in figures}
    cells = [
        [name, f"{f['ms']:.4g}", f"{f['without_ms']:.4g}" if "ratio" in f else "does not fit",
         f"{f['ratio']:.3g}" if "ratio" in f else "", f"{f['bound_ms']:.4g}", f"{f['combined_vertices']:,}"]
        for name, f in timed.items()
    ]  # fmt: skip
    head = ["run", "ms", "ms without combiners", "times as quick", "bound, ms", "combined vertices"]
    tables = [{"title": "Simulated compute time", "head": head, "rows": cells}]
    models = {name.removeprefix("network: "): f for name, f in bench.figures.items() if name.startswith("network: ")}
    if models:
        rows = [[name, f"{1e3 * f['superstep_ms']:.4g}", f"{1e3 * f['least_ms']:.4g}", f"{f['gain']:.3g}"]
                for name, f in models.items()]  # fmt: skip
        head = ["run on tinsel-12", "superstep today, us", "if the network combined, at least, us", "gain at most"]
        tables.append({"title": "Combining in the network (model)", "head": head, "rows": rows})
    bench.figures["tables"] = tables
    curves = {"without combiners": "without_ms", "with": "ms", "bound": "bound_ms"}
    numbered = list(enumerate((f for f in timed.values() if "ratio" in f), 1))
    plot = {name: [(i, f[key]) for i, f in numbered] for name, key in curves.items()}
    title = "Compute time, runs in the order of the table"
    bench.figures["plots"] = {"times": {"title": title, "x": "run", "y": "ms simulated", "curves": plot}}


def row(bench: Bench, case: Case, barrier: float, runs: dict[str, Run]) -> None:
    """Measure a case with combiners and without."""
    name = f"{case.what} on {case.cluster}"
    with_them = runs[name] = measure(case, "auto")
    ms, bound = compute_ms(with_them), bound_ms(with_them, barrier)
    trees = with_them.output["mapping"]["combined_vertices"]
    figures: dict[str, Any] = {
        "ms": ms,
        "bound_ms": bound,
        "combined_vertices": trees,
        "wall_seconds": with_them.wall_seconds,
    }
    # Without combiners a star does not fit: keys are 16 bits.
    if not case.what.startswith("star"):
        figures["without_ms"] = compute_ms(measure(case, "off"))
        figures["ratio"] = figures["without_ms"] / ms
    without = f"{figures['without_ms']:.4g} ms without" if "ratio" in figures else ""
    ratio = f"{figures['ratio']:.3g}x" if "ratio" in figures else ""
    bench.row(name, f"{ms:.4g} ms", without, ratio, f"{bound:.4g} ms")
    bench.figures[name] = figures
    if case.ms is not None:
        bench.target(f"{name}: ms", f"at most {case.ms:g}", ms, ms <= case.ms)
    if case.ratio is not None:
        bench.target(
            f"{name}: times as quick", f"at least {case.ratio:g}", figures["ratio"], figures["ratio"] >= case.ratio
        )
    if case.what.startswith("geometric"):
        bench.target(f"{name}: against no combiners", "at least 0.98", figures["ratio"], figures["ratio"] >= 0.98)


def demo(bench: Bench, run: Run) -> None:
    """The wall time of the demo's simulated run.

    Its limit: its instructions by what bench/sim-speed measures of PageRank whose graph lies in memory, on each core.
    """
    speed = json.loads((ROOT / "bench" / "results" / "sim-speed.json").read_text())["figures"][
        "pagerank_in_memory_mips"
    ]
    limit = run.total(".instret") / (1e6 * speed * (os.cpu_count() or 1))
    bench.row("wall time of the packages' run on tinsel-12", f"{run.wall_seconds:.1f} s", "", "", f"{limit:.2g} s")
    bench.figures["demo"] = {"wall_seconds": run.wall_seconds, "limit_seconds": limit}
    bench.target("wall time of the demo's simulated run: s", "at most 4", run.wall_seconds, run.wall_seconds <= 4)


def network(bench: Bench, what: str, graph: tuple[str, ...], run: Run, barrier: float) -> None:
    """What mailboxes and routers that combine would leave of a superstep: a model, and a bound."""
    command = [str(BUILD / "bin" / "bench_skew_network"), *graph]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"bench: {' '.join(command)} failed with status {done.returncode}")
    model = json.loads(done.stdout)
    supersteps = run.total(".barriers") / sum(name.endswith(".barriers") for name in run.counters)
    today = compute_ms(run) / supersteps
    least = 1e3 * (model["busiest_core_in_network"] + HOPS * HOP_CYCLES) / CLOCK_HZ + barrier
    gain = today / least
    bench.row(f"{what}: a superstep if the network combined (model)", f"{1e3 * today:.4g} us", "", f"{gain:.3g}x",
              f"{1e3 * least:.4g} us")  # fmt: skip
    bench.figures[f"network: {what}"] = {**model, "superstep_ms": today, "least_ms": least, "gain": gain}
