// SPDX-License-Identifier: Apache-2.0
// polyloom_mpe_reader: reads bytes of the kernel's memory from any address as words that begin with the first byte.
// How:          words are asked for ahead, as many as the FIFO has room for; two neighbours are shifted into one. What lies
//               behind the last byte is sent as zero.
//                   memory port --> [ FIFO ] --> shift --> out
// Latency:      the memory's and 3 cycles (one more word if the address is not aligned).
// Throughput:   a word a cycle, if the memory responds within Beats cycles.
// Backpressure: job_ready_o while no job runs. The output may stall; the FIFO has room for all that was asked.
// Order/loss:   in order.
// Reset:        no job, FIFO empty; responses to what was asked before must not come any more.
// Limits:       jobs of 1 byte and more.
// Cost:         not measured alone.   Source: own design.   Tests: test_polyloom_mpe_reader.py, interop_test.cc
module polyloom_mpe_reader #(
    parameter int unsigned Beats = 32  // words asked for and not yet used
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    // Jobs
    input  logic        job_valid_i,
    output logic        job_ready_o,
    input  logic [31:0] job_address_i,
    input  logic [10:0] job_bytes_i,
    // Words
    output logic        out_valid_o,
    input  logic        out_ready_i,
    output logic [63:0] out_data_o,
    output logic        out_last_o,
    output logic        out_bad_o,      // as the last is taken: some lay outside the memory
    // Kernel's memory
    output logic        req_valid_o,
    input  logic        req_ready_i,
    output logic [31:0] req_addr_o,
    input  logic        rsp_valid_i,
    input  logic [63:0] rsp_data_i,
    input  logic        rsp_error_i
);

  logic busy_q;
  logic [28:0] word_q;
  logic [8:0] request_q;  // words still to be asked for
  logic [$clog2(Beats+1)-1:0] open_q;  // asked for and not yet used
  logic [2:0] shift_q;
  logic [11:0] left_q;  // bytes still to be put out
  logic [11:0] source_q;  // bytes from the begin of the FIFO's word to the end
  logic primed_q, bad_q;
  logic [63:0] low_q;
  logic fifo_valid, fifo_ready, requested, need, used, step, unused_ready;
  logic [64:0] beat;

  assign job_ready_o = !busy_q;
  assign req_valid_o = busy_q && request_q != '0 && open_q != ($bits(open_q))'(Beats);
  assign req_addr_o  = {word_q, 3'b0};
  assign requested   = req_valid_o && req_ready_i;

  polyloom_stream_lut_fifo #(
      .Width(65),
      .Depth(Beats)
  ) i_fifo (
      .clk_i,
      .rst_ni,
      .flush_i    (1'b0),
      .in_valid_i (rsp_valid_i),
      .in_ready_o (unused_ready),
      .in_i       ({rsp_error_i, rsp_data_i}),
      .out_valid_o(fifo_valid),
      .out_ready_i(fifo_ready),
      .out_o      (beat)
  );

  // An aligned word needs one of the FIFO's; else two, the first of which stays from before.
  logic [63:0] half, turned, shifted;  // bytes turned round by the shift, in two stages
  assign need = source_q != '0;
  always_comb begin
    unique case (shift_q[1:0])
      2'd0: half = beat[63:0];
      2'd1: half = {beat[7:0], beat[63:8]};
      2'd2: half = {beat[15:0], beat[63:16]};
      default: half = {beat[23:0], beat[63:24]};
    endcase
    turned = shift_q[2] ? {half[31:0], half[63:32]} : half;
    for (int unsigned b = 0; b < 8; b++) begin
      shifted[8*b+:8] = 4'(b) + 4'(shift_q) < 4'd8 && shift_q != '0 ? low_q[8*b+:8] : turned[8*b+:8];
    end
  end
  assign out_valid_o = busy_q && left_q != '0 && (primed_q || shift_q == '0) && (fifo_valid || !need);
  assign step = out_valid_o && out_ready_i;
  assign used = fifo_valid && fifo_ready;
  assign fifo_ready = busy_q && need && (step || (!primed_q && shift_q != '0));
  assign out_last_o = left_q <= 12'd8;
  assign out_bad_o = bad_q || (used && beat[64]);
  always_comb begin
    for (int unsigned b = 0; b < 8; b++) out_data_o[8*b+:8] = 12'(b) < left_q ? shifted[8*b+:8] : '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
      open_q <= '0;
    end else begin
      if (!busy_q) busy_q <= job_valid_i;
      else if (step && out_last_o) busy_q <= 1'b0;
      open_q <= open_q + ($bits(open_q))'(requested) - ($bits(open_q))'(used);
      assert (!(rsp_valid_i && !unused_ready));
    end
  end

  logic [11:0] span;
  assign span = 12'(job_bytes_i) + 12'(job_address_i[2:0]);
  always_ff @(posedge clk_i) begin
    if (!busy_q) begin
      word_q <= job_address_i[31:3];
      request_q <= 9'((span + 12'd7) >> 3);
      shift_q <= job_address_i[2:0];
      left_q <= 12'(job_bytes_i);
      source_q <= span;
      primed_q <= 1'b0;
      bad_q <= 1'b0;
    end else begin
      if (requested) begin
        word_q <= word_q + 1'b1;
        request_q <= request_q - 1'b1;
      end
      if (used) begin
        source_q <= source_q > 12'd8 ? source_q - 12'd8 : '0;
        low_q <= turned;
        primed_q <= 1'b1;
        bad_q <= bad_q || beat[64];
      end
      if (step) left_q <= left_q > 12'd8 ? left_q - 12'd8 : '0;
    end
  end
endmodule
