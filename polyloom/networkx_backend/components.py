# SPDX-License-Identifier: Apache-2.0
"""Components for NetworkX. Input: a graph; output: sets of nodes, in the order of their first nodes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Unpack

import numpy as np

from polyloom.networkx_backend.calls import Where, algorithm, call
from polyloom.networkx_backend.graph import PolyloomGraph, Rows, nx


def _first_nodes(graph: PolyloomGraph, mode: str, where: Where) -> Rows:
    """For every row the first one of its component."""
    if not len(graph):
        return np.empty(0, np.int64)
    return call("components", graph, {"mode": mode}, where).values.astype(np.int64)


def _components(graph: PolyloomGraph, mode: str, where: Where) -> Iterator[set[Any]]:
    first = _first_nodes(graph, mode, where)
    order = np.argsort(first, kind="stable")
    ends = np.flatnonzero(np.diff(first[order], append=-1)) + 1
    nodes, begin = graph.names.take(order), 0
    for end in ends.tolist():
        yield set(nodes[begin:end])
        begin = end


def _number(graph: PolyloomGraph, mode: str, where: Where) -> int:
    return len(np.unique(_first_nodes(graph, mode, where)))


def _is_one(graph: PolyloomGraph, mode: str, where: Where) -> bool:
    if not len(graph):
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    return _number(graph, mode, where) == 1


@algorithm()
def connected_components(G: PolyloomGraph, **where: Unpack[Where]) -> Iterator[set[Any]]:
    """As networkx.connected_components, in the same order."""
    yield from _components(G, "weak", where)


@algorithm()
def number_connected_components(G: PolyloomGraph, **where: Unpack[Where]) -> int:
    """As networkx.number_connected_components."""
    return _number(G, "weak", where)


@algorithm()
def is_connected(G: PolyloomGraph, **where: Unpack[Where]) -> bool:
    """As networkx.is_connected."""
    return _is_one(G, "weak", where)


@algorithm()
def node_connected_component(G: PolyloomGraph, n: Any, **where: Unpack[Where]) -> set[Any]:
    """As networkx.node_connected_component."""
    row = G.row(n)
    if row is None:
        raise KeyError(n)
    first = _first_nodes(G, "weak", where)
    return set(G.names.take(np.flatnonzero(first == first[row])))


@algorithm()
def weakly_connected_components(G: PolyloomGraph, **where: Unpack[Where]) -> Iterator[set[Any]]:
    """As networkx.weakly_connected_components, in the same order."""
    yield from _components(G, "weak", where)


@algorithm()
def number_weakly_connected_components(G: PolyloomGraph, **where: Unpack[Where]) -> int:
    """As networkx.number_weakly_connected_components."""
    return _number(G, "weak", where)


@algorithm()
def is_weakly_connected(G: PolyloomGraph, **where: Unpack[Where]) -> bool:
    """As networkx.is_weakly_connected."""
    return _is_one(G, "weak", where)


@algorithm()
def strongly_connected_components(G: PolyloomGraph, **where: Unpack[Where]) -> Iterator[set[Any]]:
    """As networkx.strongly_connected_components, in the order of their first nodes."""
    yield from _components(G, "strong", where)


@algorithm()
def number_strongly_connected_components(G: PolyloomGraph, **where: Unpack[Where]) -> int:
    """As networkx.number_strongly_connected_components."""
    return _number(G, "strong", where)


@algorithm()
def is_strongly_connected(G: PolyloomGraph, **where: Unpack[Where]) -> bool:
    """As networkx.is_strongly_connected."""
    return _is_one(G, "strong", where)
