// SPDX-License-Identifier: Apache-2.0
// polyloom_op_tree: joins one element of each input that is there to one, in an order that depends on nothing else
// than the inputs' numbers.
// How:          balanced binary tree over input numbers, (0,1) (2,3) ..., then those results in pairs, and so on;
//               a value without a partner passes unchanged. So all nodes that put the same ranks on the same inputs get
//               the same bits. At its end a scaling for averages.
//                 0 -.
//                    join -.
//                 1 -'     |
//                 2 -.     join -- scale --> z
//                    join -'
//                 3 -'
// Latency:      4 * ceil(log2(Inputs)) + 5 cycles.
// Throughput:   one element of each input a cycle.
// Backpressure: none: the pipeline runs on; what feeds it reserves space behind it.
// Order/loss:   kept.
// Reset:        none; data only.
// Limits:       1 <= Inputs <= 64.
// Cost:         8 inputs: 6,279 LUT, 6 DSP with 7 joins and a scaling
//               (UltraScale+; in `polyloom synth collective_reduce`, Yosys 0.70, 2026-11).
// Source: own design, after OPTWEB section 3 (averaging circuit).   Tests: test_polyloom_op_tree.py
module polyloom_op_tree
  import polyloom_operator_pkg::*;
#(
    parameter int unsigned Inputs = 8,
    parameter int unsigned Shift  = 41  // scale of the reciprocal
) (
    input  logic                         clk_i,
    input  function_e                    function_i,    // static while data are in flight
    input  element_e                     type_i,
    input  logic      [      31:0]       factor_i,      // average of fp32
    input  logic      [   Shift:0]       reciprocal_i,  // average of integers
    input  logic      [Inputs-1:0]       there_i,
    input  logic      [Inputs-1:0][31:0] x_i,
    output logic      [      31:0]       z_o
);

  localparam int unsigned Levels = (Inputs > 1) ? $clog2(Inputs) : 0;
  localparam int unsigned Leaves = 1 << Levels;
  localparam int unsigned Width = (Inputs > 2) ? 32 + Levels : 33;

  // Node k of level l is at [l][k]; level 0 is the inputs.
  logic [Levels:0][Leaves-1:0] there;
  logic [Levels:0][Leaves-1:0][Width-1:0] x;

  always_comb begin
    there[0] = '0;
    x[0] = '0;
    for (int unsigned i = 0; i < Inputs; i++) begin
      there[0][i] = there_i[i];
      x[0][i] = {{(Width - 32) {(type_i == TYPE_INT32) & x_i[i][31]}}, x_i[i]};
    end
  end

  for (genvar l = 0; l < Levels; l++) begin : gen_level
    localparam int unsigned Nodes = (Inputs + (2 << l) - 1) >> (l + 1);
    logic [3:0][Leaves-1:0] there_q;  // as long as a join takes
    logic [Leaves-1:0] there_d;
    for (genvar k = 0; k < Leaves; k++) begin : gen_node
      if (k < Nodes) begin : gen_join
        assign there_d[k] = there[l][2*k] | there[l][2*k+1];
        polyloom_op_join2 #(
            .Width(Width)
        ) i_join (
            .clk_i,
            .function_i,
            .type_i,
            .a_there_i(there[l][2*k]),
            .a_i      (x[l][2*k]),
            .b_there_i(there[l][2*k+1]),
            .b_i      (x[l][2*k+1]),
            .z_o      (x[l+1][k])
        );
      end else begin : gen_none
        assign there_d[k] = 1'b0;
        assign x[l+1][k]  = '0;
      end
    end
    always_ff @(posedge clk_i) there_q <= {there_q[2:0], there_d};
    assign there[l+1] = there_q[3];
  end

  wire unused_there = ^there[Levels];

  polyloom_op_scale #(
      .Width(Width),
      .Shift(Shift)
  ) i_scale (
      .clk_i,
      .enable_i(function_i == FN_AVERAGE),
      .type_i,
      .factor_i,
      .reciprocal_i,
      .x_i     (x[Levels][0]),
      .z_o
  );

  if (Inputs < 1 || Inputs > 64) begin : gen_bad_inputs
    $error("%m: Inputs must be 1 to 64");
  end

endmodule
