// SPDX-License-Identifier: Apache-2.0
// polyloom_op_partition: sends each key of its inputs to the output of the key's bucket, 8 keys a cycle and input.
// How:          each input gives its words to the outputs in groups of 8 (distribute), which wait in a buffer for
//               each pair of input and output; each output takes a group a cycle from the inputs in turn (collect).
//                 in i --[2]--> distribute i --> Outputs x [Depth groups] --.
//                                                    one of each input ------> collect o --[2]--> out o
//               Keys only; records of 64 bit (key low, value high); or keys remembered (RecordBeats an input) and
//               values steered by them in a later step. A bucket may leave by several outputs in turn.
//               Histogram of all buckets. Configuration: README.md.
// Latency:      8 cycles from an accepted beat to a result, if the beat fills a group and a second one follows.
// Throughput:   each input and each output one beat a cycle; uniform keys are taken at 95 % and more (README.md).
// Backpressure: an input waits while one of its buffers is full, so a bucket that gets more than its output can
//               take slows all; split it. Both sides are registered.
// Order/loss:   what comes by one input and leaves by one output keeps its order; inputs mix. Every used output ends
//               with `last` after all inputs of the mask have; only that beat may be short, and it has no bytes
//               only if the output got none. Bytes that do not count are zero. flush_i drops all.
// Reset:        empty, without configuration, nothing recorded.
// Limits:       1 <= Inputs <= 64, Outputs a power of two from 2 to 32, Buckets from 2 to 64.
// Cost:         about 143,000 LUT as the sum of 8 distribute and 8 collect, without 64 buffers and histogram.
// Source: own design, after OPTWEB section 3 (sorter).   Tests: test_polyloom_op_partition.py
module polyloom_op_partition
  import polyloom_stream_pkg::*;
  import polyloom_operator_pkg::*;
