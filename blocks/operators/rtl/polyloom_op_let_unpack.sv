// SPDX-License-Identifier: Apache-2.0
// polyloom_op_let_unpack: takes a stream of beats apart into targets and tree records, one record a cycle.
// How:          first a beat for each used output, which is stored as its target; then records of three 64-bit pairs out
//               of beats of four (packed), or of the first three pairs of each beat (padded). Six pairs are held; the
//               oldest record is always pairs 2 to 0:
//                 beat --> [5 4 3 2 1 0] --> node_o     a beat is taken if at most two pairs stay behind a record
//               The end of the stream goes with the last record, or alone if there is none.
// Latency:      1 cycle from a beat to its record.
// Throughput:   one record a cycle; three beats in four cycles (packed), one a cycle (padded).
// Backpressure: all stands while en_i is low. A record waits for its parent if parent_first_i, targets for an empty pipe.
// Order/loss:   kept. What is no whole record at the end of a stream is dropped and tells so by cut_o.
// Reset:        no outputs in use: takes nothing. flush_i and start_i drop all; start_i tells which are used.
// Limits:       1 <= Outputs <= 64. keep: a run of ones from bit 0, in steps of 8 bytes (else cut_o).
// Cost:         487 LUT, 418 FF (UltraScale+, Yosys 0.70, 2026-11).
// Source: own design, after PEACH2 section 4.2.   Tests: test_polyloom_op_let_unpack.py, let_rtl_test.cc, let_test.cc (model).
module polyloom_op_let_unpack
  import polyloom_stream_pkg::*;
  import polyloom_operator_pkg::*;
#(
    parameter int unsigned Outputs = 1
) (
    input  logic                    clk_i,
    input  logic                    rst_ni,
    input  logic                    flush_i,
    input  logic                    start_i,         // a step begins
    input  logic      [Outputs-1:0] used_i,          // with start_i: outputs that the step uses
    input  logic                    en_i,            // the pipe moves
    input  logic                    padded_i,
    input  logic                    parent_first_i,
    // From the input's buffer
    input  logic                    valid_i,
    output logic                    accept_o,
    input  beat_t                   beat_i,
    // From the exit of the pipe
    input  logic                    empty_i,         // nothing is in the pipe
    input  logic      [   LET_ID:0] known_i,         // records below have a parent that has left the pipe
    // To the lanes
    output logic      [Outputs-1:0] on_o,            // outputs in use
    output logic      [Outputs-1:0] target_we_o,     // the beat is this output's target
    output logic                    record_o,        // node_o enters the pipe in this cycle
    output logic                    last_o,          // the stream ends here, with record_o or without
    output let_node_t               node_o,
    // To the operator
    output logic                    cut_o,           // the stream ends, or a beat, where it may not
    output logic                    open_o           // a stream has begun and not ended
);

  logic [Outputs-1:0] on_q, targets_q, targets_left;
  logic [5:0][63:0] pairs_q, pairs_d;
  logic [2:0] fill_q, left;
  logic [LET_ID:0] id_q;
  logic ending_q, open_q;

  // Pairs that a beat brings.
  logic [2:0] whole, brings;
  logic partial;
  always_comb begin
    whole   = '0;
    partial = 1'b0;
    for (int unsigned p = 0; p < 4; p++) begin
      whole += 3'(beat_i.keep[8*p+7]);
      partial |= beat_i.keep[8*p] & ~beat_i.keep[8*p+7];
    end
    brings = whole;
    if (padded_i) begin
      brings  = (whole >= 3'd3) ? 3'd3 : 3'd0;
      partial = beat_i.keep[0] & (whole < 3'd3);
    end
  end

  // What enters the pipe.
  wire ready = fill_q >= 3'd3;
  wire allowed = ~parent_first_i | ~ready | empty_i | (id_q < known_i);
  wire issue = en_i & (ready | ending_q) & allowed;
  wire [2:0] behind = ready ? fill_q - 3'd3 : fill_q;
  assign left     = issue ? behind : fill_q;
  assign record_o = issue & ready;
  assign last_o   = issue & ending_q & (behind < 3'd3);
  assign node_o   = let_node_t'(pairs_q[2:0]);

  // What is taken. The lowest target that is still to come is the beat's.
  wire target = en_i & valid_i & (|targets_q) & empty_i;
  wire records = en_i & valid_i & (|on_q) & ~|targets_q & ~ending_q & (left <= 3'd2);
  assign targets_left = targets_q & (targets_q - Outputs'(1));
  assign target_we_o  = target ? targets_q & ~targets_left : '0;
  assign accept_o     = target | records;
  assign on_o         = on_q;
  assign open_o       = open_q;
  always_comb begin
    cut_o = last_o & (|behind);
    if (target && (!(&beat_i.keep) || (beat_i.last && (|targets_left)))) cut_o = 1'b1;
    if (records && partial) cut_o = 1'b1;
  end

  always_comb begin
    pairs_d = record_o ? {pairs_q[5], pairs_q[4], pairs_q[3], pairs_q[5:3]} : pairs_q;
    for (int unsigned f = 0; f < 3; f++) begin
      if (records && left == 3'(f)) pairs_d[f+:4] = beat_i.data;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      on_q      <= '0;
      targets_q <= '0;
      fill_q    <= '0;
      id_q      <= '0;
      ending_q  <= 1'b0;
      open_q    <= 1'b0;
    end else if (flush_i || start_i) begin
      on_q      <= flush_i ? '0 : used_i;
      targets_q <= flush_i ? '0 : used_i;
      fill_q    <= '0;
      id_q      <= '0;
      ending_q  <= 1'b0;
      open_q    <= 1'b0;
    end else if (last_o) begin
      targets_q <= on_q;
      fill_q    <= '0;
      id_q      <= '0;
      ending_q  <= 1'b0;
      open_q    <= 1'b0;
    end else begin
      fill_q <= left + (records ? brings : 3'd0);
      id_q   <= id_q + (LET_ID + 1)'(record_o);
      if (target) begin
        targets_q <= beat_i.last ? '0 : targets_left;
        open_q    <= 1'b1;
      end
      if (accept_o) ending_q <= beat_i.last;
    end
  end

  always_ff @(posedge clk_i) pairs_q <= pairs_d;

  if (Outputs < 1 || Outputs > 64) begin : gen_bad_shape
    $error("%m: Outputs must be 1 to 64");
  end

endmodule
