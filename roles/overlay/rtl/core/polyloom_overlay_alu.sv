// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_alu: integer instructions of a core, in three of its stages.
// How:          stage 5: adder, which compares too, and logic; the shifter's multipliers are in stage 6; the result is ready
//               in stage 7.
// Latency:      operands in stage 5: sum in the same cycle and registered, taken in stage 6, result registered for stage 7.
// Throughput:   an instruction a cycle.
// Backpressure: none; path from the operands to s5_sum_o.
// Order/loss:   in order.
// Reset:        none.
// Limits:       none.
// Cost:         about 180 LUT4 with its shifter, 2 MULT18 (ECP5; part of polyloom_overlay_core).
// Source:       own design.   Tests: test_polyloom_overlay_alu.py, test_polyloom_overlay_cores.py
module polyloom_overlay_alu
  import polyloom_overlay_pkg::*;
#(
    parameter bit Fp = 0  // moves of floating-point numbers
) (
    input  logic            clk_i,
    // Stage 5
    input  decoded_t        s5_i,
    input  logic     [31:0] s5_a_i,         // rs1, pc or 0
    input  logic     [31:0] s5_b_i,         // rs2 or the immediate; inverted if it is subtracted, as in comparisons
    input  logic            s5_sign_i,      // of rs2
    input  logic            s5_bad_i,       // a branch whose target is not a word's
    input  logic            s5_own_i,       // the instruction has this result; else it is 0
    output logic     [31:0] s5_sum_o,
    // Stage 6
    output logic     [31:0] s6_sum_o,
    output logic            s6_bad_o,       // such a branch, and taken
    output logic            s6_accepted_o,  // a branch's condition
    // Stage 7
    output logic     [31:0] s7_result_o
);

  logic [31:0] s5_logic;
  logic s5_less, s5_equal;
  assign s5_equal = s5_a_i == ~s5_b_i;

  // One bit more, of operands extended with their signs or with zeros, tells which is less; b is inverted then.
  assign {s5_less, s5_sum_o} = {s5_a_i[31] && !s5_i.not_signed, s5_a_i} + {s5_b_i[31] || s5_i.not_signed, s5_b_i} + 33'(s5_i.sub);

  always_comb begin
    unique case ({
      Fp && s5_i.move, s5_i.f3[1:0]
    })
      3'b000:  s5_logic = s5_a_i ^ s5_b_i;
      3'b010:  s5_logic = s5_a_i | s5_b_i;
      3'b011:  s5_logic = s5_a_i & s5_b_i;
      default: s5_logic = s5_a_i;
    endcase
    if (Fp && s5_i.move && !s5_i.not_signed) begin
      s5_logic[31] = (s5_i.f3[1] && s5_a_i[31]) ^ s5_i.f3[0] ^ s5_sign_i;
    end
  end

  // ---- stage 6; what is no part of the result is zero, so that an OR joins the parts ----
  logic [31:0] s6_logic_q;
  logic s6_from_sum_q, s6_result_less_q, s6_less_q, s6_equal_q, s6_by_less_q, s6_not_q, s6_bad_equal_q, s6_bad_less_q;

  always_ff @(posedge clk_i) begin
    s6_sum_o         <= s5_sum_o;
    s6_logic_q       <= s5_own_i && s5_i.from_logic ? s5_logic : '0;
    s6_from_sum_q    <= s5_own_i && s5_i.from_sum;
    s6_result_less_q <= s5_own_i && s5_i.from_less && s5_less;
    s6_less_q        <= s5_less;
    s6_equal_q       <= s5_equal;
    s6_bad_equal_q   <= s5_bad_i && !s5_i.f3[2] && (s5_equal ^ s5_i.f3[0]);
    s6_bad_less_q    <= s5_bad_i && s5_i.f3[2];
    s6_by_less_q     <= s5_i.f3[2];
    s6_not_q         <= s5_i.f3[0];
  end
  assign s6_bad_o = s6_bad_equal_q || (s6_bad_less_q && (s6_less_q ^ s6_not_q));  // faults are told early
  assign s6_accepted_o = (s6_by_less_q ? s6_less_q : s6_equal_q) ^ s6_not_q;

  // ---- stage 7 ----
  logic s6_ones;
  logic [31:0] s7_shifted, s7_rest_q;
  always_ff @(posedge clk_i)
    s7_rest_q <= ({32{s6_from_sum_q}} & s6_sum_o) | s6_logic_q | {{16{s6_ones}}, 15'd0, s6_result_less_q};

  polyloom_overlay_shifter i_shifter (
      .clk_i,
      .s5_valid_i (s5_own_i && s5_i.from_shift),
      .s5_left_i  (s5_i.left),
      .s5_arith_i (s5_i.arith),
      .s5_data_i  (s5_a_i),
      .s5_amount_i(s5_b_i[4:0]),
      .s6_ones_o  (s6_ones),
      .s7_result_o(s7_shifted)
  );
  assign s7_result_o = s7_shifted | s7_rest_q;

  logic unused;  // the rest of what the decoder says
  assign unused = ^s5_i;

endmodule
