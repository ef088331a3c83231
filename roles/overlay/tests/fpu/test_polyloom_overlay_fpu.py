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
from pathlib import Path

import pytest

from polyloom.base import paths
from polyloom.rtl import filelist
from polyloom.rtl.testing import Program, Verilated, elaborate
from polyloom.testing import FULL

HERE = Path(__file__).parent
LIST = HERE.parents[1] / "rtl" / "fpu" / "fpu.f"
SOURCES = [HERE / "overlay_fpu_rtl_test.cc", paths.home() / "roles/overlay/sim/isa/fp.cc"]
CASES = ("CornerPairs", "RandomOperandsUnderFullLoad", "MixedOperationsWithGaps", "CoresTakeTurns")


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("units", ["fpu", "muldiv"])
def test_fpu_responds_as_the_fast_model_to_the_cycle(units: str, case: str) -> None:
    files = filelist.read(LIST).with_sources(HERE / "overlay_fpu_tb.sv")
    model = Verilated("overlay_fpu_tb", files, {"Fpu": int(units == "fpu")})
    program = Program(model, SOURCES, {"TB_MULDIV": 1} if units == "muldiv" else {})
    printed = program.run(
        f"--gtest_filter=OverlayFpu.{case}",
        env={"ROUNDS": os.environ.get("ROUNDS", "20" if FULL else "1")},
        timeout=600,
    )
    assert "[  PASSED  ] 1 test." in printed


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
    assert "Cfg.cores is 3; it may be 1, 2 or 4" in elaborate("bad_size", filelist.read(LIST).with_sources(top))
