// SPDX-License-Identifier: Apache-2.0
// polyloom_fp_add: sum or difference of two floating-point numbers, rounded to nearest even.
// How:          1 the operand of larger magnitude becomes x, the exponents' difference is taken;
//               2 the other one moves right by it (what falls out is ORed into the last bit), then sum or difference;
//               3 two ways side by side. Far: the sum moves by one place at most, and is rounded; the fraction carries
//               into the exponent, so it becomes infinity or the smallest normal number by itself. Near: many leading
//               digits cancelled, which happens only if y moved by one place at most, so nothing was lost: the sum
//               moves left by its leading zeros and needs no rounding.
//               Deep puts a register behind the move to the right and one behind the count of leading zeros.
// Latency:      3 enabled cycles; Deep: 5.
// Throughput:   one a enabled cycle.
// Backpressure: none: all stages stand while en_i is low.
// Order/loss:   kept.
// Reset:        none; data only (rst_ni is there because every unit has it).
// Limits:       Width is 32 or 64. A NaN result is the one that x86-64 makes: negative, quiet, no payload.
// Cost:         851 LUT4, 168 FF, Deep 869 LUT4, 279 FF; Width 64: 1946 LUT4, 325 FF (ECP5, Yosys 0.70, 2026-11; MHz:
//               README.md).
// Source: IEEE 754-2019; own design: CVFPU's adder is its fused multiplier (README.md).   Tests: test_polyloom_fp_add.py
module polyloom_fp_add
  import polyloom_fp_pkg::*;
