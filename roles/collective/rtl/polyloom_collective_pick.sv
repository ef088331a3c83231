// SPDX-License-Identifier: Apache-2.0
// polyloom_collective_pick: the multiplexer before one sink of the switch: shows the beat of the source that was chosen.
// How:          go keeps the chosen source's place among the sources that the sink can take, as a number that indexes
//               them: of 15 sources 6.5 LUT a bit of the beat. Gates that add up one-hot sources take 8.
// Latency:      none from source to beat; the choice holds from the cycle after go.
// Throughput:   one beat a cycle.
// Backpressure: none: a path from src_i to beat_o; the switch says when it counts.
// Order/loss:   none.
// Reset:        none; without a choice beat_o is any source's.
// Limits:       at most one bit of select_i; Reach not zero.
// Cost:         15 sources: 1,889 LUT, 4 FF (UltraScale+; `polyloom synth collective_node`, Yosys 0.70, 2026-11).
// Source:       own design, after OPTWEB Fig. 2 (Nx1 one-way switch).   Tests: test_polyloom_collective_pick.py; proof:
//               formal/proofs.toml [collective_switch]
module polyloom_collective_pick
  import polyloom_stream_pkg::beat_t;
#(
    parameter int unsigned               Sources = 1,  // sources of the switch
    parameter logic        [Sources-1:0] Reach   = 1   // those that this sink can take
) (
    input  logic                clk_i,
    // From the sequencer: the choice, one-hot, at go
    input  logic                go_i,
    input  logic  [Sources-1:0] select_i,
    // Sources, all of the switch; the sink
    input  beat_t [Sources-1:0] src_i,
    output beat_t               beat_o
);
  localparam int unsigned Count = $countones(Reach);
  localparam int unsigned Levels = Count > 1 ? $clog2(Count) : 1;
  typedef logic [Levels-1:0] number_t;

  if (Reach == '0) begin : gen_bad_reach
    $error("%m: Reach is 0, so the sink has no source");
  end

  // Source s stands at place number_of(s): sources out of reach take none.
  function automatic number_t number_of(int unsigned s);
    number_of = '0;
    for (int unsigned i = 0; i < s; i++) number_of += number_t'(Reach[i]);
  endfunction

  beat_t [2**Levels-1:0] near;
  always_comb begin
    for (int unsigned n = 0; n < 2 ** Levels; n++) near[n] = '0;
    for (int unsigned s = 0; s < Sources; s++) if (Reach[s]) near[number_of(s)] = src_i[s];
  end

  if (Count == 1) begin : gen_only
    logic unused;
    assign unused = ^{clk_i, go_i, select_i, near[1]};
    assign beat_o = near[0];
  end else begin : gen_choice
    number_t number_d, number_q;
    always_comb begin
      number_d = '0;
      for (int unsigned s = 0; s < Sources; s++) if (Reach[s] && select_i[s]) number_d |= number_of(s);
    end
    always_ff @(posedge clk_i) if (go_i) number_q <= number_d;
    assign beat_o = near[number_q];
  end

  if (Reach != '1) begin : gen_far
    logic unused;
    assign unused = ^{src_i, select_i};
  end
endmodule
