// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_dma: the host's bursts of 32-byte beats become a slice's requests for lines.
// How:          each beat is a request: a write with strobes for its part of the line, or a read. Lines come back in any order
//               into a RAM of a burst, from where they leave in order.
//                   AW, W --+--> register --> line requests
//                   AR -----'    line --> [ 16 beats ] --> R
// Latency:      a write is acknowledged 1 cycle after the memory has taken its last beat; a read takes 3 cycles more than its
//               memory.
// Throughput:   one request every other cycle; a burst of reads begins when the one before has left.
// Backpressure: R and B wait for the host, and nothing else does. Reads go before the next beat of a write.
// Order/loss:   beats in order; a read that comes after a write's B sees it. Reads and writes under way together: any order.
// Reset:        what was under way is forgotten (both sides are to be reset together).
// Limits:       bursts of at most 16 beats, addresses a multiple of 32 and in DRAM or SRAM, as a thread sees them (the shell
//               checks; length asserted). Beats of the interleaved view are lines of it.
// Cost:         a RAM of 16 x 256 bits, a register of a line.
// Source:       own design.
// Tests:        test_polyloom_overlay_dma.py, memory_rtl_test.cc
module polyloom_overlay_dma
  import polyloom_overlay_pkg::*;
  import polyloom_overlay_memory_pkg::*;
