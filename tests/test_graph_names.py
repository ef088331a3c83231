# SPDX-License-Identifier: Apache-2.0
# Covers: results by the vertices' own ids and names, from file to screen, CSV, NPY and JSON, against NetworkX: ids with
# gaps, directed and undirected, loops, parallel edges, comments, one vertex, an empty file, names that are no UTF-8 or
# hold commas and quotes, weights that are not used; natively and on one simulated board. Leaves out: the readers' own
# errors and --verify against wrong runs (polite/readers, apps/verify), bigger graphs (test_apps.py, test_big.py).
from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from conftest import Done, read_named, read_values

Polyloom = Callable[..., Done]
ON = {"native": ("--on", "native"), "tiny-1": ("--on", "sim", "--cluster", "tiny-1")}

#: Ids with gaps, two components and a loop alone, parallel edges, comments of both kinds, every separator.
GAPS = "# from to\n1007 1014\n1014\t1021\n1007 1014\r\n% more\n1021,1021\n\n1021 1007\n40000000 5\n5 6\n70 70\n"
EDGES = [(1007, 1014), (1014, 1021), (1007, 1014), (1021, 1021), (1021, 1007), (40000000, 5), (5, 6), (70, 70)]


@pytest.fixture(params=ON, ids=str)
def run(request: pytest.FixtureRequest, polyloom: Polyloom, tmp_path: Path) -> Callable[..., Done]:
    def call(app: str, graph: str | bytes, *args: object, name: str = "graph.txt") -> Done:
        (tmp_path / name).write_bytes(graph if isinstance(graph, bytes) else graph.encode())
        return polyloom("run", app, *ON[request.param], "--no-report", "--verify", "--graph", name, *args)

    return call


def values_of(done: Done, path: Path) -> dict[int, float]:
    assert done.status == 0, done.err + done.out
    return read_values(path)


def test_components_are_those_of_the_ids_that_occur(run: Callable[..., Done], tmp_path: Path) -> None:
    graph = nx.MultiDiGraph(EDGES)
    expected = {v: min(part) for part in nx.weakly_connected_components(graph) for v in part}
    done = run("components", GAPS, "--out", "out.csv")
    assert values_of(done, tmp_path / "out.csv") == expected
    assert "components: 3" in done.out
    assert "7 vertices, 8 edges" in done.out


def test_pagerank_is_networkx(run: Callable[..., Done], tmp_path: Path) -> None:
    # With the reverse of every edge nothing dangles, so the definitions agree.
    graph = nx.MultiDiGraph(EDGES + [(v, u) for u, v in EDGES if u != v])
    expected = nx.pagerank(graph, tol=1e-12, max_iter=1000)
    done = run("pagerank", GAPS, "--undirected", "--iterations", 150, "--json", "--out", "out.csv")
    assert values_of(done, tmp_path / "out.csv") == pytest.approx(expected, rel=1e-5)
    result = done.json
    assert result["verified"] and result["notes"] == []
    best = max(expected, key=lambda v: (expected[v], -v))
    assert result["top"][0]["name"] == str(best)
    assert result["sum_of_values"] == pytest.approx(1, abs=1e-5)


def test_shortest_paths_start_at_an_id(run: Callable[..., Done], tmp_path: Path) -> None:
    weighted = "".join(f"{u} {v} {w}\n" for w, (u, v) in enumerate(EDGES, 3))
    graph = nx.MultiDiGraph()
    graph.add_weighted_edges_from((u, v, w) for w, (u, v) in enumerate(EDGES, 3))
    for extra, seen in (((), graph), (("--undirected",), graph.to_undirected())):
        found = nx.single_source_dijkstra_path_length(seen, 1014)
        done = run("sssp", weighted, "--source", 1014, "--out", "out.csv", "--json", *extra)
        assert values_of(done, tmp_path / "out.csv") == {v: found.get(v, math.inf) for v in graph}
        assert done.json["source"] == "1014"


def test_distance_sums_are_from_the_smallest_ids(run: Callable[..., Done], tmp_path: Path) -> None:
    graph = nx.MultiDiGraph(EDGES)
    sources = sorted(graph)[:3]
    expected = distance_sums(graph, sources)
    done = run("asp", GAPS, "--sources", 3, "--out", "out.csv")
    assert values_of(done, tmp_path / "out.csv") == expected
    assert expected[40000000] == math.inf


def distance_sums(graph: nx.MultiDiGraph, sources: list[int]) -> dict[int, float]:
    """From other sources; inf where none of these has a path."""
    sums: dict[int, float] = {}
    for source in sources:
        for v, length in nx.single_source_shortest_path_length(graph, source).items():
            if v != source or len(sources) == 1:
                sums[v] = sums.get(v, 0) + length
    return {v: sums.get(v, math.inf) for v in graph}


