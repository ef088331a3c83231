# SPDX-License-Identifier: Apache-2.0
"""The contestant of bench.py: ``turns.py FOLDER ITERATIONS``, a turn for each line of standard input.

``run``: a graph from the array and PageRank of it, timed. ``memory``: the same once more, watched. ``compare``: the
latest values with NumPy's own.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

import polyloom

DAMPING = 0.85


def proportional_bytes() -> int:
    """Of this process and its children; shared pages count once."""
    found = 0
    for entry in Path("/proc").iterdir():
        try:
            if not entry.name.isdigit():
                continue
            parent = (entry / "stat").read_text().rpartition(")")[2].split()[1]
            if str(os.getpid()) in {entry.name, parent}:
                lines = (entry / "smaps_rollup").read_text().splitlines()
                found += sum(1024 * int(line.split()[1]) for line in lines if line.startswith("Pss:"))
        except OSError:  # it has just ended
            continue
    return found


class Watch:
    """The most memory while it is entered, above what was there."""

    def __enter__(self) -> Watch:
        self._first = self._most = proportional_bytes()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._ended.wait(0.03):
            self._most = max(self._most, proportional_bytes())

    @property
    def bytes(self) -> int:
        """More than there were."""
        return self._most - self._first


def numpy_pagerank(edges: Any, names: Any, iterations: int) -> Any:
    """In double precision; what vertices without out-edges hold is lost."""
    sources, targets = np.searchsorted(names, edges[:, 0]), np.searchsorted(names, edges[:, 1])
    count = len(names)
    degrees = np.maximum(np.bincount(sources, minlength=count), 1)
    values = np.full(count, 1 / count)
    for _ in range(iterations):
        shares = DAMPING * values / degrees
        values = (1 - DAMPING) / count + np.bincount(targets, weights=shares[sources], minlength=count)
    return values


def main() -> None:
    """Respond to each line."""
    folder, iterations = Path(sys.argv[1]), int(sys.argv[2])
    edges = np.stack([np.fromfile(folder / end, dtype=np.uint32) for end in ("from", "to")], axis=1).astype(np.int64)
    print(json.dumps({"edges": len(edges)}), flush=True)
    run: Any = None
    for line in sys.stdin:
        word = line.strip()
        result: dict[str, float] = {}
        if word == "compare":
            want = numpy_pagerank(edges, run.names.to_array(), iterations)
            result["worst"] = float(abs(run.values - want).max() / want.max())
        else:
            run = None
            with Watch() if word == "memory" else threading.Lock() as watch:
                begin = time.monotonic()
                graph = polyloom.Graph.from_edges(edges)
                made = time.monotonic()
                run = graph.pagerank(iterations=iterations, damping=DAMPING)
                result = {"seconds": time.monotonic() - begin, "graph_seconds": made - begin}
            if isinstance(watch, Watch):
                result |= {"bytes": watch.bytes, "array_bytes": edges.nbytes}
            del graph
        print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
