# SPDX-License-Identifier: Apache-2.0
"""The native engine beside hand-written kernels and public libraries: PageRank, components, shortest paths, BFS.

All run on the same edges in the same run, taking turns; ours and the kernels in the same process. Ours and the kernels
run alone, on what is built, and with building, from the list of edges in memory on; of the libraries only computing is
timed. Times are medians of five turns after a first one (three with building where no target is for that; three of the
libraries', one of igraph's, which keeps what it finds out about a graph). Results must agree.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from bench.common.harness import Bench

#: Kind, size, and whether targets are for it.
FULL = (
    ("kronecker", 18, True),
    ("kronecker", 20, True),
    ("uniform", 20, True),
    ("debian", 0, False),
    ("grid", 1000, False),
)
QUICK = (("kronecker", 16, True), ("uniform", 16, True))
#: How often a waiting thread of OpenMP looks before it sleeps: for half a millisecond, longer than kernels wait. The
#: default is 16, which each barrier costs where others use the machine.
SPINS = "10000"
APT_LISTS = Path("/var/lib/apt/lists")


def run(bench: Bench) -> None:
    """All graphs, then the text, memory, and processes."""
    os.environ.setdefault("GOMP_SPINCOUNT", SPINS)
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    import bench_native_memory as memory
    import bench_native_text as text
    from bench_native_race import Race, has_graphblas

    for kind, size, aims in QUICK if bench.quick else FULL:
        if kind == "debian" and not any(APT_LISTS.glob("*_Packages*")):
            bench.note("the package graph was left out: apt has no package lists here")
            continue
        with tempfile.TemporaryDirectory() as name:
            Race(bench, kind, size, Path(name)).run(aims)
    with tempfile.TemporaryDirectory() as name:
        text.run(bench, Path(name))
        memory.memory(bench, "kronecker", 16 if bench.quick else 20, Path(name))
    memory.exchange(bench, 14 if bench.quick else 18)
    if not has_graphblas():
        bench.note("GraphBLAS was left out: python-graphblas is not installed")
    bench.note("edge factor 16, weights 1 to 255; components on both directions of every edge; two threads")
    bench.note(
        "with build: from edges in memory to results; of the kernels, counting and scattering, both ways, as GAPBS "
        "times its builder; they run on sorted rows, as GAPBS has them, which another row counts; what dropping "
        "duplicates adds is in figures, ..._squish_seconds"
    )
    bench.note("the kernels use ordinary pages, as GAPBS does; ours asks for huge ones")
