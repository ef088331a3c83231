// SPDX-License-Identifier: Apache-2.0
// ethernet_tb: all test objects of the folder in one binary; a test drives the signals of one scope.
module ethernet_tb (
    input logic clk_i,
    input logic rst_ni
);

  for (genvar i = 0; i < 2; i++) begin : gen_fcs_tx
    localparam int unsigned GapWords = i == 0 ? 2 : 5;
    logic in_valid = 1'b0, in_ready, tx_valid, tx_ready = 1'b0, idle;
    logic [64:0] in = '0;  // last, data
    logic [72:0] tx;  // last, keep, data
    polyloom_ethernet_fcs_tx #(
        .GapWords(GapWords)
    ) i_dut (
        .clk_i,
        .rst_ni,
        .in_valid_i(in_valid),
        .in_ready_o(in_ready),
        .in_data_i (in[63:0]),
        .in_last_i (in[64]),
        .tx_valid_o(tx_valid),
        .tx_ready_i(tx_ready),
        .tx_data_o (tx[63:0]),
        .tx_keep_o (tx[71:64]),
        .tx_last_o (tx[72]),
        .idle_o    (idle)
    );
  end

  if (1) begin : gen_fcs_rx
    logic rx_valid = 1'b0, out_valid, out_ready = 1'b0, idle;
    logic [72:0] rx = '0;  // last, keep, data
    logic [73:0] out;  // bad, last, keep, data
    logic rx_ready;
    assign rx_ready = 1'b1;  // wires do not wait
    polyloom_ethernet_fcs_rx i_dut (
        .clk_i,
        .rst_ni,
        .rx_valid_i (rx_valid),
        .rx_data_i  (rx[63:0]),
        .rx_keep_i  (rx[71:64]),
        .rx_last_i  (rx[72]),
        .out_valid_o(out_valid),
        .out_data_o (out[63:0]),
        .out_keep_o (out[71:64]),
        .out_last_o (out[72]),
        .out_bad_o  (out[73]),
        .idle_o     (idle)
    );
  end

  for (genvar i = 0; i < 5; i++) begin : gen_store
    localparam int unsigned Words = i == 0 ? 4 : i == 1 ? 23 : i == 2 ? 512 : i == 3 ? 5 : 64;
    localparam bit Waits = i >= 3;
    logic in_valid = 1'b0, in_ready, out_valid, out_ready = 1'b0, room, dropped, empty;
    logic [69:0] in = '0;  // bad, last, bytes, data
    logic [81:0] out;  // size, last, bytes, data
    assign in_ready = Waits ? room : 1'b1;
    polyloom_ethernet_store #(
        .Words(Words),
        .Waits(Waits)
    ) i_dut (
        .clk_i,
        .rst_ni,
        .in_valid_i (in_valid),
        .in_ready_o (room),
        .in_data_i  (in[63:0]),
        .in_bytes_i (in[67:64]),
        .in_last_i  (in[68]),
        .in_bad_i   (in[69]),
        .out_valid_o(out_valid),
        .out_ready_i(out_ready),
        .out_data_o (out[63:0]),
        .out_bytes_o(out[67:64]),
        .out_last_o (out[68]),
        .out_size_o (out[81:69]),
        .dropped_o  (dropped),
        .empty_o    (empty)
    );
  end

endmodule
