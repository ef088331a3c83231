// SPDX-License-Identifier: Apache-2.0
// polyloom_op_let: prunes the tree that comes by input 0 to each output's locally essential tree, in one pass.
// How:          the geometry of a node depends on no other node, so every node goes through it at once, and whether it
//               stays is decided in order where it leaves the pipe. One unpacker feeds the lanes, one for each output:
//                 in[0] --[2]--> unpack --+--> lane 0: geometry --> resolve --> pack --[16]--> out[0]
//                                         |--> lane K-1 ...          ^
//                                         '--> delay ----------------'  the node, its number, its children
//               The pipe moves by one enable. With LET_PARENT_FIRST a node enters only when its parent has left,
//               as in the paper, whose mask of records is written there.
// Latency:      GeometryLatency + 5 cycles from the beat that completes the only record to the beat with it.
// Throughput:   one record a cycle: n + GeometryLatency + 4 or 5 cycles and one for each target. Fed with 16 bytes a cycle:
//               1.5 n packed, 2 n padded. With LET_PARENT_FIRST also what nodes wait for parents. Paper's case
//               (2,048 bodies, 2,200 nodes, padded, 136 stages): 4,795 cycles; the paper's figure is 4,710.
// Backpressure: an output whose buffer has less than two places stops all; both sides are registered.
// Order/loss:   kept; a LET is in breadth-first order as its tree. flush_i drops all.
// Reset:        empty, without configuration.
// Limits:       1 <= Inputs, Outputs <= 64; GeometryLatency 0 (24) or from 24 on; OpenDepth >= 4. Records: less than
//               2^26, breadth-first, else error bit ERR_TREE; more opened nodes than OpenDepth: ERR_DEPTH.
// Cost:         8,939 LUT, 6,080 FF, 4 BRAM36, 18 DSP; 7 outputs 56,296, 35,456, 28, 126 (UltraScale+). 16,014 LUT4, 6,402
//               FF, 8 EBR, 24 MULT18, 80 MHz (ECP5 speed 6). `polyloom synth let`, Yosys 0.70, nextpnr 0.11, 2026-11.
// Source: PEACH2 sections 3.2, 4.2; mask resolved behind the pipe, FIFO of ranges, lanes: own design.
// Tests: test_polyloom_op_let.py
module polyloom_op_let
  import polyloom_stream_pkg::beat_t;
  import polyloom_operator_pkg::*;
