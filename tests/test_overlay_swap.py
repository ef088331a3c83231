# SPDX-License-Identifier: Apache-2.0
# Covers: boards of one tile (Verilated) and of 2 x 2 (in lanes) in a cluster as the fast model, each as RTL in turn,
# and all as RTL: same answers (integers exactly, floating point within the stated tolerance), the independent check of
# each application, cycles within 5 %. With POLYLOOM_TEST_FULL=1 also six boards. Leaves out: order of messages (the
# parts' own tests).
from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

from polyloom.testing import FULL

BOARDS = {name: ["fpga.0.0", "fpga.1.0"] for name in ("tiny-2", "laptop")} | {"tiny-1": ["fpga.0.0"]}
if FULL:
    BOARDS["tiny-6"] = [f"fpga.{x}.{y}" for y in range(2) for x in range(3)]
APPS = {
    "sssp": ("--generate", "uniform:200:4"),
    "hashmin": ("--generate", "geometric:150:5"),
    "pagerank": ("--generate", "kronecker:7:6", "--iterations", "8"),
}
if FULL:
    APPS["asp"] = ("--generate", "uniform:150:4", "--sources", "32")
TOLERANCE = 0.05  # of cycles (DESIGN.md section 5)


def mixed(cluster: str, in_rtl: list[str], folder: Path) -> Path:
    """The cluster with these nodes in RTL."""
    text = (ROOT / "clusters" / f"{cluster}.toml").read_text()
    text += "".join(f'\n[[node]]\nname = "{node}"\nfidelity = "rtl"\n' for node in in_rtl)
    path = folder / f"{cluster}-{len(in_rtl)}-{in_rtl[0] if in_rtl else 'none'}.toml"
    path.write_text(text)
    return path


def run(app: str, cluster: Path, folder: Path) -> tuple[list[tuple[str, float]], float]:
    """Values by vertex and simulated seconds; the application checks itself."""
    out = folder / "out.csv"
    command = [sys.executable, "-m", "polyloom", "run", app, *APPS[app], "--cluster", str(cluster), "--verify",
               "--json", "--no-report", "--run-dir", str(folder / "run"), "--out", str(out)]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=590)
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert facts["verified"], facts
    rows = [line.split(",") for line in out.read_text().splitlines()[1:]]
    return [(vertex, float(value)) for vertex, value in rows], facts["compute_simulated_seconds"]


def mixes(cluster: str) -> list[list[str]]:
    """Each board in RTL, then all of them."""
    nodes = BOARDS[cluster]
    return [[node] for node in nodes] + ([nodes] if len(nodes) > 1 else [])


CASES = [(cluster, app, mix) for cluster in BOARDS for app in APPS for mix in mixes(cluster)]


@pytest.fixture(scope="module")
def fast(tmp_path_factory):
    """Results of the fast model alone, made when first asked for."""
    known: dict[tuple[str, str], tuple[list[tuple[str, float]], float]] = {}

    def result(cluster, app):
        if (cluster, app) not in known:
            folder = tmp_path_factory.mktemp(f"{cluster}-{app}")
            known[cluster, app] = run(app, mixed(cluster, [], folder), folder)
        return known[cluster, app]

    return result


@pytest.mark.parametrize(("cluster", "app", "in_rtl"), CASES, ids=lambda v: "+".join(v) if isinstance(v, list) else v)
def test_boards_in_rtl_do_what_the_model_does(cluster, app, in_rtl, fast, tmp_path):
    values, seconds = run(app, mixed(cluster, in_rtl, tmp_path), tmp_path)
    expected, expected_seconds = fast(cluster, app)
    assert [vertex for vertex, _ in values] == [vertex for vertex, _ in expected]
    got, want = [value for _, value in values], [value for _, value in expected]
    if app == "pagerank":
        assert got == pytest.approx(want, rel=1e-4)
    else:
        assert got == want
    assert abs(seconds / expected_seconds - 1) < TOLERANCE
