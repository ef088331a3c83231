// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_noc: the message network of a board: a mesh of tile routers and the board router on its south periphery.
// How:          tile t is at x = t mod tiles_x, y = t / tiles_x; north is +y.
//
//                 tile -- tile        a message between tiles: X, then Y
//                  |       |          to other boards, to the host: straight down its own column
//                 tile -- tile        from there: straight up its destination's column
//                  |       |
//               board router -- N E S W links, host
// Latency:      2 cycles a router: a flit on the wire in cycle c can be granted in c+1 and is on the next wire in c+2.
// Throughput:   a flit a cycle and wire.
// Backpressure: in_room_o, enter_room_o: the longest message may begin on the wire in the next cycle, or later if nothing has
//               come in since; they count what begins in their own cycle, so combinational from in_valid_i, in_i. out_room_i
//               is sampled in the cycle of a grant; the first flit is on the wire in the cycle after. exit_valid_o depends
//               on registers only.
// Order/loss:   nothing lost, split or mixed; flits of a message in consecutive cycles (but at exits, as they are taken).
//               No deadlock as long as mailboxes and exits are emptied (roles/overlay/README.md).
// Reset:        empty; takes a message in the first cycle after reset.
// Limits:       Cfg as polyloom_overlay_router; tiles_x, tiles_y at least 1. Only addresses that exist, keys with Cfg.routers only
//               (mailbox and host check).
// Cost:         not measured yet.
// Source:       Tinsel paper III; Noc in sim/net/noc.h, equal to it in every cycle.   Tests: test_polyloom_overlay_noc.py
module polyloom_overlay_noc
  import polyloom_overlay_pkg::*;
  import polyloom_overlay_noc_pkg::*;
