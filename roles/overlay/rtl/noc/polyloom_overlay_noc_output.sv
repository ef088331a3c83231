// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_noc_output: an output of a router: one of the waiting messages at a time, whole, in turns.
// How:          among heads that are there in a cycle the first at or after the one behind the last winner. The winner is
//               chosen, and its flit read, whether there is room or not; room decides only whether that counts.
// Latency:      a flit granted in cycle c is on the wire in c+1.
// Throughput:   a flit a cycle; a message may follow another without a gap.
// Backpressure: a message is granted only with room_i in that cycle, then goes on without asking. Combinational: room_i ->
//               grant_o.
// Order/loss:   flits of different messages never mix; a leg that asks all the time waits for at most Legs - 1 messages.
// Reset:        idle, leg 0 favoured; the register of the flit is not cleared.
// Limits:       Legs >= 1 (checked at elaboration).
// Cost:         mostly the multiplexer: 2 LUT4 a bit of a flit at 4 legs, 3 at 5.
// Source:       Noc::arbitrate() in roles/overlay/sim/net/noc.cc; common_cells' rr_arb_tree turns differently and holds
//               no grant for a message.   Tests: overlay_noc_test.cc, overlay_router proof.
module polyloom_overlay_noc_output #(
    parameter int unsigned Legs = 0,  // inputs whose messages may come here
    parameter type T = logic  // a flit
) (
    input  logic            clk_i,
    input  logic            rst_ni,
    // From and to the inputs
    input  logic [Legs-1:0] request_i,
    input  logic [Legs-1:0] long_i,           // the message has more than one flit
    input  logic [Legs-1:0] ending_i,         // the last flit of such a message leaves in this cycle
    input  T                flit_i   [Legs],
    output logic [Legs-1:0] grant_o,
    // To and from the wire
    output logic            valid_o,
    output T                out_o,
    input  logic            room_i
);

  if (Legs < 1) begin : gen_bad_legs
    $error("%m: Legs %0d; at least 1", Legs);
  end

  typedef logic [(Legs > 1 ? $clog2(Legs) : 1)-1:0] leg_t;

  logic busy_q;  // amid a message of leg_q
  leg_t leg_q, winner, leg;
  logic [Legs-1:0] later_q;  // legs after the last winner
  logic [Legs-1:0] favoured, winner_oh;
  logic any, grant;

  assign any = request_i != '0;
  assign favoured = (request_i & later_q) != '0 ? request_i & later_q : request_i;
  assign winner_oh = favoured & (~favoured + 1'b1);
  assign grant = any && !busy_q && room_i;
  assign grant_o = grant ? winner_oh : '0;
  assign leg = busy_q ? leg_q : winner;

  always_comb begin
    winner = '0;
    for (int unsigned l = 0; l < Legs; l++) if (winner_oh[l]) winner |= leg_t'(l);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_o <= 1'b0;
      busy_q  <= 1'b0;
      later_q <= '0;
    end else begin
      valid_o <= busy_q || grant;
      if (busy_q) busy_q <= !ending_i[leg_q];
      else if (grant) busy_q <= |(winner_oh & long_i);
      if (grant) later_q <= ~(winner_oh | (winner_oh - 1'b1));
    end
  end

  always_ff @(posedge clk_i) begin
    if (!busy_q) leg_q <= winner;
    if (busy_q || any) out_o <= flit_i[leg];
  end

endmodule
