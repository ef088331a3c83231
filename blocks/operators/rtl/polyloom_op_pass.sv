// SPDX-License-Identifier: Apache-2.0
// polyloom_op_pass: every output repeats the one input that its mask names: the example of an operator.
// How:          in[i] --[fifo]--> copied to all outputs whose mask has bit i --[fifo]--> out[o]
//               A beat moves when every output that takes it has room.
// Latency:      2 cycles: one in each buffer.
// Throughput:   one beat a cycle and input.
// Backpressure: a full output stops its input and so the other outputs of that input; both sides are registered.
// Order/loss:   kept; flush_i drops all.
// Reset:        empty and without configuration; takes beats into its input buffers at once.
// Limits:       1 <= Inputs, Outputs <= 64, StatusWords >= 1. A mask of a configured output that does not name
//               exactly one input is an error and the output stays silent.
// Cost:         12,556 LUT (2,688 of them RAM32M16), 202 FF at 8 by 8 (Yosys 0.70, UltraScale+, no place and route, 2026-11).
// Source: own design.   Tests: test_polyloom_op_pass.py
module polyloom_op_pass
  import polyloom_stream_pkg::beat_t;
  import polyloom_operator_pkg::*;
#(
    parameter int unsigned Inputs      = 8,
    parameter int unsigned Outputs     = 8,
    parameter int unsigned StatusWords = 2   // [0] errors, [1] beats that came
) (
    input  logic                                clk_i,
    input  logic                                rst_ni,
    // From the sequencer: the configuration is sampled in the clock of step_i
    input  logic                                flush_i,      // drops everything in flight, configuration and status
    input  logic                                step_i,       // a new step begins
    input  logic  [    Outputs-1:0]             cfg_valid_i,  // this step uses output o
    input  logic  [    Outputs-1:0][      63:0] cfg_word_i,   // how
    input  logic  [    Outputs-1:0][Inputs-1:0] cfg_mask_i,   // inputs that it takes
    // Streams
    input  logic  [     Inputs-1:0]             in_valid_i,
    output logic  [     Inputs-1:0]             in_ready_o,   // depends on registers only
    input  beat_t [     Inputs-1:0]             in_i,
    output logic  [    Outputs-1:0]             out_valid_o,  // depends on registers only
    input  logic  [    Outputs-1:0]             out_ready_i,
    output beat_t [    Outputs-1:0]             out_o,
    // To the sequencer
    output logic                                idle_o,       // nothing in flight
    output logic  [StatusWords-1:0][      63:0] status_o
);

  logic [Outputs-1:0][Inputs-1:0] mask_q;
  logic [Inputs-1:0] used_q;
  logic [ERRORS-1:0] errors_q;
  logic [63:0] beats_q;

  logic [Inputs-1:0] in_valid, in_accepted;
  beat_t [Inputs-1:0] in;
  logic [Outputs-1:0] out_room, out_push;
  beat_t [Outputs-1:0] out;

  // The configuration, checked once a step.
  logic [Outputs-1:0][Inputs-1:0] mask_d;
  logic bad_config;
  always_comb begin
    mask_d = '0;
    bad_config = 1'b0;
    for (int unsigned o = 0; o < Outputs; o++) begin
      if (cfg_valid_i[o]) begin
        if ($onehot(cfg_mask_i[o]) && cfg_word_i[o] == '0) mask_d[o] = cfg_mask_i[o];
        else bad_config = 1'b1;
      end
    end
  end

  logic [Inputs-1:0] used_d;
  always_comb begin
    used_d = '0;
    for (int unsigned o = 0; o < Outputs; o++) used_d |= mask_d[o];
  end

  for (genvar i = 0; i < Inputs; i++) begin : gen_in
    polyloom_stream_lut_fifo #(
        .T    (beat_t),
        .Depth(2)
    ) i_fifo (
        .clk_i,
        .rst_ni,
        .flush_i,
        .in_valid_i (in_valid_i[i]),
        .in_ready_o (in_ready_o[i]),
        .in_i       (in_i[i]),
        .out_valid_o(in_valid[i]),
        .out_ready_i(in_accepted[i]),
        .out_o      (in[i])
    );
    always_comb begin
      in_accepted[i] = in_valid[i] & used_q[i];
      for (int unsigned o = 0; o < Outputs; o++) begin
        if (mask_q[o][i] && !out_room[o]) in_accepted[i] = 1'b0;
      end
    end
  end

  for (genvar o = 0; o < Outputs; o++) begin : gen_out
    always_comb begin
      out_push[o] = |(mask_q[o] & in_accepted);
      out[o] = '0;
      for (int unsigned i = 0; i < Inputs; i++) out[o] |= mask_q[o][i] ? in[i] : '0;
    end
    polyloom_stream_lut_fifo #(
        .T    (beat_t),
        .Depth(2)
    ) i_fifo (
        .clk_i,
        .rst_ni,
        .flush_i,
        .in_valid_i (out_push[o]),
        .in_ready_o (out_room[o]),
        .in_i       (out[o]),
        .out_valid_o(out_valid_o[o]),
        .out_ready_i(out_ready_i[o]),
        .out_o      (out_o[o])
    );
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      mask_q   <= '0;
      used_q   <= '0;
      errors_q <= '0;
      beats_q  <= '0;
    end else if (flush_i) begin
      mask_q   <= '0;
      used_q   <= '0;
      errors_q <= '0;
      beats_q  <= '0;
    end else if (step_i) begin
      mask_q   <= mask_d;
      used_q   <= used_d;
      errors_q <= ERRORS'(bad_config) << ERR_CONFIG;
      beats_q  <= '0;
    end else begin
      if (|(in_valid & ~used_q)) errors_q[ERR_STRAY] <= 1'b1;
      beats_q <= beats_q + 64'($countones(in_accepted));
    end
  end

  assign idle_o = ~|in_valid & ~|out_valid_o;
  always_comb begin
    status_o = '0;
    status_o[0] = 64'(errors_q);
    if (StatusWords > 1) status_o[StatusWords>1?1 : 0] = beats_q;
  end

  if (Inputs < 1 || Inputs > 64 || Outputs < 1 || Outputs > 64 || StatusWords < 1) begin : gen_bad_shape
    $error("%m: Inputs and Outputs must be 1 to 64, StatusWords at least 1");
  end

endmodule
