# SPDX-License-Identifier: Apache-2.0
# Covers: runs that cannot go on end by themselves, and say why: a dead cable in the fast model and in RTL; a bad one
# (nine frames of ten lost) does not end a run. Leaves out: which standstills are told (sim, fabric tests),
# the link alone (blocks/reliable_link/tests).
from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

#: Retransmissions after which a link counts as down, where the default would take RTL minutes.
PATIENCE = 40


def run_on(cluster: str, folder: Path, *, link: str, overlay: str = "", on: str = "sim") -> tuple[int, str]:
    """Exit status and standard error of shortest paths on a shipped cluster with more lines in its tables."""
    text = (ROOT / "clusters" / f"{cluster}.toml").read_text()
    text = text.replace("[link]\n", f"[link]\n{link}\n").replace("[overlay]\n", f"[overlay]\n{overlay}\n")
    (folder / "faulty.toml").write_text(text)
    command = [sys.executable, "-m", "polyloom", "run", "sssp", "--generate", "uniform:150:4", "--on", on, "--verify",
               "--cluster", str(folder / "faulty.toml"), "--no-report", "--run-dir", str(folder / "run")]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300, cwd=ROOT)
    return done.returncode, done.stderr


def is_one_line_on_a_dead_link(error: str, times: int) -> None:
    (line,) = [line for line in error.splitlines() if line.startswith("polyloom: ")]
    for word in ("fpga.0.0", "fpga.1.0", "is down", "since", f"{times} times", "drop_rate"):
        assert word in line, line


def test_a_dead_cable_ends_the_run(tmp_path: Path) -> None:
    status, error = run_on("laptop", tmp_path, link="drop_rate = 1")
    assert status == 1
    is_one_line_on_a_dead_link(error, 4096)


@pytest.mark.parametrize("on", ["sim", "rtl"])
def test_a_dead_cable_is_told_alike_in_both_fidelities(tmp_path: Path, on: str) -> None:
    status, error = run_on("tiny-2", tmp_path, link="drop_rate = 1", overlay=f"link_down_after = {PATIENCE}", on=on)
    assert status == 1
    is_one_line_on_a_dead_link(error, PATIENCE)


@pytest.mark.parametrize("link", ["drop_rate = 0.9", "bit_error_rate = 1e-3"])
def test_a_bad_cable_is_only_slow(tmp_path: Path, link: str) -> None:
    status, error = run_on("laptop", tmp_path, link=link)
    assert status == 0, error
