# SPDX-License-Identifier: Apache-2.0
"""Builds the message network with Verilator in several shapes and runs overlay_noc_test.cc and _flow_test.cc on each.

Tests polyloom_overlay_noc with all that it is made of, in every cycle: polyloom_overlay_router,
polyloom_overlay_board_router, polyloom_overlay_noc_crossbar (polyloom_overlay_noc_input, polyloom_overlay_noc_output,
polyloom_overlay_noc_arbiter, polyloom_overlay_noc_room), polyloom_overlay_noc_exit, polyloom_overlay_noc_pkg.
Covers: RTL against Noc, throughput of the RTL alone; 1x1 and 2x2 tiles, others, and routers whose clocks stop, if
POLYLOOM_TEST_FULL is set; bad sizes are refused.
Leaves out: what the fast model computes (noc_test.cc); the mailbox in RTL.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from polyloom import paths
from polyloom.rtl import filelist, tools
from polyloom.testing import FULL

HERE = Path(__file__).parent
ROOT = HERE.parents[3]
NET = ROOT / "roles" / "overlay" / "sim" / "net"
LIST = HERE.parents[1] / "rtl" / "noc" / "noc.f"
MODELS = [NET / "noc.cc", NET / "mailbox.cc", NET / "address.cc"]
JOBS = os.environ.get("POLYLOOM_RTL_JOBS") or str(os.cpu_count() or 1)
LONG = pytest.mark.skipif(not FULL, reason="minutes; POLYLOOM_TEST_FULL=1 runs it")


def _verilator(*args: str) -> subprocess.CompletedProcess[str]:
    command = [str(tools.find("verilator")), str(tools.WAIVERS), *filelist.read(LIST).verilator_args(), *args]
    return subprocess.run(command, env=tools.environment(), capture_output=True, text=True, check=False)


def _build(tiles_x: int, tiles_y: int, max_flits: int, link_flits: int, gate: int) -> Path:
    build = paths.build_dir() / "rtl-tests" / f"overlay-noc-{tiles_x}x{tiles_y}-{max_flits}-{link_flits}-{gate}"
    build.mkdir(parents=True, exist_ok=True)
    defines = f"-DTILES_X={tiles_x} -DTILES_Y={tiles_y} -DMAX_FLITS={max_flits} -DLINK_FLITS={link_flits}"
    result = _verilator(
        *("--cc", "--exe", "--build", "-j", JOBS, "-O3", "-Wall", "-Wno-UNUSEDSIGNAL", "--assert"),
        *("--Mdir", str(build), "--top-module", "overlay_noc_tb", "-o", "overlay_noc_test"),
        *(f"-GTilesX={tiles_x}", f"-GTilesY={tiles_y}", f"-GMaxFlits={max_flits}", f"-GLinkFlits={link_flits}"),
        f"-GGate=1'b{gate}",
        *(str(HERE / name) for name in ("overlay_noc_tb.sv", "overlay_noc_test.cc", "overlay_noc_flow_test.cc")),
        *(str(model) for model in MODELS),
        *tools.VERILATOR_BUILD_ARGS,
        *("-CFLAGS", f"-O2 -I{ROOT} {defines}", "-LDFLAGS", "-lgtest -lgtest_main -pthread"),
    )
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-4000:]
    return build / "overlay_noc_test"


@pytest.mark.parametrize(
    ("tiles_x", "tiles_y", "max_flits", "link_flits", "gate"),
    [
        (1, 1, 4, 16, 0),
        (2, 2, 4, 16, 0),
        pytest.param(2, 2, 4, 16, 1, marks=LONG),
        pytest.param(3, 2, 3, 7, 0, marks=LONG),
        pytest.param(2, 3, 1, 2, 0, marks=LONG),
        pytest.param(4, 4, 4, 16, 0, marks=LONG),
    ],
)
def test_rtl_equals_the_model_in_every_cycle(
    tiles_x: int, tiles_y: int, max_flits: int, link_flits: int, gate: int
) -> None:
    binary = _build(tiles_x, tiles_y, max_flits, link_flits, gate)
    run = subprocess.run([str(binary)], capture_output=True, text=True, check=False, timeout=600)
    assert run.returncode == 0, run.stdout[-6000:] + run.stderr[-2000:]


@pytest.mark.parametrize(
    ("parameters", "word"),
    [(("-GMaxFlits=5",), "MaxFlits 5"), (("-GLinkFlits=3",), "Flits 3"), (("-GTilesX=0",), "tiles")],
)
def test_bad_sizes_are_refused_at_elaboration(parameters: tuple[str, ...], word: str) -> None:
    result = _verilator("--lint-only", "--top-module", "overlay_noc_tb", *parameters, str(HERE / "overlay_noc_tb.sv"))
    assert result.returncode != 0
    assert word in result.stderr
