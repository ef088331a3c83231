// SPDX-License-Identifier: Apache-2.0
// polyloom_collective_switch: every sink takes the beats of the source that the step gave it.
// How:          sources --beat--> [pick a sink] --> FIFO a sink --> sinks
//               A source that several sinks select (the distributor) moves when all of them have room: 2 beats, and
//               write_beats before a W#, which rides out the times when its memory is busy.
//               Selects are decoded from source numbers at go. Paths that the node has not are constant zero.
// Latency:      one cycle (switch_cycles).
// Throughput:   one beat a cycle through every sink.
// Backpressure: sink registers -> src_ready_o through one AND of all sinks; no path from sink_ready_i to src_ready_o.
// Order/loss:   order of the source; none lost. A step's sinks and sources form no cycle, so nothing can deadlock
//               here: a sink waits for nothing but what lies behind it (first partition, second partition, not back).
// Reset:        control; beats are not cleared.
// Limits:       sources = channels + lanes + outputs of the slot, sinks = channels + lanes + its inputs, in that order.
// Cost:         15 sources, 15 sinks: 840 LUT, 225 FF of its own; 29,175 LUT with its picks, 37,601 with its FIFOs too
//               (of 7 lanes, 8 channels; see polyloom_collective_engine).
// Source:       own design, after OPTWEB Fig. 2 (distributor, Nx1 and NxN one-way switches).
// Tests:        test_polyloom_collective_switch.py, rtl_engine.cc; proof: formal/proofs.toml
module polyloom_collective_switch
  import polyloom_collective_pkg::*;
  import polyloom_stream_pkg::beat_t;
#(
    parameter cfg_t Cfg = SMALL,
    localparam int unsigned Sources = Cfg.channels + Cfg.lanes + Cfg.op_outputs * Cfg.partitions,
    localparam int unsigned Sinks = Cfg.channels + Cfg.lanes + Cfg.op_inputs * Cfg.partitions
) (
    input  logic                             clk_i,
    input  logic                             rst_ni,
    input  logic                             flush_i,
    // from sequencer: which source each sink takes, at go
    input  logic                             go_i,
    input  logic  [  Sinks-1:0][Sources-1:0] select_i,
    output logic  [  Sinks-1:0][Sources-1:0] select_o,
    // from sync: sinks that may take
    input  logic  [  Sinks-1:0]              enable_i,
    // sources
    input  logic  [Sources-1:0]              src_valid_i,
    output logic  [Sources-1:0]              src_ready_o,
    input  beat_t [Sources-1:0]              src_i,
    // sinks
    output logic  [  Sinks-1:0]              sink_valid_o,
    input  logic  [  Sinks-1:0]              sink_ready_i,
    output beat_t [  Sinks-1:0]              sink_o
);
  localparam int unsigned C = Cfg.channels;
  localparam int unsigned L = Cfg.lanes;

  // Paths that exist, a constant.
  function automatic logic [Sinks-1:0][Sources-1:0] paths();
    logic [Sinks-1:0][Sources-1:0] p;
    for (int unsigned k = 0; k < Sinks; k++) begin
      for (int unsigned s = 0; s < Sources; s++) begin
        p[k][s] = 1'b1;
        if (k < C && s < C) p[k][s] = Cfg.copy_paths != 0;
        if (k >= C && k < C + L && s >= C && s < C + L) p[k][s] = Cfg.relay_paths != 0;
        // From an operator to an operator: only from the first partition to the second.
        if (k >= C + L && s >= C + L) p[k][s] = s < C + L + Cfg.op_outputs && k >= C + L + Cfg.op_inputs;
      end
    end
    return p;
  endfunction
  localparam logic [Sinks-1:0][Sources-1:0] Paths = paths();

  logic [Sinks-1:0][Sources-1:0] select_q;
  logic [Sinks-1:0] free, push;
  beat_t [Sinks-1:0] picked;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) select_q <= '0;
    else if (flush_i) select_q <= '0;
    else if (go_i) select_q <= select_i & Paths;
  end
  assign select_o = select_q;

  always_comb begin
    for (int unsigned s = 0; s < Sources; s++) begin
      src_ready_o[s] = 1'b0;
      for (int unsigned k = 0; k < Sinks; k++) if (select_q[k][s]) src_ready_o[s] = 1'b1;
      for (int unsigned k = 0; k < Sinks; k++) if (select_q[k][s] && !(free[k] && enable_i[k])) src_ready_o[s] = 1'b0;
    end
    for (int unsigned k = 0; k < Sinks; k++) begin
      push[k] = |(select_q[k] & src_valid_i & src_ready_o);
    end
  end

  for (genvar k = 0; k < int'(Sinks); k++) begin : gen_sink
    polyloom_collective_pick #(
        .Sources(Sources),
        .Reach  (Paths[k])
    ) i_pick (
        .clk_i,
        .go_i,
        .select_i(select_i[k]),
        .src_i,
        .beat_o  (picked[k])
    );
    logic [$clog2((k < int'(C) ? Cfg.write_beats : 2)+1)-1:0] unused_count;
    polyloom_stream_ram_fifo #(
        .T(beat_t),
        .Depth(k < int'(C) ? Cfg.write_beats : 2)
    ) i_fifo (
        .clk_i,
        .rst_ni,
        .flush_i,
        .in_valid_i(push[k]),
        .in_ready_o(free[k]),
        .in_i(picked[k]),
        .out_valid_o(sink_valid_o[k]),
        .out_ready_i(sink_ready_i[k]),
        .out_o(sink_o[k]),
        .usage_o(unused_count)
    );
  end
endmodule
