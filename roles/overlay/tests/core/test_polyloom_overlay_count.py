# SPDX-License-Identifier: Apache-2.0
"""Runs polyloom_overlay_count beside an adder (count_rtl_test.cc). Environment: POLYLOOM_SEED."""

from __future__ import annotations

import os
from pathlib import Path

from polyloom.rtl import filelist
from polyloom.rtl.testing import Program, Verilated

HERE = Path(__file__).resolve().parent
FILES = filelist.FileList([HERE.parents[1] / "rtl/core/polyloom_overlay_count.sv"])


def test_it_counts_as_an_adder_does() -> None:
    model = Verilated("polyloom_overlay_count", FILES, options=("-Wall",))
    printed = Program(model, [HERE / "count_rtl_test.cc"], libraries=()).run(os.environ.get("POLYLOOM_SEED", "1"))
    facts = dict(zip(printed.split()[::2], map(int, printed.split()[1::2]), strict=True))
    assert facts["counts"] > 2_000_000 and facts["clears"] > 1000 and facts["value"] > 1_500_000
