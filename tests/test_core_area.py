# SPDX-License-Identifier: Apache-2.0
"""Covers: how bench/core-area counts our core's instructions a cycle, and that every figure of the committed result is
the product of its measured parts. Leaves out: synthesis and simulation of the cores (the benchmark itself).
"""

from __future__ import annotations

import importlib.util
import json
import sys

import pytest

from polyloom.base import paths

spec = importlib.util.spec_from_file_location("core_area_bench", paths.home() / "bench" / "core-area" / "bench.py")
assert spec is not None and spec.loader is not None
core_area = importlib.util.module_from_spec(spec)
sys.modules[spec.name] = core_area
spec.loader.exec_module(core_area)

#: 1,000 instructions: 1 thread takes 8,000 cycles, 8 take 8,000 each, 16 take 16,000, and 64 on four cores 20,000.
REPORTS = [
    [thread, 100 + thread, 100 + thread + cycles, 0xAB]
    for threads, cycles in ((1, 8000), (8, 8000), (16, 16000), (64, 20000))
    for thread in range(threads)
]


def test_a_core_has_the_sum_of_its_threads_rates() -> None:
    found = core_area.rates(REPORTS, 1000, "000000ab")
    assert found == pytest.approx({"threads_1": 0.125, "threads_8": 1.0, "threads_16": 1.0, "tile": 0.8})


def test_what_is_no_measurement_is_refused() -> None:
    with pytest.raises(SystemExit, match="thread 3 has 000000ac, not 000000ab"):
        core_area.rates([[*r[:3], 0xAC] if i == 4 else r for i, r in enumerate(REPORTS)], 1000, "000000ab")
    with pytest.raises(SystemExit, match="threads_8: a thread counted while another did not run"):
        late = [[r[0], r[1] + 9000, r[2] + 9000, r[3]] if i == 4 else r for i, r in enumerate(REPORTS)]
        core_area.rates(late, 1000, "000000ab")
    with pytest.raises(SystemExit, match="threads_16: reports of other threads"):
        core_area.rates([[99, *r[1:]] if i == 9 else r for i, r in enumerate(REPORTS)], 1000, "000000ab")


def test_the_committed_figures_are_products_of_what_was_measured() -> None:
    result = json.loads((paths.home() / "bench" / "results" / "core-area.json").read_text())
    figures = result["figures"]
    assert 0 < figures["ours_ipc"]["tile"] < figures["ours_ipc"]["threads_16"] <= 1
    for name, core in figures["cores"].items():
        ipc = figures["ipc"][name]["ipc"] if name in figures["ipc"] else figures["ours_ipc"]["tile"]
        assert core["mips_per_klut4"] == pytest.approx(core["mhz"] * ipc / core["lut4"] * 1000), name
        assert core["commit"], name
    for target in result["targets"]:
        assert target["holds"] == (target["ours"] >= float(target["target"].removeprefix("at least ")))
