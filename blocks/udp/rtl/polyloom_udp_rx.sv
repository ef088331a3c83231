// SPDX-License-Identifier: Apache-2.0
// polyloom_udp_rx: picks the UDP datagrams for this node out of whole frames, and the ARP requests for its address.
// How:          the first five words are looked at while they are thrown away; if all is right the rest follows, from word 5
//               on, whose first two bytes (the UDP checksum) mean nothing. Padding behind the datagram is cut off.
//                   frame: | 0 1 2 3 4 | 5 ... n | padding |  ->  out: | 5 ... n | with its sender
// Latency:      none for words from the fifth on.
// Throughput:   a word a cycle.
// Backpressure: in_ready_o is out_ready_i from word 5 on (combinational); an ARP request waits for arp_ready_i at word 5.
// Order/loss:   in order. Dropped and told by dropped_o: another address, type, protocol or port, fragments, IP options,
//               lengths that do not fit the frame.
// Reset:        the word counter.
// Limits:       frames have passed the check of their check sequence; the IP header's own and UDP's are not looked at.
// Cost:         not measured alone.   Source: RFC 791, 768, 826.   Tests: test_polyloom_udp_rx.py
module polyloom_udp_rx
  import polyloom_udp_pkg::*;
#(
    parameter int unsigned Ports = 2
) (
    input  logic                        clk_i,
    input  logic                        rst_ni,
    input  logic      [     31:0]       ip_i,         // of this node
    input  logic      [Ports-1:0][15:0] ports_i,      // that this node listens to
    // Whole frames
    input  logic                        in_valid_i,
    output logic                        in_ready_o,
    input  logic      [     63:0]       in_data_i,
    input  logic                        in_last_i,
    input  logic      [     12:0]       in_size_i,    // bytes of the frame
    // Datagrams, from word 5 of the frame on
    output logic                        out_valid_o,
    input  logic                        out_ready_i,
    output logic      [     63:0]       out_data_o,
    output logic                        out_last_o,
    output logic      [Ports-1:0]       out_port_o,   // for which port, one-hot
    output endpoint_t                   out_from_o,
    output logic      [     12:0]       out_bytes_o,  // of the datagram, without UDP's header
    // ARP requests for this node
    output logic                        arp_valid_o,
    input  logic                        arp_ready_i,
    output endpoint_t                   arp_from_o,   // no port
    // Counting
    output logic                        dropped_o
);

  logic [2:0] word_q;  // 0 to 5; then all the same
  logic good_q, arp_q;
  logic [12:0] left_q;  // bytes of words not yet seen
  logic [12:0] length_q;  // of UDP
  endpoint_t from_q;
  logic [Ports-1:0] port_q;
  logic ended_q;  // the datagram is over, padding follows
  logic [63:0] w;
  logic step;
  assign w = swap(in_data_i);  // bytes of the frame from the left

  logic right;  // this word, for a datagram or an ARP request
  logic to_me, to_all, ip_ok, arp_ok;
  logic [Ports-1:0] port_hit;
  assign to_me  = w[63:16] == mac_of(ip_i);
  assign to_all = w[63:16] == BROADCAST;
  always_comb begin
    for (int unsigned p = 0; p < Ports; p++) port_hit[p] = w[31:16] == ports_i[p];
    ip_ok  = w[31:16] == TYPE_IP && w[15:8] == 8'h45;
    arp_ok = w[31:0] == {TYPE_ARP, 16'd1};
    unique case (word_q)
      3'd0: right = to_me || to_all;
      3'd1: right = (ip_ok && !arp_q) || arp_ok;
      // Length of IP's packet within the frame; no fragment; UDP. ARP: for IP, a request.
      3'd2:
      right = arp_q ? w[63:16] == {TYPE_IP, 8'd6, 8'd4, 16'd1} :
          w[63:48] >= 16'd28 && {1'b0, w[63:48]} + 17'd14 <= 17'(in_size_i) &&
          !w[29] && w[28:16] == '0 && w[7:0] == 8'd17;
      3'd3: right = arp_q || w[15:0] == ip_i[31:16];
      3'd4:
      right = arp_q ? w[15:0] == ip_i[31:16] : w[63:48] == ip_i[15:0] && port_hit != '0 && w[15:0] >= 16'd8 &&
          w[15:0] <= 16'(length_q);
      default: right = !arp_q || w[63:48] == ip_i[15:0];
    endcase
  end

  logic emit, arp_now, fifth;
  assign fifth = word_q == 3'd5;
  assign emit = fifth && good_q && !arp_q && !ended_q;
  assign arp_now = fifth && good_q && arp_q && right && !ended_q;
  assign out_valid_o = in_valid_i && emit;
  assign out_data_o = in_data_i;
  assign out_last_o = left_q <= 13'd8;
  assign out_port_o = port_q;
  assign out_from_o = from_q;
  assign out_bytes_o = length_q;
  assign arp_valid_o = in_valid_i && arp_now;
  assign arp_from_o = from_q;
  assign in_ready_o = emit ? out_ready_i : arp_now ? arp_ready_i : 1'b1;
  assign step = in_valid_i && in_ready_o;
  // Once a frame: at its last word, if it was not right or is too short to have a fifth word.
  assign dropped_o = step && in_last_i && !(good_q && fifth && (!arp_q || arp_now || ended_q));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      word_q  <= '0;
      good_q  <= 1'b1;
      ended_q <= 1'b0;
    end else if (step) begin
      word_q  <= in_last_i ? '0 : fifth ? 3'd5 : word_q + 1'b1;
      ended_q <= !in_last_i && (ended_q || (emit && out_last_o) || arp_now);
      good_q  <= in_last_i || (good_q && (right || (fifth && (!arp_q || ended_q))));
    end
  end

  always_ff @(posedge clk_i) begin
    if (step) begin
      unique case (word_q)
        3'd0: begin
          arp_q <= to_all;
          from_q.mac[47:32] <= w[15:0];
        end
        3'd1: begin
          arp_q <= arp_ok;
          from_q.mac[31:0] <= w[63:32];
        end
        3'd2: begin
          length_q <= w[60:48] - 13'd20;  // at most what UDP's length may be
          if (arp_q) from_q.mac[47:32] <= w[15:0];
        end
        3'd3: begin
          from_q.ip <= arp_q ? w[31:0] : w[47:16];
          if (arp_q) from_q.mac[31:0] <= w[63:32];
        end
        3'd4: begin
          from_q.port <= w[47:32];
          port_q <= port_hit;
          length_q <= w[12:0] - 13'd8;
          left_q <= w[12:0] - 13'd6;  // and two bytes of the checksum
        end
        default: left_q <= left_q - 13'd8;
      endcase
    end
  end
endmodule
