# SPDX-License-Identifier: Apache-2.0
# Covers: boards of one tile (Verilated) and of 2 x 2 (in lanes) in a cluster as the fast model, each as RTL in turn,
# and all as RTL: same results (integers exactly, floating point within the stated tolerance), the independent check of
# each application, cycles of the compute phase within 5 %: of components, whose cycles scatter from start to start,
# their mean over starts. With POLYLOOM_TEST_FULL=1 also six boards. Leaves out: order of messages (tests of the parts).
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
#: Options, by a name that begins with the program's.
APPS = {
    "sssp by keys": ("--generate", "uniform:120:6", "--pins", "distributed"),
    "sssp": ("--generate", "uniform:200:4", "--mode", "sync"),
    "components": ("--generate", "geometric:150:5"),
    "pagerank": ("--generate", "kronecker:7:6", "--iterations", "8"),
}
if FULL:
    APPS["asp"] = ("--generate", "uniform:150:4", "--sources", "32")
TOLERANCE = 0.05  # of cycles (docs/design.md, section 5)
HOST_LATENCY = 1e-6  # of these clusters, in every compute phase
# Which messages an asynchronous program sends depends on which come first, so on single cycles: the mean over starts is
# held. sssp by keys is one too, but hardly scatters.
SCATTERS = ("components",)


def mixed(cluster: str, in_rtl: list[str], folder: Path) -> Path:
    """The cluster with these nodes in RTL."""
    text = (ROOT / "clusters" / f"{cluster}.toml").read_text()
    text += "".join(f'\n[[node]]\nname = "{node}"\nfidelity = "rtl"\n' for node in in_rtl)
    path = folder / f"{cluster}-{len(in_rtl)}-{in_rtl[0] if in_rtl else 'none'}.toml"
    path.write_text(text)
    return path


def run(app: str, cluster: Path, folder: Path) -> tuple[list[tuple[str, float]], float]:
    """Values by vertex and the seconds that the boards computed; the application checks itself."""
    out = folder / "out.csv"
    command = [sys.executable, "-m", "polyloom", "run", app.split()[0], *APPS[app], "--cluster", str(cluster),
               "--verify", "--json", "--no-report", "--run-dir", str(folder / "run"), "--out", str(out)]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=590)
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert facts["verified"], facts
    rows = [line.split(",") for line in out.read_text().splitlines()[1:]]
    return [(vertex, float(value)) for vertex, value in rows], facts["compute_simulated_seconds"] - HOST_LATENCY


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
    if app not in SCATTERS:
        assert abs(seconds / expected_seconds - 1) < TOLERANCE


def with_call_time(cluster: Path, call_time: str) -> Path:
    """The cluster with other costs of its host's calls."""
    text = cluster.read_text()
    assert 'call_time = "1 us"' in text
    path = cluster.with_stem(f"{cluster.stem}-{call_time.replace(' ', '')}")
    path.write_text(text.replace('call_time = "1 us"', f'call_time = "{call_time}"'))
    return path


@pytest.mark.parametrize(
    ("app", "call_times"), [("sssp", ("1 us", "100 ns")), ("components", ("1 us", "400 ns", "200 ns", "100 ns"))]
)
def test_the_hosts_calls_are_not_in_the_cycles(app, call_times, tmp_path):
    """Ten times quicker calls change only when the threads start. Their cycles agree as before."""
    cycles: dict[str, list[float]] = {}
    for name, nodes in (("model", []), ("rtl", ["fpga.0.0"])):
        clusters = [with_call_time(mixed("tiny-1", nodes, tmp_path), call_time) for call_time in call_times]
        cycles[name] = [run(app, cluster, tmp_path)[1] for cluster in clusters]
    assert abs(sum(cycles["rtl"]) / sum(cycles["model"]) - 1) < TOLERANCE, cycles
    if app not in SCATTERS:
        assert max(abs(r / m - 1) for r, m in zip(cycles["rtl"], cycles["model"], strict=True)) < TOLERANCE
        assert max(cycles["rtl"]) / min(cycles["rtl"]) - 1 < TOLERANCE
