// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_answers: the last answer of every thread of a core, kept until the thread has passed with it.
// How:          a LUT RAM for each port that brings answers, as all may bring one in a cycle, and for each thread which of two
//               ports was last where the instruction does not tell (cache: hit or fill; FPU: pipeline or divider).
// Latency:      data of an answer of cycle A can be read from A + 1 on; reading takes no cycle.
// Throughput:   an answer a port and one read a cycle.
// Backpressure: none; path from the reading side's inputs to its outputs.
// Order/loss:   the next answer of a thread replaces the one before.
// Reset:        none; what no answer has written is undefined.
// Limits:       Fpu 0: nothing may come from there, and nothing of it is built.
// Cost:         about 280 LUT4 without FPU (ECP5; part of polyloom_overlay_core).
// Source:       own design.   Tests: test_polyloom_overlay_cores.py
module polyloom_overlay_answers
  import polyloom_overlay_pkg::*;
#(
    parameter int unsigned Threads = 1,  // of the core
    parameter bit          Fpu     = 0   // there is an FPU or a multiplier
) (
    input  logic                           clk_i,
    // From the units
    input  logic                           hit_valid_i,
    input  rsp_t                           hit_i,
    input  logic                           fill_valid_i,
    input  rsp_t                           fill_i,
    input  logic                           pad_valid_i,
    input  rsp_t                           pad_i,
    input  logic                           fpu_valid_i,
    input  rsp_t                           fpu_i,
    input  logic                           div_valid_i,
    input  rsp_t                           div_i,
    input  logic        [Threads-1:0]      wake_i,
    input  logic        [Threads-1:0][3:0] wake_bits_i,
    // From and to the pipeline
    input  logic        [        3:0]      thread_i,
    input  answer_src_e                    src_i,
    output logic        [       31:0]      data_o,
    output logic        [        4:0]      flags_o        // of an answer of the FPU
);

  logic [31:0] hit_q[16];
  logic [31:0] fill_q[16];
  logic [31:0] pad_q[16];
  logic [Threads-1:0] filled_q;  // the last of the cache's two
  logic [Threads-1:0][3:0] wake_q;
  logic [31:0] cache, fpu;

  function automatic logic at(input logic [Threads-1:0] bits, input logic [3:0] index);
    at = 1'b0;
    for (int unsigned t = 0; t < Threads; t++) if (index == 4'(t)) at |= bits[t];
  endfunction

  always_ff @(posedge clk_i) begin
    if (hit_valid_i) hit_q[hit_i.thread] <= hit_i.data;
    if (fill_valid_i) fill_q[fill_i.thread] <= fill_i.data;
    if (pad_valid_i) pad_q[pad_i.thread] <= pad_i.data;
    for (int unsigned t = 0; t < Threads; t++) begin
      if (hit_valid_i && hit_i.thread == 4'(t)) filled_q[t] <= 1'b0;
      if (fill_valid_i && fill_i.thread == 4'(t)) filled_q[t] <= 1'b1;
      if (wake_i[t]) wake_q[t] <= wake_bits_i[t];
    end
  end

  if (Fpu) begin : gen_fpu
    logic [31:0] fpu_q[16];
    logic [31:0] div_q[16];
    logic [4:0] fpu_flags_q[16];
    logic [4:0] div_flags_q[16];
    logic [Threads-1:0] divided_q;
    logic divided;
    always_ff @(posedge clk_i) begin
      if (fpu_valid_i) begin
        fpu_q[fpu_i.thread] <= fpu_i.data;
        fpu_flags_q[fpu_i.thread] <= fpu_i.flags;
      end
      if (div_valid_i) begin
        div_q[div_i.thread] <= div_i.data;
        div_flags_q[div_i.thread] <= div_i.flags;
      end
      for (int unsigned t = 0; t < Threads; t++) begin
        if (fpu_valid_i && fpu_i.thread == 4'(t)) divided_q[t] <= 1'b0;
        if (div_valid_i && div_i.thread == 4'(t)) divided_q[t] <= 1'b1;
      end
    end
    assign divided = at(divided_q, thread_i);
    assign fpu = divided ? div_q[thread_i] : fpu_q[thread_i];
    assign flags_o = divided ? div_flags_q[thread_i] : fpu_flags_q[thread_i];
  end else begin : gen_no_fpu
    logic unused;
    assign unused = ^{fpu_valid_i, fpu_i, div_valid_i, div_i};
    assign fpu = '0;
    assign flags_o = '0;
  end

  assign cache = at(filled_q, thread_i) ? fill_q[thread_i] : hit_q[thread_i];
  always_comb begin
    data_o = '0;
    unique case (src_i)
      SRC_CACHE: data_o = cache;
      SRC_PAD:   data_o = pad_q[thread_i];
      SRC_FPU:   data_o = fpu;
      SRC_WAKE: begin
        for (int unsigned t = 0; t < Threads; t++) if (thread_i == 4'(t)) data_o[3:0] |= wake_q[t];
      end
      default:   data_o = '0;
    endcase
  end

  logic unused_flags;
  assign unused_flags = ^{hit_i.flags, fill_i.flags, pad_i.flags};

endmodule
