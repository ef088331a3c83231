# SPDX-License-Identifier: Apache-2.0
"""Graphs from NumPy, SciPy, pandas and NetworkX, and vertex programs on them.

graph = polyloom.Graph.from_edges(edges)
ranks = graph.pagerank(on="sim", cluster="laptop", dangling="uniform")
print(ranks.simulated_seconds, ranks.to_dict())
"""

from polyloom.graphs.errors import GraphError
from polyloom.graphs.graph import Graph
from polyloom.graphs.program import Program
from polyloom.graphs.run import Report, Run

__all__ = ["Graph", "GraphError", "Program", "Report", "Run"]
