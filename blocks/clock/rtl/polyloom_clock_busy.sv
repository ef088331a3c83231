// SPDX-License-Identifier: Apache-2.0
// polyloom_clock_busy: whether a part that gives out as many things as it takes holds any: for polyloom_clock_gate.
// How:          counts what goes in less what comes out.
// Latency:      none: high in the cycle in which something goes in.
// Throughput:   In things in and Out things out a cycle.
// Backpressure: none. Path from in_i to busy_o.
// Order/loss:   none.
// Reset:        nothing is inside.
// Limits:       In and Out 1 to 15 (checked at elaboration); at most 32767 things inside.
// Cost:         a counter of 16 bits; nothing where busy_o is not used.
// Source:       own.   Tests: test_polyloom_clock_busy.py
module polyloom_clock_busy #(
    parameter int unsigned In  = 1,
    parameter int unsigned Out = 1
) (
    input  logic           clk_i,
    input  logic           rst_ni,
    input  logic [ In-1:0] in_i,
    input  logic [Out-1:0] out_i,
    output logic           busy_o
);

  if (In < 1 || In > 15 || Out < 1 || Out > 15) begin : gen_bad
    $error("%m: In %0d, Out %0d; 1 to 15", In, Out);
  end

  logic signed [15:0] inside_q;
  logic change;
  assign change = (|in_i) || (|out_i);
  assign busy_o = change || inside_q != '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      inside_q <= '0;
    end else begin
      if (change) inside_q <= inside_q + 16'($countones(in_i)) - 16'($countones(out_i));
      assert (inside_q >= 0)
      else $error("%m: more came out than went in");
    end
  end

endmodule
