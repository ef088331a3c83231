# SPDX-License-Identifier: Apache-2.0
"""`polyloom collective` and the example, as a user runs them. Leaves out: the numbers (test_collectives.py)."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from polyloom.base import paths
from polyloom.base.errors import UserError
from polyloom.collectives import command
from polyloom.testing import daily

OPERATIONS = "barrier unicast scatter gather broadcast all-to-all all-gather reduce reduce-scatter all-reduce"


def polyloom(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "polyloom", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


@pytest.mark.parametrize("operation", daily(OPERATIONS.split(), 4))
def test_every_operation_verifies(operation: str) -> None:
    options = [] if operation == "barrier" else ["--bytes", "5000", "--verify"]
    done = polyloom("collective", operation, "--cluster", "optweb-4x2", *options, "--json")
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert facts["topology"].startswith("hypercube 4 x 2")
    (result,) = facts["results"]
    assert result["operation"] == operation.replace("-", "_")
    assert result["ranks"] == 8
    assert result["simulated_seconds"] == pytest.approx(result["predicted_seconds"], rel=0.05)


def test_sweep_and_explain() -> None:
    done = polyloom("collective", "broadcast", "--sweep", "1K:8K", "--explain", "--algorithm", "forward")
    assert done.returncode == 0, done.stderr
    assert "scatter-all-gather" in done.stdout  # the model's table
    rows = [line.split() for line in done.stdout.splitlines() if " forward " in line and line.split()[0].isdigit()]
    assert [int(row[0]) for row in rows] == [1024, 2048, 4096, 8192]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("turn",), "operation 'turn': known are barrier, unicast"),
        (("broadcast", "--bytes", "1X"), "is no size"),
        (("broadcast", "--algorithm", "magic"), "has no algorithm 'magic'"),
        (("broadcast", "--sweep", "8K:1K"), "FIRST:LAST"),
        (("broadcast", "--bytes", "64G"), "68719476736"),
        (("broadcast", "--bytes", "-5"), "'-5' is no size"),
        (("all-to-all", "--bytes", "8000000000G"), "8589934592000000000"),
        (("broadcast", "--cluster", "optweb-9"), "optweb-8"),
        (("broadcast", "--cluster", "nowhere.toml"), "nowhere.toml"),
        (("broadcast", "--cluster", "laptop"), 'no FPGA of role "collective"'),
        (("broadcast", "--on", "board"), "board"),
        (("broadcast", "--on", "magic"), "native, sim"),
        (("barrier", "--verify"), "a barrier moves no data that could be compared; leave it out"),
        (("broadcast", "--root", "99", "--bytes", "1K"), "--root"),
    ],
)
def test_mistakes_are_named(arguments: tuple[str, ...], message: str) -> None:
    done = polyloom("collective", *arguments)
    assert done.returncode != 0
    # Long lines may be broken in a frame by the option parser.
    assert message in " ".join((done.stdout + done.stderr).replace("\u2502", " ").split())
    assert "Traceback" not in done.stderr
    assert not done.stdout


@pytest.mark.parametrize(
    "text", ["", "K", "1KM", "1.5K", "-5", "0", "0K", "\u00b2", "16T", "1 K", "9" * 20, "8589934592G"]
)
def test_sizes_that_are_none(text: str) -> None:
    with pytest.raises(UserError, match=r"is no size|less than 2"):
        command.sizes_of(text, "")
    with pytest.raises(UserError, match=r"is no size|less than 2"):
        command.sizes_of("1K", f"1K:{text}")


@pytest.mark.parametrize("text", ["1K", "8K:1K", "1K:2K:4K"])
def test_sweeps_that_are_none(text: str) -> None:
    with pytest.raises(UserError, match="FIRST:LAST"):
        command.sizes_of("", text)


def test_native(tmp_path: Path) -> None:
    done = polyloom("collective", "all-reduce", "--on", "native", "--bytes", "64K", "--verify", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["results"][0]["simulated_seconds"] is None


def test_the_tour(tmp_path: Path) -> None:
    page = tmp_path / "tour.html"
    command = [sys.executable, str(paths.home() / "examples" / "collectives_tour.py"), str(page)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "as it should be: broadcast: rank 99 is not one of 0..7" in done.stdout
    text = page.read_text(encoding="utf-8")
    assert "Plotly.newPlot" in text and len(text) > 1_000_000  # the library is inside
    assert "cdn.plot.ly" not in text.split("Plotly.newPlot")[-1]


def test_phases_and_the_load_of_links(tmp_path: Path) -> None:
    """The page's load is of the time between the first start and the last end, not of loading and reading back."""
    folder = tmp_path / "run"
    done = polyloom("collective", "all-reduce", "--bytes", "1M", "--json", "--run-dir", str(folder))
    assert done.returncode == 0, done.stderr
    run = json.loads((folder / "run.json").read_text())
    phases, accepted = run["phases"], json.loads(done.stdout)["results"][0]["simulated_seconds"]
    assert list(phases) == ["load_seconds", "compute_seconds", "collect_seconds"]
    assert 0 <= run["simulated_seconds"] - sum(phases.values()) <= 3e-6
    assert (
        accepted <= phases["compute_seconds"] <= accepted + 25e-6
    )  # a host call a rank to start, one to hear of its end
    sent = 2 * 7 / 8 * (8 << 20) / 7  # bits of a lane of eight each way: a share to each peer, twice
    load = sent / 45e9 / phases["compute_seconds"]
    shown = re.findall(r"fpga\.0 - fpga\.1.*?([\d.]+)%", (folder / "report.html").read_text(), re.DOTALL)
    assert float(shown[-1]) == pytest.approx(100 * load, rel=0.02)


@pytest.mark.parametrize("words", ["collective all-reduce --verify", "run sort --keys 9", "run averaging --epochs 1"])
def test_a_cluster_that_keeps_no_data_is_named(tmp_path: Path, words: str) -> None:
    if "averaging" in words:
        pytest.importorskip("sklearn")
    path = tmp_path / "none.toml"
    text = paths.cluster_file("optweb-8").read_text()
    path.write_text(text.replace("[collective]", '[collective]\ncontents = "none"'))
    done = polyloom(*words.split(), "--on", "sim", "--cluster", str(path), "--run-dir", str(tmp_path / "run"))
    assert done.returncode == 1
    assert done.stderr.startswith('polyloom: the cluster has contents = "none"')
    assert len(done.stderr.splitlines()) == 1
    timed = polyloom("collective", "all-reduce", "--cluster", str(path), "--run-dir", str(tmp_path / "run"), "--json")
    assert json.loads(timed.stdout)["results"][0]["simulated_seconds"] > 0
