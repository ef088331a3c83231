# SPDX-License-Identifier: Apache-2.0
"""Covers: what rtl_engine.cc says, of engines by their own ports, with and without block checks, with several seeds.

Tests polyloom_collective_engine with all that is in it. Leaves out: the shell and the node top (swap tests with the
model).
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from polyloom import paths
from polyloom.rtl import filelist
from polyloom.rtl.testing import Program, Verilated

TESTS = Path(__file__).resolve().parent
FILES = filelist.read(paths.home() / "roles/collective/rtl/collective.f").with_sources(TESTS / "rtl_engine_top.sv")
SEEDS = os.environ.get("POLYLOOM_SEEDS", "1 2").split()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("check", [0, 1], ids=["plain", "checked"])
def test_engines_back_to_back(check: int, seed: str) -> None:
    model = Verilated("rtl_engine_top", FILES, {"BlockCheck": check}, options=("-Wall",))
    defines = {"BLOCK_CHECK": check, "RX_BEATS": 32}
    printed = Program(model, [TESTS / "rtl_engine.cc"], defines, libraries=()).run(seed)
    print(printed)
    assert "all hold" in printed
