// SPDX-License-Identifier: Apache-2.0
// polyloom_hub_dma: the DMA controller: chains of descriptors with block stride, and the queue of proxy descriptors.
// How:          proxy queue --.
//               chain --------+--> control --> walk --+--> read --> memory, N
//                                   ^-- descriptors --+----'  | data
//                                                     '--> write --> TLPs to the switch, or the function
// Latency:      see timing.h.
// Throughput:   a beat a cycle.
// Backpressure: proxy_ready_o falls when the queue is full; the rest as its parts.
// Order/loss:   descriptors of a channel in order; flags behind data.
// Reset:        idle, queue empty.
// Limits:       as its parts.
// Cost:         see polyloom_hub_node.
// Source: own design; PEACH2 section 2.2 asks for block transfer.   Tests: test_polyloom_hub_dma.py.
module polyloom_hub_dma
  import polyloom_hub_pkg::*;
  import polyloom_hub_registers_pkg::*;
#(
    parameter cfg_t Cfg = SMALL
) (
    input  logic               clk_i,
    input  logic               rst_ni,
    input  logic       [  3:0] node_i,
    input  logic               north_i,           // N has a link
    input  logic               function_i,        // a step is active
    // Registers
    input  logic               start_i,
    input  logic       [ 63:0] start_address_i,
    input  logic               clear_i,
    output dma_state_t         state_o,
    // From the local unit
    input  logic               proxy_valid_i,
    output logic               proxy_ready_o,
    input  logic       [511:0] proxy_i,
    input  logic               reads_header_i,
    input  logic       [  7:0] reads_tag_i,
    output logic               reads_expected_o,
    input  logic               reads_valid_i,
    input  logic               reads_final_i,
    input  logic               reads_bad_i,
    input  beat_t              reads_i,
    input  logic               settled_i,         // what left the DMA for the own node is there
    // To the on-board memory
    output logic               mem_ar_valid_o,
    input  logic               mem_ar_ready_i,
    output logic       [ 39:0] mem_ar_addr_o,
    output logic       [  7:0] mem_ar_len_o,
    input  logic               mem_r_valid_i,
    output logic               mem_r_ready_o,
    input  logic       [127:0] mem_r_data_i,
    input  logic               mem_r_last_i,
    // To N, by the reply input
    output logic               mrd_valid_o,
    input  logic               mrd_ready_i,
    output beat_t              mrd_o,
    // To the switch
    output logic               out_valid_o,
    input  logic               out_ready_i,
    output beat_t              out_o,
    // To the function
    output logic               stream_valid_o,
    input  logic               stream_ready_i,
    output beat_t              stream_o,
    output logic               idle_o
);
  logic queue_valid, queue_pop;
  descriptor_t queue;
  logic [4:0] queued;
  polyloom_stream_ram_fifo #(
      .T    (descriptor_t),
      .Depth(PROXY_DEPTH)
  ) i_queue (
      .clk_i,
      .rst_ni,
      .flush_i    (1'b0),
      .in_valid_i (proxy_valid_i),
      .in_ready_o (proxy_ready_o),
      .in_i       (proxy_i),
      .out_valid_o(queue_valid),
      .out_ready_i(queue_pop),
      .out_o      (queue),
      .usage_o    (queued)
  );

  logic fetch_request, fetch_ready, fetch_valid, fetch_bad, walk, walk_proxy, walk_stop, walk_done, walk_own;
  logic walk_request, walk_ready, block_valid, block_ready, clear_failed, read_idle, write_idle;
  logic [ADDR_W-1:0] fetch_address, walk_address;
  logic [9:0] walk_bytes;
  logic [1:0] done, failed;
  dma_error_e walk_error;
  descriptor_t fetch, walk_descriptor;
  block_t block;
  polyloom_hub_dma_control #(
      .Cfg(Cfg)
  ) i_control (
      .clk_i,
      .rst_ni,
      .node_i,
      .north_i,
      .function_i,
      .start_i,
      .start_address_i,
      .clear_i,
      .state_o,
      .proxy_valid_i    (queue_valid),
      .proxy_ready_o    (queue_pop),
      .proxy_i          (queue),
      .proxy_queued_i   (queued),
      .request_valid_o  (fetch_request),
      .request_ready_i  (fetch_ready),
      .request_address_o(fetch_address),
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
      .quiet_i          (read_idle && write_idle),
      .settled_i        (read_idle && write_idle && settled_i)
  );
  polyloom_hub_dma_walk #(
      .Cfg(Cfg)
  ) i_walk (
      .clk_i,
      .rst_ni,
      .node_i,
      .north_i,
      .start_i          (walk),
      .proxy_i          (walk_proxy),
      .descriptor_i     (walk_descriptor),
      .stop_i           (walk_stop),
      .done_o           (walk_done),
      .error_o          (walk_error),
      .own_o            (walk_own),
      .block_valid_o    (block_valid),
      .block_ready_i    (block_ready),
      .block_o          (block),
      .request_valid_o  (walk_request),
      .request_ready_i  (walk_ready),
      .request_address_o(walk_address),
      .request_bytes_o  (walk_bytes)
  );

  // Control asks for descriptors only while walk stands.
  logic request_ready;
  assign fetch_ready = request_ready;
  assign walk_ready  = request_ready && !fetch_request;
  logic data_valid, data_ready;
  read_beat_t data;
  polyloom_hub_dma_read #(
      .Cfg(Cfg)
  ) i_read (
      .clk_i,
      .rst_ni,
      .request_valid_i  (fetch_request || walk_request),
      .request_ready_o  (request_ready),
      .request_address_i(fetch_request ? fetch_address : walk_address),
      .request_bytes_i  (fetch_request ? 10'(DESCRIPTOR_BYTES) : walk_bytes),
      .request_fetch_i  (fetch_request),
      .mem_ar_valid_o,
      .mem_ar_ready_i,
      .mem_ar_addr_o,
      .mem_ar_len_o,
      .mem_r_valid_i,
      .mem_r_ready_o,
      .mem_r_data_i,
      .mem_r_last_i,
      .mrd_valid_o,
      .mrd_ready_i,
      .mrd_o,
      .reads_header_i,
      .reads_tag_i,
      .reads_expected_o,
      .reads_valid_i,
      .reads_final_i,
      .reads_bad_i,
      .reads_i,
      .data_valid_o     (data_valid),
      .data_ready_i     (data_ready),
      .data_o           (data),
      .fetch_valid_o    (fetch_valid),
      .fetch_bad_o      (fetch_bad),
      .fetch_o          (fetch),
      .idle_o           (read_idle)
  );
  polyloom_hub_dma_write #(
      .Cfg(Cfg)
  ) i_write (
      .clk_i,
      .rst_ni,
      .block_valid_i(block_valid),
      .block_ready_o(block_ready),
      .block_i      (block),
      .data_valid_i (data_valid),
      .data_ready_o (data_ready),
      .data_i       (data),
      .stream_valid_o,
      .stream_ready_i,
      .stream_o,
      .out_valid_o,
      .out_ready_i,
      .out_o,
      .done_o       (done),
      .failed_o     (failed),
      .clear_i      (clear_failed),
      .idle_o       (write_idle)
  );
  assign idle_o = !state_o.chain_busy && !state_o.proxy_busy && read_idle && write_idle;
endmodule
