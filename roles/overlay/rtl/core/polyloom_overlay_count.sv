// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_count: a counter of 40 bits that needs few LUTs, as an adder for its upper bits would stand idle.
// How:          8 bits count; while they go from 32 to 63, what the upper 32 bits will be next goes round in a shift register
//               and gets one added, bit after bit; when the lower bits overflow, the upper ones take it.
// Latency:      a count of cycle C is in value_o in C + 1.
// Throughput:   a count a cycle.
// Backpressure: none. No path from an input to an output.
// Order/loss:   wraps at 40 bits; a count in the cycle of clear_i is first_i's.
// Reset:        none; undefined until clear_i.
// Limits:       none.
// Cost:         about 16 LUT4, 73 FF (ECP5; part of polyloom_overlay_core).
// Source:       own design.   Tests: test_polyloom_overlay_count.py, test_polyloom_overlay_cores.py
module polyloom_overlay_count (
    input  logic        clk_i,
    input  logic        clear_i,
    input  logic        first_i,  // clear to 1
    input  logic        count_i,
    output logic [39:0] value_o
);

  logic [7:0] low_q;
  logic [31:0] high_q, next_q;  // next_q: one more, but while it goes round
  logic carry_q, round;
  assign round   = count_i && low_q[7:5] == 3'd1;
  assign value_o = {high_q, low_q};

  always_ff @(posedge clk_i) begin
    low_q <= low_q + 8'(count_i);
    if (round) next_q <= {next_q[0] ^ carry_q, next_q[31:1]};
    if (round) carry_q <= carry_q && next_q[0];
    if (count_i && low_q == '1) begin
      high_q  <= next_q;
      carry_q <= 1'b1;
    end
    if (clear_i) begin
      low_q   <= 8'(first_i);
      high_q  <= '0;
      next_q  <= '0;
      carry_q <= 1'b1;
    end
  end

endmodule
