// SPDX-License-Identifier: Apache-2.0
// hls_tb: what generated kernels instantiate, for cocotb.
// verilog_format: off
module hls_tb (
    input logic clk_i,
    input logic rst_ni
);
  for (genvar k = 0; k < 3; k++) begin : gen_divide
    localparam int unsigned Widths[3] = '{2, 13, 64};
    localparam int unsigned Width = Widths[k];
    polyloom_hls_divide #(.Width(Width)) i_dut (.signed_i(is_signed), .*);
  end

  for (genvar k = 0; k < 3; k++) begin : gen_multiply
    localparam int unsigned Widths[3] = '{1, 32, 64};
    localparam int unsigned Latencies[3] = '{1, 2, 4};
    polyloom_hls_multiply #(.Width(Widths[k]), .Latency(Latencies[k])) i_dut (.*);
  end

  for (genvar k = 0; k < 2; k++) begin : gen_memory
    localparam int unsigned Words = k == 0 ? 2 : 13;
    localparam int unsigned WordBits = $clog2(Words);
    polyloom_hls_memory #(.Words(Words), .InitWords(2), .Init(128'hfedc_ba98_7654_3210_0f1e_2d3c_4b5a_6978)) i_dut (.*);
  end

  logic unused;
  assign unused = rst_ni;
endmodule
