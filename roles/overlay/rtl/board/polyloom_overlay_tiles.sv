// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_tiles: all tiles of a board and the memory slices that they share.
// How:          ctl --> distribute --> tiles --> one stream of events
//               tiles of a slice, board router, DMA --> slice --> three memories (DRAM, SRAM A, SRAM B)
// Latency:      of the parts; an event passes one arbiter.
// Throughput:   of the parts; an event a cycle.
// Backpressure: a host that takes no events stops consoles, and threads that fault go round; nothing else waits.
// Order/loss:   events of a tile in order, tiles take turns.
// Reset:        no thread runs, caches are empty.
// Limits:       those of polyloom_overlay_node.
// Cost:         `polyloom synth overlay`.
// Source: Tinsel paper III, figure 2.   Tests: test_polyloom_overlay_tiles.py.
module polyloom_overlay_tiles
  import polyloom_overlay_pkg::*;
#(
    parameter  cfg_t        Cfg      = TINY,
    parameter  bit          Gate     = 1'b0,                             // see polyloom_overlay_tile
    localparam int unsigned Tiles    = Cfg.tiles_x * Cfg.tiles_y,
    localparam int unsigned Slices   = Cfg.slices,
    localparam int unsigned LineBits = 8 * Cfg.line_bytes,
    localparam int unsigned Memories = 3 * Slices,
    localparam int unsigned OfSlice  = Tiles / Slices,
    localparam int unsigned Dma      = OfSlice + (Cfg.routers ? 2 : 0),  // client of a slice, the last
    localparam int unsigned IdBits   = $clog2(Dma + 1) + INDEX_BITS
) (
    input  logic       clk_i,
    input  logic       rst_ni,
    output logic       idle_o,   // no memory access is under way
    input  logic [6:0] phase_i,  // of the board's cycle
    input  logic [5:0] board_i,  // {y, x}
    input  logic [7:0] mesh_i,   // {height, width}

    // From the shell
    input  logic            ctl_valid_i,
    output logic            ctl_ready_o,
    input  ctl_req_t        ctl_i,
    output logic            ctl_rsp_valid_o,
    output logic     [31:0] ctl_rdata_o,

    // From the shell's DMA: lines of each slice
    input  logic      [Slices-1:0]                     dma_valid_i,
    output logic      [Slices-1:0]                     dma_ready_o,
    input  line_req_t [Slices-1:0]                     dma_i,
    input  logic      [Slices-1:0][      LineBits-1:0] dma_wdata_i,
    input  logic      [Slices-1:0][Cfg.line_bytes-1:0] dma_wstrb_i,
    output logic      [Slices-1:0]                     dma_rsp_valid_o,
    output logic      [Slices-1:0][    INDEX_BITS-1:0] dma_rsp_tag_o,
    output logic      [Slices-1:0][      LineBits-1:0] dma_rsp_data_o,

    // From the board router, by its two ports: lines of each slice
    input  logic      [Slices-1:0][           1:0] key_valid_i,
    output logic      [Slices-1:0][           1:0] key_ready_o,
    input  line_req_t [Slices-1:0][           1:0] key_i,
    output logic      [Slices-1:0][           1:0] key_rsp_valid_o,
    output logic      [Slices-1:0][INDEX_BITS-1:0] key_rsp_tag_o,
    output logic      [Slices-1:0][  LineBits-1:0] key_rsp_data_o,

    // To and from the message network
    output logic  [Tiles-1:0] out_valid_o,
    output flit_t             out_o      [Tiles],
    input  logic  [Tiles-1:0] out_room_i,
    input  logic  [Tiles-1:0] in_valid_i,
    input  flit_t             in_i       [Tiles],
    output logic  [Tiles-1:0] in_room_o,

    // To the host
    output logic              event_valid_o,
    input  logic              event_ready_i,
    output tile_event_t       event_o,
    output logic        [7:0] event_tile_o,

    // Termination detection
    output logic [Tiles-1:0]       all_idle_o,
    output logic [Tiles-1:0]       all_vote_o,
    output logic [Tiles-1:0][15:0] in_flight_o,
    input  logic [Tiles-1:0]       release_i,
    input  logic [Tiles-1:0]       release_vote_i,

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

    // Counters
    input  logic        [      1:0][         31:0] router_sent_i,
    output logic        [Tiles-1:0][Cfg.cores-1:0] retired_o,
    output tile_count_t [Tiles-1:0]                count_o,

    // To show why nothing goes on: see polyloom_overlay_mailbox
    output logic [Tiles-1:0][5:0][Cfg.cores*Cfg.threads-1:0] state_o
);
  // ---- the shell's requests ----
  logic [Tiles-1:0] ctl_valid, ctl_ready, rsp_valid;
  logic [Tiles-1:0][31:0] rdata;
  ctl_req_t ctl;
  polyloom_overlay_distribute #(
      .Cfg(Cfg)
  ) i_distribute (
      .clk_i,
      .rst_ni,
      .ctl_valid_i,
      .ctl_ready_o,
      .ctl_i,
      .rsp_valid_o     (ctl_rsp_valid_o),
      .rdata_o         (ctl_rdata_o),
      .tile_valid_o    (ctl_valid),
      .tile_ready_i    (ctl_ready),
      .tile_o          (ctl),
      .tile_rsp_valid_i(rsp_valid),
      .tile_rdata_i    (rdata)
  );

  // ---- tiles ----
  logic [Slices-1:0][Dma:0] line_valid, line_ready, line_rsp_valid;
  line_req_t [Slices-1:0][Dma:0] line;
  logic [Slices-1:0][Dma:0][LineBits-1:0] line_wdata;
  logic [Slices-1:0][INDEX_BITS-1:0] line_rsp_tag;
  logic [Slices-1:0][LineBits-1:0] line_rsp_data;
  logic [Tiles-1:0] event_valid, event_ready, cache_idle;
  tile_event_t [Tiles-1:0] event_of;
  for (genvar t = 0; t < int'(Tiles); t++) begin : gen_tile
    localparam int unsigned Slice = t / OfSlice;
    localparam int unsigned Client = t % OfSlice;
    polyloom_overlay_tile #(
        .Cfg (Cfg),
        .Gate(Gate)
    ) i_tile (
        .clk_i,
        .rst_ni,
        .cache_idle_o    (cache_idle[t]),
        .phase_i,
        .tile_i          (6'(t)),
        .hart_base_i     (hart_base(board_i, t)),
        .mesh_i,
        .ctl_valid_i     (ctl_valid[t]),
        .ctl_ready_o     (ctl_ready[t]),
        .ctl_i           (ctl),
        .ctl_rsp_valid_o (rsp_valid[t]),
        .ctl_rdata_o     (rdata[t]),
        .out_valid_o     (out_valid_o[t]),
        .out_o           (out_o[t]),
        .out_room_i      (out_room_i[t]),
        .in_valid_i      (in_valid_i[t]),
        .in_i            (in_i[t]),
        .in_room_o       (in_room_o[t]),
        .line_valid_o    (line_valid[Slice][Client]),
        .line_ready_i    (line_ready[Slice][Client]),
        .line_o          (line[Slice][Client]),
        .line_wdata_o    (line_wdata[Slice][Client]),
        .line_rsp_valid_i(line_rsp_valid[Slice][Client]),
        .line_rsp_tag_i  (line_rsp_tag[Slice]),
        .line_rsp_data_i (line_rsp_data[Slice]),
        .event_valid_o   (event_valid[t]),
        .event_ready_i   (event_ready[t]),
        .event_o         (event_of[t]),
        .all_idle_o      (all_idle_o[t]),
        .all_vote_o      (all_vote_o[t]),
        .in_flight_o     (in_flight_o[t]),
        .release_i       (release_i[t]),
        .release_vote_i  (release_vote_i[t]),
        .router_sent_i,
        .retired_o       (retired_o[t]),
        .count_o         (count_o[t]),
        .state_o         (state_o[t])
    );
  end

  // A tile's first thread: fields as wide as on the published board, those of the tile wider on a larger one.
  function automatic logic [15:0] hart_base(input logic [5:0] board, input int unsigned tile);
    automatic int unsigned x_bits = field_bits(Cfg.tiles_x);
    automatic int unsigned y_bits = field_bits(Cfg.tiles_y);
    automatic logic [31:0] place = 32'(board) << (x_bits + y_bits);
    place |= (tile / Cfg.tiles_x) << x_bits | tile % Cfg.tiles_x;
    return 16'(place << INDEX_BITS);
  endfunction

  // ---- memory slices ----
  logic [Slices-1:0] slice_idle;
  for (genvar s = 0; s < int'(Slices); s++) begin : gen_slice
    assign line_valid[s][Dma] = dma_valid_i[s];
    assign dma_ready_o[s] = line_ready[s][Dma];
    assign line[s][Dma] = dma_i[s];
    assign line_wdata[s][Dma] = dma_wdata_i[s];
    assign dma_rsp_valid_o[s] = line_rsp_valid[s][Dma];
    assign dma_rsp_tag_o[s] = line_rsp_tag[s];
    assign dma_rsp_data_o[s] = line_rsp_data[s];
    assign key_rsp_tag_o[s] = line_rsp_tag[s];
    assign key_rsp_data_o[s] = line_rsp_data[s];
    if (Cfg.routers) begin : gen_keys
      assign line_valid[s][OfSlice+:2] = key_valid_i[s];
      assign key_ready_o[s] = line_ready[s][OfSlice+:2];
      assign line[s][OfSlice+:2] = key_i[s];
      assign line_wdata[s][OfSlice+:2] = '0;  // they only read
      assign key_rsp_valid_o[s] = line_rsp_valid[s][OfSlice+:2];
    end else begin : gen_no_keys
      logic unused;
      assign unused = ^{key_valid_i[s], key_i[s]};
      assign key_ready_o[s] = '0;
      assign key_rsp_valid_o[s] = '0;
    end
    logic slice_clk;
    polyloom_clock_gate #(
        .Gate(Gate)
    ) i_clock (
        .clk_i,
        .rst_ni,
        .active_i(!slice_idle[s] || (|line_valid[s]) || (|mem_r_valid_i[3*s+:3]) || (|mem_b_valid_i[3*s+:3])),
        .clk_o   (slice_clk)
    );
    polyloom_overlay_slice #(
        .Cfg    (Cfg),
        .Clients(Dma + 1)
    ) i_slice (
        .clk_i           (slice_clk),
        .rst_ni,
        .idle_o          (slice_idle[s]),
        .line_valid_i    (line_valid[s]),
        .line_ready_o    (line_ready[s]),
        .line_i          (line[s]),
        .line_wdata_i    (line_wdata[s]),
        .dma_wstrb_i     (dma_wstrb_i[s]),
        .line_rsp_valid_o(line_rsp_valid[s]),
        .line_rsp_tag_o  (line_rsp_tag[s]),
        .line_rsp_data_o (line_rsp_data[s]),
        .mem_ar_valid_o  (mem_ar_valid_o[3*s+:3]),
        .mem_ar_ready_i  (mem_ar_ready_i[3*s+:3]),
        .mem_ar_addr_o   (mem_ar_addr_o[3*s+:3]),
        .mem_ar_len_o    (mem_ar_len_o[3*s+:3]),
        .mem_ar_id_o     (mem_ar_id_o[3*s+:3]),
        .mem_r_valid_i   (mem_r_valid_i[3*s+:3]),
        .mem_r_ready_o   (mem_r_ready_o[3*s+:3]),
        .mem_r_data_i    (mem_r_data_i[3*s+:3]),
        .mem_r_last_i    (mem_r_last_i[3*s+:3]),
        .mem_r_id_i      (mem_r_id_i[3*s+:3]),
        .mem_aw_valid_o  (mem_aw_valid_o[3*s+:3]),
        .mem_aw_ready_i  (mem_aw_ready_i[3*s+:3]),
        .mem_aw_addr_o   (mem_aw_addr_o[3*s+:3]),
        .mem_aw_len_o    (mem_aw_len_o[3*s+:3]),
        .mem_aw_id_o     (mem_aw_id_o[3*s+:3]),
        .mem_w_valid_o   (mem_w_valid_o[3*s+:3]),
        .mem_w_ready_i   (mem_w_ready_i[3*s+:3]),
        .mem_w_data_o    (mem_w_data_o[3*s+:3]),
        .mem_w_strb_o    (mem_w_strb_o[3*s+:3]),
        .mem_w_last_o    (mem_w_last_o[3*s+:3]),
        .mem_b_valid_i   (mem_b_valid_i[3*s+:3]),
        .mem_b_ready_o   (mem_b_ready_o[3*s+:3])
    );
  end
  assign idle_o = &cache_idle && &slice_idle;

  // ---- events ----
  localparam int unsigned TileBits = cf_math_pkg::idx_width(Tiles);
  logic [TileBits-1:0] event_tile;
  rr_arb_tree #(
      .NumIn    (Tiles),
      .DataType (tile_event_t),
      .AxiVldRdy(1'b1),
      .LockIn   (1'b1)
  ) i_events (
      .clk_i,
      .rst_ni,
      .flush_i(1'b0),
      .rr_i   ('0),
      .req_i  (event_valid),
      .gnt_o  (event_ready),
      .data_i (event_of),
      .req_o  (event_valid_o),
      .gnt_i  (event_ready_i),
      .data_o (event_o),
      .idx_o  (event_tile)
  );
  assign event_tile_o = 8'(event_tile);
endmodule
