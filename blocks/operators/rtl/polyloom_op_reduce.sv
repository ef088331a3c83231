// SPDX-License-Identifier: Apache-2.0
// polyloom_op_reduce: each of its groups joins streams element by element: sum, minimum, maximum or average.
// How:          output g < Groups joins the inputs of its mask. Where all of them have a beat (and there is room
//               behind the pipeline) it takes one of each; 8 trees, one a word, make the result.
//                 in --[2 beats]--> take when all of the mask are there --> 8 trees --[Room beats]--> out
//               An input that ends before the others of its group is an error (and is left out from then on), so
//               is another keep; the result ends with the last of them.
// Latency:      from accepted beat to valid result 4 * ceil(log2(Inputs)) + 7 cycles: 1 in each buffer, the trees.
// Throughput:   one beat of every input a cycle.
// Backpressure: a full output stops its group only; both sides are registered.
// Order/loss:   kept; flush_i drops all.
// Reset:        empty and without configuration.
// Limits:       1 <= Inputs <= 64, 1 <= Groups <= Outputs. Masks of two groups must not overlap, nor be empty; the
//               divisor of an integer average is 1 to 64; configuring an output from Groups on is an error.
// Cost:         8 inputs, 2 groups: 103,951 LUT, 96 DSP with 16 trees and buffers
//               (UltraScale+; in `polyloom synth collective_reduce`, Yosys 0.70, 2026-11).
// Source: own design, after OPTWEB section 3.   Tests: test_polyloom_op_reduce.py
module polyloom_op_reduce
  import polyloom_stream_pkg::*;
  import polyloom_operator_pkg::*;
