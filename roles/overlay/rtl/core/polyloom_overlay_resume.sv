// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_resume: which of a core's threads whose responses have come joins the ready queue next.
// How:          a bit a thread, set by responses; every cycle the first set bit in circular order leaves, counted from thread
//               (c / 8) mod 16, where c is the cycle in which it joins. It clears its own bit.
// Latency:      a response of cycle A: picked in A + 1 at the earliest, on the output in A + 2.
// Throughput:   any number of responses a cycle, one pick a cycle.
// Backpressure: none. No path from an input to an output.
// Order/loss:   circular from a place that moves on every eighth cycle, so every thread's turn comes.
// Reset:        no responses are there. Takes the first in the first cycle after reset.
// Limits:       Threads 1..16 (checked at elaboration); no second response of a thread before it is picked (asserted).
// Cost:         about 150 LUT4 (ECP5; part of polyloom_overlay_core).
// Source:       roles/overlay/sim/tile/README.md "Issue".   Tests: test_polyloom_overlay_resume.py, test_polyloom_overlay_cores.py
module polyloom_overlay_resume #(
    parameter int unsigned Threads = 0,  // of the core
    parameter int unsigned Ports   = 0   // that bring responses
) (
    input  logic                    clk_i,
    input  logic                    rst_ni,
    input  logic [        3:0]      turn_i,    // the thread from which what joins two cycles later is counted
    // Responses of this cycle
    input  logic [  Ports-1:0]      valid_i,
    input  logic [  Ports-1:0][3:0] thread_i,
    input  logic [Threads-1:0]      wake_i,
    // The thread that joins in this cycle
    output logic                    pick_o,
    output logic [        3:0]      thread_o
);

  if (Threads < 1 || Threads > 16) begin : gen_bad_threads
    $error("%m: Threads %0d; 1 to 16", Threads);
  end

  logic [Threads-1:0] set, from, from_q, there, there_q, grant;

  // Whole words: a simulator takes a bit as long.
  always_comb begin
    logic [15:0] all;
    all = '0;
    for (int unsigned p = 0; p < Ports; p++) all |= 16'(valid_i[p]) << thread_i[p];
    set = wake_i | Threads'(all);
  end

  // What is subtracted, a bit of its own, is borrowed from the first set bit at or above, else from the first of all: of the
  // bits that were set that one is not any more. Both are registers, as the chain is long.
  logic [2*Threads-1:0] rest;
  assign rest  = {there_q, there_q} - (2 * Threads)'(from_q);
  assign grant = there_q & ~(rest[2*Threads-1:Threads] & rest[Threads-1:0]);

  // The number is taken apart here too: what is left to do behind the registers is short.
  logic [3:0] row_q, column_q, row, column;
  always_comb begin
    row = '0;
    column = '0;
    for (int unsigned t = 0; t < Threads; t++) begin
      row[t/4] |= grant[t];
      column[t%4] |= grant[t];
    end
  end
  assign pick_o   = |row_q;
  assign thread_o = {row_q[3] | row_q[2], row_q[3] | row_q[1], column_q[3] | column_q[2], column_q[3] | column_q[1]};

  always_comb begin
    from = Threads'(16'd1 << turn_i);
    if (32'(turn_i) >= Threads) from[0] = 1'b1;
  end
  assign there = (there_q | set) & ~grant;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      there_q <= '0;
      row_q   <= '0;
    end else begin
      there_q <= there;
      row_q   <= row;
      assert ((there_q & set) == '0);
    end
  end

  always_ff @(posedge clk_i) begin
    from_q   <= from;
    column_q <= column;
  end

  logic unused;
  assign unused = column_q[0];

endmodule
