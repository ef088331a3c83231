// SPDX-License-Identifier: Apache-2.0
// polyloom_kernel_node: an FPGA that is an MPI rank: Ethernet, message passing engine, generated kernel, memory.
// How:          the flat ports of blocks/verilated/README.md around the parts; payload goes to the kernel's own memory or, from
//               address 0x8000_0000 on, to DRAM.
//                   lane -> check -> store -> MPE -> check -> lane
//                                              | commands, payload
//                                            kernel -- DRAM port --> memory unit -> AXI4
// Latency:      see the units.
// Throughput:   10 Gb/s at 156.25 MHz in both directions.
// Backpressure: the lane never waits: frames that find the receive store full are lost, and counted.
// Order/loss:   PROTOCOL.md.
// Reset:        no job, kernel in reset.
// Limits:       one lane of 64 bits, one memory of 64 bits. The module polyloom_kernel_app comes with the kernel.
// Cost:         `polyloom synth mpe` without kernel.   Source: own design.   Tests: test_polyloom_kernel_node.py, test_mpe_faults.py, interop_test.cc
module polyloom_kernel_node (
    input  logic              clk_i,
    input  logic              rst_ni,
    input  logic [63:0]       strap_i,          // own IP address in the low half
    input  logic [63:0]       cycle_i,
    output logic              idle_o,
    // Lane
    input  logic [ 0:0]       lane_rx_valid_i,
    input  logic [ 0:0][63:0] lane_rx_data_i,
    input  logic [ 0:0][ 7:0] lane_rx_keep_i,
    input  logic [ 0:0]       lane_rx_last_i,
    input  logic [ 0:0]       lane_rx_pulse_i,
    output logic [ 0:0]       lane_tx_pulse_o,
    output logic [ 0:0]       lane_tx_valid_o,
    input  logic [ 0:0]       lane_tx_ready_i,
    output logic [ 0:0][63:0] lane_tx_data_o,
    output logic [ 0:0][ 7:0] lane_tx_keep_o,
    output logic [ 0:0]       lane_tx_last_o,
    // Memory
    output logic [ 0:0]       mem_ar_valid_o,
    input  logic [ 0:0]       mem_ar_ready_i,
    output logic [ 0:0][39:0] mem_ar_addr_o,
    output logic [ 0:0][ 7:0] mem_ar_len_o,
    input  logic [ 0:0]       mem_r_valid_i,
    output logic [ 0:0]       mem_r_ready_o,
    input  logic [ 0:0][63:0] mem_r_data_i,
    input  logic [ 0:0]       mem_r_last_i,
    output logic [ 0:0]       mem_aw_valid_o,
    input  logic [ 0:0]       mem_aw_ready_i,
    output logic [ 0:0][39:0] mem_aw_addr_o,
    output logic [ 0:0][ 7:0] mem_aw_len_o,
    output logic [ 0:0]       mem_w_valid_o,
    input  logic [ 0:0]       mem_w_ready_i,
    output logic [ 0:0][63:0] mem_w_data_o,
    output logic [ 0:0][ 7:0] mem_w_strb_o,
    output logic [ 0:0]       mem_w_last_o,
    input  logic [ 0:0]       mem_b_valid_i,
    output logic [ 0:0]       mem_b_ready_o
);

  // Receive side of the wire
  logic check_valid, check_last, check_bad, full, rx_valid, rx_ready, rx_last, rx_empty, check_idle;
  logic [63:0] check_data, rx_data;
  logic [7:0] check_keep;
  logic [3:0] check_bytes, unused_bytes;
  logic [12:0] rx_size;
  logic unused_ready;
  polyloom_ethernet_fcs_rx i_check (
      .clk_i,
      .rst_ni,
      .rx_valid_i (lane_rx_valid_i[0]),
      .rx_data_i  (lane_rx_data_i[0]),
      .rx_keep_i  (lane_rx_keep_i[0]),
      .rx_last_i  (lane_rx_last_i[0]),
      .out_valid_o(check_valid),
      .out_data_o (check_data),
      .out_keep_o (check_keep),
      .out_last_o (check_last),
      .out_bad_o  (check_bad),
      .idle_o     (check_idle)
  );
  always_comb begin
    check_bytes = 4'd8;
    for (int i = 7; i >= 1; i--) if (!check_keep[i]) check_bytes = 4'(i);
  end
  polyloom_ethernet_store #(
      .Words(512)
  ) i_rx_store (
      .clk_i,
      .rst_ni,
      .in_valid_i (check_valid),
      .in_ready_o (unused_ready),
      .in_data_i  (check_data),
      .in_bytes_i (check_bytes),
      .in_last_i  (check_last),
      .in_bad_i   (check_bad),
      .out_valid_o(rx_valid),
      .out_ready_i(rx_ready),
      .out_data_o (rx_data),
      .out_bytes_o(unused_bytes),
      .out_last_o (rx_last),
      .out_size_o (rx_size),
      .dropped_o  (full),
      .empty_o    (rx_empty)
  );

  // Engine
  logic tx_valid, tx_ready, tx_last, tx_idle, mpe_idle, kernel_rst_n, kernel_done, kernel_idle;
  logic [63:0] tx_data;
  logic [15:0] rank;
  logic cmd_valid, cmd_ready, rsp_valid, rsp_ready;
  logic [63:0] cmd, rsp;
  logic write_valid, write_ready, read_valid, read_ready, read_rsp_valid, read_error;
  logic [31:0] write_addr, read_addr;
  logic [63:0] write_data, read_data;
  logic [7:0] write_strb;
  polyloom_mpe i_mpe (
      .clk_i,
      .rst_ni,
      .ip_i            (strap_i[31:0]),
      .cycle_i,
      .rx_valid_i      (rx_valid),
      .rx_ready_o      (rx_ready),
      .rx_data_i       (rx_data),
      .rx_last_i       (rx_last),
      .rx_size_i       (rx_size),
      .rx_bad_i        (check_valid && check_last && check_bad),
      .rx_full_i       (full),
      .tx_valid_o      (tx_valid),
      .tx_ready_i      (tx_ready),
      .tx_data_o       (tx_data),
      .tx_last_o       (tx_last),
      .kernel_rst_no   (kernel_rst_n),
      .rank_o          (rank),
      .kernel_done_i   (kernel_done),
      .cmd_valid_i     (cmd_valid),
      .cmd_ready_o     (cmd_ready),
      .cmd_i           (cmd),
      .rsp_valid_o     (rsp_valid),
      .rsp_ready_i     (rsp_ready),
      .rsp_o           (rsp),
      .write_valid_o   (write_valid),
      .write_ready_i   (write_ready),
      .write_addr_o    (write_addr),
      .write_data_o    (write_data),
      .write_strb_o    (write_strb),
      .read_valid_o    (read_valid),
      .read_ready_i    (read_ready),
      .read_addr_o     (read_addr),
      .read_rsp_valid_i(read_rsp_valid),
      .read_data_i     (read_data),
      .read_error_i    (read_error),
      .idle_o          (mpe_idle)
  );
  polyloom_ethernet_fcs_tx i_tx (
      .clk_i,
      .rst_ni,
      .in_valid_i(tx_valid),
      .in_ready_o(tx_ready),
      .in_data_i (tx_data),
      .in_last_i (tx_last),
      .tx_valid_o(lane_tx_valid_o[0]),
      .tx_ready_i(lane_tx_ready_i[0]),
      .tx_data_o (lane_tx_data_o[0]),
      .tx_keep_o (lane_tx_keep_o[0]),
      .tx_last_o (lane_tx_last_o[0]),
      .idle_o    (tx_idle)
  );
  assign lane_tx_pulse_o = '0;

  // Payload: the kernel's port takes one access a cycle, a write and a read in turn.
  logic dma_valid, dma_ready, dma_write, dma_rsp_valid, dma_error, write_turn_q, write_first;
  logic dram_valid, dram_ready, dram_write, dram_rsp_valid, memory_idle;
  logic [31:0] dram_addr;
  logic [63:0] dma_rdata, dram_wdata, memory_rdata;
  logic [7:0] dram_strb;
  logic [2:0] memory_ready, memory_rsp;
  logic write_here, read_here;
  assign write_here  = write_valid && !write_addr[31];
  assign read_here   = read_valid && !read_addr[31];
  assign write_first = write_here && (write_turn_q || !read_here);
  assign dma_valid   = write_here || read_here;
  assign dma_write   = write_first;
  assign write_ready = write_addr[31] ? memory_ready[1] : write_first && dma_ready;
  assign read_ready  = read_addr[31] ? memory_ready[2] : !write_first && dma_ready;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) write_turn_q <= 1'b0;
    else if (dma_valid && dma_ready) write_turn_q <= !write_first;
  end
  assign read_rsp_valid = dma_rsp_valid || memory_rsp[2];
  assign read_data = dma_rsp_valid ? dma_rdata : memory_rdata;
  assign read_error = dma_rsp_valid && dma_error;

  polyloom_kernel_app i_app (
      .clk_i,
      .rst_ni          (kernel_rst_n),
      .rank_i          (rank),
      .cycle_i,
      .done_o          (kernel_done),
      .idle_o          (kernel_idle),
      .cmd_valid_o     (cmd_valid),
      .cmd_ready_i     (cmd_ready),
      .cmd_o           (cmd),
      .rsp_valid_i     (rsp_valid),
      .rsp_ready_o     (rsp_ready),
      .rsp_i           (rsp),
      .dma_req_valid_i (dma_valid),
      .dma_req_ready_o (dma_ready),
      .dma_write_i     (dma_write),
      .dma_addr_i      (dma_write ? write_addr : read_addr),
      .dma_wdata_i     (write_data),
      .dma_strb_i      (write_strb),
      .dma_rsp_valid_o (dma_rsp_valid),
      .dma_rdata_o     (dma_rdata),
      .dma_error_o     (dma_error),
      .dram_req_valid_o(dram_valid),
      .dram_req_ready_i(dram_ready),
      .dram_write_o    (dram_write),
      .dram_addr_o     (dram_addr),
      .dram_wdata_o    (dram_wdata),
      .dram_strb_o     (dram_strb),
      .dram_rsp_valid_i(dram_rsp_valid),
      .dram_rdata_i    (memory_rdata)
  );

  polyloom_kernel_memory i_memory (
      .clk_i,
      .rst_ni,
      .valid_i    ({read_valid && read_addr[31], write_valid && write_addr[31], dram_valid && kernel_rst_n}),
      .ready_o    (memory_ready),
      .write_i    ({1'b0, 1'b1, dram_write}),
      .addr_i     ({read_addr, write_addr, dram_addr}),
      .wdata_i    ({64'd0, write_data, dram_wdata}),
      .strb_i     ({8'd0, write_strb, dram_strb}),
      .rsp_valid_o(memory_rsp),
      .rdata_o    (memory_rdata),
      .ar_valid_o (mem_ar_valid_o[0]),
      .ar_ready_i (mem_ar_ready_i[0]),
      .ar_addr_o  (mem_ar_addr_o[0]),
      .r_valid_i  (mem_r_valid_i[0]),
      .r_data_i   (mem_r_data_i[0]),
      .aw_valid_o (mem_aw_valid_o[0]),
      .aw_ready_i (mem_aw_ready_i[0]),
      .aw_addr_o  (mem_aw_addr_o[0]),
      .w_valid_o  (mem_w_valid_o[0]),
      .w_ready_i  (mem_w_ready_i[0]),
      .w_data_o   (mem_w_data_o[0]),
      .w_strb_o   (mem_w_strb_o[0]),
      .b_valid_i  (mem_b_valid_i[0]),
      .idle_o     (memory_idle)
  );
  assign dram_ready = memory_ready[0];
  assign dram_rsp_valid = memory_rsp[0];
  assign mem_ar_len_o = '0;
  assign mem_aw_len_o = '0;
  assign mem_w_last_o = '1;
  assign mem_r_ready_o = '1;
  assign mem_b_ready_o = '1;

  assign idle_o = check_idle && rx_empty && mpe_idle && tx_idle && memory_idle && (!kernel_rst_n || kernel_idle) &&
      !(cmd_valid && kernel_rst_n) && !rsp_valid;

  logic unused;
  assign unused = ^{strap_i[63:32], lane_rx_pulse_i, mem_r_last_i, unused_ready, unused_bytes, memory_rsp[1]};
endmodule
