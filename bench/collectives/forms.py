# SPDX-License-Identifier: Apache-2.0
"""Closed forms against the simulator from 1 KiB to 1 GiB: the host library's cost model, and the alpha-beta forms.

Both use the cluster file's parameters only; nothing is fitted. The forms know one alpha, so they are for clusters that
send every block by rendezvous; it is the cost model's start-up of the same operation, so they are tested on how time
grows with size. The cost model is tested on the shipped clusters, eager blocks and start-ups included.
"""

from __future__ import annotations

from pathlib import Path

from bench.collectives.rows import NO_BYTES
from bench.common.collective import GIB, KIB, MIB, Curve, add_plot, measure, open_cluster, seconds, size_text
from bench.common.harness import Bench
from polyloom.collectives import CollectiveError
from polyloom.collectives.models import improved, operations
from polyloom.collectives.models.topology import Cost, Topology, fully_connected, hypercube

TOLERANCE = 0.05

FC8, GHC = fully_connected(8), hypercube(3, 1)
#: cluster, operation, algorithm, closed form, topology
CASES: list[tuple[str, str, str, Cost, Topology]] = [
    ("optweb-8", "all_to_all", "direct", operations.all_to_all(FC8), FC8),
    ("optweb-8", "all_gather", "direct", operations.all_gather(FC8), FC8),
    ("optweb-8", "broadcast", "direct", operations.broadcast(FC8), FC8),
    ("optweb-8", "broadcast", "forward", improved.broadcast_cut_through(FC8), FC8),
    ("optweb-8", "broadcast", "scatter-all-gather", improved.broadcast(FC8), FC8),
    ("optweb-8", "unicast", "striped", improved.unicast_striped_cut_through(FC8), FC8),
    ("optweb-8", "all_reduce", "aggressive", operations.average(FC8), FC8),
    ("optweb-8", "all_reduce", "naive", operations.average_naive(FC8), FC8),
    ("optweb-4x2", "all_to_all", "dimension", operations.all_to_all(GHC), GHC),
    ("optweb-4x2", "all_to_all", "cut-through", improved.all_to_all_cut_through(GHC), GHC),
    ("optweb-4x2", "all_reduce", "hierarchical", improved.average_hierarchical(GHC), GHC),
    ("optweb-4x2", "all_reduce", "halves", improved.average(GHC), GHC),
]


def run(bench: Bench, folder: Path) -> None:
    """Worst deviation of each operation, and of all."""
    last = MIB if bench.quick else GIB
    sizes = [KIB * 4**k for k in range(11) if KIB * 4**k <= last]
    worst_cost = worst_form = 0.0
    curves = []
    for cluster, operation, algorithm, form, topology in CASES:
        comm = open_cluster(folder, cluster, **NO_BYTES)
        plain = open_cluster(folder, cluster, eager_bytes='"0 B"', **NO_BYTES)
        beta = 8e-9 / (comm.lane_gbps or 1.0)
        deviations, forms = [], []
        for size in sizes:
            try:
                result = measure(comm, operation, size, algorithm)
            except CollectiveError as error:
                if "needs" not in str(error) or size <= MIB:
                    raise
                break  # buffers and scratch memory of more than the channels hold
            ours = seconds(result)
            assert result.predicted_seconds is not None
            deviations.append((float(size), abs(result.predicted_seconds / ours - 1)))
            if size <= MIB:  # above no block is eager on either
                result = measure(plain, operation, size, algorithm)
            assert result.predicted_seconds is not None
            if size == sizes[0]:  # start-ups: what the smallest size takes beyond its bytes
                alpha = result.predicted_seconds - float(form.volume) * beta * size
            forms.append(abs((alpha + float(form.volume) * beta * size) / seconds(result) - 1))
        cost, shape = max(d for _, d in deviations), max(forms)
        name = f"{operation} {algorithm}, {topology.name}"
        bench.row(f"form: {name}", f"cost model {cost:.1%}, alpha-beta {shape:.1%}", "", "", f"{TOLERANCE:.0%}")
        bench.figures[f"deviation {name}"] = {"cost_model": cost, "alpha_beta": shape}
        worst_cost, worst_form = max(worst_cost, cost), max(worst_form, shape)
        if len(forms) < len(sizes):
            bench.note(f"{name}: up to {size_text(sizes[len(forms) - 1])}, more does not fit the channels")
        curves.append(Curve(name, [(size, max(d, 1e-5)) for size, d in deviations]))
    reach = f"{size_text(sizes[0])} to {size_text(sizes[-1])}"
    whole = not bench.quick
    for what, worst in (("cost model", worst_cost), ("alpha-beta forms", worst_form)):
        holds = worst <= TOLERANCE if whole or worst > TOLERANCE else None
        bench.target(f"{what} against the simulator, {reach}", "within 5 %", worst, holds)
    add_plot(bench, "deviation", "Cost model against the simulator: deviation", "bytes a node", "share", curves)
