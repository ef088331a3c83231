# SPDX-License-Identifier: Apache-2.0
# Covers: every application on graphs of some ten thousand vertices, natively, on the laptop cluster and on 12 boards,
# against SciPy and NetworkX. Part of `make test-full` only: some minutes. Leaves out: bigger graphs (bench/).
from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import references
from conftest import ROOT, Done, read_values

from polyloom.testing import FULL

pytestmark = pytest.mark.skipif(not FULL, reason="runs with make test-full")

Polyloom = Callable[..., Done]
GRAPHS = {
    "packages": ("--graph", str(ROOT / "apps" / "data" / "debian-packages.plg.gz")),
    "geometric": ("--generate", "geometric:20000:20"),
    "kronecker": ("--generate", "kronecker:14:16"),
}
WHERE = {
    "native": ("native",),
    "laptop": ("sim", "--cluster", "laptop"),
    "tinsel-12": ("sim", "--cluster", "tinsel-12", "--engine", "threads:2"),
}
SOURCES = 40


class Graph:
    """An edge list with weights 1..255: its path, ids, edges between their positions, weights."""

    def __init__(self, path: Path) -> None:
        rows = np.loadtxt(path, dtype=np.int64, comments="#")
        self.path = path
        self.ids, flat = np.unique(rows[:, :2], return_inverse=True)
        self.edges = flat.reshape(-1, 2)
        self.weights = rows[:, 2]


@pytest.fixture(scope="module", params=GRAPHS, ids=str)
def graph(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Graph:
    path = tmp_path_factory.mktemp("graph") / "edges.txt"
    tool = ROOT / "build" / "bin" / "polyloom-graph"
    subprocess.run([str(tool), *GRAPHS[request.param], "--max-weight", "255", "--write", str(path)], check=True)
    return Graph(path)


@pytest.mark.parametrize("on", WHERE, ids=str)
class TestBig:
    def run(self, polyloom: Polyloom, tmp_path: Path, graph: Graph, app: str, on: str, *args: object) -> np.ndarray:
        """Values in order of ids."""
        out = tmp_path / "values.csv"
        done = polyloom(
            "run", app, "--on", *WHERE[on], "--no-report", "--out", out, "--graph", graph.path, *args, timeout=900
        )
        assert done.status == 0, done.err
        values = read_values(out)
        assert list(values) == list(graph.ids)
        return np.array(list(values.values()))

    def test_pagerank(self, polyloom: Polyloom, tmp_path: Path, graph: Graph, on: str) -> None:
        ours = self.run(polyloom, tmp_path, graph, "pagerank", on, "--iterations", 20)
        expected = references.pagerank(len(graph.ids), graph.edges, 20, 0.85)
        assert np.abs(ours - expected).sum() <= 1e-5
        assert np.abs(ours - expected).max() <= 1e-4 * expected.max()

    def test_sssp(self, polyloom: Polyloom, tmp_path: Path, graph: Graph, on: str) -> None:
        ours = self.run(polyloom, tmp_path, graph, "sssp", on)
        np.testing.assert_array_equal(ours, references.sssp(len(graph.ids), graph.edges, graph.weights, 0))

    def test_components(self, polyloom: Polyloom, tmp_path: Path, graph: Graph, on: str) -> None:
        ours = self.run(polyloom, tmp_path, graph, "components", on)
        np.testing.assert_array_equal(ours, graph.ids[references.components(len(graph.ids), graph.edges)])

    def test_asp(self, polyloom: Polyloom, tmp_path: Path, graph: Graph, on: str) -> None:
        ours = self.run(polyloom, tmp_path, graph, "asp", on, "--sources", SOURCES)
        np.testing.assert_array_equal(ours, references.distance_sums(len(graph.ids), graph.edges, SOURCES))
