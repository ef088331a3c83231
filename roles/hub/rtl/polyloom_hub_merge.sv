// SPDX-License-Identifier: Apache-2.0
// polyloom_hub_merge: several streams of TLPs become one, TLP by TLP, round robin.
// How:          the choice stands from a TLP's first beat offered to its last beat taken.
// Latency:      none: combinational.
// Throughput:   a beat a cycle; no gap between TLPs.
// Backpressure: in_ready_o follows out_ready_i and in_valid_i; out_valid_o follows in_valid_i. Put it between registers.
// Order/loss:   each stream's order kept, nothing lost.
// Reset:        no choice.
// Limits:       Inputs >= 1.
// Cost:         see polyloom_hub_node.
// Source: own design.   Tests: test_polyloom_hub_dma.py.
module polyloom_hub_merge
  import polyloom_hub_pkg::*;
#(
    parameter int unsigned Inputs = 2
) (
    input  logic               clk_i,
    input  logic               rst_ni,
    input  logic  [Inputs-1:0] in_valid_i,
    output logic  [Inputs-1:0] in_ready_o,
    input  beat_t [Inputs-1:0] in_i,
    output logic               out_valid_o,
    input  logic               out_ready_i,
    output beat_t              out_o
);
  logic [Inputs-1:0] chosen_q, above, choice, last_q;
  logic held_q;
  always_comb begin
    above  = in_valid_i & ~(last_q | (last_q - 1'b1));
    choice = above != '0 ? above & (~above + 1'b1) : in_valid_i & (~in_valid_i + 1'b1);
    if (held_q) choice = chosen_q;
    out_o = '0;
    for (int unsigned i = 0; i < Inputs; i++) if (choice[i]) out_o |= in_i[i];
  end
  assign out_valid_o = |(choice & in_valid_i);
  assign in_ready_o  = choice & {Inputs{out_ready_i}};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      held_q   <= 1'b0;
      chosen_q <= '0;
      last_q   <= Inputs'(1) << (Inputs - 1);
    end else if (out_valid_o) begin
      held_q   <= !(out_ready_i && out_o.last);
      chosen_q <= choice;
      last_q   <= choice;
    end
  end
endmodule
