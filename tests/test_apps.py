# SPDX-License-Identifier: Apache-2.0
# Covers: every application, natively and on the laptop cluster, against SciPy and NetworkX, on random and degenerate
# graphs, vertices by their ids. Leaves out: ids with gaps, names, other formats (test_graph_names.py), big graphs and
# 12 boards (test_big.py), wrong input (test_bad_input.py).
from __future__ import annotations

import csv
import itertools
from collections.abc import Callable
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import references
from conftest import Done, read_values

Polyloom = Callable[..., Done]


def random_graph(n: int, m: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, n, size=(m, 2))


GRAPHS = {
    "random": random_graph(501, 4000, 1),
    "sparse-disconnected": random_graph(701, 500, 2),
    "one-vertex-loop": np.array([[0, 0]]),
    "two-with-parallel-edges": np.array([[0, 1], [0, 1], [1, 1]]),
    "path": np.array([[i, i + 1] for i in range(39)]),
    "star": np.array([[0, i] for i in range(1, 300)] + [[i, 0] for i in range(1, 300)]),
}
WHERE = [("native", ()), ("sim", ("--cluster", "laptop"))]


class Graph:
    """An edge list as a file, its ids, and its edges between their positions."""

    def __init__(self, path: Path, edges: np.ndarray) -> None:
        np.savetxt(path, edges, fmt="%d")
        self.path = path
        self.ids, flat = np.unique(edges, return_inverse=True)
        self.edges = flat.reshape(edges.shape)


@pytest.fixture(params=GRAPHS, ids=str)
def graph(request: pytest.FixtureRequest, tmp_path: Path) -> Graph:
    return Graph(tmp_path / "graph.txt", GRAPHS[request.param])


