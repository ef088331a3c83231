# SPDX-License-Identifier: Apache-2.0
# Covers: the phases that a vertex program's simulated time is made of (roles/overlay/host/README.md): in the record, in
# the result, on the screen; that compute is the boards' time, whatever the graph's load and the host's calls cost.
# Leaves out: what a HostLink does with frames (hostlink_test.cc), RTL (test_overlay_swap.py).
from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import ROOT, Done

from polyloom.base import record
from polyloom.report import counters

Polyloom = Callable[..., Done]
PHASES = ("load_seconds", "start_seconds", "compute_seconds", "collect_seconds")


def run(polyloom: Polyloom, folder: Path, cluster: Path | str) -> tuple[dict, dict]:
    """run.json and result.json of 20 iterations on 64 vertices: little work, so whatever else counts would show."""
    done = polyloom("run", "pagerank", "--generate", "grid:8:8", "--iterations", "20", "--on", "sim",
                    "--cluster", str(cluster), "--no-report", "--run-dir", folder)  # fmt: skip
    assert done.status == 0, done.err
    assert "compute time: " in done.out
    assert "simulated (load " in done.out
    return json.loads((folder / "run.json").read_text()), json.loads((folder / "result.json").read_text())


def with_call_time(folder: Path, cluster: str, call_time: str) -> Path:
    text = (ROOT / "clusters" / f"{cluster}.toml").read_text()
    assert 'call_time = "1 us"' in text
    path = folder / f"{cluster}-{call_time.replace(' ', '')}.toml"
    path.write_text(text.replace('call_time = "1 us"', f'call_time = "{call_time}"'))
    return path


def test_phases_are_the_whole_time_and_compute_is_the_algorithms(polyloom: Polyloom, tmp_path: Path) -> None:
    run_json, result = run(polyloom, tmp_path / "run", "tinsel-12")
    phases = run_json["phases"]
    assert tuple(phases) == PHASES
    # After the host's last word the run goes on to where the engine notices: a call and a window at most.
    assert 0 <= run_json["simulated_seconds"] - sum(phases.values()) <= 2e-6
    assert result["compute_simulated_seconds"] == pytest.approx(phases["compute_seconds"], abs=1e-12)
    assert result["phases"] == pytest.approx(phases, abs=1e-12)
    # The boards' own record of barriers: the algorithm ends with the last, and one host link later the host knows.
    with (tmp_path / "run" / "supersteps.csv").open(newline="") as file:
        last = max(int(row["end_ps"]) for row in csv.DictReader(file)) * 1e-12
    before = phases["load_seconds"] + phases["start_seconds"]
    assert last < before + phases["compute_seconds"] < last + 5e-6
    # 12,288 threads get 64 vertices. Writing the few hundred bytes of each must not take longer than the algorithm.
    assert phases["load_seconds"] < phases["compute_seconds"]


def test_compute_does_not_depend_on_the_hosts_calls(polyloom: Polyloom, tmp_path: Path) -> None:
    known = {}
    for call_time in ("1 us", "10 us", "100 ns"):
        cluster = with_call_time(tmp_path, "tinsel-1", call_time)
        known[call_time] = run(polyloom, tmp_path / cluster.stem, cluster)[0]["phases"]
    base = known["1 us"]
    for call_time, phases in known.items():
        assert phases["compute_seconds"] == pytest.approx(base["compute_seconds"], rel=0.005), call_time
    assert known["10 us"]["load_seconds"] > base["load_seconds"]


def test_rates_divide_by_the_time_in_which_threads_run(tmp_path: Path) -> None:
    phases = {"load_seconds": 6.0, "start_seconds": 1.0, "compute_seconds": 2.0, "collect_seconds": 1.0}
    core = {"instret": 3_000, "idle_cycles": 7_000}  # 10,000 cycles in 10 seconds, 3,000 of them with threads
    counts = {f"fpga.0.0.tile.0.core.0.{name}": value for name, value in core.items()}
    counts |= {"fpga.0.0.tile.0.mailbox.sent_flits": 600, "fpga.0.0.link.east.items_sent": 30}
    board = {"kind": "fpga", "name": "fpga.0.0", "role": "overlay", "table": 0}
    cluster = {"nodes": [board], "roles": {"overlay": [{"line_bytes": 32}]}}
    (tmp_path / "cluster.json").write_text(json.dumps(cluster))
    made = record.RunRecord(tmp_path, {"simulated_seconds": 10.0, "phases": phases}, {}, counts)
    metrics = counters.measure(made)
    assert metrics is not None
    assert metrics.seconds == 2.0
    assert metrics.cpu_utilisation == pytest.approx(1.0)
    assert metrics.noc_rate == pytest.approx(600 * 16 / 3)
    assert metrics.link_rate == pytest.approx(30 * 8 / 3)
