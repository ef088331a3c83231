// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_cache_fill: ends a miss: takes the line that came, puts a store's bytes in, responds to the thread.
// How:          what the access wants is kept in a RAM, a word a thread, from the lookup on.
//                   D+1: line comes, the thread's word is read | D+2: bytes of a store go in; line to the cache, word chosen |
//                   D+3: bytes of a load chosen | D+4: response
// Latency:      response 3 cycles after the line (D + 4, where D is the line's last beat at the slice); line to the RAM 1.
// Throughput:   one line a cycle.
// Backpressure: none.
// Order/loss:   in order of the lines.
// Reset:        pipeline emptied.
// Limits:       checked by polyloom_overlay_cache. A thread has one miss under way.
// Cost:         64 x 54 bits of RAM; a byte multiplexer a byte of the line.
// Source:       own design.
// Tests:        test_polyloom_overlay_cache_fill.py, memory_rtl_test.cc
module polyloom_overlay_cache_fill
  import polyloom_overlay_pkg::*;
  import polyloom_overlay_memory_pkg::*;
#(
    parameter  cfg_t        Cfg      = TINY,
    localparam int unsigned LineBits = 8 * Cfg.line_bytes
) (
    input  logic                    clk_i,
    input  logic                    rst_ni,
    // A lookup that missed
    input  logic                    miss_valid_i,
    input  logic   [INDEX_BITS-1:0] miss_thread_i,
    input  place_t                  miss_place_i,
    input  word_t                   miss_i,
    // From the slice
    input  logic                    line_rsp_valid_i,
    input  logic   [INDEX_BITS-1:0] line_rsp_tag_i,
    input  logic   [  LineBits-1:0] line_rsp_data_i,
    // To the RAM of lines
    output logic                    fill_valid_o,
    output place_t                  fill_place_o,
    output logic   [  LineBits-1:0] fill_o,
    // The response
    output logic                    rsp_valid_o,
    output logic   [INDEX_BITS-1:0] rsp_thread_o,
    output logic   [          31:0] rsp_data_o,
    output logic                    idle_o             // nothing in the pipeline
);

  localparam int unsigned BYTES = Cfg.line_bytes;
  localparam int unsigned THREADS = Cfg.cores * Cfg.threads;
  localparam int unsigned DEPTH = THREADS < 2 ? 2 : THREADS;
  typedef logic [$clog2(DEPTH)-1:0] thread_t;
  typedef logic [$clog2(BYTES/4)-1:0] word_index_t;
  typedef struct packed {
    place_t place;
    word_t  word;
  } kept_t;

  // D+2
  logic line_valid_q;
  logic [INDEX_BITS-1:0] line_thread_q;
  logic [LineBits-1:0] line_q;
  kept_t kept;
  // D+3
  logic word_valid_q;
  logic [INDEX_BITS-1:0] word_thread_q;
  logic [31:0] word_q;
  load_t part_q;

  polyloom_ram_1r1w #(
      .Width($bits(kept_t)),
      .Depth(DEPTH)
  ) i_kept (
      .clk_i,
      .we_i(miss_valid_i),
      .be_i(1'b1),
      .waddr_i(thread_t'(miss_thread_i)),
      .wdata_i({miss_place_i, miss_i}),
      .re_i(line_rsp_valid_i),
      .raddr_i(thread_t'(line_rsp_tag_i)),
      .rdata_o(kept)
  );

  logic [3:0] be;
  word_index_t index;
  assign be = byte_enable(kept.word.part.size, kept.word.part.offset);
  assign index = word_index_t'(kept.word.index);

  always_comb begin
    fill_o = line_q;
    for (int unsigned b = 0; b < 4; b++) begin
      if (kept.word.store && be[b]) fill_o[{index, 5'(8*b)}+:8] = kept.word.data[8*b+:8];
    end
  end
  assign fill_valid_o = line_valid_q;
  assign fill_place_o = kept.place;
  assign idle_o = !line_valid_q && !word_valid_q && !rsp_valid_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      line_valid_q <= 1'b0;
      word_valid_q <= 1'b0;
      rsp_valid_o  <= 1'b0;
    end else begin
      line_valid_q <= line_rsp_valid_i;
      word_valid_q <= line_valid_q;
      rsp_valid_o  <= word_valid_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (line_rsp_valid_i) begin
      line_q <= line_rsp_data_i;
      line_thread_q <= line_rsp_tag_i;
    end
    if (line_valid_q) begin
      word_q <= line_q[{index, 5'b0}+:32];
      part_q <= kept.word.part;
      word_thread_q <= line_thread_q;
    end
    if (word_valid_q) begin
      rsp_thread_o <= word_thread_q;
      rsp_data_o   <= loaded(part_q, word_q);
    end
  end

endmodule
