// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_board_router: the router on the south rim of a board: four links, the host, each column of tiles.
// How:          a crossbar, and a buffer behind each output towards a link or the host.
// Latency:      2 cycles a hop; a flit granted in cycle c can be taken from an exit in c+2.
// Throughput:   a flit a cycle and output.
// Backpressure: as the crossbar; exits are emptied by valid and ready, a message's flits one at a time.
// Order/loss:   nothing lost, split or mixed. No deadlock: one order of dimensions (roles/overlay/README.md).
// Reset:        empty.
// Limits:       as polyloom_overlay_router. Towards a link that the mesh does not have nothing may be addressed.
// Cost:         not measured yet.
// Source:       Tinsel paper III; own design.   Tests: test_polyloom_overlay_board_router.py, overlay_noc_test.cc
module polyloom_overlay_board_router
  import polyloom_overlay_pkg::*;
  import polyloom_overlay_noc_pkg::*;
#(
    parameter  cfg_t        Cfg   = TINY,
    localparam int unsigned Ports = BOARD_EXITS + Cfg.tiles_x
) (
    input  logic                     clk_i,
    input  logic                     rst_ni,
    input  logic  [2*BOARD_BITS-1:0] board_i,                    // constant: {y, x}
    // From links and host, then columns. A message may begin in the cycle after one with room, or later.
    input  logic  [       Ports-1:0] in_valid_i,
    input  flit_t                    in_i        [      Ports],
    output logic  [       Ports-1:0] in_room_o,
    // To links and host
    output logic  [ BOARD_EXITS-1:0] exit_valid_o,
    output flit_t                    exit_o      [BOARD_EXITS],
    input  logic  [ BOARD_EXITS-1:0] exit_ready_i,
    // To columns
    output logic  [ Cfg.tiles_x-1:0] out_valid_o,
    output flit_t                    out_o       [Cfg.tiles_x],
    input  logic  [ Cfg.tiles_x-1:0] out_room_i
);

  localparam int unsigned XBits = field_bits(Cfg.tiles_x);
  localparam int unsigned YBits = field_bits(Cfg.tiles_y);

  function automatic logic [Ports-1:0][Ports-1:0] turns();
    for (int unsigned o = 0; o < Ports; o++) begin
      for (int unsigned i = 0; i < Ports; i++) turns[o][i] = board_turn(o, i);
    end
  endfunction

  logic [Ports-1:0] first, all_valid, all_room;
  logic [1:0] flits[Ports];
  logic [Ports-1:0] way[Ports];
  flit_t all[Ports];

  for (genvar i = 0; i < Ports; i++) begin : gen_way
    logic [DEST_BITS-1:0] dest;
    logic [BOARD_BITS-1:0] to_x, to_y, at_x, at_y;
    logic host, unused;

    assign first[i] = in_i[i].first;
    assign flits[i] = in_i[i].header.flits;
    assign dest = in_i[i].header.dest;
    assign host = in_i[i].header.kind == KIND_HOST;
    assign {at_y, at_x} = board_i;
    assign unused = ^dest;
    assign {to_y, to_x} = host ? '0 : dest[XBits+YBits+:2*BOARD_BITS];  // the host sits at board (0,0)

    always_comb begin
      way[i] = '0;
      if (to_x != at_x) way[i][to_x>at_x?PORT_EAST : PORT_WEST] = 1'b1;
      else if (to_y != at_y) way[i][to_y>at_y?PORT_NORTH : PORT_SOUTH] = 1'b1;
      else if (host) way[i][PORT_HOST] = 1'b1;
      else begin
        for (int unsigned x = 0; x < Cfg.tiles_x; x++) way[i][PORT_COLUMN+x] = dest[XBits-1:0] == XBits'(x);
      end
    end
  end

  polyloom_overlay_noc_crossbar #(
      .Ports(Ports),
      .Flits(Cfg.noc_link_flits),
      .DeepPorts(BOARD_EXITS),
      .DeepFlits(EXIT_FLITS),
      .MaxFlits(Cfg.max_flits),
      .T(flit_t),
      .Turns(turns())
  ) i_crossbar (
      .clk_i,
      .rst_ni,
      .in_valid_i,
      .in_first_i (first),
      .in_flits_i (flits),
      .in_way_i   (way),
      .in_i,
      .in_room_o,
      .out_valid_o(all_valid),
      .out_o      (all),
      .out_room_i (all_room)
  );

  for (genvar e = 0; e < BOARD_EXITS; e++) begin : gen_exit
    polyloom_overlay_noc_exit #(
        .Flits(EXIT_FLITS),
        .MaxFlits(Cfg.max_flits),
        .T(flit_t)
    ) i_exit (
        .clk_i,
        .rst_ni,
        .valid_i(all_valid[e]),
        .first_i(all[e].first),
        .last_i (all[e].last),
        .flits_i(all[e].header.flits),
        .in_i   (all[e]),
        .room_o (all_room[e]),
        .valid_o(exit_valid_o[e]),
        .ready_i(exit_ready_i[e]),
        .out_o  (exit_o[e])
    );
  end

  assign out_valid_o = all_valid[Ports-1:PORT_COLUMN];
  assign all_room[Ports-1:PORT_COLUMN] = out_room_i;
  for (genvar x = 0; x < Cfg.tiles_x; x++) begin : gen_column
    assign out_o[x] = all[PORT_COLUMN+x];
  end

endmodule
