# SPDX-License-Identifier: Apache-2.0
"""Builds the overlay's FPU into one Verilated program and runs overlay_fpu_rtl_test.cc: RTL against the fast model.

Tests polyloom_overlay_fpu with its parts polyloom_overlay_fpu_queue, polyloom_overlay_fpu_pipe,
polyloom_overlay_fpu_prepare, polyloom_overlay_fpu_sum, polyloom_overlay_fpu_round and polyloom_overlay_fpu_divider;
and, without floating point, polyloom_overlay_muldiv with polyloom_overlay_muldiv_queue,
polyloom_overlay_muldiv_multiplier and polyloom_overlay_muldiv_divider.
Covers: what overlay_fpu_rtl_test.cc says; sizes that do not exist. Environment: ROUNDS=n for a longer run,
POLYLOOM_TEST_FULL=1 for 20 rounds. Leaves out: synthesis.
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
LIST = HERE.parents[1] / "rtl" / "fpu" / "fpu.f"
CASES = ("CornerPairs", "RandomOperandsUnderFullLoad", "MixedOperationsWithGaps", "CoresTakeTurns")


def _verilator(*args: str) -> subprocess.CompletedProcess[str]:
    command = [str(tools.find("verilator")), str(tools.WAIVERS), *filelist.read(LIST).verilator_args(), *args]
    return subprocess.run(command, env=tools.environment(), capture_output=True, text=True, check=False)


@pytest.fixture(scope="module", params=["fpu", "muldiv"])
def program(request: pytest.FixtureRequest) -> Path:
    build = paths.build_dir() / "rtl-tests" / f"overlay_{request.param}"
    build.mkdir(parents=True, exist_ok=True)
    result = _verilator(
        *("--cc", "--exe", "--build", "-j", "1", "-O3", "--x-initial", "unique", "--assert"),
        f"-GFpu={int(request.param == 'fpu')}",
        *("--Mdir", str(build), "--top-module", "overlay_fpu_tb", "-o", "overlay_fpu_rtl_test"),
        *(str(HERE / "overlay_fpu_tb.sv"), str(HERE / "overlay_fpu_rtl_test.cc")),
        str(ROOT / "roles/overlay/sim/isa/fp.cc"),
        *tools.VERILATOR_BUILD_ARGS,
        *("-CFLAGS", f"-O1 -ffp-contract=off -I{ROOT} {'' if request.param == 'fpu' else '-DTB_MULDIV'}"),
        *("-LDFLAGS", "-lgtest -lgtest_main -pthread"),
    )
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-4000:]
    return build / "overlay_fpu_rtl_test"


@pytest.mark.parametrize("case", CASES)
def test_fpu_answers_as_the_fast_model_to_the_cycle(program: Path, case: str) -> None:
    environment = {"ROUNDS": "20" if FULL else "1"} | os.environ
    command = [str(program), f"--gtest_filter=OverlayFpu.{case}"]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=600)
    assert run.returncode == 0, run.stdout[-4000:] + run.stderr[-2000:]
    assert "[  PASSED  ] 1 test." in run.stdout


def test_a_size_that_does_not_exist_is_refused_at_elaboration(tmp_path: Path) -> None:
    top = tmp_path / "bad_size.sv"
    top.write_text(
        """
module bad_size import polyloom_overlay_pkg::*; (input logic clk_i);
  function automatic cfg_t three();
    cfg_t cfg;
    cfg = TINY;
    cfg.cores = 3;
    return cfg;
  endfunction
  logic [2:0] rsp, div;
  rsp_t rsp_data, div_data;
  polyloom_overlay_fpu #(.Cfg(three())) i_fpu (.clk_i, .rst_ni(1'b1), .req_valid_i('0), .req_i('0),
      .rsp_valid_o(rsp), .rsp_o(rsp_data), .div_valid_o(div), .div_o(div_data));
endmodule
"""
    )
    result = _verilator("--lint-only", "--top-module", "bad_size", str(top))
    assert result.returncode != 0
    assert "Cfg.cores is 3; it may be 1, 2 or 4" in result.stderr
