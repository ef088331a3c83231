// SPDX-License-Identifier: Apache-2.0
// polyloom_mpe_parse: takes datagrams apart: header in LUT RAM, payload in a small FIFO; drops MPI packets that break the rules.
// How:          words 5 to 8 of the frame are an MPI packet's header, 5 and 6 management's; it is shown when it is known to be
//               well formed and for this rank. The FIFO takes payload while the program decides, so a link's rate is kept.
//                   datagram -> [ header ] -> sequencer
//                          '--> [ FIFO of 32 words ] -> payload writer, sequencer
// Latency:      header 1 cycle after its last word.
// Throughput:   a word a cycle while the program decides within 32 cycles.
// Backpressure: in_ready_o is low when the FIFO is full, or while a header waits and the next datagram begins.
// Order/loss:   in order; dropped_o tells of each packet dropped here.
// Reset:        no header, FIFO empty.
// Limits:       from_i stands with the datagram's words.
// Cost:         not measured alone.   Source: PROTOCOL.md "Packet", "Filter".   Tests: test_polyloom_mpe_parse.py, interop_test.cc
module polyloom_mpe_parse
  import polyloom_mpe_pkg::*;
  import polyloom_udp_pkg::endpoint_t;
(
    input  logic             clk_i,
    input  logic             rst_ni,
    input  cfg_t             cfg_i,
    // Datagrams, from word 5 of the frame on
    input  logic             in_valid_i,
    output logic             in_ready_o,
    input  logic      [63:0] in_data_i,
    input  logic             in_last_i,
    input  logic             in_manage_i,    // for management's port
    input  logic      [12:0] in_bytes_i,     // of the datagram
    input  endpoint_t        in_from_i,
    // Header, until taken
    output logic             head_valid_o,
    output logic             head_manage_o,
    input  logic             head_ready_i,
    input  logic      [ 1:0] head_word_i,
    output logic      [63:0] head_o,         // that word of it
    output endpoint_t        head_from_o,
    output logic      [12:0] head_bytes_o,   // of the datagram, without the header of an MPI packet
    output logic             head_more_o,    // payload follows
    // Payload
    output logic             out_valid_o,
    input  logic             out_ready_i,
    output logic      [63:0] out_data_o,
    output logic             out_last_o,
    // Counting
    output logic             dropped_o
);

  logic [2:0] word_q;  // 0 to 3: header; 4: payload
  logic pending_q;  // a header waits
  logic good_q, drop_now, keep, right, end_of_head;
  logic [63:0] head_q [4];
  logic [ 7:0] kind_q;
  logic [12:0] bytes;
  logic [31:0] length, offset;
  logic step, payload, fifo_ready;

  assign bytes = in_bytes_i - (in_manage_i ? 13'd0 : 13'd30);
  assign payload = word_q == 3'd4;
  assign end_of_head = word_q == (in_manage_i ? 3'd1 : 3'd3);
  // The header's words are written from word 5 on.
  assign in_ready_o = payload ? fifo_ready || !good_q : !pending_q;
  assign step = in_valid_i && in_ready_o;
  assign {offset, length} = in_data_i;

  always_comb begin
    unique case (word_q)
      3'd0:
      right = cfg_i.job != '0 && in_data_i[47:16] == cfg_i.job && in_data_i[55:48] >= EAGER &&
          in_data_i[55:48] <= ACK && in_bytes_i >= 13'd30;
      3'd1: right = in_data_i[15:0] <= cfg_i.size && in_data_i[31:16] == cfg_i.rank;
      3'd3:
      unique case (kind_q)
        EAGER: right = length == 32'(bytes) && bytes <= 13'(cfg_i.eager) && offset == '0 && bytes <= 13'(MAX_PAYLOAD);
        DATA:
        right = bytes != '0 && bytes <= 13'(MAX_PAYLOAD) && offset[2:0] == '0 && offset < length &&
            32'(bytes) <= length - offset;
        default: right = bytes == '0;
      endcase
      default: right = 1'b1;
    endcase
    if (in_manage_i) right = 1'b1;
  end
  assign keep = good_q && right;
  // A datagram may end inside the header.
  assign drop_now = step && !payload && in_last_i && !(end_of_head && keep);
  assign dropped_o = drop_now || (step && payload && in_last_i && !good_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      word_q <= '0;
      good_q <= 1'b1;
      pending_q <= 1'b0;
    end else begin
      if (head_ready_i) pending_q <= 1'b0;
      if (step) begin
        word_q <= in_last_i ? '0 : payload || end_of_head ? 3'd4 : word_q + 1'b1;
        good_q <= in_last_i || keep;
        if (end_of_head && keep) pending_q <= 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (step && !payload) begin
      head_q[word_q[1:0]] <= in_data_i;
      head_manage_o <= in_manage_i;
      head_bytes_o <= bytes;
      head_from_o <= in_from_i;
      head_more_o <= !in_last_i;
      if (word_q == '0) kind_q <= in_data_i[55:48];
    end
  end
  assign head_valid_o = pending_q;
  assign head_o = head_q[head_word_i];

  logic [64:0] out;
  polyloom_stream_lut_fifo #(
      .Width(65),
      .Depth(32)
  ) i_payload (
      .clk_i,
      .rst_ni,
      .flush_i    (1'b0),
      .in_valid_i (in_valid_i && payload && good_q),
      .in_ready_o (fifo_ready),
      .in_i       ({in_last_i, in_data_i}),
      .out_valid_o(out_valid_o),
      .out_ready_i(out_ready_i),
      .out_o      (out)
  );
  assign {out_last_o, out_data_o} = out;
endmodule
