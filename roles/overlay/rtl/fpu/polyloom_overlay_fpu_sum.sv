// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_fpu_sum: stages 2 to 6 of the FPU's pipeline: product, sum, and the sum moved to its leading bit.
// How:          2 four partial products, 3 their sum, and the addend moves into place; 4 sum, or both differences that can be
//               needed; 5 leading zeros are counted; 6 the sum moves left by them, at most to the smallest exponent.
//               A product of integers leaves behind stage 4 as a known result.
// Latency:      5 cycles from factors, 4 from the addend.
// Throughput:   one operation a cycle.
// Backpressure: none.
// Order/loss:   kept.
// Reset:        none: its user keeps valid bits.
// Limits:       if a bit of the addend falls below the sum, the product is greater; this follows from the operands' form.
// Cost:         see polyloom_overlay_fpu.
// Source:       the window of 76 bits: Muller and others, Handbook of Floating-Point Arithmetic, 8.5; own design.
// Tests:        test_polyloom_overlay_fpu_sum.py, overlay_fpu_rtl_test.cc, test_polyloom_overlay_fpu.py
module polyloom_overlay_fpu_sum
  import polyloom_overlay_fpu_pkg::*;
(
    input  logic               clk_i,
    input  logic        [ 6:2] valid_i,   // in front of each stage
    // Stage 2
    input  logic signed [32:0] x_i,
    input  logic signed [32:0] y_i,
    // Stage 3
    input  beside_t            beside_i,
    input  logic        [23:0] addend_i,
    input  logic        [ 6:0] shift_i,
    // Behind stage 6
    output normal_t            normal_o
);

  // Stage 2: x = x1 * 2^17 + x0, so that signed multipliers of 18 bits do.
  /* verilator lint_off UNUSEDSIGNAL */  // upper bits are copies of signs
  logic signed [35:0] p00_q, p01_q, p10_q, p11_q;
  /* verilator lint_on UNUSEDSIGNAL */
  logic signed [17:0] x0, y0, x1, y1;
  assign x0 = {1'b0, x_i[16:0]};
  assign y0 = {1'b0, y_i[16:0]};
  assign x1 = 18'(x_i >>> 17);
  assign y1 = 18'(y_i >>> 17);
  always_ff @(posedge clk_i) begin
    if (valid_i[2]) begin
      p00_q <= x0 * y0;
      p01_q <= x0 * y1;
      p10_q <= x1 * y0;
      p11_q <= x1 * y1;
    end
  end

  // Stage 3. Everything between the outer products is their concatenation.
  beside_t beside3_q;
  logic [63:0] product_q;
  logic [SUM_BITS-1:0] addend_q;
  logic sticky3_q;
  logic [SUM_BITS+23:0] moved;
  logic [63:0] product;
  assign moved   = {addend_i, {SUM_BITS{1'b0}}} >> shift_i;
  assign product = {p11_q[29:0], p00_q[33:0]} + 64'(signed'({37'(p01_q) + 37'(p10_q), 17'b0}));
  always_ff @(posedge clk_i) begin
    if (valid_i[3]) begin
      beside3_q <= beside_i;
      product_q <= product;
      addend_q  <= moved[SUM_BITS+23:24];
      sticky3_q <= moved[23:0] != '0 || (shift_i >= 7'(SUM_BITS) && addend_i != '0);
    end
  end

  // Stage 4. The greater less the smaller, in two's complement: p - a, or the complement of p - a - 1.
  summed_t summed_d, summed_q;
  always_comb begin
    logic [SUM_BITS:0] high;
    logic [SUM_BITS-1:0] low, shown;
    shown = SUM_BITS'({product_q[47:0], 2'b00});
    low = shown + (beside3_q.subtract ? ~addend_q : addend_q);
    high = {1'b0, shown} + {1'b0, ~addend_q} + 1'b1;
    summed_d.beside = beside3_q;
    if (beside3_q.multiplies_int) summed_d.beside.word = beside3_q.high ? product_q[63:32] : product_q[31:0];
    summed_d.sticky = sticky3_q;
    summed_d.sign = beside3_q.sign;
    summed_d.sum = low;
    if (beside3_q.subtract && !sticky3_q) begin
      summed_d.sum  = high[SUM_BITS] ? high[SUM_BITS-1:0] : ~low;
      summed_d.sign = beside3_q.sign ^ !high[SUM_BITS];
    end
    // No further left than to the exponent of subnormal numbers; integers stay where they are.
    summed_d.limit = '0;
    if (beside3_q.to_int) summed_d.limit[SUM_BITS-1] = 1'b1;
    else if (beside3_q.top <= 10'(SUM_BITS)) summed_d.limit[7'(10'(SUM_BITS)-beside3_q.top)] = 1'b1;
  end
  always_ff @(posedge clk_i) if (valid_i[4]) summed_q <= summed_d;

  // Stage 5.
  beside_t beside5_q;
  logic [SUM_BITS-1:0] sum5_q;
  logic [6:0] left_q, left;
  logic sticky5_q, sign5_q, empty;
  lzc #(
      .WIDTH(SUM_BITS),
      .MODE (1'b1)
  ) i_zeros (
      .in_i(summed_q.sum | summed_q.limit),
      .cnt_o(left),
      .empty_o(empty)
  );
  always_ff @(posedge clk_i) begin
    if (valid_i[5]) begin
      beside5_q <= summed_q.beside;
      sum5_q <= summed_q.sum;
      left_q <= empty ? '0 : left;
      sticky5_q <= summed_q.sticky;
      sign5_q <= summed_q.sign;
    end
  end

  // Stage 6.
  normal_t normal_d;
  logic [SUM_BITS-1:0] placed;
  logic signed [9:0] exponent;
  assign placed   = sum5_q << left_q;
  assign exponent = beside5_q.top - $signed({3'b0, left_q});
  always_comb begin
    normal_d.beside = beside5_q;
    normal_d.sign   = sign5_q;
    normal_d.sticky = sticky5_q;
    normal_d.beyond = 1'b0;
    if (beside5_q.to_int) begin
      normal_d.keep = placed[75:44];
      {normal_d.half, normal_d.next, normal_d.rest} = 52'(placed[43:0]) << 8;
    end else begin
      normal_d.keep = {1'b0, placed[75] ? exponent[7:0] : 8'b0, placed[74:52]};
      {normal_d.half, normal_d.next, normal_d.rest} = placed[51:0];
      normal_d.beyond = placed[75] && exponent >= 10'sd255;
    end
  end
  always_ff @(posedge clk_i) if (valid_i[6]) normal_o <= normal_d;

endmodule
