// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_noc_arbiter: chooses the message that an output of a router moves, one at a time, in turns.
// How:          among heads that are there in a cycle the first at or after the one behind the last winner. The winner is
//               chosen whether there is room or not; room decides only whether that counts, so the multiplexer waits for
//               registers alone. A module of its own, so that synthesis does not pull the choice into each bit of the flit.
// Latency:      none: grants in the cycle of the request.
// Throughput:   a message may be granted in the cycle after the last flit of another.
// Backpressure: a message is granted only with room_i in that cycle, then goes on without asking. Combinational: request_i,
//               room_i -> grant_o.
// Order/loss:   messages never mix; a leg that asks all the time waits for at most Legs - 1 messages.
// Reset:        idle, leg 0 favoured.
// Limits:       Legs >= 1 (checked at elaboration).
// Cost:         see polyloom_overlay_router.
// Source:       Noc::arbitrate() in roles/overlay/sim/net/noc.cc; common_cells' rr_arb_tree turns differently and holds
//               no grant for a message.   Tests: test_polyloom_overlay_noc_arbiter.py; proof: proofs.toml [overlay_output]
module polyloom_overlay_noc_arbiter #(
    parameter int unsigned Legs = 0,  // inputs whose messages may come here
    localparam int unsigned LegBits = Legs > 1 ? $clog2(Legs) : 1
) (
    input  logic               clk_i,
    input  logic               rst_ni,
    // From and to the inputs
    input  logic [   Legs-1:0] request_i,
    input  logic [   Legs-1:0] long_i,     // the message has more than one flit
    input  logic [   Legs-1:0] ending_i,   // the last flit of such a message leaves in this cycle
    output logic [   Legs-1:0] grant_o,
    // To the multiplexer
    output logic               load_o,     // the flit of leg_o may be sent
    output logic [LegBits-1:0] leg_o,
    output logic               send_o,     // it is
    // From the wire
    input  logic               room_i
);

  if (Legs < 1) begin : gen_bad_legs
    $error("%m: Legs %0d; at least 1", Legs);
  end

  typedef logic [LegBits-1:0] leg_t;

  function automatic logic [Legs-1:0] first_of(input logic [Legs-1:0] legs);
    for (int unsigned l = 0; l < Legs; l++) first_of[l] = legs[l] && (legs & (Legs'(1) << l) - 1'b1) == '0;
  endfunction

  function automatic logic [Legs-1:0] after(input logic [Legs-1:0] one_leg);
    for (int unsigned l = 0; l < Legs; l++) after[l] = (one_leg & (Legs'(1) << l) - 1'b1) != '0;
  endfunction

  logic busy_q;  // amid a message of leg_q
  leg_t leg_q, winner;
  logic [Legs-1:0] later_q;  // legs after the last winner
  logic [Legs-1:0] winner_oh;
  logic any, grant;

  assign any = request_i != '0;
  assign winner_oh = (request_i & later_q) != '0 ? first_of(request_i & later_q) : first_of(request_i);
  assign grant = any && !busy_q && room_i;
  assign grant_o = grant ? winner_oh : '0;
  assign leg_o = busy_q ? leg_q : winner;
  assign load_o = busy_q || any;
  assign send_o = busy_q || grant;

  always_comb begin
    winner = '0;
    for (int unsigned l = 0; l < Legs; l++) if (winner_oh[l]) winner |= leg_t'(l);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q  <= 1'b0;
      later_q <= '0;
    end else begin
      if (busy_q) busy_q <= !ending_i[leg_q];
      else if (grant) busy_q <= |(winner_oh & long_i);
      if (grant) later_q <= after(winner_oh);
    end
  end

  always_ff @(posedge clk_i) if (!busy_q) leg_q <= winner;

endmodule
