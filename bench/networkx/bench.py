# SPDX-License-Identifier: Apache-2.0
"""NetworkX's own functions against the same calls with ``backend="polyloom"``, in one run, on the same graphs.

Ours with conversion (nothing cached) and with a graph that NetworkX has cached; best of all turns, which alternate.
Results must agree. Memory: the peak of the program that runs, beside the arrays of the graph.
"""

from __future__ import annotations

import contextlib
import gc
import os
import re
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.common.harness import Bench

FULL, QUICK = (100_000, 10), (5_000, 10)
CALLS: dict[str, tuple[Any, ...]] = {
    "pagerank": (),
    "connected_components": (),
    "single_source_shortest_path_length": (0,),
    "core_number": (),
    "triangles": (),
}
PAGERANK_TARGET = 3.0


def graphs(nodes: int, degree: int) -> dict[str, Any]:
    """Undirected, with ``nodes * degree`` edges: all nodes alike, and skewed; one that is directed."""
    import networkx as nx

    return {
        "uniform": nx.gnm_random_graph(nodes, nodes * degree, seed=1),
        "skewed": nx.barabasi_albert_graph(nodes, degree, seed=1),
        "directed": nx.gnm_random_graph(nodes, nodes * degree, seed=1, directed=True),
    }


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds that a call takes with the collector off, and its result."""
    gc.collect()
    gc.disable()
    start = time.perf_counter()
    result = call()
    seconds = time.perf_counter() - start
    gc.enable()
    return seconds, result


def agree(name: str, ours: Any, theirs: Any) -> bool:
    """Whether both results are right if one is."""
    if name == "pagerank":  # both have stopped within the same distance of the limit
        return sum(abs(ours[node] - theirs[node]) for node in theirs) < 2 * len(theirs) * 1e-6 * 0.85 / 0.15
    return bool(ours == theirs)


def peak(graph: Any, name: str) -> int:
    """Bytes that the program needs at most, the arrays among them: sampled, for what starts it is large, too."""
    most, ended = 0, threading.Event()

    def sample() -> None:
        nonlocal most
        while not ended.wait(0.0005):
            for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split():
                with contextlib.suppress(OSError):
                    status = dict(re.findall(r"^(Name|VmHWM):\s+(\S+)", Path(f"/proc/{pid}/status").read_text(), re.M))
                    if status["Name"].startswith("app_"):
                        most = max(most, int(status.get("VmHWM", 0)) * 1024)

    thread = threading.Thread(target=sample)
    thread.start()
    result_of(graph, name, backend="polyloom")
    ended.set()
    thread.join()
    return most


def result_of(graph: Any, name: str, **where: Any) -> Any:
    """What a call gives, as a dictionary or a list."""
    import networkx as nx

    result = getattr(nx, name)(graph, *CALLS[name], **where)
    return result if isinstance(result, dict) else list(result)


def race(bench: Bench, kind: str, graph: Any, name: str) -> None:
    """One call on one graph."""
    cache = graph.__networkx_cache__
    seconds: dict[str, list[float]] = {"NetworkX": [], "converted": [], "cached": []}
    for turn in range(2 if bench.quick else 5):
        if turn < 2:
            spent, theirs = timed(lambda: result_of(graph, name, backend="networkx"))
            seconds["NetworkX"].append(spent)
        cache.clear()
        for how in ("converted", "cached"):
            spent, ours = timed(lambda: result_of(graph, name, backend="polyloom"))
            seconds[how].append(spent)
            if not agree(name, ours, theirs):
                sys.exit(f"bench: {kind}: {name} differs from NetworkX's")
    best = {who: min(times) for who, times in seconds.items()}
    [kept] = cache["backends"]["polyloom"].values()
    arrays = os.fstat(kept.file.descriptor).st_size
    beside = peak(graph, name) - arrays
    text = ", ".join(f"{who} {time:.3f} s" for who, time in best.items())
    ratios = {how: best["NetworkX"] / best[how] for how in ("converted", "cached")}
    shown = f"{ratios['converted']:.1f}x with conversion, {ratios['cached']:.1f}x cached"
    bench.row(f"{kind}: {name}", f"{text}; {beside / 2**20:.0f} MiB beside {arrays / 2**20:.0f} of arrays", "", shown)
    for who, value in best.items():
        bench.figures[f"{kind}_{name}_{who}_seconds"] = value
    bench.figures[f"{kind}_{name}_bytes_beside_arrays"] = beside
    if name == "pagerank":
        holds = None if bench.quick else ratios["converted"] >= PAGERANK_TARGET
        bench.target(f"{kind}: pagerank, conversion included", f"{PAGERANK_TARGET}x", ratios["converted"], holds)


def run(bench: Bench) -> None:
    """All calls on all graphs."""
    import networkx as nx

    nodes, degree = QUICK if bench.quick else FULL
    with nx.config(warnings_to_ignore={"cache"}):
        for kind, graph in graphs(nodes, degree).items():
            for name in CALLS:
                if not graph.is_directed() or name in {"pagerank", "single_source_shortest_path_length"}:
                    race(bench, kind, graph, name)
    bench.note(f"graphs of {nodes} nodes and about {nodes * degree} edges; pagerank to NetworkX's tolerance 1e-6")
