// SPDX-License-Identifier: Apache-2.0
// polyloom_fp_resize: converts between the two formats, rounded to nearest even.
// How:          wider: 1 leading zeros of a subnormal fraction; 2 it moves left, exact. Narrower: 1 new exponent, and
//               places to the right below the smallest normal number; 2 the mantissa moves there and is rounded.
// Latency:      2 enabled cycles.
// Throughput:   one a enabled cycle.
// Backpressure: none: all stages stand while en_i is low.
// Order/loss:   kept.
// Reset:        none; data only (rst_ni is there because every unit has it).
// Limits:       32 to 64 or 64 to 32. A NaN stays one, as in x86-64: made quiet, with the upper bits of its payload.
// Cost:         32 to 64: 301 LUT4, 76 FF; 64 to 32: 357 LUT4, 76 FF (ECP5, Yosys 0.70, 2026-11; MHz: README.md).
// Source: IEEE 754-2019, 5.4.2; own design.   Tests: test_polyloom_fp_resize.py
module polyloom_fp_resize
  import polyloom_fp_pkg::*;
#(
    parameter int unsigned FromWidth = 32,
    parameter int unsigned ToWidth   = 64
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    input  logic                 en_i,
    input  logic [FromWidth-1:0] a_i,
    output logic [  ToWidth-1:0] z_o
);

  localparam int unsigned Exp = exp_bits(FromWidth);
  localparam int unsigned Man = man_bits(FromWidth);
  localparam int unsigned ToExp = exp_bits(ToWidth);
  localparam int unsigned ToMan = man_bits(ToWidth);

  logic unused;
  assign unused = rst_ni;

  wire ones = &a_i[Man+:Exp];
  wire some = |a_i[Man-1:0];
  wire normal = |a_i[Man+:Exp];
  logic sign1_q, ones1_q, nan1_q;

  if (ToWidth > FromWidth) begin : gen_wider
    localparam int unsigned MoreBias = 2 ** (ToExp - 1) - 2 ** (Exp - 1);
    logic [$clog2(Man)-1:0] zeros, zeros1_q;
    logic none, normal1_q, zero1_q;
    logic [Exp-1:0] exp1_q;
    logic [Man-1:0] frac1_q;
    lzc #(
        .WIDTH(Man),
        .MODE (1'b1)
    ) i_zeros (
        .in_i(a_i[Man-1:0]),
        .cnt_o(zeros),
        .empty_o(none)
    );
    wire [  Man-1:0] frac = normal1_q ? frac1_q : {frac1_q[Man-2:0], 1'b0} << zeros1_q;  // the leading one falls out
    wire [ToExp-1:0] from = normal1_q ? ToExp'(exp1_q) : -ToExp'(zeros1_q);
    wire [ToExp-1:0] exp = ones1_q ? '1 : from + ToExp'(MoreBias);

    always_ff @(posedge clk_i) begin
      if (en_i) begin
        sign1_q   <= a_i[FromWidth-1];
        ones1_q   <= ones;
        nan1_q    <= ones & some;
        zero1_q   <= ~normal & none;
        normal1_q <= normal;
        zeros1_q  <= zeros;
        exp1_q    <= a_i[Man+:Exp];
        frac1_q   <= a_i[Man-1:0];
        if (zero1_q) z_o <= {sign1_q, {(ToWidth - 1) {1'b0}}};
        else z_o <= {sign1_q, exp, frac[Man-1] | nan1_q, frac[Man-2:0], {(ToMan - Man) {1'b0}}};
      end
    end
  end else begin : gen_narrower
    localparam int unsigned LessBias = 2 ** (Exp - 1) - 2 ** (ToExp - 1);
    localparam int unsigned Keep = ToMan + 3;  // leading bit, fraction, guard, sticky
    localparam int unsigned Cnt = $clog2(Keep + 1);
    wire [Exp:0] exp = {1'b0, a_i[Man+:Exp]} - (Exp + 1)'(LessBias);
    wire [Exp:0] places = (Exp + 1)'(1) - exp;
    wire right = exp[Exp] | ~|exp;
    logic right1_q, over1_q;
    logic [  Cnt-1:0] places1_q;
    logic [ToExp-1:0] exp1_q;
    logic [Keep-1:0] keep1_q, moved, lost;
    always_comb begin
      moved = keep1_q >> places1_q;
      lost  = keep1_q & ~({Keep{1'b1}} << places1_q);
      moved[0] |= |lost;
    end
    wire [ToExp-1:0] exp2 = right1_q ? ToExp'(moved[Keep-1]) : exp1_q;
    wire up = moved[1] & (moved[2] | moved[0]);
    wire [ToWidth-2:0] rounded = {exp2, moved[Keep-2:2]} + (ToWidth - 1)'(up);

    always_ff @(posedge clk_i) begin
      if (en_i) begin
        sign1_q   <= a_i[FromWidth-1];
        ones1_q   <= ones;
        nan1_q    <= ones & some;
        right1_q  <= right;
        over1_q   <= ~exp[Exp] & ((|exp[Exp-1:ToExp]) | (&exp[ToExp-1:0]));
        exp1_q    <= exp[ToExp-1:0];
        places1_q <= right ? (places > (Exp + 1)'(Keep) ? Cnt'(Keep) : Cnt'(places)) : '0;
        keep1_q   <= {normal, a_i[Man-1-:ToMan+1], |a_i[Man-ToMan-2:0]};
        if (nan1_q) z_o <= {sign1_q, {(ToExp + 1) {1'b1}}, keep1_q[Keep-3:2]};
        else if (ones1_q | over1_q) z_o <= {sign1_q, {ToExp{1'b1}}, {ToMan{1'b0}}};
        else z_o <= {sign1_q, rounded};
      end
    end
  end

  if (!(FromWidth == 32 && ToWidth == 64) && !(FromWidth == 64 && ToWidth == 32)) begin : gen_bad_width
    $error("%m: widths must be 32 and 64 or 64 and 32");
  end

endmodule
