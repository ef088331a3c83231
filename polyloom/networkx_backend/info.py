# SPDX-License-Identifier: Apache-2.0
"""What NetworkX is told of the backend when it is imported. Output: names, limits and parameters of the functions.

Nothing is imported here: NetworkX asks anyone who has Polyloom installed, whatever they do.
"""

from __future__ import annotations

from typing import Any

#: Graphs of fewer nodes are left to NetworkX where it may choose: starting a program costs milliseconds.
LEAST_NODES = 1000
#: What NetworkX finds out in the time that a conversion takes: so are graphs that are not converted yet.
LINEAR = frozenset(
    {
        *("bfs_edges", "bfs_tree", "bfs_predecessors", "bfs_successors", "bfs_layers", "descendants_at_distance"),
        *("single_source_shortest_path_length", "single_target_shortest_path_length", "has_path"),
        *(f"{kind}connected_components" for kind in ("", "weakly_", "strongly_")),
        *(f"number_{kind}connected_components" for kind in ("", "weakly_", "strongly_")),
        *(f"is_{kind}connected" for kind in ("", "weakly_", "strongly_")),
        "node_connected_component",
    }
)
#: What NetworkX does sooner than our programs natively, whatever the graph.
SLOWER = frozenset({"triangles"})

WEIGHTS = "``weight``: a name or None, no function. Weights are finite numbers from 0; whole ones up to 4294967295."
UNDIRECTED = "Not of directed graphs."
ORDER = "No ``sort_neighbors``; ``reverse`` of undirected graphs alone."

#: Every function, and how far it goes; "": as NetworkX's own.
FUNCTIONS = {
    "pagerank": f"``dangling``: None, or equal to ``personalization``. {WEIGHTS}",
    "connected_components": "",
    "number_connected_components": "",
    "is_connected": "",
    "node_connected_component": "",
    "weakly_connected_components": "",
    "number_weakly_connected_components": "",
    "is_weakly_connected": "",
    "strongly_connected_components": "In the order of their first nodes.",
    "number_strongly_connected_components": "",
    "is_strongly_connected": "",
    "single_source_shortest_path_length": "The nearest first; of one distance in the graph's order.",
    "single_target_shortest_path_length": "The nearest first; of one distance in the graph's order.",
    "single_source_dijkstra_path_length": WEIGHTS,
    "dijkstra_path_length": WEIGHTS,
    "single_source_dijkstra": f"Of several shortest paths maybe another one. {WEIGHTS} None is not taken.",
    "single_source_dijkstra_path": f"Of several shortest paths maybe another one. {WEIGHTS} None is not taken.",
    "dijkstra_path": f"Of several shortest paths maybe another one. {WEIGHTS} None is not taken.",
    "shortest_path_length": f"Not of all pairs, and not by ``bellman-ford``. {WEIGHTS}",
    "has_path": "",
    "average_shortest_path_length": "Without weights.",
    "bfs_edges": ORDER,
    "bfs_tree": ORDER,
    "bfs_predecessors": "No ``sort_neighbors``.",
    "bfs_successors": "No ``sort_neighbors``.",
    "bfs_layers": "From one node.",
    "descendants_at_distance": "",
    "core_number": UNDIRECTED,
    "triangles": "",
    "clustering": f"{UNDIRECTED} Without weights.",
    "average_clustering": f"{UNDIRECTED} Without weights.",
    "transitivity": UNDIRECTED,
}

PARAMETERS = {
    "on : str, optional": '"native" (the CPUs of this machine: the default without a cluster), "sim" (a simulated '
    'cluster) or "rtl" (cycle-exact RTL). By default nx.config.backends.polyloom.on.',
    "cluster : str, optional": "A shipped cluster's name or a TOML file. By default "
    "nx.config.backends.polyloom.cluster; if that is empty, laptop for sim and rtl.",
}

#: NetworkX's tests, by their path below algorithms/, that ask for what we do not give.
EXPECTED_TO_FAIL = {
    "components/tests/test_strongly_connected.py::TestStronglyConnected::test_condensation_mapping_and_members": (
        "Asks for strong components in the order in which NetworkX's depth-first search leaves them."
    ),
}


def get_info() -> dict[str, Any]:
    """What the entry point ``networkx.backend_info`` returns."""
    return {
        "backend_name": "polyloom",
        "project": "polyloom",
        "package": "polyloom",
        "short_summary": "Vertex programs, natively or on simulated clusters of FPGAs.",
        "default_config": {"on": "", "cluster": ""},
        "functions": {
            name: {"additional_docs": limits, "additional_parameters": PARAMETERS} for name, limits in FUNCTIONS.items()
        },
    }
