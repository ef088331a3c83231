// SPDX-License-Identifier: Apache-2.0
// polyloom_kernel_shell: what an FPGA that is an MPI rank has besides its kernel: Ethernet, message passing engine, memory unit.
// How:          payload goes to the kernel's own memory or, from address 0x8000_0000 on, to DRAM. A port of the kernel is joined
//               with the one of its name here, app_ before it.
//                   lane -> check -> store -> MPE -> check -> lane
//                                              | commands, payload
//                                            app_* -- DRAM port --> memory unit -> AXI4
// Latency:      see the units.
// Throughput:   10 Gb/s at 156.25 MHz in both directions.
// Backpressure: the lane never waits: frames that find the receive store full are lost, and counted.
// Order/loss:   PROTOCOL.md.
// Reset:        no job, kernel in reset.
// Limits:       one lane of 64 bits, one memory of 64 bits.
// Cost:         `polyloom synth mpe`.   Source: own design.   Tests: test_polyloom_kernel_shell.py, test_polyloom_kernel_node.py
module polyloom_kernel_shell (
    input  logic              clk_i,
    input  logic              rst_ni,
    input  logic [63:0]       strap_i,               // own IP address in the low half
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
    output logic [ 0:0]       mem_b_ready_o,
    // Kernel (ENGINE.md)
    output logic              app_rst_no,
    output logic [15:0]       app_rank_o,
    output logic [63:0]       app_cycle_o,
    input  logic              app_done_i,
    input  logic              app_idle_i,
    input  logic              app_cmd_valid_i,
    output logic              app_cmd_ready_o,
    input  logic [63:0]       app_cmd_i,
    output logic              app_rsp_valid_o,
    input  logic              app_rsp_ready_i,
    output logic [63:0]       app_rsp_o,
    output logic              app_dma_req_valid_o,
    input  logic              app_dma_req_ready_i,
    output logic              app_dma_write_o,
    output logic [31:0]       app_dma_addr_o,
    output logic [63:0]       app_dma_wdata_o,
    output logic [ 7:0]       app_dma_strb_o,
    input  logic              app_dma_rsp_valid_i,
    input  logic [63:0]       app_dma_rdata_i,
    input  logic              app_dma_error_i,
    input  logic              app_dram_req_valid_i,
    output logic              app_dram_req_ready_o,
    input  logic              app_dram_write_i,
    input  logic [31:0]       app_dram_addr_i,
    input  logic [63:0]       app_dram_wdata_i,
    input  logic [ 7:0]       app_dram_strb_i,
    output logic              app_dram_rsp_valid_o,
    output logic [63:0]       app_dram_rdata_o
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
  logic tx_valid, tx_ready, tx_last, tx_idle, mpe_idle;
  logic [63:0] tx_data;
  logic write_valid, write_ready, read_valid, read_ready, read_rsp_valid, read_error;
  logic [31:0] write_addr, read_addr;
  logic [63:0] read_data;
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
      .kernel_rst_no   (app_rst_no),
      .rank_o          (app_rank_o),
      .kernel_done_i   (app_done_i),
      .cmd_valid_i     (app_cmd_valid_i),
      .cmd_ready_o     (app_cmd_ready_o),
      .cmd_i           (app_cmd_i),
      .rsp_valid_o     (app_rsp_valid_o),
      .rsp_ready_i     (app_rsp_ready_i),
      .rsp_o           (app_rsp_o),
      .write_valid_o   (write_valid),
      .write_ready_i   (write_ready),
      .write_addr_o    (write_addr),
      .write_data_o    (app_dma_wdata_o),
      .write_strb_o    (app_dma_strb_o),
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
  logic write_turn_q, write_here, read_here, memory_idle;
  logic [2:0] memory_ready, memory_rsp;
  assign write_here = write_valid && !write_addr[31];
  assign read_here = read_valid && !read_addr[31];
  assign app_dma_req_valid_o = write_here || read_here;
  assign app_dma_write_o = write_here && (write_turn_q || !read_here);
  assign app_dma_addr_o = app_dma_write_o ? write_addr : read_addr;
  assign write_ready = write_addr[31] ? memory_ready[1] : app_dma_write_o && app_dma_req_ready_i;
  assign read_ready = read_addr[31] ? memory_ready[2] : !app_dma_write_o && app_dma_req_ready_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) write_turn_q <= 1'b0;
    else if (app_dma_req_valid_o && app_dma_req_ready_i) write_turn_q <= !app_dma_write_o;
  end
  assign read_rsp_valid = app_dma_rsp_valid_i || memory_rsp[2];
  assign read_data = app_dma_rsp_valid_i ? app_dma_rdata_i : app_dram_rdata_o;
  assign read_error = app_dma_rsp_valid_i && app_dma_error_i;
  assign app_cycle_o = cycle_i;

  polyloom_kernel_memory i_memory (
      .clk_i,
      .rst_ni,
      .valid_i    ({read_valid && read_addr[31], write_valid && write_addr[31], app_dram_req_valid_i && app_rst_no}),
      .ready_o    (memory_ready),
      .write_i    ({1'b0, 1'b1, app_dram_write_i}),
      .addr_i     ({read_addr, write_addr, app_dram_addr_i}),
      .wdata_i    ({64'd0, app_dma_wdata_o, app_dram_wdata_i}),
      .strb_i     ({8'd0, app_dma_strb_o, app_dram_strb_i}),
      .rsp_valid_o(memory_rsp),
      .rdata_o    (app_dram_rdata_o),
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
  assign app_dram_req_ready_o = memory_ready[0];
  assign app_dram_rsp_valid_o = memory_rsp[0];
  assign mem_ar_len_o = '0;
  assign mem_aw_len_o = '0;
  assign mem_w_last_o = '1;
  assign mem_r_ready_o = '1;
  assign mem_b_ready_o = '1;

  assign idle_o = check_idle && rx_empty && mpe_idle && tx_idle && memory_idle && (!app_rst_no || app_idle_i) &&
      !(app_cmd_valid_i && app_rst_no) && !app_rsp_valid_o;

  logic unused;
  assign unused = ^{strap_i[63:32], lane_rx_pulse_i, mem_r_last_i, unused_ready, unused_bytes, memory_rsp[1]};
endmodule
