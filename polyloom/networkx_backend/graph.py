# SPDX-License-Identifier: Apache-2.0
"""A NetworkX graph as arrays that programs map. Input: a NetworkX graph; output: rows for nodes and back."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyloom.base import extras
from polyloom.graphs import convert
from polyloom.graphs.errors import GraphError
from polyloom.jobs.memory_file import ArraysFile

nx = extras.need("networkx", "networkx", "pip install networkx")

Rows = NDArray[np.int64]
#: Larger whole weights do not fit where programs add them up.
LARGEST_WHOLE = 0xFFFFFFFF


class PolyloomGraph:
    """A graph that does not change. Rows are numbers of nodes in the order of the NetworkX graph."""

    __networkx_backend__ = "polyloom"

    def __init__(self, graph: Any, attribute: str | None, missing: float) -> None:
        """``attribute``: the edges' weights, ``missing`` where an edge has none. GraphError for weights we cannot."""
        edges = convert.of_networkx(graph, attribute, missing=missing, named=False)
        assert isinstance(edges.file, ArraysFile)
        self.file: ArraysFile = edges.file
        self.names = edges.vertices
        self.whole = edges.whole  # weights, and so lengths of paths, are int
        self.attribute = attribute if edges.weighted else None
        self.graph: dict[Any, Any] = dict(graph.graph)
        self._kind: tuple[bool, bool] = (graph.is_directed(), graph.is_multigraph())
        largest = self.weights.max(initial=0)
        if largest > LARGEST_WHOLE and (self.weights == np.floor(self.weights)).all():
            raise GraphError(f"weights: {largest:.0f} is too large; whole numbers up to {LARGEST_WHOLE} are expected")

    def is_directed(self) -> bool:
        """Whether edges have directions."""
        return self._kind[0]

    def is_multigraph(self) -> bool:
        """Whether there may be parallel edges."""
        return self._kind[1]

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.names.to_list())

    def __contains__(self, node: Any) -> bool:
        try:
            return self.row(node) is not None
        except TypeError:  # not hashable
            return False

    def number_of_nodes(self) -> int:
        """How many nodes there are."""
        return len(self)

    order = number_of_nodes

    def number_of_edges(self) -> int:
        """How many edges there are; one that is undirected counts once."""
        count = len(self.file.edges)
        return count if self.is_directed() else (count + int(self.loops.sum())) // 2

    size = number_of_edges

    def __repr__(self) -> str:
        kind = f"{'directed' if self.is_directed() else 'undirected'} {'multi' * self.is_multigraph()}graph"
        return f"<polyloom: {kind} of {len(self)} nodes and {self.number_of_edges()} edges>"

    def row(self, node: Any) -> int | None:
        """The row of a node; None if there is no such node. TypeError for what is not hashable."""
        if self.names.are_rows and type(node) is int:
            return node if 0 <= node < len(self) else None
        return self._rows.get(node)

    @cached_property
    def _rows(self) -> dict[Any, int]:
        return {node: row for row, node in enumerate(self.names.to_list())}

    @property
    def sources(self) -> NDArray[np.uint32]:
        """Where edges begin, in ascending order; of an undirected graph both directions are there, a loop once."""
        return self.file.edges[:, 0]

    @property
    def targets(self) -> NDArray[np.uint32]:
        """Where edges end, in the order of the graph's adjacency."""
        return self.file.edges[:, 1]

    @property
    def weights(self) -> NDArray[np.float64]:
        """Weights of edges; empty where there are none."""
        return np.empty(0) if self.file.weights is None else self.file.weights

    def has_weights(self, weight: str | None) -> bool:
        """Whether edges have this attribute as their weight. NotImplementedError if they have another one."""
        if weight is None or self.attribute is None:
            return False
        if weight != self.attribute:
            raise NotImplementedError(f"the graph was converted with the weights {self.attribute!r}, not {weight!r}")
        return True

    @property
    def loops(self) -> NDArray[np.bool_]:
        """Which edges lead from a node to itself."""
        found: NDArray[np.bool_] = self.sources == self.targets
        return found

    @cached_property
    def starts(self) -> Rows:
        """Where the edges of each node begin in the arrays, and behind the last one their number."""
        return np.concatenate([[0], np.cumsum(np.bincount(self.sources, minlength=len(self)))])

    @cached_property
    def backwards(self) -> ArraysFile:
        """The same edges from target to source."""
        if not self.is_directed():
            return self.file
        file = ArraysFile(len(self.file.edges), self.file.weights is not None)
        file.edges[:] = self.file.edges[:, ::-1]
        if file.weights is not None:
            file.weights[:] = self.weights
        file.name(len(self), False, None, None)
        return file

    def to_networkx(self) -> Any:
        """A NetworkX graph with these nodes and edges, and of attributes the weight alone."""
        kinds = {(False, False): nx.Graph, (True, False): nx.DiGraph, (False, True): nx.MultiGraph}
        made = kinds.get(self._kind, nx.MultiDiGraph)()
        made.graph.update(self.graph)
        made.add_nodes_from(self)
        once = np.arange(len(self.file.edges))
        if not self.is_directed():
            once = np.flatnonzero(self.sources <= self.targets)
        ends = [self.names.take(column[once]) for column in (self.sources, self.targets)]
        if self.attribute is None:
            made.add_edges_from(zip(*ends, strict=True))
            return made
        weights = self.weights[once]
        values = (weights.astype(np.int64) if self.whole else weights).tolist()
        made.add_weighted_edges_from(zip(*ends, values, strict=True), weight=self.attribute)
        return made


