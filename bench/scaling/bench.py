# SPDX-License-Identifier: Apache-2.0
"""The graph algorithms of the Tinsel paper on 1 to 48 boards (its figure 11 goes to 12), one graph on all of them.

PageRank, shortest paths, multi-source shortest paths (ASP) and components (HashMin), synchronous, on a geometric graph
each of whose edges has its reverse. The paper's 2 M vertices and 200 M edges do not fit one board, whose threads have
65,534 in-edges each; here are a tenth of the vertices, so a board runs short of work ten times sooner.

Limit: all instructions of the run, shared evenly by all cores, one in each cycle. What is lost beyond it on many boards
is barriers (one a superstep), links, and threads that have less to do than others.

The paper draws speedup over another system, Blogel, on one Xeon server; its points stand in a figure alone.
"""

from __future__ import annotations

from typing import Any

from bench.common import experiments
from bench.common.harness import Bench, Run, machine

CLOCK_HZ = 250e6
BOARD_CORES = 64
SIZES = ([1, 1], [2, 1], [3, 1], [3, 2], [3, 4], [6, 4], [6, 8])
PAPER_BOARDS = 12
APPS: dict[str, dict[str, Any]] = {
    "pagerank": {"iterations": 5, "undirected": True},
    "sssp": {"max-weight": 100, "mode": "sync", "undirected": True},
    "asp": {"sources": 64, "undirected": True},
    "components": {},  # of edges that count both ways
}


def seconds(run: Run) -> float:
    """Simulated, of the compute phase."""
    return float(run.output["compute_simulated_seconds"])


def run(bench: Bench) -> None:
    """Every algorithm on every number of boards."""
    sizes = (SIZES[0], SIZES[3]) if bench.quick else SIZES
    apps = ("pagerank",) if bench.quick else tuple(APPS)
    graph = "geometric:20000:16" if bench.quick else "geometric:200000:25:40"
    rows, curves = [], {}
    for app in apps:
        options = {"generate": graph, **APPS[app], **({"verify": True} if bench.quick else {})}
        found = experiments.runs(bench, app, options, "tinsel-48", keys={"topology.size": list(sizes)})
        runs = {x * y: run for (x, y), (_, run) in zip(sizes, found, strict=True)}
        alone = seconds(runs[1])
        for boards, one in runs.items():
            limit = one.total(".instret") / (BOARD_CORES * boards) / CLOCK_HZ
            speedup = alone / seconds(one)
            bench.row(
                f"{app} on {boards} boards",
                f"{1e3 * seconds(one):.4g} ms, {speedup:.3g}x of one board",
                limit=f"{1e3 * limit:.3g} ms, {limit / seconds(one):.0%} of it",
            )
            rows.append(
                [app, str(boards), f"{1e3 * seconds(one):.4g}", f"{speedup:.3g}", f"{limit / seconds(one):.0%}"]
            )
        curves[app] = [[boards, alone / seconds(one)] for boards, one in runs.items()]
        bench.figures[app] = {
            "graph": graph,
            "ms": {boards: 1e3 * seconds(one) for boards, one in runs.items()},
            "paper": "figure 11: speedup grows up to 12 boards, over another system; no numbers in the text",
        }
        last = min(PAPER_BOARDS, max(runs))
        gain = alone / seconds(runs[last])
        least = min(b / a for (_, a), (n, b) in zip(curves[app], curves[app][1:], strict=False) if n <= last)
        bench.target(f"{app}: each step up to {last} boards quickens it", "at least 1.2x", least, least >= 1.2)
        bench.figures[app]["speedup_at_12"] = gain
    if not bench.quick:
        curves["all boards at work"] = [[x * y, x * y] for x, y in sizes]
        plot = {"title": f"Speedup over one board, {graph}", "x": "boards", "y": "times", "curves": curves}
        bench.figures["plots"] = {"speedup": plot}
    head = ["algorithm", "boards", "ms simulated", "speedup", "of the limit"]
    bench.figures["tables"] = [{"title": "Time by number of boards", "head": head, "rows": rows}]
    bench.note("simulated time of the compute phase; the limit is one instruction a core and cycle")
    bench.note(f"host: {machine()}")
