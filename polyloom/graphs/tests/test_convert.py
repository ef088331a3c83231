# SPDX-License-Identifier: Apache-2.0
# Covers: edges in all forms against numpy.unique and NetworkX; what is refused, and by which argument.
# Leaves out: runs (tests/test_graphs_in_python.py).
from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import polyloom
from polyloom.graphs import Graph, GraphError, Program, convert
from polyloom.jobs.memory_file import ArraysFile, ReadArrays

RANDOM = np.random.default_rng(37)


def pairs(graph: Graph) -> list[tuple[Any, Any]]:
    """The edges by name, as they lie in the memory that programs map."""
    file = graph._edges.file
    assert isinstance(file, ArraysFile)
    held = ReadArrays(file)
    assert (held.vertices, held.edges, held.weighted) == (len(graph), graph.edge_count, graph.weighted)
    names = graph.names.to_list()
    return [(names[a], names[b]) for a, b in file.edges.tolist()]


def weights(graph: Graph) -> list[float]:
    file = graph._edges.file
    assert isinstance(file, ArraysFile) and file.weights is not None
    return list(file.weights.tolist())


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int32, np.uint32, np.int64, np.uint64, ">i8"])
@pytest.mark.parametrize("spread", ["dense", "gaps", "far", "from 0"])
def test_numbers_ascend_as_numpy_sorts_them(kind: Any, spread: str) -> None:
    dtype = np.dtype(kind)
    low, high = (0 if dtype.kind == "u" else -100), 120
    ends = RANDOM.integers(low, high, (500, 2))
    if spread == "gaps":
        ends = ends // 7 * 7
    if spread == "far" and dtype.itemsize == 8:
        ends = ends * (1 << 55)
    if spread == "from 0":
        ends = np.vstack([np.abs(ends), np.stack([np.arange(120)] * 2, axis=1)])
    array = ends.astype(dtype)
    graph = Graph.from_edges(array)
    names = np.unique(array)
    assert graph.names.to_list() == names.tolist()
    assert graph.names.are_rows == (names.tolist() == list(range(len(names))))
    assert pairs(graph) == [tuple(pair) for pair in array.tolist()]


def test_many_edges_are_numbered_by_all_processors() -> None:
    for factor in (1, 3, 1 << 40):  # without gaps, in bits, in a table
        array = RANDOM.integers(0, 5000, (1_100_000, 2)) * factor
        graph = Graph.from_edges(array)
        names, rows = np.unique(array, return_inverse=True)
        file = graph._edges.file
        assert isinstance(file, ArraysFile)
        assert (file.edges == rows.reshape(-1, 2)).all()
        assert graph.names.to_list() == names.tolist()


def test_columns_in_all_forms_are_the_same_graph() -> None:
    array = RANDOM.integers(0, 40, (90, 2)) * 3
    want = pairs(Graph.from_edges(array))
    strided = np.zeros((90, 5), dtype=np.int64)[:, ::2]
    strided[:, 1:] = array
    for edges in (
        strided[:, 1:],
        array[::-1][::-1],
        array.tolist(),
        [tuple(pair) for pair in array.tolist()],
        (array[:, 0], array[:, 1]),
        (array[:, 0].tolist(), array[:, 1].tolist()),
        pd.DataFrame(array),
        pd.DataFrame({"u": array[:, 0], "v": array[:, 1].astype(float), "more": 1}),
        pd.DataFrame(array).astype("Int64"),
        array.astype(float),
        array.astype(object),
    ):
        assert pairs(Graph.from_edges(edges)) == want


def test_frames_of_names_and_weights() -> None:
    frame = pd.DataFrame({"from": ["a", "b", "a"], "to": ["c", "a", "a"], "minutes": [1.5, 2, 0]})
    graph = Graph.from_edges(frame, weights="minutes")
    assert pairs(graph) == [("a", "c"), ("b", "a"), ("a", "a")]
    assert weights(graph) == [1.5, 2, 0]
    assert not Graph.from_edges(frame).weighted
    categories = Graph.from_edges(frame.astype({"from": "category", "to": "string"}))
    assert pairs(categories) == pairs(graph)
    assert weights(Graph.from_edges(frame.rename(columns={"minutes": "weight"}))) == [1.5, 2, 0]
    both = Graph.from_edges(frame, weights=[3, 4, 5], directed=False)
    assert pairs(both) == [("a", "c"), ("b", "a"), ("a", "a"), ("c", "a"), ("a", "b")]
    assert weights(both) == [3, 4, 5, 3, 4]
    assert both.undirected