def convert_from_nx(
    graph: Any,
    edge_attrs: Mapping[Any, Any] | None = None,
    node_attrs: Mapping[Any, Any] | None = None,
    preserve_edge_attrs: bool = False,
    preserve_node_attrs: bool = False,
    preserve_graph_attrs: bool = False,
    preserve_all_attrs: bool = False,
    name: str | None = None,
    graph_name: str | None = None,
) -> PolyloomGraph:
    """NetworkX calls this. NotImplementedError for attributes beside one weight, and weights that are none to us."""
    attributes = dict(edge_attrs or {})
    if preserve_edge_attrs or preserve_node_attrs or preserve_all_attrs or node_attrs or len(attributes) > 1:
        raise NotImplementedError("polyloom keeps one edge attribute of a graph, the weight, and no other")
    attribute, missing = next(iter(attributes.items()), (None, 1))
    try:
        return PolyloomGraph(graph, attribute, float(missing))
    except GraphError as error:
        raise NotImplementedError(str(error)) from error


def convert_to_nx(result: Any, *, name: str | None = None) -> Any:
    """NetworkX calls this: our graphs as its own; everything else as it is."""
    return result.to_networkx() if isinstance(result, PolyloomGraph) else result


def cached(graph: Any) -> dict[Any, Any]:
    """What NetworkX keeps of our conversions of a graph."""
    kept = (getattr(graph, "__networkx_cache__", None) or {}).get("backends", {}).get("polyloom", {})
    assert isinstance(kept, dict)
    return kept


def forget_if_changed(graph: Any) -> None:
    """Drop what NetworkX has cached of a graph whose nodes or edges were changed behind its methods."""
    kept = cached(graph)
    if not kept:
        return
    try:
        entries = convert.ext().count_edges(graph._adj, graph.is_multigraph())
    except TypeError:  # no plain dictionaries: no one can tell quickly
        entries = None
    for key, one in list(kept.items()):
        if isinstance(one, PolyloomGraph) and (len(graph), entries) != (len(one), len(one.file.edges)):
            kept.pop(key, None)


def levels(limit: float | None) -> float:
    """How far a search goes that NetworkX ends at ``limit``: it goes on while fewer steps were made."""
    return math.inf if limit is None or limit == math.inf else max(0, math.ceil(limit))