#(
    parameter int unsigned Inputs = 8,
    parameter int unsigned Outputs = 8,
    parameter int unsigned Depth = 16,
    parameter int unsigned Buckets = 64,
    parameter int unsigned RecordBeats = 1024,
    parameter int unsigned StatusWords = 66  // [0] errors, [1] beats that came, [2 + b] keys of bucket b, [2 + Buckets + o] words out
) (
    input  logic                                clk_i,
    input  logic                                rst_ni,
    // From the sequencer: the configuration is sampled in the clock of step_i
    input  logic                                flush_i,      // drops everything in flight, configuration and status
    input  logic                                step_i,       // a new step begins
    input  logic  [    Outputs-1:0]             cfg_valid_i,  // this step uses output o
    input  logic  [    Outputs-1:0][      63:0] cfg_word_i,   // how: low half the same on all used outputs
    input  logic  [    Outputs-1:0][Inputs-1:0] cfg_mask_i,   // inputs that it takes: the same on all used outputs
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

  localparam int unsigned OutWidth = $clog2(Outputs);
  localparam int unsigned BucketWidth = $clog2(Buckets);
  typedef struct packed {
    logic             ends;   // the input's stream has no more
    logic [3:0]       count;  // words that count, from word 0
    logic [7:0][31:0] words;
  } group_t;

  // The configuration, checked once a step.
  logic [31:0] word_d;
  logic [Inputs-1:0] mask_d;
  logic [31:0][Outputs-1:0] route_d;
  logic [31:0][OutWidth:0] members_d;
  logic explicit_d, good_d;
  logic [2:0] route_bits;
  always_comb begin
    word_d = '0;
    mask_d = '0;
    explicit_d = 1'b0;
    for (int unsigned o = 0; o < Outputs; o++) begin
      if (cfg_valid_i[o]) begin
        word_d |= cfg_word_i[o][31:0];
        mask_d |= cfg_mask_i[o];
        explicit_d |= |cfg_word_i[o][63:32];
      end
    end
    good_d = (|mask_d) && word_d[7:5] == '0 && word_d[15:11] == '0 && word_d[31:20] == '0
        && 32'(word_d[10:8]) <= BucketWidth && ~(word_d[MODE_RECORD] & word_d[MODE_STEER])
        && ~(word_d[MODE_SILENT] & word_d[MODE_STEER]);
    for (int unsigned o = 0; o < Outputs; o++) begin
      if (cfg_valid_i[o] && (cfg_word_i[o][31:0] != word_d || cfg_mask_i[o] != mask_d)) good_d = 1'b0;
    end
    route_bits = (word_d[10:8] > 3'd5) ? 3'd5 : word_d[10:8];
    for (int unsigned r = 0; r < 32; r++) begin
      for (int unsigned o = 0; o < Outputs; o++) begin
        if (explicit_d) route_d[r][o] = cfg_valid_i[o] & cfg_word_i[o][32+r];
        else if (32'(route_bits) > OutWidth) begin
          route_d[r][o] = cfg_valid_i[o] & ((r >> (32'(route_bits) - OutWidth)) == o);
        end else route_d[r][o] = cfg_valid_i[o] & (r == o);
      end
      members_d[r] = (OutWidth + 1)'($countones(route_d[r]));
      if (r < (32'd1 << route_bits) && route_d[r] == '0) good_d = 1'b0;
    end
  end

  logic good_q;
  logic [Inputs-1:0] mask_q;
  logic [Outputs-1:0] on_q;
  logic [31:0] word_q;
  logic [31:0][Outputs-1:0] route_q;
  logic [31:0][OutWidth:0] members_q;
  wire unused_word = ^{good_q, word_q[31:20], word_q[15:11], word_q[7:5]};

  logic [Inputs-1:0] in_valid, in_offered, in_accepted, record_error, busy_in;
  logic [Inputs-1:0][Outputs-1:0] buffer_ready, buffer_valid, buffer_push;
  group_t [Inputs-1:0][Outputs-1:0] buffer_in, buffer_out;
  logic [Outputs-1:0][Inputs-1:0] collect_accept;
  logic [Inputs-1:0][7:0] key_valid;
  logic [Inputs-1:0][7:0][BucketWidth-1:0] key_bucket;
  logic [Outputs-1:0] busy_out;
  logic [Outputs-1:0][3:0] leaving;  // words of the beat that leaves by an output in this clock

  for (genvar i = 0; i < Inputs; i++) begin : gen_in
    beat_t beat;
    logic [Outputs-1:0][3:0] count;
    logic ends;
    logic [Outputs-1:0][7:0][31:0] words;

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
        .out_o      (beat)
    );
    assign in_offered[i] = in_valid[i] & mask_q[i];

    polyloom_op_distribute #(
        .Outputs    (Outputs),
        .Buckets    (Buckets),
        .RecordBeats(RecordBeats)
    ) i_distribute (
        .clk_i,
        .rst_ni,
        .flush_i,
        .step_i,
        .record_next_i (good_d & word_d[MODE_RECORD]),
        .shift_i       (word_q[4:0]),
        .bits_i        (word_q[10:8]),
        .pair_i        (word_q[MODE_PAIR]),
        .record_i      (word_q[MODE_RECORD]),
        .steer_i       (word_q[MODE_STEER]),
        .silent_i      (word_q[MODE_SILENT]),
        .on_i          (on_q),
        .route_i       (route_q),
        .members_i     (members_q),
        .valid_i       (in_offered[i]),
        .accept_o      (in_accepted[i]),
        .beat_i        (beat),
        .room_i        (&buffer_ready[i]),
        .push_o        (buffer_push[i]),
        .count_o       (count),
        .end_o         (ends),
        .group_o       (words),
        .key_valid_o   (key_valid[i]),
        .key_bucket_o  (key_bucket[i]),
        .record_error_o(record_error[i]),
        .busy_o        (busy_in[i])
    );

    for (genvar o = 0; o < Outputs; o++) begin : gen_buffer
      assign buffer_in[i][o] = '{ends: ends, count: count[o], words: words[o]};
      polyloom_stream_lut_fifo #(
          .T    (group_t),
          .Depth(Depth)
      ) i_buffer (
          .clk_i,
          .rst_ni,
          .flush_i,
          .in_valid_i (buffer_push[i][o]),
          .in_ready_o (buffer_ready[i][o]),
          .in_i       (buffer_in[i][o]),
          .out_valid_o(buffer_valid[i][o]),
          .out_ready_i(collect_accept[o][i]),
          .out_o      (buffer_out[i][o])
      );
    end
  end

  for (genvar o = 0; o < Outputs; o++) begin : gen_out
    logic [Inputs-1:0] valid, ends;
    logic [Inputs-1:0][3:0] count;
    logic [Inputs-1:0][7:0][31:0] words;
    logic beat_valid, beat_ready;
    beat_t beat;
    for (genvar i = 0; i < Inputs; i++) begin : gen_side
      assign valid[i] = buffer_valid[i][o];
      assign ends[i]  = buffer_out[i][o].ends;
      assign count[i] = buffer_out[i][o].count;
      assign words[i] = buffer_out[i][o].words;
    end
    polyloom_op_collect #(
        .Inputs(Inputs)
    ) i_collect (
        .clk_i,
        .rst_ni,
        .flush_i,
        .step_i,
        .mask_i(mask_q),
        .valid_i(valid),
        .accept_o(collect_accept[o]),
        .count_i(count),
        .end_i(ends),
        .group_i(words),
        .valid_o(beat_valid),
        .ready_i(beat_ready),
        .beat_o(beat),
        .busy_o(busy_out[o])
    );
    always_comb begin
      leaving[o] = '0;
      for (int unsigned k = 0; k < 8; k++) leaving[o] += 4'(beat_valid && beat_ready && beat.keep[4*k]);
    end
    polyloom_stream_lut_fifo #(
        .T    (beat_t),
        .Depth(2)
    ) i_fifo (
        .clk_i,
        .rst_ni,
        .flush_i,
        .in_valid_i (beat_valid),
        .in_ready_o (beat_ready),
        .in_i       (beat),
        .out_valid_o(out_valid_o[o]),
        .out_ready_i(out_ready_i[o]),
        .out_o      (out_o[o])
    );
  end

  // Histogram: counts of each input's beat, then of all inputs, then the sum.
  logic [Inputs-1:0][Buckets-1:0][3:0] counts_q;
  logic [Buckets-1:0][63:0] histogram_q;
  logic [Buckets-1:0][9:0] counts_sum;
  always_comb begin
    for (int unsigned b = 0; b < Buckets; b++) begin
      counts_sum[b] = '0;
      for (int unsigned i = 0; i < Inputs; i++) counts_sum[b] += 10'(counts_q[i][b]);
    end
  end

  logic [ERRORS-1:0] errors_q;
  logic [63:0] beats_q;
  logic [Outputs-1:0][63:0] words_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      good_q      <= 1'b0;
      mask_q      <= '0;
      on_q        <= '0;
      errors_q    <= '0;
      beats_q     <= '0;
      words_q     <= '0;
      counts_q    <= '0;
      histogram_q <= '0;
    end else if (flush_i) begin
      good_q      <= 1'b0;
      mask_q      <= '0;
      on_q        <= '0;
      errors_q    <= '0;
      beats_q     <= '0;
      words_q     <= '0;
      counts_q    <= '0;
      histogram_q <= '0;
    end else if (step_i) begin
      good_q      <= good_d;
      mask_q      <= good_d ? mask_d : '0;
      on_q        <= good_d ? cfg_valid_i : '0;
      errors_q    <= ERRORS'(good_d ? 1'b0 : |cfg_valid_i) << ERR_CONFIG;
      beats_q     <= '0;
      words_q     <= '0;
      counts_q    <= '0;
      histogram_q <= '0;
    end else begin
      if (|(in_valid & ~mask_q)) errors_q[ERR_STRAY] <= 1'b1;
      if (|record_error) errors_q[ERR_RECORD] <= 1'b1;
      beats_q <= beats_q + 64'($countones(in_accepted));
      for (int unsigned o = 0; o < Outputs; o++) words_q[o] <= words_q[o] + 64'(leaving[o]);
      for (int unsigned b = 0; b < Buckets; b++) begin
        for (int unsigned i = 0; i < Inputs; i++) begin
          automatic logic [7:0] match = '0;
          for (int unsigned k = 0; k < 8; k++) match[k] = key_valid[i][k] & (key_bucket[i][k] == BucketWidth'(b));
          counts_q[i][b] <= 4'($countones(match));
        end
        histogram_q[b] <= histogram_q[b] + 64'(counts_sum[b]);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (step_i) begin
      word_q    <= good_d ? word_d : '0;
      route_q   <= route_d;
      members_q <= members_d;
    end
  end

  assign idle_o = ~|in_valid & ~|busy_in & ~|buffer_valid & ~|busy_out & ~|out_valid_o;
  always_comb begin
    status_o = '0;
    status_o[0] = 64'(errors_q);
    for (int unsigned w = 1; w < StatusWords; w++) begin
      if (w == 1) status_o[w] = beats_q;
      else if (w < 2 + Buckets) status_o[w] = histogram_q[w-2];
      else if (w < 2 + Buckets + Outputs) status_o[w] = words_q[w-2-Buckets];
    end
  end

  if (Inputs < 1 || Inputs > 64 || Depth < 1 || StatusWords < 1) begin : gen_bad_shape
    $error("%m: Inputs must be 1 to 64, Depth and StatusWords at least 1");
  end

endmodule
