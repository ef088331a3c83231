// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_writeback: what a core's register file gets, and which threads' responses it has not got yet.
// How:          an instruction writes its own result, or else the response that its thread has come back with (`pending`). One that is
//               neither written nor overwritten stays pending. A latent instruction writes no result, so there is room for the
//               next response. Results are 0 unless theirs is the one, so that an OR joins them.
// Latency:      2 cycles from stage 6 to the register file.
// Throughput:   an instruction a cycle.
// Backpressure: none; path from s2_thread_i to s2_pending_o.
// Order/loss:   in order; a response that its thread overwrites before it is written is dropped.
// Reset:        no write; what is pending by s6_clear_i, once for each thread.
// Limits:       none.
// Cost:         about 140 LUT4 (ECP5; part of polyloom_overlay_core).
// Source:       own design.   Tests: test_polyloom_overlay_writeback.py, test_polyloom_overlay_cores.py
module polyloom_overlay_writeback
  import polyloom_overlay_pkg::*;
(
    input  logic                          clk_i,
    input  logic                          rst_ni,
    // Stage 2
    input  logic          [          3:0] s2_thread_i,
    output pending_t                      s2_pending_o,
    // Stage 7: to what keeps the responses
    output logic                          s7_we_o,
    output logic                          s7_side_o,
    // Stage 6
    input  passing_t                      s6_i,
    input  logic                          s6_valid_i,
    input  logic                          s6_clear_i,     // the thread has come back with nothing
    input  logic                          s6_pass_i,      // retired
    input  logic                          s6_latent_i,
    input  logic                          s6_own_we_i,    // the instruction writes its result
    input  response_src_e                 s6_src_i,       // where a latent one's response comes from
    input  logic                          s6_side_i,
    input  logic          [         31:0] s6_response_i,
    input  logic                          s6_jump_i,
    input  logic          [         31:0] s6_link_i,      // of a jump
    input  logic                          s6_recv_i,      // the result is in s7_slot_i
    // Stage 7
    input  logic          [SLOT_BITS-1:0] s7_slot_i,
    input  logic          [         31:0] s7_result_i,    // 0 if it is not the result
    // Stage 8: to the register file
    output logic                          s8_we_o,
    output logic          [          3:0] s8_thread_o,
    output reg_t                          s8_rd_o,
    output logic          [         31:0] s8_data_o,
    output trace_t                        trace_o
);

  // ---- what is pending ----
  pending_t pending_q  [16];
  pending_t s6_pending;
  passing_t s7_q;
  assign s2_pending_o = pending_q[s2_thread_i];

  always_comb begin
    s6_pending = s6_i.pending;
    s6_pending.flags = s6_latent_i && s6_i.decoded.fp;
    s6_pending.valid = s6_own_we_i && s6_i.pending.valid && s6_i.pending.rd != s6_i.decoded.rd;
    if (s6_latent_i) begin
      s6_pending.valid = s6_i.decoded.rd_we;
      s6_pending.rd = s6_i.decoded.rd;
      s6_pending.src = s6_src_i;
      s6_pending.side = s6_side_i;
    end
  end
  pending_t s7_pending_q;
  always_ff @(posedge clk_i) begin
    s7_we_o <= s6_valid_i || s6_clear_i;
    s7_pending_q <= s6_pending;
    if (s7_we_o) pending_q[s7_q.thread] <= s7_pending_q;
  end
  assign s7_side_o = s7_pending_q.side;

  // ---- stage 7 ----
  logic s7_we_q, s7_recv_q, s7_pass_q;
  reg_t s7_rd_q;
  logic [31:0] s7_response_q, s7_link_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      s7_we_q   <= 1'b0;
      s7_pass_q <= 1'b0;
    end else begin
      s7_we_q   <= s6_own_we_i || (s6_valid_i && s6_i.pending.valid);
      s7_pass_q <= s6_pass_i;
    end
  end
  always_ff @(posedge clk_i) begin
    s7_q <= s6_i;
    s7_rd_q <= s6_own_we_i ? s6_i.decoded.rd : s6_i.pending.rd;
    s7_response_q <= s6_own_we_i ? '0 : s6_response_i;
    s7_link_q <= s6_own_we_i && s6_jump_i ? s6_link_i : '0;
    s7_recv_q <= s6_recv_i && s6_own_we_i;
  end

  // ---- stage 8 ----
  logic s8_pass_q;
  logic [31:2] s8_pc_q;
  logic [31:0] s8_word_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      s8_we_o   <= 1'b0;
      s8_pass_q <= 1'b0;
    end else begin
      s8_we_o   <= s7_we_q;
      s8_pass_q <= s7_pass_q;
    end
  end
  always_ff @(posedge clk_i) begin
    s8_thread_o <= s7_q.thread;
    s8_pc_q <= s7_q.held.pc;
    s8_word_q <= s7_q.word;
    s8_rd_o <= s7_rd_q;
    s8_data_o <= s7_response_q | s7_link_q | s7_result_i | (s7_recv_q ? 32'({1'b1, s7_slot_i, 6'd0}) : '0);
  end

  assign trace_o = '{
          valid: s8_pass_q,
          thread: s8_thread_o,
          pc: {s8_pc_q, 2'b00},
          word: s8_word_q,
          we: s8_we_o,
          fp: s8_rd_o.f,
          rd: s8_rd_o.index,
          data: s8_data_o
      };

  logic unused;
  assign unused = ^{s6_i, s7_q};

endmodule
