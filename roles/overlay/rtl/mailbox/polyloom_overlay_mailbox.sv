// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_mailbox: a tile's mailbox: scratchpad, sends, slots for messages that come, local multicast, waiting threads.
// How:          see the parts. Slots 0..63 (127 with extra_send_slot) are for sending; the others form one free list.
//                   cores' sends --> sender ----> scratchpad --> network
//                   network --> receiver --+----> scratchpad <--> cores' words
//                      free list --^  ^    '--> queues of each core --> recv
//                          ^------ references <-- frees
// Latency:      as in sim/net/mailbox.cc, in cycles of the wires: a send that comes in C can start in C + 1, its flit i is on the
//               wire i + 1 later; can_send_o n cycles after the start of n flits; can_recv_o of the first receiver 3 cycles after
//               the last flit was on the wire, of the others 2 cycles after the one before; wakes one cycle after their condition;
//               a scratchpad response 2 cycles after its grant; a freed slot can be used 4 cycles after the call.
// Throughput:   a flit in, a flit out and a word of the cores a cycle; a free a cycle; in each core a receiver in 2 cycles.
// Backpressure: in_room_o is low while no slot is free; it depends combinationally on in_valid_i and in_i.first. A thread whose 63
//               places are full stops the deliveries of its core; the tile takes messages until its slots are used up.
//               out_room_i is sampled in the cycle in which a send starts. Calls of the cores are always taken.
// Order/loss:   sends start in the order of the calls, of one cycle the lower core first; each thread receives in order of arrival.
// Reset:        empty; takes messages after mailbox_slots cycles. The scratchpad keeps what it holds.
// Limits:       cores 1, 2, 4; threads a power of two up to 16; mailbox_slots a power of two, 128 (256 with extra_send_slot) to 512;
//               max_flits 1..4 (checked at elaboration).
// Cost:         4 cores of 16 threads, 512 slots: 5298 LUT, 2117 FF, 29.5 BRAM36 (UltraScale+); 9431 LUT4, 59 EBR (ECP5). Of these
//               the network's copy of the scratchpad and its fifo: 302 LUT, 8 BRAM36; 71 LUT4, 16 EBR. Yosys 0.70, 2026-11.
// Source:       own design; docs/sources/tinsel.md, 3.1, Multicast paper III.   Tests: test_polyloom_overlay_mailbox.py
module polyloom_overlay_mailbox
  import polyloom_overlay_pkg::*;
