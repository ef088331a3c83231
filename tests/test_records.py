# SPDX-License-Identifier: Apache-2.0
# Covers: the files that every kind of run leaves, and that its page shows them. Leaves out: mpirun (test_mpirun.py),
# the page's numbers (test_report.py).
from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Done

Polyloom = Callable[..., Done]
RUNS = {
    "pagerank-native": ["run", "pagerank", "--generate", "grid:4:4", "--on", "native"],
    "pagerank-sim": ["run", "pagerank", "--generate", "grid:4:4", "--on", "sim", "--cluster", "tiny-1"],
    "sort-native": ["run", "sort", "--keys", "100", "--on", "native"],
    "sort-sim": ["run", "sort", "--keys", "100", "--on", "sim", "--cluster", "optweb-8"],
    "averaging-native": ["run", "averaging", "--epochs", "1", "--on", "native"],
    "averaging-sim": ["run", "averaging", "--epochs", "1", "--on", "sim", "--cluster", "optweb-8"],
    "collective-native": ["collective", "all-reduce", "--bytes", "4K", "--on", "native"],
    "collective-sim": ["collective", "all-reduce", "--bytes", "4K", "--on", "sim", "--cluster", "optweb-8"],
    "nbody-native": ["nbody", "--n", "64", "--steps", "1"],
    "nbody-sim": ["nbody", "--n", "64", "--steps", "1", "--nodes", "2", "--let", "hub"],
}


@pytest.mark.parametrize("kind", RUNS)
def test_files_of_a_run(polyloom: Polyloom, tmp_path: Path, kind: str) -> None:
    done = polyloom(*RUNS[kind])
    assert done.status == 0, done.err
    [folder] = (tmp_path / "runs").iterdir()
    assert f"report: {(Path('runs') / folder.name)}/report.html" in done.out.replace(f"{tmp_path}/", "")
    run, result = (json.loads((folder / name).read_text()) for name in ("run.json", "result.json"))
    assert run["wall_seconds"] > 0
    assert result
    page = (folder / "report.html").read_text()
    if kind.endswith("-sim"):
        assert run["simulated_seconds"] > 0
        with (folder / "counters.csv").open(newline="") as file:
            names = [row["name"] for row in csv.DictReader(file)]
        assert f"{len(names)} counters" in page.replace(",", "")
    else:
        assert run["simulated_seconds"] is None
        assert "counters, summed" in page or "the run was native" in page


def test_links_of_a_collective(polyloom: Polyloom, tmp_path: Path) -> None:
    """Rates are the cluster's, every pair of nodes has its row."""
    done = polyloom("collective", "all-to-all", "--bytes", "64K", "--json", "--run-dir", tmp_path / "record")
    assert done.status == 0, done.err
    cluster = json.loads((tmp_path / "record" / "cluster.json").read_text())
    links = [link for link in cluster["links"] if not link["to_host"]]
    page = Path(done.json["report"]).read_text()
    section = page.partition("<h2>Links</h2>")[2].partition("</section>")[0]
    pairs = {tuple(sorted((link["a"]["node"], link["b"]["node"]))) for link in links}
    assert section.count("<tr><td>") == min(len(pairs), 32) == 28
    rate = sum(link["rate_bps"] for link in links if {link["a"]["node"], link["b"]["node"]} == set(min(pairs)))
    assert f"{rate / 1e9:.3g} Gbit/s" in section
