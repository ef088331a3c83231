// SPDX-License-Identifier: Apache-2.0
// polyloom_op_scale: the last step of an average: fp32 times a factor, an integer over a divisor; or lets it pass.
// How:          one multiplier for both: fp32 mantissas, or magnitude times ceil(2^Shift / divisor), which is exact
//               for every magnitude below 2^Width and divisor up to MaxDivisor (the error of the reciprocal, below
//               MaxDivisor / 2^Shift, times 2^Width stays below 1 / MaxDivisor). Integers are rounded toward zero,
//               fp32 to nearest even with subnormals, NaN is 0x7fc00000.
//               1 unpack; 2 multiply; 3 how far to shift; 4 shift; 5 round.
// Latency:      5 cycles.
// Throughput:   one element a cycle.
// Backpressure: none: the pipeline runs on; what feeds it reserves space behind it.
// Order/loss:   kept.
// Reset:        none; data only.
// Limits:       Width > 32; reciprocal_i belongs to the divisor.
// Cost:         871 LUT, 389 FF, 6 DSP (UltraScale+; in `polyloom synth collective_reduce`, Yosys 0.70, 2026-11).
// Source: IEEE 754-2019; division by invariant integers as in Granlund and Montgomery (PLDI 1994).
//         Tests: test_polyloom_op_scale.py, operators_rtl_test.cc.
module polyloom_op_scale
  import polyloom_operator_pkg::*;
#(
    parameter int unsigned Width = 35,  // of integers; fp32 uses bits 31:0
    parameter int unsigned Shift = 41   // scale of the reciprocal
) (
    input  logic                 clk_i,
    input  logic                 enable_i,      // average; else the low 32 bits pass. Static, as all but x_i
    input  element_e             type_i,
    input  logic     [     31:0] factor_i,      // fp32
    input  logic     [  Shift:0] reciprocal_i,  // ceil(2^Shift / divisor)
    input  logic     [Width-1:0] x_i,
    output logic     [     31:0] z_o
);

  localparam logic [31:0] NAN = 32'h7fc0_0000;
  localparam int unsigned ProductWidth = Width + Shift + 1;

  wire is_fp = type_i == TYPE_FP32;

  // Stage 1. What is decided already passes in x1_q: no scaling, NaN, infinities.
  wire x_ones = &x_i[30:23];
  wire f_ones = &factor_i[30:23];
  wire x_zero = ~|x_i[30:0];
  wire f_zero = ~|factor_i[30:0];
  wire sign = is_fp ? x_i[31] ^ factor_i[31] : (type_i == TYPE_INT32) & x_i[Width-1];
  wire no_number = (x_ones & (|x_i[22:0])) | (f_ones & (|factor_i[22:0])) | (x_ones & f_zero) | (f_ones & x_zero);
  wire [7:0] x_exp = (|x_i[30:23]) ? x_i[30:23] : 8'd1;
  wire [7:0] f_exp = (|factor_i[30:23]) ? factor_i[30:23] : 8'd1;

  logic direct1_q, direct2_q, direct3_q, direct4_q;
  logic [31:0] x1_q, x2_q, x3_q, x4_q;
  logic sign1_q, sign2_q, sign3_q, sign4_q;
  logic signed [9:0] exp1_q, exp2_q, exp3_q;  // fp32: exponent field if the product's bit 47 is its leading one
  logic [Width-1:0] a1_q;
  logic [Shift:0] b1_q;
  logic [ProductWidth-1:0] product2_q;

  // Stage 3: places to the left, or to the right if the result is subnormal.
  logic [5:0] zeros;
  always_comb begin
    zeros = 6'd48;
    for (int unsigned i = 0; i < 48; i++) begin
      if (product2_q[i]) zeros = 6'(47 - i);
    end
  end
  logic [47:0] product3_q;
  logic [31:0] quotient3_q, quotient4_q;
  logic [5:0] places3_q;
  logic right3_q;
  logic [9:0] right;
  assign right = 10'd1 - exp2_q;

  // Stage 4.
  logic [47:0] moved;
  always_comb begin
    if (right3_q) begin
      moved = product3_q >> places3_q;
      moved[0] |= |(product3_q & ~(48'hffff_ffff_ffff << places3_q));
    end else begin
      moved = product3_q << places3_q;
    end
  end
  logic [24:0] mant4_q;  // 23 bits, guard, sticky
  logic [7:0] exp4_q;
  logic over4_q;
  logic [9:0] exp_moved;
  assign exp_moved = exp3_q - 10'(places3_q);

  // Stage 5.
  wire up = mant4_q[1] & (mant4_q[0] | mant4_q[2]);
  wire [30:0] rounded = {exp4_q, mant4_q[24:2]} + 31'(up);

  always_ff @(posedge clk_i) begin
    direct1_q <= ~enable_i | (is_fp & (x_ones | f_ones));
    if (!enable_i) x1_q <= x_i[31:0];
    else x1_q <= no_number ? NAN : {sign, 8'hff, 23'd0};
    sign1_q     <= sign;
    exp1_q      <= $signed({2'b00, x_exp}) + $signed({2'b00, f_exp}) - 10'sd126;
    a1_q        <= is_fp ? Width'({|x_i[30:23], x_i[22:0]}) : (sign ? -x_i : x_i);
    b1_q        <= is_fp ? (Shift + 1)'({|factor_i[30:23], factor_i[22:0]}) : reciprocal_i;

    direct2_q   <= direct1_q;
    x2_q        <= x1_q;
    sign2_q     <= sign1_q;
    exp2_q      <= exp1_q;
    product2_q  <= a1_q * b1_q;

    direct3_q   <= direct2_q;
    x3_q        <= x2_q;
    sign3_q     <= sign2_q;
    exp3_q      <= exp2_q;
    product3_q  <= product2_q[47:0];
    quotient3_q <= product2_q[Shift+:32];
    right3_q    <= exp2_q < 10'sd1;
    if (exp2_q < 10'sd1) places3_q <= (right > 10'd48) ? 6'd48 : right[5:0];
    else places3_q <= ($signed({4'd0, zeros}) < exp2_q) ? zeros : 6'(exp2_q - 10'sd1);

    direct4_q   <= direct3_q;
    x4_q        <= x3_q;
    sign4_q     <= sign3_q;
    quotient4_q <= sign3_q ? -quotient3_q : quotient3_q;
    mant4_q     <= {moved[46:23], |moved[22:0]};
    over4_q     <= ~right3_q & moved[47] & ($signed(exp_moved) > 10'sd254);
    exp4_q      <= (right3_q | ~moved[47]) ? 8'd0 : exp_moved[7:0];

    if (direct4_q) z_o <= x4_q;
    else if (!is_fp) z_o <= quotient4_q;
    else z_o <= over4_q ? {sign4_q, 8'hff, 23'd0} : {sign4_q, rounded};
  end

  if (Width <= 32 || Width > 38) begin : gen_bad_width
    $error("%m: Width must be 33 to 38");
  end

endmodule
