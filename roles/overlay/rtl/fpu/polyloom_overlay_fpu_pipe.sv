// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_fpu_pipe: every operation of the FPU that does not divide: one pipeline, so one latency.
// How:          prepare (1, 2), multiply and add (2 to 6), round (7, 8). Integers multiply in the same multiplier.
// Latency:      8 cycles from a granted operation to its result.
// Throughput:   one operation a cycle.
// Backpressure: none.
// Order/loss:   kept.
// Reset:        nothing is in flight; data are not cleared.
// Limits:       see polyloom_overlay_fpu_prepare.
// Cost:         see polyloom_overlay_fpu.
// Source:       own design.
// Tests:        test_polyloom_overlay_fpu_pipe.py, overlay_fpu_rtl_test.cc, test_polyloom_overlay_fpu.py
module polyloom_overlay_fpu_pipe
  import polyloom_overlay_fpu_pkg::*;
(
    input  logic              clk_i,
    input  logic              rst_ni,
    input  logic              valid_i,
    input  operation_t        operation_i,
    output logic              valid_o,
    output owner_t            owner_o,
    output logic       [31:0] word_o,
    output logic       [ 4:0] flags_o
);

  // In front of each stage, and behind the last.
  logic [9:1] valid;
  logic [9:2] valid_q;
  assign valid = {valid_q, valid_i};
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= valid[8:1];
  end
  assign valid_o = valid[9];

  logic signed [32:0] x, y;
  beside_t beside;
  logic [23:0] addend;
  logic [6:0] shift;
  normal_t normal;

  polyloom_overlay_fpu_prepare i_prepare (
      .clk_i,
      .valid_i(valid[2:1]),
      .operation_i,
      .x_o(x),
      .y_o(y),
      .beside_o(beside),
      .addend_o(addend),
      .shift_o(shift)
  );

  polyloom_overlay_fpu_sum i_sum (
      .clk_i,
      .valid_i(valid[6:2]),
      .x_i(x),
      .y_i(y),
      .beside_i(beside),
      .addend_i(addend),
      .shift_i(shift),
      .normal_o(normal)
  );

  polyloom_overlay_fpu_round i_round (
      .clk_i,
      .valid_i (valid[8:7]),
      .normal_i(normal),
      .owner_o,
      .word_o,
      .flags_o
  );

endmodule