#(
    parameter cfg_t Cfg = TINY,
    parameter bit TwoCopies = 1'b1  // 0: to measure what the network's copy of the scratchpad costs; not functional
) (
    input logic clk_i,
    input logic rst_ni,
    input logic [7:0] mesh_i,  // boards: height, width
    // Cores: calls
    output logic [Cfg.cores-1:0][Cfg.threads-1:0] can_send_o,
    output logic [Cfg.cores-1:0][Cfg.threads-1:0] can_recv_o,
    input logic [Cfg.cores-1:0] recv_valid_i,
    input logic [Cfg.cores-1:0][3:0] recv_thread_i,
    output logic [Cfg.cores-1:0][SLOT_BITS-1:0] recv_slot_o,  // in the next cycle
    input logic [Cfg.cores-1:0] free_valid_i,
    input logic [Cfg.cores-1:0][SLOT_BITS-1:0] free_slot_i,
    input logic [Cfg.cores-1:0] send_valid_i,
    input send_t [Cfg.cores-1:0] send_i,
    input logic [Cfg.cores-1:0] wait_valid_i,
    input logic [Cfg.cores-1:0][3:0] wait_thread_i,
    input logic [Cfg.cores-1:0][3:0] wait_bits_i,
    output logic [Cfg.cores-1:0][Cfg.threads-1:0] wake_o,  // pulse
    output logic [Cfg.cores-1:0][Cfg.threads-1:0][3:0] wake_bits_o,  // with it
    // Cores: words of the scratchpad
    input logic [Cfg.cores-1:0] scratchpad_req_valid_i,
    input mem_req_t [Cfg.cores-1:0] scratchpad_req_i,
    output logic [Cfg.cores-1:0] scratchpad_valid_o,
    output rsp_t scratchpad_o,
    // Host: words of the scratchpad
    input logic scratchpad_ctl_valid_i,
    output logic scratchpad_ctl_ready_o,
    input ctl_req_t scratchpad_ctl_i,
    output logic scratchpad_ctl_rsp_valid_o,
    output logic [31:0] scratchpad_ctl_rdata_o,
    // Network
    output logic out_valid_o,
    output flit_t out_o,
    input logic out_room_i,
    input logic in_valid_i,
    input flit_t in_i,
    output logic in_room_o,
    // Refused sends
    output logic event_valid_o,
    input logic event_ready_i,
    output tile_event_t event_o,
    // Detection
    output logic all_idle_o,
    output logic all_vote_o,
    output logic [15:0] in_flight_o,  // sends accepted - last frees
    input logic release_i,
    input logic release_vote_i,
    // Counters: pulses
    output logic count_sent_o,
    output logic count_sent_flit_o,
    output logic count_received_o,
    output logic count_received_flit_o,
    output logic [Cfg.cores-1:0] count_delivered_o,
    output logic count_freed_o,
    output logic [Cfg.cores-1:0] count_lost_o,  // refused sends without an event
    // To show why nothing goes on: {can receive, can send, waits by WaitBits} of each thread
    output logic [5:0][Cfg.cores*Cfg.threads-1:0] state_o,
    output logic idle_o  // nothing waits in it
);

  localparam int unsigned C = Cfg.cores;
  localparam int unsigned T = Cfg.threads;
  localparam int unsigned Threads = C * T;
  localparam int unsigned Slots = Cfg.mailbox_slots;
  localparam int unsigned SlotBits = $clog2(Slots);
  localparam int unsigned First = Cfg.extra_send_slot ? 128 : 64;
  localparam int unsigned ThreadBits = T > 1 ? $clog2(T) : 1;

  if (!(C inside {1, 2, 4}) || !(T inside {1, 2, 4, 8, 16})) begin : gen_bad_threads
    $error("%m: %0d cores of %0d threads; 1, 2 or 4 cores of 1, 2, 4, 8 or 16 threads", C, T);
  end
  if (Slots > 512 || Slots != 2 ** SlotBits || Slots <= First) begin : gen_bad_slots
    $error("%m: mailbox_slots %0d; a power of two, more than %0d, at most 512", Slots, First);
  end
  if (Cfg.max_flits < 1 || Cfg.max_flits > 4) begin : gen_bad_flits
    $error("%m: max_flits %0d; 1 to 4", Cfg.max_flits);
  end

  // ---- scratchpad ----

  logic hold, settled, read, write;
  logic [SlotBits+2-1:0] raddr, waddr;
  logic [FLIT_BITS-1:0] rflit, wflit;
  polyloom_overlay_mailbox_scratchpad #(
      .Cfg      (Cfg),
      .TwoCopies(TwoCopies)
  ) i_scratchpad (
      .clk_i,
      .rst_ni,
      .req_valid_i    (scratchpad_req_valid_i),
      .req_i          (scratchpad_req_i),
      .rsp_valid_o    (scratchpad_valid_o),
      .rsp_o          (scratchpad_o),
      .ctl_valid_i    (scratchpad_ctl_valid_i),
      .ctl_ready_o    (scratchpad_ctl_ready_o),
      .ctl_i          (scratchpad_ctl_i),
      .ctl_rsp_valid_o(scratchpad_ctl_rsp_valid_o),
      .ctl_rdata_o    (scratchpad_ctl_rdata_o),
      .hold_i         (hold),
      .settled_o      (settled),
      .read_i         (read),
      .raddr_i        (raddr),
      .flit_o         (rflit),
      .write_i        (write),
      .waddr_i        (waddr),
      .flit_i         (wflit)
  );

  // ---- sending ----

  logic sender_idle, references_idle;
  logic [C-1:0] bad, queue_idle;
  send_fault_e [C-1:0] why;
  logic [$clog2(C+1)-1:0] accepted;
  polyloom_overlay_mailbox_sender #(
      .Cfg(Cfg)
  ) i_sender (
      .clk_i,
      .rst_ni,
      .mesh_i,
      .send_valid_i,
      .send_i,
      .can_send_o,
      .bad_o     (bad),
      .why_o     (why),
      .accepted_o(accepted),
      .settled_i (settled),
      .hold_o    (hold),
      .read_o    (read),
      .raddr_o   (raddr),
      .flit_i    (rflit),
      .out_valid_o,
      .out_o,
      .room_i    (out_room_i),
      .start_o   (count_sent_o),
      .idle_o    (sender_idle)
  );
  assign count_sent_flit_o = read;

  polyloom_overlay_mailbox_events #(
      .Cfg(Cfg)
  ) i_events (
      .clk_i,
      .rst_ni,
      .bad_i (bad),
      .why_i (why),
      .send_i,
      .lost_o(count_lost_o),
      .event_valid_o,
      .event_ready_i,
      .event_o
  );

  // ---- receiving ----

  logic ready, pop, next_epoch, tail, set_valid, set_epoch, released, released_epoch;
  logic [$clog2(Slots-First+1)-1:0] free;
  logic [SlotBits-1:0] next_slot, slot, set_slot, released_slot;
  logic [Threads-1:0] mask;
  logic [$clog2(Threads+1)-1:0] set_count;
  polyloom_overlay_mailbox_receiver #(
      .Cfg(Cfg)
  ) i_receiver (
      .clk_i,
      .rst_ni,
      .in_valid_i,
      .in_i,
      .room_o     (in_room_o),
      .ready_i    (ready),
      .count_i    (free),
      .pop_o      (pop),
      .slot_i     (next_slot),
      .epoch_i    (next_epoch),
      .write_o    (write),
      .waddr_o    (waddr),
      .flit_o     (wflit),
      .tail_o     (tail),
      .mask_o     (mask),
      .slot_o     (slot),
      .set_valid_o(set_valid),
      .set_slot_o (set_slot),
      .set_epoch_o(set_epoch),
      .set_count_o(set_count)
  );
  assign count_received_o = tail;
  assign count_received_flit_o = write;

  polyloom_overlay_mailbox_slots #(
      .Slots(Slots),
      .First(First)
  ) i_slots (
      .clk_i,
      .rst_ni,
      .count_o     (free),
      .pop_i       (pop),
      .slot_o      (next_slot),
      .epoch_o     (next_epoch),
      .push_i      (released),
      .push_slot_i (released_slot),
      .push_epoch_i(released_epoch)
  );

  logic [C-1:0][SlotBits-1:0] free_slot;
  logic [C-1:0] overflow, stalled;
  for (genvar c = 0; c < C; c++) begin : gen_free
    assign free_slot[c] = free_slot_i[c][SlotBits-1:0];
  end
  polyloom_overlay_mailbox_references #(
      .Slots  (Slots),
      .Cores  (C),
      .Threads(Threads),
      .Queue  (T * (Slots - First) > 1 ? T * (Slots - First) : 2)
  ) i_references (
      .clk_i,
      .rst_ni,
      .ready_o        (ready),
      .set_valid_i    (set_valid),
      .set_slot_i     (set_slot),
      .set_epoch_i    (set_epoch),
      .set_count_i    (set_count),
      .free_valid_i,
      .free_slot_i    (free_slot),
      .overflow_o     (overflow),
      .idle_o         (references_idle),
      .release_valid_o(released),
      .release_slot_o (released_slot),
      .release_epoch_o(released_epoch)
  );
  assign count_freed_o = released;

  logic [3:0] clear_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) clear_q <= '0;
    else if (!ready) clear_q <= clear_q + 1'b1;
  end

  for (genvar c = 0; c < C; c++) begin : gen_core
    logic [T-1:0] threads;
    logic [SlotBits-1:0] recv_slot;
    assign threads = mask[c*T+:T];
    assign recv_slot_o[c] = SLOT_BITS'(recv_slot);
    polyloom_overlay_mailbox_queues #(
        .Threads(T),
        .Slots  (Slots)
    ) i_queues (
        .clk_i,
        .rst_ni,
        .clear_i       (!ready),
        .clear_thread_i(clear_q[ThreadBits-1:0]),
        .in_valid_i    (tail && threads != '0),
        .in_threads_i  (threads),
        .in_slot_i     (slot),
        .can_recv_o    (can_recv_o[c]),
        .recv_valid_i  (recv_valid_i[c]),
        .recv_thread_i (recv_thread_i[c][ThreadBits-1:0]),
        .recv_slot_o   (recv_slot),
        .delivered_o   (count_delivered_o[c]),
        .stalled_o     (stalled[c]),
        .idle_o        (queue_idle[c])
    );
  end

  // ---- waiting and detection ----

  logic [3:0][Threads-1:0] waits;
  polyloom_overlay_mailbox_waits #(
      .Cfg(Cfg)
  ) i_waits (
      .clk_i,
      .rst_ni,
      .wait_valid_i,
      .wait_thread_i,
      .wait_bits_i,
      .wake_o,
      .wake_bits_o,
      .can_send_i(can_send_o),
      .can_recv_i(can_recv_o),
      .release_i,
      .release_vote_i,
      .all_idle_o,
      .all_vote_o,
      .waits_o   (waits)
  );
  assign state_o = {can_recv_o, can_send_o, waits};

  logic [15:0] in_flight_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) in_flight_q <= '0;
    else if (accepted != '0 || released) in_flight_q <= in_flight_q + 16'(accepted) - 16'(released);
  end
  assign in_flight_o = in_flight_q;

  assign idle_o = sender_idle && references_idle && (&queue_idle) && !event_valid_o;

  logic unused;
  assign unused = &{1'b0, free_slot_i, recv_thread_i, overflow, stalled};

endmodule
