// SPDX-License-Identifier: Apache-2.0
// polyloom_udp_tx: puts Ethernet, IPv4 and UDP headers before a datagram.
// How:          the datagram comes as words 5, 6 ... of its frame, with room for the UDP checksum (sent as 0) in the first two
//               bytes; while it waits words 0 to 4 are sent. The IP header's checksum is summed up meanwhile.
// Latency:      5 cycles from the first word to itself.
// Throughput:   a word a cycle; 5 more a frame.
// Backpressure: in_ready_o is out_ready_i from word 5 on (combinational).
// Order/loss:   in order, nothing lost.
// Reset:        the word counter.
// Limits:       to_i, bytes_i, port_i stand while the first word of a datagram is offered; bytes_i at most 1472 (asserted).
//               Short frames are the caller's to pad.
// Cost:         not measured alone.   Source: RFC 791, 768.   Tests: test_polyloom_udp_tx.py
module polyloom_udp_tx
  import polyloom_udp_pkg::*;
(
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic      [31:0] ip_i,         // of this node
    // Datagrams
    input  logic             in_valid_i,
    output logic             in_ready_o,
    input  logic      [63:0] in_data_i,
    input  logic             in_last_i,
    input  endpoint_t        in_to_i,
    input  logic      [15:0] in_port_i,    // of this node
    input  logic      [15:0] in_bytes_i,   // of the datagram, without UDP's header
    // Frames of whole words
    output logic             out_valid_o,
    input  logic             out_ready_i,
    output logic      [63:0] out_data_o,
    output logic             out_last_o
);

  logic [ 2:0] word_q;  // 0 to 5: 5 and all later ones; 6 means in the middle
  logic [18:0] sum_q;
  logic [16:0] folded;
  logic [15:0] check, total;
  logic step, middle;
  logic [63:0] w;  // bytes from the left
  assign total  = in_bytes_i + 16'd28;
  assign folded = 17'(sum_q[15:0]) + 17'(sum_q[18:16]);
  assign check  = ~(folded[15:0] + 16'(folded[16]));
  assign middle = word_q == 3'd6;

  always_comb begin
    unique case (word_q)
      3'd0: w = {in_to_i.mac, 16'(mac_of(ip_i) >> 32)};
      3'd1: w = {32'(mac_of(ip_i)), TYPE_IP, 16'h4500};
      3'd2: w = {total, 16'h0000, 16'h4000, 16'h4011};  // no identification, do not fragment, 64 hops, UDP
      3'd3: w = {check, ip_i, in_to_i.ip[31:16]};
      3'd4: w = {in_to_i.ip[15:0], in_port_i, in_to_i.port, in_bytes_i + 16'd8};
      default: w = '0;
    endcase
    out_data_o = word_q < 3'd5 ? swap(w) : in_data_i;
    if (word_q == 3'd5) out_data_o[15:0] = '0;
  end
  assign out_valid_o = in_valid_i;
  assign out_last_o = in_last_i && word_q >= 3'd5;
  assign in_ready_o = out_ready_i && word_q >= 3'd5;
  assign step = in_valid_i && out_ready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) word_q <= '0;
    else if (step) begin
      word_q <= out_last_o ? '0 : middle ? 3'd6 : word_q + 1'b1;
      assert (word_q != 3'd0 || in_bytes_i <= 16'd1472);
    end
  end

  always_ff @(posedge clk_i) begin
    if (step) begin
      if (word_q == 3'd0) sum_q <= 19'h0c511 + 19'(total) + 19'(ip_i[31:16]) + 19'(ip_i[15:0]);
      if (word_q == 3'd1) sum_q <= sum_q + 19'(in_to_i.ip[31:16]) + 19'(in_to_i.ip[15:0]);
    end
  end
endmodule
