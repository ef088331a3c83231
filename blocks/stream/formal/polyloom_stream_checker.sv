// SPDX-License-Identifier: Apache-2.0
// polyloom_stream_checker: the rules of the handshake as properties; assumed on inputs, asserted on outputs of a proof.
// How:          keeps what was offered and not taken; in the next cycle it must still be offered, unchanged.
// Latency:      none.   Throughput: none.   Backpressure: listens only.   Order/loss: none.
// Reset:        forgets what was offered; valid must be low until the first cycle after reset.
// Limits:       for proofs and simulation; not synthesized.
// Cost:         none.
// Source:       own design, AXI4-Stream section 2.2.   Tests: every proof; test_agents.py has the same rules in Python
module polyloom_stream_checker #(
    parameter int unsigned Width = 1,  // bits of the payload
    parameter bit Assume = 1'b0  // assume the rules (stream comes from outside); else assert them
) (
    input logic             clk_i,
    input logic             rst_ni,
    input logic             valid_i,
    input logic             ready_i,
    input logic [Width-1:0] payload_i
);

  logic waiting_q;
  logic [Width-1:0] payload_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) waiting_q <= 1'b0;
    else waiting_q <= valid_i && !ready_i;
  end

  always_ff @(posedge clk_i) payload_q <= payload_i;

  if (Assume) begin : gen_assume
    always_comb begin
      if (rst_ni && waiting_q) begin
        assume (valid_i);
        assume (payload_i == payload_q);
      end
    end
  end else begin : gen_assert
    always_comb begin
      if (rst_ni && waiting_q) begin
        assert (valid_i);
        assert (payload_i == payload_q);
      end
    end
  end

endmodule
