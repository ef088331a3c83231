// SPDX-License-Identifier: Apache-2.0
// polyloom_udp_arp: responds to ARP requests for this node's address.
// How:          one request is kept; its response is a frame of eight words (60 bytes and padding).
// Latency:      1 cycle from a request to the first word.
// Throughput:   a request every nine cycles.
// Backpressure: req_ready_o is low while a response waits or is sent; registers only.
// Order/loss:   in order, nothing lost.   Reset: no response waits.   Limits: none.
// Cost:         not measured alone.   Source: RFC 826.   Tests: test_polyloom_udp_arp.py
module polyloom_udp_arp
  import polyloom_udp_pkg::*;
(
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic      [31:0] ip_i,         // of this node
    // Requests
    input  logic             req_valid_i,
    output logic             req_ready_o,
    input  endpoint_t        req_from_i,
    // Frames of whole words
    output logic             out_valid_o,
    input  logic             out_ready_i,
    output logic      [63:0] out_data_o,
    output logic             out_last_o
);

  logic busy_q;
  logic [2:0] word_q;
  endpoint_t to_q;
  logic [63:0] w;
  always_comb begin
    unique case (word_q)
      3'd0: w = {to_q.mac, 16'(mac_of(ip_i) >> 32)};
      3'd1: w = {32'(mac_of(ip_i)), TYPE_ARP, 16'd1};
      3'd2: w = {TYPE_IP, 8'd6, 8'd4, 16'd2, 16'(mac_of(ip_i) >> 32)};
      3'd3: w = {32'(mac_of(ip_i)), ip_i};
      3'd4: w = {to_q.mac, to_q.ip[31:16]};
      3'd5: w = {to_q.ip[15:0], 48'd0};
      default: w = '0;
    endcase
  end
  assign req_ready_o = !busy_q;
  assign out_valid_o = busy_q;
  assign out_data_o  = swap(w);
  assign out_last_o  = word_q == 3'd7;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
      word_q <= '0;
    end else if (!busy_q) busy_q <= req_valid_i;
    else if (out_ready_i) begin
      word_q <= word_q + 1'b1;
      busy_q <= word_q != 3'd7;
    end
  end

  always_ff @(posedge clk_i) if (!busy_q) to_q <= req_from_i;

  logic unused;
  assign unused = ^to_q.port;
endmodule
