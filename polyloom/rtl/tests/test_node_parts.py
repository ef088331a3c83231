# SPDX-License-Identifier: Apache-2.0
"""Covers: a design with parts against the same design without, in every cycle, under random inputs and resets: ports of
each storage class, paths from inputs to outputs through two parts and back, a gated clock, instances that differ by
inputs; names of instances in messages. Leaves out: whole boards (tests/test_overlay_swap.py)."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from polyloom import paths
from polyloom.errors import UserError
from polyloom.rtl.node_build import Shape, build
from polyloom.rtl.testing.model import Model

PART = """// SPDX-License-Identifier: Apache-2.0
module widget #(parameter int unsigned Width = 70, parameter bit Gate = 1'b0) (
  input logic clk_i, input logic rst_ni,
  input logic one_i, input logic [6:0] byte_i, input logic [12:0] half_i, input logic [30:0] word_i,
  input logic [44:0] long_i, input logic [Width-1:0] wide_i, input logic [3:0] id_i,
  output logic one_o, output logic [6:0] byte_o, output logic [12:0] half_o, output logic [30:0] word_o,
  output logic [44:0] long_o, output logic [Width-1:0] wide_o
);
  logic clk, some_q;
  polyloom_clock_gate #(.Gate(Gate), .Rest(2)) i_gate (.clk_i, .rst_ni, .active_i(one_i), .clk_o(clk));
  logic [Width-1:0] sum_q;
  logic [7:0] edges_q;
  always_ff @(posedge clk or negedge rst_ni) begin
    if (!rst_ni) edges_q <= '0; else edges_q <= edges_q + 1'b1;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin sum_q <= '0; some_q <= 1'b0; end
    else begin sum_q <= sum_q + wide_i + Width'(word_i); some_q <= one_i; end
  end
  assign one_o  = one_i ^ some_q;  // from an input in the same cycle
  assign byte_o = byte_i + 7'(id_i);
  assign half_o = half_i ^ 13'(edges_q);
  assign word_o = 31'(sum_q >> 3);
  assign long_o = long_i + 45'(half_i);
  assign wide_o = sum_q ^ {Width{one_i}};
  never: assert property (@(posedge clk_i) disable iff (!rst_ni) id_i != 4'd15) else $error("id 15");
endmodule
"""

TOP = """// SPDX-License-Identifier: Apache-2.0
module chain #(parameter int unsigned Width = 70, parameter bit Gate = 1'b0) (
  input logic clk_i, input logic rst_ni, input logic one_i, input logic [6:0] byte_i, input logic [12:0] half_i,
  input logic [30:0] word_i, input logic [44:0] long_i, input logic [Width-1:0] wide_i, input logic [3:0] id_i,
  output logic one_o, output logic [2:0][6:0] byte_o, output logic [12:0] half_o, output logic [30:0] word_o,
  output logic [44:0] long_o, output logic [2:0][Width-1:0] wide_o
);
  logic [3:0] one;
  logic [3:0][12:0] half;
  logic [3:0][44:0] long;
  logic [2:0][30:0] word;
  logic [12:0] half_q;
  assign one[0] = one_i;
  assign half[0] = half_i ^ half_q;
  assign long[0] = long_i;
  always_ff @(posedge clk_i or negedge rst_ni) if (!rst_ni) half_q <= '0; else half_q <= half[3];
  for (genvar k = 0; k < 3; k++) begin : gen_widget
    widget #(.Width(Width), .Gate(Gate)) i_widget (
      .clk_i, .rst_ni, .one_i(one[k]), .byte_i, .half_i(half[k]), .word_i(k == 0 ? word_i : word[k-1]),
      .long_i(long[k]), .wide_i, .id_i(4'(k) + id_i), .one_o(one[k+1]), .byte_o(byte_o[k]), .half_o(half[k+1]),
      .word_o(word[k]), .long_o(long[k+1]), .wide_o(wide_o[k]));
  end
  assign one_o = one[3];
  assign half_o = half[3];
  assign word_o = word[2];
  assign long_o = long[3];
endmodule
"""


@pytest.fixture(scope="module")
def shape(tmp_path_factory: pytest.TempPathFactory) -> Shape:
    folder = tmp_path_factory.mktemp("chain")
    (folder / "widget.sv").write_text(PART)
    (folder / "chain.sv").write_text(TOP)
    clock = paths.home() / "blocks/clock/rtl/polyloom_clock_gate.sv"
    (folder / "chain.f").write_text(f"{clock}\nwidget.sv\nchain.sv\n")
    return Shape("chain", (folder / "chain.f",), {"Width": "83", "Gate": "1'b1"})


def test_cycles_are_those_without_parts(shape: Shape, tmp_path: Path) -> None:
    parts = Shape(shape.top, shape.files, shape.parameters, parts=("widget",))
    flat, composed = Model(build(shape, tmp_path).path), Model(build(parts, tmp_path).path)
    rng = random.Random(5)
    for model in (flat, composed):
        model.reset()
    for _ in range(4000):
        values = {name: rng.getrandbits(bits) for name, bits in flat.inputs.items() if rng.random() < 0.7}
        values["id_i"] = rng.randrange(12)
        values["one_i"] = int(rng.random() < 0.2)
        values["rst_ni"] = int(rng.random() > 0.002)
        for model in (flat, composed):
            for name, value in values.items():
                model.set(name, value)
            model.settle()
        assert {n: flat.get(n) for n in flat.outputs} == {n: composed.get(n) for n in flat.outputs}
        for model in (flat, composed):
            model.step()
    composed.set("id_i", 14)  # 15 for the second widget
    composed.set("rst_ni", 1)
    composed.settle()
    with pytest.raises(UserError, match=r"gen_widget\[1\]\.i_widget"):
        composed.step()
    for model in (flat, composed):
        model.close()


def test_a_part_that_is_not_there_is_named(shape: Shape, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="part gadget: no source of that name in the node's file lists"):
        build(Shape(shape.top, shape.files, shape.parameters, parts=("gadget",)), tmp_path)


def test_instances_with_other_parameters_are_refused(shape: Shape, tmp_path: Path) -> None:
    (tmp_path / "chain.sv").write_text(TOP.replace(".Gate(Gate)", ".Gate(!Gate)"))
    (tmp_path / "chain.f").write_text(
        f"{paths.home()}/blocks/clock/rtl/polyloom_clock_gate.sv\n-f widget.f\nchain.sv\n"
    )
    (tmp_path / "widget.f").write_text("widget.sv\n")
    (tmp_path / "widget.sv").write_text(PART)
    with pytest.raises(UserError, match="Gate is 0; a part has one value, here 1'b1"):
        build(Shape(shape.top, (tmp_path / "chain.f",), shape.parameters, parts=("widget",)), tmp_path / "cache")


def test_waves_show_all(shape: Shape, tmp_path: Path) -> None:
    parts = Shape(shape.top, shape.files, shape.parameters, trace=True, parts=("widget",))
    without = Shape(shape.top, shape.files, shape.parameters, trace=True)
    assert build(parts, tmp_path).path == build(without, tmp_path).path
