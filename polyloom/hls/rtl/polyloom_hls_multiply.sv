// SPDX-License-Identifier: Apache-2.0
// polyloom_hls_multiply: the lower half of a product, with registers that synthesis moves into the multiplier.
// How:          product, then Latency registers.
// Latency:      Latency enabled cycles.
// Throughput:   one product an enabled cycle.
// Backpressure: en_i low holds everything.
// Order/loss:   in order, none lost.
// Reset:        none; results before the first operands are undefined.
// Limits:       Width and Latency at least 1.
// Cost:         Width 32: 3 to 4 DSP of 18 x 25 bits. Width 64: 10 to 16.
// Source:       own design.   Tests: test_polyloom_hls_multiply.py, test_compiled_programs.py
module polyloom_hls_multiply #(
    parameter int unsigned Width   = 0,
    parameter int unsigned Latency = 0
) (
    input  logic             clk_i,
    input  logic             en_i,
    input  logic [Width-1:0] a_i,
    input  logic [Width-1:0] b_i,
    output logic [Width-1:0] z_o
);

  if (Width == 0 || Latency == 0) begin : gen_bad
    $error("%m: Width %0d, Latency %0d; both at least 1", Width, Latency);
  end

  logic [Width-1:0] stage_q[Latency];

  always_ff @(posedge clk_i) begin
    if (en_i) begin
      stage_q[0] <= a_i * b_i;
      for (int unsigned i = 1; i < Latency; i++) stage_q[i] <= stage_q[i-1];
    end
  end

  assign z_o = stage_q[Latency-1];

endmodule
