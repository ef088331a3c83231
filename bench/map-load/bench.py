# SPDX-License-Identifier: Apache-2.0
"""Wall-clock seconds per million edges to sort, partition, build tables and images, and load, on 12 boards.

Loading goes through the simulated shells' DMA and is measured with a whole run; the rest without a simulator.
"""

from __future__ import annotations

import json
import subprocess

from bench.common.harness import BUILD, Bench, run_program


def run(bench: Bench) -> None:
    """Geometric and Kronecker graphs, by the default placer, by METIS and by breadth-first order."""
    cases = [("geometric", 40000, 16, "metis"), ("kronecker", 14, 16, "automatic")]
    if not bench.quick:
        cases += [("geometric", 1_000_000, 16, "automatic"), ("geometric", 1_000_000, 16, "bfs")]
    for kind, size, degree, placer in cases:
        command = [str(BUILD / "bin" / "bench_map_load"), kind, str(size), str(degree), placer]
        result = json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)
        millions = result["edges"] / 1e6
        parts = {part: result[f"{part}_seconds"] / millions for part in ("sort", "place", "table", "write")}
        name = f"{kind} {size} x {degree}, {result['placer']}"
        bench.row(name, ", ".join(f"{part} {value:.2f}" for part, value in parts.items()) + " s/M edges")
        bench.figures[name] = {**parts, "total": sum(parts.values()), "cut_boards": result["cut_boards"]}
    app = [str(BUILD / "bin" / "app_pagerank"), "--generate", "geometric:40000:16", "--iterations", "1", "--json"]
    loaded = run_program(app, "tinsel-12")
    seconds = loaded.output["load_wall_seconds"] / (loaded.output["edges"] / 1e6)
    bench.row("generate, map and load into the simulated 12 boards", f"{seconds:.2f} s/M edges")
    bench.figures["load_seconds_per_million_edges"] = seconds
