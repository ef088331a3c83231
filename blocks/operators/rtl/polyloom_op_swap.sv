// SPDX-License-Identifier: Apache-2.0
// polyloom_op_swap: output o repeats input o with the bytes of each word of 32 bits in the other order.
// How:          in[i] --[fifo]--> bytes swapped --[fifo]--> out[i]
// Latency:      2 cycles: one in each buffer.
// Throughput:   one beat a cycle and input.
// Backpressure: a full output stops its input; both sides are registered.
// Order/loss:   kept; flush_i drops all.
// Reset:        empty and without configuration; takes beats into its input buffers at once.
// Limits:       1 <= Inputs, Outputs <= 64, StatusWords >= 1. Beats hold whole words.
// Source: own design.   Tests: test_polyloom_op_slot.py
module polyloom_op_swap
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

  logic [Outputs-1:0] used_q, used_d;
  logic [ERRORS-1:0] errors_q;
  logic [63:0] beats_q;
  logic bad_config;
  always_comb begin
    used_d = '0;
    bad_config = 1'b0;
    for (int unsigned o = 0; o < Outputs; o++) begin
      if (cfg_valid_i[o]) begin
        if (cfg_mask_i[o] == Inputs'(1) << o && o < Inputs && cfg_word_i[o] == '0) used_d[o] = 1'b1;
        else bad_config = 1'b1;
      end
    end
  end

  logic [Inputs-1:0] in_valid, in_taken, stray;
  beat_t [Inputs-1:0] in;
  logic [Outputs-1:0] out_room, out_push;
  beat_t [Outputs-1:0] out;
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
        .out_ready_i(in_taken[i]),
        .out_o      (in[i])
    );
    if (i < Outputs) begin : gen_used
      assign in_taken[i] = in_valid[i] & used_q[i] & out_room[i];
      assign stray[i] = in_valid[i] & ~used_q[i];
    end else begin : gen_unused
      assign in_taken[i] = 1'b0;
      assign stray[i] = in_valid[i];
    end
  end

  for (genvar o = 0; o < Outputs; o++) begin : gen_out
    if (o < Inputs) begin : gen_swapped
      always_comb begin
        out[o] = in[o];
        for (int unsigned w = 0; w < 8; w++) out[o].data[32*w+:32] = {<<8{in[o].data[32*w+:32]}};
      end
      assign out_push[o] = in_taken[o];
    end else begin : gen_silent
      assign out[o] = '0;
      assign out_push[o] = 1'b0;
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
      used_q   <= '0;
      errors_q <= '0;
      beats_q  <= '0;
    end else if (flush_i) begin
      used_q   <= '0;
      errors_q <= '0;
      beats_q  <= '0;
    end else if (step_i) begin
      used_q   <= used_d;
      errors_q <= ERRORS'(bad_config) << ERR_CONFIG;
      beats_q  <= '0;
    end else begin
      if (|stray) errors_q[ERR_STRAY] <= 1'b1;
      beats_q <= beats_q + 64'($countones(in_taken));
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
