// SPDX-License-Identifier: Apache-2.0
// polyloom_op_collect: one output of a partition: joins groups of 0 to 8 words from all inputs to full beats.
// How:          one group a cycle, from the inputs in turn, goes behind the words that wait (at most 8); more than 8
//               leave as a beat. So a beat is kept back until more has come or the end is known: `last` is on the
//               last beat with words. An input whose stream has ended waits for the others' ends.
// Latency:      1 cycle to the register, 1 to the output's buffer once there are more than 8 words or the end.
// Throughput:   one group, one beat a cycle.
// Backpressure: stops when the output's buffer is full; no path from it but registers.
// Order/loss:   groups of one input keep their order; inputs mix. flush_i drops all.
// Reset:        empty.
// Limits:       1 <= Inputs <= 64.
// Cost:         3435 LUT, 529 FF at 8 inputs (Yosys 0.70, UltraScale+, no place and route, 2026-11).
// Source: own design.   Tests: test_polyloom_op_collect.py, operators_rtl_test.cc.
module polyloom_op_collect
  import polyloom_stream_pkg::*;
#(
    parameter int unsigned Inputs = 8
) (
    input  logic                          clk_i,
    input  logic                          rst_ni,
    input  logic                          flush_i,
    input  logic                          step_i,    // a new step: turns begin anew, so that equal steps mix equally
    input  logic  [Inputs-1:0]            mask_i,    // inputs of the step
    // From the groups' buffers
    input  logic  [Inputs-1:0]            valid_i,
    output logic  [Inputs-1:0]            accept_o,
    input  logic  [Inputs-1:0][3:0]       count_i,
    input  logic  [Inputs-1:0]            end_i,
    input  logic  [Inputs-1:0][7:0][31:0] group_i,
    // To the output's buffer
    output logic                          valid_o,
    input  logic                          ready_i,
    output beat_t                         beat_o,
    output logic                          busy_o
);

  localparam int unsigned InWidth = (Inputs > 1) ? $clog2(Inputs) : 1;

  logic [15:0][31:0] words_q, words_d;
  logic [4:0] fill_q, fill_d;
  logic final_q;
  logic [Inputs-1:0] ended_q;
  logic [InWidth-1:0] turn_q;

  // The next one: the first with a group from `turn_q` on.
  wire [Inputs-1:0] request = valid_i & ~ended_q;
  logic [InWidth-1:0] chosen;
  logic any;
  always_comb begin
    chosen = '0;
    any = 1'b0;
    for (int unsigned n = 0; n < 2 * Inputs; n++) begin
      automatic logic [InWidth-1:0] i = InWidth'((n < Inputs) ? n : n - Inputs);
      if (!any && request[i] && (n >= Inputs || n >= 32'(turn_q))) begin
        any = 1'b1;
        chosen = i;
      end
    end
  end

  wire emit = (fill_q > 5'd8 | final_q) & ready_i;
  wire accept = any & ~final_q & (fill_q <= 5'd8 | emit);
  wire over = final_q & (fill_q <= 5'd8);  // the beat that is shown is the last one
  wire [4:0] left = emit ? (over ? 5'd0 : fill_q - 5'd8) : fill_q;
  wire [Inputs-1:0] ended_d = ended_q | (Inputs'(end_i[chosen]) << chosen);
  assign accept_o = Inputs'(accept) << chosen;

  always_comb begin
    words_d = emit ? {{8{32'd0}}, words_q[15:8]} : words_q;
    for (int unsigned p = 0; p < 16; p++) begin
      for (int unsigned s = 0; s < 8; s++) begin
        if (accept && left == 5'(p) - 5'(s) && p >= s && 4'(s) < count_i[chosen]) words_d[p] = group_i[chosen][s];
      end
    end
    fill_d = left + (accept ? {1'b0, count_i[chosen]} : 5'd0);
  end

  assign valid_o = fill_q > 5'd8 | final_q;
  always_comb begin
    beat_o.last = over;
    for (int unsigned p = 0; p < 8; p++) begin
      beat_o.keep[4*p+:4]   = {4{fill_q > 5'(p)}};
      beat_o.data[32*p+:32] = (fill_q > 5'(p)) ? words_q[p] : 32'd0;
    end
  end
  assign busy_o = fill_q != '0 | final_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      fill_q  <= '0;
      final_q <= 1'b0;
      ended_q <= '0;
      turn_q  <= '0;
    end else if (flush_i) begin
      fill_q  <= '0;
      final_q <= 1'b0;
      ended_q <= '0;
      turn_q  <= '0;
    end else begin
      fill_q <= fill_d;
      if (emit && over) begin
        final_q <= 1'b0;
        ended_q <= '0;
      end else if (accept) begin
        ended_q <= ended_d;
        final_q <= (ended_d & mask_i) == mask_i;
      end
      if (step_i) turn_q <= '0;
      else if (accept) turn_q <= (chosen == InWidth'(Inputs - 1)) ? '0 : chosen + 1'b1;
    end
  end

  always_ff @(posedge clk_i) words_q <= words_d;

endmodule
