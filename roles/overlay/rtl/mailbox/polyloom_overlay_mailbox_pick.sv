// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_mailbox_pick: round robin: of the requests, the first after the one that was served last.
// How:          the requests above the last one if there are any, else all; of these the lowest.
// Latency:      none.
// Throughput:   one pick a cycle.
// Backpressure: valid_o and idx_o follow request_i combinationally; accepted_i goes to a register only.
// Order/loss:   none.
// Reset:        index 0 comes first.
// Limits:       Count >= 1.
// Cost:         in polyloom_overlay_mailbox.
// Source:       own design.   Tests: test_polyloom_overlay_mailbox_pick.py, test_polyloom_overlay_mailbox_turns.py
module polyloom_overlay_mailbox_pick #(
    parameter int unsigned Count = 4,
    localparam int unsigned IdxWidth = Count > 1 ? $clog2(Count) : 1
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic [   Count-1:0] request_i,
    input  logic                accepted_i,  // the one that was picked is served in this cycle
    output logic                valid_o,
    output logic [IdxWidth-1:0] idx_o
);

  assign valid_o = request_i != '0;

  if (Count == 1) begin : gen_one
    assign idx_o = '0;
    logic unused;
    assign unused = &{1'b0, clk_i, rst_ni, accepted_i};
  end else begin : gen_many
    logic [Count-1:0] later_q, later, from;  // later_q: those after the last one served
    assign later = request_i & later_q;
    assign from  = later != '0 ? later : request_i;
    always_comb begin
      idx_o = '0;
      for (int unsigned i = 0; i < Count; i++) if (from[Count-1-i]) idx_o = IdxWidth'(Count - 1 - i);
    end
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) later_q <= '0;
      else if (accepted_i && valid_o) begin
        for (int unsigned i = 0; i < Count; i++) later_q[i] <= IdxWidth'(i) > idx_o;
      end
    end
  end

endmodule