def test_matrices_have_all_their_rows() -> None:
    matrix = sp.random_array((30, 30), density=0.05, rng=3, format="csr")
    for form in (matrix, matrix.tocsc(), matrix.tocoo(), sp.csr_matrix(matrix)):
        graph = Graph.from_edges(form)
        rows, columns = form.tocoo().row, form.tocoo().col
        assert graph.names.to_list() == list(range(30))
        assert pairs(graph) == list(zip(rows.tolist(), columns.tolist(), strict=True))
        assert weights(graph) == form.tocoo().data.tolist()
    assert not Graph.from_edges(matrix > 0).weighted
    assert Graph.from_edges(matrix, vertices=[f"v{i}" for i in range(30)]).names[29] == "v29"


@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
@pytest.mark.parametrize("view", [False, True])
def test_networkx_graphs_keep_their_edges(kind: Any, view: bool) -> None:
    made = nx.gnp_random_graph(30, 0.1, seed=4, directed=True)
    given = kind()
    given.add_node("alone")
    for u, v in [*made.edges, (3, 3)]:
        given.add_edge(f"v{u}", (v, "w") if v % 2 else f"v{v}", **({"weight": u + 0.5} if u % 3 else {}))
    if view:
        given = given.subgraph([name for name in given if name != "v4"])
    graph = Graph.from_edges(given)
    assert graph.names.to_list() == list(given)
    assert graph.undirected != given.is_directed()
    both = given if given.is_directed() else given.to_directed()
    assert sorted(zip(pairs(graph), weights(graph), strict=True), key=repr) == sorted(
        (((u, v), float(data.get("weight", 1))) for u, v, data in both.edges(data=True)), key=repr
    )
    for _, _, data in given.edges(data=True):
        data.pop("weight", None)
    assert not Graph.from_edges(given).weighted


def test_names_are_anything_that_can_be_told_apart() -> None:
    edges = [((1, 2), 'x y\n,"'), (frozenset({1}), 2.5), (-3, (1, 2)), (2**70, "é")]
    graph = Graph.from_edges(edges)
    assert pairs(graph) == edges
    assert Graph.from_edges([(-5, 3), (-7, -5)]).names.to_list() == [-7, -5, 3]
    assert Graph.from_edges([(2**64 - 1, 0)]).names.to_list() == [0, 2**64 - 1]
    assert Graph.from_edges([("b", "a")], vertices=["z", "a"]).names.to_list() == ["z", "a", "b"]
    assert len(Graph.from_edges(np.empty((0, 2), dtype=int))) == 0
    assert Graph.from_edges([("a", "b"), ("c", "d")]).names[1:3] == ["b", "c"]
    assert Graph.from_edges(list(RANDOM.integers(0, 9, (50, 2)))).names.to_list() == list(range(9))
    for unit in ("D", "us", "ns"):
        days = pd.DataFrame({"a": pd.date_range("2020", periods=2), "b": pd.date_range("2021", periods=2)})
        graph = Graph.from_edges((days["a"].to_numpy().astype(f"M8[{unit}]"), days["b"].to_numpy()))
        assert graph.names.row(days["b"][1], "vertex") == 3
    false: Any = np.False_
    assert Graph.from_edges([(1, 2)], directed=false).undirected


def test_graphs_go_through_pickle() -> None:
    graph = Graph.from_edges(pd.DataFrame({"from": ["a", "b"], "to": ["b", "c"], "weight": [1.5, 2]}))
    for made in (pickle.loads(pickle.dumps(graph)), copy.deepcopy(graph)):
        assert pairs(made) == pairs(graph) and weights(made) == weights(graph)
        assert made.sssp("a").to_dict() == {"a": 0, "b": 1.5, "c": 3.5}


def changed(graph: nx.Graph, **data: Any) -> nx.Graph:
    graph.add_edge(0, 1, **data)
    return graph


class Comparing:
    """A vertex whose comparison changes the graph it is in."""

    def __init__(self, graph: nx.Graph) -> None:
        self.graph = graph

    def __hash__(self) -> int:
        return 7

    def __eq__(self, other: object) -> bool:
        self.graph.remove_nodes_from([node for node in list(self.graph._adj) if isinstance(node, int)])
        return self is other


