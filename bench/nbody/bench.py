# SPDX-License-Identifier: Apache-2.0
"""A whole N-body step: its parts in one process (PEACH2, Figure 4), and what moves between 2 to 16 nodes of a cluster.

On clusters the time is simulated and computing is free, so that figures repeat: what trees cost on their way, with LETs
by host or by hub, and what the domains cost. The effect on a whole step, the paper's future work, is not shown: one
CPU core a node computes for milliseconds, and two runs of the same step differ by more than hub and host do.
"""

from __future__ import annotations

from bench.common.harness import Bench
from polyloom import nbody
from polyloom.nbody.cluster import ClusterSimulation, Place

STEPS = 4
SETTINGS = nbody.Settings(mac="acceleration", eps=0.01)
LETS = ("hub", "host", "full")


def run(bench: Bench) -> None:
    """Both tables."""
    breakdown(bench, 1 << 18 if bench.quick else 1 << 23)
    count = 16384 if bench.quick else 65536
    rows = [communication(bench, count, nodes) for nodes in ((2, 8) if bench.quick else (2, 8, 16))]
    bench.figures["tables"] = [
        {
            "title": f"Simulated time of communication in a step, {count:,} bodies, acceleration criterion 2^-9",
            "head": ["nodes", "LETs by hub: us", "LETs by host: us", "whole trees: us", "domains: us"],
            "rows": rows,
        }
    ]
    bench.note("computing is free: LETs by host cost their way alone, not the host's work; nor are there copies")
    bench.note("LETs: their way, and the summaries of all domains; domains: sampling, cutting and moving bodies")


def breakdown(bench: Bench, count: int) -> None:
    """Figure 4: parts of a step in one process, wall clock."""
    simulation = nbody.Simulation(nbody.problem("plummer", count, 1), SETTINGS)
    simulation.start()
    before = simulation.reports()[0]["phases"]
    simulation.advance(2)
    after = simulation.reports()[0]["phases"]
    parts = {name: (after[name] - before[name]) / 2 for name in after}
    whole = sum(parts.values())
    for name, seconds in parts.items():
        if seconds > 0:
            bench.row(f"{count:,} bodies, {name}", f"{1e3 * seconds:.1f} ms", ratio="", limit=f"{seconds / whole:.3f}")
    bench.figures["breakdown_seconds"] = parts
    tree = parts["calc MAC"] + parts["walk tree"]
    bench.target("calc MAC and walk tree dominate (section 3.1)", "above half a step", tree / whole, tree > whole / 2)


def simulated_phases(count: int, nodes: int, let: str) -> dict[str, float]:
    """Largest simulated seconds a step of each phase, over the ranks."""
    state = nbody.problem("plummer", count, 1)
    with ClusterSimulation(state, SETTINGS, nodes, Place(f"peach2-{nodes}", let=let)) as run:
        run.start()
        before = _phases(run)
        for _ in range(STEPS):
            run.advance(1)
        after = _phases(run)
        run.finish()
    return {name: max(a[name] - b[name] for a, b in zip(after, before, strict=True)) / STEPS for name in after[0]}


def _phases(simulation: ClusterSimulation) -> list[dict[str, float]]:
    return [report["simulated_phases"] for report in simulation.reports()]


def communication(bench: Bench, count: int, nodes: int) -> list[str]:
    """One row: LETs by hub, by host, whole trees; the domains."""
    times = {let: simulated_phases(count, nodes, let) for let in LETS}
    bench.figures[f"{nodes}_nodes"] = times
    for let, phases in times.items():
        text = f"{1e6 * phases['LET']:.0f} us a step for trees, {1e6 * phases['decompose']:.0f} us for domains"
        bench.row(f"{nodes} nodes, {count:,} bodies, LET by {let}", text)
    us = [f"{1e6 * times[let]['LET']:,.0f}" for let in LETS]
    return [str(nodes), *us, f"{1e6 * times['hub']['decompose']:,.0f}"]
