# SPDX-License-Identifier: Apache-2.0
"""``make demo``: PageRank of the Debian package dependency graph, natively and on 12 simulated FPGAs.

Runs the polyloom command as a user would, compares the two results, prints the top packages, what the figures mean, the
report's path and what to try next. Exit status 0 only if the results agree.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from polyloom.base import process, record
from polyloom.report import bottleneck, counters
from polyloom.report.format import quantity

ROOT = Path(__file__).resolve().parent.parent
GRAPH = ROOT / "apps" / "data" / "debian-packages.plg.gz"
ITERATIONS = 20
CLUSTER = "tinsel-12"
PLAIN_ITERATIONS = 2  # without combiners: as many seconds for a tenth of the iterations
L1_BOUND = 1e-5  # single precision, another order of summation
MEANING = """
What the figures mean. Compute time is simulated: what {cluster} would take for the iterations. Wall-clock time is
what you waited for its simulation. Rates and utilisation are over the simulated time in which the boards' threads ran.
The report draws the cluster, names its busiest core, and shows each superstep.
"""
NEXT = """What to try next (first `make build`, for the other applications; a few minutes):
  .venv/bin/polyloom run pagerank --graph YOUR-EDGES.txt --on native --verify     your own graph: two numbers a line
  .venv/bin/polyloom run pagerank --graph YOUR-EDGES.txt --on sim --cluster laptop
  .venv/bin/polyloom apps                                                         what else there is to run
  .venv/bin/polyloom --help                                                       collectives, MPI, N-body, RTL
docs/first-steps.md goes on from here."""


def run(on: str, *extra: str, iterations: int = ITERATIONS) -> dict[str, Any]:
    """Run PageRank on a fidelity."""
    command = [
        str(ROOT / ".venv" / "bin" / "polyloom"), "run", "pagerank", "--on", on, "--graph", str(GRAPH),
        "--iterations", str(iterations), "--json", *extra,
    ]  # fmt: skip
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.returncode)
    result = json.loads(done.stdout)
    assert isinstance(result, dict)
    return result


def read_values(path: Path) -> dict[str, float]:
    """Values by package of a CSV that ``--out`` wrote."""
    with path.open(newline="", errors="surrogateescape") as file:
        return {row["vertex"]: float(row["value"]) for row in csv.DictReader(file)}


def show_top(title: str, result: dict[str, Any]) -> list[str]:
    """Print the ten best vertices and return their names."""
    top = result["top"]
    assert isinstance(top, list)
    print(f"\n{title}")
    for rank, row in enumerate(top, 1):
        print(f"  {rank:2}. {row['name']:<24} {float(row['value']):.6f}")
    return [str(row["name"]) for row in top]


def show_change(combined: dict[str, Any], plain: dict[str, Any]) -> None:
    """Print what combiners change."""
    record_of_plain = record.read(Path(plain["run_dir"]))
    metrics = counters.measure(record_of_plain)
    threads = [result["mapping"]["forecast"]["busiest_thread_instructions"] for result in (plain, combined)]
    times = [plain["compute_simulated_seconds"] / PLAIN_ITERATIONS, combined["compute_simulated_seconds"] / ITERATIONS]
    print(f"  {'Time an iteration':<22} {quantity(times[0], 's')} ({times[0] / times[1]:.0f} times as long)")
    foretold = f"{threads[0]:,.0f} instructions an iteration, with combiners {threads[1]:,.0f} (foretold)"
    print(f"  {'Busiest thread':<22} {foretold}")
    if metrics:
        print(f"  {'CPU utilisation':<22} {metrics.cpu_utilisation:.1%}")
    print(bottleneck.sentences(record_of_plain))


def main() -> None:
    """Run both, compare, print."""
    process.guard()
    os.environ.setdefault("POLYLOOM_HOME", str(ROOT))
    with tempfile.TemporaryDirectory() as scratch:
        native_values, sim_values = Path(scratch, "native.csv"), Path(scratch, "sim.csv")
        print(f"PageRank, {ITERATIONS} iterations, of the Debian package dependency graph")
        native = run("native", "--out", str(native_values), "--verify")
        native_top = show_top("natively on this CPU:", native)
        print(f"\nNow by RISC-V code on the hardware threads of {CLUSTER} (simulated; some seconds):", flush=True)
        sim = run("sim", "--out", str(sim_values), "--cluster", CLUSTER)
        sim_top = show_top(f"on {CLUSTER}, simulated:", sim)
        left, right = read_values(native_values), read_values(sim_values)
    if left.keys() != right.keys():
        sys.exit("demo: the native and the simulated result are of different packages")
    distance = sum(abs(left[name] - right[name]) for name in left)
    run_record = record.read(Path(str(sim["run_dir"])))
    print("\nThe computation on the cluster, by the counters of the Tinsel paper's figure 12:")
    metrics = counters.measure(run_record)
    for name, value in metrics.rows if metrics else []:
        print(f"  {name:<22} {value}")
    print(f"  {'Wall-clock time':<22} {run_record.number('run.json', 'wall_seconds') or 0:.1f} s")
    print(bottleneck.sentences(run_record))
    print("\nThe same where each vertex hears its in-edges by itself (--combine off):", flush=True)
    plain = run("sim", "--cluster", CLUSTER, "--combine", "off", "--no-report", iterations=PLAIN_ITERATIONS)
    show_change(sim, plain)
    print(f"\nL1 distance of the two results: {distance:.2e} (bound {L1_BOUND:.0e})")
    if distance > L1_BOUND or native_top != sim_top:
        sys.exit("demo: the native and the simulated result differ")
    print(MEANING.format(cluster=CLUSTER))
    print(NEXT)
    print(f"report: {sim['report']}")


if __name__ == "__main__":
    main()