REFUSED: dict[str, tuple[Any, dict[str, Any], str]] = {
    "none": (None, {}, "edges = None: an array of pairs"),
    "text": ("a b", {}, "edges = 'a b': an array of pairs"),
    "number": (7, {}, "edges = 7: an array of pairs"),
    "three columns": (np.zeros((4, 3), int), {}, r"edges: an array of shape \(4, 3\)"),
    "one column": (pd.DataFrame({"a": [1]}), {}, "edges: a frame of 1 columns"),
    "unequal columns": (([1, 2, 3], [1]), {}, "edges: 3 sources and 1 targets"),
    "triples": ([(1, 2, 3)], {}, r"edges: \(1, 2, 3\) is no pair"),
    "NaN": (np.array([[np.nan, 1.0]]), {}, "edges: an end of an edge is nan"),
    "missing": (pd.DataFrame({"a": ["x", None], "b": ["y", "z"]}), {}, "edges: an end of an edge is"),
    "masked": (np.ma.masked_equal([[1, 2]], 2), {}, "edges: a masked array"),
    "not hashable": ([([1], 2)], {}, "edges: a vertex cannot be told from others"),
    "rectangle": (sp.csr_array(np.ones((2, 3))), {}, "edges: a matrix of 2 rows and 3 columns"),
    "few weights": ([(1, 2), (2, 3)], {"weights": [1]}, "weights: 1 for 2 edges"),
    "negative": ([(1, 2), (2, 3)], {"weights": [1, -2]}, "weights: that of edge 1 is -2"),
    "NaN weight": ([(1, 2)], {"weights": [float("nan")]}, "weights: that of edge 0 is nan"),
    "words": ([(1, 2)], {"weights": ["w"]}, "weights: "),
    "numbers as text": ([(1, 2)], {"weights": ["3"]}, "weights: object, the first is '3'; numbers are expected"),
    "a number as text": ([(1, 2), (2, 3)], {"weights": [3, "4"]}, "weights: object, the first is '4'; numbers"),
    "dates": ([(1, 2)], {"weights": np.array(["2020-01-01"], "M8[D]")}, "weights: datetime64"),
    "complex": ([(1, 2)], {"weights": np.array([1 + 5j])}, "weights: complex128"),
    "misspelt attribute": (changed(nx.Graph(), weight=2), {"weights": "wieght"}, "weights = 'wieght': no edge"),
    "text attribute": (changed(nx.Graph(), weight="3"), {}, "weights: an attribute 'weight' is no number"),
    "vertices": ([(1, 2)], {"vertices": "abc"}, "vertices = 'abc': names of vertices are expected"),
    "directed": ([(1, 2)], {"directed": "no"}, "directed = 'no': True or False is expected"),
    "no column": (pd.DataFrame({"a": [1], "b": [2]}), {"weights": "c"}, "weights = 'c': edges have no such column"),
    "twice": ([(1, 2)], {"vertices": [3, 3]}, "vertices: 3 is named twice"),
    "alike": ([(1, "1")], {}, "edges: the vertices 1 and '1' are both written '1'"),
    "other kind": (nx.Graph(), {"directed": True}, "directed = True: the NetworkX graph says otherwise"),
    "negative attribute": (changed(nx.Graph(), weight=-1), {}, "weights: an edge of the NetworkX graph has weight -1"),
    "attribute": (changed(nx.Graph(), weight=[1]), {}, "weights: an attribute 'weight' is no number"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_wrong_is_told_by_its_argument(name: str) -> None:
    edges, more, message = REFUSED[name]
    with pytest.raises(GraphError, match=message):
        Graph.from_edges(edges, **more)


def test_a_graph_that_changes_itself_harms_no_other() -> None:
    graph = nx.DiGraph()
    odd = Comparing(graph)
    graph.add_edges_from((number, number + 1) for number in range(200))
    graph._adj[odd] = {Comparing(nx.DiGraph()): {}}
    with pytest.raises((KeyError, ValueError)):
        convert.of_networkx(graph, None, named=False)


def test_programs_are_files_or_texts(tmp_path: Path) -> None:
    with pytest.raises(polyloom.GraphError, match="source = 'x': a program, or the name"):
        Program("x")
    with pytest.raises(GraphError, match=r"source = 'x\.cc': there is no such file"):
        Program("x.cc")
    (tmp_path / "mine.cc").write_text("// nothing")
    assert Program(tmp_path / "mine.cc").name == "mine"
    text = Program("// nothing\n", name="other")
    assert text.path.read_text() == "// nothing\n" and text.path.name == "other.cc"
    assert Program("// nothing\n", name="other").path == text.path
