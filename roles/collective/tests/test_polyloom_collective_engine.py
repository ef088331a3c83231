# SPDX-License-Identifier: Apache-2.0
"""Covers: what rtl_engine.cc says, of engines by their own ports, with and without block checks, with several seeds.

Tests polyloom_collective_engine with all that is in it. Leaves out: the shell and the node top (swap tests with the
model).
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from polyloom import paths
from polyloom.rtl import filelist, tools

ROOT = Path(__file__).resolve().parents[3]
TESTS = Path(__file__).resolve().parent
SEEDS = [int(s) for s in os.environ.get("POLYLOOM_SEEDS", "1 2").split()]


@pytest.fixture(scope="module", params=[0, 1], ids=["plain", "checked"])
def binary(request: pytest.FixtureRequest) -> Path:
    """The harness for one setting of BlockCheck."""
    build = paths.build_dir() / "rtl-tests" / f"rtl_engine-{request.param}"
    build.mkdir(parents=True, exist_ok=True)
    sources = filelist.read(ROOT / "roles/collective/rtl/collective.f")
    command = [
        str(tools.find("verilator")),
        *["--cc", "--exe", "--build", "-j", "2", "-O3", "-Wall", f"-GBlockCheck={request.param}"],
        *["--top-module", "rtl_engine_top", "-Mdir", str(build), "-o", "rtl_engine"],
        *["-CFLAGS", f"-O1 -I{ROOT} -DBLOCK_CHECK={request.param} -DRX_BEATS=32"],
        *tools.VERILATOR_BUILD_ARGS,
        str(tools.WAIVERS),
        *sources.verilator_args(),
        str(TESTS / "rtl_engine_top.sv"),
        str(TESTS / "rtl_engine.cc"),
    ]
    result = subprocess.run(command, capture_output=True, text=True, check=False, env=tools.environment())
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-4000:]
    return build / "rtl_engine"


@pytest.mark.parametrize("seed", SEEDS)
def test_engines_back_to_back(binary: Path, seed: int) -> None:
    result = subprocess.run([binary, str(seed)], capture_output=True, text=True, check=False, timeout=300)
    print(result.stdout)
    assert result.returncode == 0 and "all hold" in result.stdout, result.stdout[-2000:] + result.stderr
