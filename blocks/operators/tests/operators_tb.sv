// SPDX-License-Identifier: Apache-2.0
// operators_tb: parts of the operators alone, for cocotb; the slot as a whole is compared by operators_rtl_test.cc.
module operators_tb
  import polyloom_operator_pkg::*;
  import polyloom_stream_pkg::*;
(
    input logic clk_i,
    input logic rst_ni
);
  for (genvar k = 0; k < 2; k++) begin : gen_join2  // integers of 35 and of 33 bits
    localparam int unsigned Width = k == 0 ? 35 : 33;
    logic [7:0] fn = '0, of_type = '0;
    logic a_there = 1'b0, b_there = 1'b0;
    logic [Width-1:0] a = '0, b = '0, z;
    polyloom_op_join2 #(
        .Width(Width)
    ) i_dut (
        .clk_i,
        .function_i(function_e'(fn)),
        .type_i    (element_e'(of_type)),
        .a_there_i (a_there),
        .a_i       (a),
        .b_there_i (b_there),
        .b_i       (b),
        .z_o       (z)
    );
  end

  if (1) begin : gen_scale
    logic enable = 1'b0;
    logic [7:0] of_type = '0;
    logic [31:0] factor = '0, z;
    logic [41:0] reciprocal = '0;
    logic [34:0] x = '0;
    polyloom_op_scale i_dut (
        .clk_i,
        .enable_i    (enable),
        .type_i      (element_e'(of_type)),
        .factor_i    (factor),
        .reciprocal_i(reciprocal),
        .x_i         (x),
        .z_o         (z)
    );
  end

  for (genvar k = 0; k < 2; k++) begin : gen_collect  // of 3 inputs and of 1
    localparam int unsigned Inputs = k == 0 ? 3 : 1;
    typedef struct packed {
      logic [7:0][31:0] words;
      logic [3:0] count;
      logic last;
    } group_t;
    logic flush = 1'b0, step = 1'b0, out_valid, out_ready = 1'b0, busy;
    logic [Inputs-1:0] mask = '0, in_valid = '0, in_ready, last;
    group_t [Inputs-1:0] in = '0;
    logic [Inputs-1:0][3:0] count;
    logic [Inputs-1:0][7:0][31:0] words;
    beat_t out;
    for (genvar i = 0; i < Inputs; i++) begin : gen_input
      assign count[i] = in[i].count;
      assign words[i] = in[i].words;
      assign last[i]  = in[i].last;
    end
    polyloom_op_collect #(
        .Inputs(Inputs)
    ) i_dut (
        .clk_i,
        .rst_ni,
        .flush_i(flush),
        .step_i (step),
        .mask_i (mask),
        .valid_i(in_valid),
        .take_o (in_ready),
        .count_i(count),
        .end_i  (last),
        .group_i(words),
        .valid_o(out_valid),
        .ready_i(out_ready),
        .beat_o (out),
        .busy_o (busy)
    );
  end

  for (genvar k = 0; k < 2; k++) begin : gen_distribute  // to 4 outputs and to 2
    localparam int unsigned Outputs = k == 0 ? 4 : 2;
    localparam int unsigned OutWidth = $clog2(Outputs);
    logic flush = 1'b0, step = 1'b0, record_next = 1'b0;
    logic [4:0] shift = '0;
    logic [2:0] bits = '0;
    logic pair = 1'b0, recording = 1'b0, steer = 1'b0, silent = 1'b0;
    logic [Outputs-1:0] on = '0;
    logic [31:0][Outputs-1:0] route = '0;
    logic [31:0][OutWidth:0] members = '0;
    logic in_valid = 1'b0, in_ready, room = 1'b0, at_end, record_error, busy;
    beat_t in = '0;
    logic [Outputs-1:0] push;
    logic [Outputs-1:0][3:0] count;
    logic [Outputs-1:0][7:0][31:0] words;
    logic [7:0] key_valid;
    logic [7:0][5:0] key_bucket;
    polyloom_op_distribute #(
        .Outputs    (Outputs),
        .Buckets    (64),
        .RecordBeats(16)
    ) i_dut (
        .clk_i,
        .rst_ni,
        .flush_i       (flush),
        .step_i        (step),
        .record_next_i (record_next),
        .shift_i       (shift),
        .bits_i        (bits),
        .pair_i        (pair),
        .record_i      (recording),
        .steer_i       (steer),
        .silent_i      (silent),
        .on_i          (on),
        .route_i       (route),
        .members_i     (members),
        .valid_i       (in_valid),
        .take_o        (in_ready),
        .beat_i        (in),
        .room_i        (room),
        .push_o        (push),
        .count_o       (count),
        .end_o         (at_end),
        .group_o       (words),
        .key_valid_o   (key_valid),
        .key_bucket_o  (key_bucket),
        .record_error_o(record_error),
        .busy_o        (busy)
    );
  end

  for (genvar k = 0; k < 2; k++) begin : gen_pass  // 3 to 5 and 1 to 1
    localparam int unsigned Inputs = k == 0 ? 3 : 1;
    localparam int unsigned Outputs = k == 0 ? 5 : 1;
    localparam int unsigned StatusWords = k == 0 ? 3 : 1;
    logic flush = 1'b0, step = 1'b0, idle;
    logic [Outputs-1:0] cfg_valid = '0, out_valid, out_ready = '0;
    logic [Outputs-1:0][63:0] cfg_word = '0;
    logic [Outputs-1:0][Inputs-1:0] cfg_mask = '0;
    logic [Inputs-1:0] in_valid = '0, in_ready;
    beat_t [Inputs-1:0] in = '0;
    beat_t [Outputs-1:0] out;
    logic [StatusWords-1:0][63:0] status;
    polyloom_op_pass #(
        .Inputs     (Inputs),
        .Outputs    (Outputs),
        .StatusWords(StatusWords)
    ) i_dut (
        .clk_i,
        .rst_ni,
        .flush_i    (flush),
        .step_i     (step),
        .cfg_valid_i(cfg_valid),
        .cfg_word_i (cfg_word),
        .cfg_mask_i (cfg_mask),
        .in_valid_i (in_valid),
        .in_ready_o (in_ready),
        .in_i       (in),
        .out_valid_o(out_valid),
        .out_ready_i(out_ready),
        .out_o      (out),
        .idle_o     (idle),
        .status_o   (status)
    );
  end

  for (genvar k = 0; k < 3; k++) begin : gen_tree  // of 5 inputs, of 2 and of 1
    localparam int unsigned Sizes[3] = '{5, 2, 1};
    localparam int unsigned Inputs = Sizes[k];
    logic [7:0] fn = '0, of_type = '0;
    logic [31:0] factor = '0, z;
    logic [41:0] reciprocal = '0;
    logic [Inputs-1:0] there = '0;
    logic [Inputs-1:0][31:0] x = '0;
    polyloom_op_tree #(
        .Inputs(Inputs)
    ) i_dut (
        .clk_i,
        .function_i  (function_e'(fn)),
        .type_i      (element_e'(of_type)),
        .factor_i    (factor),
        .reciprocal_i(reciprocal),
        .there_i     (there),
        .x_i         (x),
        .z_o         (z)
    );
  end

  for (genvar k = 0; k < 2; k++) begin : gen_reduce  // 3 inputs in 2 groups and an output without one; 1 in 1
    localparam int unsigned Inputs = k == 0 ? 3 : 1;
    localparam int unsigned Outputs = k == 0 ? 3 : 1;
    localparam int unsigned StatusWords = k == 0 ? 4 : 2;
    logic flush = 1'b0, step = 1'b0, idle;
    logic [Outputs-1:0] cfg_valid = '0, out_valid, out_ready = '0;
    logic [Outputs-1:0][63:0] cfg_word = '0;
    logic [Outputs-1:0][Inputs-1:0] cfg_mask = '0;
    logic [Inputs-1:0] in_valid = '0, in_ready;
    beat_t [Inputs-1:0] in = '0;
    beat_t [Outputs-1:0] out;
    logic [StatusWords-1:0][63:0] status;
    polyloom_op_reduce #(
        .Inputs     (Inputs),
        .Outputs    (Outputs),
        .Groups     (k == 0 ? 2 : 1),
        .StatusWords(StatusWords)
    ) i_dut (
        .clk_i,
        .rst_ni,
        .flush_i    (flush),
        .step_i     (step),
        .cfg_valid_i(cfg_valid),
        .cfg_word_i (cfg_word),
        .cfg_mask_i (cfg_mask),
        .in_valid_i (in_valid),
        .in_ready_o (in_ready),
        .in_i       (in),
        .out_valid_o(out_valid),
        .out_ready_i(out_ready),
        .out_o      (out),
        .idle_o     (idle),
        .status_o   (status)
    );
  end

  for (genvar k = 0; k < 2; k++) begin : gen_partition  // 3 to 4 and 1 to 2
    localparam int unsigned Inputs = k == 0 ? 3 : 1;
    localparam int unsigned Outputs = k == 0 ? 4 : 2;
    localparam int unsigned Buckets = k == 0 ? 64 : 2;
    localparam int unsigned StatusWords = 2 + Buckets + Outputs + k;
    logic flush = 1'b0, step = 1'b0, idle;
    logic [Outputs-1:0] cfg_valid = '0, out_valid, out_ready = '0;
    logic [Outputs-1:0][63:0] cfg_word = '0;
    logic [Outputs-1:0][Inputs-1:0] cfg_mask = '0;
    logic [Inputs-1:0] in_valid = '0, in_ready;
    beat_t [Inputs-1:0] in = '0;
    beat_t [Outputs-1:0] out;
    logic [StatusWords-1:0][63:0] status;
    polyloom_op_partition #(
        .Inputs     (Inputs),
        .Outputs    (Outputs),
        .Depth      (k == 0 ? 3 : 2),
        .Buckets    (Buckets),
        .RecordBeats(k == 0 ? 16 : 5),
        .StatusWords(StatusWords)
    ) i_dut (
        .clk_i,
        .rst_ni,
        .flush_i    (flush),
        .step_i     (step),
        .cfg_valid_i(cfg_valid),
        .cfg_word_i (cfg_word),
        .cfg_mask_i (cfg_mask),
        .in_valid_i (in_valid),
        .in_ready_o (in_ready),
        .in_i       (in),
        .out_valid_o(out_valid),
        .out_ready_i(out_ready),
        .out_o      (out),
        .idle_o     (idle),
        .status_o   (status)
    );
  end
endmodule
