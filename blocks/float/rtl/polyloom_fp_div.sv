// SPDX-License-Identifier: Apache-2.0
// polyloom_fp_div: quotient of two floating-point numbers, rounded to nearest even.
// How:          first, subnormal mantissas move left to their leading bit. Then a digit of radix 4 a cycle: the
//               remainder less one, two and three times the divisor, at once; the largest that is not negative stays,
//               and its multiple is the digit. The first digit is 0 or 1 (both mantissas lie in [1, 2)), which gives
//               the time to add up the triple. Last, a quotient below 1 moves left by one place, one below the
//               smallest normal number right; a remainder that is left is the sticky bit.
// Latency:      Width 32: 16 enabled cycles from start_i to z_o; 64: 30. z_o stands until the next result.
// Throughput:   the next start_i at the earliest 15 (29) enabled cycles after the last one.
// Backpressure: none: all stands while en_i is low. Starting earlier is an error of the user.
// Order/loss:   one at a time.
// Reset:        the cycle count; start_i is taken from the first cycle after it.
// Limits:       Width is 32 or 64. A NaN result is the one that x86-64 makes: negative, quiet, no payload.
// Cost:         966 LUT4, 202 FF; Width 64: 2127 LUT4, 366 FF (ECP5, Yosys 0.70, 2026-11; MHz: README.md).
// Source: Ercegovac and Lang, Digital Arithmetic (2004), ch. 5; own design: no 64-bit divider is in CVFPU's package.
//         Tests: test_polyloom_fp_div.py
module polyloom_fp_div
  import polyloom_fp_pkg::*;
