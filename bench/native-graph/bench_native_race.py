# SPDX-License-Identifier: Apache-2.0
"""All contestants on one graph, taking turns: turns, comparison of results, rows and targets."""

from __future__ import annotations

import importlib.util
import sys
from collections import defaultdict
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from bench_native_bounds import Rates, bound
from bench_native_rivals import (
    ITERATIONS,
    Graph,
    exact_pagerank,
    igraph_calls,
    networkit_calls,
    scipy_calls,
    timed,
    values,
)

from bench.common.harness import BUILD, Bench, Contestant

TASKS = ("pagerank", "components", "sssp", "bfs")
#: What the hand-written kernel is called, and how fast ours is to be: alone, and with building.
KERNELS: dict[str, tuple[str, float, float | None]] = {
    "pagerank": ("GAPBS's pull", 1.5, 1.2),
    "components": ("Afforest", 0.9, None),
    "sssp": ("delta-stepping", 0.9, None),
    "bfs": ("direction-optimising", 0.8, None),
}
NETWORKIT_TARGET = 3.0
TURNS, QUICK_TURNS = 5, 3
#: With building, where no target is for that.
BUILD_TURNS = 3
#: Turns of a library, while it has not taken so many seconds.
LIBRARY_TURNS, LIBRARY_SECONDS = 3, 4.0
#: One run of ours or of a kernel that takes so many seconds is not repeated.
SLOW_SECONDS = 10.0
#: Sum of a PageRank's errors over the sum of its values. Others may add up a hub's many neighbours one by one.
ERROR, ERROR_OF_OTHERS = 1e-5, 1e-4


def has_graphblas() -> bool:
    """Whether python-graphblas is there."""
    return importlib.util.find_spec("graphblas") is not None


