# SPDX-License-Identifier: Apache-2.0
"""``make demo``: PageRank of the Debian package dependency graph, natively and on 12 simulated FPGAs.

Runs the polyloom command as a user would, compares the two answers, prints the top packages, the simulated time and
the report's path. Exit status 0 only if the answers agree.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from polyloom import record
from polyloom.report import counters

ROOT = Path(__file__).resolve().parent.parent
GRAPH = ROOT / "apps" / "data" / "debian-packages.plg.gz"
ITERATIONS = 20
CLUSTER = "tinsel-12"
L1_BOUND = 1e-5  # single precision, another order of summation


def run(on: str, values: Path, *extra: str) -> dict[str, object]:
    """Run PageRank on a fidelity; its per-vertex values go to ``values``."""
    command = [
        str(ROOT / ".venv" / "bin" / "polyloom"), "run", "pagerank", "--on", on, "--graph", str(GRAPH),
        "--iterations", str(ITERATIONS), "--out", str(values), "--json", *extra,
    ]  # fmt: skip
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.returncode)
    answer = json.loads(done.stdout)
    assert isinstance(answer, dict)
    return answer


def read_values(path: Path) -> list[float]:
    """Values by vertex of a CSV that ``--out`` wrote."""
    with path.open(newline="") as file:
        return [float(row["value"]) for row in csv.DictReader(file)]


def show_top(title: str, answer: dict[str, object]) -> list[str]:
    """Print the ten best vertices and return their names."""
    top = answer["top"]
    assert isinstance(top, list)
    print(f"\n{title}")
    for rank, row in enumerate(top, 1):
        print(f"  {rank:2}. {row['name']:<24} {float(row['value']):.6f}")
    return [str(row["name"]) for row in top]


def main() -> None:
    """Run both, compare, print."""
    os.environ.setdefault("POLYLOOM_HOME", str(ROOT))
    with tempfile.TemporaryDirectory() as scratch:
        native_values, sim_values = Path(scratch, "native.csv"), Path(scratch, "sim.csv")
        print(f"PageRank, {ITERATIONS} iterations, of the Debian package dependency graph")
        native = run("native", native_values, "--verify")
        native_top = show_top("natively on this CPU:", native)
        print(f"\nNow by RISC-V code on the hardware threads of {CLUSTER} (simulated):", flush=True)
        sim = run("sim", sim_values, "--cluster", CLUSTER)
        sim_top = show_top(f"on {CLUSTER}, simulated:", sim)
        left, right = read_values(native_values), read_values(sim_values)
    distance = sum(abs(a - b) for a, b in zip(left, right, strict=True))
    run_record = record.read(Path(str(sim["run_dir"])))
    print("\nThe counters of the Tinsel paper's figure 12, for this run:")
    metrics = counters.measure(run_record)
    for name, value in metrics.rows if metrics else []:
        print(f"  {name:<22} {value}")
    print(f"\nL1 distance of the two answers: {distance:.2e} (bound {L1_BOUND:.0e})")
    simulated, wall = run_record.run["simulated_seconds"], run_record.run["wall_seconds"]
    print(f"simulated time: {simulated:.6f} s   wall-clock time: {wall:.1f} s")
    print(f"report: {sim['report']}")
    if distance > L1_BOUND or native_top != sim_top:
        sys.exit("demo: the native and the simulated answer differ")


if __name__ == "__main__":
    main()