#(
    parameter int unsigned Inputs      = 8,
    parameter int unsigned Outputs     = 2,
    parameter int unsigned Groups      = 2,
    parameter int unsigned StatusWords = 3   // [0] errors, [1 + g] beats that left group g's join
) (
    input  logic                                clk_i,
    input  logic                                rst_ni,
    // From the sequencer: the configuration is sampled in the clock of step_i
    input  logic                                flush_i,      // drops everything in flight, configuration and status
    input  logic                                step_i,       // a new step begins
    input  logic  [    Outputs-1:0]             cfg_valid_i,  // this step uses output o
    input  logic  [    Outputs-1:0][      63:0] cfg_word_i,   // how
    input  logic  [    Outputs-1:0][Inputs-1:0] cfg_mask_i,   // inputs that it joins
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

  localparam int unsigned Words = BEAT_BITS / 32;
  localparam int unsigned Levels = (Inputs > 1) ? $clog2(Inputs) : 0;
  localparam int unsigned Latency = 4 * Levels + 5;  // of polyloom_op_tree
  localparam int unsigned Room = Latency + 2;  // keeps one beat a cycle going
  localparam int unsigned MaxDivisor = 64;
  localparam int unsigned Shift = ((Inputs > 2) ? 32 + Levels : 33) + $clog2(MaxDivisor);

  logic [Groups-1:0] on_q, on_d;
  logic [Groups-1:0][Inputs-1:0] mask_q;
  function_e [Groups-1:0] function_q;
  element_e [Groups-1:0] type_q;
  logic [Groups-1:0][31:0] factor_q;
  logic [Groups-1:0][Shift:0] reciprocal_q;
  logic [Inputs-1:0] used_q, used_d;
  logic bad_config;

  // The configuration, checked once a step.
  always_comb begin
    on_d = '0;
    used_d = '0;
    bad_config = 1'b0;
    for (int unsigned g = 0; g < Groups; g++) begin
      on_d[g] = (|cfg_mask_i[g]) && cfg_word_i[g][7:0] <= FN_AVERAGE && cfg_word_i[g][15:8] <= TYPE_UINT32
          && cfg_word_i[g][31:16] == '0;
      if (cfg_word_i[g][7:0] != FN_AVERAGE) on_d[g] &= cfg_word_i[g][63:32] == '0;
      else if (cfg_word_i[g][15:8] != TYPE_FP32) begin
        on_d[g] &= cfg_word_i[g][63:32] >= 1 && cfg_word_i[g][63:32] <= MaxDivisor;
      end
      for (int unsigned h = 0; h < Groups; h++) begin
        if (h != g && cfg_valid_i[h] && |(cfg_mask_i[g] & cfg_mask_i[h])) on_d[g] = 1'b0;
      end
      on_d[g] &= cfg_valid_i[g];
      if (on_d[g]) used_d |= cfg_mask_i[g];
      if (cfg_valid_i[g] && !on_d[g]) bad_config = 1'b1;
    end
    for (int unsigned o = Groups; o < Outputs; o++) bad_config |= cfg_valid_i[o];
  end

  // ceil(2^Shift / divisor), a table.
  function automatic logic [Shift:0] reciprocal(input logic [31:0] divisor);
    reciprocal = '0;
    for (int unsigned n = 1; n <= MaxDivisor; n++) begin
      if (divisor == n) reciprocal = (Shift + 1)'(((64'd1 << Shift) + 64'(n) - 64'd1) / 64'(n));
    end
  endfunction

  logic [Inputs-1:0] in_valid, in_accepted;
  beat_t [Inputs-1:0] in;
  logic [Groups-1:0][Inputs-1:0] group_accepted;
  logic [Groups-1:0] fire, length_error, at_rest;
  logic [Groups-1:0][63:0] beats_q;

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
  end

  always_comb begin
    in_accepted = '0;
    for (int unsigned g = 0; g < Groups; g++) in_accepted |= group_accepted[g];
  end

  for (genvar g = 0; g < Groups; g++) begin : gen_group
    logic [Inputs-1:0] need, last, ended_q;
    logic [$clog2(Room+1)-1:0] room_q;
    logic [BEAT_BYTES-1:0] keep_any, keep_all;

    // Take a beat of each input of the mask that has not ended.
    always_comb begin
      need = mask_q[g] & ~ended_q;
      keep_any = '0;
      keep_all = '1;
      for (int unsigned i = 0; i < Inputs; i++) begin
        last[i] = need[i] & in[i].last;
        if (need[i]) begin
          keep_any |= in[i].keep;
          keep_all &= in[i].keep;
        end
      end
      fire[g] = on_q[g] & ~|(need & ~in_valid) & (room_q != '0);
      group_accepted[g] = fire[g] ? need : '0;
      length_error[g] = fire[g] & ((|last & (last != need)) | (keep_any != keep_all));
    end

    // What travels beside the data.
    logic [Latency-1:0] valid_q;
    logic [Latency-1:0] last_q;
    logic [Latency-1:0][BEAT_BYTES-1:0] keep_q;
    always_ff @(posedge clk_i) begin
      last_q <= {last_q[Latency-2:0], last == need};
      keep_q <= {keep_q[Latency-2:0], keep_any};
    end

    logic [BEAT_BITS-1:0] data;
    for (genvar w = 0; w < Words; w++) begin : gen_word
      logic [Inputs-1:0][31:0] x;
      always_comb begin
        for (int unsigned i = 0; i < Inputs; i++) x[i] = in[i].data[32*w+:32];
      end
      polyloom_op_tree #(
          .Inputs(Inputs),
          .Shift (Shift)
      ) i_tree (
          .clk_i,
          .function_i  (function_q[g]),
          .type_i      (type_q[g]),
          .factor_i    (factor_q[g]),
          .reciprocal_i(reciprocal_q[g]),
          .there_i     (need),
          .x_i         (x),
          .z_o         (data[32*w+:32])
      );
    end

    // Room behind the pipeline is reserved when a beat starts and given back when its result leaves.
    logic  fifo_ready;
    wire   unused_ready = fifo_ready;
    beat_t result;
    assign result = '{last: last_q[Latency-1], keep: keep_q[Latency-1], data: data};
    polyloom_stream_lut_fifo #(
        .T    (beat_t),
        .Depth(Room)
    ) i_fifo (
        .clk_i,
        .rst_ni,
        .flush_i,
        .in_valid_i (valid_q[Latency-1]),
        .in_ready_o (fifo_ready),
        .in_i       (result),
        .out_valid_o(out_valid_o[g]),
        .out_ready_i(out_ready_i[g]),
        .out_o      (out_o[g])
    );

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        ended_q <= '0;
        room_q  <= ($clog2(Room + 1))'(Room);
        valid_q <= '0;
      end else if (flush_i) begin
        ended_q <= '0;
        room_q  <= ($clog2(Room + 1))'(Room);
        valid_q <= '0;
      end else begin
        if (step_i) ended_q <= '0;
        else if (fire[g]) ended_q <= (last == need) ? '0 : ended_q | last;
        room_q  <= room_q - ($clog2(Room + 1))'(fire[g]) + ($clog2(Room + 1))'(out_valid_o[g] & out_ready_i[g]);
        valid_q <= {valid_q[Latency-2:0], fire[g]};
      end
    end
    assign at_rest[g] = room_q == ($clog2(Room + 1))'(Room);
  end

  for (genvar o = Groups; o < Outputs; o++) begin : gen_no_group
    assign out_valid_o[o] = 1'b0;
    assign out_o[o] = '0;
    wire unused_out = ^{out_ready_i[o], cfg_word_i[o], cfg_mask_i[o]};
  end

  logic [ERRORS-1:0] errors_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      on_q     <= '0;
      mask_q   <= '0;
      used_q   <= '0;
      errors_q <= '0;
      beats_q  <= '0;
    end else if (flush_i) begin
      on_q     <= '0;
      mask_q   <= '0;
      used_q   <= '0;
      errors_q <= '0;
      beats_q  <= '0;
    end else if (step_i) begin
      on_q     <= on_d;
      used_q   <= used_d;
      errors_q <= ERRORS'(bad_config) << ERR_CONFIG;
      beats_q  <= '0;
      for (int unsigned g = 0; g < Groups; g++) mask_q[g] <= on_d[g] ? cfg_mask_i[g] : '0;
    end else begin
      if (|(in_valid & ~used_q)) errors_q[ERR_STRAY] <= 1'b1;
      if (|length_error) errors_q[ERR_LENGTH] <= 1'b1;
      for (int unsigned g = 0; g < Groups; g++) beats_q[g] <= beats_q[g] + 64'(fire[g]);
    end
  end

  always_ff @(posedge clk_i) begin
    if (step_i) begin
      for (int unsigned g = 0; g < Groups; g++) begin
        function_q[g]   <= function_e'(cfg_word_i[g][7:0]);
        type_q[g]       <= element_e'(cfg_word_i[g][15:8]);
        factor_q[g]     <= cfg_word_i[g][63:32];
        reciprocal_q[g] <= reciprocal(cfg_word_i[g][63:32]);
      end
    end
  end

  assign idle_o = ~|in_valid & (&at_rest);
  always_comb begin
    status_o = '0;
    status_o[0] = 64'(errors_q);
    for (int unsigned w = 1; w < StatusWords; w++) begin
      if (w <= Groups) status_o[w] = beats_q[w-1];
    end
  end

  if (Inputs < 1 || Inputs > 64 || Groups < 1 || Groups > Outputs || StatusWords < 1) begin : gen_bad_shape
    $error("%m: Inputs must be 1 to 64, Groups 1 to Outputs, StatusWords at least 1");
  end

endmodule