#(
    parameter int unsigned Width = 32
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             en_i,
    input  logic             start_i,
    input  logic [Width-1:0] a_i,
    input  logic [Width-1:0] b_i,
    output logic [Width-1:0] z_o
);

  localparam int unsigned Exp = exp_bits(Width);
  localparam int unsigned Man = man_bits(Width);
  localparam int unsigned Bias = 2 ** (Exp - 1) - 1;
  localparam int unsigned Digits = (Man + 2 + 1) / 2 + 1;  // the unit digit, then Man + 2 bits below it at least
  localparam int unsigned Quot = 2 * Digits - 1;  // bits of the quotient, one of them before its point
  localparam int unsigned Rem = Man + 4;
  localparam int unsigned Keep = Man + 3;  // leading bit, fraction, guard, sticky
  localparam int unsigned Cnt = $clog2(Keep + 1);
  localparam logic [Width-1:0] QUIET_NAN = {{(Exp + 2) {1'b1}}, {(Man - 1) {1'b0}}};
  typedef logic signed [Exp+1:0] exp_t;

  // Start. A subnormal mantissa of z leading zeros has the exponent -z.
  wire a_sub = ~|a_i[Man+:Exp];
  wire b_sub = ~|b_i[Man+:Exp];
  wire a_ones = &a_i[Man+:Exp];
  wire b_ones = &b_i[Man+:Exp];
  logic [$clog2(Man)-1:0] a_zeros, b_zeros;
  logic a_none, b_none;
  lzc #(
      .WIDTH(Man),
      .MODE (1'b1)
  ) i_a_zeros (
      .in_i(a_i[Man-1:0]),
      .cnt_o(a_zeros),
      .empty_o(a_none)
  );
  lzc #(
      .WIDTH(Man),
      .MODE (1'b1)
  ) i_b_zeros (
      .in_i(b_i[Man-1:0]),
      .cnt_o(b_zeros),
      .empty_o(b_none)
  );
  wire a_zero = a_sub & a_none;
  wire b_zero = b_sub & b_none;
  wire [Man:0] a_man = a_sub ? {a_i[Man-1:0], 1'b0} << a_zeros : {1'b1, a_i[Man-1:0]};
  wire [Man:0] b_man = b_sub ? {b_i[Man-1:0], 1'b0} << b_zeros : {1'b1, b_i[Man-1:0]};
  wire exp_t a_exp = a_sub ? -exp_t'(a_zeros) : exp_t'(a_i[Man+:Exp]);
  wire exp_t b_exp = b_sub ? -exp_t'(b_zeros) : exp_t'(b_i[Man+:Exp]);

  // Digits. The remainder is less than four times the divisor when a digit is taken.
  logic [$clog2(Digits+1)-1:0] todo_q;
  logic first_q, last_q, sign_q, nan_q, inf_q, zero_q, below_one_q;
  exp_t a_exp_q, b_exp_q;
  logic [Rem-1:0] rem_q;
  logic [Rem-3:0] left;
  logic [Man:0] div_q;
  logic [Man+2:0] triple_q;
  logic [Quot-1:0] quot_q;
  wire [Rem-1:0] less1 = rem_q - Rem'(div_q);
  wire [Rem-1:0] less2 = rem_q - Rem'({div_q, 1'b0});
  wire [Rem-1:0] less3 = rem_q - Rem'(triple_q);
  logic [1:0] digit;
  always_comb begin
    if (!first_q && !less3[Rem-1]) {digit, left} = {2'd3, less3[Rem-3:0]};
    else if (!first_q && !less2[Rem-1]) {digit, left} = {2'd2, less2[Rem-3:0]};
    else if (!less1[Rem-1]) {digit, left} = {2'd1, less1[Rem-3:0]};
    else {digit, left} = {2'd0, rem_q[Rem-3:0]};
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
      first_q  <= start_i;
      triple_q <= {2'b00, div_q} + {1'b0, div_q, 1'b0};
      if (start_i) begin
        rem_q   <= Rem'(a_man);
        div_q   <= b_man;
        a_exp_q <= a_exp;
        b_exp_q <= b_exp;
        sign_q  <= a_i[Width-1] ^ b_i[Width-1];
        nan_q   <= (a_ones & ~a_none) | (b_ones & ~b_none) | (a_ones & b_ones) | (a_zero & b_zero);
        inf_q   <= a_ones | b_zero;
        zero_q  <= a_zero | b_ones;
      end else begin
        // The last remainder is not moved on: it serves as the sticky bit only.
        rem_q  <= {left, 2'b00};
        quot_q <= {quot_q[Quot-3:0], digit};
        if (first_q) below_one_q <= ~digit[0];
      end
    end
  end

  // Beside the digits, a step a cycle: exponent, and places to the right. The first digit tells whether the quotient is
  // below 1, so that its leading bit is one place lower.
  exp_t diff_q, exp_q, places;
  logic right_q, over_q;
  logic [Exp-1:0] field_q;
  logic [Cnt-1:0] right_by_q;
  assign places = exp_t'(1) - exp_q;
  always_ff @(posedge clk_i) begin
    if (en_i) begin
      diff_q     <= a_exp_q - b_exp_q;
      exp_q      <= diff_q + exp_t'(Bias) - exp_t'({1'b0, below_one_q});
      right_q    <= exp_q < exp_t'(1);
      over_q     <= ~exp_q[Exp+1] & (exp_q[Exp] | (&exp_q[Exp-1:0]));
      field_q    <= (exp_q < exp_t'(1)) ? '0 : exp_q[Exp-1:0];
      right_by_q <= places > exp_t'(Keep) ? Cnt'(Keep) : Cnt'(places);
    end
  end

  // Last.
  wire [Quot-1:0] norm = below_one_q ? {quot_q[Quot-2:0], 1'b0} : quot_q;
  wire [ Cnt-1:0] right_by = right_q ? right_by_q : '0;
  logic [Keep-1:0] keep, lost;
  logic [Keep-2:0] moved;  // without the leading bit: exponent 0 says that it moved
  always_comb begin
    keep  = {norm[Quot-1-:Man+2], (|norm[Quot-Man-3:0]) | (|rem_q)};
    moved = (Keep - 1)'(keep >> right_by);
    lost  = keep & ~({Keep{1'b1}} << right_by);
    moved[0] |= |lost;
  end
  wire up = moved[1] & (moved[2] | moved[0]);
  wire [Width-2:0] rounded = {field_q, moved[Keep-2:2]} + (Width - 1)'(up);

  always_ff @(posedge clk_i) begin
    if (en_i && last_q) begin
      if (nan_q) z_o <= QUIET_NAN;
      else if (inf_q | (over_q & ~zero_q)) z_o <= {sign_q, {Exp{1'b1}}, {Man{1'b0}}};
      else if (zero_q) z_o <= {sign_q, {(Width - 1) {1'b0}}};
      else z_o <= {sign_q, rounded};
    end
  end

  if (Width != 32 && Width != 64) begin : gen_bad_width
    $error("%m: Width must be 32 or 64");
  end

endmodule
