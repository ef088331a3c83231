# SPDX-License-Identifier: Apache-2.0
"""A tour of collectives, from import to plot. Usage: collectives_tour.py [OUT.html] [CLUSTER], default optweb-8."""

import sys
from pathlib import Path

import numpy as np

from polyloom.base import extras
from polyloom.base.errors import UserError

try:
    go = extras.need("plotly.graph_objects", "plotly")
    from polyloom.collectives import CollectiveError, Communicator
    from polyloom.collectives import program as p
except UserError as error:  # something is not installed or not built
    sys.exit(f"collectives_tour: {error}")

# 1. A communicator is a cluster; this process drives all its ranks.
comm = Communicator(sys.argv[2] if len(sys.argv) > 2 else "optweb-8")
print(comm.topology)

# 2. Operations take one array a rank and give one array a rank.
arrays = [np.full(1000, rank, np.float32) for rank in range(comm.size)]
averages, result = comm.all_reduce(arrays, "average")
assert all(np.allclose(a, np.mean(range(comm.size))) for a in averages)
print(f"average of 1000 numbers: {result.algorithm}, simulated {result.simulated_seconds} s")

# 3. Blocks may differ in length: rank i sends j + 1 bytes to rank j.
blocks = [[np.full(j + 1, i, np.uint8) for j in range(comm.size)] for i in range(comm.size)]
received, _ = comm.all_to_all(blocks)
assert all((received[j][i] == i).all() and received[j][i].size == j + 1 for i in range(comm.size) for j in range(3))

# 4. Why that algorithm? Ask the model.
print(comm.explain(comm.uniform("all_reduce", 1 << 20)))

# 5. A mistake is an error with its cause.
try:
    comm.broadcast(np.zeros(8, np.uint8), root=99)
except CollectiveError as error:
    print(f"as it should be: {error}")

# 6. Programs of one's own: rank 0 copies 4 KiB from one channel to another, at a beat of 32 bytes a cycle.
source, target = comm.allocate(0, 0, 4096, "first"), comm.allocate(0, 1, 4096, "second")
comm.store(source, np.arange(4096, dtype=np.uint8))
copy = [p.read(0, source.offset, 4096), p.write(1, p.from_read(0), target.offset, 4096), p.go(mark=1), p.end()]
run = comm.run_programs([copy] + [[p.end()]] * (comm.size - 1))[0]
assert (comm.load(target) == np.arange(4096, dtype=np.uint8)).all()
print(f"copy of 4 KiB: {run.marks[1] - run.marks[0]} cycles")

# 7. Time against size, for every algorithm of one operation: points are simulated, lines are the model's.
curves: dict[str, list[tuple[int, float, float]]] = {}
for exponent in range(10, 21, 2):
    request = comm.uniform("broadcast", 1 << exponent)
    for name in comm.algorithms(request):
        timed = comm.run(comm.prepare(request, name))
        assert timed.simulated_seconds and timed.predicted_seconds
        curves.setdefault(name, []).append((1 << exponent, timed.simulated_seconds, timed.predicted_seconds))

# 8. A page that opens in any browser, with no network.
figure = go.Figure()
for name, curve in curves.items():
    sizes, simulated, predicted = zip(*curve, strict=True)
    figure.add_scatter(x=sizes, y=[1e6 * t for t in simulated], name=name, mode="markers")
    figure.add_scatter(x=sizes, y=[1e6 * t for t in predicted], name=f"{name}, model", mode="lines")
figure.update_layout(title=f"Broadcast on {comm.topology}", xaxis_title="bytes", yaxis_title="simulated us")
figure.update_xaxes(type="log")
figure.update_yaxes(type="log")
out = Path(sys.argv[1] if len(sys.argv) > 1 else "collectives_tour.html")
figure.write_html(out, include_plotlyjs=True)
print(f"plot: {out}")