class Race:
    """All contestants on one graph."""

    def __init__(self, bench: Bench, kind: str, size: int, folder: Path) -> None:
        self.bench = bench
        self.name = f"{kind} {size}" if size else kind
        self.key = self.name.replace(" ", "_")
        self.folder = folder
        self.program = Contestant(str(BUILD / "bin" / "bench_native_graph"), kind, str(size), str(folder))
        facts = self.program.facts
        self.graph = Graph.load(folder, facts["vertices"], facts["source"])
        self.edges = facts["edges"]
        self.calls = {
            "networkit": networkit_calls(self.graph),
            "igraph": igraph_calls(self.graph),
            "SciPy": scipy_calls(self.graph),
        }
        if has_graphblas():
            from bench_native_graphblas import graphblas_calls

            self.calls["GraphBLAS"] = graphblas_calls(self.graph)
            if kind == "grid":  # a product of Python's for each of thousands of rounds
                del self.calls["GraphBLAS"]["sssp"]
        self.seconds: dict[tuple[str, str], list[float]] = defaultdict(list)
        self.rates: Rates | None = None

    def run(self, aims: bool) -> None:
        """All tasks; ``aims``: targets are for this graph."""
        for task in TASKS:
            self._take_turns(task)
        self.bench.figures |= {
            f"{self.key}_gapbs_{what}": value for what, value in self.program.turn("kernels").items()
        }
        self.rates = Rates(**self.program.turn("machine"))
        self.program.close()
        self.bench.figures |= {f"{self.key}_{name}_per_second": rate for name, rate in vars(self.rates).items()}
        for task in TASKS:
            self._report(task, aims)

    def _take_turns(self, task: str) -> None:
        kernel = KERNELS[task][0]
        turns = QUICK_TURNS if self.bench.quick else TURNS
        first = max(self.program.turn(word)["seconds"] for word in (task, f"gap-{task}"))  # warms both up
        self._compare_ours(task)
        for turn in range(1 if first > SLOW_SECONDS else turns):
            builds = turn < BUILD_TURNS or KERNELS[task][2] is not None
            for word in ("", " build") if builds else ("",):
                for who, name in ((task, "ours"), (f"gap-{task}", kernel)):
                    self._note_times(task, name, self.program.turn(who + word), bool(word))
            for library in self.calls:
                spent = self.seconds[task, library]
                most = 1 if library == "igraph" else LIBRARY_TURNS
                if task in self.calls[library] and turn < most and sum(spent) < LIBRARY_SECONDS:
                    self._run_library(library, task)

    def _note_times(self, task: str, who: str, times: dict[str, float], build: bool) -> None:
        if build:
            self.seconds[task, f"{who} with build"].append(times["build_seconds"] + times["seconds"])
            self.seconds[task, f"{who} with build and sorted rows"].append(sum(times[t] for t in _ALL_TIMES))
        else:
            self.seconds[task, who].append(times["seconds"])

    def _run_library(self, library: str, task: str) -> None:
        best = None
        for call in self.calls[library][task]:
            seconds, result = timed(call)
            best = seconds if best is None else min(best, seconds)
            if not self.seconds[task, library]:
                self._compare(task, library, values(library, task, result, self.graph.source))
        assert best is not None
        self.seconds[task, library].append(best)

    def _result(self, name: str) -> Any:
        return np.fromfile(self.folder / name, dtype=np.float32 if "pagerank" in name else np.uint32)

    def _compare_ours(self, task: str) -> None:
        ours = self._result(task)
        self.reference = exact_pagerank(self.graph) if task == "pagerank" else ours
        self._compare(task, "ours", ours, ERROR)
        self._compare(task, KERNELS[task][0], self._result(f"gap-{task}"))

    def _compare(self, task: str, who: str, theirs: Any, error: float = ERROR_OF_OTHERS) -> None:
        """With exact ranks, or with our integers."""
        if task == "pagerank":
            exact = self.reference
            if who == "networkit":  # scales its result to a sum of 1
                exact = exact / exact.sum()
            right = np.abs(theirs - exact).sum() <= error * exact.sum()
        else:
            right = np.array_equal(self.reference, theirs)
        if not right:
            sys.exit(f"bench: {self.name}: the result of {who} for {task} is another")

    def _report(self, task: str, aims: bool) -> None:
        kernel, alone, with_build = KERNELS[task]
        for build, aim in (("", alone), (" with build", with_build)):
            self._row(task, f"ours{build}")
            self._row(task, f"{kernel}{build}", f"ours{build}")
            if aims and aim is not None:
                self._target_against_kernel(task, kernel, build, aim)
        self._row(task, f"{kernel} with build and sorted rows", "ours with build")
        for library, calls in self.calls.items():
            if task not in calls:
                continue
            self._row(task, library, "ours")
            if not aims or library == "GraphBLAS":
                continue
            if task != "pagerank":
                self._target(f"{task} against {library}", 1.0, self._ratio(task, library, "ours"))
            elif library == "networkit":
                self._target(f"{task} against {library}", NETWORKIT_TARGET, self._ratio(task, library, "ours"))

    def _ratio(self, task: str, theirs: str, ours: str) -> float:
        return median(self.seconds[task, theirs]) / median(self.seconds[task, ours])

    def _row(self, task: str, who: str, ours: str = "") -> None:
        seconds = self.seconds[task, who]
        text = f"{1e3 * median(seconds):,.1f} ms ({1e3 * min(seconds):,.1f} to {1e3 * max(seconds):,.1f})"
        if "build" not in who:
            edges = self.edges * (ITERATIONS if task == "pagerank" else 2 if task == "components" else 1)
            text += f", {edges / median(seconds) / 1e6:,.0f} million edges/s"
        ratio = f"ours is {self._ratio(task, who, ours):.3g}x as fast" if ours else ""
        self.bench.row(f"{self.name} {task}, {who}", text, "", "", ratio)
        key = f"{self.key}_{task}_{who}".replace("'", "").replace("-", "_").replace(" ", "_")
        for name, figure in (("", median(seconds)), ("least_", min(seconds)), ("most_", max(seconds))):
            self.bench.figures[f"{key}_{name}seconds"] = figure

    def _target_against_kernel(self, task: str, kernel: str, build: str, aim: float) -> None:
        ratio = self._ratio(task, kernel + build, "ours" + build)
        self._target(f"{task}{build} against {kernel}", aim, ratio)
        if ratio >= aim:
            return
        assert self.rates is not None
        least, why = bound(task, self.graph.vertices, self.edges, self.rates, build != "")
        ours = median(self.seconds[task, "ours" + build])
        text = f"{1e3 * least:,.1f} ms; ours {1e3 * ours:,.1f} ms"
        self.bench.row(
            f"{self.name} {task}{build}, bound of this machine", text, "", "", f"{ours / least:.3g}x the bound"
        )
        note = f"bound of {task}{build}: {why}"
        if note not in self.bench.notes:
            self.bench.note(note)
        self.bench.figures[f"{self.key}_{task}{build.replace(' ', '_')}_over_bound"] = ours / least

    def _target(self, what: str, target: float, ratio: float) -> None:
        text = f"at least {target}x" if target != 1.0 else "faster"
        self.bench.target(f"{self.name}: {what}", text, ratio, None if self.bench.quick else ratio >= target)


_ALL_TIMES = ("build_seconds", "sort_seconds", "seconds")
