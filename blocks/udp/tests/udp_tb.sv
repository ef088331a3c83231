// SPDX-License-Identifier: Apache-2.0
// udp_tb: all test objects of the folder in one binary; a test drives the signals of one scope.
// verilog_format: off
module udp_tb (
    input logic clk_i,
    input logic rst_ni
);
  import polyloom_udp_pkg::*;

  if (1) begin : gen_rx
    logic [77:0] in = '0;  // size, last, data
    logic [176:0] out;  // bytes, from, one-hot port, last, data
    logic [79:0] arp;  // MAC, IP
    endpoint_t requester;
    assign arp = {requester.mac, requester.ip};
    polyloom_udp_rx #(.Ports(3)) i_dut (.in_data_i(in[63:0]), .in_last_i(in[64]), .in_size_i(in[77:65]),
        .out_data_o(out[63:0]), .out_last_o(out[64]), .out_port_o(out[67:65]), .out_from_o(out[163:68]),
        .out_bytes_o(out[176:164]), .arp_from_o(requester), .*);
  end

  if (1) begin : gen_tx
    logic [192:0] in = '0;  // bytes, port, to, last, data
    logic [ 64:0] out;  // last, data
    polyloom_udp_tx i_dut (.in_data_i(in[63:0]), .in_last_i(in[64]), .in_to_i(in[160:65]), .in_port_i(in[176:161]),
        .in_bytes_i(in[192:177]), .out_data_o(out[63:0]), .out_last_o(out[64]), .*);
  end

  if (1) begin : gen_arp
    logic [64:0] out;  // last, data
    polyloom_udp_arp i_dut (.req_from_i(req), .out_data_o(out[63:0]), .out_last_o(out[64]), .*);
  end

endmodule