@pytest.mark.parametrize(("on", "extra"), WHERE, ids=["native", "laptop"])
class TestApps:
    def run(self, polyloom: Polyloom, tmp_path: Path, graph: Graph, app: str, on: str, *args: object) -> np.ndarray:
        """Values in order of ids."""
        out = tmp_path / "values.csv"
        done = polyloom("run", app, "--on", on, "--out", out, "--verify", "--graph", graph.path, *args)
        assert done.status == 0, done.err
        values = read_values(out)
        assert list(values) == list(graph.ids)
        return np.array(list(values.values()))

    @pytest.mark.parametrize("mode", ["sync", "gals"])
    def test_pagerank(self, polyloom: Polyloom, tmp_path: Path, graph: Graph, on: str, extra, mode: str) -> None:
        ours = self.run(polyloom, tmp_path, graph, "pagerank", on, "--iterations", 20, "--mode", mode, *extra)
        expected = references.pagerank(len(graph.ids), graph.edges, 20, 0.85)
        assert np.abs(ours - expected).sum() <= 1e-5
        assert np.abs(ours - expected).max() <= 1e-4 * expected.max()

    @pytest.mark.parametrize("mode", ["async", "sync"])
    def test_sssp(self, polyloom: Polyloom, tmp_path: Path, graph: Graph, on: str, extra, mode: str) -> None:
        weights = np.random.default_rng(5).integers(0, 256, size=len(graph.edges))
        np.savetxt(graph.path, np.column_stack([graph.ids[graph.edges], weights]), fmt="%d")
        ours = self.run(polyloom, tmp_path, graph, "sssp", on, "--source", graph.ids[0], "--mode", mode, *extra)
        np.testing.assert_array_equal(ours, references.sssp(len(graph.ids), graph.edges, weights, 0))

    def test_components(self, polyloom: Polyloom, tmp_path: Path, graph: Graph, on: str, extra) -> None:
        ours = self.run(polyloom, tmp_path, graph, "components", on, *extra)
        np.testing.assert_array_equal(ours, graph.ids[references.components(len(graph.ids), graph.edges)])

    def test_strong_components(self, polyloom: Polyloom, tmp_path: Path, graph: Graph, on: str, extra) -> None:
        ours = self.run(polyloom, tmp_path, graph, "components", on, "--mode", "strong", *extra)
        np.testing.assert_array_equal(ours, graph.ids[references.strong_components(len(graph.ids), graph.edges)])

    @pytest.mark.parametrize("iterations", [1, 10])
    def test_label_propagation(
        self, polyloom: Polyloom, tmp_path: Path, graph: Graph, on: str, extra, iterations: int
    ) -> None:
        ours = self.run(polyloom, tmp_path, graph, "label-propagation", on, "--iterations", iterations, *extra)
        expected = references.labels(len(graph.ids), graph.edges, iterations)
        np.testing.assert_array_equal(ours, graph.ids[expected])

    def test_float_weights(self, polyloom: Polyloom, tmp_path: Path, graph: Graph, on: str, extra) -> None:
        weights = np.random.default_rng(6).random(len(graph.edges)).round(6)
        weights[::7] = 0
        weights[0] = 0.5
        columns = np.column_stack([graph.ids[graph.edges], weights])
        np.savetxt(graph.path, columns, fmt=["%d", "%d", "%.9g"])
        mode = ("--mode", "sync" if len(graph.ids) % 2 else "async")
        ours = self.run(
            polyloom, tmp_path, graph, "sssp", on, "--source", graph.ids[0], "--predecessors", *mode, *extra
        )
        np.testing.assert_allclose(ours, references.sssp(len(graph.ids), graph.edges, weights, 0), rtol=1e-5)
        self.is_a_tree(tmp_path, graph, weights, 1e-5)

    def is_a_tree(self, tmp_path: Path, graph: Graph, weights: np.ndarray, tolerance: float) -> None:
        """Predecessors are such as NetworkX has, and lead to the source."""
        network = nx.MultiDiGraph()
        network.add_nodes_from(graph.ids.tolist())
        ends = graph.ids[graph.edges].tolist()
        network.add_weighted_edges_from((u, v, w) for (u, v), w in zip(ends, weights.tolist(), strict=True))
        source = int(graph.ids[0])
        allowed, distance = nx.dijkstra_predecessor_and_distance(network, source)
        with (tmp_path / "values.csv").open(newline="") as file:
            before = {int(row["vertex"]): row["predecessor"] for row in csv.DictReader(file)}
        assert {v for v, u in before.items() if u} == set(distance) - {source}
        tree = nx.DiGraph((int(u), v) for v, u in before.items() if u)
        assert not tree or nx.is_arborescence(tree)
        for u, v in tree.edges:
            step = min(data["weight"] for data in network[u][v].values())
            assert u in allowed[v] or abs(distance[u] + step - distance[v]) <= tolerance * distance[v]

    def test_predecessors(self, polyloom: Polyloom, tmp_path: Path, graph: Graph, on: str, extra) -> None:
        weights = np.random.default_rng(5).integers(0, 4, size=len(graph.edges))  # many of 0, and many equal paths
        np.savetxt(graph.path, np.column_stack([graph.ids[graph.edges], weights]), fmt="%d")
        self.run(polyloom, tmp_path, graph, "sssp", on, "--source", graph.ids[0], "--predecessors", *extra)
        self.is_a_tree(tmp_path, graph, weights, 0)

    @pytest.mark.parametrize("form", ["dangling", "weighted", "gals"])
    def test_google(self, polyloom: Polyloom, tmp_path: Path, graph: Graph, on: str, extra, form: str) -> None:
        weights = np.random.default_rng(8).random(len(graph.edges)).round(4)
        np.savetxt(graph.path, np.column_stack([graph.ids[graph.edges], weights]), fmt=["%d", "%d", "%.9g"])
        chosen = range(0, len(graph.ids), 3)
        rows = "".join(f"{graph.ids[v]},{v + 1}\n" for v in chosen)
        (tmp_path / "where.csv").write_text("vertex,value\n" + rows)
        where = {v: v + 1 for v in chosen}
        options: list[object] = ["--dangling", "uniform"]
        plain = form == "dangling"
        if not plain:
            options += ["--personalize", tmp_path / "where.csv", "--weighted"]
        options += ["--mode", "gals"] if form == "gals" else ["--tolerance", 1e-9]
        ours = self.run(polyloom, tmp_path, graph, "pagerank", on, *options, *extra)
        expected = references.google(len(graph.ids), graph.edges, None if plain else weights, None if plain else where)
        assert np.abs(ours - expected).sum() <= 1e-5
        assert np.abs(ours - expected).max() <= 1e-4 * expected.max()

    def test_tolerance(self, polyloom: Polyloom, tmp_path: Path, graph: Graph, on: str, extra) -> None:
        """As many updates as it takes, and no more."""
        ours = self.run(polyloom, tmp_path, graph, "pagerank", on, "--tolerance", 1e-4, *extra)
        n = len(graph.ids)
        steps = [references.pagerank(n, graph.edges, updates, 0.85) for updates in range(101)]
        changes = [np.abs(b - a).max() for a, b in itertools.pairwise(steps)]
        updates = next(k for k, change in enumerate(changes, 1) if change < 1e-4)
        assert np.abs(ours - steps[updates]).sum() <= 1e-5

    def test_bfs(self, polyloom: Polyloom, tmp_path: Path, graph: Graph, on: str, extra) -> None:
        ours = self.run(polyloom, tmp_path, graph, "bfs", on, "--source", graph.ids[0], *extra)
        np.testing.assert_array_equal(ours, references.hops(len(graph.ids), graph.edges, 0))

    def test_kcore(self, polyloom: Polyloom, tmp_path: Path, graph: Graph, on: str, extra) -> None:
        ours = self.run(polyloom, tmp_path, graph, "kcore", on, *extra)
        np.testing.assert_array_equal(ours, references.core_numbers(len(graph.ids), graph.edges))

    def test_triangles(self, polyloom: Polyloom, tmp_path: Path, graph: Graph, on: str, extra) -> None:
        ours = self.run(polyloom, tmp_path, graph, "triangles", on, *extra)
        np.testing.assert_array_equal(ours, references.triangles(len(graph.ids), graph.edges))

    @pytest.mark.parametrize("mode", ["sync", "gals"])
    def test_heat(self, polyloom: Polyloom, tmp_path: Path, graph: Graph, on: str, extra, mode: str) -> None:
        n = len(graph.ids)
        start = np.random.default_rng(9).uniform(-50, 200, n).round(4)
        given, held = range(0, n, 2), list(range(0, n, 5))
        (tmp_path / "start.csv").write_text("".join(f"{graph.ids[v]},{start[v]}\n" for v in given))
        (tmp_path / "held.csv").write_text("".join(f"{graph.ids[v]},{start[v]}\n" for v in held))
        start[[v for v in range(n) if v not in given and v not in held]] = 0
        files = ("--start", tmp_path / "start.csv", "--held", tmp_path / "held.csv")
        ours = self.run(polyloom, tmp_path, graph, "heat", on, "--steps", 37, "--mode", mode, *files, *extra)
        pairs = np.unique(np.sort(graph.edges[graph.edges[:, 0] != graph.edges[:, 1]], axis=1), axis=0)
        most = np.bincount(pairs.ravel(), minlength=n).max()
        expected = references.heat(n, graph.edges, start, held, 1 / (1 + most), 37)
        assert np.abs(ours - expected).max() <= 1e-5 * np.abs(start).max()

    def test_asp(self, polyloom: Polyloom, tmp_path: Path, graph: Graph, on: str, extra) -> None:
        sources = min(40, len(graph.ids))
        ours = self.run(polyloom, tmp_path, graph, "asp", on, "--sources", sources, *extra)
        np.testing.assert_array_equal(ours, references.distance_sums(len(graph.ids), graph.edges, sources))


