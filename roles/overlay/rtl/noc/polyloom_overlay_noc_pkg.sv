// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_noc_pkg: ports of the routers, and which turns messages take in them.
// How:          a turn that dimension order never takes has no wires: a third of the routers' multiplexers.
// Source: own design.   Tests: overlay_noc_test.cc.
package polyloom_overlay_noc_pkg;

  // Ports of a tile's router: neighbours, then the tile's own mailbox. North is +y.
  localparam int unsigned PORT_NORTH = 0;
  localparam int unsigned PORT_EAST = 1;
  localparam int unsigned PORT_SOUTH = 2;
  localparam int unsigned PORT_WEST = 3;
  localparam int unsigned PORT_LOCAL = 4;
  localparam int unsigned TILE_PORTS = 5;

  // Ports of the board router: links N, E, S, W as above, the host, then a column of tiles each.
  localparam int unsigned PORT_HOST = 4;
  localparam int unsigned PORT_COLUMN = 5;
  localparam int unsigned BOARD_EXITS = 5;

  // X before Y: who goes north or south never turns again. [out][in], N in bit 0.
  localparam logic [TILE_PORTS-1:0][TILE_PORTS-1:0] TILE_TURNS = {
    5'b11111,  // local: from everywhere, itself too
    5'b10010,  // west: from the east, local
    5'b11011,  // south
    5'b11000,  // east: from the west, local
    5'b11110  // north
  };

  // Links and host, as above, with `x` for all columns. The host sits at board (0,0), the south-west corner.
  function automatic bit board_turn(input int unsigned out, input int unsigned from);
    logic [BOARD_EXITS:0] ins;  // {column, host, W, S, E, N}
    unique case (out)
      PORT_NORTH: ins = 6'b111110;
      PORT_EAST:  ins = 6'b111000;
      PORT_SOUTH: ins = 6'b111011;
      PORT_WEST:  ins = 6'b110010;
      PORT_HOST:  ins = 6'b100011;
      default:    ins = 6'b011111;  // a column: whoever stays on the board never comes here
    endcase
    return ins[from<PORT_COLUMN?from : PORT_COLUMN];
  endfunction

  // One more, by LUTs: a carry chain of a few bits is larger and slower where it is not the end of a path.
  function automatic logic [4:0] plus_one(input logic [4:0] n);
    for (int unsigned b = 0; b < 5; b++) plus_one[b] = n[b] ^ (&(n | (5'h1f << b)));
  endfunction

endpackage
