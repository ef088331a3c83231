# SPDX-License-Identifier: Apache-2.0
# Covers: what a run waited for, told from counters and mapping: instructions, one vertex, one core's threads, nothing of
# these. Leaves out: the counters themselves (tests/test_report.py), damaged records (test_damaged_records.py).
from __future__ import annotations

import json
from pathlib import Path

import pytest

from polyloom import record
from polyloom.report import bottleneck

CORE = "fpga.1.2.tile.3.core.1"
CASES = {
    "busy": ((900, 100), (880, 120), 0.1, "executed 900 instructions", "the instructions of all cores alike."),
    "one-busy": ((900, 100), (200, 800), 0.9, "issued in 90% of its cycles", "the instructions of that core."),
    "vertex": ((120, 880), (30, 970), 0.8, "the median core 30;", "the vertex hub, whose messages one thread serves"),
    "threads": ((120, 880), (30, 970), 0.2, "board 1,2 tile 3 core 1", "the threads of that core"),
    "waits": ((120, 880), (100, 900), 0.2, "12% of its cycles", "no vertex (the heaviest there is the vertex hub)"),
}


def write(folder: Path, busiest: tuple[int, int], others: tuple[int, int], share: float) -> record.RunRecord:
    """A record of 2 ms, half of it loading: cycles of the compute phase are half of all."""
    run = {"simulated_seconds": 0.002, "phases": {"load_seconds": 0.001, "compute_seconds": 0.001}}
    (folder / "run.json").write_text(json.dumps(run))
    lines = ["name,value"]
    for core, (instructions, idle) in (
        (CORE, busiest),
        ("fpga.0.0.tile.0.core.0", others),
        ("fpga.0.0.tile.0.core.1", others),
    ):
        lines += [f"{core}.instret,{instructions}", f"{core}.idle_cycles,{idle + 1000}"]
    (folder / "counters.csv").write_text("\n".join(lines) + "\n")
    mapped = {"instructions": 10.0, "heaviest_vertex": "hub", "heaviest_vertex_instructions": 10 * share}
    (folder / "mapping.json").write_text(json.dumps({"cores": {CORE: mapped}}))
    return record.read(folder)


@pytest.mark.parametrize("case", CASES)
def test_sentences(case: str, tmp_path: Path) -> None:
    busiest, others, share, first, second = CASES[case]
    text = bottleneck.sentences(write(tmp_path, busiest, others, share))
    assert first in text
    assert f"Bottleneck: {second}" in text


def test_without_mapping_or_cores(tmp_path: Path) -> None:
    run = write(tmp_path, (120, 880), (30, 970), 0.8)
    (tmp_path / "mapping.json").unlink()
    assert "Bottleneck: the threads of that core" in bottleneck.sentences(run)
    (tmp_path / "counters.csv").write_text("name,value\nhost.calls,3\n")
    assert bottleneck.sentences(record.read(tmp_path)) == ""
    assert bottleneck.measured(record.read(tmp_path)) == ""
