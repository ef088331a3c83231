// SPDX-License-Identifier: Apache-2.0
// polyloom_fp_sqrt: square root of a floating-point number, rounded to nearest even.
// How:          first, the mantissa becomes a radicand in [1, 4) with an even exponent. Then two bits of the root a
//               cycle: with root s and remainder r so far, a digit q leaves 16 r + (the next four bits) - q (8 s + q);
//               all three candidates are there at once, the largest that is not negative stays. Last, a remainder
//               that is left is the sticky bit; roots never are subnormal.
// Latency:      Width 32: 15 enabled cycles from start_i to z_o; 64: 29. z_o stands until the next result.
// Throughput:   the next start_i at the earliest 14 (28) enabled cycles after the last one.
// Backpressure: none: all stands while en_i is low. Starting earlier is an error of the user.
// Order/loss:   one at a time.
// Reset:        the cycle count; start_i is taken from the first cycle after it.
// Limits:       Width is 32 or 64. A NaN result is the one that x86-64 makes: negative, quiet, no payload.
// Cost:         535 LUT4, 127 FF; Width 64: 1167 LUT4, 248 FF (ECP5, Yosys 0.70, 2026-11; MHz: README.md).
// Source: Ercegovac and Lang, Digital Arithmetic (2004), ch. 6; own design: no 64-bit unit is in CVFPU's package.
//         Tests: test_polyloom_fp_sqrt.py
module polyloom_fp_sqrt
  import polyloom_fp_pkg::*;
#(
    parameter int unsigned Width = 32
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             en_i,
    input  logic             start_i,
    input  logic [Width-1:0] a_i,
    output logic [Width-1:0] z_o
);

  localparam int unsigned Exp = exp_bits(Width);
  localparam int unsigned Man = man_bits(Width);
  localparam int unsigned Bias = 2 ** (Exp - 1) - 1;
  localparam int unsigned Digits = (Man + 2 + 1) / 2;  // Man + 2 bits at least: leading bit, fraction, guard
  localparam int unsigned Root = 2 * Digits;
  localparam int unsigned Rem = Root + 5;  // holds 16 times a remainder of at most twice the root
  localparam logic [Width-1:0] QUIET_NAN = {{(Exp + 2) {1'b1}}, {(Man - 1) {1'b0}}};
  typedef logic signed [Exp:0] exp_t;

  // Start. A subnormal mantissa of z leading zeros has the exponent -z; Bias is odd.
  wire sub = ~|a_i[Man+:Exp];
  wire ones = &a_i[Man+:Exp];
  logic [$clog2(Man)-1:0] zeros;
  logic none;
  lzc #(
      .WIDTH(Man),
      .MODE (1'b1)
  ) i_zeros (
      .in_i(a_i[Man-1:0]),
      .cnt_o(zeros),
      .empty_o(none)
  );
  wire [Man:0] man = sub ? {a_i[Man-1:0], 1'b0} << zeros : {1'b1, a_i[Man-1:0]};
  wire exp_t a_exp = sub ? -exp_t'(zeros) : exp_t'(a_i[Man+:Exp]);
  wire exp_t exp_sum = a_exp + exp_t'(Bias);
  wire odd = exp_sum[0];

  // Digits. Behind the remainder stand those radicand bits that have not been used; zeros follow them.
  localparam int unsigned Bits = Man + 2;
  logic [$clog2(Digits+1)-1:0] todo_q;
  logic last_q, sign_q, nan_q, inf_q, zero_q;
  logic [Exp-1:0] exp_q;
  logic [Rem-5:0] rem_q;
  logic [Bits-1:0] bits_q;
  logic [Root-1:0] root_q;
  wire [Rem-1:0] next = {rem_q, bits_q[Bits-1-:4]};
  wire [Rem-1:0] take1 = Rem'({root_q, 3'b001});
  wire [Rem-1:0] take2 = Rem'({root_q, 4'b0100});
  wire [Rem-1:0] less1 = next - take1;
  wire [Rem-1:0] less2 = next - take2;
  // 24 s + 9 as 8 s + 1 and 16 s + 8, by one row of full adders before the carry chain.
  wire [Rem-1:0] not_a = ~Rem'({root_q, 3'b001});
  wire [Rem-1:0] not_b = ~Rem'({root_q, 4'b1000});
  wire [Rem-1:0] ones_row = next ^ not_a ^ not_b;
  wire [Rem-2:0] carry_row = (Rem - 1)'((next & not_a) | (next & not_b) | (not_a & not_b));
  wire [Rem-1:0] less3 = ones_row + {carry_row, 1'b1} + Rem'(1);
  logic [1:0] digit;
  logic [Rem-5:0] left;
  always_comb begin
    if (!less3[Rem-1]) {digit, left} = {2'd3, less3[Rem-5:0]};
    else if (!less2[Rem-1]) {digit, left} = {2'd2, less2[Rem-5:0]};
    else if (!less1[Rem-1]) {digit, left} = {2'd1, less1[Rem-5:0]};
    else {digit, left} = {2'd0, next[Rem-5:0]};
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      todo_q <= '0;
      last_q <= 1'b0;
    end else if (en_i) begin
      if (start_i) todo_q <= ($clog2(Digits + 1))'(Digits);
      else if (|todo_q) todo_q <= todo_q - 1'b1;
      last_q <= todo_q == 1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (en_i) begin
      if (start_i) begin
        rem_q  <= '0;
        root_q <= '0;
        bits_q <= odd ? {man, 1'b0} : {1'b0, man};
        exp_q  <= exp_sum[Exp:1];
        sign_q <= a_i[Width-1];
        nan_q  <= (ones & ~none) | (a_i[Width-1] & ~(sub & none));
        inf_q  <= ones;
        zero_q <= sub & none;
      end else begin
        rem_q  <= left;
        root_q <= {root_q[Root-3:0], digit};
        bits_q <= {bits_q[Bits-5:0], 4'b0000};
      end
    end
  end

  // Last.
  wire sticky = (|(root_q << (Man + 2))) | (|rem_q);
  wire up = root_q[Root-Man-2] & (root_q[Root-Man-1] | sticky);
  wire [Width-2:0] rounded = {exp_q, root_q[Root-2-:Man]} + (Width - 1)'(up);

  always_ff @(posedge clk_i) begin
    if (en_i && last_q) begin
      if (nan_q) z_o <= QUIET_NAN;
      else if (inf_q) z_o <= {1'b0, {Exp{1'b1}}, {Man{1'b0}}};
      else if (zero_q) z_o <= {sign_q, {(Width - 1) {1'b0}}};
      else z_o <= {1'b0, rounded};
    end
  end

  if (Width != 32 && Width != 64) begin : gen_bad_width
    $error("%m: Width must be 32 or 64");
  end

endmodule
