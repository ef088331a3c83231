// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_shifter: shifts of a core: a multiplication by a power of two, for which FPGAs have blocks of their own.
// How:          amount = 16 * far + near. Left: both halves of the operand times 2^near; right: times 2^(16 - near), and what is
//               above bit 16 counts. `far` moves the product by a half more. The halves' products lie beside each other, so an
//               OR joins them; each register behind the multipliers is zero unless it is a part of the result.
//                 product of 48 bits:  [47:32] upper high   [31:16] upper low | lower high   [15:0] lower low
//                 left:  the result's halves are [31:16], [15:0]; far: [15:0], 0
//                 right: they are [47:32], [31:16]; far: sign, [47:32]
// Latency:      operand and amount in stage 5, result in stage 7.
// Throughput:   a shift a cycle.
// Backpressure: none; no path from an input to an output.
// Order/loss:   in order.
// Reset:        none.
// Limits:       none.
// Cost:         about 60 LUT4, 2 MULT18 (ECP5; part of polyloom_overlay_core); multiplexers would be 220 LUT4.
// Source:       own design.   Tests: test_polyloom_overlay_shifter.py, test_polyloom_overlay_cores.py
module polyloom_overlay_shifter (
    input  logic        clk_i,
    // Stage 5
    input  logic        s5_valid_i,   // the result is wanted; else it is 0
    input  logic        s5_left_i,
    input  logic        s5_arith_i,   // to the right: with the sign
    input  logic [31:0] s5_data_i,
    input  logic [ 4:0] s5_amount_i,
    // Stages 6 and 7
    output logic        s6_ones_o,    // the result's upper half is all ones, which the user adds
    output logic [31:0] s7_result_o
);

  // ---- stage 5: the power of two ----
  logic [ 3:0] near;
  logic [16:0] power;
  assign near = s5_left_i ? s5_amount_i[3:0] : -s5_amount_i[3:0];
  always_comb begin
    power = 17'd1 << near;
    if (near == '0) power = {!s5_left_i, 15'd0, s5_left_i};
  end

  typedef struct packed {
    logic left;
    logic left_far;
    logic right;
    logic right_far;
  } way_t;

  way_t s6_way_q;
  logic [16:0] s6_power_q;
  logic [31:0] s6_data_q;
  logic s6_sign_q;
  always_ff @(posedge clk_i) begin
    s6_way_q   <= s5_valid_i ? 4'b1000 >> {!s5_left_i, s5_amount_i[4]} : '0;
    s6_power_q <= power;
    s6_data_q  <= s5_data_i;
    s6_sign_q  <= s5_arith_i && !s5_left_i && s5_data_i[31];
  end

  // ---- stage 6: the products ----
  /* verilator lint_off UNUSEDSIGNAL */  // above these are copies of signs
  logic signed [35:0] upper, lower;
  /* verilator lint_on UNUSEDSIGNAL */
  assign upper = 36'($signed({s6_sign_q, s6_sign_q, s6_data_q[31:16]})) * 36'($signed({1'b0, s6_power_q}));
  assign lower = 36'($signed({2'b00, s6_data_q[15:0]})) * 36'($signed({1'b0, s6_power_q}));

  // ---- stage 7: of either half of the result, what the four ways make of it ----
  logic [15:0] high_left_upper_q, high_left_lower_q, high_left_far_q, high_right_q;
  logic [15:0] low_left_q, low_right_upper_q, low_right_lower_q, low_right_far_q;
  always_ff @(posedge clk_i) begin
    high_left_upper_q <= s6_way_q.left ? upper[15:0] : '0;
    high_left_lower_q <= s6_way_q.left ? lower[31:16] : '0;
    high_left_far_q   <= s6_way_q.left_far ? lower[15:0] : '0;
    high_right_q      <= s6_way_q.right ? upper[31:16] : '0;
    low_left_q        <= s6_way_q.left ? lower[15:0] : '0;
    low_right_upper_q <= s6_way_q.right ? upper[15:0] : '0;
    low_right_lower_q <= s6_way_q.right ? lower[31:16] : '0;
    low_right_far_q   <= s6_way_q.right_far ? upper[31:16] : '0;
  end
  assign s6_ones_o = s6_way_q.right_far && s6_sign_q;
  assign s7_result_o = {
    high_left_upper_q | high_left_lower_q | high_left_far_q | high_right_q,
    low_left_q | low_right_upper_q | low_right_lower_q | low_right_far_q
  };

endmodule
