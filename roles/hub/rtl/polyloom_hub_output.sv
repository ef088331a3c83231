// SPDX-License-Identifier: Apache-2.0
// polyloom_hub_output: an output of the switch: chooses a TLP, holds the choice to its end, keeps the credits.
// How:          requests --> round robin among those with credits enough --> granted input (a register)
//                   beats of the granted input --> [ 2 beats ] --> link
//               Credits: `slots` at first, one less a TLP granted, one more a pulse. The bubble rule: a TLP that enters
//               a ring (E or W, from N, S or L) needs two credits and takes one, all others need one. So one slot of a
//               ring always stays free for what is on it already, and something on it can always move.
// Latency:      request to grant one edge, first beat of the granted input to the output's valid one more.
// Throughput:   a beat a cycle, TLPs back to back: a grant may come in the cycle of the last beat.
// Backpressure: out_ready_i stops the granted input through the buffer; beat_ready_o depends on registers only.
// Order/loss:   TLPs whole, each input's in its order. A TLP that enters may wait as long as others leave it one credit.
// Reset:        all credits, empty.
// Limits:       at most `slots` pulses are owed (asserted).
// Cost:         see polyloom_hub_node.
// Source: bubble flow control is known; own design.   Tests: test_polyloom_hub_output.py; proof: proofs.toml [hub_output]
module polyloom_hub_output
  import polyloom_hub_pkg::*;
#(
    parameter int unsigned Slots = 8,
    parameter logic HasCredits = 1'b1,
    parameter logic [INPUTS-1:0] Enters = '0  // inputs from which a TLP enters a ring by this output
) (
    input  logic               clk_i,
    input  logic               rst_ni,
    // From the inputs
    input  logic  [INPUTS-1:0] request_i,
    output logic  [INPUTS-1:0] grant_o,
    input  logic  [INPUTS-1:0] beat_valid_i,
    output logic  [INPUTS-1:0] beat_ready_o,
    input  beat_t [INPUTS-1:0] beat_i,
    // To the link
    input  logic               credit_i,
    output logic               out_valid_o,
    input  logic               out_ready_i,
    output beat_t              out_o,
    output logic  [       2:0] source_o,      // input of the beat
    // To counters and to what waits
    output logic               tlp_o,
    output logic               beat_o,
    output logic               idle_o
);
  localparam int unsigned CreditW = $clog2(Slots + 1);

  logic [INPUTS-1:0] granted_q, able, chosen;
  logic [CreditW-1:0] credits_q;
  logic room, push, ends, any;
  beat_t picked;
  logic [2:0] source;

  // The input that may: round robin from the one after the last granted.
  logic [INPUTS-1:0] last_q, above;
  always_comb begin
    able = request_i;
    if (HasCredits) begin
      if (credits_q == '0) able = '0;
      else if (credits_q == CreditW'(1)) able = request_i & ~Enters;
    end
    above  = able & ~(last_q | (last_q - 1'b1));
    chosen = above != '0 ? above & (~above + 1'b1) : able & (~able + 1'b1);
  end
  assign ends = push && picked.last;
  assign any = granted_q == '0 || ends;
  assign grant_o = any ? chosen : '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      granted_q <= '0;
      last_q <= INPUTS'(1) << (INPUTS - 1);
      credits_q <= CreditW'(Slots);
    end else begin
      if (any) granted_q <= grant_o;
      if (grant_o != '0) last_q <= grant_o;
      if (HasCredits) credits_q <= credits_q + CreditW'(credit_i) - CreditW'(grant_o != '0);
      assert (!HasCredits || !credit_i || credits_q != CreditW'(Slots));
    end
  end

  // Its beats.
  always_comb begin
    picked = '0;
    source = '0;
    for (int unsigned i = 0; i < INPUTS; i++) begin
      if (granted_q[i]) begin
        picked |= beat_i[i];
        source |= 3'(i);
      end
    end
  end
  assign push = room && (granted_q & beat_valid_i) != '0;
  assign beat_ready_o = granted_q & {INPUTS{room}};
  logic [1:0] unused_usage;
  polyloom_stream_ram_fifo #(
      .Width($bits(beat_t) + 3),
      .Depth(2)
  ) i_out (
      .clk_i,
      .rst_ni,
      .flush_i   (1'b0),
      .in_valid_i(push),
      .in_ready_o(room),
      .in_i      ({source, picked}),
      .out_valid_o,
      .out_ready_i,
      .out_o     ({source_o, out_o}),
      .usage_o   (unused_usage)
  );

  assign tlp_o  = ends;
  assign beat_o = push;
  assign idle_o = granted_q == '0 && !out_valid_o;

  if (Slots < 2) begin : gen_bad_slots
    $error("%m: Slots must be at least 2");
  end
endmodule
