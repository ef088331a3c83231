# SPDX-License-Identifier: Apache-2.0
# Covers: whole programs on boards in RTL whose links flip bits and lose frames: integers exactly as on boards of the
# fast model without faults, floating point within its tolerance, as many supersteps (idle is never early), every
# message let in once that was sent over a link; counters show what was lost, damaged and sent again.
# Leaves out: 6 boards, other rates (POLYLOOM_TEST_FULL=1); the link alone (blocks/reliable_link/tests).
from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

from polyloom.testing import FULL

APPS = {
    "sssp": ("--generate", "uniform:150:4"),
    "components": ("--generate", "geometric:120:5"),
    "pagerank": ("--generate", "kronecker:6:6", "--iterations", "6"),
}
#: Probability of an error in a word of 64 bits, and of the loss of a frame.
FAULTS = [(1e-3, 0.02)]
BOARDS = {"tiny-2": ["fpga.0.0", "fpga.1.0"]}
if FULL:
    FAULTS += [(1e-6, 0.0), (1e-5, 0.0), (1e-4, 0.0), (1e-3, 0.0), (0.0, 0.1), (0.0, 0.3), (1e-3, 0.1)]
    BOARDS["tiny-6"] = [f"fpga.{x}.{y}" for y in range(2) for x in range(3)]


class Run:
    """An application's run on a cluster: values by vertex, counters."""

    def __init__(self, app: str, cluster: str, folder: Path, rtl: bool, faults: tuple[float, float] = (0, 0)) -> None:
        lines = f"bit_error_rate = {faults[0] / 64}\ndrop_rate = {float(faults[1])}\n"
        text = (ROOT / "clusters" / f"{cluster}.toml").read_text().replace("[link]\n", f"[link]\n{lines}")
        path = folder / "faulty.toml"
        path.write_text(text.replace("[fpga]\n", '[fpga]\nfidelity = "rtl"\n') if rtl else text)
        out = folder / "out.csv"
        command = [sys.executable, "-m", "polyloom", "run", app, *APPS[app], "--cluster", str(path), "--verify",
                   "--json", "--no-report", "--run-dir", str(folder / "run"), "--out", str(out)]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=590)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["verified"], done.stdout
        self.values = [float(line.split(",")[1]) for line in out.read_text().splitlines()[1:]]
        rows = csv.reader((folder / "run" / "counters.csv").read_text().splitlines()[1:])
        self.counters = {name: int(value) for name, value in rows}

    def total(self, boards: list[str], name: str) -> int:
        """Of a counter of all boards."""
        return sum(self.counters[f"{board}.{name}"] for board in boards)

    def of_links(self, name: str) -> int:
        """Of a counter of the wires between boards."""
        ends = [key for key in self.counters if key.startswith("link.fpga") and key.endswith(f".{name}")]
        return sum(self.counters[key] for key in ends if key.count("fpga.") == 2)


@pytest.fixture(scope="module")
def clean(tmp_path_factory):
    """Runs of the fast model without faults, made when first asked for."""
    known: dict[tuple[str, str], Run] = {}

    def result(app: str, cluster: str) -> Run:
        if (app, cluster) not in known:
            known[app, cluster] = Run(app, cluster, tmp_path_factory.mktemp(f"{app}-{cluster}"), rtl=False)
        return known[app, cluster]

    return result


@pytest.mark.parametrize("faults", FAULTS, ids=lambda pair: f"{pair[0]:g}-{pair[1]:g}")
@pytest.mark.parametrize("app", APPS)
@pytest.mark.parametrize("cluster", BOARDS)
def test_results_do_not_depend_on_faults_of_links(cluster, app, faults, clean, tmp_path):
    boards = BOARDS[cluster]
    run, expected = Run(app, cluster, tmp_path, rtl=True, faults=faults), clean(app, cluster)
    if app == "pagerank":
        assert run.values == pytest.approx(expected.values, rel=1e-4)
    else:
        assert run.values == expected.values
    # Barriers are of the whole mesh: each board counts the same ones.
    if app == "pagerank":  # the others' supersteps depend on the order in which messages come
        assert [run.counters[f"{board}.barriers"] for board in boards] == [
            expected.counters[f"{board}.barriers"] for board in boards
        ]
    assert run.total(boards, "link_sent") == run.total(boards, "link_received") > 0
    if run.of_links("drops") + run.of_links("bit_errors") > 20:  # a few may all hit acknowledgements
        assert run.total(boards, "link_again") > 0
    if faults[0] >= 1e-3:
        assert run.of_links("bit_errors") > 0 and run.total(boards, "link_bad") > 0
    if faults[1] > 0:
        assert run.of_links("drops") > 0
