// SPDX-License-Identifier: Apache-2.0
// stream_tb: all test objects of the folder in one binary; a test drives the signals of one scope.
module stream_tb (
    input logic clk_i,
    input logic rst_ni
);

  if (1) begin : gen_spill
    logic in_valid = 1'b0, in_ready, out_valid, out_ready = 1'b0;
    logic [31:0] in = '0, out;
    spill_register #(
        .T(logic [31:0])
    ) i_dut (
        .clk_i,
        .rst_ni,
        .valid_i(in_valid),
        .ready_o(in_ready),
        .data_i (in),
        .valid_o(out_valid),
        .ready_i(out_ready),
        .data_o (out)
    );
  end

  for (genvar i = 0; i < 4; i++) begin : gen_ram_fifo
    localparam int unsigned Depth = i == 0 ? 2 : i == 1 ? 3 : i == 2 ? 7 : 128;
    logic flush = 1'b0, in_valid = 1'b0, in_ready, out_valid, out_ready = 1'b0;
    polyloom_stream_pkg::beat_t in = '0, out;
    logic [$clog2(Depth+1)-1:0] usage;
    polyloom_stream_ram_fifo #(
        .T    (polyloom_stream_pkg::beat_t),
        .Depth(Depth)
    ) i_dut (
        .clk_i,
        .rst_ni,
        .flush_i    (flush),
        .in_valid_i (in_valid),
        .in_ready_o (in_ready),
        .in_i       (in),
        .out_valid_o(out_valid),
        .out_ready_i(out_ready),
        .out_o      (out),
        .usage_o    (usage)
    );
  end

  for (genvar i = 0; i < 5; i++) begin : gen_lut_fifo
    localparam int unsigned Depth = i == 0 ? 1 : i == 1 ? 2 : i == 2 ? 3 : i == 3 ? 7 : 16;
    logic flush = 1'b0, in_valid = 1'b0, in_ready, out_valid, out_ready = 1'b0;
    polyloom_stream_pkg::beat_t in = '0, out;
    polyloom_stream_lut_fifo #(
        .T    (polyloom_stream_pkg::beat_t),
        .Depth(Depth)
    ) i_dut (
        .clk_i,
        .rst_ni,
        .flush_i    (flush),
        .in_valid_i (in_valid),
        .in_ready_o (in_ready),
        .in_i       (in),
        .out_valid_o(out_valid),
        .out_ready_i(out_ready),
        .out_o      (out)
    );
  end

  if (1) begin : gen_pkg
    import polyloom_stream_pkg::*;
    logic [BEAT_BYTES-1:0] keep = '0, keep_back;
    logic [5:0] bytes = '0, bytes_back;
    assign keep_back  = keep_of(bytes);
    assign bytes_back = beat_bytes(keep);
  end

endmodule
