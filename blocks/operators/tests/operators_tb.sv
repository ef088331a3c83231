// SPDX-License-Identifier: Apache-2.0
// operators_tb: parts of the operators alone, for cocotb; the slot as a whole is compared by operators_rtl_test.cc.
// verilog_format: off
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
    polyloom_op_join2 #(.Width(Width)) i_dut (.function_i(function_e'(fn)), .type_i(element_e'(of_type)), .*);
  end

  if (1) begin : gen_scale
    logic [7:0] of_type = '0;
    polyloom_op_scale i_dut (.type_i(element_e'(of_type)), .*);
  end

  for (genvar k = 0; k < 2; k++) begin : gen_collect  // of 3 inputs and of 1
    localparam int unsigned Inputs = k == 0 ? 3 : 1;
    typedef struct packed {
      logic [7:0][31:0] words;
      logic [3:0] count;
      logic last;
    } group_t;
    logic [Inputs-1:0] last;
    group_t [Inputs-1:0] in = '0;
    logic [Inputs-1:0][3:0] count;
    logic [Inputs-1:0][7:0][31:0] words;
    for (genvar i = 0; i < Inputs; i++) begin : gen_input
      assign count[i] = in[i].count;
      assign words[i] = in[i].words;
      assign last[i]  = in[i].last;
    end
    polyloom_op_collect #(.Inputs(Inputs)) i_dut (.valid_i(in_valid), .accept_o(in_ready), .count_i(count), .end_i(last),
        .group_i(words), .valid_o(out_valid), .ready_i(out_ready), .beat_o(out), .*);
  end

  for (genvar k = 0; k < 2; k++) begin : gen_distribute  // to 4 outputs and to 2
    localparam int unsigned Outputs = k == 0 ? 4 : 2;
    localparam int unsigned OutWidth = $clog2(Outputs);
    polyloom_op_distribute #(.Outputs(Outputs), .Buckets(64), .RecordBeats(16)) i_dut (.record_i(recording),
        .valid_i(in_valid), .accept_o(in_ready), .beat_i(in), .end_o(at_end), .group_o(words), .*);
  end

  for (genvar k = 0; k < 2; k++) begin : gen_pass  // 3 to 5 and 1 to 1
    localparam int unsigned Inputs = k == 0 ? 3 : 1;
    localparam int unsigned Outputs = k == 0 ? 5 : 1;
    localparam int unsigned StatusWords = k == 0 ? 3 : 1;
    polyloom_op_pass #(.Inputs(Inputs), .Outputs(Outputs), .StatusWords(StatusWords)) i_dut (.*);
  end

  for (genvar k = 0; k < 3; k++) begin : gen_tree  // of 5 inputs, of 2 and of 1
    localparam int unsigned Sizes[3] = '{5, 2, 1};
    localparam int unsigned Inputs = Sizes[k];
    logic [7:0] fn = '0, of_type = '0;
    polyloom_op_tree #(.Inputs(Inputs)) i_dut (.function_i(function_e'(fn)), .type_i(element_e'(of_type)), .*);
  end

  for (genvar k = 0; k < 2; k++) begin : gen_reduce  // 3 inputs in 2 groups and an output without one; 1 in 1
    localparam int unsigned Inputs = k == 0 ? 3 : 1;
    localparam int unsigned Outputs = k == 0 ? 3 : 1;
    localparam int unsigned StatusWords = k == 0 ? 4 : 2;
    polyloom_op_reduce #(.Inputs(Inputs), .Outputs(Outputs), .Groups(k == 0 ? 2 : 1), .StatusWords(StatusWords)) i_dut
        (.*);
  end

  for (genvar k = 0; k < 2; k++) begin : gen_partition  // 3 to 4 and 1 to 2
    localparam int unsigned Inputs = k == 0 ? 3 : 1;
    localparam int unsigned Outputs = k == 0 ? 4 : 2;
    localparam int unsigned Buckets = k == 0 ? 64 : 2;
    localparam int unsigned StatusWords = 2 + Buckets + Outputs + k;
    polyloom_op_partition #(.Inputs(Inputs), .Outputs(Outputs), .Depth(k == 0 ? 3 : 2), .Buckets(Buckets),
        .RecordBeats(k == 0 ? 16 : 5), .StatusWords(StatusWords)) i_dut (.*);
  end
endmodule
