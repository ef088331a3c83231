// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_mailbox_slots: the free list of the slots for messages that come in.
// How:          a stack, so that few slots are in use where few are needed; the top one in a register, those below in block RAM,
//               read ahead. Slots that were never used follow below the stack, from First on. A slot carries its epoch: a bit that
//               changes with each use and by which polyloom_overlay_mailbox_references knows old counts from new ones.
// Latency:      a slot that is pushed can be popped in the next cycle.
// Throughput:   one push and one pop a cycle.
// Backpressure: count_o depends on registers only. A pop of an empty list is illegal (asserted).
// Order/loss:   last in, first out; nothing lost.
// Reset:        all slots from First on are free, with epoch 1.
// Limits:       0 <= First < Slots; Slots a power of two.
// Cost:         in polyloom_overlay_mailbox.
// Source:       own design.   Tests: test_polyloom_overlay_mailbox_slots.py; proof: proofs.toml [overlay_mailbox_slots]
module polyloom_overlay_mailbox_slots #(
    parameter int unsigned Slots = 512,
    parameter int unsigned First = 64,
    localparam int unsigned SlotBits = $clog2(Slots),
    localparam int unsigned CountBits = $clog2(Slots - First + 1)
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    // Receiver
    output logic [CountBits-1:0] count_o,      // free slots
    input  logic                 pop_i,
    output logic [ SlotBits-1:0] slot_o,       // what a pop takes
    output logic                 epoch_o,
    // References
    input  logic                 push_i,
    input  logic [ SlotBits-1:0] push_slot_i,
    input  logic                 push_epoch_i
);

  if (First >= Slots || Slots < 2) begin : gen_bad
    $error("%m: First %0d of %0d Slots; at least one slot must be for messages that come in", First, Slots);
  end

  typedef struct packed {
    logic                epoch;
    logic [SlotBits-1:0] slot;
  } entry_t;
  typedef logic [CountBits-1:0] count_t;

  count_t free_q, free_d, stack_q, stack_d;  // of the free ones, those in the stack
  logic [SlotBits-1:0] fresh_q;  // the lowest that was never used
  entry_t top_q, saved_q, below, below_read;
  logic pushed_q, from_stack, push_only, pop_only;
  assign from_stack = stack_q != '0;
  assign push_only = push_i && !(pop_i && from_stack);
  assign pop_only = pop_i && from_stack && !push_i;
  assign stack_d = stack_q + count_t'(push_only) - count_t'(pop_only);
  assign free_d = free_q + count_t'(push_i) - count_t'(pop_i);
  assign below = pushed_q ? saved_q : below_read;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      free_q   <= count_t'(Slots - First);
      stack_q  <= '0;
      fresh_q  <= SlotBits'(First);
      pushed_q <= 1'b0;
    end else begin
      free_q   <= free_d;
      stack_q  <= stack_d;
      pushed_q <= push_only;
      if (pop_i && !from_stack) fresh_q <= fresh_q + 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (push_i) top_q <= '{epoch: push_epoch_i, slot: push_slot_i};
    else if (pop_only) top_q <= below;
    saved_q <= top_q;
  end

  // Place i holds the entry with i others below it; the top one is not there.
  polyloom_ram_1r1w #(
      .Width($bits(entry_t)),
      .Depth(Slots)
  ) i_stack (
      .clk_i,
      .we_i   (push_only && from_stack),
      .be_i   (1'b1),
      .waddr_i(SlotBits'(stack_q - 1'b1)),
      .wdata_i(top_q),
      .re_i   (1'b1),
      .raddr_i(SlotBits'(stack_d - count_t'(2))),
      .rdata_o(below_read)
  );

  assign count_o = free_q;
  assign slot_o  = from_stack ? top_q.slot : fresh_q;
  assign epoch_o = from_stack ? top_q.epoch : 1'b1;

  always_ff @(posedge clk_i) begin
    assert (!pop_i || free_q != '0);
    assert (!push_i || free_q != count_t'(Slots - First));
  end

endmodule
