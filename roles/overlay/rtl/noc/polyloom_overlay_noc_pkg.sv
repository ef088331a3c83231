// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_noc_pkg: ports of the routers, and which turns messages take in them.
// How:          a turn that dimension order never takes has no wires: a third of the routers' multiplexers. With programmable
//               routers, copies that a board router makes of messages from a column may go to any column.
// Source: own design.   Tests: overlay_noc_test.cc.
package polyloom_overlay_noc_pkg;
  import polyloom_overlay_pkg::*;

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

  // X before Y: what goes north or south never turns again. [out][in], N in bit 0.
  localparam logic [TILE_PORTS-1:0][TILE_PORTS-1:0] TILE_TURNS = {
    5'b11111,  // local: from everywhere, itself too
    5'b10010,  // west: from the east, local
    5'b11011,  // south
    5'b11000,  // east: from the west, local
    5'b11110  // north
  };

  // Links and host, as above, with `x` for all columns. The host sits at board (0,0), the south-west corner.
  function automatic bit board_turn(input int unsigned out, input int unsigned from, input bit routers);
    logic [BOARD_EXITS:0] ins;  // {column, host, W, S, E, N}
    unique case (out)
      PORT_NORTH: ins = 6'b111110;
      PORT_EAST:  ins = 6'b111000;
      PORT_SOUTH: ins = 6'b111011;
      PORT_WEST:  ins = 6'b110010;
      PORT_HOST:  ins = 6'b100011;
      default:    ins = {routers, 5'b11111};  // a column: of what stays on the board, only copies come here
    endcase
    return ins[from<PORT_COLUMN?from : PORT_COLUMN];
  endfunction

  // ---- programmable routers ----

  localparam int unsigned KEY_PORTS = 2;  // to memory: 0 for links and host, 1 for columns
  localparam int unsigned BEAT_PLACES = 7;  // of an expander, for beats of its keys, used in turn
  localparam int unsigned PLACE_BITS = 3;
  typedef logic [PLACE_BITS-1:0] place_t;
  localparam place_t CHAIN_PLACE = place_t'(BEAT_PLACES);  // and one for chains

  // An expander asks for a beat.
  typedef struct packed {
    logic        slice;
    logic [25:0] beat;   // address in beats
    place_t      place;  // where it goes
  } beat_request_t;

  // What a copy has of its own; the rest it has of the message.
  typedef struct packed {
    kind_e                kind;
    logic [DEST_BITS-1:0] dest;
    logic [63:0]          mask;
    logic [2:0]           replaces;  // of the payload: the low half of word 0, its high half, word 1
    logic [63:0]          words;
  } copy_t;

  // A key of no beats has no receivers. One with beats outside the board's memory is treated as if it had none.
  function automatic bit key_outside(input polyloom_overlay_records_pkg::key_t key, input int unsigned slices);
    // From 0x00800000 to 0x80000000, in beats; bits of the address that a beat's number has no place for are 0.
    return key.beats != '0 && (32'(key.slice) >= slices || key.beat[25:18] == '0 ||
        (&key.beat[25:5] && 6'(key.beat[4:0]) + 6'(key.beats) > 6'd32));
  endfunction

  // One more, by LUTs: a carry chain of a few bits is larger and slower where it is not the end of a path.
  function automatic logic [4:0] plus_one(input logic [4:0] n);
    for (int unsigned b = 0; b < 5; b++) plus_one[b] = n[b] ^ (&(n | (5'h1f << b)));
  endfunction

endpackage
