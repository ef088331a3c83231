// SPDX-License-Identifier: Apache-2.0
// memory_tb: a tile's cache and its parts, a slice, its lines, and the host's way to it, each alone, for cocotb; all
// of them together are compared with the fast model by memory_rtl_test.cc. Sizes: SHAPES of memory_units.py.
// verilog_format: off
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
    polyloom_overlay_cache_queue #(.Cfg(sized(k))) i_dut (.req_valid_i(requests), .grant_valid_o(valid), .*);
  end

  for (genvar k = 1; k < 3; k++) begin : gen_tags
    polyloom_overlay_cache_tags #(.Cfg(sized(k))) i_dut (.grant_valid_i(valid), .*);
  end

  for (genvar k = 0; k < 2; k++) begin : gen_lines
    polyloom_overlay_cache_lines #(.Cfg(sized(k))) i_dut (.victim_want_i(want), .victim_grant_o(granted), .*);
  end

  for (genvar k = 0; k < 2; k++) begin : gen_fill
    polyloom_overlay_cache_fill #(.Cfg(sized(k))) i_dut (.line_rsp_valid_i(line_valid), .line_rsp_tag_i(line_tag),
        .line_rsp_data_i(line), .*);
  end

  for (genvar k = 0; k < 2; k++) begin : gen_port
    logic want, granted = 1'b0;
    polyloom_overlay_cache_port #(.Cfg(many(k))) i_dut (.start_valid_i(requests), .victim_want_o(want), .victim_grant_i(want
        && granted), .*);
  end

  for (genvar k = 0; k < 2; k++) begin : gen_cache
    localparam int unsigned Bits = LINE_BITS[k];
    line_req_t request;
    logic [$bits(line_req_t)+Bits-1:0] line;  // a read's data mean nothing
    assign line = {request, request.write ? wdata : Bits'(0)};
    polyloom_overlay_cache #(.Cfg(sized(k))) i_dut (.req_valid_i(requests), .count_hit_o(hits), .count_miss_o(misses),
        .count_writeback_o(writebacks), .line_o(request), .line_wdata_o(wdata), .line_rsp_valid_i(back_valid),
        .line_rsp_tag_i(back_tag), .line_rsp_data_i(back_data), .*);
  end

  for (genvar k = 0; k < 2; k++) begin : gen_slice_lines
    localparam int unsigned IdBits = $clog2(CLIENTS[k]) + INDEX_BITS;
    polyloom_overlay_slice_lines #(.Cfg(sized(k)), .Clients(CLIENTS[k])) i_dut (.mem_r_valid_i(r_valid),
        .mem_r_ready_o(r_ready), .mem_r_data_i(r_data), .mem_r_last_i(r_last), .mem_r_id_i(r_id),
        .line_rsp_valid_o(valid), .line_rsp_tag_o(tag), .line_rsp_data_o(line), .*);
  end

  for (genvar k = 0; k < 2; k++) begin : gen_slice
    localparam int unsigned Bits = LINE_BITS[k];
    localparam int unsigned IdBits = $clog2(CLIENTS[k]) + INDEX_BITS;
    typedef struct packed {
      line_req_t req;
      logic [Bits-1:0] data;
    } request_t;
    request_t [CLIENTS[k]-1:0] request = '0;
    line_req_t [CLIENTS[k]-1:0] req;
    logic [CLIENTS[k]-1:0][Bits-1:0] wdata;
    logic [Bits/8-1:0] strobe;  // of the DMA, taken from its data
    assign strobe = request[CLIENTS[k]-1].data[Bits/8-1:0];
    for (genvar c = 0; c < CLIENTS[k]; c++) begin : gen_client
      assign req[c]   = request[c].req;
      assign wdata[c] = request[c].data;
    end
    polyloom_overlay_slice #(.Cfg(sized(k)), .Clients(CLIENTS[k])) i_dut (.line_valid_i(request_valid),
        .line_ready_o(request_ready), .line_i(req), .line_wdata_i(wdata), .dma_wstrb_i(strobe),
        .line_rsp_valid_o(back_valid), .line_rsp_tag_o(back_tag), .line_rsp_data_o(back_data),
        .mem_ar_valid_o(ar_valid), .mem_ar_ready_i(ar_ready), .mem_ar_addr_o(ar_addr), .mem_ar_len_o(ar_len),
        .mem_ar_id_o(ar_id), .mem_r_valid_i(r_valid), .mem_r_ready_o(r_ready), .mem_r_data_i(r_data),
        .mem_r_last_i(r_last), .mem_r_id_i(r_id), .mem_aw_valid_o(aw_valid), .mem_aw_ready_i(aw_ready),
        .mem_aw_addr_o(aw_addr), .mem_aw_len_o(aw_len), .mem_aw_id_o(aw_id), .mem_w_valid_o(w_valid),
        .mem_w_ready_i(w_ready), .mem_w_data_o(w_data), .mem_w_strb_o(w_strb), .mem_w_last_o(w_last),
        .mem_b_valid_i(3'b0), .mem_b_ready_o(b_ready), .*);
  end

  for (genvar k = 0; k < 2; k++) begin : gen_dma
    localparam int unsigned Bits = LINE_BITS[k];
    logic [39:0] aw = '0, ar = '0;  // {addr, len}
    logic [BEAT_BITS+BEAT_BYTES:0] w = '0;  // {data, strb, last}
    logic [BEAT_BITS:0] r;  // {data, last}
    line_req_t request;
    logic [Bits-1:0] wdata;
    logic [Bits/8-1:0] wstrb;
    logic [$bits(line_req_t)+Bits+Bits/8-1:0] line;  // a read's data mean nothing
    assign line = {request, request.write ? {wdata, wstrb} : (Bits + Bits / 8)'(0)};
    polyloom_overlay_dma #(.Cfg(sized(k))) i_dut (.mem_aw_valid_i(aw_valid), .mem_aw_ready_o(aw_ready),
        .mem_aw_addr_i(aw[39:8]), .mem_aw_len_i(aw[7:0]), .mem_w_valid_i(w_valid), .mem_w_ready_o(w_ready),
        .mem_w_data_i(w[BEAT_BITS+BEAT_BYTES:BEAT_BYTES+1]), .mem_w_strb_i(w[BEAT_BYTES:1]), .mem_w_last_i(w[0]),
        .mem_b_valid_o(b_valid), .mem_b_ready_i(b_ready), .mem_ar_valid_i(ar_valid), .mem_ar_ready_o(ar_ready),
        .mem_ar_addr_i(ar[39:8]), .mem_ar_len_i(ar[7:0]), .mem_r_valid_o(r_valid), .mem_r_ready_i(r_ready),
        .mem_r_data_o(r[BEAT_BITS:1]), .mem_r_last_o(r[0]), .line_o(request), .line_wdata_o(wdata),
        .line_wstrb_o(wstrb), .line_rsp_valid_i(back_valid), .line_rsp_tag_i(back_tag), .line_rsp_data_i(back_data),
        .*);
  end
endmodule