#(
    parameter int unsigned Width = 32,
    parameter bit Deep = 1'b0  // more stages, for a higher clock
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             en_i,
    input  logic             sub_i,   // a - b
    input  logic [Width-1:0] a_i,
    input  logic [Width-1:0] b_i,
    output logic [Width-1:0] z_o
);

  localparam int unsigned Exp = exp_bits(Width);
  localparam int unsigned Man = man_bits(Width);
  localparam int unsigned Sum = Man + 5;  // carry, leading bit, fraction, guard, round, sticky
  localparam int unsigned Cnt = $clog2(Sum);
  localparam logic [Width-1:0] QUIET_NAN = {{(Exp + 2) {1'b1}}, {(Man - 1) {1'b0}}};

  logic unused;
  assign unused = rst_ni;

  // Stage 1. Subnormal numbers have the exponent of the smallest normal one, without its leading bit.
  wire [Exp-1:0] a_exp = a_i[Man+:Exp] | Exp'(~|a_i[Man+:Exp]);
  wire [Exp-1:0] b_exp = b_i[Man+:Exp] | Exp'(~|b_i[Man+:Exp]);
  wire [Man:0] a_man = {|a_i[Man+:Exp], a_i[Man-1:0]};
  wire [Man:0] b_man = {|b_i[Man+:Exp], b_i[Man-1:0]};
  wire a_ones = &a_i[Man+:Exp];
  wire b_ones = &b_i[Man+:Exp];
  wire b_sign = b_i[Width-1] ^ sub_i;
  wire differ = a_i[Width-1] ^ b_sign;
  wire swap = b_i[Width-2:0] > a_i[Width-2:0];
  wire [Exp-1:0] a_more = a_exp - b_exp;
  wire [Exp-1:0] b_more = b_exp - a_exp;

  logic sign1_q, sub1_q, nan1_q, inf1_q;
  logic [Exp-1:0] exp1_q, more1_q;
  logic [Man:0] x1_q, y1_q;

  // Stage 2. Moved past the sticky bit, everything is sticky.
  logic [Sum-2:0] y, moved, lost;
  always_comb begin
    y = {y1_q, 3'b000};
    moved = y >> more1_q;
    lost = y & ~({(Sum - 1) {1'b1}} << more1_q);
    moved[0] |= |lost;
  end
  logic sign1, sub1, nan1, inf1;  // beside what was moved
  logic [Exp-1:0] exp1;
  logic [  Man:0] x1;
  logic [Sum-2:0] y1;
  if (Deep) begin : gen_deep_move
    always_ff @(posedge clk_i) begin
      if (en_i) {sign1, sub1, nan1, inf1, exp1, x1, y1} <= {sign1_q, sub1_q, nan1_q, inf1_q, exp1_q, x1_q, moved};
    end
  end else begin : gen_move
    assign {sign1, sub1, nan1, inf1, exp1, x1, y1} = {sign1_q, sub1_q, nan1_q, inf1_q, exp1_q, x1_q, moved};
  end
  logic sign2_q, sub2_q, nan2_q, inf2_q;
  logic [Exp-1:0] exp2_q;
  logic [Sum-1:0] sum2_q;

  // Stage 3. Which bit leads, counting from the carry: a marked bit stops it at the exponent of subnormal numbers.
  logic [Sum-1:0] mark2_q;
  wire [Sum-1:0] marked = sum2_q | mark2_q;
  logic [Cnt-1:0] zeros;
  logic none_unused;
  lzc #(
      .WIDTH(Sum),
      .MODE (1'b1)
  ) i_zeros (
      .in_i(marked),
      .cnt_o(zeros),
      .empty_o(none_unused)
  );
  logic sign2, sub2, nan2, inf2;  // beside the count
  logic [Exp-1:0] exp2;
  logic [Sum-1:0] sum2;
  logic [Cnt-1:0] left;
  logic [2:0] lead;
  if (Deep) begin : gen_deep_zeros
    always_ff @(posedge clk_i) begin
      if (en_i) {sign2, sub2, nan2, inf2, exp2, sum2} <= {sign2_q, sub2_q, nan2_q, inf2_q, exp2_q, sum2_q};
      if (en_i) {left, lead} <= {zeros, marked[Sum-1-:3]};
    end
  end else begin : gen_zeros
    assign {sign2, sub2, nan2, inf2, exp2, sum2} = {sign2_q, sub2_q, nan2_q, inf2_q, exp2_q, sum2_q};
    assign {left, lead} = {zeros, marked[Sum-1-:3]};
  end
  wire far = |lead;
  // Near: exact. A sum of zero has no leading bit wherever it is moved, so its exponent becomes 0.
  wire [Man:0] near = (Man + 1)'((sum2 << left) >> 4);
  wire [Exp-1:0] near_exp = near[Man] ? exp2 + Exp'(1) - Exp'(left) : '0;
  // Far: one of three places, and rounding.
  logic [Sum-1:0] norm;
  logic [Exp-1:0] norm_exp;
  always_comb begin
    {norm, norm_exp} = {sum2[Sum-3:0], 2'b00, exp2 - Exp'(1)};
    if (lead[1]) {norm, norm_exp} = {sum2[Sum-2:0], 1'b0, exp2};
    if (lead[2]) {norm, norm_exp} = {sum2, exp2 + Exp'(1)};
  end
  wire [Exp-1:0] far_exp = norm[Sum-1] ? norm_exp : '0;
  wire up = norm[3] & (norm[4] | (|norm[2:0]));
  wire [Width-2:0] rounded = {far_exp, norm[Sum-2:4]} + (Width - 1)'(up);
  wire sign3 = sign2 & ~(sub2 & ~|sum2);

  always_ff @(posedge clk_i) begin
    if (en_i) begin
      sign1_q <= swap ? b_sign : a_i[Width-1];
      sub1_q  <= differ;
      nan1_q  <= (a_ones & (|a_i[Man-1:0])) | (b_ones & (|b_i[Man-1:0])) | (a_ones & b_ones & differ);
      inf1_q  <= a_ones | b_ones;
      exp1_q  <= swap ? b_exp : a_exp;
      more1_q <= swap ? b_more : a_more;
      x1_q    <= swap ? b_man : a_man;
      y1_q    <= swap ? a_man : b_man;

      sign2_q <= sign1;
      sub2_q  <= sub1;
      nan2_q  <= nan1;
      inf2_q  <= inf1;
      exp2_q  <= exp1;
      mark2_q <= {1'b1, {(Sum - 1) {1'b0}}} >> exp1;
      sum2_q  <= {1'b0, x1, 3'b000} + (sub1 ? ~{1'b0, y1} : {1'b0, y1}) + Sum'(sub1);

      if (nan2) z_o <= QUIET_NAN;
      else if (inf2 | (far & (&far_exp))) z_o <= {sign2, {Exp{1'b1}}, {Man{1'b0}}};
      else z_o <= {sign3, far ? rounded : {near_exp, near[Man-1:0]}};
    end
  end

  if (Width != 32 && Width != 64) begin : gen_bad_width
    $error("%m: Width must be 32 or 64");
  end

endmodule
