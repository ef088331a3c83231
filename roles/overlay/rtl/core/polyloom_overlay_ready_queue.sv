// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_ready_queue: the threads of a core that can issue, in the order in which they became ready.
// How:          a ring of 16 in two banks of LUT RAM, even and odd places, so that two threads may join in a cycle:
//                   push 0, then push 1 --> [ even ] [ odd ] --> head
// Latency:      1 cycle from a push to the head.
// Throughput:   two pushes and one pop a cycle.
// Backpressure: none: a thread is in the queue once, so 16 places are enough. The head comes from LUT RAM; no path from
//               an input to an output.
// Order/loss:   first in, first out; of two pushes in a cycle, push 0 is first.
// Reset:        emptied; places are not cleared. Takes the first push in the first cycle after reset.
// Limits:       at most 16 threads in it (asserted); no pop while it is empty (asserted).
// Cost:         about 40 LUT4, 10 FF (ECP5; part of polyloom_overlay_core).
// Source:       own design.   Tests: test_polyloom_overlay_cores.py
module polyloom_overlay_ready_queue (
    input  logic            clk_i,
    input  logic            rst_ni,
    // Threads that join, in this order
    input  logic [1:0]      push_i,
    input  logic [1:0][3:0] thread_i,
    // The thread that may issue
    output logic            valid_o,
    output logic [3:0]      head_o,
    input  logic            pop_i
);

  logic [3:0] even_q[8];
  logic [3:0] odd_q [8];
  logic [4:0] head_q, tail_q, tail_1;
  logic swap;  // the first push goes to an odd place
  logic [1:0] we;
  logic [3:0] even_data, odd_data;
  logic [2:0] even_addr, odd_addr;

  assign valid_o = head_q != tail_q;
  assign head_o  = head_q[0] ? odd_q[head_q[3:1]] : even_q[head_q[3:1]];

  // A lone push 1 goes where push 0 would.
  assign tail_1  = tail_q + 5'd1;
  assign swap    = tail_q[0];
  always_comb begin
    we = {push_i == 2'b11, |push_i};
    if (swap) we = {we[0], we[1]};
    even_addr = swap ? tail_1[3:1] : tail_q[3:1];
    odd_addr  = tail_q[3:1];
    even_data = (swap || !push_i[0]) ? thread_i[1] : thread_i[0];
    odd_data  = (!swap || !push_i[0]) ? thread_i[1] : thread_i[0];
  end

  always_ff @(posedge clk_i) begin
    if (we[0]) even_q[even_addr] <= even_data;
    if (we[1]) odd_q[odd_addr] <= odd_data;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head_q <= '0;
      tail_q <= '0;
    end else begin
      if (pop_i) head_q <= head_q + 5'd1;
      tail_q <= tail_q + 5'(push_i[0]) + 5'(push_i[1]);
      assert (!pop_i || valid_o);
      assert (5'(tail_q - head_q) <= 5'd16);
    end
  end

endmodule
