# SPDX-License-Identifier: Apache-2.0
# Covers: signals of a test top from the ports of its instances: their bits by parameters and by the index of a loop,
#   unpacked ports, names given to ports, what is declared already; that the text has as many lines as before and that
#   slang takes it; widths that differ where no loop says how.
# Leaves out: that a model of it can be driven, which every bench of the RTL shows.
from __future__ import annotations

from pathlib import Path
from typing import Any

import pyslang
import pytest

from polyloom.base.errors import UserError
from polyloom.rtl.filelist import FileList
from polyloom.rtl.testing import tops

DUT = """
module polyloom_dut #(int unsigned Width = 4) (
    input logic clk_i, input logic [Width-1:0] value_i, output logic [2*Width-1:0] value_o,
    input logic [2:0] lane_i[Width], output logic lane_o[Width], output struct packed {logic a; logic [7:0] b;} pair_o);
  assign value_o = {value_i, value_i};
  assign pair_o = '0;
  for (genvar k = 0; k < Width; k++) assign lane_o[k] = ^lane_i[k];
endmodule
"""


def expanded(tmp_path: Path, scope: str) -> str:
    dut, top = tmp_path / "polyloom_dut.sv", tmp_path / "dut_tb.sv"
    dut.write_text(DUT)
    top.write_text(f"module dut_tb (input logic clk_i);\n{scope}\nendmodule\n")
    return tops.expanded("dut_tb", FileList([dut, top]), [top])[top]


def elaborated(text: str) -> pyslang.ast.Compilation:
    """As slang takes it, with no complaint."""
    compilation = pyslang.ast.Compilation()
    for one in (DUT, text):
        compilation.addSyntaxTree(pyslang.syntax.SyntaxTree.fromText(one))
    assert not [str(one.code) for one in compilation.getAllDiagnostics() if one.isError()]
    return compilation


def bits(compilation: pyslang.ast.Compilation, name: str) -> int:
    found: Any = compilation.getRoot().lookupName(name)
    return int(found.type.bitWidth)


def test_signals_are_as_wide_as_the_ports(tmp_path: Path) -> None:
    scope = "if (1) begin : gen_a\n  polyloom_dut #(.Width(5)) i_dut (.*);\nend"
    text = expanded(tmp_path, scope)
    assert text.count("\n") == scope.count("\n") + 3
    design = elaborated(text)
    wanted = {"value_i": 5, "value_o": 10, "lane_i": 15, "lane_o": 5, "pair_o": 9}
    assert {name: bits(design, f"dut_tb.gen_a.{name}") for name in wanted} == wanted
    assert design.getRoot().lookupName("dut_tb.gen_a.clk_i") is None, "the top has its own clock"


def test_each_index_of_a_loop_has_its_own_widths(tmp_path: Path) -> None:
    text = expanded(tmp_path, "for (genvar k = 0; k < 3; k++) begin : gen_a\n polyloom_dut #(.Width(2+k)) i (.*);\nend")
    design = elaborated(text)
    for k in range(3):
        assert bits(design, f"dut_tb.gen_a[{k}].value_o") == 2 * (2 + k)
        assert bits(design, f"dut_tb.gen_a[{k}].lane_i") == 3 * (2 + k)


def test_names_given_to_ports_and_what_is_declared_stay(tmp_path: Path) -> None:
    text = expanded(
        tmp_path,
        "if (1) begin : gen_a\n  logic [3:0] value_i;\n  assign value_i = 4'd3;\n"
        "  polyloom_dut i_dut (.value_o(both), .lane_o(odd), .*);\n"
        "  polyloom_dut i_next (.value_i(both[7:4]), .value_o(), .lane_i(), .lane_o(), .pair_o(next_pair));\nend",
    )
    design = elaborated(text)
    assert bits(design, "dut_tb.gen_a.both") == 8 and bits(design, "dut_tb.gen_a.odd") == 4
    assert text.count("value_i;") == 1 and "value_o;" not in text and "next_pair;" not in text
    inputs = [word for word in text.split(";") if "= '0" in word]
    assert len(inputs) == 1 and "lane_i" in inputs[0], "outputs and what is declared are driven by the design alone"


def test_widths_that_no_loop_tells_are_refused(tmp_path: Path) -> None:
    scope = (
        "for (genvar k = 0; k < 2; k++) begin : gen_a\n if (1) begin : gen_b\n"
        "  polyloom_dut #(.Width(2 + k)) i_dut (.*);\n end\nend"
    )
    with pytest.raises(UserError, match="value_i: its bits differ in a loop that is not the scope's own; declare it"):
        expanded(tmp_path, scope)


def test_a_top_that_is_not_there_is_named(tmp_path: Path) -> None:
    path = tmp_path / "dut_tb.sv"
    path.write_text("module other_tb; endmodule\n")
    with pytest.raises(UserError, match=r"no module dut_tb in .*dut_tb\.sv"):
        tops.expanded("dut_tb", FileList([path]), [path])
