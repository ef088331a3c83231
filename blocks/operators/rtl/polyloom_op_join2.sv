// SPDX-License-Identifier: Apache-2.0
// polyloom_op_join2: joins two elements to one: sum, minimum or maximum of fp32, int32 or uint32; or lets one pass.
// How:          stage 1 swaps and aligns (fp32 sum) or finishes everything else; 2 adds; 3 normalises; 4 rounds.
//               fp32 sums are rounded to nearest even with subnormals; a NaN result is 0x7fc00000. Minimum and
//               maximum of fp32 are IEEE 754-2019 minimumNumber and maximumNumber: a NaN loses, -0 < +0, two NaN
//               give 0x7fc00000. Where only one side is there it passes bit by bit.
//               Own adder: a join of sum, minimum, maximum and integers in one; CVFPU: README.md, "Cost".
// Latency:      4 cycles.
// Throughput:   one pair a cycle.
// Backpressure: none: the pipeline runs on; what feeds it reserves space behind it.
// Order/loss:   kept.
// Reset:        none; data only.
// Limits:       Width > 32 (integers are kept exact up to it; sign or zero extended by what feeds the leaves).
// Cost:         769 LUT, 173 FF, mean of 112 (UltraScale+; in `polyloom synth collective_reduce`, Yosys 0.70, 2026-11).
// Source: IEEE 754-2019; own design.   Tests: test_polyloom_op_join2.py, operators_rtl_test.cc (corner values and random ones).
module polyloom_op_join2
  import polyloom_operator_pkg::*;
