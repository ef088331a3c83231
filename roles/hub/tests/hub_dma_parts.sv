// SPDX-License-Identifier: Apache-2.0
// hub_dma_parts: the parts of the DMA, each alone; a part of hub_tb.
module hub_dma_parts
  import polyloom_hub_pkg::*;
  import polyloom_hub_registers_pkg::*;
(
    input logic clk_i,
    input logic rst_ni
);
  localparam int unsigned Tags[2] = '{1, 3};
  localparam int unsigned Bits[2] = '{16, 32};
  localparam int unsigned Most[2] = '{128, 512};
  localparam int unsigned Chain[2] = '{8, 1};
  function automatic cfg_t config_of(int unsigned k);
    cfg_t c;
    c = SMALL;
    c.tags = Tags[k];
    c.memory_bits = Bits[k];
    c.max_payload = Most[k];
    c.chain_max = Chain[k];
    return c;
  endfunction

  for (genvar k = 0; k < 2; k++) begin : gen_control  // chains of 8, of 1
    logic [3:0] node = '0;
    logic north = 1'b0, has_function = 1'b0, start = 1'b0, clear = 1'b0;
    logic [63:0] start_address = '0;
    dma_state_t state;
    logic proxy_valid = 1'b0, proxy_ready, request_valid, request_ready = 1'b0, fetch_valid = 1'b0, fetch_bad = 1'b0;
    descriptor_t proxy = '0, fetch = '0, walk_descriptor;
    logic [4:0] queued = '0;
    logic [ADDR_W-1:0] request;
    logic walk, walk_proxy, walk_stop, walk_done = 1'b0, walk_own = 1'b0;
    dma_error_e walk_error;
    logic [3:0] walk_error_bits = '0;
    logic [1:0] done = '0, failed = '0;
    logic clear_failed, quiet = 1'b0, settled = 1'b0;
    assign walk_error = dma_error_e'(walk_error_bits);
    polyloom_hub_dma_control #(
        .Cfg(config_of(k))
    ) i_dut (
        .clk_i,
        .rst_ni,
        .node_i           (node),
        .north_i          (north),
        .function_i       (has_function),
        .start_i          (start),
        .start_address_i  (start_address),
        .clear_i          (clear),
        .state_o          (state),
        .proxy_valid_i    (proxy_valid),
        .proxy_ready_o    (proxy_ready),
        .proxy_i          (proxy),
        .proxy_queued_i   (queued),
        .request_valid_o  (request_valid),
        .request_ready_i  (request_ready),
        .request_address_o(request),
        .fetch_valid_i    (fetch_valid),
        .fetch_bad_i      (fetch_bad),
        .fetch_i          (fetch),
        .walk_o           (walk),
        .walk_proxy_o     (walk_proxy),
        .walk_descriptor_o(walk_descriptor),
        .walk_stop_o      (walk_stop),
        .walk_done_i      (walk_done),
        .walk_error_i     (walk_error),
        .walk_own_i       (walk_own),
        .done_i           (done),
        .failed_i         (failed),
        .clear_failed_o   (clear_failed),
        .quiet_i          (quiet),
        .settled_i        (settled)
    );
  end

  for (genvar k = 0; k < 2; k++) begin : gen_read  // 1 read under way, 3
    logic request_valid = 1'b0, request_ready;
    struct packed {
      logic fetch;
      logic [9:0] bytes;
      logic [ADDR_W-1:0] address;
    } request = '0;
    logic ar_valid, ar_ready = 1'b0, r_valid = 1'b0, r_ready, mrd_valid, mrd_ready = 1'b0;
    logic [ 47:0] ar;  // address, length
    logic [128:0] r = '0;  // data, last
    beat_t mrd, reads = '0;
    logic reads_header = 1'b0, reads_expected, reads_valid = 1'b0, reads_final = 1'b0, reads_bad = 1'b0;
    logic [7:0] reads_tag = '0;
    logic data_valid, data_ready = 1'b0, fetch_valid, fetch_bad, idle;
    read_beat_t  data;
    descriptor_t fetch;
    polyloom_hub_dma_read #(
        .Cfg(config_of(k))
    ) i_dut (
        .clk_i,
        .rst_ni,
        .request_valid_i  (request_valid),
        .request_ready_o  (request_ready),
        .request_address_i(request.address),
        .request_bytes_i  (request.bytes),
        .request_fetch_i  (request.fetch),
        .mem_ar_valid_o   (ar_valid),
        .mem_ar_ready_i   (ar_ready),
        .mem_ar_addr_o    (ar[47:8]),
        .mem_ar_len_o     (ar[7:0]),
        .mem_r_valid_i    (r_valid),
        .mem_r_ready_o    (r_ready),
        .mem_r_data_i     (r[128:1]),
        .mem_r_last_i     (r[0]),
        .mrd_valid_o      (mrd_valid),
        .mrd_ready_i      (mrd_ready),
        .mrd_o            (mrd),
        .reads_header_i   (reads_header),
        .reads_tag_i      (reads_tag),
        .reads_expected_o (reads_expected),
        .reads_valid_i    (reads_valid),
        .reads_final_i    (reads_final),
        .reads_bad_i      (reads_bad),
        .reads_i          (reads),
        .data_valid_o     (data_valid),
        .data_ready_i     (data_ready),
        .data_o           (data),
        .fetch_valid_o    (fetch_valid),
        .fetch_bad_o      (fetch_bad),
        .fetch_o          (fetch),
        .idle_o           (idle)
    );
  end

  for (genvar k = 0; k < 2; k++) begin : gen_walk  // a memory of 64 KiB, of 4 GiB
    logic [3:0] node = '0;
    logic north = 1'b0, start = 1'b0, proxy = 1'b0, stop = 1'b0, done, own;
    descriptor_t descriptor = '0;
    dma_error_e  error;
    logic block_valid, block_ready = 1'b0, request_valid, request_ready = 1'b0;
    block_t block;
    struct packed {
      logic [9:0] bytes;
      logic [ADDR_W-1:0] address;
    } request;
    polyloom_hub_dma_walk #(
        .Cfg(config_of(k))
    ) i_dut (
        .clk_i,
        .rst_ni,
        .node_i           (node),
        .north_i          (north),
        .start_i          (start),
        .proxy_i          (proxy),
        .descriptor_i     (descriptor),
        .stop_i           (stop),
        .done_o           (done),
        .error_o          (error),
        .own_o            (own),
        .block_valid_o    (block_valid),
        .block_ready_i    (block_ready),
        .block_o          (block),
        .request_valid_o  (request_valid),
        .request_ready_i  (request_ready),
        .request_address_o(request.address),
        .request_bytes_o  (request.bytes)
    );
  end

  for (genvar k = 0; k < 2; k++) begin : gen_write  // TLPs of 128 bytes, of 512
    logic block_valid = 1'b0, block_ready, data_valid = 1'b0, data_ready, stream_valid, stream_ready = 1'b0;
    logic out_valid, out_ready = 1'b0, clear = 1'b0, idle;
    block_t block = '0;
    read_beat_t data = '0;
    beat_t stream, out;
    logic [1:0] done, failed;
    polyloom_hub_dma_write #(
        .Cfg(config_of(k))
    ) i_dut (
        .clk_i,
        .rst_ni,
        .block_valid_i (block_valid),
        .block_ready_o (block_ready),
        .block_i       (block),
        .data_valid_i  (data_valid),
        .data_ready_o  (data_ready),
        .data_i        (data),
        .stream_valid_o(stream_valid),
        .stream_ready_i(stream_ready),
        .stream_o      (stream),
        .out_valid_o   (out_valid),
        .out_ready_i   (out_ready),
        .out_o         (out),
        .done_o        (done),
        .failed_o      (failed),
        .clear_i       (clear),
        .idle_o        (idle)
    );
  end
endmodule
