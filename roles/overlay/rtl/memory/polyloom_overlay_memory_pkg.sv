// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_memory_pkg: types between the parts of a data cache, and the map of a slice's memories.
// How:          a line in the cache is named by its place: {thread in the tile, set, way}, of which a shape uses the low bits.
//               Rules and numbers: roles/overlay/sim/tile/README.md, "Data cache" and "Memory".
// Source: own design.   Tests: test_overlay_memory.py
package polyloom_overlay_memory_pkg;

  localparam int unsigned MISSES = 32;  // in flight of a tile
  localparam int unsigned SLOT_REST = 8;  // cycles from a line's arrival until its miss slot may be used again
  localparam int unsigned PLACE_BITS = 12;  // 64 threads of at most 64 lines
  localparam int unsigned LINE_ADDR_BITS = 27;  // of addresses in units of 32 bytes
  localparam int unsigned BEAT_BITS = 256;  // of AXI
  localparam int unsigned BEAT_BYTES = BEAT_BITS / 8;
  localparam int unsigned CHANNELS = 3;  // of a slice: DRAM, SRAM A, SRAM B

  typedef logic [PLACE_BITS-1:0] place_t;
  typedef logic [LINE_ADDR_BITS-1:0] line_addr_t;

  // A request that the cache looks up.
  typedef struct packed {
    polyloom_overlay_pkg::mem_op_e               op;
    logic [1:0]                                  size;
    logic                                        sign;
    logic [polyloom_overlay_pkg::INDEX_BITS-1:0] thread;  // of the tile
    logic [3:0]                                  set;     // of the thread
    logic [31:0]                                 addr;
    logic [31:0]                                 data;
  } lookup_t;

  // What a lookup asks of the memory: a line, and what it replaces written back if dirty; or (flush) only the latter.
  typedef struct packed {
    logic                                        flush;
    logic                                        dirty;
    logic [polyloom_overlay_pkg::INDEX_BITS-1:0] thread;
    line_addr_t                                  wanted;
    line_addr_t                                  victim;
    place_t                                      place;
  } start_t;

  // How to take a value out of a word.
  typedef struct packed {
    logic [1:0] size;
    logic       sign;
    logic [1:0] offset;
  } load_t;

  // What an access does with a line.
  typedef struct packed {
    logic        store;
    logic [3:0]  index;  // of the word
    load_t       part;   // of it
    logic [31:0] data;   // of a store, in the bytes where it goes
  } word_t;

  // Bytes of a word that an access of 1 << size bytes covers.
  function automatic logic [3:0] byte_enable(input logic [1:0] size, input logic [1:0] offset);
    unique case (size)
      2'd0: return 4'b0001 << offset;
      2'd1: return offset[1] ? 4'b1100 : 4'b0011;
      default: return 4'b1111;
    endcase
  endfunction

  // A store's low bytes, wherever in the word they go.
  function automatic logic [31:0] store_lanes(input logic [1:0] size, input logic [31:0] data);
    unique case (size)
      2'd0: return {4{data[7:0]}};
      2'd1: return {2{data[15:0]}};
      default: return data;
    endcase
  endfunction

  // What a load gives of the word that holds it.
  function automatic logic [31:0] loaded(input load_t part, input logic [31:0] word);
    logic [ 7:0] low;
    logic [15:0] half;
    half = part.offset[1] ? word[31:16] : word[15:0];
    low  = part.offset[0] ? half[15:8] : half[7:0];
    unique case (part.size)
      2'd0: return {{24{part.sign && low[7]}}, low};
      2'd1: return {{16{part.sign && half[15]}}, half};
      default: return word;
    endcase
  endfunction

  // Which memory of the slice an address as a thread sees it lies in (only addresses that are in one come).
  function automatic logic [1:0] channel_of(input logic [31:23] addr);
    if (addr[31:24] == 8'h00) return 2'd1;
    return addr == 9'h002 ? 2'd2 : 2'd0;
  endfunction

endpackage