#(
    parameter int unsigned Inputs = 1,
    parameter int unsigned Outputs = 1,
    parameter int unsigned GeometryLatency = 0,  // cycles of the pipe; 0: what the arithmetic takes
    parameter int unsigned OpenDepth = 4096,  // opened nodes whose children an output waits for
    parameter int unsigned StatusWords = 2 + Outputs  // [0] errors, [1] records that came, [2 + o] that left by output o
) (
    input  logic                                clk_i,
    input  logic                                rst_ni,
    // From the sequencer: the configuration is sampled in the clock of step_i
    input  logic                                flush_i,      // drops everything in flight, configuration and status
    input  logic                                step_i,       // a new step begins
    input  logic  [    Outputs-1:0]             cfg_valid_i,  // this step uses output o
    input  logic  [    Outputs-1:0][      63:0] cfg_word_i,   // how: the same on all used outputs
    input  logic  [    Outputs-1:0][Inputs-1:0] cfg_mask_i,   // input 0
    // Streams
    input  logic  [     Inputs-1:0]             in_valid_i,
    output logic  [     Inputs-1:0]             in_ready_o,   // depends on registers only
    input  beat_t [     Inputs-1:0]             in_i,
    output logic  [    Outputs-1:0]             out_valid_o,  // depends on registers only
    input  logic  [    Outputs-1:0]             out_ready_i,
    output beat_t [    Outputs-1:0]             out_o,
    // To the sequencer
    output logic                                idle_o,       // nothing in flight
    output logic  [StatusWords-1:0][      63:0] status_o
);

  localparam int unsigned Pipe = (GeometryLatency == 0) ? LET_GEOMETRY : GeometryLatency;

  // The configuration, checked once a step.
  logic [63:0] word_d;
  logic good_d;
  logic [LET_WORD_BITS-1:0] word_q;
  always_comb begin
    word_d = '0;
    for (int unsigned o = 0; o < Outputs; o++) word_d |= cfg_valid_i[o] ? cfg_word_i[o] : '0;
    good_d = ~|word_d[63:LET_WORD_BITS];
    for (int unsigned o = 0; o < Outputs; o++) begin
      if (cfg_valid_i[o] && (cfg_word_i[o] != word_d || cfg_mask_i[o] != Inputs'(1))) good_d = 1'b0;
    end
  end

  // Inputs. Beats at others than 0 are an error and stay where they are.
  logic [Inputs-1:0] in_valid;
  beat_t [Inputs-1:0] in;
  logic accept;
  for (genvar i = 0; i < int'(Inputs); i++) begin : gen_in
    polyloom_stream_lut_fifo #(
        .T    (beat_t),
        .Depth(2)
    ) i_fifo (
        .clk_i,
        .rst_ni,
        .flush_i,
        .in_valid_i (in_valid_i[i]),
        .in_ready_o (in_ready_o[i]),
        .in_i       (in_i[i]),
        .out_valid_o(in_valid[i]),
        .out_ready_i(i == 0 & accept),
        .out_o      (in[i])
    );
  end
  wire  unused_in = ^in;

  logic en_q;
  logic [Outputs-1:0] on, target_we, room, lane_busy, kept, depth;
  logic record, last, cut, open;
  let_node_t node, exit_next, exit_node;
  logic [LET_ID:0] id_q, known_q;
  logic [$clog2(Pipe+1)-1:0] flight_q;
  polyloom_op_let_unpack #(
      .Outputs(Outputs)
  ) i_unpack (
      .clk_i,
      .rst_ni,
      .flush_i,
      .start_i       (step_i),
      .used_i        (good_d ? cfg_valid_i : '0),
      .en_i          (en_q),
      .padded_i      (word_q[LET_PADDED]),
      .parent_first_i(word_q[LET_PARENT_FIRST]),
      .valid_i       (in_valid[0]),
      .accept_o      (accept),
      .beat_i        (in[0]),
      .empty_i       (flight_q == '0),
      .known_i       (known_q),
      .on_o          (on),
      .target_we_o   (target_we),
      .record_o      (record),
      .last_o        (last),
      .node_o        (node),
      .cut_o         (cut),
      .open_o        (open)
  );

  // The pipe: beside the lanes' geometry, what all share.
  logic [1:0][2:0][31:0] position_q;
  logic [Pipe-1:0] record_q, last_q;
  wire exit_record = record_q[Pipe-1];
  wire exit_last = last_q[Pipe-1];
  always_ff @(posedge clk_i) begin
    if (en_q) position_q <= {position_q[0], node.position};
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      record_q <= '0;
      last_q   <= '0;
      flight_q <= '0;
    end else if (flush_i || step_i) begin
      record_q <= '0;
      last_q   <= '0;
      flight_q <= '0;
    end else if (en_q) begin
      record_q <= {record_q[Pipe-2:0], record};
      last_q   <= {last_q[Pipe-2:0], last};
      flight_q <= flight_q + ($bits(flight_q))'(record | last) - ($bits(flight_q))'(exit_record | exit_last);
    end
  end
  polyloom_op_let_delay #(
      .Latency(Pipe)
  ) i_delay (
      .clk_i,
      .rst_ni,
      .en_i  (en_q),
      .node_i(node),
      .next_o(exit_next),
      .node_o(exit_node)
  );

  // The exit. Children are counted one cycle before; a body, or what is as one, has none: q < 0.
  logic [LET_COUNT:0] kids_d, kids_q;
  logic opens_q;  // has children
  wire  unused_next = ^exit_next;
  wire  body = exit_next.q[31] & (|exit_next.q[30:0]) & ~((&exit_next.q[30:23]) & (|exit_next.q[22:0]));
  always_comb begin
    kids_d = '0;
    if (record_q[Pipe-2] && !body) begin
      kids_d = {1'b0, exit_next.count} + (LET_COUNT + 1)'(!word_q[LET_BIAS_ZERO]);
    end
  end

  // Numbers, and whether the tree is breadth-first. ahead: known - id, records still to come that have a parent.
  logic signed [LET_ID+1:0] ahead_q;
  wire [LET_COUNT:0] past_end = {1'b0, exit_node.first[LET_COUNT-1:0]} + kids_q;
  wire beyond = (&exit_node.first[LET_ID-1:LET_COUNT]) & past_end[LET_COUNT] & (|past_end[LET_COUNT-1:0]);
  logic bad_tree;
  always_comb begin
    bad_tree = exit_record & (ahead_q <= 0);
    if (opens_q && ({1'b0, exit_node.first} != known_q || beyond)) bad_tree = 1'b1;
    if (exit_last) begin
      if (exit_record) bad_tree |= opens_q | (ahead_q != 1);
      else bad_tree |= (|id_q) & (|ahead_q);
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      kids_q  <= '0;
      opens_q <= 1'b0;
    end else if (flush_i || step_i) begin
      kids_q  <= '0;
      opens_q <= 1'b0;
    end else if (en_q) begin
      kids_q  <= kids_d;
      opens_q <= |kids_d;
    end
  end
  wire restart = flush_i | step_i | (en_q & exit_last);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      id_q    <= '0;
      known_q <= (LET_ID + 1)'(1);
      ahead_q <= (LET_ID + 2)'(1);
    end else if (restart) begin
      id_q    <= '0;
      known_q <= (LET_ID + 1)'(1);
      ahead_q <= (LET_ID + 2)'(1);
    end else if (en_q) begin
      id_q    <= id_q + (LET_ID + 1)'(exit_record);
      known_q <= known_q + (LET_ID + 1)'(kids_q);
      ahead_q <= ahead_q + (LET_ID + 2)'(kids_q) - (LET_ID + 2)'(exit_record);
    end
  end

  for (genvar o = 0; o < int'(Outputs); o++) begin : gen_lane
    polyloom_op_let_lane #(
        .Latency  (Pipe),
        .OpenDepth(OpenDepth)
    ) i_lane (
        .clk_i,
        .rst_ni,
        .flush_i,
        .start_i    (step_i),
        .en_i       (en_q),
        .on_i       (on[o]),
        .padded_i   (word_q[LET_PADDED]),
        .target_we_i(target_we[o]),
        .target_i   (let_target_t'(in[0].data)),
        .position_i ({position_q, node.position}),
        .q_i        (node.q),
        .record_i   (exit_record),
        .last_i     (exit_last),
        .node_i     (exit_node),
        .id_i       (id_q),
        .kids_i     (kids_q),
        .opens_i    (opens_q),
        .kept_o     (kept[o]),
        .depth_o    (depth[o]),
        .room_o     (room[o]),
        .busy_o     (lane_busy[o]),
        .out_valid_o(out_valid_o[o]),
        .out_ready_i(out_ready_i[o]),
        .out_o      (out_o[o])
    );
  end

  logic [ERRORS-1:0] errors_q;
  logic [31:0] records_q;
  logic [Outputs-1:0][31:0] kept_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      en_q      <= 1'b1;
      word_q    <= '0;
      errors_q  <= '0;
      records_q <= '0;
      kept_q    <= '0;
    end else if (flush_i || step_i) begin
      en_q      <= 1'b1;
      word_q    <= flush_i ? '0 : word_d[LET_WORD_BITS-1:0];
      errors_q  <= flush_i ? '0 : ERRORS'(!good_d) << ERR_CONFIG;
      records_q <= '0;
      kept_q    <= '0;
    end else begin
      en_q <= &room;
      if (|(in_valid & ~Inputs'(|on))) errors_q[ERR_STRAY] <= 1'b1;
      if (cut || (en_q && bad_tree)) errors_q[ERR_TREE] <= 1'b1;
      if (|depth) errors_q[ERR_DEPTH] <= 1'b1;
      records_q <= records_q + 32'(exit_record & en_q);
      for (int unsigned o = 0; o < Outputs; o++) kept_q[o] <= kept_q[o] + 32'(kept[o]);
    end
  end

  assign idle_o = ~|in_valid & ~|out_valid_o & ~open & flight_q == '0 & ~|lane_busy;
  always_comb begin
    status_o = '0;
    status_o[0] = 64'(errors_q);
    for (int unsigned w = 1; w < StatusWords; w++) begin
      if (w == 1) status_o[w] = 64'(records_q);
      else if (w < 2 + Outputs) status_o[w] = 64'(kept_q[w-2]);
    end
  end

  if (Inputs < 1 || Inputs > 64 || StatusWords < 1) begin : gen_bad_shape
    $error("%m: Inputs must be 1 to 64, StatusWords at least 1");
  end

endmodule
