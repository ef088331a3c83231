# SPDX-License-Identifier: Apache-2.0
# Covers: that polyloom_overlay_link elaborates with legal sizes only. What it does as a whole is tested by
# overlay_link_swap_test.cc (ctest overlay_link_swap_test): a C++ harness, as the C++ MeshLink is the reference; its
# parts have tests of their own beside this one.
# Leaves out: everything else.
"""Sizes that the board's links refuse: ``pytest roles/overlay/tests/link``."""

from pathlib import Path

import pytest

from polyloom.base import paths
from polyloom.rtl import filelist
from polyloom.rtl.testing import elaborate

LIST = paths.home() / "roles/overlay/rtl/link/link.f"
WRAPPER = """
module top;
  import polyloom_overlay_pkg::*;
  function automatic cfg_t sizes();
    sizes = TINY;
    sizes.max_flits = {flits};
  endfunction
  logic ready;
  flit_t in;
  /* verilator lint_off PINMISSING */
  polyloom_overlay_link_unpacker #(.Cfg(sizes())) i_dut (.clk_i(1'b0), .rst_ni(1'b0), .item_valid_i(1'b0),
      .item_ready_o(ready), .item_i('0), .in_o(in), .in_room_i(1'b0), .epoch_i(1'b0));
endmodule
"""


@pytest.mark.parametrize(("flits", "legal"), [(1, True), (4, True), (5, False), (0, False)])
def test_messages_have_one_to_four_flits(tmp_path: Path, flits: int, legal: bool) -> None:
    top = tmp_path / "top.sv"
    top.write_text(WRAPPER.replace("{flits}", str(flits)))
    said = elaborate("top", filelist.read(LIST).with_sources(top))
    assert (said == "") == legal, said
    assert legal or f"Cfg.max_flits is {flits}, must be 1 to 4" in said