@pytest.mark.parametrize(
    ("text", "sources", "without"),
    [
        ("1 2\n3 4\n", 4, (10, 12)),
        ("1 2\n2 1\n5 5\n", 2, (2, 4)),
        ("8 9\n9 7\n", 1, (2, 2)),
        ("1 2\n2 3\n3 1\n", 3, ()),
    ],
)
def test_what_no_source_reaches(run: Callable[..., Done], tmp_path: Path, text: str, sources: int, without) -> None:
    graph = nx.MultiDiGraph([tuple(map(int, line.split())) for line in text.splitlines()])
    sums = distance_sums(graph, sorted(graph)[:sources])
    done = run("asp", text, "--sources", sources, "--out", "out.csv", "--json")
    assert values_of(done, tmp_path / "out.csv") == sums
    reached = sources * (len(graph) - 1) - (without[0] if without else 0)
    total = sum(value for value in sums.values() if value < math.inf)
    assert done.json["average_shortest_path"] == (total / reached if reached else None)
    note = f"{without[0]} of {without[1]} pairs of a source and another vertex have no path from" if without else ""
    assert len(done.json["notes"]) == bool(without) and all(line.startswith(note) for line in done.json["notes"])


def test_one_vertex(run: Callable[..., Done], tmp_path: Path) -> None:
    done = run("components", "# a loop\n4000000000 4000000000\n", "--out", "out.csv")
    assert values_of(done, tmp_path / "out.csv") == {4000000000: 4000000000}


@pytest.mark.parametrize("text", ["", "# nothing\n\n", "%%MatrixMarket matrix coordinate pattern general\n0 0 0\n"])
def test_a_graph_without_vertices_is_refused(run: Callable[..., Done], text: str) -> None:
    done = run("components", text)
    assert done.status == 1
    assert done.err == "polyloom: graph.txt: the graph is empty: it has no vertex\n"


def test_declared_vertices_are_there_and_begin_at_one(run: Callable[..., Done], tmp_path: Path) -> None:
    text = "%%MatrixMarket matrix coordinate real general\n4 4 2\n2 3 0.5\n3 2 0.25\n"
    done = run("components", text, "--out", "out.csv", "--json", name="graph.mtx")
    assert values_of(done, tmp_path / "out.csv") == {1: 1, 2: 2, 3: 2, 4: 4}
    assert done.json["components"] == 3
    assert done.json["notes"] == ["the weights of graph.mtx are not used: components takes all edges alike"]


def test_ids_between_those_that_occur_are_no_vertices(run: Callable[..., Done], tmp_path: Path) -> None:
    done = run("components", "1 2\n2 3\n3 1\n10 11\n", "--out", "out.csv", "--json")
    assert values_of(done, tmp_path / "out.csv") == {1: 1, 2: 1, 3: 1, 10: 10, 11: 10}
    assert done.json["vertices"] == 5
    ranks = run("pagerank", "1 2\n2 3\n3 1\n10 11\n11 10\n", "--iterations", "60", "--out", "ranks.csv")
    assert sum(values_of(ranks, tmp_path / "ranks.csv").values()) == pytest.approx(1, abs=1e-5)


def test_a_byte_order_mark_is_no_part_of_an_id(run: Callable[..., Done], tmp_path: Path) -> None:
    done = run("components", b"\xef\xbb\xbf1 2\n2 3\n", "--out", "out.csv")
    assert values_of(done, tmp_path / "out.csv") == {1: 1, 2: 1, 3: 1}


def test_names_that_are_values_are_on_the_page(run: Callable[..., Done], tmp_path: Path, polyloom: Polyloom) -> None:
    (tmp_path / "l_Packages").write_bytes(PACKAGES)
    done = polyloom("run", "components", "--on", "native", "--graph", "l_Packages", "--run-dir", "record")
    assert done.status == 0, done.err
    assert "say&quot;hi&quot;" in (tmp_path / "record" / "report.html").read_text()


@pytest.mark.parametrize("app", ["pagerank", "components", "asp"])
def test_weights_that_are_not_used_are_told(polyloom: Polyloom, tmp_path: Path, app: str) -> None:
    (tmp_path / "w.txt").write_text("1 2 0.5\n2 1 7\n")
    folder = tmp_path / "record"
    done = polyloom("run", app, "--on", "native", "--graph", "w.txt", "--run-dir", folder)
    note = f"the weights of w.txt are not used: {app} takes all edges alike"
    assert done.status == 0 and f"note: {note}\n" in done.out
    assert json.loads((folder / "result.json").read_text())["notes"] == [note]


@pytest.mark.parametrize(
    ("written", "mend"),
    [
        ("4294967296", "(divide all weights by a power of ten and round them)"),
        ("70000000000", "(divide all weights by a power of ten and round them)"),
        ("-3", "(none below 0 is taken)"),
    ],
)
def test_whole_weights_have_32_bits(polyloom: Polyloom, tmp_path: Path, written: str, mend: str) -> None:
    (tmp_path / "w.txt").write_text(f"7 9 {written}\n")
    done = polyloom("run", "sssp", "--on", "native", "--graph", "w.txt")
    assert done.status == 1
    assert done.err.startswith(f"polyloom: w.txt: edge 7 -> 9 has weight {written}; whole numbers from 0")
    assert mend in done.err


