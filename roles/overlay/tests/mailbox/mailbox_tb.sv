// SPDX-License-Identifier: Apache-2.0
// mailbox_tb: mailboxes of three sizes, and their parts alone, in one binary; a test drives one scope.
module mailbox_tb
  import polyloom_overlay_pkg::*;
(
    input logic clk_i,
    input logic rst_ni
);

  // 0: small; 1: as large as it gets, with more send slots; 2: as small as it gets; 3: one of more tiles than published.
  // 1 and 3 have routers.
  function automatic cfg_t config_of(int unsigned which);
    cfg_t c;
    c = TINY;
    c.tiles_x = 2;
    c.tiles_y = 3;
    c.routers = 1'(which);
    if (which == 0) begin
      c.cores = 2;
      c.threads = 4;
      c.mailbox_slots = 128;
    end else if (which == 1) begin
      c.extra_send_slot = 1'b1;
    end else if (which == 2) begin
      c.cores = 1;
      c.threads = 1;
      c.mailbox_slots = 128;
      c.max_flits = 3;
    end else begin
      c.tiles_x = 5;
      c.tiles_y = 9;
      c.cores = 2;
      c.max_flits = 1;
    end
    return c;
  endfunction

  for (genvar k = 0; k < 3; k++) begin : gen_mailbox
    localparam cfg_t Cfg = config_of(k);
    localparam int unsigned C = Cfg.cores;
    localparam int unsigned T = Cfg.threads;
    logic [7:0] mesh = '0;
    logic [C-1:0][T-1:0] can_send, can_recv, wake;
    logic [C-1:0] recv_valid = '0, free_valid = '0, send_valid = '0, wait_valid = '0, pad_req_valid = '0, pad_valid;
    logic [C-1:0][3:0] recv_thread = '0, wait_thread = '0, wait_bits = '0;
    logic [C-1:0][SLOT_BITS-1:0] recv_slot, free_slot = '0;
    send_t [C-1:0] send = '0;
    logic [C-1:0][T-1:0][3:0] wake_bits;
    mem_req_t [C-1:0] pad_req = '0;
    rsp_t pad;
    logic ctl_valid = '0, ctl_ready, ctl_rsp_valid, out_valid, out_room = '0, in_valid = '0, in_room;
    ctl_req_t ctl = '0;
    logic [31:0] ctl_rdata;
    flit_t out, in_flit = '0;
    logic event_valid, event_ready = '0, all_idle, all_vote, released = '0, released_vote = '0;
    tile_event_t event_word;
    logic [15:0] in_flight;
    logic count_sent, count_sent_flit, count_received, count_received_flit, count_freed;
    logic [C-1:0] count_delivered, count_lost;
    logic [5:0][C*T-1:0] state;
    polyloom_overlay_mailbox #(
        .Cfg(Cfg)
    ) i_dut (
        .clk_i,
        .rst_ni,
        .mesh_i               (mesh),
        .can_send_o           (can_send),
        .can_recv_o           (can_recv),
        .recv_valid_i         (recv_valid),
        .recv_thread_i        (recv_thread),
        .recv_slot_o          (recv_slot),
        .free_valid_i         (free_valid),
        .free_slot_i          (free_slot),
        .send_valid_i         (send_valid),
        .send_i               (send),
        .wait_valid_i         (wait_valid),
        .wait_thread_i        (wait_thread),
        .wait_bits_i          (wait_bits),
        .wake_o               (wake),
        .wake_bits_o          (wake_bits),
        .pad_req_valid_i      (pad_req_valid),
        .pad_req_i            (pad_req),
        .pad_valid_o          (pad_valid),
        .pad_o                (pad),
        .pad_ctl_valid_i      (ctl_valid),
        .pad_ctl_ready_o      (ctl_ready),
        .pad_ctl_i            (ctl),
        .pad_ctl_rsp_valid_o  (ctl_rsp_valid),
        .pad_ctl_rdata_o      (ctl_rdata),
        .out_valid_o          (out_valid),
        .out_o                (out),
        .out_room_i           (out_room),
        .in_valid_i           (in_valid),
        .in_i                 (in_flit),
        .in_room_o            (in_room),
        .event_valid_o        (event_valid),
        .event_ready_i        (event_ready),
        .event_o              (event_word),
        .all_idle_o           (all_idle),
        .all_vote_o           (all_vote),
        .in_flight_o          (in_flight),
        .release_i            (released),
        .release_vote_i       (released_vote),
        .count_sent_o         (count_sent),
        .count_sent_flit_o    (count_sent_flit),
        .count_received_o     (count_received),
        .count_received_flit_o(count_received_flit),
        .count_delivered_o    (count_delivered),
        .count_freed_o        (count_freed),
        .count_lost_o         (count_lost),
        .state_o              (state),
        .idle_o               ()
    );
  end

  begin : gen_pad
    localparam cfg_t Cfg = config_of(0);
    localparam int unsigned C = Cfg.cores;
    logic [C-1:0] req_valid = '0, rsp_valid;
    mem_req_t [C-1:0] req = '0;
    rsp_t rsp;
    logic ctl_valid = '0, ctl_ready, ctl_rsp_valid, hold, settled, want = '0, read, write = '0;
    ctl_req_t ctl = '0;
    logic [31:0] ctl_rdata;
    logic [8:0] raddr = '0, waddr = '0;
    logic [FLIT_BITS-1:0] rflit, wflit = '0;
    // A sender of messages of four flits.
    logic [1:0] left_q;
    assign read = left_q != '0 || (want && settled);
    assign hold = left_q == '0 && want && !settled;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) left_q <= '0;
      else if (read) left_q <= left_q - 1'b1;
    end
    polyloom_overlay_mailbox_pad #(
        .Cfg(Cfg)
    ) i_dut (
        .clk_i,
        .rst_ni,
        .req_valid_i    (req_valid),
        .req_i          (req),
        .rsp_valid_o    (rsp_valid),
        .rsp_o          (rsp),
        .ctl_valid_i    (ctl_valid),
        .ctl_ready_o    (ctl_ready),
        .ctl_i          (ctl),
        .ctl_rsp_valid_o(ctl_rsp_valid),
        .ctl_rdata_o    (ctl_rdata),
        .hold_i         (hold),
        .settled_o      (settled),
        .read_i         (read),
        .raddr_i        (raddr),
        .flit_o         (rflit),
        .write_i        (write),
        .waddr_i        (waddr),
        .flit_i         (wflit)
    );
  end

  for (genvar k = 0; k < 2; k++) begin : gen_turns
    localparam int unsigned Cores = k == 0 ? 4 : 1;
    logic [Cores-1:0] valid = '0;
    logic [Cores-1:0][7:0] request = '0;
    logic hold = '0, waiting, grant;
    logic [(Cores > 1 ? 1 : 0):0] core;
    logic [7:0] granted;
    polyloom_overlay_mailbox_turns #(
        .Cores(Cores),
        .Depth(k == 0 ? 5 : 1),
        .Width(8)
    ) i_dut (
        .clk_i,
        .rst_ni,
        .valid_i  (valid),
        .request_i(request),
        .hold_i   (hold),
        .any_o    (waiting),
        .valid_o  (grant),
        .core_o   (core),
        .request_o(granted)
    );
  end

  for (genvar k = 0; k < 4; k++) begin : gen_pick  // of 1, 2, 3 and 4
    logic [k:0] request = '0;
    logic taken = 1'b0, valid;
    logic [(k > 0 ? $clog2(k + 1) : 1)-1:0] idx;
    polyloom_overlay_mailbox_pick #(
        .Count(k + 1)
    ) i_dut (
        .clk_i,
        .rst_ni,
        .request_i(request),
        .taken_i  (taken),
        .valid_o  (valid),
        .idx_o    (idx)
    );
  end

  for (genvar k = 0; k < 4; k++) begin : gen_check
    send_t send = '0;
    logic valid = 1'b0, busy = 1'b0, host, key, bad;
    send_fault_e why;
    logic [7:0] mesh = '0;
    polyloom_overlay_mailbox_check #(
        .Cfg(config_of(k))
    ) i_dut (
        .send_i (send),
        .valid_i(valid),
        .busy_i (busy),
        .mesh_i (mesh),
        .host_o (host),
        .key_o  (key),
        .bad_o  (bad),
        .why_o  (why)
    );
  end

  for (genvar k = 0; k < 3; k++) begin : gen_events
    localparam cfg_t Cfg = config_of(k);
    logic [Cfg.cores-1:0] bad = '0, lost;
    send_fault_e [Cfg.cores-1:0] why = '0;
    send_t [Cfg.cores-1:0] send = '0;
    logic told_valid, told_ready = 1'b0;
    tile_event_t told;
    polyloom_overlay_mailbox_events #(
        .Cfg(Cfg)
    ) i_dut (
        .clk_i,
        .rst_ni,
        .bad_i        (bad),
        .why_i        (why),
        .send_i       (send),
        .lost_o       (lost),
        .event_valid_o(told_valid),
        .event_ready_i(told_ready),
        .event_o      (told)
    );
  end

  for (genvar k = 0; k < 3; k++) begin : gen_queues
    localparam int unsigned Threads = k == 0 ? 16 : k == 1 ? 3 : 1;
    localparam int unsigned Slots = k == 0 ? 512 : k == 1 ? 24 : 5;
    localparam int unsigned Places = k == 0 ? 64 : k == 1 ? 4 : 2;
    logic clear = 1'b0, in_valid = 1'b0, recv = 1'b0, delivered, stalled, idle;
    logic [(Threads > 1 ? $clog2(Threads) : 1)-1:0] clear_thread = '0, recv_thread = '0;
    logic [Threads-1:0] in_threads = '0, can_recv;
    logic [$clog2(Slots)-1:0] in_slot = '0, recv_slot;
    polyloom_overlay_mailbox_queues #(
        .Threads(Threads),
        .Slots  (Slots),
        .Places (Places)
    ) i_dut (
        .clk_i,
        .rst_ni,
        .clear_i       (clear),
        .clear_thread_i(clear_thread),
        .in_valid_i    (in_valid),
        .in_threads_i  (in_threads),
        .in_slot_i     (in_slot),
        .can_recv_o    (can_recv),
        .recv_valid_i  (recv),
        .recv_thread_i (recv_thread),
        .recv_slot_o   (recv_slot),
        .delivered_o   (delivered),
        .stalled_o     (stalled),
        .idle_o        (idle)
    );
  end

  for (genvar k = 0; k < 3; k++) begin : gen_references
    localparam int unsigned Slots = k == 0 ? 16 : k == 1 ? 8 : 2;
    localparam int unsigned Cores = k == 0 ? 4 : k == 1 ? 3 : 1;
    localparam int unsigned Threads = k == 0 ? 8 : k == 1 ? 5 : 1;
    logic ready, set = 1'b0, set_epoch = 1'b0, idle, released, released_epoch;
    logic [$clog2(Slots)-1:0] set_slot = '0, released_slot;
    logic [$clog2(Threads+1)-1:0] set_count = '0;
    logic [Cores-1:0] free = '0, overflow;
    logic [Cores-1:0][$clog2(Slots)-1:0] free_slot = '0;
    polyloom_overlay_mailbox_references #(
        .Slots  (Slots),
        .Cores  (Cores),
        .Threads(Threads),
        .Queue  (k == 0 ? 8 : k == 1 ? 5 : 2)
    ) i_dut (
        .clk_i,
        .rst_ni,
        .ready_o        (ready),
        .set_valid_i    (set),
        .set_slot_i     (set_slot),
        .set_epoch_i    (set_epoch),
        .set_count_i    (set_count),
        .free_valid_i   (free),
        .free_slot_i    (free_slot),
        .overflow_o     (overflow),
        .idle_o         (idle),
        .release_valid_o(released),
        .release_slot_o (released_slot),
        .release_epoch_o(released_epoch)
    );
  end

  for (genvar k = 0; k < 4; k++) begin : gen_slots
    localparam int unsigned Slots = k == 0 ? 128 : k == 1 ? 16 : k == 2 ? 2 : 8;
    localparam int unsigned First = k == 0 ? 64 : k == 1 ? 3 : k == 2 ? 1 : 0;
    logic [$clog2(Slots-First+1)-1:0] count;
    logic [$clog2(Slots)-1:0] slot, push_slot = '0;
    logic pop = 1'b0, epoch, push = 1'b0, push_epoch = 1'b0;
    polyloom_overlay_mailbox_slots #(
        .Slots(Slots),
        .First(First)
    ) i_dut (
        .clk_i,
        .rst_ni,
        .count_o     (count),
        .pop_i       (pop),
        .slot_o      (slot),
        .epoch_o     (epoch),
        .push_i      (push),
        .push_slot_i (push_slot),
        .push_epoch_i(push_epoch)
    );
  end

endmodule
