// SPDX-License-Identifier: Apache-2.0
// polyloom_op_let_lane: what the LET operator has for each output: target, geometry, resolve, packer, buffer.
// How:          position, q --> geometry --far--> resolve --> pack --> [16 beats] --> out
//                                                   ^-- the node as it leaves the pipe
// Latency:      Latency + 3 enabled cycles from a node to its beat at the output, if it ends the stream.
// Throughput:   one node an enabled cycle.
// Backpressure: room_o falls when the output's buffer is nearly full; the operator stops all lanes one cycle later.
// Order/loss:   kept; flush_i drops all.
// Reset:        empty.
// Limits:       those of its parts.
// Cost:         7,799 LUT, 4,858 FF, 4 BRAM36, 18 DSP (UltraScale+, Yosys 0.70, 2026-11).
// Source: own design.   Tests: test_polyloom_op_let_lane.py
module polyloom_op_let_lane
  import polyloom_stream_pkg::beat_t;
  import polyloom_operator_pkg::*;
#(
    parameter int unsigned Latency   = LET_GEOMETRY,
    parameter int unsigned OpenDepth = 4096
) (
    input  logic                                 clk_i,
    input  logic                                 rst_ni,
    input  logic                                 flush_i,
    input  logic                                 start_i,      // a step begins: as flush_i, but for the output's buffer
    input  logic                                 en_i,
    input  logic                                 on_i,         // this output is used
    input  logic                                 padded_i,
    // From the unpacker
    input  logic                                 target_we_i,
    input  let_target_t                          target_i,
    input  logic        [        2:0][2:0][31:0] position_i,   // [k]: of the node that came k cycles ago
    input  logic        [       31:0]            q_i,
    // From the exit of the pipe
    input  logic                                 record_i,
    input  logic                                 last_i,
    input  let_node_t                            node_i,
    input  logic        [   LET_ID:0]            id_i,
    input  logic        [LET_COUNT:0]            kids_i,
    input  logic                                 opens_i,
    // To the operator
    output logic                                 kept_o,       // a record goes to the packer
    output logic                                 depth_o,
    output logic                                 room_o,
    output logic                                 busy_o,
    // Stream
    output logic                                 out_valid_o,  // depends on registers only
    input  logic                                 out_ready_i,
    output beat_t                                out_o
);

  localparam int unsigned OutDepth = 16;
  typedef logic [$clog2(OutDepth+1)-1:0] count_t;

  let_target_t target_q;
  always_ff @(posedge clk_i) if (target_we_i) target_q <= target_i;

  logic far;
  polyloom_op_let_geometry #(
      .Latency(Latency)
  ) i_geometry (
      .clk_i,
      .rst_ni,
      .en_i,
      .target_i(target_q),
      .position_i,
      .q_i,
      .far_o   (far)
  );

  logic record, last;
  let_node_t node;
  polyloom_op_let_resolve #(
      .OpenDepth(OpenDepth)
  ) i_resolve (
      .clk_i,
      .rst_ni,
      .flush_i (flush_i | start_i),
      .en_i,
      .on_i,
      .record_i,
      .last_i,
      .node_i,
      .id_i,
      .kids_i,
      .opens_i,
      .far_i   (far),
      .record_o(record),
      .last_o  (last),
      .node_o  (node),
      .depth_o
  );

  logic push, packing;
  beat_t beat;
  polyloom_op_let_pack i_pack (
      .clk_i,
      .rst_ni,
      .flush_i (flush_i | start_i),
      .en_i,
      .padded_i,
      .record_i(record),
      .last_i  (last),
      .node_i  (node),
      .valid_o (push),
      .beat_o  (beat),
      .busy_o  (packing)
  );

  logic unused_ready;  // en_i says that there is room
  polyloom_stream_lut_fifo #(
      .T    (beat_t),
      .Depth(OutDepth)
  ) i_fifo (
      .clk_i,
      .rst_ni,
      .flush_i,
      .in_valid_i(push),
      .in_ready_o(unused_ready),
      .in_i      (beat),
      .out_valid_o,
      .out_ready_i,
      .out_o
  );

  // The FIFO's count, so that room_o tells of the beat that may still come in the cycle in which it falls.
  count_t held_q;
  wire pop = out_valid_o & out_ready_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) held_q <= '0;
    else if (flush_i) held_q <= '0;
    else held_q <= held_q + count_t'(push) - count_t'(pop);
  end
  assign room_o = held_q <= count_t'(OutDepth - 2);
  assign kept_o = record & en_i;
  assign busy_o = packing | record | last;

endmodule
