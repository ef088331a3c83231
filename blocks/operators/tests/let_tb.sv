// SPDX-License-Identifier: Apache-2.0
// let_tb: parts of the LET operator alone, for cocotb; the operator as a whole is compared by let_rtl_test.cc.
// verilog_format: off
module let_tb
  import polyloom_operator_pkg::*;
  import polyloom_stream_pkg::*;
(
    input logic clk_i,
    input logic rst_ni
);
  for (genvar k = 0; k < 3; k++) begin : gen_delay
    localparam int unsigned Latencies[3] = '{3, 24, 37};
    polyloom_op_let_delay #(.Latency(Latencies[k])) i_dut (.node_o(out), .*);
  end

  for (genvar k = 0; k < 2; k++) begin : gen_geometry
    polyloom_op_let_geometry #(.Latency(24 + 3 * k)) i_dut (.*);
  end

  for (genvar k = 0; k < 2; k++) begin : gen_resolve  // room for 256 opened nodes, and for 4
    polyloom_op_let_resolve #(.OpenDepth(k == 0 ? 256 : 4)) i_dut (.record_o(out_record), .last_o(out_last),
        .node_o(out_node), .*);
  end

  if (1) begin : gen_pack
    polyloom_op_let_pack i_dut (.*);
  end

  for (genvar k = 0; k < 2; k++) begin : gen_unpack  // 1 output and 3
    localparam int unsigned Outputs = k == 0 ? 1 : 3;
    polyloom_op_let_unpack #(.Outputs(Outputs)) i_dut (.valid_i(in_valid), .accept_o(in_ready), .beat_i(in),
        .open_o(is_open), .*);
  end

  if (1) begin : gen_lane
    polyloom_op_let_lane #(.Latency(25), .OpenDepth(64)) i_dut (.*);
  end

  for (genvar k = 0; k < 2; k++) begin : gen_let  // 2 inputs and 3 outputs; 1 and 1 with room for 4 opened nodes
    localparam int unsigned Inputs = k == 0 ? 2 : 1;
    localparam int unsigned Outputs = k == 0 ? 3 : 1;
    polyloom_op_let #(.Inputs(Inputs), .Outputs(Outputs), .GeometryLatency(k == 0 ? 0 : 31), .OpenDepth(k == 0 ? 256 :
        4)) i_dut (.*);
  end
endmodule
