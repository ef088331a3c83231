# SPDX-License-Identifier: Apache-2.0
"""Lengths of shortest paths, and the paths, for NetworkX. Input: a graph and a source; output: values by node.

Whole weights give exact lengths. Where weights have fractions, programs compare paths in single precision; the length
of the path that is taken is summed up here in double precision.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from polyloom.networkx_backend.calls import Where, algorithm, call, unweighted, weight_is_a_name
from polyloom.networkx_backend.graph import PolyloomGraph, Rows, levels, nx

#: The largest number that is one.
LONGEST = sys.float_info.max


class Tree(NamedTuple):
    """Shortest paths from one node. By row; a row that is not reached has the length ``inf``."""

    lengths: NDArray[np.float64]
    before: Rows  # the row before each on a path; of the source its own, -1: not reached


def hops(graph: PolyloomGraph, row: int, where: Where, backwards: bool = False) -> NDArray[np.float64]:
    """How many edges each row is away; ``inf``: not reached. ``backwards``: along edges from target to source."""
    edges = graph.backwards if backwards else graph.file
    return call("bfs", graph, {"source": row}, where, edges).values.astype(np.float64)


def _tree(graph: PolyloomGraph, row: int, where: Where, backwards: bool = False) -> Tree:
    """Shortest paths by the graph's weights, or by edges where it has none."""
    edges = graph.backwards if backwards else graph.file
    found = call("sssp", graph, {"source": row, "predecessors": True}, where, edges)
    before = found.columns["predecessor"].astype(np.int64)
    before[row] = row
    lengths = found.values.astype(np.float64)
    weights = edges.weights
    if weights is not None and not (weights == np.floor(weights)).all():
        lengths = np.where(before < 0, np.inf, _summed(edges.edges, weights, before))
    return Tree(lengths, before)


def _summed(edges: NDArray[np.uint32], weights: NDArray[np.float64], before: Rows) -> NDArray[np.float64]:
    """Sums of weights along paths: each takes over the sum before it, and the way of that, until all are at the end."""
    on_a_path = np.flatnonzero(before[edges[:, 1]] == edges[:, 0])
    last = np.full(len(before), np.inf)
    np.minimum.at(last, edges[on_a_path, 1], weights[on_a_path])
    rows = np.arange(len(before))
    at = np.where(before < 0, rows, before)
    sums = np.where(at == rows, 0, last)
    while (at != at[at]).any():
        sums, at = sums + sums[at], at[at]
    return sums


def _row(graph: PolyloomGraph, node: Any, message: str) -> int:
    row = graph.row(node)
    if row is None:
        raise nx.NodeNotFound(message)
    return row


def _reported(
    graph: PolyloomGraph, source: int, lengths: NDArray[np.float64], limit: float | None, whole: bool
) -> dict[Any, Any]:
    """Lengths by node, the nearest first, up to ``limit``; the source at least."""
    reached = np.isfinite(lengths) if limit is None else lengths <= min(limit, LONGEST)
    reached[source] = False
    order = np.flatnonzero(reached)
    order = order[np.argsort(lengths[order], kind="stable")]
    values = (lengths[order].astype(np.int64) if whole else lengths[order]).tolist()
    return dict(zip(graph.names.take(np.append(source, order)), [0, *values], strict=True))


@algorithm()
def single_source_shortest_path_length(
    G: PolyloomGraph, source: Any, cutoff: float | None = None, **where: Unpack[Where]
) -> dict[Any, int]:
    """As networkx.single_source_shortest_path_length."""
    row = _row(G, source, f"Source {source} is not in G")
    return _reported(G, row, hops(G, row, where), levels(cutoff), True)


@algorithm()
def single_target_shortest_path_length(
    G: PolyloomGraph, target: Any, cutoff: float | None = None, **where: Unpack[Where]
) -> dict[Any, int]:
    """As networkx.single_target_shortest_path_length."""
    row = _row(G, target, f"Target {target} is not in G")
    return _reported(G, row, hops(G, row, where, backwards=True), levels(cutoff), True)


@algorithm(weight_is_a_name)
def single_source_dijkstra_path_length(
    G: PolyloomGraph,
    source: Any,
    cutoff: float | None = None,
    weight: str | None = "weight",
    **where: Unpack[Where],
) -> dict[Any, Any]:
    """As networkx.single_source_dijkstra_path_length."""
    return _lengths(G, _row(G, source, f"Node {source} not found in graph"), cutoff, weight, where)


def _lengths(
    graph: PolyloomGraph,
    row: int,
    cutoff: float | None,
    weight: str | None,
    where: Where,
    backwards: bool = False,
) -> dict[Any, Any]:
    weighted = graph.has_weights(weight)
    lengths = _tree(graph, row, where, backwards).lengths if weighted else hops(graph, row, where, backwards)
    return _reported(graph, row, lengths, cutoff, graph.whole or not weighted)


@algorithm(weight_is_a_name)
def dijkstra_path_length(
    G: PolyloomGraph, source: Any, target: Any, weight: str | None = "weight", **where: Unpack[Where]
) -> Any:
    """As networkx.dijkstra_path_length."""
    row = _row(G, source, f"Node {source} not found in graph")
    if source == target:
        return 0
    try:
        return _lengths(G, row, None, weight, where)[target]
    except KeyError as error:
        raise nx.NetworkXNoPath(f"Node {target} not reachable from {source}") from error


