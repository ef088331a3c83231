// SPDX-License-Identifier: Apache-2.0
// polyloom_op_let_delay: a node comes out Latency enabled cycles after it went in; beside the lanes' geometry.
// How:          a ring in RAM, written and read once a cycle one place apart, and a register behind it.
// Latency:      Latency enabled cycles.
// Throughput:   one node an enabled cycle.
// Backpressure: none: it stands while en_i is low.
// Order/loss:   kept.
// Reset:        the ring's place; contents are undefined until written.
// Limits:       Latency >= 3.
// Cost:         118 LUT, 389 FF; of 136 cycles 200 FF and 3 BRAM36 (UltraScale+, Yosys 0.70, 2026-11).
// Source: own design.   Tests: test_polyloom_op_let_delay.py, let_rtl_test.cc.
module polyloom_op_let_delay
  import polyloom_operator_pkg::*;
#(
    parameter int unsigned Latency = LET_GEOMETRY
) (
    input  logic      clk_i,
    input  logic      rst_ni,
    input  logic      en_i,
    input  let_node_t node_i,
    output let_node_t next_o,  // what node_o will be after the next enabled cycle
    output let_node_t node_o
);

  localparam int unsigned Places = Latency - 1;
  typedef logic [$clog2(Places)-1:0] place_t;

  place_t place_q, next;
  assign next = (place_q == place_t'(Places - 1)) ? '0 : place_q + 1'b1;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) place_q <= '0;
    else if (en_i) place_q <= next;
  end

  polyloom_ram_1r1w #(
      .Width($bits(let_node_t)),
      .Depth(Places)
  ) i_ring (
      .clk_i,
      .we_i   (en_i),
      .be_i   (1'b1),
      .waddr_i(place_q),
      .wdata_i(node_i),
      .re_i   (en_i),
      .raddr_i(next),
      .rdata_o(next_o)
  );

  always_ff @(posedge clk_i) if (en_i) node_o <= next_o;

  if (Latency < 3) begin : gen_bad_latency
    $error("%m: Latency %0d; at least 3", Latency);
  end

endmodule
