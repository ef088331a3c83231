// SPDX-License-Identifier: Apache-2.0
// polyloom_hls_divide: quotient and remainder of integers, signed as C has it (towards zero), one bit a cycle.
// How:          restoring division of the absolute values, then the signs.
// Latency:      Width + 2 enabled cycles from start_i to the results, which stand until the next division ends.
// Throughput:   a division every Width + 2 enabled cycles; an earlier start_i begins anew.
// Backpressure: en_i low holds everything.
// Order/loss:   one at a time.
// Reset:        none; results before the first division are undefined.
// Limits:       a divisor of zero gives undefined results (all ones, and the dividend).
// Cost:         about 3 x Width flops, one subtractor and two negations of Width bits.
// Source:       textbook method.   Tests: test_polyloom_hls_divide.py, test_compiled_programs.py
module polyloom_hls_divide #(
    parameter int unsigned Width = 0
) (
    input  logic             clk_i,
    input  logic             en_i,
    input  logic             start_i,
    input  logic             signed_i,    // with start_i: operands are signed
    input  logic [Width-1:0] a_i,         // dividend
    input  logic [Width-1:0] b_i,         // divisor
    output logic [Width-1:0] quotient_o,
    output logic [Width-1:0] remainder_o
);

  if (Width < 2) begin : gen_bad_width
    $error("%m: Width %0d; at least 2", Width);
  end

  localparam int unsigned CountWidth = $clog2(Width + 1);

  logic [Width-1:0] quotient_q, remainder_q, divisor_q;
  logic negate_quotient_q, negate_remainder_q;
  logic [CountWidth-1:0] left_q;
  logic [Width:0] shifted, difference;
  logic a_negative, b_negative;

  assign a_negative = signed_i && a_i[Width-1];
  assign b_negative = signed_i && b_i[Width-1];
  assign shifted = {remainder_q, quotient_q[Width-1]};
  assign difference = shifted - {1'b0, divisor_q};

  always_ff @(posedge clk_i) begin
    if (en_i) begin
      if (start_i) begin
        quotient_q <= a_negative ? -a_i : a_i;
        divisor_q <= b_negative ? -b_i : b_i;
        remainder_q <= '0;
        negate_quotient_q <= a_negative != b_negative;
        negate_remainder_q <= a_negative;
        left_q <= CountWidth'(Width);
      end else if (left_q != 0) begin
        quotient_q <= {quotient_q[Width-2:0], !difference[Width]};
        remainder_q <= difference[Width] ? shifted[Width-1:0] : difference[Width-1:0];
        left_q <= left_q - 1'b1;
      end
      quotient_o  <= negate_quotient_q ? -quotient_q : quotient_q;
      remainder_o <= negate_remainder_q ? -remainder_q : remainder_q;
    end
  end

endmodule
