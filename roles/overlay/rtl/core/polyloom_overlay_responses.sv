// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_responses: the last response of every thread of a core, kept until the thread has passed with it.
// How:          a RAM for each port that brings responses, as all may bring one in a cycle; block RAM, whose outputs go into
//               registers that are zero unless theirs is the response, so that an OR joins them. The instruction tells
//               which port it is, but for the cache's hits and fills: those differ in a bit that the fill changes.
// Latency:      data of a response of cycle A can be asked for from A + 1 on and are there 2 cycles after that.
// Throughput:   a response a port and one read a cycle.
// Backpressure: none. No path from an input to an output.
// Order/loss:   the next response of a thread replaces the one before.
// Reset:        none; what no response has written is undefined.
// Limits:       Fpu 0: nothing may come from there, and nothing of it is built.
// Cost:         3 EBR, with FPU 7, and about 70 LUT4 (ECP5; part of polyloom_overlay_core).
// Source:       own design.   Tests: test_polyloom_overlay_responses.py, test_polyloom_overlay_cores.py
module polyloom_overlay_responses
  import polyloom_overlay_pkg::*;
#(
    parameter int unsigned Threads = 1,  // of the core
    parameter bit          Fpu     = 0   // there is an FPU or a multiplier
) (
    input  logic                             clk_i,
    // From the units
    input  logic                             hit_valid_i,
    input  rsp_t                             hit_i,
    input  logic                             fill_valid_i,
    input  rsp_t                             fill_i,
    input  logic                             scratchpad_valid_i,
    input  rsp_t                             scratchpad_i,
    input  logic                             fpu_valid_i,
    input  rsp_t                             fpu_i,
    input  logic                             div_valid_i,
    input  rsp_t                             div_i,
    input  logic          [Threads-1:0]      wake_i,
    input  logic          [Threads-1:0][3:0] wake_bits_i,
    // From and to the pipeline
    input  logic          [        3:0]      s2_thread_i,
    input  response_src_e                    s2_src_i,
    input  logic                             s2_side_i,           // what the thread's latent instruction found
    output logic                             s2_side_o,           // and what is there now
    input  logic                             s7_we_i,
    input  logic          [        3:0]      s7_thread_i,
    input  logic                             s7_side_i,
    output logic          [       31:0]      s4_data_o,
    output logic          [        4:0]      s4_flags_o           // of a response of the FPU; else 0
);

  localparam int unsigned Depth = 512;  // so that it is a block RAM; 16 words are used

  // A latent instruction takes note of its thread's bit here; a fill makes the bit the other one.
  logic requested_q[16];
  logic filled_q[16];
  always_ff @(posedge clk_i) begin
    if (s7_we_i) requested_q[s7_thread_i] <= s7_side_i;
    if (fill_valid_i) filled_q[fill_i.thread] <= !requested_q[fill_i.thread];
  end

  logic [Threads-1:0][3:0] wake_q;
  always_ff @(posedge clk_i) begin
    for (int unsigned t = 0; t < Threads; t++) if (wake_i[t]) wake_q[t] <= wake_bits_i[t];
  end

  // ---- stage 3: the thread of the response ----
  logic s3_hit_q, s3_fill_q, s3_scratchpad_q, s3_wake_q, filled;
  assign s2_side_o = filled_q[s2_thread_i];
  assign filled = s2_side_o != s2_side_i;
  always_ff @(posedge clk_i) begin
    s3_hit_q <= s2_src_i == SRC_CACHE && !filled;
    s3_fill_q <= s2_src_i == SRC_CACHE && filled;
    s3_scratchpad_q <= s2_src_i == SRC_SCRATCHPAD;
    s3_wake_q <= s2_src_i == SRC_WAKE;
  end

  // ---- stage 4 ----
  logic [2:0] valid, s3_own;
  rsp_t [2:0] response;
  logic [2:0][31:0] s3_data, s4_data_q;
  logic [36:0] s4_fpu;
  assign valid = {scratchpad_valid_i, fill_valid_i, hit_valid_i};
  assign response = {scratchpad_i, fill_i, hit_i};
  assign s3_own = {s3_scratchpad_q, s3_fill_q, s3_hit_q};

  for (genvar i = 0; i < 3; i++) begin : gen_port
    polyloom_ram_1r1w #(
        .Width(32),
        .Depth(Depth)
    ) i_ram (
        .clk_i,
        .we_i   (valid[i]),
        .be_i   (1'b1),
        .waddr_i(9'(response[i].thread)),
        .wdata_i(response[i].data),
        .re_i   (1'b1),
        .raddr_i(9'(s2_thread_i)),
        .rdata_o(s3_data[i])
    );
    always_ff @(posedge clk_i) s4_data_q[i] <= s3_own[i] ? s3_data[i] : '0;
    logic unused;
    assign unused = ^response[i].flags;
  end

  // Threads' bits lie in four rows of four: first all rows but the thread's are cleared, then all columns.
  logic [3:0][3:0][3:0] wakes, s3_wakes_q;  // of row, column
  logic [3:0][3:0] s3_columns, s4_columns_q;
  logic [3:0] s4_bits;
  logic [1:0] s3_column_q;
  assign wakes = 64'(wake_q);
  always_ff @(posedge clk_i) begin
    s3_column_q <= s2_thread_i[1:0];
    for (int unsigned i = 0; i < 4; i++) begin
      s3_wakes_q[i]   <= s2_thread_i[3:2] == 2'(i) ? wakes[i] : '0;
      s4_columns_q[i] <= s3_wake_q && s3_column_q == 2'(i) ? s3_columns[i] : '0;
    end
  end
  assign s3_columns = s3_wakes_q[0] | s3_wakes_q[1] | s3_wakes_q[2] | s3_wakes_q[3];
  assign s4_bits = s4_columns_q[0] | s4_columns_q[1] | s4_columns_q[2] | s4_columns_q[3];

  if (Fpu) begin : gen_fpu
    logic s3_fpu_q, s3_div_q;
    logic [1:0] fpu_valid, s3_from;
    rsp_t [1:0] fpu_response;
    logic [1:0][36:0] s3_word, s4_word_q;
    always_ff @(posedge clk_i) begin
      s3_fpu_q <= s2_src_i == SRC_FPU;
      s3_div_q <= s2_src_i == SRC_DIVIDER;
    end
    assign fpu_valid = {div_valid_i, fpu_valid_i};
    assign fpu_response = {div_i, fpu_i};
    assign s3_from = {s3_div_q, s3_fpu_q};
    for (genvar i = 0; i < 2; i++) begin : gen_fpu_port
      polyloom_ram_1r1w #(
          .Width(37),
          .Depth(Depth)
      ) i_ram (
          .clk_i,
          .we_i   (fpu_valid[i]),
          .be_i   (1'b1),
          .waddr_i(9'(fpu_response[i].thread)),
          .wdata_i({fpu_response[i].flags, fpu_response[i].data}),
          .re_i   (1'b1),
          .raddr_i(9'(s2_thread_i)),
          .rdata_o(s3_word[i])
      );
      always_ff @(posedge clk_i) s4_word_q[i] <= s3_from[i] ? s3_word[i] : '0;
    end
    assign s4_fpu = s4_word_q[0] | s4_word_q[1];
  end else begin : gen_no_fpu
    logic unused;
    assign unused = ^{fpu_valid_i, fpu_i, div_valid_i, div_i};
    assign s4_fpu = '0;
  end

  assign s4_data_o  = s4_data_q[0] | s4_data_q[1] | s4_data_q[2] | s4_fpu[31:0] | 32'(s4_bits);
  assign s4_flags_o = s4_fpu[36:32];

endmodule
