# SPDX-License-Identifier: Apache-2.0
"""PageRank, components and shortest paths natively: our engine, a plain OpenMP kernel, networkit, igraph, SciPy.

All run on the same arrays in the same run, taking turns; only computing is timed. Results must agree. igraph counts
by its first call (it keeps what it finds out about a graph), everybody else by the best of all turns.
"""

from __future__ import annotations

import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from statistics import median
from typing import Any

from bench.common.harness import BUILD, Bench, Contestant

FULL = (("kronecker", 18), ("kronecker", 20), ("uniform", 20))
QUICK = (("kronecker", 16), ("uniform", 16))
KERNEL_TARGET = 0.9
NETWORKIT_TARGET = 3.0
ITERATIONS = 20
UNREACHED = 0xFFFFFFFF


class Race:
    """All contestants on one graph."""

    def __init__(self, bench: Bench, kind: str, scale: int, folder: Path) -> None:
        from bench_native_rivals import Graph, igraph_calls, networkit_calls, scipy_calls

        self.bench = bench
        self.name = f"{kind} {scale}"
        self.key = f"{kind}_{scale}"
        self.folder = folder
        self.ours = Contestant(str(BUILD / "bin" / "bench_native_graph"), kind, str(scale), str(folder))
        graph = Graph.load(folder, self.ours.facts["vertices"], self.ours.facts["source"])
        self.edges = self.ours.facts["edges"]
        self.calls = {
            "networkit": networkit_calls(graph),
            "igraph": igraph_calls(graph),
            "SciPy": scipy_calls(graph),
        }
        self.seconds: dict[tuple[str, str], list[float]] = defaultdict(list)

    def take_turns(self, task: str, turns: int) -> None:
        """Run ``task`` on every contestant: ours in every turn, the slow libraries in fewer of them."""
        for turn in range(turns):
            self._run_ours(task)
            if task == "pagerank":
                self._run_ours("kernel")
            for library, calls in self.calls.items():
                often = turn < (1 if library == "igraph" else 3)
                if task in calls and often:
                    self._run_rival(library, task, compare=turn == 0)
        if task == "pagerank":
            self._compare("pagerank", "the OpenMP kernel", self._result("kernel"))

    def _run_ours(self, contestant: str) -> None:
        timing = self.ours.turn(contestant)
        self.seconds[contestant, "ours"].append(timing["seconds"])
        if len(self.seconds[contestant, "ours"]) == 1 and contestant != "kernel":
            self.bench.figures[f"{self.key}_{contestant}_build_seconds"] = timing["build_seconds"]

    def _run_rival(self, library: str, task: str, compare: bool) -> None:
        from bench_native_rivals import timed, values

        best = None
        for call in self.calls[library][task]:
            seconds, result = timed(call)
            best = seconds if best is None else min(best, seconds)
            if compare:
                self._compare(task, library, values(library, task, result))
        assert best is not None
        self.seconds[task, library].append(best)

    def _result(self, contestant: str) -> Any:
        import numpy as np

        kind = np.float32 if contestant in {"pagerank", "kernel"} else np.uint32
        return np.fromfile(self.folder / contestant, dtype=kind).astype(np.float64)

    def _compare(self, task: str, who: str, theirs: Any) -> None:
        import numpy as np
        from bench_native_rivals import canonical_components

        ours = self._result(task)
        theirs = np.asarray(theirs, dtype=np.float64) if task != "components" else canonical_components(theirs)
        if task == "pagerank":
            # networkit scales its result to a sum of 1.
            wrong = float(np.abs(ours / ours.sum() - theirs / theirs.sum()).sum()) > 1e-5
        else:
            if task == "sssp":
                theirs = np.where(theirs < UNREACHED, theirs, UNREACHED)
            wrong = not np.array_equal(ours, theirs)
        if wrong:
            sys.exit(f"bench: {self.name}: {task} of {who} differs from ours")

    def best(self, task: str, who: str) -> float:
        """Best time of a contestant; igraph's only."""
        return min(self.seconds[task, who])

    def report(self, tasks: tuple[str, ...]) -> None:
        """Rows, figures and targets of this graph."""
        for task in tasks:
            edges = self.edges * (ITERATIONS if task == "pagerank" else 2 if task == "components" else 1)
            mine = self.best(task, "ours")
            self._row(task, "ours", self.seconds[task, "ours"], edges, "")
            if task == "pagerank":
                self._row(task, "OpenMP kernel", self.seconds["kernel", "ours"], edges, mine)
                self._target(task, "OpenMP kernel", KERNEL_TARGET, self.best("kernel", "ours") / mine)
            for library in self.calls:
                if (task, library) not in self.seconds:
                    continue
                self._row(task, library, self.seconds[task, library], edges, mine)
                ratio = self.best(task, library) / mine
                if task != "pagerank":
                    self._target(task, library, 1.0, ratio)
                elif library == "networkit":
                    self._target(task, library, NETWORKIT_TARGET, ratio)

    def _row(self, task: str, who: str, seconds: list[float], edges: int, mine: float | str) -> None:
        rate = edges / min(seconds) / 1e6
        ratio = f"ours is {min(seconds) / mine:.2f}x as fast" if isinstance(mine, float) else ""
        text = f"{rate:,.0f} million edges/s, best {min(seconds):.3f} s, median {median(seconds):.3f} s"
        self.bench.row(f"{self.name} {task}, {who}", text, "", "", ratio)
        key = f"{self.key}_{task}_{who.replace(' ', '_')}"
        self.bench.figures[f"{key}_seconds"] = min(seconds)
        self.bench.figures[f"{key}_median_seconds"] = median(seconds)

    def _target(self, task: str, who: str, target: float, ratio: float) -> None:
        holds = None if self.bench.quick else ratio >= target
        text = f"at least {target}x" if target != 1.0 else "faster"
        self.bench.target(f"{self.name}: {task} against {who}", text, ratio, holds)


def run(bench: Bench) -> None:
    """Race on all graphs."""
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    tasks = ("pagerank", "components", "sssp")
    for kind, scale in QUICK if bench.quick else FULL:
        with tempfile.TemporaryDirectory() as name:
            race = Race(bench, kind, scale, Path(name))
            for task in tasks:
                race.take_turns(task, 3 if bench.quick else 9 if task == "pagerank" else 5)
            race.ours.close()
            race.report(tasks)
    bench.note("edge factor 16; components on the graph with both directions of every edge; two threads")
    bench.note("times of computing alone; what building our graph and engine took is in figures, ..._build_seconds")
