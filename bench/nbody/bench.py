# SPDX-License-Identifier: Apache-2.0
"""A whole N-body step: its parts in one process (PEACH2, Figure 4), and with LETs by host or by hub on 2 to 16 nodes.

On clusters the time is simulated: communication as modelled, computing as this machine's CPU clock says for each
rank's process (one core a node), so the second table does not repeat to the last digit. What the paper leaves as
future work, the effect of the hub's LETs on the whole simulation, is the ratio of the two columns.
"""

from __future__ import annotations

from bench.common.harness import Bench, machine
from polyloom import nbody
from polyloom.nbody.cluster import ClusterSimulation, Place

STEPS = 4


def run(bench: Bench) -> None:
    """Both tables."""
    breakdown(bench, 1 << 18 if bench.quick else 1 << 23)
    count = 16384 if bench.quick else 65536
    rows = [step_times(bench, count, nodes) for nodes in ((2, 8) if bench.quick else (2, 8, 16))]
    bench.figures["tables"] = [
        {
            "title": f"Simulated time of a step, {count:,} bodies, acceleration criterion 2^-9",
            "head": ["nodes", "by hub: us", "by host: us", "whole trees: us", "exchange by hub: us", "by host: us"],
            "rows": rows,
        }
    ]
    bench.note(f"computing: {machine()}, one core a node, CPU time of the rank's process passes as simulated time")
    bench.note("a step by host counts its LETs at this machine's speed, in the accelerator's own memory: no copies")


def breakdown(bench: Bench, count: int) -> None:
    """Figure 4: parts of a step in one process, wall clock."""
    simulation = nbody.Simulation(nbody.problem("plummer", count, 1), nbody.Settings(mac="acceleration"))
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


def simulated_step(count: int, nodes: int, let: str) -> dict[str, float]:
    """Largest simulated seconds of a step and of its exchange of trees, over the ranks."""
    state = nbody.problem("plummer", count, 1)
    place = Place(f"peach2-{nodes}", let=let, compute="measured")
    with ClusterSimulation(state, nbody.Settings(mac="acceleration"), nodes, place) as simulation:
        simulation.start()
        before = _phases(simulation)
        for _ in range(STEPS):
            simulation.advance(1)
        after = _phases(simulation)
        simulation.finish()
    whole = max(sum(a.values()) - sum(b.values()) for a, b in zip(after, before, strict=True))
    trees = max(a["LET"] - b["LET"] for a, b in zip(after, before, strict=True))
    return {"step": whole / STEPS, "LET": trees / STEPS}


def _phases(simulation: ClusterSimulation) -> list[dict[str, float]]:
    return [report["simulated_phases"] for report in simulation.reports()]


def step_times(bench: Bench, count: int, nodes: int) -> list[str]:
    """One row: LETs by hub, by host, whole trees."""
    times = {let: simulated_step(count, nodes, let) for let in ("hub", "host", "full")}
    bench.figures[f"{nodes}_nodes"] = times
    for let, t in times.items():
        text = f"{1e6 * t['step']:.0f} us a step, {1e6 * t['LET']:.0f} us of it trees"
        bench.row(f"{nodes} nodes, {count:,} bodies, LET by {let}", text)
    us = [f"{1e6 * times[let]['step']:,.0f}" for let in ("hub", "host", "full")]
    return [str(nodes), *us, *(f"{1e6 * times[let]['LET']:,.0f}" for let in ("hub", "host"))]