#(
    parameter int unsigned Width = 35  // of integers; fp32 uses bits 31:0
) (
    input  logic                  clk_i,
    input  function_e             function_i,  // static while data are in flight; average sums
    input  element_e              type_i,      // static while data are in flight
    input  logic                  a_there_i,
    input  logic      [Width-1:0] a_i,
    input  logic                  b_there_i,
    input  logic      [Width-1:0] b_i,
    output logic      [Width-1:0] z_o
);

  localparam logic [31:0] NAN = 32'h7fc0_0000;

  // Stage 1, what needs no adder: passing, integers, minimum and maximum, infinities and NaN.
  wire a_nan = (&a_i[30:23]) & (|a_i[22:0]);
  wire b_nan = (&b_i[30:23]) & (|b_i[22:0]);
  wire a_inf = (&a_i[30:23]) & ~(|a_i[22:0]);
  wire b_inf = (&b_i[30:23]) & ~(|b_i[22:0]);
  wire is_fp = type_i == TYPE_FP32;
  wire is_sum = (function_i == FN_SUM) | (function_i == FN_AVERAGE);

  // fp32 as signed integers of the same order.
  function automatic logic [Width-1:0] key(input logic [Width-1:0] v, input logic fp);
    logic [31:0] ordered;
    ordered = v[31] ? {1'b1, ~v[30:0]} : v[31:0];
    return fp ? {{(Width - 32) {ordered[31]}}, ordered} : v;
  endfunction

  wire a_less = $signed(key(a_i, is_fp)) < $signed(key(b_i, is_fp));
  wire accept_a = is_fp & (a_nan | b_nan) ? b_nan : (a_less == (function_i == FN_MIN));

  logic direct_d, direct1_q, direct2_q, direct3_q;
  logic [Width-1:0] x_d, x1_q, x2_q, x3_q;
  always_comb begin
    direct_d = 1'b1;
    if (!a_there_i) x_d = b_i;
    else if (!b_there_i) x_d = a_i;
    else if (!is_sum) x_d = is_fp & a_nan & b_nan ? Width'(NAN) : (accept_a ? a_i : b_i);
    else if (!is_fp) x_d = a_i + b_i;
    else begin
      direct_d = (&a_i[30:23]) | (&b_i[30:23]);
      if (a_nan | b_nan | (a_inf & b_inf & (a_i[31] ^ b_i[31]))) x_d = Width'(NAN);
      else x_d = a_inf ? a_i : b_i;
    end
  end

  // Stage 1, sum: larger magnitude first, the smaller one shifted with guard, round and sticky bit.
  wire swap = a_i[30:0] < b_i[30:0];
  wire [31:0] big = swap ? b_i[31:0] : a_i[31:0];
  wire [30:0] less = swap ? a_i[30:0] : b_i[30:0];
  wire [7:0] big_exp = (|big[30:23]) ? big[30:23] : 8'd1;
  wire [7:0] small_exp = (|less[30:23]) ? less[30:23] : 8'd1;
  wire [7:0] distance = big_exp - small_exp;
  wire [26:0] small_mant = {|less[30:23], less[22:0], 3'b000};
  logic [26:0] aligned, lost;
  always_comb begin
    if (distance > 8'd26) begin
      aligned = '0;
      lost = small_mant;
    end else begin
      aligned = small_mant >> distance[4:0];
      lost = small_mant & ~(27'h7ff_ffff << distance[4:0]);
    end
    aligned[0] |= |lost;
  end

  logic [26:0] mant1_q, aligned1_q;
  logic [7:0] exp1_q, exp2_q;
  logic sub1_q, sign1_q, sign2_q, both1_q, both2_q;

  // Stage 2: sum of the magnitudes; not negative, as the larger is first.
  logic [27:0] sum2_q;

  // Stage 3: leading one to bit 26, but never below exponent 1 (subnormal).
  logic [4:0] zeros, shift;
  always_comb begin
    zeros = 5'd27;
    for (int unsigned i = 0; i < 27; i++) begin
      if (sum2_q[i]) zeros = 5'(26 - i);
    end
    shift = (8'(zeros) < exp2_q) ? zeros : 5'(exp2_q - 8'd1);
  end
  logic [26:0] norm;
  logic [ 7:0] norm_exp;
  always_comb begin
    if (sum2_q[27]) begin
      norm = {sum2_q[27:2], sum2_q[1] | sum2_q[0]};
      norm_exp = exp2_q + 8'd1;
      if (norm_exp == 8'd255) norm = '0;
    end else begin
      norm = sum2_q[26:0] << shift;
      norm_exp = norm[26] ? exp2_q - 8'(shift) : 8'd0;
    end
  end
  logic [25:0] norm3_q;
  logic [7:0] exp3_q;
  logic sign3_q;

  // Stage 4: to nearest, ties to even; a carry goes on into the exponent and up to infinity.
  wire up = norm3_q[2] & (norm3_q[1] | norm3_q[0] | norm3_q[3]);
  wire [30:0] rounded = {exp3_q, norm3_q[25:3]} + 31'(up);

  always_ff @(posedge clk_i) begin
    direct1_q  <= direct_d;
    x1_q       <= x_d;
    mant1_q    <= {|big[30:23], big[22:0], 3'b000};
    aligned1_q <= aligned;
    exp1_q     <= big_exp;
    sub1_q     <= a_i[31] ^ b_i[31];
    sign1_q    <= big[31];
    both1_q    <= a_i[31] & b_i[31];

    direct2_q  <= direct1_q;
    x2_q       <= x1_q;
    sum2_q     <= sub1_q ? {1'b0, mant1_q} - {1'b0, aligned1_q} : {1'b0, mant1_q} + {1'b0, aligned1_q};
    exp2_q     <= exp1_q;
    sign2_q    <= sign1_q;
    both2_q    <= both1_q;

    direct3_q  <= direct2_q;
    x3_q       <= x2_q;
    norm3_q    <= norm[25:0];
    exp3_q     <= norm_exp;
    sign3_q    <= (sum2_q == '0) ? both2_q : sign2_q;

    z_o        <= direct3_q ? x3_q : Width'({sign3_q, rounded});
  end

  if (Width <= 32) begin : gen_bad_width
    $error("%m: Width must be above 32");
  end

endmodule
