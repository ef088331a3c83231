// SPDX-License-Identifier: Apache-2.0
// polyloom_kernel_node: an FPGA that is an MPI rank: Ethernet, message passing engine, generated kernel, memory.
// How:          the flat ports of blocks/verilated/README.md around shell and kernel. Simulation makes the two apart and joins
//               them (polyloom/rtl/node_build.py), so that a kernel does not wait for the shell; everything else reads this.
// Latency:      see the shell.
// Throughput:   see the shell.
// Backpressure: see the shell.
// Order/loss:   PROTOCOL.md.
// Reset:        no job, kernel in reset.
// Limits:       those of the shell. The module polyloom_kernel_app comes with the kernel.
// Cost:         `polyloom synth mpe` without kernel.   Source: own design.   Tests: test_polyloom_kernel_node.py, test_mpe_faults.py
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

  logic kernel_rst_n, kernel_done, kernel_idle, cmd_valid, cmd_ready, rsp_valid, rsp_ready;
  logic dma_req_valid, dma_req_ready, dma_write, dma_rsp_valid, dma_error;
  logic dram_req_valid, dram_req_ready, dram_write, dram_rsp_valid;
  logic [15:0] rank;
  logic [63:0] cycle, cmd, rsp, dma_wdata, dma_rdata, dram_wdata, dram_rdata;
  logic [31:0] dma_addr, dram_addr;
  logic [7:0] dma_strb, dram_strb;
  polyloom_kernel_shell i_shell (
      .clk_i,
      .rst_ni,
      .strap_i,
      .cycle_i,
      .idle_o,
      .lane_rx_valid_i,
      .lane_rx_data_i,
      .lane_rx_keep_i,
      .lane_rx_last_i,
      .lane_rx_pulse_i,
      .lane_tx_pulse_o,
      .lane_tx_valid_o,
      .lane_tx_ready_i,
      .lane_tx_data_o,
      .lane_tx_keep_o,
      .lane_tx_last_o,
      .mem_ar_valid_o,
      .mem_ar_ready_i,
      .mem_ar_addr_o,
      .mem_ar_len_o,
      .mem_r_valid_i,
      .mem_r_ready_o,
      .mem_r_data_i,
      .mem_r_last_i,
      .mem_aw_valid_o,
      .mem_aw_ready_i,
      .mem_aw_addr_o,
      .mem_aw_len_o,
      .mem_w_valid_o,
      .mem_w_ready_i,
      .mem_w_data_o,
      .mem_w_strb_o,
      .mem_w_last_o,
      .mem_b_valid_i,
      .mem_b_ready_o,
      .app_rst_no          (kernel_rst_n),
      .app_rank_o          (rank),
      .app_cycle_o         (cycle),
      .app_done_i          (kernel_done),
      .app_idle_i          (kernel_idle),
      .app_cmd_valid_i     (cmd_valid),
      .app_cmd_ready_o     (cmd_ready),
      .app_cmd_i           (cmd),
      .app_rsp_valid_o     (rsp_valid),
      .app_rsp_ready_i     (rsp_ready),
      .app_rsp_o           (rsp),
      .app_dma_req_valid_o (dma_req_valid),
      .app_dma_req_ready_i (dma_req_ready),
      .app_dma_write_o     (dma_write),
      .app_dma_addr_o      (dma_addr),
      .app_dma_wdata_o     (dma_wdata),
      .app_dma_strb_o      (dma_strb),
      .app_dma_rsp_valid_i (dma_rsp_valid),
      .app_dma_rdata_i     (dma_rdata),
      .app_dma_error_i     (dma_error),
      .app_dram_req_valid_i(dram_req_valid),
      .app_dram_req_ready_o(dram_req_ready),
      .app_dram_write_i    (dram_write),
      .app_dram_addr_i     (dram_addr),
      .app_dram_wdata_i    (dram_wdata),
      .app_dram_strb_i     (dram_strb),
      .app_dram_rsp_valid_o(dram_rsp_valid),
      .app_dram_rdata_o    (dram_rdata)
  );

  polyloom_kernel_app i_app (
      .clk_i,
      .rst_ni          (kernel_rst_n),
      .rank_i          (rank),
      .cycle_i         (cycle),
      .done_o          (kernel_done),
      .idle_o          (kernel_idle),
      .cmd_valid_o     (cmd_valid),
      .cmd_ready_i     (cmd_ready),
      .cmd_o           (cmd),
      .rsp_valid_i     (rsp_valid),
      .rsp_ready_o     (rsp_ready),
      .rsp_i           (rsp),
      .dma_req_valid_i (dma_req_valid),
      .dma_req_ready_o (dma_req_ready),
      .dma_write_i     (dma_write),
      .dma_addr_i      (dma_addr),
      .dma_wdata_i     (dma_wdata),
      .dma_strb_i      (dma_strb),
      .dma_rsp_valid_o (dma_rsp_valid),
      .dma_rdata_o     (dma_rdata),
      .dma_error_o     (dma_error),
      .dram_req_valid_o(dram_req_valid),
      .dram_req_ready_i(dram_req_ready),
      .dram_write_o    (dram_write),
      .dram_addr_o     (dram_addr),
      .dram_wdata_o    (dram_wdata),
      .dram_strb_o     (dram_strb),
      .dram_rsp_valid_i(dram_rsp_valid),
      .dram_rdata_i    (dram_rdata)
  );
endmodule
