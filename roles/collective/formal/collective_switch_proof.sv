// SPDX-License-Identifier: Apache-2.0
// collective_switch_proof: no beat of polyloom_collective_switch is lost, doubled, changed or sent without permission.
// How: a sink and one beat on its way to it are picked freely; the beat is followed by its distance to the sink's end, where
// it must come out. As any may be picked this holds for all, so copies of a source are the same at every sink.
// One channel, two lanes, no operator; 2 bits of a beat are free.
module collective_switch_proof
  import polyloom_collective_pkg::*;
  import polyloom_stream_pkg::beat_t;
#(
    parameter int unsigned Paths = 1
) (
    input logic            clk_i,
    input logic            rst_ni,
    input logic            go_i,
    input logic [2:0][2:0] select_i,
    input logic [2:0]      enable_i,
    input logic [2:0]      src_valid_i,
    input logic [2:0][1:0] src_i,
    input logic [2:0]      sink_ready_i,
    input logic            pick_i
);
  function automatic cfg_t config_of();
    cfg_t c;
    c = SMALL;
    c.channels = 1;
    c.lanes = 2;
    c.op_inputs = 0;
    c.op_outputs = 0;
    c.write_beats = 2;
    c.copy_paths = Paths;
    c.relay_paths = Paths;
    return c;
  endfunction

  logic [2:0][2:0] selected;
  logic [2:0] src_ready, sink_valid;
  beat_t [2:0] src, sink;
  for (genvar s = 0; s < 3; s++) begin : gen_source
    assign src[s] = '{last: src_i[s][1], keep: '1, data: 256'(src_i[s][0])};
    polyloom_stream_checker #(
        .Width (2),
        .Assume(1'b1)
    ) i_in (
        .clk_i,
        .rst_ni,
        .valid_i  (src_valid_i[s]),
        .ready_i  (src_ready[s]),
        .payload_i(src_i[s])
    );
  end
  for (genvar k = 0; k < 3; k++) begin : gen_sink
    polyloom_stream_checker #(
        .Width($bits(beat_t))
    ) i_out (
        .clk_i,
        .rst_ni,
        .valid_i  (sink_valid[k]),
        .ready_i  (sink_ready_i[k]),
        .payload_i(sink[k])
    );
    always_comb if (rst_ni) assume ((select_i[k] & (select_i[k] - 3'd1)) == '0);  // at most one source
  end

  polyloom_collective_switch #(
      .Cfg(config_of())
  ) i_dut (
      .clk_i,
      .rst_ni,
      .flush_i     (1'b0),
      .go_i,
      .select_i,
      .select_o    (selected),
      .enable_i,
      .src_valid_i,
      .src_ready_o (src_ready),
      .src_i       (src),
      .sink_valid_o(sink_valid),
      .sink_ready_i,
      .sink_o      (sink)
  );

  // The reset comes first.
  logic started = 1'b0;
  always_ff @(posedge clk_i) started <= 1'b1;
  always_comb if (!started) assume (!rst_ni);

  // What the step says, kept apart from the design: paths that are not there are never taken.
  logic [2:0][2:0] wanted_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) wanted_q <= '0;
    else if (go_i) begin
      wanted_q <= select_i;
      if (Paths == 0) begin
        wanted_q[0][0]   <= 1'b0;
        wanted_q[1][2:1] <= 2'b0;
        wanted_q[2][2:1] <= 2'b0;
      end
    end
  end

  // The picked sink and beat.
  logic [1:0] k_q;
  always_ff @(posedge clk_i) k_q <= k_q;
  always_comb assume (k_q < 2'd3);
  logic [2:0] fire;
  logic push, pop, followed_q, done_q;
  logic [2:0] held_q, ahead_q;
  beat_t value_q, pushed;
  assign fire = src_valid_i & src_ready;
  assign push = |(wanted_q[k_q] & fire);
  assign pop  = sink_valid[k_q] && sink_ready_i[k_q];
  always_comb begin
    pushed = '0;
    for (int unsigned s = 0; s < 3; s++) if (wanted_q[k_q][s]) pushed = src[s];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      followed_q <= 1'b0;
      done_q <= 1'b0;
      held_q <= '0;
      ahead_q <= '0;
    end else begin
      held_q <= held_q + 3'(push) - 3'(pop);
      if (push && pick_i && !followed_q && !done_q) begin
        followed_q <= 1'b1;
        ahead_q <= held_q - 3'(pop);
      end else if (followed_q && pop) begin
        ahead_q <= ahead_q - 3'd1;
        followed_q <= ahead_q != '0;
        done_q <= ahead_q == '0;
      end
    end
  end
  always_ff @(posedge clk_i) if (push && pick_i && !followed_q && !done_q) value_q <= pushed;

  always_comb begin
    if (rst_ni) begin
      assert (selected == wanted_q);
      assert (held_q <= 3'd2);
      assert (sink_valid[k_q] == (held_q != '0));
      if (followed_q && ahead_q == '0) assert (sink[k_q] == value_q);
      for (int unsigned s = 0; s < 3; s++) begin
        // Nothing is taken that no sink wants, and nothing goes to a sink without permission.
        assert (!fire[s] || wanted_q[0][s] || wanted_q[1][s] || wanted_q[2][s]);
        for (int unsigned k = 0; k < 3; k++) assert (!(fire[s] && wanted_q[k][s]) || enable_i[k]);
      end
    end
  end

  // A copy to two sinks is followed through a full sink; a source changes its sinks.
  logic full_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) full_q <= 1'b0;
    else if (followed_q && held_q == 3'd2 && wanted_q[1] == 3'b001 && wanted_q[2] == 3'b001) full_q <= 1'b1;
  end
  always_comb begin
    cover (rst_ni && full_q && done_q && k_q == 2'd2);
    cover (rst_ni && done_q && fire == (Paths == 0 ? 3'b011 : 3'b111));  // without relays sink 0 has one lane
  end
endmodule
