// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_alu: integer instructions of a core, in three of its stages.
// How:          stage 5: adder, logic, first half of the shifter; stage 6: second half, comparison; the result is ready for
//               stage 7. A left shift is a right shift of reversed operands.
// Latency:      operands in stage 5: sum in the same cycle and registered, taken in stage 6, result registered for stage 7.
// Throughput:   an instruction a cycle.
// Backpressure: none; path from the operands to s5_sum_o and from s6_zero_o's registers to s6_less_o.
// Order/loss:   in order.
// Reset:        none.
// Limits:       none.
// Cost:         about 480 LUT4 (ECP5; part of polyloom_overlay_core).
// Source:       own design.   Tests: test_polyloom_overlay_cores.py
module polyloom_overlay_alu
  import polyloom_overlay_pkg::*;
#(
    parameter bit Fp = 0  // moves of floating-point numbers
) (
    input  logic            clk_i,
    // Stage 5
    input  decoded_t        s5_i,
    input  logic     [31:0] s5_a_i,      // rs1, pc or 0
    input  logic     [31:0] s5_rs2_i,
    output logic     [31:0] s5_sum_o,
    // Stage 6
    output logic     [31:0] s6_sum_o,
    output logic            s6_taken_o,  // a branch's condition
    input  logic            s6_keep_i,   // the instruction has this result; else 0
    // Stage 7
    output logic     [31:0] s7_result_o
);

  logic [31:0] s5_b, s5_logic, s5_in, s5_half;
  logic s5_carry, s5_fill;

  assign s5_b = (s5_i.b_imm ? s5_i.imm : s5_rs2_i) ^ {32{s5_i.sub}};
  assign {s5_carry, s5_sum_o} = 33'(s5_a_i) + 33'(s5_b) + 33'(s5_i.sub);

  always_comb begin
    unique case ({
      Fp && s5_i.move, s5_i.f3[1:0]
    })
      3'b000:  s5_logic = s5_a_i ^ s5_b;
      3'b010:  s5_logic = s5_a_i | s5_b;
      3'b011:  s5_logic = s5_a_i & s5_b;
      default: s5_logic = s5_a_i;
    endcase
    if (Fp && s5_i.move && !s5_i.not_signed) begin
      s5_logic[31] = (s5_i.f3[1] && s5_a_i[31]) ^ s5_i.f3[0] ^ s5_rs2_i[31];
    end
  end

  // Bit 31 first: wires, and a few instructions of a simulator.
  function automatic logic [31:0] reversed(input logic [31:0] word);
    automatic logic [31:0] turned = {word[15:0], word[31:16]};
    turned = {8'd0, turned[31:8]} & 32'h00ff_00ff | {turned[23:0], 8'd0} & 32'hff00_ff00;
    turned = {4'd0, turned[31:4]} & 32'h0f0f_0f0f | {turned[27:0], 4'd0} & 32'hf0f0_f0f0;
    turned = {2'd0, turned[31:2]} & 32'h3333_3333 | {turned[29:0], 2'd0} & 32'hcccc_cccc;
    return {1'd0, turned[31:1]} & 32'h5555_5555 | {turned[30:0], 1'd0} & 32'haaaa_aaaa;
  endfunction

  assign s5_fill = s5_i.arith && !s5_i.left && s5_a_i[31];
  always_comb begin
    s5_in   = s5_i.left ? reversed(s5_a_i) : s5_a_i;
    s5_half = s5_in;
    if (s5_b[4]) s5_half = {{16{s5_fill}}, s5_half[31:16]};
    if (s5_b[3]) s5_half = {{8{s5_fill}}, s5_half[31:8]};
  end

  logic [31:0] s6_logic_q, s6_half_q, s6_shifted, s6_turned;
  logic [2:0] s6_shift_q, s6_f3_q;
  logic s6_fill_q, s6_left_q, s6_carry_q, s6_equal_q, s6_a_sign_q, s6_b_sign_q, s6_not_signed_q;
  logic s6_from_sum_q, s6_from_shift_q, s6_from_less_q, s6_less;

  always_ff @(posedge clk_i) begin
    s6_sum_o        <= s5_sum_o;
    s6_logic_q      <= s5_i.from_logic ? s5_logic : '0;
    s6_half_q       <= s5_half;
    s6_shift_q      <= s5_b[2:0];
    s6_fill_q       <= s5_fill;
    s6_left_q       <= s5_i.left;
    s6_carry_q      <= s5_carry;
    s6_equal_q      <= s5_a_i == s5_rs2_i;
    s6_a_sign_q     <= s5_a_i[31];
    s6_b_sign_q     <= s5_b[31];
    s6_not_signed_q <= s5_i.not_signed;
    s6_f3_q         <= s5_i.f3;
    s6_from_sum_q   <= s5_i.from_sum;
    s6_from_shift_q <= s5_i.from_shift;
    s6_from_less_q  <= s5_i.from_less;
  end

  // b was inverted: equal signs here are different ones there, and then the negative one is less.
  assign s6_less = !s6_not_signed_q && s6_a_sign_q == s6_b_sign_q ? s6_a_sign_q : !s6_carry_q;
  assign s6_taken_o = (s6_f3_q[2] ? s6_less : s6_equal_q) ^ s6_f3_q[0];

  always_comb begin
    s6_shifted = s6_half_q;
    if (s6_shift_q[2]) s6_shifted = {{4{s6_fill_q}}, s6_shifted[31:4]};
    if (s6_shift_q[1]) s6_shifted = {{2{s6_fill_q}}, s6_shifted[31:2]};
    if (s6_shift_q[0]) s6_shifted = {s6_fill_q, s6_shifted[31:1]};
    s6_turned = s6_left_q ? reversed(s6_shifted) : s6_shifted;
  end

  // Unused parts are zero, so that an OR joins them.
  logic [31:0] s7_shift_q, s7_rest_q;
  always_ff @(posedge clk_i) begin
    s7_shift_q <= s6_from_shift_q && s6_keep_i ? s6_turned : '0;
    s7_rest_q  <= ({32{s6_from_sum_q}} & s6_sum_o) | s6_logic_q | 32'(s6_from_less_q && s6_less);
    if (!s6_keep_i) s7_rest_q <= '0;
  end
  assign s7_result_o = s7_shift_q | s7_rest_q;

  logic unused;  // the rest of what the decoder says
  assign unused = ^{s5_i, s6_f3_q[1]};

endmodule