@pytest.mark.parametrize("mode", ["async", "sync"])
@pytest.mark.parametrize(("on", "extra"), WHERE, ids=["native", "laptop"])
class TestLongPaths:
    """Paths that leave 32 bits, beside shortest ones that do not."""

    def run(self, polyloom: Polyloom, graph: Graph, weights: np.ndarray, on: str, mode: str, extra) -> Done:
        np.savetxt(graph.path, np.column_stack([graph.ids[graph.edges], weights]), fmt="%d")
        where = ("--on", on, "--mode", mode, *extra, "--source", graph.ids[0])
        return polyloom(
            "run", "sssp", "--graph", graph.path, "--out", graph.path.with_suffix(".csv"), "--verify", *where
        )

    def test_are_passed_over(self, polyloom: Polyloom, tmp_path: Path, on: str, extra, mode: str) -> None:
        graph = Graph(tmp_path / "graph.txt", random_graph(501, 4000, 1))
        random = np.random.default_rng(7)
        weights = random.integers(1 << 20, 1 << 29, 4000)
        expected = references.sssp(len(graph.ids), graph.edges, weights, 0)
        start, end = expected[graph.edges].T
        heavy = (start + weights > end) & (random.random(4000) < 0.5)  # on no shortest path
        weights[heavy] = (1 << 32) - 1 - random.integers(0, 1000, heavy.sum())
        done = self.run(polyloom, graph, weights, on, mode, extra)
        assert done.status == 0, done.err
        np.testing.assert_array_equal(list(read_values(tmp_path / "graph.csv").values()), expected)

    def test_are_refused(self, polyloom: Polyloom, tmp_path: Path, on: str, extra, mode: str) -> None:
        graph = Graph(tmp_path / "graph.txt", np.array([[0, 1], [1, 2], [2, 3]]))
        for last in ((1 << 32) - 1 - 10, (1 << 32) - 1):
            done = self.run(polyloom, graph, np.array([4, 6, last]), on, mode, extra)
            assert done.status == 1 and not (tmp_path / "graph.csv").exists()
            assert "the shortest path to 3 is longer than 4294967294" in done.err and "(to 2 it is 10," in done.err
        done = self.run(polyloom, graph, np.array([4, 6, (1 << 32) - 1 - 11]), on, mode, extra)
        assert done.status == 0 and read_values(tmp_path / "graph.csv")[3] == (1 << 32) - 2