#(
    parameter  cfg_t        Cfg       = TINY,
    localparam int unsigned LineBytes = Cfg.line_bytes,
    localparam int unsigned LineBits  = 8 * LineBytes
) (
    input  logic                       clk_i,
    input  logic                       rst_ni,
    output logic                       idle_o,
    // From and to the shell
    input  logic                       mem_aw_valid_i,
    output logic                       mem_aw_ready_o,
    input  logic      [          31:0] mem_aw_addr_i,
    input  logic      [           7:0] mem_aw_len_i,
    input  logic                       mem_w_valid_i,
    output logic                       mem_w_ready_o,
    input  logic      [ BEAT_BITS-1:0] mem_w_data_i,
    input  logic      [BEAT_BYTES-1:0] mem_w_strb_i,
    input  logic                       mem_w_last_i,
    output logic                       mem_b_valid_o,
    input  logic                       mem_b_ready_i,
    input  logic                       mem_ar_valid_i,
    output logic                       mem_ar_ready_o,
    input  logic      [          31:0] mem_ar_addr_i,
    input  logic      [           7:0] mem_ar_len_i,
    output logic                       mem_r_valid_o,
    input  logic                       mem_r_ready_i,
    output logic      [ BEAT_BITS-1:0] mem_r_data_o,
    output logic                       mem_r_last_o,
    // To and from the slice
    output logic                       line_valid_o,
    input  logic                       line_ready_i,
    output line_req_t                  line_o,
    output logic      [  LineBits-1:0] line_wdata_o,
    output logic      [ LineBytes-1:0] line_wstrb_o,
    input  logic                       line_rsp_valid_i,
    // verilator lint_off UNUSEDSIGNAL  // of 64 tags 16 are used
    input  logic      [INDEX_BITS-1:0] line_rsp_tag_i,
    // verilator lint_on UNUSEDSIGNAL
    input  logic      [  LineBits-1:0] line_rsp_data_i
);

  localparam int unsigned BEATS = LineBytes / BEAT_BYTES;
  localparam int unsigned BURST = 16;
  typedef logic [3:0] beat_t;

  function automatic logic [31:0] line_of(input logic [31:0] addr);
    return addr & ~32'(LineBytes - 1);
  endfunction

  // ---- bursts under way ----

  logic writes_q, last_sent_q, b_valid_q;  // a burst of writes; its last beat is in the register
  logic reads_q;  // a burst of reads
  logic requesting_q;  // some of its lines are not asked for
  logic [31:0] write_addr_q, read_addr_q;
  beat_t request_q, give_q, length_q;
  logic [BURST-1:0] here_q, upper_q;
  logic load_read, load_write, r_valid_q, r_last_q, fetch;

  assign mem_aw_ready_o = !writes_q;
  assign mem_ar_ready_o = !reads_q;
  assign load_read = requesting_q && !line_valid_o;
  assign mem_w_ready_o = writes_q && !last_sent_q && !line_valid_o && !load_read;
  assign load_write = mem_w_ready_o && mem_w_valid_i;
  assign mem_b_valid_o = b_valid_q;
  assign fetch = reads_q && here_q[give_q] && (!r_valid_q || mem_r_ready_i) && !r_last_q;
  assign idle_o = !writes_q && !reads_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      writes_q <= 1'b0;
      last_sent_q <= 1'b0;
      b_valid_q <= 1'b0;
    end else begin
      if (mem_aw_valid_i && mem_aw_ready_o) writes_q <= 1'b1;
      if (load_write && mem_w_last_i) last_sent_q <= 1'b1;
      if (last_sent_q && line_valid_o && line_o.write && line_ready_i) b_valid_q <= 1'b1;
      if (b_valid_q && mem_b_ready_i) begin
        writes_q <= 1'b0;
        last_sent_q <= 1'b0;
        b_valid_q <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      reads_q   <= 1'b0;
      requesting_q  <= 1'b0;
      here_q    <= '0;
      r_valid_q <= 1'b0;
      r_last_q  <= 1'b0;
    end else begin
      if (mem_ar_valid_i && mem_ar_ready_o) begin
        reads_q <= 1'b1;
        requesting_q <= 1'b1;
      end
      if (load_read && request_q == length_q) requesting_q <= 1'b0;
      if (line_rsp_valid_i) here_q[line_rsp_tag_i[3:0]] <= 1'b1;
      if (r_valid_q && mem_r_ready_i) r_valid_q <= 1'b0;
      if (fetch) begin
        here_q[give_q] <= 1'b0;
        r_valid_q <= 1'b1;
        r_last_q <= give_q == length_q;
      end
      if (r_valid_q && r_last_q && mem_r_ready_i) begin
        reads_q  <= 1'b0;
        r_last_q <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    assert (!mem_aw_valid_i || mem_aw_len_i < 8'(BURST));
    assert (!mem_ar_valid_i || mem_ar_len_i < 8'(BURST));
    if (mem_aw_ready_o) write_addr_q <= mem_aw_addr_i;
    else if (load_write) write_addr_q <= write_addr_q + 32'(BEAT_BYTES);
    if (mem_ar_ready_o) begin
      read_addr_q <= mem_ar_addr_i;
      length_q <= mem_ar_len_i[3:0];
      request_q <= '0;
      give_q <= '0;
    end else begin
      if (load_read) begin
        read_addr_q <= read_addr_q + 32'(BEAT_BYTES);
        request_q <= request_q + 1'b1;
        upper_q[request_q] <= read_addr_q[5];
      end
      if (fetch) give_q <= give_q + 1'b1;
    end
  end

  // ---- requests ----

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) line_valid_o <= 1'b0;
    else if (load_read || load_write) line_valid_o <= 1'b1;
    else if (line_ready_i) line_valid_o <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (load_read) begin
      line_o <= '{write: 1'b0, tag: INDEX_BITS'(request_q), addr: line_of(read_addr_q)};
    end else if (load_write) begin
      line_o <= '{write: 1'b1, tag: '0, addr: line_of(write_addr_q)};
      line_wdata_o <= {BEATS{mem_w_data_i}};
      for (int unsigned half = 0; half < BEATS; half++) begin
        line_wstrb_o[half*BEAT_BYTES+:BEAT_BYTES] <= BEATS == 1 || 32'(write_addr_q[5]) == half ? mem_w_strb_i : '0;
      end
    end
  end

  // ---- lines back ----

  polyloom_ram_1r1w #(
      .Width(BEAT_BITS),
      .Depth(BURST)
  ) i_beats (
      .clk_i,
      .we_i(line_rsp_valid_i),
      .be_i(1'b1),
      .waddr_i(line_rsp_tag_i[3:0]),
      .wdata_i(BEATS == 2 && upper_q[line_rsp_tag_i[3:0]] ? line_rsp_data_i[LineBits-1-:BEAT_BITS] :
               line_rsp_data_i[BEAT_BITS-1:0]),
      .re_i(fetch),
      .raddr_i(give_q),
      .rdata_o(mem_r_data_o)
  );
  assign mem_r_valid_o = r_valid_q;
  assign mem_r_last_o  = r_last_q;

endmodule
