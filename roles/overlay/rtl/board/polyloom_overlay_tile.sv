// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_tile: barrel cores that share an FPU, a data cache and a mailbox.
// How:          cores --+--> FPU            ctl (board numbering) --+--> cores: instructions, start, UART
//                       +--> cache --> line port of its slice       '--> mailbox: scratchpad words
//                       '--> mailbox <--> the tile's router          cores, mailbox --> events
// Latency:      of the parts. Throughput: of the parts.
// Backpressure: line and event ports are valid/ready; the network's side is rooms; nothing else waits.
// Order/loss:   of the parts; a control request is taken when its part takes it, responses come in order.
// Reset:        of the parts: no thread runs.
// Limits:       those of polyloom_overlay_node.
// Cost:         `polyloom synth overlay`.
// Source: Tinsel paper III, figure 2; Multicast paper III.   Tests: test_polyloom_overlay_node.py.
module polyloom_overlay_tile
  import polyloom_overlay_pkg::*;
#(
    parameter cfg_t Cfg  = TINY,
    parameter bit   Gate = 1'b0   // simulation: parts without work stand still
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    output logic        cache_idle_o,  // no memory access is under way
    input  logic [ 6:0] phase_i,       // of the board's cycle
    input  logic [ 5:0] tile_i,        // constant: its number on the board
    input  logic [15:0] hart_base_i,   // id of the tile's thread 0
    input  logic [ 7:0] mesh_i,        // boards: {height, width}

    // From the shell
    input  logic            ctl_valid_i,
    output logic            ctl_ready_o,
    input  ctl_req_t        ctl_i,
    output logic            ctl_rsp_valid_o,
    output logic     [31:0] ctl_rdata_o,

    // To the tile's router, and from it
    output logic  out_valid_o,
    output flit_t out_o,
    input  logic  out_room_i,
    input  logic  in_valid_i,
    input  flit_t in_i,
    output logic  in_room_o,

    // To the tile's memory slice
    output logic                             line_valid_o,
    input  logic                             line_ready_i,
    output line_req_t                        line_o,
    output logic      [8*Cfg.line_bytes-1:0] line_wdata_o,
    input  logic                             line_rsp_valid_i,
    input  logic      [      INDEX_BITS-1:0] line_rsp_tag_i,
    input  logic      [8*Cfg.line_bytes-1:0] line_rsp_data_i,

    // To the host
    output logic        event_valid_o,
    input  logic        event_ready_i,
    output tile_event_t event_o,

    // Termination detection
    output logic        all_idle_o,
    output logic        all_vote_o,
    output logic [15:0] in_flight_o,
    input  logic        release_i,
    input  logic        release_vote_i,

    // Counters
    input  logic        [          1:0][31:0] router_sent_i,  // of the board, for programs
    output logic        [Cfg.cores-1:0]       retired_o,      // pulse an instruction
    output tile_count_t                       count_o,

    // To show why nothing goes on: see polyloom_overlay_mailbox
    output logic [5:0][Cfg.cores*Cfg.threads-1:0] state_o
);
  localparam int unsigned Cores = Cfg.cores;
  localparam int unsigned Pairs = (Cores + 1) / 2;

  // ---- the shell's requests ----
  ctl_req_t ctl;
  logic for_mailbox, cores_ctl_ready, scratchpad_ctl_ready;
  logic cores_rsp_valid, scratchpad_rsp_valid;
  logic [31:0] cores_rdata, scratchpad_rdata;
  always_comb begin
    ctl = ctl_i;
    case (ctl_i.op)
      CTL_WRITE_INSTR, CTL_READ_INSTR: ctl.target = 10'(32'(ctl_i.target) - 32'(tile_i) * Pairs);
      CTL_START, CTL_UART: ctl.target = 10'(32'(ctl_i.target) - 32'(tile_i) * Cores);
      default: ctl.target = '0;
    endcase
  end
  assign for_mailbox = ctl_i.op == CTL_WRITE_SCRATCHPAD || ctl_i.op == CTL_READ_SCRATCHPAD;
  assign ctl_ready_o = for_mailbox ? scratchpad_ctl_ready : cores_ctl_ready;
  assign ctl_rsp_valid_o = cores_rsp_valid || scratchpad_rsp_valid;  // the shell asks for one word at a time
  assign ctl_rdata_o = scratchpad_rsp_valid ? scratchpad_rdata : cores_rdata;

  // ---- cores and units ----
  logic [Cores-1:0] cache_req_valid, scratchpad_req_valid, fpu_req_valid;
  mem_req_t [Cores-1:0] cache_req, scratchpad_req;
  fpu_req_t [Cores-1:0] fpu_req;
  logic [Cores-1:0] hit_valid, fill_valid, scratchpad_valid, fpu_valid, div_valid;
  rsp_t hit, fill, scratchpad, fpu, div;
  logic [Cores-1:0][Cfg.threads-1:0] can_send, can_recv, wake;
  logic [Cores-1:0][Cfg.threads-1:0][3:0] wake_bits;
  logic [Cores-1:0] recv_valid, free_valid, send_valid, wait_valid;
  logic [Cores-1:0][3:0] recv_thread, wait_thread, wait_bits;
  logic [Cores-1:0][SLOT_BITS-1:0] recv_slot, free_slot;
  send_t [Cores-1:0] send;
  logic count_hit, count_miss, count_writeback, count_sent, count_received;
  logic cores_event_valid, cores_event_ready, net_event_valid, net_event_ready;
  tile_event_t cores_event, net_event;
  trace_t [Cores-1:0] unused_trace;

  polyloom_overlay_cores #(
      .Cfg (Cfg),
      .Gate(Gate)
  ) i_cores (
      .clk_i,
      .rst_ni,
      .phase_i,
      .hart_base_i,
      .tile0_i               (tile_i == '0),
      .router_sent_i,
      .ctl_valid_i           (ctl_valid_i && !for_mailbox),
      .ctl_ready_o           (cores_ctl_ready),
      .ctl_i                 (ctl),
      .ctl_rsp_valid_o       (cores_rsp_valid),
      .ctl_rdata_o           (cores_rdata),
      .cache_req_valid_o     (cache_req_valid),
      .cache_req_o           (cache_req),
      .scratchpad_req_valid_o(scratchpad_req_valid),
      .scratchpad_req_o      (scratchpad_req),
      .fpu_req_valid_o       (fpu_req_valid),
      .fpu_req_o             (fpu_req),
      .hit_valid_i           (hit_valid),
      .hit_i                 (hit),
      .fill_valid_i          (fill_valid),
      .fill_i                (fill),
      .scratchpad_valid_i    (scratchpad_valid),
      .scratchpad_i          (scratchpad),
      .fpu_valid_i           (fpu_valid),
      .fpu_i                 (fpu),
      .div_valid_i           (div_valid),
      .div_i                 (div),
      .can_send_i            (can_send),
      .can_recv_i            (can_recv),
      .recv_valid_o          (recv_valid),
      .recv_thread_o         (recv_thread),
      .recv_slot_i           (recv_slot),
      .free_valid_o          (free_valid),
      .free_slot_o           (free_slot),
      .send_valid_o          (send_valid),
      .send_o                (send),
      .wait_valid_o          (wait_valid),
      .wait_thread_o         (wait_thread),
      .wait_bits_o           (wait_bits),
      .wake_i                (wake),
      .wake_bits_i           (wake_bits),
      .cache_hit_i           (count_hit),
      .cache_miss_i          (count_miss),
      .cache_writeback_i     (count_writeback),
      .event_valid_o         (cores_event_valid),
      .event_ready_i         (cores_event_ready),
      .event_o               (cores_event),
      .retired_o,
      .trace_o               (unused_trace)
  );

  if (Cfg.fpu || Cfg.muldiv) begin : gen_fpu
    logic fpu_clk, fpu_busy;
    polyloom_clock_busy #(
        .In (Cores),
        .Out(2)
    ) i_busy (
        .clk_i,
        .rst_ni,
        .in_i  (fpu_req_valid),
        .out_i ({|fpu_valid, |div_valid}),
        .busy_o(fpu_busy)
    );
    polyloom_clock_gate #(
        .Gate(Gate)
    ) i_clock (
        .clk_i,
        .rst_ni,
        .active_i(fpu_busy),
        .clk_o   (fpu_clk)
    );
    polyloom_overlay_fpu #(
        .Cfg(Cfg)
    ) i_fpu (
        .clk_i      (fpu_clk),
        .rst_ni,
        .req_valid_i(fpu_req_valid),
        .req_i      (fpu_req),
        .rsp_valid_o(fpu_valid),
        .rsp_o      (fpu),
        .div_valid_o(div_valid),
        .div_o      (div)
    );
  end else begin : gen_no_fpu
    assign fpu_valid = '0;
    assign fpu = '0;
    assign div_valid = '0;
    assign div = '0;
    logic unused;
    assign unused = ^{fpu_req_valid, fpu_req};
  end

  logic cache_clk;
  polyloom_clock_gate #(
      .Gate(Gate)
  ) i_cache_clock (
      .clk_i,
      .rst_ni,
      .active_i(!cache_idle_o || (|cache_req_valid) || line_rsp_valid_i),
      .clk_o   (cache_clk)
  );
  polyloom_overlay_cache #(
      .Cfg(Cfg)
  ) i_cache (
      .clk_i            (cache_clk),
      .rst_ni,
      .idle_o           (cache_idle_o),
      .req_valid_i      (cache_req_valid),
      .req_i            (cache_req),
      .hit_valid_o      (hit_valid),
      .hit_o            (hit),
      .fill_valid_o     (fill_valid),
      .fill_o           (fill),
      .line_valid_o,
      .line_ready_i,
      .line_o,
      .line_wdata_o,
      .line_rsp_valid_i,
      .line_rsp_tag_i,
      .line_rsp_data_i,
      .count_hit_o      (count_hit),
      .count_miss_o     (count_miss),
      .count_writeback_o(count_writeback)
  );

  logic [2:0] unused_count;
  logic [1:0][Cores-1:0] unused_counts;
  // It rests when the scratchpad has answered all threads, and begins when its tables are cleared.
  logic mailbox_clk, mailbox_idle, mailbox_called;
  assign mailbox_called = (|recv_valid) || (|free_valid) || (|send_valid) || (|wait_valid) || (|scratchpad_req_valid) ||
      (ctl_valid_i && for_mailbox) || in_valid_i || release_i;
  polyloom_clock_gate #(
      .Gate (Gate),
      .Rest (Cores * Cfg.threads + 32),
      .First(Cfg.mailbox_slots + 32)
  ) i_mailbox_clock (
      .clk_i,
      .rst_ni,
      .active_i(!mailbox_idle || mailbox_called),
      .clk_o   (mailbox_clk)
  );
  polyloom_overlay_mailbox #(
      .Cfg(Cfg)
  ) i_mailbox (
      .clk_i                     (mailbox_clk),
      .rst_ni,
      .mesh_i,
      .can_send_o                (can_send),
      .can_recv_o                (can_recv),
      .recv_valid_i              (recv_valid),
      .recv_thread_i             (recv_thread),
      .recv_slot_o               (recv_slot),
      .free_valid_i              (free_valid),
      .free_slot_i               (free_slot),
      .send_valid_i              (send_valid),
      .send_i                    (send),
      .wait_valid_i              (wait_valid),
      .wait_thread_i             (wait_thread),
      .wait_bits_i               (wait_bits),
      .wake_o                    (wake),
      .wake_bits_o               (wake_bits),
      .scratchpad_req_valid_i    (scratchpad_req_valid),
      .scratchpad_req_i          (scratchpad_req),
      .scratchpad_valid_o        (scratchpad_valid),
      .scratchpad_o              (scratchpad),
      .scratchpad_ctl_valid_i    (ctl_valid_i && for_mailbox),
      .scratchpad_ctl_ready_o    (scratchpad_ctl_ready),
      .scratchpad_ctl_i          (ctl),
      .scratchpad_ctl_rsp_valid_o(scratchpad_rsp_valid),
      .scratchpad_ctl_rdata_o    (scratchpad_rdata),
      .out_valid_o,
      .out_o,
      .out_room_i,
      .in_valid_i,
      .in_i,
      .in_room_o,
      .event_valid_o             (net_event_valid),
      .event_ready_i             (net_event_ready),
      .event_o                   (net_event),
      .all_idle_o,
      .all_vote_o,
      .in_flight_o,
      .release_i,
      .release_vote_i,
      .count_sent_o              (count_sent),
      .count_sent_flit_o         (unused_count[0]),
      .count_received_o          (count_received),
      .count_received_flit_o     (unused_count[1]),
      .count_delivered_o         (unused_counts[0]),
      .count_freed_o             (unused_count[2]),
      .count_lost_o              (unused_counts[1]),
      .state_o,
      .idle_o                    (mailbox_idle)
  );

  // ---- events: one that is offered stands until it is taken, as the host reads a fault in two words ----
  logic unused_event_of;
  rr_arb_tree #(
      .NumIn    (2),
      .DataType (tile_event_t),
      .AxiVldRdy(1'b1),
      .LockIn   (1'b1)
  ) i_events (
      .clk_i,
      .rst_ni,
      .flush_i(1'b0),
      .rr_i   ('0),
      .req_i  ({net_event_valid, cores_event_valid}),
      .gnt_o  ({net_event_ready, cores_event_ready}),
      .data_i ({net_event, cores_event}),
      .req_o  (event_valid_o),
      .gnt_i  (event_ready_i),
      .data_o (event_o),
      .idx_o  (unused_event_of)
  );

  assign count_o = '{
          hit: count_hit,
          miss: count_miss,
          writeback: count_writeback,
          sent: count_sent,
          received: count_received
      };
endmodule
