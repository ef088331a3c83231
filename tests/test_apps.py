# SPDX-License-Identifier: Apache-2.0
# Covers: every application, natively and on the laptop cluster, against SciPy and NetworkX, on random and degenerate
# graphs. Leaves out: big graphs and 12 boards (test_big.py), wrong input (test_bad_input.py).
from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import references
from conftest import Done, read_values

Polyloom = Callable[..., Done]


def random_graph(n: int, m: int, seed: int) -> tuple[int, np.ndarray]:
    draw = np.random.default_rng(seed)
    edges = draw.integers(0, n, size=(m, 2))
    edges[0] = (0, n - 1)  # so that the file names all vertices
    return n, edges


GRAPHS = {
    "random": random_graph(501, 4000, 1),
    "sparse-disconnected": random_graph(701, 500, 2),
    "one-vertex-loop": (1, np.array([[0, 0]])),
    "two-with-parallel-edges": (2, np.array([[0, 1], [0, 1], [1, 1]])),
    "path": (40, np.array([[i, i + 1] for i in range(39)])),
    "star": (300, np.array([[0, i] for i in range(1, 300)] + [[i, 0] for i in range(1, 300)])),
}
WHERE = [("native", ()), ("sim", ("--cluster", "laptop"))]


@pytest.fixture(params=GRAPHS, ids=str)
def graph(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, int, np.ndarray]:
    n, edges = GRAPHS[request.param]
    path = tmp_path / "graph.txt"
    np.savetxt(path, edges, fmt="%d")
    return path, n, edges


@pytest.mark.parametrize(("on", "extra"), WHERE, ids=["native", "laptop"])
class TestApps:
    def run(self, polyloom: Polyloom, tmp_path: Path, app: str, on: str, *args: object) -> np.ndarray:
        done = polyloom("run", app, "--on", on, "--out", tmp_path / "values.csv", "--verify", *args)
        assert done.status == 0, done.err
        return np.array(read_values(tmp_path / "values.csv"))

    @pytest.mark.parametrize("mode", ["sync", "gals"])
    def test_pagerank(self, polyloom: Polyloom, tmp_path: Path, graph, on: str, extra, mode: str) -> None:
        path, n, edges = graph
        ours = self.run(polyloom, tmp_path, "pagerank", on, "--graph", path, "--iterations", 20, "--mode", mode, *extra)
        expected = references.pagerank(n, edges, 20, 0.85)
        assert np.abs(ours - expected).sum() <= 1e-5
        assert np.abs(ours - expected).max() <= 1e-4 * expected.max()

    @pytest.mark.parametrize("mode", ["async", "sync"])
    def test_sssp(self, polyloom: Polyloom, tmp_path: Path, graph, on: str, extra, mode: str) -> None:
        path, n, edges = graph
        weights = np.random.default_rng(5).integers(0, 256, size=len(edges))
        np.savetxt(path, np.column_stack([edges, weights]), fmt="%d")
        ours = self.run(polyloom, tmp_path, "sssp", on, "--graph", path, "--source", 0, "--mode", mode, *extra)
        np.testing.assert_array_equal(ours, references.sssp(n, edges, weights, 0))

    def test_hashmin(self, polyloom: Polyloom, tmp_path: Path, graph, on: str, extra) -> None:
        path, n, edges = graph
        ours = self.run(polyloom, tmp_path, "hashmin", on, "--graph", path, *extra)
        np.testing.assert_array_equal(ours, references.components(n, edges))

    def test_asp(self, polyloom: Polyloom, tmp_path: Path, graph, on: str, extra) -> None:
        path, n, edges = graph
        ours = self.run(polyloom, tmp_path, "asp", on, "--graph", path, "--sources", 40, *extra)
        np.testing.assert_array_equal(ours, references.distance_sums(n, edges, 40))
