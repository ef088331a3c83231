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


@pytest.fixture(scope="module", params=GRAPHS, ids=str)
def graph(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int, np.ndarray]:
    """An edge list with weights 1..255, its vertex count and its rows (from, to, weight)."""
    path = tmp_path_factory.mktemp("graph") / "edges.txt"
    tool = ROOT / "build" / "bin" / "polyloom-graph"
    subprocess.run([str(tool), *GRAPHS[request.param], "--max-weight", "255", "--write", str(path)], check=True)
    rows = np.loadtxt(path, dtype=np.int64, comments="#")
    return path, int(rows[:, :2].max()) + 1, rows


@pytest.mark.parametrize("on", WHERE, ids=str)
class TestBig:
    def run(self, polyloom: Polyloom, tmp_path: Path, app: str, on: str, *args: object) -> np.ndarray:
        out = tmp_path / "values.csv"
        done = polyloom("run", app, "--on", *WHERE[on], "--no-report", "--out", out, *args, timeout=900)
        assert done.status == 0, done.err
        return np.array(read_values(out))

    def test_pagerank(self, polyloom: Polyloom, tmp_path: Path, graph, on: str) -> None:
        path, n, rows = graph
        ours = self.run(polyloom, tmp_path, "pagerank", on, "--graph", path, "--iterations", 20)
        expected = references.pagerank(n, rows[:, :2], 20, 0.85)
        assert np.abs(ours - expected).sum() <= 1e-5
        assert np.abs(ours - expected).max() <= 1e-4 * expected.max()

    def test_sssp(self, polyloom: Polyloom, tmp_path: Path, graph, on: str) -> None:
        path, n, rows = graph
        ours = self.run(polyloom, tmp_path, "sssp", on, "--graph", path, "--source", 0)
        np.testing.assert_array_equal(ours, references.sssp(n, rows[:, :2], rows[:, 2], 0))

    def test_hashmin(self, polyloom: Polyloom, tmp_path: Path, graph, on: str) -> None:
        path, n, rows = graph
        ours = self.run(polyloom, tmp_path, "hashmin", on, "--graph", path)
        np.testing.assert_array_equal(ours, references.components(n, rows[:, :2]))

    def test_asp(self, polyloom: Polyloom, tmp_path: Path, graph, on: str) -> None:
        path, n, rows = graph
        ours = self.run(polyloom, tmp_path, "asp", on, "--graph", path, "--sources", SOURCES)
        np.testing.assert_array_equal(ours, references.distance_sums(n, rows[:, :2], SOURCES))
