// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_mailbox_references: how many receivers still hold each slot; gives a slot back when the last one frees it.
// How:          two tables, each with one writer: `given` (the receiver: threads that a message goes to) and `freed` (here: how many
//               of them have freed it). Both carry the epoch of the slot's use: a count of another epoch is zero. A slot is held
//               while the counts differ; a free of one that is not held is left alone.
//                   free --> [ core's queue ] --> read both --> freed + 1 --> equal? released, epoch turned
// Latency:      3 cycles from a free to the release if no other thread frees.
// Throughput:   one free a cycle; one set a cycle.
// Backpressure: none: a core's queue can hold a free for each of its threads and slots, so that no program that frees what it has
//               received can fill it; of others, frees beyond that are lost (overflow_o).
// Order/loss:   a core's frees in order, cores take turns.
// Reset:        tables are cleared in the Slots cycles that follow; ready_o tells when. Frees are not taken until then.
// Limits:       a slot is set when it is not held (asserted in the proof); set_count_i 1..Threads.
// Cost:         in polyloom_overlay_mailbox.
// Source:       own design; docs/sources/tinsel.md, 3.1.   Tests: test_polyloom_overlay_mailbox_references.py;
//               proof: proofs.toml [overlay_mailbox_references]
module polyloom_overlay_mailbox_references #(
    parameter int unsigned Slots = 512,
    parameter int unsigned Cores = 4,
    parameter int unsigned Threads = 64,  // of all cores
    parameter int unsigned Queue = 8192,  // frees of a core that can wait; at least 2
    localparam int unsigned SlotBits = $clog2(Slots),
    localparam int unsigned CountBits = $clog2(Threads + 1)
) (
    input  logic                               clk_i,
    input  logic                               rst_ni,
    output logic                               ready_o,          // tables are cleared
    // Receiver: a message is complete
    input  logic                               set_valid_i,
    input  logic [ SlotBits-1:0]               set_slot_i,
    input  logic                               set_epoch_i,
    input  logic [CountBits-1:0]               set_count_i,
    // Cores
    input  logic [    Cores-1:0]               free_valid_i,
    input  logic [    Cores-1:0][SlotBits-1:0] free_slot_i,
    output logic [    Cores-1:0]               overflow_o,       // pulse: a free is lost
    output logic                               idle_o,           // no free waits
    // Free list
    output logic                               release_valid_o,
    output logic [ SlotBits-1:0]               release_slot_o,
    output logic                               release_epoch_o   // of its next use
);

  typedef logic [SlotBits-1:0] slot_t;
  typedef struct packed {
    logic                 epoch;
    logic [CountBits-1:0] count;
  } count_t;

  // ---- clearing ----

  logic [SlotBits:0] cleared_q;
  logic clearing;
  assign clearing = !cleared_q[SlotBits];
  assign ready_o  = !clearing;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) cleared_q <= '0;
    else if (clearing) cleared_q <= cleared_q + 1'b1;
  end

  // ---- which one is served ----

  logic [Cores-1:0] waiting, accepted, empty;
  assign idle_o = &empty;
  slot_t [Cores-1:0] oldest;
  logic [(Cores > 1 ? $clog2(Cores) : 1)-1:0] core;
  logic any;
  for (genvar c = 0; c < Cores; c++) begin : gen_core
    logic ready;
    logic [$clog2(Queue+1)-1:0] usage;
    assign empty[c] = usage == '0;
    polyloom_stream_ram_fifo #(
        .Width(SlotBits),
        .Depth(Queue)
    ) i_queue (
        .clk_i,
        .rst_ni,
        .flush_i    (1'b0),
        .in_valid_i (free_valid_i[c]),
        .in_ready_o (ready),
        .in_i       (free_slot_i[c]),
        .out_valid_o(waiting[c]),
        .out_ready_i(accepted[c]),
        .out_o      (oldest[c]),
        .usage_o    (usage)
    );
    assign accepted[c]   = any && ready_o && core == $bits(core)'(c);
    assign overflow_o[c] = free_valid_i[c] && !ready;
  end
  polyloom_overlay_mailbox_pick #(
      .Count(Cores)
  ) i_pick (
      .clk_i,
      .rst_ni,
      .request_i (waiting),
      .accepted_i(ready_o),
      .valid_o   (any),
      .idx_o     (core)
  );

  // ---- one free ----

  logic look, look_q, set_at_once_q, again_q, held, done;
  slot_t slot, slot_q;
  count_t given, freed_read, freed, freed_d, written_q;
  logic [CountBits-1:0] so_far;
  assign slot = oldest[core];
  assign look = any && ready_o;
  // What was written in the cycle of the read is not in what was read.
  assign freed = again_q ? written_q : freed_read;
  assign so_far = freed.epoch == given.epoch ? freed.count : '0;
  assign held = look_q && !set_at_once_q && so_far != given.count;
  assign freed_d = '{epoch: given.epoch, count: so_far + 1'b1};
  assign done = held && freed_d.count == given.count;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      look_q  <= 1'b0;
      again_q <= 1'b0;
    end else begin
      look_q  <= look;
      again_q <= look && held && slot == slot_q;
    end
  end
  always_ff @(posedge clk_i) begin
    if (look) slot_q <= slot;
    if (held) written_q <= freed_d;
    set_at_once_q <= set_valid_i && set_slot_i == slot;  // no thread can have received it yet
  end

  polyloom_ram_1r1w #(
      .Width($bits(count_t)),
      .Depth(Slots)
  ) i_given (
      .clk_i,
      .we_i   (set_valid_i || clearing),
      .be_i   (1'b1),
      .waddr_i(clearing ? cleared_q[SlotBits-1:0] : set_slot_i),
      .wdata_i(clearing ? '0 : {set_epoch_i, set_count_i}),
      .re_i   (look),
      .raddr_i(slot),
      .rdata_o(given)
  );

  polyloom_ram_1r1w #(
      .Width($bits(count_t)),
      .Depth(Slots)
  ) i_freed (
      .clk_i,
      .we_i   (held || clearing),
      .be_i   (1'b1),
      .waddr_i(clearing ? cleared_q[SlotBits-1:0] : slot_q),
      .wdata_i(clearing ? '0 : freed_d),
      .re_i   (look),
      .raddr_i(slot),
      .rdata_o(freed_read)
  );

  // The free list takes it from registers.
  logic release_q, release_epoch_q;
  slot_t release_slot_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) release_q <= 1'b0;
    else release_q <= done;
  end
  always_ff @(posedge clk_i) begin
    if (done) begin
      release_slot_q  <= slot_q;
      release_epoch_q <= !given.epoch;
    end
  end
  assign release_valid_o = release_q;
  assign release_slot_o  = release_slot_q;
  assign release_epoch_o = release_epoch_q;

endmodule
