// SPDX-License-Identifier: Apache-2.0
// polyloom_op_fifo: a first-in first-out buffer at the sides of operators, cut in both directions.
// How:          a ring in LUT RAM; ready and valid come from the occupancy register only. common_cells' fifo_v3
//               and stream_fifo keep their data in reset flip-flops, ten times the cells at these widths.
// Latency:      1 cycle: what is accepted at edge t is valid from t.
// Throughput:   one item a cycle from Depth 2 on (Depth 1: one in two).
// Backpressure: ready_o falls when Depth items are held; no path from ready_i to ready_o or valid_i to valid_o.
// Order/loss:   kept; flush_i drops all, also what is offered in its cycle.
// Reset:        empty; data are not reset.
// Limits:       Depth >= 1.
// Cost:         see the operators' headers.
// Source: own design.   Tests: operators_rtl_test.cc (in every operator).
module polyloom_op_fifo #(
    parameter type         item_t = logic [7:0],  // what it holds
    parameter int unsigned Depth  = 2             // items
) (
    input  logic  clk_i,
    input  logic  rst_ni,
    input  logic  flush_i,  // drops everything
    input  logic  valid_i,
    output logic  ready_o,
    input  item_t item_i,
    output logic  valid_o,
    input  logic  ready_i,
    output item_t item_o
);

  localparam int unsigned IdxWidth = (Depth > 1) ? $clog2(Depth) : 1;
  localparam int unsigned CntWidth = $clog2(Depth + 1);

  item_t mem_q[Depth];
  logic [IdxWidth-1:0] head_q, tail_q;
  logic [CntWidth-1:0] cnt_q;

  function automatic logic [IdxWidth-1:0] next(input logic [IdxWidth-1:0] idx);
    return (idx == IdxWidth'(Depth - 1)) ? '0 : idx + 1'b1;
  endfunction

  assign ready_o = cnt_q != CntWidth'(Depth);
  assign valid_o = cnt_q != '0;
  assign item_o  = mem_q[head_q];

  wire push = valid_i & ready_o;
  wire pop = valid_o & ready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head_q <= '0;
      tail_q <= '0;
      cnt_q  <= '0;
    end else if (flush_i) begin
      head_q <= '0;
      tail_q <= '0;
      cnt_q  <= '0;
    end else begin
      if (pop) head_q <= next(head_q);
      if (push) tail_q <= next(tail_q);
      cnt_q <= cnt_q + CntWidth'(push) - CntWidth'(pop);
    end
  end

  always_ff @(posedge clk_i) begin
    if (push) mem_q[tail_q] <= item_i;
  end

  if (Depth < 1) begin : gen_bad_depth
    $error("%m: Depth must be at least 1");
  end

endmodule
