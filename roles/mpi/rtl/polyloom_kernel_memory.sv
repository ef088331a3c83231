// SPDX-License-Identifier: Apache-2.0
// polyloom_kernel_memory: one AXI4 memory for the kernel's DRAM port and for the engine's payload.
// How:          three askers take turns; each access is a burst of one word. AXI keeps no order between reads and writes, so
//               either only reads or only writes are under way; a list says for which one the next word read is.
//                   kernel --.                .-> AW, W
//                   writer --+-- turn --------+-> AR
//                   reader --'   [ whose ] <--'-- R
// Latency:      2 cycles and the memory's.
// Throughput:   a word a cycle, of one direction; a change of direction waits for what is under way.
// Backpressure: an asker waits for its turn, and while the others keep asking for the other direction;
//               the requester accepts its words (no ready).
// Order/loss:   a read sees all writes that were taken before it, and none taken after it.
// Reset:        nothing under way.
// Limits:       at most Open reads, and Open writes, under way.
// Cost:         not measured alone.   Source: own design.   Tests: test_polyloom_kernel_memory.py, interop_test.cc
module polyloom_kernel_memory #(
    parameter int unsigned Open = 32
) (
    input  logic              clk_i,
    input  logic              rst_ni,
    // Askers: 0 kernel, 1 writer of payload, 2 reader of payload
    input  logic [ 2:0]       valid_i,
    output logic [ 2:0]       ready_o,
    input  logic [ 2:0]       write_i,
    input  logic [ 2:0][31:0] addr_i,       // from 0x8000_0000 on
    input  logic [ 2:0][63:0] wdata_i,
    input  logic [ 2:0][ 7:0] strb_i,
    output logic [ 2:0]       rsp_valid_o,
    output logic [63:0]       rdata_o,
    // Memory
    output logic              ar_valid_o,
    input  logic              ar_ready_i,
    output logic [39:0]       ar_addr_o,
    input  logic              r_valid_i,
    input  logic [63:0]       r_data_i,
    output logic              aw_valid_o,
    input  logic              aw_ready_i,
    output logic [39:0]       aw_addr_o,
    output logic              w_valid_o,
    input  logic              w_ready_i,
    output logic [63:0]       w_data_o,
    output logic [ 7:0]       w_strb_o,
    input  logic              b_valid_i,
    output logic              idle_o
);

  typedef logic [$clog2(Open+1)-1:0] count_t;
  count_t reads_q, writes_q;
  logic [1:0] last_q, pick;
  logic some, accept, accept_read, accept_write, room;
  logic ar_q, aw_q, w_q;
  logic [30:0] addr_q;
  logic [63:0] data_q;
  logic [ 7:0] strb_q;

  // The one that may go: the next one after the last that may go.
  logic [ 2:0] may;
  always_comb begin
    room = !((ar_q && !ar_ready_i) || (aw_q && !aw_ready_i) || (w_q && !w_ready_i));
    for (int unsigned i = 0; i < 3; i++) begin
      may[i] = valid_i[i] && (write_i[i] ? reads_q == '0 && writes_q != count_t'(Open) :
                              writes_q == '0 && reads_q != count_t'(Open));
    end
    pick = 2'd0;
    for (int i = 2; i >= 0; i--) if (may[i]) pick = 2'(i);
    for (int i = 2; i >= 0; i--) if (may[i] && 2'(i) > last_q) pick = 2'(i);
  end
  assign some = may != '0;
  assign accept = some && room;
  assign accept_write = accept && write_i[pick];
  assign accept_read = accept && !write_i[pick];
  always_comb begin
    ready_o = '0;
    ready_o[pick] = accept;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      reads_q <= '0;
      writes_q <= '0;
      last_q <= '0;
      ar_q <= 1'b0;
      aw_q <= 1'b0;
      w_q <= 1'b0;
    end else begin
      reads_q  <= reads_q + count_t'(accept_read) - count_t'(r_valid_i);
      writes_q <= writes_q + count_t'(accept_write) - count_t'(b_valid_i);
      if (accept) last_q <= pick;
      if (accept_read) ar_q <= 1'b1;
      else if (ar_ready_i) ar_q <= 1'b0;
      if (accept_write) aw_q <= 1'b1;
      else if (aw_ready_i) aw_q <= 1'b0;
      if (accept_write) w_q <= 1'b1;
      else if (w_ready_i) w_q <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (accept) begin
      addr_q <= addr_i[pick][30:0];
      data_q <= wdata_i[pick];
      strb_q <= strb_i[pick];
    end
  end

  logic whose_valid, whose_ready;
  logic [1:0] whose;
  polyloom_stream_lut_fifo #(
      .Width(2),
      .Depth(Open)
  ) i_whose (
      .clk_i,
      .rst_ni,
      .flush_i    (1'b0),
      .in_valid_i (accept_read),
      .in_ready_o (whose_ready),
      .in_i       (pick),
      .out_valid_o(whose_valid),
      .out_ready_i(r_valid_i),
      .out_o      (whose)
  );
  always_comb begin
    rsp_valid_o = '0;
    rsp_valid_o[whose] = r_valid_i;
  end

  assign rdata_o = r_data_i;
  assign ar_valid_o = ar_q;
  assign aw_valid_o = aw_q;
  assign w_valid_o = w_q;
  assign ar_addr_o = 40'({addr_q[30:3], 3'b0});
  assign aw_addr_o = ar_addr_o;
  assign w_data_o = data_q;
  assign w_strb_o = strb_q;
  assign idle_o = reads_q == '0 && writes_q == '0 && !ar_q && !aw_q && !w_q && valid_i == '0;

  logic unused;
  assign unused = whose_valid ^ whose_ready ^ ^{addr_i[0][31], addr_i[1][31], addr_i[2][31], addr_q[2:0]};
endmodule
