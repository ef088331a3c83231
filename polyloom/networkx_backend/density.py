# SPDX-License-Identifier: Apache-2.0
"""Core numbers, triangles and clustering for NetworkX. Input: an undirected graph; output: values by node."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np

from polyloom.networkx_backend.calls import Where, algorithm, call, undirected, unweighted
from polyloom.networkx_backend.graph import PolyloomGraph, Rows, nx


@algorithm(undirected)
def core_number(G: PolyloomGraph, **where: Unpack[Where]) -> dict[Any, int]:
    """As networkx.core_number."""
    if G.loops.any():
        raise nx.NetworkXNotImplemented(
            "Input graph has self loops which is not permitted; "
            "Consider using G.remove_edges_from(nx.selfloop_edges(G))."
        )
    return dict(zip(G, _values("kcore", G, where).tolist(), strict=True))


@algorithm()
def triangles(G: PolyloomGraph, nodes: Any = None, **where: Unpack[Where]) -> Any:
    """As networkx.triangles."""
    if nodes is not None:
        _refuse_multigraph(G)
    return _reported(G, nodes, _values("triangles", G, where).tolist())


@algorithm(unweighted, undirected)
def clustering(G: PolyloomGraph, nodes: Any = None, weight: None = None, **where: Unpack[Where]) -> Any:
    """As networkx.clustering."""
    _refuse_multigraph(G)
    degrees, corners = _degrees(G), _values("triangles", G, where)
    pairs = (degrees * (degrees - 1)).tolist()
    values = [0 if not t else t / d for t, d in zip((2 * corners).tolist(), pairs, strict=True)]
    return _reported(G, nodes, values)


@algorithm(unweighted, undirected)
def average_clustering(
    G: PolyloomGraph, nodes: Any = None, weight: None = None, count_zeros: bool = True, **where: Unpack[Where]
) -> float:
    """As networkx.average_clustering."""
    values = list(clustering(G, nodes, **where).values())
    counted = values if count_zeros else [value for value in values if value > 0]
    return float(sum(counted) / len(counted))


@algorithm(undirected)
def transitivity(G: PolyloomGraph, **where: Unpack[Where]) -> float:
    """As networkx.transitivity."""
    _refuse_multigraph(G)
    degrees, corners = _degrees(G), _values("triangles", G, where)
    closed = 2 * int(corners.sum())
    return closed / int((degrees * (degrees - 1)).sum()) if closed else 0


def _values(program: str, graph: PolyloomGraph, where: Where) -> Rows:
    if not len(graph):
        return np.empty(0, np.int64)
    return call(program, graph, {}, where).values.astype(np.int64)


def _degrees(graph: PolyloomGraph) -> Rows:
    """How many neighbours each node has, itself left out."""
    return np.bincount(graph.sources[~graph.loops], minlength=len(graph))


def _refuse_multigraph(graph: PolyloomGraph) -> None:
    if graph.is_multigraph():
        raise nx.NetworkXNotImplemented("not implemented for multigraph type")


def _reported(graph: PolyloomGraph, nodes: Any, values: list[Any]) -> Any:
    """The value of one node, or values by node: of all of ``nodes`` that the graph has, or of all."""
    if nodes is None:
        return dict(zip(graph, values, strict=True))
    if nodes in graph:
        return values[graph.row(nodes) or 0]
    all_nodes = nx.Graph()  # which knows what is a bunch of nodes
    all_nodes.add_nodes_from(graph)
    return {node: values[graph.row(node) or 0] for node in all_nodes.nbunch_iter(nodes)}
