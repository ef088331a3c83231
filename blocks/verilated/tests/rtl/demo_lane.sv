// SPDX-License-Identifier: Apache-2.0
// demo_lane: stores the beats of a lane and gives them out in order, a cycle later at the earliest.
// How:          a ring of Depth beats.
// Latency:      a beat taken at edge k is valid before edge k+1.
// Throughput:   one beat a cycle.
// Backpressure: the output may wait; the input may not. A beat that finds the ring full is an assertion.
// Order/loss:   order kept.
// Reset:        pointers; not the beats.
// Limits:       Depth is a power of two.
// Cost:         none: for tests.
// Source:       own design.   Tests: blocks/verilated/tests.
module demo_lane #(
    parameter  int unsigned Width = 256,
    parameter  int unsigned Depth = 64,
    localparam int unsigned Keep  = Width / 8
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             in_valid_i,
    input  logic [Width-1:0] in_data_i,
    input  logic [ Keep-1:0] in_keep_i,
    input  logic             in_last_i,
    output logic             out_valid_o,
    input  logic             out_ready_i,
    output logic [Width-1:0] out_data_o,
    output logic [ Keep-1:0] out_keep_o,
    output logic             out_last_o,
    output logic             empty_o
);
  localparam int unsigned Bits = $clog2(Depth);
  logic [Width+Keep:0] ring_q[Depth];
  logic [Bits:0] head_q, tail_q;

  assign empty_o = head_q == tail_q;
  assign out_valid_o = !empty_o;
  assign {out_last_o, out_keep_o, out_data_o} = ring_q[head_q[Bits-1:0]];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head_q <= '0;
      tail_q <= '0;
    end else begin
      assert (!(in_valid_i && (tail_q - head_q == (Bits + 1)'(Depth))))
      else $error("demo_lane: a beat found %0d others waiting", Depth);
      if (in_valid_i) tail_q <= tail_q + 1'b1;
      if (out_valid_o && out_ready_i) head_q <= head_q + 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (in_valid_i) ring_q[tail_q[Bits-1:0]] <= {in_last_i, in_keep_i, in_data_i};
  end
endmodule
