# SPDX-License-Identifier: Apache-2.0
# Covers: what a run waited for, told from counters and mapping: instructions, one vertex, one core's threads, nothing of
# these. Leaves out: the counters themselves (tests/test_report.py), damaged records (test_damaged_records.py).
from __future__ import annotations

import json
from pathlib import Path

import pytest

from polyloom.base import record
from polyloom.report import bottleneck

CORE = "fpga.1.2.tile.3.core.1"
#: Instructions and idle cycles of the busiest core and of two others; of ten foretold instructions there, those of the
#: busiest thread and of the heaviest vertex; what is said.
CASES = {
    "busy": ((900, 100), (880, 120), (2, 1), "executed 900 instructions", "the instructions of all cores alike."),
    "one-busy": ((900, 100), (200, 800), (2, 1), "issued in 90% of its cycles", "the instructions of that core."),
    "vertex": ((120, 880), (30, 970), (9, 8), "the median core 30;", "the vertex hub on one thread, which issues"),
    "vertices": ((120, 880), (100, 900), (9, 4), "board 1,2 tile 3 core 1", "what stands on one thread, which issues"),
    "waits": ((120, 880), (30, 970), (6, 6), "12% of its cycles", "neither a core nor a thread, but the ways of"),
}


def write(
    folder: Path, busiest: tuple[int, int], others: tuple[int, int], foretold: tuple[int, int]
) -> record.RunRecord:
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
    thread, vertex = foretold
    mapped = {
        "instructions": 10.0,
        "busiest_thread_instructions": thread,
        "heaviest_vertex": "hub",
        "heaviest_vertex_instructions": vertex,
    }
    (folder / "mapping.json").write_text(json.dumps({"cores": {CORE: mapped}}))
    return record.read(folder)


@pytest.mark.parametrize("case", CASES)
def test_sentences(case: str, tmp_path: Path) -> None:
    busiest, others, foretold, first, second = CASES[case]
    text = bottleneck.sentences(write(tmp_path, busiest, others, foretold))
    assert first in text
    assert f"Bottleneck: {second}" in text


def test_the_busiest_thread_may_be_of_another_core(tmp_path: Path) -> None:
    write(tmp_path, (220, 780), (200, 800), (2, 1))
    mapping = json.loads((tmp_path / "mapping.json").read_text())
    other = {"instructions": 10.0, "busiest_thread_instructions": 9, "heaviest_vertex_instructions": 9}
    mapping["cores"]["fpga.0.0.tile.0.core.1"] = other | {"heaviest_vertex": "far"}
    (tmp_path / "mapping.json").write_text(json.dumps(mapping))
    text = bottleneck.sentences(record.read(tmp_path))
    assert "executed 220 instructions" in text
    assert "Bottleneck: the vertex far on one thread" in text


def test_without_mapping_or_cores(tmp_path: Path) -> None:
    run = write(tmp_path, (120, 880), (30, 970), (9, 8))
    (tmp_path / "mapping.json").unlink()
    assert "Bottleneck: neither a core nor a thread" in bottleneck.sentences(run)
    (tmp_path / "counters.csv").write_text("name,value\nhost.calls,3\n")
    assert bottleneck.sentences(record.read(tmp_path)) == ""
    assert bottleneck.measured(record.read(tmp_path)) == ""
