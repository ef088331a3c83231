# SPDX-License-Identifier: Apache-2.0
"""Breadth-first searches for NetworkX. Input: a graph and a source; output: edges and nodes in NetworkX's order.

The program finds how far everybody is; who is discovered by whom follows from that, a level at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Unpack

import numpy as np

from polyloom.networkx_backend.calls import Where, algorithm, as_adjacent, forwards
from polyloom.networkx_backend.distances import hops
from polyloom.networkx_backend.graph import PolyloomGraph, Rows, levels, nx


def _edges(graph: PolyloomGraph, source: Any, limit: float | None, where: Where) -> Iterator[tuple[Rows, Rows]]:
    """Who discovers whom, as rows, a level at a time in the order in which NetworkX does."""
    row = graph.row(source)
    if row is None:
        raise nx.NetworkXError(f"The node {source} is not in the {'di' * graph.is_directed()}graph.")
    far, targets, most = hops(graph, row, where), graph.targets, levels(limit)
    place = np.empty(len(graph), np.int64)
    level, depth = np.array([row]), 0
    while depth < most:
        depth += 1
        begin = graph.starts[level]
        degrees = graph.starts[level + 1] - begin
        ends = np.cumsum(degrees)
        at = np.arange(ends[-1]) + np.repeat(begin - ends + degrees, degrees)
        fresh = far[targets[at]] == depth
        children, parents = targets[at][fresh], np.repeat(level, degrees)[fresh]
        if not len(children):
            return
        order = np.arange(len(children))
        place[children[::-1]] = order[::-1]  # of several parents the first one stays
        first = place[children] == order
        level = children[first].astype(np.int64)
        yield parents[first], level


@algorithm(as_adjacent, forwards)
def bfs_edges(
    G: PolyloomGraph,
    source: Any,
    reverse: bool = False,
    depth_limit: float | None = None,
    sort_neighbors: None = None,
    **where: Unpack[Where],
) -> Iterator[tuple[Any, Any]]:
    """As networkx.bfs_edges, in the same order."""
    for parents, children in _edges(G, source, depth_limit, where):
        yield from zip(G.names.take(parents), G.names.take(children), strict=True)


@algorithm(as_adjacent, forwards)
def bfs_tree(
    G: PolyloomGraph,
    source: Any,
    reverse: bool = False,
    depth_limit: float | None = None,
    sort_neighbors: None = None,
    **where: Unpack[Where],
) -> Any:
    """As networkx.bfs_tree: a NetworkX graph."""
    tree = nx.DiGraph()
    tree.add_node(source)
    tree.add_edges_from(bfs_edges(G, source, reverse, depth_limit, **where))
    return tree


@algorithm(as_adjacent)
def bfs_predecessors(
    G: PolyloomGraph,
    source: Any,
    depth_limit: float | None = None,
    sort_neighbors: None = None,
    **where: Unpack[Where],
) -> Iterator[tuple[Any, Any]]:
    """As networkx.bfs_predecessors, in the same order."""
    for parent, child in bfs_edges(G, source, False, depth_limit, **where):
        yield child, parent


@algorithm(as_adjacent)
def bfs_successors(
    G: PolyloomGraph,
    source: Any,
    depth_limit: float | None = None,
    sort_neighbors: None = None,
    **where: Unpack[Where],
) -> Iterator[tuple[Any, list[Any]]]:
    """As networkx.bfs_successors, in the same order."""
    any_found = False
    for parents, children in _edges(G, source, depth_limit, where):
        any_found = True
        last = np.flatnonzero(np.diff(parents, append=-1)) + 1
        nodes, begin = G.names.take(children), 0
        for parent, end in zip(G.names.take(parents[last - 1]), last.tolist(), strict=True):
            yield parent, nodes[begin:end]
            begin = end
    if not any_found:
        yield source, []


def _one_source(arguments: Any) -> str:
    """Refuse searches from several nodes at once."""
    sources = arguments["sources"]
    if sources in arguments["G"]:
        return ""
    return "" if isinstance(sources, list | tuple | set) and len(sources) == 1 else "sources: there are several"


@algorithm(_one_source)
def bfs_layers(G: PolyloomGraph, sources: Any, **where: Unpack[Where]) -> Iterator[list[Any]]:
    """As networkx.bfs_layers of one source, in the same order."""
    [source] = [sources] if sources in G else sources
    found = _edges(G, source, None, where)
    first = next(found, None)
    yield [source]
    for _, level in [] if first is None else [first, *found]:
        yield G.names.take(level)


@algorithm()
def descendants_at_distance(G: PolyloomGraph, source: Any, distance: int, **where: Unpack[Where]) -> set[Any]:
    """As networkx.descendants_at_distance."""
    row = G.row(source)
    if row is None:
        raise nx.NetworkXError(f"The node {source} is not in the graph.")
    return set(G.names.take(np.flatnonzero(hops(G, row, where) == distance)))
