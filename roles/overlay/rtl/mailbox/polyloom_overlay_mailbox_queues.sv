// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_mailbox_queues: one core's messages: hands each to the threads that its mask names, one after the other.
// How:          messages wait in the core's buffer as a slot and a set of threads. The oldest goes to the pointer queue of each of
//               its threads, lowest first. Pointer queues are rings of 64 in one block RAM, 63 places usable.
//                   slot, threads --> [ buffer ] --> lowest thread --> [ ring of the thread ] --> recv
// Latency:      can_recv_o is true 2 cycles after the message came; a slot follows recv_valid_i by one cycle.
// Throughput:   one receiver in 2 cycles; one recv a cycle.
// Backpressure: a full ring stops the core's buffer until its thread receives. The buffer has a place for each slot and an entry of
//               it holds a slot, so it never fills (asserted): the tile takes messages while it has slots.
// Order/loss:   each thread receives in order of arrival; nothing lost. A recv of an empty queue is left alone.
// Reset:        rings are emptied by clear_i, once for each thread, before the first message.
// Limits:       1 <= Threads <= 16.
// Cost:         in polyloom_overlay_mailbox.
// Source:       own design; docs/sources/tinsel.md, 3.1, Multicast paper III.
// Tests:        test_polyloom_overlay_mailbox_queues.py; proof: proofs.toml [overlay_mailbox_queues]
module polyloom_overlay_mailbox_queues #(
    parameter int unsigned Threads = 16,
    parameter int unsigned Slots = 512,
    parameter int unsigned Places = 64,  // of a ring
    localparam int unsigned SlotBits = $clog2(Slots),
    localparam int unsigned ThreadBits = Threads > 1 ? $clog2(Threads) : 1,
    localparam int unsigned PlaceBits = $clog2(Places)
) (
    input  logic                  clk_i,
    input  logic                  rst_ni,
    input  logic                  clear_i,         // empties a ring
    input  logic [ThreadBits-1:0] clear_thread_i,
    // Receiver
    input  logic                  in_valid_i,
    input  logic [   Threads-1:0] in_threads_i,    // not empty
    input  logic [  SlotBits-1:0] in_slot_i,
    // Core
    output logic [   Threads-1:0] can_recv_o,
    input  logic                  recv_valid_i,
    input  logic [ThreadBits-1:0] recv_thread_i,
    output logic [  SlotBits-1:0] recv_slot_o,     // in the next cycle
    // For counters, and to show why nothing moves
    output logic                  delivered_o,
    output logic                  stalled_o,       // a full ring holds the core's messages
    output logic                  idle_o           // no message waits for a receiver
);

  typedef logic [ThreadBits-1:0] thread_t;
  typedef logic [PlaceBits-1:0] place_t;
  typedef logic [SlotBits-1:0] slot_t;
  typedef struct packed {
    logic [Threads-1:0] threads;
    slot_t              slot;
  } entry_t;

  // ---- the buffer ----

  logic ready, waiting, pop;
  logic [$clog2(Slots+1)-1:0] usage;
  assign idle_o = usage == '0;
  entry_t oldest;
  polyloom_stream_ram_fifo #(
      .Width($bits(entry_t)),
      .Depth(Slots)
  ) i_buffer (
      .clk_i,
      .rst_ni,
      .flush_i    (1'b0),
      .in_valid_i,
      .in_ready_o (ready),
      .in_i       ({in_threads_i, in_slot_i}),
      .out_valid_o(waiting),
      .out_ready_i(pop),
      .out_o      (oldest),
      .usage_o    (usage)
  );
  always_ff @(posedge clk_i) assert (!in_valid_i || (ready && in_threads_i != '0));

  // ---- the next receiver ----

  logic [Threads-1:0] served_q, left, target;
  thread_t thread;
  logic pause_q, serve, full;
  assign left   = oldest.threads & ~served_q;
  assign target = left & (~left + 1'b1);
  always_comb begin
    thread = '0;
    for (int unsigned i = 0; i < Threads; i++) if (target[i]) thread |= thread_t'(i);
  end
  assign serve = waiting && !pause_q && !full;
  assign pop = serve && left == target;
  assign delivered_o = serve;
  assign stalled_o = waiting && full;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      served_q <= '0;
      pause_q  <= 1'b0;
    end else begin
      pause_q <= serve;
      if (serve) served_q <= pop ? '0 : served_q | target;
    end
  end

  // ---- rings ----

  place_t head_q[Threads], tail_q[Threads];
  place_t recv_head, serve_tail;
  logic [Threads-1:0] can_recv_q;
  logic recv;
  assign recv = recv_valid_i && can_recv_q[recv_thread_i];
  assign recv_head = head_q[recv_thread_i];
  assign serve_tail = tail_q[thread];
  // A place that is left in this cycle can be taken.
  assign full = place_t'(serve_tail + 1'b1) == head_q[thread] && !(recv && recv_thread_i == thread);

  always_ff @(posedge clk_i) begin
    if (recv || clear_i) head_q[clear_i?clear_thread_i : recv_thread_i] <= clear_i ? '0 : recv_head + 1'b1;
    if (serve || clear_i) tail_q[clear_i?clear_thread_i : thread] <= clear_i ? '0 : serve_tail + 1'b1;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) can_recv_q <= '0;
    else begin
      if (recv && place_t'(recv_head + 1'b1) == tail_q[recv_thread_i]) can_recv_q[recv_thread_i] <= 1'b0;
      if (serve) can_recv_q[thread] <= 1'b1;
    end
  end
  assign can_recv_o = can_recv_q;

  function automatic logic [(Threads > 1 ? ThreadBits : 0)+PlaceBits-1:0] place_of(input thread_t t, input place_t p);
    return Threads > 1 ? $bits(place_of)'({t, p}) : $bits(place_of)'(p);
  endfunction

  polyloom_ram_1r1w #(
      .Width(SlotBits),
      .Depth(Threads * Places)
  ) i_rings (
      .clk_i,
      .we_i   (serve),
      .be_i   (1'b1),
      .waddr_i(place_of(thread, serve_tail)),
      .wdata_i(oldest.slot),
      .re_i   (recv_valid_i),
      .raddr_i(place_of(recv_thread_i, recv_head)),
      .rdata_o(recv_slot_o)
  );

endmodule