@pytest.mark.parametrize(("on", "extra"), [("native", ()), ("sim", ("--cluster", "tiny-1"))], ids=["native", "tiny-1"])
class TestManyRounds:
    """Where 448 bits, or a table, are not enough for all at once."""

    def run(self, polyloom: Polyloom, graph: Graph, app: str, on: str, *args: object) -> np.ndarray:
        out = graph.path.with_suffix(".csv")
        done = polyloom("run", app, "--on", on, "--verify", "--graph", graph.path, "--out", out, *args)
        assert done.status == 0, done.err + done.out
        return np.array(list(read_values(out).values()))

    def test_asp_from_all(self, polyloom: Polyloom, tmp_path: Path, on: str, extra) -> None:
        graph = Graph(tmp_path / "graph.txt", random_graph(470, 1200, 3))
        n = len(graph.ids)
        assert n > 448
        ours = self.run(polyloom, graph, "asp", on, "--sources", "all", *extra)
        np.testing.assert_array_equal(ours, references.distance_sums(n, graph.edges, n))

    def test_labels_of_a_hub(self, polyloom: Polyloom, tmp_path: Path, on: str, extra) -> None:
        spokes = np.array([[0, i] for i in range(1, 400)])
        graph = Graph(tmp_path / "graph.txt", np.vstack([spokes, 1 + random_graph(399, 300, 4)]))
        ours = self.run(polyloom, graph, "label-propagation", on, "--iterations", 3, *extra)
        np.testing.assert_array_equal(ours, graph.ids[references.labels(len(graph.ids), graph.edges, 3)])

    def test_triangles_of_cliques(self, polyloom: Polyloom, tmp_path: Path, on: str, extra) -> None:
        far = nx.ring_of_cliques(90, 6)  # 540 vertices
        graph = Graph(tmp_path / "graph.txt", np.random.default_rng(3).permutation(540)[np.array(far.edges)])
        ours = self.run(polyloom, graph, "triangles", on, *extra)
        np.testing.assert_array_equal(ours, references.triangles(540, graph.edges))


