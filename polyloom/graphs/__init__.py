# SPDX-License-Identifier: Apache-2.0
"""Graphs from NumPy, SciPy, pandas and NetworkX, and vertex programs on them.

graph = polyloom.Graph.from_edges(edges)
ranks = graph.pagerank(on="sim", cluster="laptop", dangling="uniform")
print(ranks.simulated_seconds, ranks.to_dict())
"""

from typing import TYPE_CHECKING

from polyloom.base import lazy

if TYPE_CHECKING:
    from polyloom.graphs.errors import GraphError
    from polyloom.graphs.graph import Graph
    from polyloom.graphs.program import Program
    from polyloom.graphs.run import Run
    from polyloom.report.shown import Report

__all__ = ["Graph", "GraphError", "Program", "Report", "Run"]

#: Where the names above are; the module of their memory is used without them.
_HOMES = {"Graph": "graph", "GraphError": "errors", "Program": "program", "Report": "run", "Run": "run"}
__getattr__ = lazy.names(__name__, _HOMES)
