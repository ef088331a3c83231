# SPDX-License-Identifier: Apache-2.0
# Covers: every application, natively and on the laptop cluster, against SciPy and NetworkX, on random and degenerate
# graphs, vertices by their ids. Leaves out: ids with gaps, names, other formats (test_graph_names.py), big graphs and
# 12 boards (test_big.py), wrong input (test_bad_input.py).
from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

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

    def test_bfs(self, polyloom: Polyloom, tmp_path: Path, graph: Graph, on: str, extra) -> None:
        ours = self.run(polyloom, tmp_path, graph, "bfs", on, "--source", graph.ids[0], *extra)
        np.testing.assert_array_equal(ours, references.hops(len(graph.ids), graph.edges, 0))

    def test_kcore(self, polyloom: Polyloom, tmp_path: Path, graph: Graph, on: str, extra) -> None:
        ours = self.run(polyloom, tmp_path, graph, "kcore", on, *extra)
        np.testing.assert_array_equal(ours, references.core_numbers(len(graph.ids), graph.edges))

    def test_triangles(self, polyloom: Polyloom, tmp_path: Path, graph: Graph, on: str, extra) -> None:
        ours = self.run(polyloom, tmp_path, graph, "triangles", on, *extra)
        np.testing.assert_array_equal(ours, references.triangles(len(graph.ids), graph.edges))

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
