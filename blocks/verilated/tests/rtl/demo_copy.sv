// SPDX-License-Identifier: Apache-2.0
// demo_copy: copies beats within one memory over AXI4, one burst.
// How:          one read burst; its beats go straight to the write burst, whose address is sent first.
// Latency:      a start at edge s has AR and AW valid before edge s+1; done is high before the edge after B.
// Throughput:   one beat a cycle.
// Backpressure: R waits for W: r_ready = w_ready, combinationally.
// Order/loss:   none lost.
// Reset:        the state.
// Limits:       1 to 256 beats.
// Cost:         none: for tests.
// Source:       own design.   Tests: blocks/verilated/tests.
module demo_copy #(
    parameter int unsigned Width = 256
) (
    input  logic               clk_i,
    input  logic               rst_ni,
    input  logic               start_i,
    input  logic [       39:0] from_i,
    input  logic [       39:0] to_i,
    input  logic [        7:0] len_i,
    output logic               busy_o,
    output logic               done_o,
    output logic               ar_valid_o,
    input  logic               ar_ready_i,
    output logic [       39:0] ar_addr_o,
    output logic [        7:0] ar_len_o,
    input  logic               r_valid_i,
    output logic               r_ready_o,
    input  logic [  Width-1:0] r_data_i,
    input  logic               r_last_i,
    output logic               aw_valid_o,
    input  logic               aw_ready_i,
    output logic [       39:0] aw_addr_o,
    output logic [        7:0] aw_len_o,
    output logic               w_valid_o,
    input  logic               w_ready_i,
    output logic [  Width-1:0] w_data_o,
    output logic [Width/8-1:0] w_strb_o,
    output logic               w_last_o,
    input  logic               b_valid_i,
    output logic               b_ready_o
);
  logic ar_q, aw_q;
  assign {ar_valid_o, aw_valid_o, b_ready_o} = {ar_q, aw_q, busy_o};
  assign w_valid_o = r_valid_i && !aw_q;
  assign r_ready_o = w_ready_i && !aw_q;
  assign w_data_o = r_data_i;
  assign w_strb_o = '1;
  assign w_last_o = r_last_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {ar_q, aw_q, busy_o, done_o} <= '0;
    end else begin
      done_o <= b_valid_i && b_ready_o;
      if (ar_ready_i) ar_q <= 1'b0;
      if (aw_ready_i) aw_q <= 1'b0;
      if (b_valid_i && b_ready_o) busy_o <= 1'b0;
      if (start_i) {ar_q, aw_q, busy_o} <= '1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (start_i) begin
      ar_addr_o <= from_i;
      aw_addr_o <= to_i;
      ar_len_o  <= len_i;
      aw_len_o  <= len_i;
    end
  end
endmodule