#(
    parameter cfg_t Cfg = TINY,
    parameter bit Gate = 1'b0,  // simulation: routers without messages stand still
    localparam int unsigned Tiles = Cfg.tiles_x * Cfg.tiles_y,
    localparam int unsigned LineBits = 8 * Cfg.line_bytes,
    localparam int unsigned CountBits = $clog2(BOARD_EXITS + Cfg.tiles_x + 1)
) (
    input logic clk_i,
    input logic rst_ni,
    input logic [2*BOARD_BITS-1:0] board_i,  // constant: {y, x}
    input logic [7:0] mesh_i,  // constant: {height, width}
    // From mailboxes
    input logic [Tiles-1:0] in_valid_i,
    input flit_t in_i[Tiles],
    output logic [Tiles-1:0] in_room_o,
    // To mailboxes
    output logic [Tiles-1:0] out_valid_o,
    output flit_t out_o[Tiles],
    input logic [Tiles-1:0] out_room_i,
    // To links N, E, S, W and host
    output logic [BOARD_EXITS-1:0] exit_valid_o,
    output flit_t exit_o[BOARD_EXITS],
    input logic [BOARD_EXITS-1:0] exit_ready_i,
    // From them
    input logic [BOARD_EXITS-1:0] enter_valid_i,
    input flit_t enter_i[BOARD_EXITS],
    output logic [BOARD_EXITS-1:0] enter_room_o,
    // Beats of the routing keys' records, from each slice to port 0 (links and host) and 1 (columns)
    output logic [Cfg.slices-1:0][1:0] line_valid_o,
    input logic [Cfg.slices-1:0][1:0] line_ready_i,
    output line_req_t [Cfg.slices-1:0][1:0] line_o,
    input logic [Cfg.slices-1:0][1:0] line_rsp_valid_i,
    input logic [Cfg.slices-1:0][INDEX_BITS-1:0] line_rsp_tag_i,
    input logic [Cfg.slices-1:0][LineBits-1:0] line_rsp_data_i,
    // To the host: a record, or a key, that is passed over
    output logic fault_valid_o,
    input logic fault_ready_i,
    output route_fault_t fault_o,
    // What the board router did in the cycle before, for detection and counters
    output logic [CountBits-1:0] copy_o,  // copies granted
    output logic [2:0] copy_links_o,  // of these, towards links
    output logic [CountBits-1:0] ended_o,  // messages with a key that ended
    output logic [CountBits-1:0] up_o,  // messages granted towards tiles
    output logic [1:0] beats_o  // beats asked for
);

  localparam int unsigned W = Cfg.tiles_x;
  localparam int unsigned H = Cfg.tiles_y;
  localparam int unsigned XBits = field_bits(W);
  localparam int unsigned YBits = field_bits(H);
  localparam int unsigned BoardPorts = BOARD_EXITS + W;

  if (W < 1 || H < 1) begin : gen_bad_size
    $error("%m: %0d x %0d tiles; at least one each way", W, H);
  end

  // What leaves the router of a tile by each port, and the room at its inputs.
  logic [TILE_PORTS-1:0] valid[Tiles];
  logic [TILE_PORTS-1:0] room[Tiles];
  flit_t flit[Tiles][TILE_PORTS];
  // The board router, columns only from COLUMN on.
  logic [BoardPorts-1:0] board_valid, board_room;
  flit_t board_flit[BoardPorts];
  logic [W-1:0] up_valid, up_room;
  flit_t up[W];

  for (genvar t = 0; t < Tiles; t++) begin : gen_tile
    localparam int unsigned X = t % W;
    localparam int unsigned Y = t / W;
    logic [TILE_PORTS-1:0] from_valid, to_room;
    flit_t from[TILE_PORTS];

    logic router_clk, router_busy;
    polyloom_clock_busy #(
        .In (TILE_PORTS),
        .Out(TILE_PORTS)
    ) i_busy (
        .clk_i,
        .rst_ni,
        .in_i  (from_valid),
        .out_i (valid[t]),
        .busy_o(router_busy)
    );
    polyloom_clock_gate #(
        .Gate(Gate)
    ) i_clock (
        .clk_i,
        .rst_ni,
        .active_i(router_busy),
        .clk_o   (router_clk)
    );
    polyloom_overlay_router #(
        .Cfg(Cfg)
    ) i_router (
        .clk_i      (router_clk),
        .rst_ni,
        .board_i,
        .tile_x_i   (XBits'(X)),
        .tile_y_i   (YBits'(Y)),
        .in_valid_i (from_valid),
        .in_i       (from),
        .in_room_o  (room[t]),
        .out_valid_o(valid[t]),
        .out_o      (flit[t]),
        .out_room_i (to_room)
    );

    if (Y + 1 < H) begin : gen_north
      assign from_valid[PORT_NORTH] = valid[t+W][PORT_SOUTH];
      assign from[PORT_NORTH] = flit[t+W][PORT_SOUTH];
      assign to_room[PORT_NORTH] = room[t+W][PORT_SOUTH];
    end else begin : gen_no_north
      assign from_valid[PORT_NORTH] = 1'b0;
      assign from[PORT_NORTH] = '0;
      assign to_room[PORT_NORTH] = 1'b0;
    end

    if (X + 1 < W) begin : gen_east
      assign from_valid[PORT_EAST] = valid[t+1][PORT_WEST];
      assign from[PORT_EAST] = flit[t+1][PORT_WEST];
      assign to_room[PORT_EAST] = room[t+1][PORT_WEST];
    end else begin : gen_no_east
      assign from_valid[PORT_EAST] = 1'b0;
      assign from[PORT_EAST] = '0;
      assign to_room[PORT_EAST] = 1'b0;
    end

    if (Y > 0) begin : gen_south
      assign from_valid[PORT_SOUTH] = valid[t-W][PORT_NORTH];
      assign from[PORT_SOUTH] = flit[t-W][PORT_NORTH];
      assign to_room[PORT_SOUTH] = room[t-W][PORT_NORTH];
    end else begin : gen_board
      assign from_valid[PORT_SOUTH] = up_valid[X];
      assign from[PORT_SOUTH] = up[X];
      assign to_room[PORT_SOUTH] = board_room[PORT_COLUMN+X];
      assign up_room[X] = room[t][PORT_SOUTH];
      assign board_valid[PORT_COLUMN+X] = valid[t][PORT_SOUTH];
      assign board_flit[PORT_COLUMN+X] = flit[t][PORT_SOUTH];
    end

    if (X > 0) begin : gen_west
      assign from_valid[PORT_WEST] = valid[t-1][PORT_EAST];
      assign from[PORT_WEST] = flit[t-1][PORT_EAST];
      assign to_room[PORT_WEST] = room[t-1][PORT_EAST];
    end else begin : gen_no_west
      assign from_valid[PORT_WEST] = 1'b0;
      assign from[PORT_WEST] = '0;
      assign to_room[PORT_WEST] = 1'b0;
    end

    assign from_valid[PORT_LOCAL] = in_valid_i[t];
    assign from[PORT_LOCAL] = in_i[t];
    assign in_room_o[t] = room[t][PORT_LOCAL];
    assign out_valid_o[t] = valid[t][PORT_LOCAL];
    assign out_o[t] = flit[t][PORT_LOCAL];
    assign to_room[PORT_LOCAL] = out_room_i[t];
  end

  assign board_valid[BOARD_EXITS-1:0] = enter_valid_i;
  assign enter_room_o = board_room[BOARD_EXITS-1:0];
  for (genvar e = 0; e < BOARD_EXITS; e++) begin : gen_enter
    assign board_flit[e] = enter_i[e];
  end

  logic board_clk, board_idle;
  polyloom_clock_gate #(
      .Gate(Gate)
  ) i_clock (
      .clk_i,
      .rst_ni,
      .active_i(!board_idle || (|board_valid) || (|line_rsp_valid_i)),
      .clk_o   (board_clk)
  );
  polyloom_overlay_board_router #(
      .Cfg(Cfg)
  ) i_board_router (
      .clk_i      (board_clk),
      .rst_ni,
      .idle_o     (board_idle),
      .board_i,
      .mesh_i,
      .in_valid_i (board_valid),
      .in_i       (board_flit),
      .in_room_o  (board_room),
      .exit_valid_o,
      .exit_o,
      .exit_ready_i,
      .out_valid_o(up_valid),
      .out_o      (up),
      .out_room_i (up_room),
      .line_valid_o,
      .line_ready_i,
      .line_o,
      .line_rsp_valid_i,
      .line_rsp_tag_i,
      .line_rsp_data_i,
      .fault_valid_o,
      .fault_ready_i,
      .fault_o,
      .copy_o,
      .copy_links_o,
      .ended_o,
      .up_o,
      .beats_o
  );

endmodule
