// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_ready_queue: the threads of a core that can issue, in the order in which they became ready.
// How:          a ring of 16 in two banks of LUT RAM, even and odd places, so that two threads may join in a cycle: the one that
//               is picked for this cycle, which passes an empty ring by, and the one that comes round in the next.
//                   picked --> push 0 -+-> [ even ] [ odd ] --> head
//                   again  --> push 1 -'
// Latency:      none from picked_i to the head if the ring is empty; 1 cycle from again_i.
// Throughput:   two threads in and one out a cycle.
// Backpressure: none: a thread is in the queue once, so 16 places are enough. Path from picked_i to the head.
// Order/loss:   first in, first out; of two that join in a cycle, the picked one is first.
// Reset:        emptied; places are not cleared. Takes the first thread in the first cycle after reset.
// Limits:       at most 16 threads in it (asserted).
// Cost:         about 60 LUT4, 14 FF (ECP5; part of polyloom_overlay_core).
// Source:       own design.   Tests: test_polyloom_overlay_ready_queue.py, test_polyloom_overlay_cores.py
module polyloom_overlay_ready_queue (
    input  logic       clk_i,
    input  logic       rst_ni,
    // Joins in this cycle
    input  logic       picked_i,
    input  logic [3:0] picked_thread_i,
    // Joins in the next cycle
    input  logic       again_i,
    input  logic [3:0] again_thread_i,
    // The thread that may issue
    output logic       valid_o,
    output logic       some_o,           // one of an earlier cycle
    output logic [3:0] head_o,
    input  logic       hold_i            // none does in this cycle
);

  logic [3:0] even_q[8];
  logic [3:0] odd_q[8];
  logic [3:0] tail_q;
  logic [2:0] even_addr;
  logic some_q, two_q;  // the ring holds a thread, and another
  logic [3:0] front_q, joins;  // the head's thread, so that nothing waits for the RAMs
  logic [3:0] second_q, third;  // the place after the head's, and the next
  logic push, both, swap, leaves, stay, two_stay;
  logic [1:0] we;
  logic [3:0] even_data, odd_data;

  assign valid_o   = some_q || picked_i;
  assign some_o    = some_q;
  assign head_o    = some_q ? front_q : picked_thread_i;
  assign joins     = push ? picked_thread_i : again_thread_i;

  assign push      = picked_i && (some_q || hold_i);
  assign both      = push && again_i;
  assign leaves    = some_q && !hold_i;
  // Without counting: of two that are there and no third, one stays when one leaves.
  assign third     = second_q + 4'd1;
  assign stay      = two_q || (some_q && !leaves);
  assign two_stay  = two_q && !(leaves && tail_q == third);

  // The first push goes to the tail's place, which may be an odd one.
  assign swap      = tail_q[0];
  assign even_addr = tail_q[3:1] + 3'(swap);
  always_comb begin
    we = {both, push || again_i};
    if (swap) we = {we[0], we[1]};
    even_data = swap || !push ? again_thread_i : picked_thread_i;
    odd_data  = !swap || !push ? again_thread_i : picked_thread_i;
  end

  always_ff @(posedge clk_i) begin
    if (we[0]) even_q[even_addr] <= even_data;
    if (we[1]) odd_q[tail_q[3:1]] <= odd_data;
    if (leaves || !some_q) front_q <= !two_q ? joins : second_q[0] ? odd_q[second_q[3:1]] : even_q[second_q[3:1]];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      second_q <= 4'd1;
      tail_q   <= '0;
      some_q   <= 1'b0;
      two_q    <= 1'b0;
    end else begin
      if (leaves) second_q <= third;
      tail_q <= tail_q + {2'b00, both, push ^ again_i};
      some_q <= stay || push || again_i;
      two_q  <= two_stay || (stay && (push || again_i)) || both;
      assert (!two_q || tail_q + 4'd1 != second_q || !(push || again_i) || (leaves && !both));
    end
  end

endmodule
