// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_cache_lines: the bytes of a tile's cache: words for hits, whole lines for fills and write-backs.
// How:          one RAM with a word a line and two ports. Port 0 is the hits' alone. On port 1 a victim is read, or else a
//               line that came is written, which may wait: its thread cannot ask for it sooner than 8 cycles later. Of two
//               cycles in a row the waiting line gets one, and every one when three lines wait.
//                   hits ---------------------------> port 0 [      ] --> word --> load --> hit_data
//                   fills --> queue --+-------------> port 1 [ RAM  ] --> victim
//                   victims ----------'                      [      ]
// Latency:      hit: hit_data_o 2 cycles after hit_i. Victim: victim_o 1 cycle after the grant; it stands until the next.
//               Fill: in the RAM 2 cycles after fill_i at best, 8 later at worst.
// Throughput:   one hit, one fill a cycle. Misses read a victim at most every other cycle (its write-back takes one too), so
//               they never wait; a row of dirty flushes may, while lines come.
// Backpressure: victim_grant_o depends on victim_want_i combinationally. Fills are always taken.
// Order/loss:   in order.
// Reset:        queue emptied. Bytes are undefined until filled.
// Limits:       checked by polyloom_overlay_cache.
// Cost:         64 threads of 64 lines of 32 bytes: 32 BRAM36 (UltraScale+), 64 EBR (ECP5), and a queue of 4 x 268 bits.
// Source:       own design.
// Tests:        test_polyloom_overlay_cache_lines.py, memory_rtl_test.cc
module polyloom_overlay_cache_lines
  import polyloom_overlay_pkg::*;
  import polyloom_overlay_memory_pkg::*;
#(
    parameter  cfg_t        Cfg      = TINY,
    localparam int unsigned LineBits = 8 * Cfg.line_bytes
) (
    input  logic                  clk_i,
    input  logic                  rst_ni,
    output logic                  idle_o,          // no line waits to be written
    // A hit: a word is read or written
    input  logic                  hit_valid_i,
    input  place_t                hit_place_i,
    input  word_t                 hit_i,
    output logic   [        31:0] hit_data_o,
    // A line that came
    input  logic                  fill_valid_i,
    input  place_t                fill_place_i,
    input  logic   [LineBits-1:0] fill_i,
    // A line that has to go
    input  logic                  victim_want_i,
    input  place_t                victim_place_i,
    output logic                  victim_grant_o,
    output logic   [LineBits-1:0] victim_o
);

  localparam int unsigned BYTES = Cfg.line_bytes;
  localparam int unsigned WORDS = BYTES / 4;
  localparam int unsigned LINES_USED = Cfg.cores * Cfg.threads * Cfg.cache_sets * Cfg.cache_ways;
  localparam int unsigned LINES = LINES_USED < 2 ? 2 : LINES_USED;
  typedef logic [$clog2(LINES)-1:0] line_t;
  typedef logic [$clog2(WORDS)-1:0] word_index_t;
  typedef struct packed {
    place_t place;
    logic [LineBits-1:0] data;
  } fill_t;

  fill_t fill;
  logic fill_waits, fill_goes, fill_room, fill_lost_q;
  logic [1:0] fill_count_q;
  logic [LineBits-1:0] e_line;
  logic [BYTES-1:0] hit_be;

  // ---- port 1: fills and victims ----

  polyloom_stream_lut_fifo #(
      .T(fill_t),
      .Depth(4)
  ) i_fills (
      .clk_i,
      .rst_ni,
      .flush_i(1'b0),
      .in_valid_i(fill_valid_i),
      .in_ready_o(fill_room),
      .in_i('{place: fill_place_i, data: fill_i}),
      .out_valid_o(fill_waits),
      .out_ready_i(fill_goes),
      .out_o(fill)
  );

  assign fill_goes = fill_waits && (!victim_want_i || fill_lost_q || fill_count_q == 2'd3);
  assign victim_grant_o = victim_want_i && !fill_goes;
  assign idle_o = !fill_waits;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      fill_lost_q  <= 1'b0;
      fill_count_q <= '0;
    end else begin
      fill_lost_q  <= fill_waits && !fill_goes;
      fill_count_q <= fill_count_q + 2'(fill_valid_i) - 2'(fill_goes);
    end
  end
  always_ff @(posedge clk_i) assert (!fill_valid_i || fill_room);

  // ---- port 0: hits ----

  always_comb begin
    hit_be = '0;
    hit_be[{word_index_t'(hit_i.index), 2'b00}+:4] = byte_enable(hit_i.part.size, hit_i.part.offset);
  end

  polyloom_ram_2rw_be #(
      .Width(LineBits),
      .Depth(LINES)
  ) i_ram (
      .clk_i,
      .en_i({victim_grant_o || fill_goes, hit_valid_i}),
      .we_i({fill_goes, hit_i.store}),
      .be_i({{BYTES{1'b1}}, hit_be}),
      .addr_i({fill_goes ? line_t'(fill.place) : line_t'(victim_place_i), line_t'(hit_place_i)}),
      .wdata_i({fill.data, {WORDS{hit_i.data}}}),
      .rdata_o({victim_o, e_line})
  );

  // ---- the word ----

  load_t e_part_q;
  word_index_t e_index_q;
  always_ff @(posedge clk_i) begin
    if (hit_valid_i) begin
      e_part_q  <= hit_i.part;
      e_index_q <= word_index_t'(hit_i.index);
    end
    hit_data_o <= loaded(e_part_q, e_line[{e_index_q, 5'b0}+:32]);
  end

endmodule
