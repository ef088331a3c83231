# SPDX-License-Identifier: Apache-2.0
"""Covers: what rtl_engine.cc says, of engines by their own ports, with and without block checks, with several seeds.

Tests polyloom_collective_engine with all that is in it. Leaves out: the shell and the node top (swap tests with the
model).
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from polyloom.base import paths
from polyloom.rtl import filelist
from polyloom.rtl.testing import Program, Verilated
from polyloom.testing import daily

TESTS = Path(__file__).resolve().parent
FILES = filelist.read(paths.home() / "roles/collective/rtl/collective.f").with_sources(TESTS / "rtl_engine_top.sv")
SEEDS = os.environ.get("POLYLOOM_SEEDS", "1 2").split()


#: With and without checks, and seeds; daily each of both once.
RUNS = daily([(check, seed) for check in (0, 1) for seed in SEEDS], 2)


@pytest.mark.parametrize(("check", "seed"), RUNS)
def test_engines_back_to_back(check: int, seed: str) -> None:
    model = Verilated("rtl_engine_top", FILES, {"BlockCheck": check}, options=("-Wall",))
    defines = {"BLOCK_CHECK": check, "RX_BEATS": 32}
    printed = Program(model, [TESTS / "rtl_engine.cc"], defines, libraries=()).run(seed)
    print(printed)
    assert "all hold" in printed
