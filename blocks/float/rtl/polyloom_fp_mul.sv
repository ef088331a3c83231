// SPDX-License-Identifier: Apache-2.0
// polyloom_fp_mul: product of two floating-point numbers, rounded to nearest even.
// How:          1 a subnormal operand moves left to its leading bit, exponents are added; 2 mantissas are multiplied,
//               for 64 bits in two stages: three products of 53 by 18 bits, then their sum; then a product below
//               the smallest normal number moves right, and is rounded. Only one operand need move: the product of
//               two subnormal ones is far below half of the smallest number whatever their leading bits are.
//               Registers lie at both ends of the multiplier, so that they become the DSP blocks' own.
//               Deep puts a register behind the count of leading zeros and one before rounding, and multiplies 32 bits
//               in two stages too.
// Latency:      Width 32: 3 enabled cycles; 64: 4. Deep: 6.
// Throughput:   one a enabled cycle.
// Backpressure: none: all stages stand while en_i is low.
// Order/loss:   kept.
// Reset:        none; data only (rst_ni is there because every unit has it).
// Limits:       Width is 32 or 64. A NaN result is the one that x86-64 makes: negative, quiet, no payload.
// Cost:         687 LUT4, 159 FF, Deep 735 LUT4, 351 FF, both 4 MULT18; Width 64: 1886 LUT4, 542 FF, 9 MULT18 (ECP5, Yosys
//               0.70, 2026-11; MHz: README.md).
// Source: IEEE 754-2019; own design.   Tests: test_polyloom_fp_mul.py
module polyloom_fp_mul
  import polyloom_fp_pkg::*;