@pytest.mark.parametrize("written", ["0.25", "5000000000.5", "1e30"])
def test_weights_with_fractions_are_single_precision(polyloom: Polyloom, tmp_path: Path, written: str) -> None:
    (tmp_path / "w.txt").write_text(f"7 9 {written}\n7 8 0.5\n")
    done = polyloom("run", "sssp", "--on", "native", "--graph", "w.txt", "--out", "d.csv", "--verify")
    assert done.status == 0 and "summed up in single precision" in done.out
    assert read_named(tmp_path / "d.csv") == {"7": "0", "8": "0.5", "9": f"{np.float32(written):.9g}"}


@pytest.mark.parametrize("written", ["-3", "1e39"])
def test_weights_with_fractions_have_bounds_too(polyloom: Polyloom, tmp_path: Path, written: str) -> None:
    (tmp_path / "w.txt").write_text(f"7 9 {written}\n7 8 0.5\n")
    done = polyloom("run", "sssp", "--on", "native", "--graph", "w.txt")
    assert done.status == 1
    assert done.err.startswith(f"polyloom: w.txt: edge 7 -> 9 has weight {written.replace('e', 'e+')}; numbers from 0")


def test_the_mass_that_dangles_is_told(polyloom: Polyloom, tmp_path: Path) -> None:
    (tmp_path / "d.txt").write_text("1 2\n")
    done = polyloom("run", "pagerank", "--on", "native", "--graph", "d.txt")
    # x = 0.075, 0.075 + 0.85 * 0.075
    assert (
        "note: vertices without an out-edge: 1; what they hold is not handed on, so the values sum to 0.21375"
        in done.out
    )


PACKAGES = 'Package: caf\xe9\nDepends: say"hi"\n\nPackage: say"hi"\n\nPackage: plain\nDepends: caf\xe9\n'.encode(
    "latin-1"
)


def test_no_byte_of_a_name_costs_the_result(run: Callable[..., Done], tmp_path: Path) -> None:
    done = run("pagerank", PACKAGES, "--out", "out.csv", "--json", name="l_Packages")
    assert done.status == 0, done.err
    assert {row["name"] for row in done.json["top"]} == {"caf\ufffd", 'say"hi"', "plain"}
    assert b'"say""hi""",' in (tmp_path / "out.csv").read_bytes()
    assert set(read_named(tmp_path / "out.csv")) == {"caf\udce9", 'say"hi"', "plain"}


def test_names_are_the_records_of_npy(run: Callable[..., Done], tmp_path: Path) -> None:
    done = run("components", PACKAGES, "--out", "out.npy", name="l_Packages")
    assert done.status == 0, done.err
    table = np.load(tmp_path / "out.npy")
    assert set(table["vertex"]) == {b"caf\xe9", b"plain", b'say"hi"'}
    assert set(table["vertex"][table["value"]]) == {b"caf\xe9"}  # by the row of the component's first vertex
    assert "caf" in done.out


def test_ids_are_the_records_of_npy(run: Callable[..., Done], tmp_path: Path) -> None:
    done = run("sssp", "1007 1014\n5 6\n", "--source", 1007, "--out", "out.npy")
    assert done.status == 0, done.err
    table = np.load(tmp_path / "out.npy")
    assert table.dtype.names == ("vertex", "value")
    assert table["vertex"].tolist() == [5, 6, 1007, 1014]
    assert table["value"].tolist() == [math.inf, math.inf, 0, 1]


def test_renumber_is_refused_with_what_to_do(polyloom: Polyloom, tmp_path: Path) -> None:
    (tmp_path / "g.txt").write_text("1 2\n")
    done = polyloom("run", "components", "--on", "native", "--graph", "g.txt", "--renumber")
    assert done.status != 0
    assert "--renumber" in done.err and "leave it out" in done.err


def test_a_made_graph_is_verified_without_a_file_and_says_so(polyloom: Polyloom) -> None:
    done = polyloom("run", "components", "--on", "native", "--generate", "grid:3:2", "--verify")
    assert "verification: passed" in done.out
    assert "the graph is made, not read" in done.out


@pytest.mark.parametrize(
    ("name", "text", "note"),
    [
        (
            "g.metis",
            "2 1 011 1\n5 2 7\n6 1 7\n",
            "weights and sizes of vertices, which a METIS file may give, are not used",
        ),
        (
            "g.mtx",
            "%%MatrixMarket matrix coordinate pattern general\n2 3 2\n1 3\n2 1\n",
            "a matrix of 2 rows and 3 columns: row i and column i are taken for the same vertex",
        ),
    ],
)
def test_what_a_file_holds_beside_a_graph(tmp_path: Path, polyloom: Polyloom, name: str, text: str, note: str) -> None:
    (tmp_path / name).write_text(text)
    done = polyloom("run", "sssp", "--on", "native", "--graph", name, "--verify")
    assert done.status == 0 and f"note: {name}: {note}\n" in done.out
