// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_mailbox_receiver: puts messages from the network into free slots and names their receivers.
// How:          the first flit takes a slot; flits are written in the next cycle; with the last one the message goes to the queues
//               of its cores, one cycle later its references are set.
// Latency:      a flit on the wire in t is written in t + 1; of the last one, tail_o is in t + 1 and set_valid_o in t + 2.
// Throughput:   a flit a cycle; no bubble between messages.
// Backpressure: room_o: whether a message whose head the router grants in this cycle, so that its first flit comes in the next,
//               would find a slot. It depends combinationally on in_valid_i and in_i.first.
// Order/loss:   in order, nothing lost.
// Reset:        no message under way. room_o is low until ready_i.
// Limits:       flits of a message come in consecutive cycles; masks name threads that exist, at least one (asserted).
// Cost:         in polyloom_overlay_mailbox.
// Source:       own design.   Tests: test_polyloom_overlay_mailbox_receiver.py
module polyloom_overlay_mailbox_receiver
  import polyloom_overlay_pkg::*;
#(
    parameter cfg_t Cfg = TINY,
    localparam int unsigned Threads = Cfg.cores * Cfg.threads,
    localparam int unsigned SlotBits = $clog2(Cfg.mailbox_slots),
    localparam int unsigned First = Cfg.extra_send_slot ? 128 : 64,
    localparam int unsigned FreeBits = $clog2(Cfg.mailbox_slots - First + 1),
    localparam int unsigned CountBits = $clog2(Threads + 1)
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    // Network
    input  logic                   in_valid_i,
    input  flit_t                  in_i,
    output logic                   room_o,
    // Free list
    input  logic                   ready_i,      // references are there
    input  logic  [  FreeBits-1:0] count_i,
    output logic                   pop_o,
    input  logic  [  SlotBits-1:0] slot_i,
    input  logic                   epoch_i,
    // Scratchpad
    output logic                   write_o,
    output logic  [SlotBits+2-1:0] waddr_o,
    output logic  [ FLIT_BITS-1:0] flit_o,
    // Queues
    output logic                   tail_o,       // a message is complete
    output logic  [   Threads-1:0] mask_o,
    output logic  [  SlotBits-1:0] slot_o,
    // References
    output logic                   set_valid_o,
    output logic  [  SlotBits-1:0] set_slot_o,
    output logic                   set_epoch_o,
    output logic  [ CountBits-1:0] set_count_o
);

  logic head;
  assign head   = in_valid_i && in_i.first;
  assign pop_o  = head;
  assign room_o = ready_i && count_i > FreeBits'(head);

  // ---- on the wire, then in registers ----

  logic write_q, tail_q, epoch_q, set_q, set_epoch_q;
  logic [1:0] number_q;  // of the flit in the registers
  logic [SlotBits-1:0] slot_q, set_slot_q;
  logic [  Threads-1:0] mask_q;
  logic [FLIT_BITS-1:0] data_q;
  logic [CountBits-1:0] receivers, set_count_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q <= 1'b0;
      tail_q  <= 1'b0;
      set_q   <= 1'b0;
    end else begin
      write_q <= in_valid_i;
      tail_q  <= in_valid_i && in_i.last;
      set_q   <= tail_q;
    end
  end
  always_ff @(posedge clk_i) begin
    if (in_valid_i) begin
      data_q   <= in_i.data;
      number_q <= head ? '0 : number_q + 1'b1;
    end
    if (head) begin
      slot_q  <= slot_i;
      epoch_q <= epoch_i;
      mask_q  <= in_i.header.mask[Threads-1:0];
    end
    if (tail_q) begin
      set_slot_q  <= slot_q;
      set_epoch_q <= epoch_q;
      set_count_q <= receivers;
    end
  end

  always_comb begin
    receivers = '0;
    if (tail_q) for (int unsigned t = 0; t < Threads; t++) receivers += CountBits'(mask_q[t]);
  end

  assign write_o = write_q;
  assign waddr_o = {slot_q, number_q};
  assign flit_o = data_q;
  assign tail_o = tail_q;
  assign mask_o = mask_q;
  assign slot_o = slot_q;
  assign set_valid_o = set_q;
  assign set_slot_o = set_slot_q;
  assign set_epoch_o = set_epoch_q;
  assign set_count_o = set_count_q;

  always_ff @(posedge clk_i) begin
    assert (!head || (ready_i && count_i != '0));
    assert (!head || in_i.header.mask[Threads-1:0] != '0);
  end

  logic unused;
  assign unused = &{1'b0, in_i.header};

endmodule
