// SPDX-License-Identifier: Apache-2.0
// udp_tb: all test objects of the folder in one binary; a test drives the signals of one scope.
module udp_tb (
    input logic clk_i,
    input logic rst_ni
);
  import polyloom_udp_pkg::*;

  if (1) begin : gen_rx
    logic [31:0] ip = '0;
    logic [2:0][15:0] ports = '0;
    logic in_valid = 1'b0, in_ready, out_valid, out_ready = 1'b0, arp_valid, arp_ready = 1'b0, dropped;
    logic [77:0] in = '0;  // size, last, data
    logic [176:0] out;  // bytes, from, one-hot port, last, data
    logic [79:0] arp;  // MAC, IP
    endpoint_t asker;
    assign arp = {asker.mac, asker.ip};
    polyloom_udp_rx #(
        .Ports(3)
    ) i_dut (
        .clk_i,
        .rst_ni,
        .ip_i       (ip),
        .ports_i    (ports),
        .in_valid_i (in_valid),
        .in_ready_o (in_ready),
        .in_data_i  (in[63:0]),
        .in_last_i  (in[64]),
        .in_size_i  (in[77:65]),
        .out_valid_o(out_valid),
        .out_ready_i(out_ready),
        .out_data_o (out[63:0]),
        .out_last_o (out[64]),
        .out_port_o (out[67:65]),
        .out_from_o (out[163:68]),
        .out_bytes_o(out[176:164]),
        .arp_valid_o(arp_valid),
        .arp_ready_i(arp_ready),
        .arp_from_o (asker),
        .dropped_o  (dropped)
    );
  end

  if (1) begin : gen_tx
    logic [31:0] ip = '0;
    logic in_valid = 1'b0, in_ready, out_valid, out_ready = 1'b0;
    logic [192:0] in = '0;  // bytes, port, to, last, data
    logic [ 64:0] out;  // last, data
    polyloom_udp_tx i_dut (
        .clk_i,
        .rst_ni,
        .ip_i       (ip),
        .in_valid_i (in_valid),
        .in_ready_o (in_ready),
        .in_data_i  (in[63:0]),
        .in_last_i  (in[64]),
        .in_to_i    (in[160:65]),
        .in_port_i  (in[176:161]),
        .in_bytes_i (in[192:177]),
        .out_valid_o(out_valid),
        .out_ready_i(out_ready),
        .out_data_o (out[63:0]),
        .out_last_o (out[64])
    );
  end

  if (1) begin : gen_arp
    logic [31:0] ip = '0;
    logic req_valid = 1'b0, req_ready, out_valid, out_ready = 1'b0;
    logic [95:0] req = '0;
    logic [64:0] out;  // last, data
    polyloom_udp_arp i_dut (
        .clk_i,
        .rst_ni,
        .ip_i       (ip),
        .req_valid_i(req_valid),
        .req_ready_o(req_ready),
        .req_from_i (req),
        .out_valid_o(out_valid),
        .out_ready_i(out_ready),
        .out_data_o (out[63:0]),
        .out_last_o (out[64])
    );
  end

endmodule
