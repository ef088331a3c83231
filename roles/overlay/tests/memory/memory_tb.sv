// SPDX-License-Identifier: Apache-2.0
// memory_tb: a tile's cache and its parts, a slice, its lines, and the host's way to it, each alone, for cocotb; all
// of them together are compared with the fast model by memory_rtl_test.cc. Sizes: SHAPES of memory_units.py.
module memory_tb (
    input logic clk_i,
    input logic rst_ni
);
  import polyloom_overlay_pkg::*;
  import polyloom_overlay_memory_pkg::*;

  typedef int unsigned numbers_t[3];
  localparam numbers_t CORES = '{4, 1, 2};
  localparam numbers_t THREADS = '{4, 1, 2};
  localparam numbers_t WAYS = '{4, 1, 8};
  localparam numbers_t SETS = '{2, 1, 4};
  localparam numbers_t LINE_BITS = '{256, 512, 512};
  localparam numbers_t CLIENTS = '{3, 5, 0};  // of a slice

  function automatic cfg_t sized(input int unsigned which);
    cfg_t cfg;
    cfg = TINY;
    cfg.cores = CORES[which];
    cfg.threads = THREADS[which];
    cfg.cache_ways = WAYS[which];
    cfg.cache_sets = SETS[which];
    cfg.line_bytes = LINE_BITS[which] / 8;
    return cfg;
  endfunction

  // With more threads than there may be misses under way.
  function automatic cfg_t many(input int unsigned which);
    many = sized(which);
    if (which == 0) many.threads = 16;
  endfunction

  for (genvar k = 0; k < 2; k++) begin : gen_queue
    logic [CORES[k]-1:0] asks = '0;
    mem_req_t [CORES[k]-1:0] req = '0;
    logic hold = 1'b0, valid, empty;
    lookup_t grant;
    polyloom_overlay_cache_queue #(
        .Cfg(sized(k))
    ) i_dut (
        .clk_i,
        .rst_ni,
        .req_valid_i  (asks),
        .req_i        (req),
        .hold_i       (hold),
        .grant_valid_o(valid),
        .grant_o      (grant),
        .empty_o      (empty)
    );
  end

  for (genvar k = 1; k < 3; k++) begin : gen_tags
    logic ready, valid = 1'b0, decided_valid, hit;
    lookup_t grant = '0, decided;
    start_t start;
    polyloom_overlay_cache_tags #(
        .Cfg(sized(k))
    ) i_dut (
        .clk_i,
        .rst_ni,
        .ready_o        (ready),
        .grant_valid_i  (valid),
        .grant_i        (grant),
        .decided_valid_o(decided_valid),
        .decided_o      (decided),
        .hit_o          (hit),
        .start_o        (start)
    );
  end

  for (genvar k = 0; k < 2; k++) begin : gen_lines
    logic idle, hit_valid = 1'b0, fill_valid = 1'b0, want = 1'b0, granted;
    place_t hit_place = '0, fill_place = '0, victim_place = '0;
    word_t hit = '0;
    logic [31:0] hit_data;
    logic [LINE_BITS[k]-1:0] fill = '0, victim;
    polyloom_overlay_cache_lines #(
        .Cfg(sized(k))
    ) i_dut (
        .clk_i,
        .rst_ni,
        .idle_o        (idle),
        .hit_valid_i   (hit_valid),
        .hit_place_i   (hit_place),
        .hit_i         (hit),
        .hit_data_o    (hit_data),
        .fill_valid_i  (fill_valid),
        .fill_place_i  (fill_place),
        .fill_i        (fill),
        .victim_want_i (want),
        .victim_place_i(victim_place),
        .victim_grant_o(granted),
        .victim_o      (victim)
    );
  end

  for (genvar k = 0; k < 2; k++) begin : gen_fill
    logic miss_valid = 1'b0, line_valid = 1'b0, fill_valid, rsp_valid, idle;
    logic [INDEX_BITS-1:0] miss_thread = '0, line_tag = '0, rsp_thread;
    place_t miss_place = '0, fill_place;
    word_t miss = '0;
    logic [LINE_BITS[k]-1:0] line = '0, fill;
    logic [31:0] rsp_data;
    polyloom_overlay_cache_fill #(
        .Cfg(sized(k))
    ) i_dut (
        .clk_i,
        .rst_ni,
        .miss_valid_i    (miss_valid),
        .miss_thread_i   (miss_thread),
        .miss_place_i    (miss_place),
        .miss_i          (miss),
        .line_rsp_valid_i(line_valid),
        .line_rsp_tag_i  (line_tag),
        .line_rsp_data_i (line),
        .fill_valid_o    (fill_valid),
        .fill_place_o    (fill_place),
        .fill_o          (fill),
        .rsp_valid_o     (rsp_valid),
        .rsp_thread_o    (rsp_thread),
        .rsp_data_o      (rsp_data),
        .idle_o          (idle)
    );
  end

  for (genvar k = 0; k < 2; k++) begin : gen_port
    logic hold, idle, asks = 1'b0, arrived = 1'b0, want, granted = 1'b0, line_valid, line_ready = 1'b0;
    start_t start = '0;
    place_t victim_place;
    line_req_t line;
    polyloom_overlay_cache_port #(
        .Cfg(many(k))
    ) i_dut (
        .clk_i,
        .rst_ni,
        .hold_o        (hold),
        .idle_o        (idle),
        .start_valid_i (asks),
        .start_i       (start),
        .arrived_i     (arrived),
        .victim_want_o (want),
        .victim_place_o(victim_place),
        .victim_grant_i(want && granted),
        .line_valid_o  (line_valid),
        .line_ready_i  (line_ready),
        .line_o        (line)
    );
  end

  for (genvar k = 0; k < 2; k++) begin : gen_cache
    localparam int unsigned Bits = LINE_BITS[k];
    logic idle, hits, misses, writebacks, line_valid, line_ready = 1'b0, back_valid = 1'b0;
    logic [CORES[k]-1:0] asks = '0, hit_valid, fill_valid;
    mem_req_t [CORES[k]-1:0] req = '0;
    rsp_t hit, fill;
    line_req_t request;
    logic [Bits-1:0] wdata, back_data = '0;
    logic [INDEX_BITS-1:0] back_tag = '0;
    logic [$bits(line_req_t)+Bits-1:0] line;  // a read's data mean nothing
    assign line = {request, request.write ? wdata : Bits'(0)};
    polyloom_overlay_cache #(
        .Cfg(sized(k))
    ) i_dut (
        .clk_i,
        .rst_ni,
        .idle_o           (idle),
        .req_valid_i      (asks),
        .req_i            (req),
        .hit_valid_o      (hit_valid),
        .hit_o            (hit),
        .fill_valid_o     (fill_valid),
        .fill_o           (fill),
        .count_hit_o      (hits),
        .count_miss_o     (misses),
        .count_writeback_o(writebacks),
        .line_valid_o     (line_valid),
        .line_ready_i     (line_ready),
        .line_o           (request),
        .line_wdata_o     (wdata),
        .line_rsp_valid_i (back_valid),
        .line_rsp_tag_i   (back_tag),
        .line_rsp_data_i  (back_data)
    );
  end

  for (genvar k = 0; k < 2; k++) begin : gen_slice_lines
    localparam int unsigned IdBits = $clog2(CLIENTS[k]) + INDEX_BITS;
    logic [2:0] r_valid = '0, r_ready, r_last = '0;
    logic [2:0][BEAT_BITS-1:0] r_data = '0;
    logic [2:0][IdBits-1:0] r_id = '0;
    logic [CLIENTS[k]-1:0] valid;
    logic [INDEX_BITS-1:0] tag;
    logic [LINE_BITS[k]-1:0] line;
    polyloom_overlay_slice_lines #(
        .Cfg    (sized(k)),
        .Clients(CLIENTS[k])
    ) i_dut (
        .clk_i,
        .rst_ni,
        .mem_r_valid_i   (r_valid),
        .mem_r_ready_o   (r_ready),
        .mem_r_data_i    (r_data),
        .mem_r_last_i    (r_last),
        .mem_r_id_i      (r_id),
        .line_rsp_valid_o(valid),
        .line_rsp_tag_o  (tag),
        .line_rsp_data_o (line)
    );
  end

  for (genvar k = 0; k < 2; k++) begin : gen_slice
    localparam int unsigned Bits = LINE_BITS[k];
    localparam int unsigned IdBits = $clog2(CLIENTS[k]) + INDEX_BITS;
    typedef struct packed {
      line_req_t req;
      logic [Bits-1:0] data;
    } ask_t;
    logic idle;
    logic [CLIENTS[k]-1:0] ask_valid = '0, ask_ready, back_valid;
    ask_t [CLIENTS[k]-1:0] ask = '0;
    line_req_t [CLIENTS[k]-1:0] req;
    logic [CLIENTS[k]-1:0][Bits-1:0] wdata;
    logic [Bits/8-1:0] strobe;  // of the DMA, taken from its data
    logic [INDEX_BITS-1:0] back_tag;
    logic [Bits-1:0] back_data;
    logic [2:0] ar_valid, ar_ready = '0, aw_valid, aw_ready = '0, w_valid, w_ready = '0, w_last;
    logic [2:0] r_valid = '0, r_ready, r_last = '0, b_ready;
    logic [2:0][39:0] ar_addr, aw_addr;
    logic [2:0][7:0] ar_len, aw_len;
    logic [2:0][IdBits-1:0] ar_id, aw_id, r_id = '0;
    logic [2:0][BEAT_BITS-1:0] r_data = '0, w_data;
    logic [2:0][BEAT_BYTES-1:0] w_strb;
    assign strobe = ask[CLIENTS[k]-1].data[Bits/8-1:0];
    for (genvar c = 0; c < CLIENTS[k]; c++) begin : gen_client
      assign req[c]   = ask[c].req;
      assign wdata[c] = ask[c].data;
    end
    polyloom_overlay_slice #(
        .Cfg    (sized(k)),
        .Clients(CLIENTS[k])
    ) i_dut (
        .clk_i,
        .rst_ni,
        .idle_o          (idle),
        .line_valid_i    (ask_valid),
        .line_ready_o    (ask_ready),
        .line_i          (req),
        .line_wdata_i    (wdata),
        .dma_wstrb_i     (strobe),
        .line_rsp_valid_o(back_valid),
        .line_rsp_tag_o  (back_tag),
        .line_rsp_data_o (back_data),
        .mem_ar_valid_o  (ar_valid),
        .mem_ar_ready_i  (ar_ready),
        .mem_ar_addr_o   (ar_addr),
        .mem_ar_len_o    (ar_len),
        .mem_ar_id_o     (ar_id),
        .mem_r_valid_i   (r_valid),
        .mem_r_ready_o   (r_ready),
        .mem_r_data_i    (r_data),
        .mem_r_last_i    (r_last),
        .mem_r_id_i      (r_id),
        .mem_aw_valid_o  (aw_valid),
        .mem_aw_ready_i  (aw_ready),
        .mem_aw_addr_o   (aw_addr),
        .mem_aw_len_o    (aw_len),
        .mem_aw_id_o     (aw_id),
        .mem_w_valid_o   (w_valid),
        .mem_w_ready_i   (w_ready),
        .mem_w_data_o    (w_data),
        .mem_w_strb_o    (w_strb),
        .mem_w_last_o    (w_last),
        .mem_b_valid_i   (3'b0),
        .mem_b_ready_o   (b_ready)
    );
  end

  for (genvar k = 0; k < 2; k++) begin : gen_dma
    localparam int unsigned Bits = LINE_BITS[k];
    logic idle, aw_valid = 1'b0, aw_ready, w_valid = 1'b0, w_ready, b_valid, b_ready = 1'b0;
    logic ar_valid = 1'b0, ar_ready, r_valid, r_ready = 1'b0, line_valid, line_ready = 1'b0, back_valid = 1'b0;
    logic [39:0] aw = '0, ar = '0;  // {addr, len}
    logic [BEAT_BITS+BEAT_BYTES:0] w = '0;  // {data, strb, last}
    logic [BEAT_BITS:0] r;  // {data, last}
    line_req_t request;
    logic [Bits-1:0] wdata, back_data = '0;
    logic [Bits/8-1:0] wstrb;
    logic [INDEX_BITS-1:0] back_tag = '0;
    logic [$bits(line_req_t)+Bits+Bits/8-1:0] line;  // a read's data mean nothing
    assign line = {request, request.write ? {wdata, wstrb} : (Bits + Bits / 8)'(0)};
    polyloom_overlay_dma #(
        .Cfg(sized(k))
    ) i_dut (
        .clk_i,
        .rst_ni,
        .idle_o          (idle),
        .mem_aw_valid_i  (aw_valid),
        .mem_aw_ready_o  (aw_ready),
        .mem_aw_addr_i   (aw[39:8]),
        .mem_aw_len_i    (aw[7:0]),
        .mem_w_valid_i   (w_valid),
        .mem_w_ready_o   (w_ready),
        .mem_w_data_i    (w[BEAT_BITS+BEAT_BYTES:BEAT_BYTES+1]),
        .mem_w_strb_i    (w[BEAT_BYTES:1]),
        .mem_w_last_i    (w[0]),
        .mem_b_valid_o   (b_valid),
        .mem_b_ready_i   (b_ready),
        .mem_ar_valid_i  (ar_valid),
        .mem_ar_ready_o  (ar_ready),
        .mem_ar_addr_i   (ar[39:8]),
        .mem_ar_len_i    (ar[7:0]),
        .mem_r_valid_o   (r_valid),
        .mem_r_ready_i   (r_ready),
        .mem_r_data_o    (r[BEAT_BITS:1]),
        .mem_r_last_o    (r[0]),
        .line_valid_o    (line_valid),
        .line_ready_i    (line_ready),
        .line_o          (request),
        .line_wdata_o    (wdata),
        .line_wstrb_o    (wstrb),
        .line_rsp_valid_i(back_valid),
        .line_rsp_tag_i  (back_tag),
        .line_rsp_data_i (back_data)
    );
  end
endmodule