def _paths_are_trees(arguments: Mapping[str, Any]) -> str:
    """Refuse paths of no weights: sssp needs them to find paths, and NetworkX has searches for that."""
    return weight_is_a_name(arguments) or ("weight is None" if arguments["weight"] is None else "")


@algorithm(_paths_are_trees)
def single_source_dijkstra(
    G: PolyloomGraph,
    source: Any,
    target: Any = None,
    cutoff: float | None = None,
    weight: str = "weight",
    **where: Unpack[Where],
) -> tuple[Any, Any]:
    """As networkx.single_source_dijkstra; of several shortest paths it may be another one."""
    row = _row(G, source, f"Node {source} not found in graph")
    if source == target:
        return 0, [target]
    whole = G.whole or not G.has_weights(weight)
    tree = _tree(G, row, where)
    lengths = _reported(G, row, tree.lengths, cutoff, whole)
    if target is None:
        return lengths, _paths(G, tree, row, lengths)
    if target not in lengths:
        raise nx.NetworkXNoPath(f"No path to {target}.")
    way = [G.row(target) or 0]
    while way[-1] != row:
        way.append(int(tree.before[way[-1]]))
    return lengths[target], G.names.take(np.array(way[::-1]))


def _paths(graph: PolyloomGraph, tree: Tree, source: int, ends: Mapping[Any, Any]) -> dict[Any, list[Any]]:
    """The path to every end. One at a time from its end, as far back as paths are known: steps may weigh nothing."""
    nodes, before = graph.names.to_list(), tree.before.tolist()
    paths = {nodes[source]: [nodes[source]]}
    for end in ends:
        way, row = [], graph.row(end) or 0
        while nodes[row] not in paths:
            way.append(row)
            row = before[row]
        path = paths[nodes[row]]
        for row in reversed(way):
            path = [*path, nodes[row]]
            paths[nodes[row]] = path
    return paths


@algorithm(_paths_are_trees)
def single_source_dijkstra_path(
    G: PolyloomGraph, source: Any, cutoff: float | None = None, weight: str = "weight", **where: Unpack[Where]
) -> dict[Any, list[Any]]:
    """As networkx.single_source_dijkstra_path; of several shortest paths it may be another one."""
    paths: dict[Any, list[Any]] = single_source_dijkstra(G, source, None, cutoff, weight, **where)[1]
    return paths


@algorithm(_paths_are_trees)
def dijkstra_path(
    G: PolyloomGraph, source: Any, target: Any, weight: str = "weight", **where: Unpack[Where]
) -> list[Any]:
    """As networkx.dijkstra_path; of several shortest paths it may be another one."""
    path: list[Any] = single_source_dijkstra(G, source, target, None, weight, **where)[1]
    return path


def _has_an_end(arguments: Mapping[str, Any]) -> str:
    """Refuse all pairs, and weights below 0, which another method is for."""
    if arguments["source"] is None and arguments["target"] is None:
        return "all pairs: neither source nor target is given"
    return "weights may be negative: method is bellman-ford" if arguments["method"] == "bellman-ford" else ""


@algorithm(weight_is_a_name, _has_an_end)
def shortest_path_length(
    G: PolyloomGraph,
    source: Any = None,
    target: Any = None,
    weight: str | None = None,
    method: str = "dijkstra",
    **where: Unpack[Where],
) -> Any:
    """As networkx.shortest_path_length of a source, a target or both."""
    if method != "dijkstra":
        raise ValueError(f"method not supported: {method}")
    if source is not None and target is not None and weight is not None:
        return dijkstra_path_length(G, source, target, weight, **where)
    start = target if source is None else source
    missing = f"Node {start} not found in graph" if weight is not None else f"Source {start} is not in G"
    lengths = _lengths(G, _row(G, start, missing), None, weight, where, backwards=source is None)
    if source is None or target is None:
        return lengths
    _row(G, target, f"Target {target} is not in G")
    if target not in lengths:
        raise nx.NetworkXNoPath(f"No path between {source} and {target}.")
    return lengths[target]


@algorithm()
def has_path(G: PolyloomGraph, source: Any, target: Any, **where: Unpack[Where]) -> bool:
    """As networkx.has_path."""
    row = _row(G, source, f"Source {source} is not in G")
    return bool(np.isfinite(hops(G, row, where)[_row(G, target, f"Target {target} is not in G")]))


@algorithm(unweighted)
def average_shortest_path_length(
    G: PolyloomGraph, weight: None = None, method: str | None = None, **where: Unpack[Where]
) -> float:
    """As networkx.average_shortest_path_length."""
    if method not in {None, "unweighted", "dijkstra", "bellman-ford", "floyd-warshall", "floyd-warshall-numpy"}:
        raise ValueError(f"method not supported: {method}")
    n = len(G)
    if n == 0:
        raise nx.NetworkXPointlessConcept("the null graph has no paths, thus there is no average shortest path length")
    if n == 1:
        return 0
    facts = call("asp", G, {"sources": n}, where).facts
    if facts["pairs"] < n * (n - 1):
        raise nx.NetworkXError(f"Graph is not {'strongly ' * G.is_directed()}connected.")
    return float(facts["sum_of_distances"] / (n * (n - 1)))