#(
    parameter int unsigned Width = 32,
    parameter bit Deep = 1'b0  // more stages, for a higher clock
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             en_i,
    input  logic [Width-1:0] a_i,
    input  logic [Width-1:0] b_i,
    output logic [Width-1:0] z_o
);

  localparam int unsigned Exp = exp_bits(Width);
  localparam int unsigned Man = man_bits(Width);
  localparam int unsigned Bias = 2 ** (Exp - 1) - 1;
  localparam int unsigned Prod = 2 * Man + 2;
  localparam int unsigned Keep = Man + 4;  // carry, leading bit, fraction, guard, sticky
  localparam int unsigned Cnt = $clog2(Keep + 1);
  localparam logic [Width-1:0] QUIET_NAN = {{(Exp + 2) {1'b1}}, {(Man - 1) {1'b0}}};

  // What goes beside the mantissas. exp: of the result if the product's second bit is its leading one.
  typedef struct packed {
    logic sign;
    logic is_nan;
    logic is_inf;
    logic signed [Exp+1:0] exp;
  } side_t;

  logic unused;
  assign unused = rst_ni;

  // Stage 1.
  wire a_sub = ~|a_i[Man+:Exp];
  wire b_sub = ~|b_i[Man+:Exp];
  wire a_ones = &a_i[Man+:Exp];
  wire b_ones = &b_i[Man+:Exp];
  wire a_frac = |a_i[Man-1:0];
  wire b_frac = |b_i[Man-1:0];
  wire [Man-1:0] small_frac = a_sub ? a_i[Man-1:0] : b_i[Man-1:0];
  logic [$clog2(Man)-1:0] zeros;
  logic none_unused;
  lzc #(
      .WIDTH(Man),
      .MODE (1'b1)
  ) i_zeros (
      .in_i(small_frac),
      .cnt_o(zeros),
      .empty_o(none_unused)
  );
  wire [Exp+1:0] exp_sum = {2'b00, a_i[Man+:Exp]} + {2'b00, b_i[Man+:Exp]} - (Exp + 2)'(Bias);
  wire is_nan = (a_ones & (a_frac | (b_sub & ~b_frac))) | (b_ones & (b_frac | (a_sub & ~a_frac)));

  // What is counted, and with Deep the register behind it.
  typedef struct packed {
    logic a_sub;
    logic b_sub;
    logic sign;
    logic is_nan;
    logic is_inf;
    logic [Exp+1:0] exp_sum;
    logic [$clog2(Man)-1:0] zeros;
    logic [Man-1:0] a;
    logic [Man-1:0] b;
  } counted_t;
  counted_t counted, c;
  assign counted = '{
          a_sub,
          b_sub,
          a_i[Width-1] ^ b_i[Width-1],
          is_nan,
          a_ones | b_ones,
          exp_sum,
          zeros,
          a_i[Man-1:0],
          b_i[Man-1:0]
      };
  if (Deep) begin : gen_deep_zeros
    always_ff @(posedge clk_i) if (en_i) c <= counted;
  end else begin : gen_zeros
    assign c = counted;
  end
  wire [  Man:0] small_man = {c.a_sub ? c.a : c.b, 1'b0} << c.zeros;
  // A subnormal operand of z leading zeros has the exponent -z; that of a second one does not matter.
  wire [Exp+1:0] exp_less = (c.a_sub | c.b_sub) ? (Exp + 2)'(c.zeros) : '0;

  logic [Man:0] a1_q, b1_q;
  side_t side1_q, side2_q, side3_q;
  always_ff @(posedge clk_i) begin
    if (en_i) begin
      a1_q           <= c.a_sub ? small_man : {1'b1, c.a};
      b1_q           <= c.b_sub ? (c.a_sub ? {1'b0, c.b} : small_man) : {1'b1, c.b};
      side1_q.sign   <= c.sign;
      side1_q.is_nan <= c.is_nan;
      side1_q.is_inf <= c.is_inf;
      side1_q.exp    <= c.exp_sum - exp_less;
      side2_q        <= side1_q;
    end
  end

  // Stage 2, and 3 for 64 bits or Deep. right_q: places to the right, for results below the smallest normal number.
  logic [Prod-1:0] product_q;
  logic [ Cnt-1:0] right_q;
  function automatic logic [Cnt-1:0] right_of(input logic signed [Exp+1:0] exp);
    logic signed [Exp+1:0] places;
    places = (Exp + 2)'(1) - exp;
    if (places < 0) return '0;
    return places > (Exp + 2)'(Keep) ? Cnt'(Keep) : Cnt'(places);
  endfunction

  if (Width == 64) begin : gen_two_stages
    logic [Man+18:0] low_q, mid_q, high_q;
    always_ff @(posedge clk_i) begin
      if (en_i) begin
        low_q     <= a1_q * b1_q[17:0];
        mid_q     <= a1_q * b1_q[35:18];
        high_q    <= a1_q * {1'b0, b1_q[Man:36]};
        product_q <= Prod'(low_q) + {Prod'(mid_q) << 18} + {Prod'(high_q) << 36};
        right_q   <= right_of(side2_q.exp);
        side3_q   <= side2_q;
      end
    end
  end else if (Deep) begin : gen_two_small_stages
    logic [  Man+18:0] low_q;
    logic [2*Man-17:0] high_q;
    always_ff @(posedge clk_i) begin
      if (en_i) begin
        low_q     <= a1_q * b1_q[17:0];
        high_q    <= a1_q * b1_q[Man:18];
        product_q <= Prod'(low_q) + {Prod'(high_q) << 18};
        right_q   <= right_of(side2_q.exp);
        side3_q   <= side2_q;
      end
    end
  end else begin : gen_one_stage
    always_ff @(posedge clk_i) begin
      if (en_i) begin
        product_q <= a1_q * b1_q;
        right_q   <= right_of(side1_q.exp);
      end
    end
    assign side3_q = side2_q;
  end

  // Last stage, and with Deep the register before rounding.
  logic [Keep-1:0] keep, shifted, lost, moved;
  always_comb begin
    keep    = {product_q[Prod-1:Man-1], |product_q[Man-2:0]};
    shifted = keep >> right_q;
    lost    = keep & ~({Keep{1'b1}} << right_q);
    shifted[0] |= |lost;
  end
  side_t side;
  logic  below;  // it was moved, so its exponent is the smallest
  if (Deep) begin : gen_deep_round
    always_ff @(posedge clk_i) if (en_i) {moved, side, below} <= {shifted, side3_q, |right_q};
  end else begin : gen_round
    assign {moved, side, below} = {shifted, side3_q, |right_q};
  end
  wire carry = moved[Keep-1];
  wire [Exp+1:0] exp_up = side.exp + (Exp + 2)'(carry);
  wire over = ~exp_up[Exp+1] & (moved[Keep-1] | moved[Keep-2]) & (exp_up[Exp] | (&exp_up[Exp-1:0]));
  logic [Exp-1:0] exp;
  always_comb begin
    if (!carry && !moved[Keep-2]) exp = '0;
    else if (below) exp = Exp'(1);
    else exp = exp_up[Exp-1:0];
  end
  wire [Man-1:0] frac = carry ? moved[Keep-2:3] : moved[Keep-3:2];
  wire up = carry ? moved[2] & (moved[3] | (|moved[1:0])) : moved[1] & (moved[2] | moved[0]);
  wire [Width-2:0] rounded = {exp, frac} + (Width - 1)'(up);

  always_ff @(posedge clk_i) begin
    if (en_i) begin
      if (side.is_nan) z_o <= QUIET_NAN;
      else if (side.is_inf | over) z_o <= {side.sign, {Exp{1'b1}}, {Man{1'b0}}};
      else z_o <= {side.sign, rounded};
    end
  end

  if (Width != 32 && Width != 64) begin : gen_bad_width
    $error("%m: Width must be 32 or 64");
  end

endmodule
