// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_node: an overlay board: tiles, memories' ports, message network, links, detection, host link.
// How:          host link <--> front <--> tiles <--> memories
//                                |          |
//                                '-- message network -- periphery <--> lanes N, E, S, W
// Latency:      of the parts. Throughput: of the parts.
// Backpressure: lanes never wait; the host link is valid/ready; memories are AXI4.
// Order/loss:   of the parts. Deadlock: README.md.
// Reset:        no thread runs, caches empty, no message anywhere, epoch 0. The first frame of the host is taken then.
// Limits:       parameters as checked below; strap_i is constant.
// Cost:         `polyloom synth overlay`.
// Source: Tinsel paper III, Multicast paper III.   Tests: test_polyloom_overlay_node.py.
module polyloom_overlay_node
  import polyloom_overlay_pkg::*;
#(
    parameter int unsigned TilesX = 1,
    parameter int unsigned TilesY = 1,
    parameter int unsigned Cores = 4,  // of a tile
    parameter int unsigned Threads = 16,  // of a core
    parameter int unsigned InstrWords = 2048,
    parameter int unsigned CacheWays = 16,
    parameter int unsigned CacheSets = 4,  // of a thread
    parameter int unsigned LineBytes = 32,
    parameter int unsigned Slices = 1,
    parameter int unsigned MailboxSlots = 512,
    parameter int unsigned MaxFlits = 4,
    parameter int unsigned NocLinkFlits = 16,
    parameter bit ExtraSendSlot = 1'b0,
    parameter bit Fpu = 1'b1,
    parameter bit MulDiv = 1'b1,
    parameter bit Routers = 1'b1,  // programmable routers
    parameter longint unsigned ClockHz = 64'd250_000_000,
    parameter bit Gate = 1'b0,  // simulation: parts without work stand still
    localparam int unsigned Links = 4,
    localparam int unsigned Memories = 3 * Slices,
    localparam int unsigned IdBits = $clog2(TilesX * TilesY / Slices + (Routers ? 3 : 1)) + INDEX_BITS
) (
    input logic clk_i,
    input logic rst_ni,
    input logic [63:0] cycle_i,  // number of the coming edge
    output logic idle_o,  // nothing comes out before something comes in; only counters of cycles go on
    // [45:30] word time, [29:14] time-out of links; [13:10] height, [9:6] width of the mesh; [5:3] y, [2:0] x
    input logic [45:0] strap_i,

    // Lanes: links N, E, S, W
    input  logic [Links-1:0]       lane_rx_valid_i,
    input  logic [Links-1:0][63:0] lane_rx_data_i,
    input  logic [Links-1:0][ 7:0] lane_rx_keep_i,
    input  logic [Links-1:0]       lane_rx_last_i,
    input  logic [Links-1:0]       lane_rx_pulse_i,
    output logic [Links-1:0]       lane_tx_valid_o,
    input  logic [Links-1:0]       lane_tx_ready_i,
    output logic [Links-1:0][63:0] lane_tx_data_o,
    output logic [Links-1:0][ 7:0] lane_tx_keep_o,
    output logic [Links-1:0]       lane_tx_last_o,
    output logic [Links-1:0]       lane_tx_pulse_o,

    // Host link
    input  logic        host_rx_valid_i,
    output logic        host_rx_ready_o,
    input  logic [63:0] host_rx_data_i,
    input  logic        host_rx_last_i,
    output logic        host_tx_valid_o,
    input  logic        host_tx_ready_i,
    output logic [63:0] host_tx_data_o,
    output logic        host_tx_last_o,

    // Memories: DRAM, SRAM A, SRAM B of slice 0, then of slice 1
    output logic [Memories-1:0]             mem_ar_valid_o,
    input  logic [Memories-1:0]             mem_ar_ready_i,
    output logic [Memories-1:0][      39:0] mem_ar_addr_o,
    output logic [Memories-1:0][       7:0] mem_ar_len_o,
    output logic [Memories-1:0][IdBits-1:0] mem_ar_id_o,
    input  logic [Memories-1:0]             mem_r_valid_i,
    output logic [Memories-1:0]             mem_r_ready_o,
    input  logic [Memories-1:0][     255:0] mem_r_data_i,
    input  logic [Memories-1:0]             mem_r_last_i,
    input  logic [Memories-1:0][IdBits-1:0] mem_r_id_i,
    output logic [Memories-1:0]             mem_aw_valid_o,
    input  logic [Memories-1:0]             mem_aw_ready_i,
    output logic [Memories-1:0][      39:0] mem_aw_addr_o,
    output logic [Memories-1:0][       7:0] mem_aw_len_o,
    output logic [Memories-1:0][IdBits-1:0] mem_aw_id_o,
    output logic [Memories-1:0]             mem_w_valid_o,
    input  logic [Memories-1:0]             mem_w_ready_i,
    output logic [Memories-1:0][     255:0] mem_w_data_o,
    output logic [Memories-1:0][      31:0] mem_w_strb_o,
    output logic [Memories-1:0]             mem_w_last_o,
    input  logic [Memories-1:0]             mem_b_valid_i,
    output logic [Memories-1:0]             mem_b_ready_o,
    input  logic [Memories-1:0][IdBits-1:0] mem_b_id_i,

    // Counters since reset, for the run record
    output logic [63:0] count_instructions_o,
    output logic [63:0] count_hits_o,
    output logic [63:0] count_misses_o,
    output logic [63:0] count_writebacks_o,
    output logic [63:0] count_messages_sent_o,
    output logic [63:0] count_messages_received_o,
    output logic [63:0] count_link_sent_o,
    output logic [63:0] count_link_received_o,
    output logic [63:0] count_link_again_o,           // frames sent again
    output logic [63:0] count_link_bad_o,             // frames that came damaged
    output logic [63:0] count_router_copies_o,
    output logic [63:0] count_router_copies_links_o,
    output logic [63:0] count_router_keys_o,          // messages with a key that have ended
    output logic [63:0] count_router_beats_o,
    output logic [63:0] count_barriers_o,

    // To show why nothing goes on: {can receive, can send, waits by WaitBits} of each thread
    output logic [TilesX*TilesY-1:0][5:0][Cores*Threads-1:0] state_threads_o
);
  localparam int unsigned Tiles = TilesX * TilesY;
  localparam int unsigned LineBits = 8 * LineBytes;
  localparam cfg_t Cfg = '{
      tiles_x: TilesX,
      tiles_y: TilesY,
      cores: Cores,
      threads: Threads,
      instr_words: InstrWords,
      cache_ways: CacheWays,
      cache_sets: CacheSets,
      line_bytes: LineBytes,
      slices: Slices,
      mailbox_slots: MailboxSlots,
      max_flits: MaxFlits,
      noc_link_flits: NocLinkFlits,
      extra_send_slot: ExtraSendSlot,
      fpu: Fpu,
      muldiv: MulDiv,
      routers: Routers
  };
  function automatic bit power_of_two(input int unsigned value, input int unsigned least, input int unsigned most);
    return value >= least && value <= most && (value & (value - 1)) == 0;
  endfunction
  if (!power_of_two(TilesX, 1, 8) || !power_of_two(TilesY, 1, 8)) begin : gen_bad_tiles
    $error("%m: TilesX and TilesY are %0d and %0d, must be powers of two up to 8", TilesX, TilesY);
  end
  if (!power_of_two(Cores, 1, 4) || !power_of_two(Threads, 1, 16)) begin : gen_bad_threads
    $error("%m: Cores is %0d, must be 1, 2 or 4; Threads is %0d, must be a power of two up to 16", Cores, Threads);
  end
  if (!power_of_two(InstrWords, 256, 16384)) begin : gen_bad_instr
    $error("%m: InstrWords is %0d, must be a power of two from 256 to 16384", InstrWords);
  end
  if (!power_of_two(
          CacheWays, 1, 16
      ) || !power_of_two(
          CacheSets, 1, 16
      ) || CacheWays * CacheSets > 64) begin : gen_bad_cache
    $error(
        "%m: CacheWays %0d and CacheSets %0d must be powers of two up to 16, their product at most 64",
        CacheWays,
        CacheSets
    );
  end
  if (LineBytes != 32 && LineBytes != 64) begin : gen_bad_line
    $error("%m: LineBytes is %0d, must be 32 or 64", LineBytes);
  end
  if (!power_of_two(Slices, 1, 2) || Slices > Tiles) begin : gen_bad_slices
    $error("%m: Slices is %0d, must be 1 or 2, and not more than tiles", Slices);
  end
  if (!power_of_two(MailboxSlots, 128, 512) || (ExtraSendSlot && MailboxSlots < 256)) begin : gen_bad_slots
    $error("%m: MailboxSlots is %0d, must be 128, 256 or 512, from 256 with ExtraSendSlot", MailboxSlots);
  end
  if (MaxFlits < 1 || MaxFlits > 4 || NocLinkFlits < MaxFlits || NocLinkFlits > 32) begin : gen_bad_flits
    $error("%m: MaxFlits is %0d, must be 1 to 4; NocLinkFlits is %0d, must be MaxFlits to 32", MaxFlits, NocLinkFlits);
  end

  logic [5:0] board;
  logic [7:0] mesh;
  // In a register, though constant: what hangs on an input is evaluated anew in every cycle of a simulation, and what hangs
  // on a register with every edge of its clock.
  logic strap_clk;
  logic [45:0] strap_q;
  polyloom_clock_gate #(
      .Gate(Gate)
  ) i_strap_clock (
      .clk_i,
      .rst_ni,
      .active_i(strap_q != strap_i),
      .clk_o   (strap_clk)
  );
  always_ff @(posedge strap_clk) strap_q <= strap_i;
  assign board = strap_q[5:0];
  assign mesh  = strap_q[13:6];

  // ---- host ----
  logic frontend_idle, ctl_valid, ctl_ready, ctl_rsp_valid, event_valid, event_ready;
  logic inject, may_inject, host_in, host_out, route_fault_valid, route_fault_ready;
  route_fault_t route_fault;
  ctl_req_t ctl;
  logic [31:0] ctl_rdata, barriers;
  tile_event_t tile_event;
  logic [7:0] event_tile;
  logic [Slices-1:0] dma_valid, dma_ready, dma_rsp_valid;
  line_req_t [Slices-1:0] dma;
  logic [Slices-1:0][LineBits-1:0] dma_wdata, dma_rsp_data;
  logic [Slices-1:0][LineBytes-1:0] dma_wstrb;
  logic [Slices-1:0][INDEX_BITS-1:0] dma_rsp_tag;
  logic [Tiles-1:0][Cores-1:0] retired;
  logic [Links:0] exit_valid, exit_ready, enter_valid, enter_room;
  flit_t exit_flit[Links+1], enter_flit[Links+1];
  polyloom_overlay_frontend #(
      .Cfg    (Cfg),
      .ClockHz(ClockHz),
      .Gate   (Gate)
  ) i_front (
      .clk_i,
      .rst_ni,
      .idle_o          (frontend_idle),
      .cycle_i,
      .board_i         (board),
      .mesh_i          (mesh),
      .host_rx_valid_i,
      .host_rx_ready_o,
      .host_rx_data_i,
      .host_rx_last_i,
      .host_tx_valid_o,
      .host_tx_ready_i,
      .host_tx_data_o,
      .host_tx_last_o,
      .line_valid_o    (dma_valid),
      .line_ready_i    (dma_ready),
      .line_o          (dma),
      .line_wdata_o    (dma_wdata),
      .line_wstrb_o    (dma_wstrb),
      .line_rsp_valid_i(dma_rsp_valid),
      .line_rsp_tag_i  (dma_rsp_tag),
      .line_rsp_data_i (dma_rsp_data),
      .ctl_valid_o     (ctl_valid),
      .ctl_ready_i     (ctl_ready),
      .ctl_o           (ctl),
      .ctl_rsp_valid_i (ctl_rsp_valid),
      .ctl_rdata_i     (ctl_rdata),
      .event_valid_i   (event_valid),
      .event_ready_o   (event_ready),
      .event_i         (tile_event),
      .event_tile_i    (event_tile),
      .retired_i       (retired),
      .fault_valid_i   (route_fault_valid),
      .fault_ready_o   (route_fault_ready),
      .fault_i         (route_fault),
      .enter_valid_o   (enter_valid[Links]),
      .enter_o         (enter_flit[Links]),
      .enter_room_i    (enter_room[Links]),
      .exit_valid_i    (exit_valid[Links]),
      .exit_ready_o    (exit_ready[Links]),
      .exit_i          (exit_flit[Links]),
      .inject_o        (inject),
      .may_inject_i    (may_inject),
      .host_in_o       (host_in),
      .host_out_o      (host_out),
      .barriers_i      (barriers)
  );

  // ---- tiles ----
  logic tiles_idle;
  logic [Slices-1:0][1:0] key_valid, key_ready, key_rsp_valid;
  line_req_t [Slices-1:0][1:0] key;
  logic [Slices-1:0][INDEX_BITS-1:0] key_rsp_tag;
  logic [Slices-1:0][LineBits-1:0] key_rsp_data;
  logic [Tiles-1:0] out_valid, out_room, in_valid, in_room, all_idle, all_vote, let_go, let_go_vote;
  flit_t out_flit[Tiles], in_flit[Tiles];
  logic [Tiles-1:0][15:0] in_flight;
  logic [1:0][31:0] router_sent;
  tile_count_t [Tiles-1:0] count;
  polyloom_overlay_tiles #(
      .Cfg (Cfg),
      .Gate(Gate)
  ) i_tiles (
      .clk_i,
      .rst_ni,
      .idle_o         (tiles_idle),
      .phase_i        (cycle_i[6:0]),
      .board_i        (board),
      .mesh_i         (mesh),
      .ctl_valid_i    (ctl_valid),
      .ctl_ready_o    (ctl_ready),
      .ctl_i          (ctl),
      .ctl_rsp_valid_o(ctl_rsp_valid),
      .ctl_rdata_o    (ctl_rdata),
      .dma_valid_i    (dma_valid),
      .dma_ready_o    (dma_ready),
      .dma_i          (dma),
      .dma_wdata_i    (dma_wdata),
      .dma_wstrb_i    (dma_wstrb),
      .dma_rsp_valid_o(dma_rsp_valid),
      .dma_rsp_tag_o  (dma_rsp_tag),
      .dma_rsp_data_o (dma_rsp_data),
      .key_valid_i    (key_valid),
      .key_ready_o    (key_ready),
      .key_i          (key),
      .key_rsp_valid_o(key_rsp_valid),
      .key_rsp_tag_o  (key_rsp_tag),
      .key_rsp_data_o (key_rsp_data),
      .out_valid_o    (out_valid),
      .out_o          (out_flit),
      .out_room_i     (out_room),
      .in_valid_i     (in_valid),
      .in_i           (in_flit),
      .in_room_o      (in_room),
      .event_valid_o  (event_valid),
      .event_ready_i  (event_ready),
      .event_o        (tile_event),
      .event_tile_o   (event_tile),
      .all_idle_o     (all_idle),
      .all_vote_o     (all_vote),
      .in_flight_o    (in_flight),
      .release_i      (let_go),
      .release_vote_i (let_go_vote),
      .mem_ar_valid_o,
      .mem_ar_ready_i,
      .mem_ar_addr_o,
      .mem_ar_len_o,
      .mem_ar_id_o,
      .mem_r_valid_i,
      .mem_r_ready_o,
      .mem_r_data_i,
      .mem_r_last_i,
      .mem_r_id_i,
      .mem_aw_valid_o,
      .mem_aw_ready_i,
      .mem_aw_addr_o,
      .mem_aw_len_o,
      .mem_aw_id_o,
      .mem_w_valid_o,
      .mem_w_ready_i,
      .mem_w_data_o,
      .mem_w_strb_o,
      .mem_w_last_o,
      .mem_b_valid_i,
      .mem_b_ready_o,
      .router_sent_i  (router_sent),
      .retired_o      (retired),
      .count_o        (count),
      .state_o        (state_threads_o)
  );

  // ---- network ----
  logic [inputs_bits(Cfg.tiles_x)-1:0] copies, keys_ended, sent_up;
  logic [2:0] copies_links;
  logic [1:0] beats_read;
  polyloom_overlay_noc #(
      .Cfg (Cfg),
      .Gate(Gate)
  ) i_noc (
      .clk_i,
      .rst_ni,
      .board_i         (board),
      .mesh_i          (mesh),
      .in_valid_i      (out_valid),
      .in_i            (out_flit),
      .in_room_o       (out_room),
      .out_valid_o     (in_valid),
      .out_o           (in_flit),
      .out_room_i      (in_room),
      .exit_valid_o    (exit_valid),
      .exit_o          (exit_flit),
      .exit_ready_i    (exit_ready),
      .enter_valid_i   (enter_valid),
      .enter_i         (enter_flit),
      .enter_room_o    (enter_room),
      .line_valid_o    (key_valid),
      .line_ready_i    (key_ready),
      .line_o          (key),
      .line_rsp_valid_i(key_rsp_valid),
      .line_rsp_tag_i  (key_rsp_tag),
      .line_rsp_data_i (key_rsp_data),
      .fault_valid_o   (route_fault_valid),
      .fault_ready_i   (route_fault_ready),
      .fault_o         (route_fault),
      .copy_o          (copies),
      .copy_links_o    (copies_links),
      .ended_o         (keys_ended),
      .up_o            (sent_up),
      .beats_o         (beats_read)
  );

  // ---- links and detection ----
  logic [Links-1:0] link_sent, link_received, link_again, link_bad, unused_held;
  logic [31:0] unused_grants;
  logic periphery_idle;
  flit_t to_link[Links], from_link[Links];
  for (genvar l = 0; l < int'(Links); l++) begin : gen_link
    assign to_link[l] = exit_flit[l];
    assign enter_flit[l] = from_link[l];
  end
  polyloom_overlay_periphery #(
      .Cfg (Cfg),
      .Gate(Gate)
  ) i_periphery (
      .clk_i,
      .rst_ni,
      .board_i       (board),
      .mesh_i        (mesh),
      .idle_o        (periphery_idle),
      .timeout_i     (strap_q[29:14]),
      .word_time_i   (strap_q[45:30]),
      .tx_valid_o    (lane_tx_valid_o),
      .tx_ready_i    (lane_tx_ready_i),
      .tx_data_o     (lane_tx_data_o),
      .tx_keep_o     (lane_tx_keep_o),
      .tx_last_o     (lane_tx_last_o),
      .rx_valid_i    (lane_rx_valid_i),
      .rx_data_i     (lane_rx_data_i),
      .rx_keep_i     (lane_rx_keep_i),
      .rx_last_i     (lane_rx_last_i),
      .exit_valid_i  (exit_valid[Links-1:0]),
      .exit_ready_o  (exit_ready[Links-1:0]),
      .exit_i        (to_link),
      .enter_valid_o (enter_valid[Links-1:0]),
      .enter_o       (from_link),
      .enter_room_i  (enter_room[Links-1:0]),
      .copies_i      (copies),
      .ended_i       (keys_ended),
      .all_idle_i    (all_idle),
      .all_vote_i    (all_vote),
      .in_flight_i   (in_flight),
      .release_o     (let_go),
      .release_vote_o(let_go_vote),
      .inject_i      (inject),
      .may_inject_o  (may_inject),
      .host_in_i     (host_in),
      .host_out_i    (host_out),
      .sent_o        (link_sent),
      .received_o    (link_received),
      .again_o       (link_again),
      .bad_o         (link_bad),
      .held_o        (unused_held),
      .barriers_o    (barriers),
      .grants_o      (unused_grants)
  );
  assign lane_tx_pulse_o = '0;

  // ---- counters ----
  polyloom_overlay_counters #(
      .Cfg(Cfg)
  ) i_counters (
      .clk_i,
      .rst_ni,
      .retired_i          (retired),
      .count_i            (count),
      .link_sent_i        (link_sent),
      .link_received_i    (link_received),
      .link_again_i       (link_again),
      .link_bad_i         (link_bad),
      .host_out_i         (host_out),
      .router_up_i        (sent_up),
      .router_copies_i    (copies),
      .router_links_i     (copies_links),
      .router_keys_i      (keys_ended),
      .router_beats_i     (beats_read),
      .router_sent_o      (router_sent),
      .instructions_o     (count_instructions_o),
      .hits_o             (count_hits_o),
      .misses_o           (count_misses_o),
      .writebacks_o       (count_writebacks_o),
      .messages_sent_o    (count_messages_sent_o),
      .messages_received_o(count_messages_received_o),
      .link_sent_o        (count_link_sent_o),
      .link_received_o    (count_link_received_o),
      .link_again_o       (count_link_again_o),
      .link_bad_o         (count_link_bad_o),
      .router_copies_o    (count_router_copies_o),
      .router_links_o     (count_router_copies_links_o),
      .router_keys_o      (count_router_keys_o),
      .router_beats_o     (count_router_beats_o)
  );
  assign count_barriers_o = 64'(barriers);

  // A thread that runs retires; a message that moves enters or leaves a mailbox, a link or the front, or becomes a copy; a
  // link that may have to send again is not idle. What stands before a full buffer does not move.
  logic moves;
  assign moves = (|retired) || ctl_valid || ctl_rsp_valid || (|dma_valid) || (|dma_rsp_valid) || event_valid ||
      (|out_valid) || (|in_valid) || (|enter_valid) || (|(exit_valid & exit_ready)) || (|let_go) || host_rx_valid_i ||
      (|lane_rx_valid_i) || (|copies) || (|keys_ended) || (|beats_read) || route_fault_valid || !frontend_idle || !tiles_idle || !periphery_idle;
  polyloom_overlay_still i_still (
      .clk_i,
      .rst_ni,
      .moves_i(moves),
      .still_o(idle_o)
  );

  logic unused;
  assign unused = (^lane_rx_pulse_i) ^ (^mem_b_id_i);
endmodule
