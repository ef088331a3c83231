# SPDX-License-Identifier: Apache-2.0
"""Edges as people have them, as arrays. Input: arrays, frames, sparse matrices, NetworkX graphs, sequences.

Output: ``Edges``, whose arrays are in memory that programs map.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyloom.base import compiled
from polyloom.graphs.errors import GraphError
from polyloom.graphs.vertices import Vertices, objects
from polyloom.jobs.memory_file import ArraysFile, MemoryFile

Array = NDArray[Any]

EXPECTED = (
    "an array of pairs, a pair of columns, a pandas or polars frame whose first two columns are the ends, a SciPy "
    "sparse matrix or a NetworkX graph is expected"
)


@dataclass
class Edges:
    """Edges by rows of vertices, and what the vertices are called."""

    file: MemoryFile
    vertices: Vertices
    mirrored: bool  # both directions of every edge are there
    count: int
    weighted: bool
    whole: bool = False  # of a NetworkX graph: all weights are of whole types


@cache
def ext() -> Any:
    """The compiled part."""
    return compiled.load("graphs")


def edges_of(data: Any, weights: Any, vertices: Iterable[Any] | None, directed: bool | None) -> Edges:
    """What was given as ``edges``, ``weights``, ``vertices``, ``directed`` of Graph.from_edges. GraphError."""
    if vertices is not None and (isinstance(vertices, str | bytes) or not isinstance(vertices, Iterable)):
        raise GraphError(f"vertices = {_shown(vertices)}: names of vertices are expected")
    if _is_networkx(data):
        edges = of_networkx(data, "weight" if weights is None else weights, vertices, directed)
        if weights is not None and edges.count and not edges.weighted:
            raise GraphError(f"weights = {weights!r}: no edge of the NetworkX graph has this attribute")
        return edges
    if _is_sparse(data):
        return _of_sparse(data, weights, vertices, directed)
    if hasattr(data, "columns") and hasattr(data, "__getitem__"):
        return _of_frame(data, weights, vertices, directed)
    return _of_columns(*_columns(data), weights, vertices, directed)


def _is_networkx(data: Any) -> bool:
    return hasattr(data, "is_multigraph") and hasattr(data, "adj")


def _is_sparse(data: Any) -> bool:
    return hasattr(data, "tocoo") and hasattr(data, "nnz")


def _columns(data: Any) -> tuple[Array, Array]:
    """Both ends of all edges."""
    if isinstance(data, (str, bytes, dict)) or data is None:
        raise GraphError(f"edges = {_shown(data)}: {EXPECTED}")
    if isinstance(data, np.ma.MaskedArray):
        raise GraphError("edges: a masked array, whose mask would be lost; fill it or give its data")
    if isinstance(data, tuple) and len(data) == 2 and all(_is_column(part) for part in data):
        return _column(data[0], "edges[0]"), _column(data[1], "edges[1]")
    if not isinstance(data, np.ndarray):
        try:
            pairs = list(data)
        except TypeError:
            raise GraphError(f"edges = {_shown(data)}: {EXPECTED}") from None
        bad = next((pair for pair in pairs if not isinstance(pair, Sequence | np.ndarray) or len(pair) != 2), None)
        if bad is not None or any(isinstance(pair, str) for pair in pairs):
            wrong = _shown(bad if bad is not None else pairs[0])
            raise GraphError(f"edges: {wrong} is no pair (weights are given apart); {EXPECTED}")
        return _column([pair[0] for pair in pairs], "edges"), _column([pair[1] for pair in pairs], "edges")
    if data.ndim != 2 or data.shape[1] != 2:
        raise GraphError(f"edges: an array of shape {data.shape}; shape (edges, 2) is expected, weights apart")
    return data[:, 0], data[:, 1]


def _is_column(part: Any) -> bool:
    one = isinstance(part, np.ndarray) and part.ndim == 1
    return one or hasattr(part, "to_numpy") or (isinstance(part, list) and len(part) != 2)


def _column(values: Any, argument: str) -> Array:
    if hasattr(values, "to_numpy"):
        values = values.to_numpy()
    if isinstance(values, np.ma.MaskedArray):
        raise GraphError(f"{argument}: a masked array, whose mask would be lost; fill it or give its data")
    if isinstance(values, np.ndarray):
        if values.ndim != 1:
            raise GraphError(f"{argument}: an array of shape {values.shape}; one dimension is expected")
        return values
    values = list(values)
    kinds = {type(value) for value in values}
    if kinds == {int} and all(-(1 << 63) <= value < 1 << 63 for value in values):
        return np.array(values, dtype=np.int64)
    return objects(values)


def _of_frame(data: Any, weights: Any, vertices: Iterable[Any] | None, directed: bool | None) -> Edges:
    names = list(data.columns)
    if len(names) < 2:
        raise GraphError(f"edges: a frame of {len(names)} columns; the first two are the ends of edges")
    if weights is None and "weight" in names[2:]:
        weights = "weight"
    if isinstance(weights, str):
        if weights not in names:
            raise GraphError(
                f"weights = {weights!r}: edges have no such column; theirs are {', '.join(map(str, names))}"
            )
        weights = _column(data[weights], "weights")
    return _of_columns(_column(data[names[0]], "edges"), _column(data[names[1]], "edges"), weights, vertices, directed)


def _of_sparse(data: Any, weights: Any, vertices: Iterable[Any] | None, directed: bool | None) -> Edges:
    rows, columns = data.shape
    if rows != columns:
        raise GraphError(f"edges: a matrix of {rows} rows and {columns} columns; vertices are rows and columns alike")
    entries = data.tocoo()
    if weights is None and not (entries.data.dtype == bool or (entries.data == 1).all()):
        weights = entries.data
    names = range(rows) if vertices is None else list(vertices)
    if len(names) != rows:
        raise GraphError(f"vertices: {len(names)} names for a matrix of {rows} rows")
    return _filled(entries.row, entries.col, _weights(weights, entries.nnz), Vertices(names), directed)


def _of_columns(
    sources: Array, targets: Array, weights: Any, vertices: Iterable[Any] | None, directed: bool | None
) -> Edges:
    if len(sources) != len(targets):
        raise GraphError(f"edges: {len(sources)} sources and {len(targets)} targets; every edge has both")
    values = _weights(weights, len(sources))
    sources, targets = _plain(sources), _plain(targets)
    whole = sources.dtype.kind in "iu" and targets.dtype.kind in "iu"
    if not whole or vertices is not None:
        return _of_names(sources, targets, values, vertices, directed)
    kind = np.promote_types(sources.dtype, targets.dtype)
    if kind.kind == "f":  # of int64 and uint64
        return _of_names(sources.astype(object), targets.astype(object), values, vertices, directed)
    kind = kind if kind.itemsize >= 4 else np.dtype(np.int32)
    columns = [np.asarray(column, kind.newbyteorder("=")) for column in (sources, targets)]
    if directed is False:
        return _of_numbered(columns, values)
    file = ArraysFile(len(sources), values is not None)
    count, ids = ext().number(columns[0], columns[1], file.edges)
    return _named(file, values, Vertices(range(count) if ids is None else ids), False)


def _of_numbered(columns: list[Array], values: Array | None) -> Edges:
    """Undirected edges: both directions of each, but of loops."""
    rows = np.empty((len(columns[0]), 2), np.uint32)
    count, ids = ext().number(columns[0], columns[1], rows)
    return _filled(rows[:, 0], rows[:, 1], values, Vertices(range(count) if ids is None else ids), False)


def _of_names(
    sources: Array, targets: Array, values: Array | None, vertices: Iterable[Any] | None, directed: bool | None
) -> Edges:
    """Vertices in the order in which they are first seen, those of ``vertices`` first."""
    known = [] if vertices is None else list(vertices)
    names = [name for pair in zip(sources.tolist(), targets.tolist(), strict=True) for name in pair]
    try:
        rows: dict[Any, int] = {}
        for name in known:
            if name in rows:
                raise GraphError(f"vertices: {name!r} is named twice")
            rows[name] = len(rows)
        numbered = np.fromiter((rows.setdefault(name, len(rows)) for name in names), np.int64, len(names))
    except TypeError as error:
        raise GraphError(f"edges: a vertex cannot be told from others: {error}") from None
    _refuse_none(rows)
    found = list(rows)
    whole = all(type(name) is int and 0 <= name < 1 << 64 for name in found)
    if whole and found and vertices is None:
        order = np.argsort(np.array(found, dtype=np.uint64), kind="stable")
        place = np.empty(len(found), np.int64)
        place[order] = np.arange(len(found))
        ends = place[numbered]
        ids = np.array(found, dtype=np.uint64)[order]
        return _filled(ends[::2], ends[1::2], values, Vertices(ids), directed)
    return _filled(numbered[::2], numbered[1::2], values, Vertices(found), directed)


def _refuse_none(names: Iterable[Any]) -> None:
    for name in names:
        if name is None or name != name or str(name) in {"<NA>", "NaT"}:
            raise GraphError(f"edges: an end of an edge is {name!r}; every edge has two vertices")


def _plain(column: Array) -> Array:
    """Whole numbers as such, whatever type holds them."""
    if column.dtype.kind == "f":
        if not np.isfinite(column).all():
            bad = column[~np.isfinite(column)][0]
            raise GraphError(f"edges: an end of an edge is {bad}; every edge has two vertices")
        if (column == np.floor(column)).all() and (np.abs(column) < 2.0**53).all():
            return column.astype(np.int64)
    if column.dtype.kind in "mM":  # as Python has them, if nothing is lost
        in_python = column.astype(f"{column.dtype.kind}8[us]")
        return in_python if (in_python == column).all() else objects(list(column))
    if column.dtype.kind == "O" and len(column) and all(is_whole(name) for name in column):
        if all(-(1 << 63) <= int(name) < 1 << 63 for name in column):
            return column.astype(np.int64)
        if all(0 <= name < 1 << 64 for name in column):
            return column.astype(np.uint64)
    return column


def _weights(weights: Any, edges: int) -> Array | None:
    if weights is None:
        return None
    if isinstance(weights, str):
        raise GraphError(f"weights = {weights!r}: a column or attribute has a name only in a frame or a NetworkX graph")
    try:
        given = _column(weights, "weights")
        texts = [value for value in given if isinstance(value, str | bytes)] if given.dtype.kind == "O" else []
        if len(given) and (given.dtype.kind not in "biufO" or texts):
            raise GraphError(f"weights: {given.dtype}, the first is {(texts or given)[0]!r}; numbers are expected")
        values = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        if isinstance(error, GraphError):
            raise
        raise GraphError(f"weights: {error}; numbers are expected") from None
    if len(values) != edges:
        raise GraphError(f"weights: {len(values)} for {edges} edges; one an edge is expected")
    return _checked(values)


def _checked(
    values: Array, reported: str = "that of edge {row} is {value}; finite numbers that are not negative are expected"
) -> Array:
    for row in np.flatnonzero(~(values >= 0) | np.isinf(values))[:1]:
        raise GraphError(f"weights: {reported.format(row=row, value=values[row])}")
    return values


def _filled(sources: Array, targets: Array, values: Array | None, vertices: Vertices, directed: bool | None) -> Edges:
    """Copied into memory that programs map, with their reverse where they are undirected."""
    count = len(sources)
    back = np.flatnonzero(sources != targets) if directed is False else np.empty(0, np.int64)
    file = ArraysFile(count + len(back), values is not None)
    file.edges[:count, 0], file.edges[:count, 1] = sources, targets
    file.edges[count:, 0], file.edges[count:, 1] = targets[back], sources[back]
    if values is not None:
        values = np.concatenate([values, values[back]])
    return _named(file, values, vertices, directed is False)


def _named(
    file: ArraysFile, values: Array | None, vertices: Vertices, mirrored: bool, argument: str = "edges"
) -> Edges:
    if values is not None and file.weights is not None:
        file.weights[:] = values
    file.name(len(vertices), mirrored, vertices.numbers, vertices.words(argument))
    return Edges(file, vertices, mirrored, len(file.edges), file.weights is not None)


def of_networkx(
    graph: Any,
    weight: str | None,
    vertices: Iterable[Any] | None = None,
    directed: bool | None = None,
    missing: float = 1.0,
    named: bool = True,
) -> Edges:
    """The edges of a NetworkX graph, of one that is undirected in both directions; vertices in its order.

    ``weight`` names the attribute that is the weight, ``missing`` is that of edges without it; where no edge has it
    there are none. ``named``: records tell vertices by their names, so that two must not be written alike.
    """
    if vertices is not None:
        raise GraphError("vertices: a NetworkX graph has its own; leave them out")
    if directed is not None and directed != graph.is_directed():
        other = "to_undirected()" if graph.is_directed() else "to_directed()"
        raise GraphError(f"directed = {directed}: the NetworkX graph says otherwise; convert it ({other})")
    if weight is not None and not isinstance(weight, str):
        raise GraphError(f"weights = {_shown(weight)}: the name of an edge attribute is expected of a NetworkX graph")
    nodes = list(graph)
    rows = dict(zip(nodes, range(len(nodes)), strict=True))
    numbered = nodes == list(range(len(nodes))) and all(type(node) is int for node in nodes)
    file, whole = _adjacency(graph, rows, numbered, weight, missing)
    if file.weights is not None:
        _checked(file.weights, "an edge of the NetworkX graph has weight {value}; finite numbers from 0 are expected")
    names = Vertices(range(len(nodes)) if numbered else nodes)
    mirrored = not graph.is_directed()
    if named:
        file.name(len(nodes), mirrored, names.numbers, names.words("edges"))
    else:
        file.name(len(nodes), mirrored, None, None)
    return Edges(file, names, mirrored, len(file.edges), file.weights is not None, whole)


def _adjacency(
    graph: Any, rows: dict[Any, int], numbered: bool, weight: str | None, missing: float
) -> tuple[ArraysFile, bool]:
    """The edges in the order of the graph's adjacency; whether all weights are whole numbers by their types."""
    multi = graph.is_multigraph()
    adjacency = getattr(graph, "_adj", None)
    author = next((kind.__module__ for kind in type(graph).__mro__ if "__getitem__" in vars(kind)), "")
    if not author.startswith("networkx.classes."):
        return _walked(graph, rows, weight, missing)  # whose edges are not what it holds
    try:
        file = ArraysFile(ext().count_edges(adjacency, multi), weight is not None)
        any_has, whole = ext().take_adjacency(
            adjacency, rows, numbered, multi, file.edges, weight, missing, file.weights
        )
    except TypeError:
        return _walked(graph, rows, weight, missing)  # a view of another graph, or something is no plain dictionary
    if not any_has:
        file.drop_weights()
    return file, whole


def _walked(graph: Any, rows: dict[Any, int], weight: str | None, missing: float) -> tuple[ArraysFile, bool]:
    edges = [
        (rows[u], rows[v], data)
        for u in graph
        for v, between in graph[u].items()
        for data in (between.values() if graph.is_multigraph() else [between])
    ]
    if not any(weight in data for _, _, data in edges):
        weight = None
    file = ArraysFile(len(edges), weight is not None)
    file.edges[:] = np.array([edge[:2] for edge in edges], dtype=np.uint32).reshape(-1, 2)
    if file.weights is None:
        return file, True
    values = [data.get(weight, missing) for _, _, data in edges]
    try:
        if any(isinstance(value, str | bytes) for value in values):
            raise TypeError("text")
        file.weights[:] = [float(value) for value in values]
    except (TypeError, ValueError, OverflowError) as error:
        raise GraphError(f"weights: an attribute {weight!r} is no number: {error}") from None
    return file, all(is_whole(value) for value in values)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def is_whole(value: Any) -> bool:
    """Whether this is a whole number, of whatever type."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)
