// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_muldiv_multiplier: integer multiplication: a word of the product, the lower or the upper one.
// How:          1 signs, 2 four partial products, 3 and 4 their sum, 5 choice; then the time that all operations of
//               polyloom_overlay_fpu take is waited for.
// Latency:      LATENCY - 4 cycles from operation to result.
// Throughput:   one operation a cycle.
// Backpressure: none.
// Order/loss:   kept.
// Reset:        nothing is in flight; data are not cleared.
// Limits:       op is one of the multiplier's.
// Cost:         see polyloom_overlay_muldiv.
// Source:       own design.
// Tests:        test_polyloom_overlay_muldiv_multiplier.py, overlay_fpu_rtl_test.cc, test_polyloom_overlay_fpu.py
module polyloom_overlay_muldiv_multiplier
  import polyloom_overlay_fpu_pkg::*;
(
    input  logic           clk_i,
    input  logic           rst_ni,
    input  logic           valid_i,
    input  muldiv_t        operation_i,
    output logic           valid_o,
    output owner_t         owner_o,
    output logic    [31:0] word_o
);

  localparam int unsigned Stages = LATENCY - 4;

  // Op 0: lower word; 1: both signed; 2: a signed; 3: none.
  logic [Stages:1] valid_q;
  owner_t [Stages:1] owner_q;
  logic [4:1] high_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= {valid_q[Stages-1:1], valid_i};
  end
  always_ff @(posedge clk_i) begin
    owner_q <= {owner_q[Stages-1:1], operation_i.owner};
    high_q  <= {high_q[3:1], operation_i.op[1:0] != 2'd0};
  end
  assign valid_o = valid_q[Stages];
  assign owner_o = owner_q[Stages];

  // Factors in two parts, x1 * 2^17 + x0, so that signed multipliers of 18 bits do.
  logic signed [17:0] x0_q, x1_q, y0_q, y1_q;
  /* verilator lint_off UNUSEDSIGNAL */  // upper bits are copies of signs
  logic signed [35:0] p00_q, p01_q, p10_q, p11_q;
  /* verilator lint_on UNUSEDSIGNAL */
  logic signed [34:0] middle_q;
  logic [63:0] outer_q, product_q;
  logic [31:0] low_q, high_word_q, word_q;
  logic a_sign, b_sign;
  assign a_sign = operation_i.a[31] && (operation_i.op[1:0] == 2'd1 || operation_i.op[1:0] == 2'd2);
  assign b_sign = operation_i.b[31] && operation_i.op[1:0] == 2'd1;

  always_ff @(posedge clk_i) begin
    x0_q <= {1'b0, operation_i.a[16:0]};
    x1_q <= {{3{a_sign}}, operation_i.a[31:17]};
    y0_q <= {1'b0, operation_i.b[16:0]};
    y1_q <= {{3{b_sign}}, operation_i.b[31:17]};
    p00_q <= x0_q * y0_q;
    p01_q <= x0_q * y1_q;
    p10_q <= x1_q * y0_q;
    p11_q <= x1_q * y1_q;
    // Everything between the outer products is their concatenation.
    middle_q <= 35'(p01_q) + 35'(p10_q);
    outer_q <= {p11_q[29:0], p00_q[33:0]};
    product_q <= {outer_q[63:17] + 47'(middle_q), outer_q[16:0]};
    // What is not asked for is zero, so that an OR chooses.
    low_q <= high_q[4] ? '0 : product_q[31:0];
    high_word_q <= high_q[4] ? product_q[63:32] : '0;
    word_q <= low_q | high_word_q;
  end
  assign word_o = word_q;

endmodule
