# SPDX-License-Identifier: Apache-2.0
"""PageRank from a NumPy array of edges to values in NumPy, against the native engine's own build and run.

Both take the same edges in the same run, taking turns: ours as int64 pairs through polyloom.Graph, the engine's own
(the program of bench/native-graph) as the C++ arrays that it has made. The time of ours contains making the graph
(finding the vertices, numbering them, handing over), starting the program, and the values. Memory is the proportional
set size of Python and of all that it has started, above what was there before. Values are compared with NumPy's.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

from bench.common.harness import BUILD, Bench, Contestant

FULL = (("kronecker", 21), ("uniform", 21))
QUICK = (("kronecker", 16),)
ITERATIONS = 20  # as bench_native_graph
TIME_TARGET, MEMORY_TARGET = 1.2, 1.5


def run(bench: Bench) -> None:
    """All graphs."""
    bench.note(
        "memory: beside the pairs given, the engine holds edges four times while it arranges them: as they were handed "
        "over (0.5 of the pairs), by sender, by sender in its own order, by receiver (0.25 each), so 1.25, and about "
        "45 bytes a vertex; 1.5 asks it to let go of the rows by sender meanwhile"
    )
    bench.note(
        "time: beside the engine's own, numbering the vertices (about a sixth), two looks at all edges before and "
        "after the run (how many leave each vertex; which vertices have none), and a process that begins and ends"
    )
    for kind, scale in QUICK if bench.quick else FULL:
        with tempfile.TemporaryDirectory() as folder:
            race(bench, kind, scale, folder)


def race(bench: Bench, kind: str, scale: int, folder: str) -> None:
    """One graph."""
    own: list[float] = []
    turns: list[dict[str, Any]] = []
    ours: Contestant | None = None
    for _ in range(2 if bench.quick else 4):
        engine = Contestant(str(BUILD / "bin" / "bench_native_graph"), kind, str(scale), folder)
        edges = engine.facts["edges"]
        first = engine.turn("pagerank")
        engine.close()
        own.append(first["seconds"] + first["build_seconds"])
        if ours is None:  # the edges are there
            ours = Contestant(sys.executable, str(Path(__file__).with_name("turns.py")), folder, str(ITERATIONS))
        turns.append(ours.turn("run"))
    assert ours is not None
    memory = ours.turn("memory")
    worst = ours.turn("compare")["worst"]
    ours.close()
    if worst > 1e-4:
        sys.exit(f"bench: {kind} {scale}: a value differs from NumPy's by {worst:.3g} of the largest")
    report(bench, f"{kind} {scale}", edges, own, turns, memory)


def report(
    bench: Bench, name: str, edges: int, own: list[float], turns: list[dict[str, Any]], memory: dict[str, Any]
) -> None:
    """Rows, figures and targets of a graph."""
    whole = [turn["seconds"] for turn in turns]
    making = min(turn["graph_seconds"] for turn in turns)
    ratio, share = min(whole) / min(own), memory["bytes"] / memory["array_bytes"]
    million = f"{name}, {edges / 1e6:.1f} million edges"
    bench.row(f"{million}: the engine's own", f"best {min(own):.2f} s, median {median(own):.2f} s")
    text = f"best {min(whole):.2f} s, median {median(whole):.2f} s; of it making the graph {making:.2f} s"
    bench.row(f"{million}: from NumPy to values", text, "", "", f"{ratio:.2f}x the engine's own")
    arrays = f"{memory['bytes'] / 1e6:.0f} MB beside arrays of {memory['array_bytes'] / 1e6:.0f} MB"
    bench.row(f"{million}: memory", arrays, "", "", f"{share:.2f}x the arrays")
    key = name.replace(" ", "_")
    bench.figures |= {
        f"{key}_engine_seconds": min(own),
        f"{key}_seconds": min(whole),
        f"{key}_graph_seconds": making,
        f"{key}_bytes": memory["bytes"],
        f"{key}_array_bytes": memory["array_bytes"],
    }
    for what, target, figure in (("time over the engine's own", TIME_TARGET, ratio), ("memory", MEMORY_TARGET, share)):
        unit = "" if what != "memory" else " of the arrays"
        bench.target(f"{name}: {what}", f"at most {target}x{unit}", figure, None if bench.quick else figure <= target)
