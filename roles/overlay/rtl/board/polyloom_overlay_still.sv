// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_still: whether a board stands still: nothing has moved in it for so long that nothing will without input.
// How:          counts the cycles since something last moved. What goes on unseen between two movements (an operation of a
//               unit, a message on its way over the tiles, a detector that reads the ends of its links) is shorter than that.
// Latency:      still_o rises Cycles cycles after the last movement and falls a cycle after the next.
// Throughput:   every cycle.
// Backpressure: none. No path from moves_i to still_o.
// Order/loss:   none.
// Reset:        a movement.
// Limits:       Cycles a power of two from 2 on (checked at elaboration).
// Cost:         a counter of log2(Cycles) + 1 bits.
// Source:       own.   Tests: test_polyloom_overlay_still.py
module polyloom_overlay_still #(
    parameter int unsigned Cycles = 2048
) (
    input  logic clk_i,
    input  logic rst_ni,
    input  logic moves_i,  // something moves in this cycle
    output logic still_o
);
  localparam int unsigned Bits = $clog2(Cycles);
  if (Cycles < 2 || Cycles != (1 << Bits)) begin : gen_bad
    $error("%m: Cycles is %0d, must be a power of two from 2 on", Cycles);
  end

  logic [Bits:0] since_q;
  assign still_o = since_q[Bits];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) since_q <= '0;
    else if (moves_i) since_q <= '0;
    else if (!still_o) since_q <= since_q + 1'b1;
  end
endmodule
