// SPDX-License-Identifier: Apache-2.0
// ethernet_tb: all test objects of the folder in one binary; a test drives the signals of one scope.
// verilog_format: off
module ethernet_tb (
    input logic clk_i,
    input logic rst_ni
);

  for (genvar i = 0; i < 2; i++) begin : gen_fcs_tx
    localparam int unsigned GapWords = i == 0 ? 2 : 5;
    logic [64:0] in = '0;  // last, data
    logic [72:0] tx;  // last, keep, data
    polyloom_ethernet_fcs_tx #(.GapWords(GapWords)) i_dut (.in_data_i(in[63:0]), .in_last_i(in[64]),
        .tx_data_o(tx[63:0]), .tx_keep_o(tx[71:64]), .tx_last_o(tx[72]), .*);
  end

  if (1) begin : gen_fcs_rx
    logic out_ready = 1'b0;
    logic [72:0] rx = '0;  // last, keep, data
    logic [73:0] out;  // bad, last, keep, data
    logic rx_ready;
    assign rx_ready = 1'b1;  // wires do not wait
    polyloom_ethernet_fcs_rx i_dut (.rx_data_i(rx[63:0]), .rx_keep_i(rx[71:64]), .rx_last_i(rx[72]),
        .out_data_o(out[63:0]), .out_keep_o(out[71:64]), .out_last_o(out[72]), .out_bad_o(out[73]), .*);
  end

  for (genvar i = 0; i < 5; i++) begin : gen_store
    localparam int unsigned Words = i == 0 ? 4 : i == 1 ? 23 : i == 2 ? 512 : i == 3 ? 5 : 64;
    localparam bit Waits = i >= 3;
    logic in_ready;
    logic [69:0] in = '0;  // bad, last, bytes, data
    logic [81:0] out;  // size, last, bytes, data
    assign in_ready = Waits ? room : 1'b1;
    polyloom_ethernet_store #(.Words(Words), .Waits(Waits)) i_dut (.in_ready_o(room), .in_data_i(in[63:0]),
        .in_bytes_i(in[67:64]), .in_last_i(in[68]), .in_bad_i(in[69]), .out_data_o(out[63:0]), .out_bytes_o(out[67:64]),
        .out_last_o(out[68]), .out_size_o(out[81:69]), .*);
  end

endmodule
