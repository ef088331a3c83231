// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_records_pkg: routing keys and records, as they lie in memory.
// How:          Made by roles/overlay/arch/records/records.py; do not edit.
// Source: Multicast paper IV.B; docs/sources/tinsel.md, 3.5.   Tests: those of the expander.
package polyloom_overlay_records_pkg;

  localparam int unsigned BEAT_BITS = 256;
  localparam int unsigned CHUNK_BITS = 48;
  localparam int unsigned CHUNKS = 5;

  typedef enum logic [2:0] {
    RECORD_THREAD = 3'd0,
    RECORD_THREAD_TWO = 3'd1,
    RECORD_ROUTER = 3'd2,
    RECORD_TILE = 3'd3,
    RECORD_INDIRECTION = 3'd4
  } record_tag_e;

  typedef enum logic [1:0] {
    TO_NORTH = 2'd0,
    TO_SOUTH = 2'd1,
    TO_EAST  = 2'd2,
    TO_WEST  = 2'd3
  } direction_e;

  // A beat: chunk 0 lies in the lowest bits; records begin in the highest.
  typedef struct packed {
    logic [15:0] count;
    logic [CHUNKS-1:0][CHUNK_BITS-1:0] chunk;
  } beat_t;

  // A routing key.
  typedef struct packed {
    logic slice;
    logic [25:0] beat;
    logic [4:0] beats;
  } key_t;

  // URM1: to a thread of this board; replaces the first word of the payload.
  typedef struct packed {
    record_tag_e tag;
    logic [1:0] tile_y;
    logic [1:0] tile_x;
    logic [5:0] index;
    logic tile_y_high;
    logic tile_x_high;
    logic unused;
    logic [31:0] word;
  } thread_record_t;

  // URM2: the same; replaces the first two words, the lower half first.
  typedef struct packed {
    record_tag_e tag;
    logic [1:0] tile_y;
    logic [1:0] tile_x;
    logic [5:0] index;
    logic tile_y_high;
    logic tile_x_high;
    logic [16:0] unused;
    logic [63:0] words;
  } thread_two_record_t;

  // RR: to the board behind a link, with another key.
  typedef struct packed {
    record_tag_e tag;
    direction_e  direction;
    logic [10:0] unused;
    logic [31:0] key;
  } router_record_t;

  // MRM: to the threads in `mask` of a tile of this board; replaces the low half of the first word.
  typedef struct packed {
    record_tag_e tag;
    logic [1:0] tile_y;
    logic [1:0] tile_x;
    logic tile_y_high;
    logic tile_x_high;
    logic [6:0] unused;
    logic [15:0] half;
    logic [63:0] mask;
  } tile_record_t;

  // IND: when all of this key is done, this board goes on with another key. At most one a key.
  typedef struct packed {
    record_tag_e tag;
    logic [12:0] unused;
    logic [31:0] key;
  } indirection_record_t;

endpackage
