// SPDX-License-Identifier: Apache-2.0
// memory_rtl_top: the caches of some tiles, the slice that they share and the host's DMA, for memory_rtl_test.cc.
// Elements of arrays are padded to whole bytes.
module memory_rtl_top
  import polyloom_overlay_pkg::*;
#(
    parameter int unsigned Tiles = 1,
    parameter int unsigned Cores = 4,
    parameter int unsigned Threads = 16,
    parameter int unsigned Ways = 16,
    parameter int unsigned Sets = 4,
    parameter int unsigned LineBytes = 32,
    localparam int unsigned Clients = Tiles + 1,
    localparam int unsigned IdBits = $clog2(Clients) + INDEX_BITS
) (
    input  logic                               clk_i,
    input  logic                               rst_ni,
    output logic                               idle_o,
    // Cores: {op, size, sign, thread, addr, data}
    input  logic [Tiles-1:0][ Cores-1:0]       req_valid_i,
    input  logic [Tiles-1:0][ Cores-1:0][79:0] req_i,
    output logic [Tiles-1:0][ Cores-1:0]       hit_valid_o,
    output logic [Tiles-1:0][      39:0]       hit_o,           // {thread, data}
    output logic [Tiles-1:0][ Cores-1:0]       fill_valid_o,
    output logic [Tiles-1:0][      39:0]       fill_o,
    output logic [Tiles-1:0][       7:0]       count_o,         // {writeback, miss, hit}
    // The shell
    input  logic                               dma_aw_valid_i,
    output logic                               dma_aw_ready_o,
    input  logic [     31:0]                   dma_aw_addr_i,
    input  logic [      7:0]                   dma_aw_len_i,
    input  logic                               dma_w_valid_i,
    output logic                               dma_w_ready_o,
    input  logic [    255:0]                   dma_w_data_i,
    input  logic [     31:0]                   dma_w_strb_i,
    input  logic                               dma_w_last_i,
    output logic                               dma_b_valid_o,
    input  logic                               dma_b_ready_i,
    input  logic                               dma_ar_valid_i,
    output logic                               dma_ar_ready_o,
    input  logic [     31:0]                   dma_ar_addr_i,
    input  logic [      7:0]                   dma_ar_len_i,
    output logic                               dma_r_valid_o,
    input  logic                               dma_r_ready_i,
    output logic [    255:0]                   dma_r_data_o,
    output logic                               dma_r_last_o,
    // Memories, as blocks/verilated has them
    output logic [      2:0]                   mem_ar_valid_o,
    input  logic [      2:0]                   mem_ar_ready_i,
    output logic [      2:0][      39:0]       mem_ar_addr_o,
    output logic [      2:0][       7:0]       mem_ar_len_o,
    output logic [      2:0][IdBits-1:0]       mem_ar_id_o,
    input  logic [      2:0]                   mem_r_valid_i,
    output logic [      2:0]                   mem_r_ready_o,
    input  logic [      2:0][     255:0]       mem_r_data_i,
    input  logic [      2:0]                   mem_r_last_i,
    input  logic [      2:0][IdBits-1:0]       mem_r_id_i,
    output logic [      2:0]                   mem_aw_valid_o,
    input  logic [      2:0]                   mem_aw_ready_i,
    output logic [      2:0][      39:0]       mem_aw_addr_o,
    output logic [      2:0][       7:0]       mem_aw_len_o,
    output logic [      2:0][IdBits-1:0]       mem_aw_id_o,
    output logic [      2:0]                   mem_w_valid_o,
    input  logic [      2:0]                   mem_w_ready_i,
    output logic [      2:0][     255:0]       mem_w_data_o,
    output logic [      2:0][      31:0]       mem_w_strb_o,
    output logic [      2:0]                   mem_w_last_o,
    input  logic [      2:0]                   mem_b_valid_i,
    output logic [      2:0]                   mem_b_ready_o,
    // verilator lint_off UNUSEDSIGNAL
    input  logic [      2:0][IdBits-1:0]       mem_b_id_i
    // verilator lint_on UNUSEDSIGNAL
);

  function automatic cfg_t configuration();
    configuration = TINY;
    configuration.cores = Cores;
    configuration.threads = Threads;
    configuration.cache_ways = Ways;
    configuration.cache_sets = Sets;
    configuration.line_bytes = LineBytes;
  endfunction
  localparam cfg_t CFG = configuration();

  logic [Clients-1:0] line_valid, line_ready, line_rsp_valid;
  line_req_t [Clients-1:0] line;
  logic [Clients-1:0][8*LineBytes-1:0] line_wdata;
  logic [LineBytes-1:0] dma_wstrb;
  logic [INDEX_BITS-1:0] line_rsp_tag;
  logic [8*LineBytes-1:0] line_rsp_data;
  logic [Tiles-1:0] cache_idle;
  logic slice_idle, dma_idle;

  for (genvar t = 0; t < Tiles; t++) begin : gen_tile
    mem_req_t [Cores-1:0] req;
    // verilator lint_off UNUSEDSIGNAL
    rsp_t hit, fill;
    // verilator lint_on UNUSEDSIGNAL
    for (genvar c = 0; c < Cores; c++) begin : gen_core
      assign req[c] = mem_req_t'(req_i[t][c][$bits(mem_req_t)-1:0]);
    end
    polyloom_overlay_cache #(
        .Cfg(CFG)
    ) i_cache (
        .clk_i,
        .rst_ni,
        .idle_o(cache_idle[t]),
        .req_valid_i(req_valid_i[t]),
        .req_i(req),
        .hit_valid_o(hit_valid_o[t]),
        .hit_o(hit),
        .fill_valid_o(fill_valid_o[t]),
        .fill_o(fill),
        .count_hit_o(count_o[t][0]),
        .count_miss_o(count_o[t][1]),
        .count_writeback_o(count_o[t][2]),
        .line_valid_o(line_valid[t]),
        .line_ready_i(line_ready[t]),
        .line_o(line[t]),
        .line_wdata_o(line_wdata[t]),
        .line_rsp_valid_i(line_rsp_valid[t]),
        .line_rsp_tag_i(line_rsp_tag),
        .line_rsp_data_i(line_rsp_data)
    );
    assign hit_o[t] = {4'b0, hit.thread, hit.data};
    assign fill_o[t] = {4'b0, fill.thread, fill.data};
    assign count_o[t][7:3] = '0;
  end

  polyloom_overlay_slice #(
      .Cfg(CFG),
      .Clients(Clients)
  ) i_slice (
      .clk_i,
      .rst_ni,
      .idle_o(slice_idle),
      .line_valid_i(line_valid),
      .line_ready_o(line_ready),
      .line_i(line),
      .line_wdata_i(line_wdata),
      .dma_wstrb_i(dma_wstrb),
      .line_rsp_valid_o(line_rsp_valid),
      .line_rsp_tag_o(line_rsp_tag),
      .line_rsp_data_o(line_rsp_data),
      .mem_ar_valid_o,
      .mem_ar_ready_i,
      .mem_ar_addr_o,
      .mem_ar_len_o,
      .mem_ar_id_o,
      .mem_r_valid_i,
      .mem_r_ready_o,
      .mem_r_data_i,
      .mem_r_last_i,
      .mem_r_id_i,
      .mem_aw_valid_o,
      .mem_aw_ready_i,
      .mem_aw_addr_o,
      .mem_aw_len_o,
      .mem_aw_id_o,
      .mem_w_valid_o,
      .mem_w_ready_i,
      .mem_w_data_o,
      .mem_w_strb_o,
      .mem_w_last_o,
      .mem_b_valid_i,
      .mem_b_ready_o
  );

  polyloom_overlay_dma #(
      .Cfg(CFG)
  ) i_dma (
      .clk_i,
      .rst_ni,
      .idle_o(dma_idle),
      .mem_aw_valid_i(dma_aw_valid_i),
      .mem_aw_ready_o(dma_aw_ready_o),
      .mem_aw_addr_i(dma_aw_addr_i),
      .mem_aw_len_i(dma_aw_len_i),
      .mem_w_valid_i(dma_w_valid_i),
      .mem_w_ready_o(dma_w_ready_o),
      .mem_w_data_i(dma_w_data_i),
      .mem_w_strb_i(dma_w_strb_i),
      .mem_w_last_i(dma_w_last_i),
      .mem_b_valid_o(dma_b_valid_o),
      .mem_b_ready_i(dma_b_ready_i),
      .mem_ar_valid_i(dma_ar_valid_i),
      .mem_ar_ready_o(dma_ar_ready_o),
      .mem_ar_addr_i(dma_ar_addr_i),
      .mem_ar_len_i(dma_ar_len_i),
      .mem_r_valid_o(dma_r_valid_o),
      .mem_r_ready_i(dma_r_ready_i),
      .mem_r_data_o(dma_r_data_o),
      .mem_r_last_o(dma_r_last_o),
      .line_valid_o(line_valid[Tiles]),
      .line_ready_i(line_ready[Tiles]),
      .line_o(line[Tiles]),
      .line_wdata_o(line_wdata[Tiles]),
      .line_wstrb_o(dma_wstrb),
      .line_rsp_valid_i(line_rsp_valid[Tiles]),
      .line_rsp_tag_i(line_rsp_tag),
      .line_rsp_data_i(line_rsp_data)
  );

  assign idle_o = &cache_idle && slice_idle && dma_idle;

endmodule
