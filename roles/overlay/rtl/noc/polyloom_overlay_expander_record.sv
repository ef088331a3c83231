// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_expander_record: what a routing record says: a copy and its way, another key, or why it makes no sense.
// How:          logic only. A record's tag lies in its highest bits, which are the highest of its first chunk.
// Latency:      none. Throughput: one a cycle.
// Backpressure: none; combinational throughout.
// Order/loss:   none.
// Reset:        none.
// Limits:       From is a port of the board router; board_i lies in the mesh.
// Cost:         see polyloom_overlay_expander.
// Source:       Multicast paper IV.B; Expanders::problem_with in roles/overlay/sim/net/expanders.cc.
// Tests:        test_polyloom_overlay_expander.py, overlay_noc_test.cc
module polyloom_overlay_expander_record
  import polyloom_overlay_pkg::*;
  import polyloom_overlay_noc_pkg::*;
  import polyloom_overlay_records_pkg::*;
#(
    parameter  cfg_t        Cfg   = TINY,
    parameter  int unsigned From  = PORT_HOST,                 // port by which the message came
    localparam int unsigned Ports = BOARD_EXITS + Cfg.tiles_x
) (
    // Constant: where the board is, {y, x}; the mesh, {height, width}
    input  logic       [2*BOARD_BITS-1:0]                 board_i,
    input  logic       [             7:0]                 mesh_i,
    // The record's chunks; one of a single chunk has no second
    input  logic       [             1:0][CHUNK_BITS-1:0] chunk_i,
    output logic                                          two_o,          // it has both
    // What it says: this, or neither and why
    output logic                                          copies_o,
    output copy_t                                         copy_o,
    output logic       [       Ports-1:0]                 way_o,          // one bit
    output logic                                          indirection_o,
    output key_t                                          key_o,          // of an indirection
    output route_why_e                                    why_o
);

  localparam int unsigned XBits = field_bits(Cfg.tiles_x);
  localparam int unsigned YBits = field_bits(Cfg.tiles_y);
  localparam int unsigned Threads = Cfg.cores * Cfg.threads;
  localparam int unsigned KeyBit = 2 * BOARD_BITS + XBits + YBits + 2;  // of a destination

  record_tag_e tag;
  // verilator lint_off UNUSEDSIGNAL
  router_record_t router;
  thread_record_t thread;
  thread_two_record_t two;
  tile_record_t tile;
  indirection_record_t indirection;
  // verilator lint_on UNUSEDSIGNAL

  assign tag = record_tag_e'(chunk_i[1][CHUNK_BITS-1-:$bits(record_tag_e)]);
  assign router = chunk_i[1];
  assign thread = chunk_i[1];
  assign two = chunk_i;
  assign tile = chunk_i;
  assign indirection = chunk_i[1];
  assign two_o = tag[0];
  assign indirection_o = tag == RECORD_INDIRECTION;
  assign key_o = indirection.key;

  // ---- to another board ----

  logic [BOARD_BITS-1:0] at_x, at_y;
  logic [3:0] there, turn;  // by link; is there a board, may the message go there
  logic [1:0] link;
  assign {at_y, at_x} = board_i;
  always_comb begin
    there[PORT_NORTH] = 4'(at_y) + 4'd1 < mesh_i[7:4];
    there[PORT_EAST]  = 4'(at_x) + 4'd1 < mesh_i[3:0];
    there[PORT_SOUTH] = at_y != '0;
    there[PORT_WEST]  = at_x != '0;
    for (int unsigned l = 0; l < 4; l++) turn[l] = board_turn(l, From, 1'b1);
    unique case (router.direction)
      TO_NORTH: link = 2'(PORT_NORTH);
      TO_SOUTH: link = 2'(PORT_SOUTH);
      TO_EAST:  link = 2'(PORT_EAST);
      default:  link = 2'(PORT_WEST);
    endcase
  end

  // ---- to this board ----

  logic [2:0] x, y;
  logic [63:0] mask;
  logic receiver;
  assign x = tag == RECORD_TILE ? {tile.tile_x_high, tile.tile_x} : {thread.tile_x_high, thread.tile_x};
  assign y = tag == RECORD_TILE ? {tile.tile_y_high, tile.tile_y} : {thread.tile_y_high, thread.tile_y};
  assign mask = tag == RECORD_TILE ? tile.mask : 64'd1 << thread.index;
  assign receiver = 32'(x) < Cfg.tiles_x && 32'(y) < Cfg.tiles_y && mask != '0 && (mask >> (Threads - 1)) >> 1 == '0;

  // ---- what comes of it ----

  always_comb begin
    copies_o = 1'b0;
    why_o = ROUTE_RECORD;
    unique case (tag)
      RECORD_THREAD, RECORD_THREAD_TWO, RECORD_TILE: begin
        copies_o = receiver;
        why_o = ROUTE_RECEIVER;
      end
      RECORD_ROUTER: begin
        copies_o = there[link] && turn[link];
        why_o = there[link] ? ROUTE_U_TURN : ROUTE_LINK;
      end
      default: ;
    endcase
  end

  always_comb begin
    way_o = '0;
    for (int unsigned l = 0; l < 4; l++) way_o[l] = tag == RECORD_ROUTER && link == 2'(l);
    for (int unsigned c = 0; c < Cfg.tiles_x; c++) way_o[PORT_COLUMN+c] = tag != RECORD_ROUTER && 32'(x) == c;
  end

  always_comb begin
    copy_o = '{kind: KIND_UNICAST, dest: '0, mask: mask, replaces: 3'b011, words: {32'b0, thread.word}};
    {copy_o.dest[XBits+YBits+:2*BOARD_BITS]} = board_i;
    copy_o.dest[XBits+:YBits] = YBits'(y);
    copy_o.dest[0+:XBits] = XBits'(x);
    unique case (tag)
      RECORD_THREAD_TWO: begin
        copy_o.replaces = 3'b111;
        copy_o.words = two.words;
      end
      RECORD_TILE: begin
        copy_o.kind = KIND_MASK;
        copy_o.replaces = 3'b001;
        copy_o.words[15:0] = tile.half;
      end
      RECORD_ROUTER: begin
        copy_o.kind = KIND_KEY;
        copy_o.dest = DEST_BITS'(1) << KeyBit;
        copy_o.mask = {32'b0, router.key};
        copy_o.replaces = '0;
      end
      default: ;
    endcase
  end

endmodule
