// SPDX-License-Identifier: Apache-2.0
// stream_tb: all test objects of the folder in one binary; a test drives the signals of one scope.
// verilog_format: off
module stream_tb (
    input logic clk_i,
    input logic rst_ni
);

  if (1) begin : gen_spill
    spill_register #(.T(logic [31:0])) i_dut (.valid_i(in_valid), .ready_o(in_ready), .data_i(in), .valid_o(out_valid),
        .ready_i(out_ready), .data_o(out), .*);
  end

  for (genvar i = 0; i < 4; i++) begin : gen_ram_fifo
    localparam int unsigned Depth = i == 0 ? 2 : i == 1 ? 3 : i == 2 ? 7 : 128;
    polyloom_stream_ram_fifo #(.T(polyloom_stream_pkg::beat_t), .Depth(Depth)) i_dut (.*);
  end

  for (genvar i = 0; i < 5; i++) begin : gen_lut_fifo
    localparam int unsigned Depth = i == 0 ? 1 : i == 1 ? 2 : i == 2 ? 3 : i == 3 ? 7 : 16;
    polyloom_stream_lut_fifo #(.T(polyloom_stream_pkg::beat_t), .Depth(Depth)) i_dut (.*);
  end

  if (1) begin : gen_pkg
    import polyloom_stream_pkg::*;
    logic [BEAT_BYTES-1:0] keep = '0, keep_back;
    logic [5:0] bytes = '0, bytes_back;
    assign keep_back  = keep_of(bytes);
    assign bytes_back = beat_bytes(keep);
  end

endmodule