@pytest.mark.parametrize(("on", "extra"), WHERE, ids=["native", "laptop"])
@pytest.mark.parametrize(("depth", "fanout", "ticks"), [(0, 5, 3), (7, 1, 2), (4, 3, 2), (1, 400, 1), (3, 2, 0)])
def test_clock_tree(polyloom: Polyloom, on: str, extra, depth: int, fanout: int, ticks: int) -> None:
    shape = ("--depth", depth, "--fanout", fanout, "--ticks", ticks)
    done = polyloom("run", "clocktree", "--on", on, "--verify", "--json", *shape, *extra)
    assert done.status == 0, done.err
    tree = nx.full_rary_tree(fanout, sum(fanout**level for level in range(depth + 1)))
    assert (done.json["vertices"], done.json["edges"]) == (len(tree), tree.size())
    assert nx.eccentricity(tree, 0) == depth
    assert ("cycles_a_tick" in done.json) == (on == "sim" and ticks > 0)
    if on == "sim" and ticks > 0 and depth > 0:  # a message takes longer than the handlers at its ends
        assert done.json["cycles_a_tick"] > 2 * depth * 50


def test_heat_keeps_what_there_is(polyloom: Polyloom) -> None:
    """Nothing flows out of a box without ends; heat without barriers comes to the same."""
    words = ("run", "heat", "--generate", "cube:5:4:3", "--steps", 50, "--seed", 4, "--verify", "--json")
    sync, gals = (polyloom(*words, "--mode", mode, "--on", "sim", "--cluster", "tiny-1") for mode in ("sync", "gals"))
    assert sync.status == gals.status == 0, sync.err + gals.err
    assert sync.json["vertices"] == 60 and sync.json["edges"] == 60 * (3 * 3 * 3 - 1)
    assert abs(sync.json["mean"] - sync.json["mean_at_start"]) <= 1e-5 * sync.json["mean"]
    assert sync.json["coldest"] == pytest.approx(gals.json["coldest"], rel=1e-5)


def test_heat_that_would_not_be_stable(polyloom: Polyloom) -> None:
    done = polyloom("run", "heat", "--generate", "grid:5:5", "--rate", 0.3, "--on", "native")
    assert done.status == 1 and "--rate 0.3" in done.err and "at most 0.25" in done.err


def test_a_tree_too_large(polyloom: Polyloom) -> None:
    done = polyloom("run", "clocktree", "--depth", 20, "--fanout", 9, "--on", "native")
    assert done.status == 1 and "--depth, --fanout" in done.err and "4294967294" in done.err


@pytest.mark.parametrize(
    ("app", "options"),
    [
        ("heat", ("--steps", 5, "--mode", "gals")),
        ("bfs", ()),
        ("triangles", ()),
        ("kcore", ()),
        ("components", ("--mode", "strong")),
        ("sssp", ("--max-weight", 9, "--predecessors")),
        ("pagerank", ("--weighted", "--dangling", "uniform", "--tolerance", 1e-3)),
        ("label-propagation", ("--iterations", 2)),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_on_rtl(polyloom: Polyloom, app: str, options: tuple[object, ...]) -> None:
    """The same program, on the model of one board's logic; --verify compares."""
    where = ("--on", "rtl", "--cluster", "tiny-1", "--verify", "--generate", "uniform:6:2")
    done = polyloom("run", app, *where, *options)
    assert done.status == 0 and "verification: passed" in done.out, done.err + done.out


def test_clock_tree_on_rtl(polyloom: Polyloom) -> None:
    tree = ("--depth", 2, "--fanout", 2, "--ticks", 2, "--verify", "--json")
    rtl, sim = (polyloom("run", "clocktree", "--on", on, "--cluster", "tiny-1", *tree) for on in ("rtl", "sim"))
    assert rtl.status == sim.status == 0 and rtl.json["verified"], rtl.err + sim.err
    assert rtl.json["cycles_a_tick"] == pytest.approx(sim.json["cycles_a_tick"], rel=0.05)
