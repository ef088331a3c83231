// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_router: the router of a tile: four neighbours and the tile's mailbox, X before Y.
// How:          a crossbar; the way of a message is found while its first flit is on the wire. Messages for another board, for
//               the host or with a key, which the board router looks up, go straight down.
// Latency:      2 cycles a hop (polyloom_overlay_noc_crossbar).
// Throughput:   a flit a cycle and output.
// Backpressure: as the crossbar: room in the cycle of the grant, no stop after it.
// Order/loss:   nothing lost, split or mixed. No deadlock: one order of dimensions (roles/overlay/README.md).
// Reset:        empty.
// Limits:       Cfg.noc_link_flits at least Cfg.max_flits, 1..4, at most 32 (checked at elaboration). Messages for tiles that
//               are not on the board must not come in, nor keys where there are no routers.
// Cost:         not measured in this form; README.md of this folder has those before it.
// Source:       Tinsel paper III; own design.   Tests: test_polyloom_overlay_router.py, overlay_noc_test.cc
module polyloom_overlay_router
  import polyloom_overlay_pkg::*;
  import polyloom_overlay_noc_pkg::*;
#(
    parameter cfg_t Cfg = TINY
) (
    input  logic                                clk_i,
    input  logic                                rst_ni,
    // Constant: where it is; board {y, x}
    input  logic  [           2*BOARD_BITS-1:0] board_i,
    input  logic  [field_bits(Cfg.tiles_x)-1:0] tile_x_i,
    input  logic  [field_bits(Cfg.tiles_y)-1:0] tile_y_i,
    // From neighbours and mailbox, by PORT_*
    input  logic  [             TILE_PORTS-1:0] in_valid_i,
    input  flit_t                               in_i       [TILE_PORTS],
    output logic  [             TILE_PORTS-1:0] in_room_o,
    // To them
    output logic  [             TILE_PORTS-1:0] out_valid_o,
    output flit_t                               out_o      [TILE_PORTS],
    input  logic  [             TILE_PORTS-1:0] out_room_i
);

  localparam int unsigned XBits = field_bits(Cfg.tiles_x);
  localparam int unsigned YBits = field_bits(Cfg.tiles_y);

  if (Cfg.max_flits < 1 || Cfg.max_flits > 4 || Cfg.noc_link_flits < Cfg.max_flits || Cfg.noc_link_flits > 32)
  begin : gen_bad_size
    $error(
        "%m: Cfg.noc_link_flits %0d, Cfg.max_flits %0d; messages have 1 to 4 flits, a buffer holds one to 32 flits",
        Cfg.noc_link_flits,
        Cfg.max_flits
    );
  end

  logic [TILE_PORTS-1:0] first;
  logic [1:0] flits[TILE_PORTS];
  logic [TILE_PORTS-1:0] way[TILE_PORTS];

  for (genvar i = 0; i < TILE_PORTS; i++) begin : gen_way
    logic [DEST_BITS-1:0] dest;
    logic [XBits-1:0] x;
    logic [YBits-1:0] y;
    logic here, unused;

    assign first[i] = in_i[i].first;
    assign flits[i] = in_i[i].header.flits;
    assign dest = in_i[i].header.dest;
    assign {y, x} = dest[XBits+YBits-1:0];
    assign unused = ^dest;
    assign here = !(in_i[i].header.kind inside {KIND_HOST, KIND_KEY}) && dest[XBits+YBits+:2*BOARD_BITS] == board_i;

    always_comb begin
      way[i] = '0;
      if (!here) way[i][PORT_SOUTH] = 1'b1;
      else if (x != tile_x_i) way[i][x>tile_x_i?PORT_EAST : PORT_WEST] = 1'b1;
      else if (y != tile_y_i) way[i][y>tile_y_i?PORT_NORTH : PORT_SOUTH] = 1'b1;
      else way[i][PORT_LOCAL] = 1'b1;
    end
  end

  polyloom_overlay_noc_crossbar #(
      .Ports(TILE_PORTS),
      .Flits(Cfg.noc_link_flits),
      .MaxFlits(Cfg.max_flits),
      .T(flit_t),
      .Turns(TILE_TURNS)
  ) i_crossbar (
      .clk_i,
      .rst_ni,
      .in_valid_i,
      .in_first_i(first),
      .in_flits_i(flits),
      .in_way_i  (way),
      .in_i,
      .in_room_o,
      .out_valid_o,
      .out_o,
      .out_room_i
  );

endmodule
