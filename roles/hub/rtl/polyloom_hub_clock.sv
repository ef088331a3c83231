// SPDX-License-Identifier: Apache-2.0
// polyloom_hub_clock: the function's clock: Num of every Den edges of the hub's.
// How:          while the function has something to do, edges are passed in a fixed pattern that begins with its first
//               cycle: edge i passes if i * Num mod Den < Num. With Num = Den it is the hub's clock itself. The gate is the
//               usual one: enable taken while the clock is low. On a board the function has a clock of its own (for the
//               paper's form 150 MHz beside 250 MHz) and this module is a wire; the FIFOs at its border are then the
//               dual-clock ones, at the places of polyloom_hub_function's.
// Latency:      none.
// Throughput:   Num / Den.
// Backpressure: none.
// Order/loss:   none.
// Reset:        the pattern begins anew; edges pass while run_i is high.
// Limits:       1 <= Num <= Den <= 16.
// Cost:         a counter of 5 bits and a gate.
// Source: own design.   Tests: test_polyloom_hub_function.py.
module polyloom_hub_clock #(
    parameter int unsigned Num = 1,
    parameter int unsigned Den = 1
) (
    input  logic clk_i,
    input  logic rst_ni,
    input  logic run_i,    // the function has something to do; a register
    output logic clk_o,
    output logic enable_o  // the coming edge of clk_i passes
);
  if (Num == 0 || Num > Den || Den > 16) begin : gen_bad_ratio
    $error("%m: Num / Den must be at most 1, Den at most 16");
  end
  if (Num == Den) begin : gen_same
    logic unused;
    assign unused   = ^{rst_ni, run_i};
    assign clk_o    = clk_i;
    assign enable_o = 1'b1;
  end else begin : gen_gate
    logic [4:0] phase_q, next;  // i * Num mod Den
    logic pass_q;
    assign next = phase_q + 5'(Num);
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) phase_q <= '0;
      else if (!run_i) phase_q <= '0;
      else phase_q <= next >= 5'(Den) ? next - 5'(Den) : next;
    end
    assign enable_o = run_i && phase_q < 5'(Num);
    always_ff @(negedge clk_i or negedge rst_ni) begin
      if (!rst_ni) pass_q <= 1'b1;
      else pass_q <= enable_o;
    end
    assign clk_o = clk_i && pass_q;
  end
endmodule
