# SPDX-License-Identifier: Apache-2.0
"""A tour of collectives, from import to plot. Usage: collectives_tour.py [OUT.html]; simulates optweb-8."""

import json
import sys
from pathlib import Path

import numpy as np

from polyloom.collectives import Communicator

# 1. A communicator is a cluster; this process drives all its ranks.
comm = Communicator("optweb-8")
print(comm.topology)

# 2. Operations take one array a rank and give one array a rank.
arrays = [np.full(1000, rank, np.float32) for rank in range(comm.size)]
averages, result = comm.all_reduce(arrays, "average")
assert np.allclose(averages[0], np.mean(range(comm.size)))
print(f"average of 1000 numbers: {result.algorithm}, simulated {result.simulated_seconds} s")

# 3. Why that algorithm? Ask the model.
print(comm.explain(comm.uniform("all_reduce", 1 << 20)))

# 4. Time against size, for every algorithm of one operation.
curves: dict[str, list[tuple[int, float]]] = {}
for exponent in range(10, 21, 2):
    request = comm.uniform("broadcast", 1 << exponent)
    for name in comm.algorithms(request):
        seconds = comm.run(comm.prepare(request, name)).simulated_seconds
        curves.setdefault(name, []).append((1 << exponent, (seconds or 0) * 1e6))

# 5. A plot that opens in any browser.
traces = [{"name": n, "x": [p[0] for p in c], "y": [p[1] for p in c]} for n, c in curves.items()]
layout = {
    "title": {"text": "Broadcast on " + comm.topology},
    "xaxis": {"type": "log", "title": {"text": "bytes"}},
    "yaxis": {"type": "log", "title": {"text": "simulated us"}},
}
out = Path(sys.argv[1] if len(sys.argv) > 1 else "collectives_tour.html")
out.write_text(
    "<!doctype html><meta charset=utf-8><div id=plot></div>"
    "<script src='https://cdn.plot.ly/plotly-2.35.2.min.js'></script>"
    f"<script>Plotly.newPlot('plot',{json.dumps(traces)},{json.dumps(layout)})</script>",
    encoding="utf-8",
)
print(f"plot: {out}")
