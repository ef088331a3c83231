// SPDX-License-Identifier: Apache-2.0
// polyloom_op_distribute: one input of a partition: gives each word of its beats to an output, in packed groups.
// How:          1 which output: bucket = key bits, then the outputs of the bucket's route in turn, or what was
//               remembered; 2 rank of each word among those of its beat with the same output; 3 the words go to
//               their places in the output's group of 8; a full group leaves. After a stream's last beat one cycle
//               lets the groups that are left go, with the mark `end`.
//                 beat --> output of each word --> rank --> 8 outputs x 8 places --> groups
//                              |   ^
//                              v   |
//                             record RAM
// Latency:      3 cycles from beat to full group.
// Throughput:   a beat a cycle; one cycle more a stream.
// Backpressure: moves only if every output could take a group (room_i, from registers).
// Order/loss:   words to one output keep their order; flush_i drops all.
// Reset:        empty, nothing recorded.
// Limits:       Outputs a power of two, 2 to 32; Buckets a power of two up to 64.
// Cost:         14,406 LUT, 2,786 FF, 1 RAMB36 (Yosys 0.70, UltraScale+, no place and route, 2026-11).
// Source: own design, after OPTWEB section 3 (sorter).   Tests: test_polyloom_op_distribute.py, operators_rtl_test.cc.
module polyloom_op_distribute
  import polyloom_stream_pkg::*;
#(
    parameter  int unsigned Outputs     = 8,
    parameter  int unsigned Buckets     = 64,
    parameter  int unsigned RecordBeats = 1024,
    localparam int unsigned OutWidth    = $clog2(Outputs),
    localparam int unsigned BucketWidth = $clog2(Buckets)
) (
    input  logic                                       clk_i,
    input  logic                                       rst_ni,
    input  logic                                       flush_i,
    input  logic                                       step_i,
    // Configuration, static while data are in flight
    input  logic                                       record_next_i,   // in the clock of step_i: the new step records
    input  logic  [        4:0]                        shift_i,
    input  logic  [        2:0]                        bits_i,
    input  logic                                       pair_i,
    input  logic                                       record_i,
    input  logic                                       steer_i,
    input  logic                                       silent_i,
    input  logic  [Outputs-1:0]                        on_i,            // outputs of the step
    input  logic  [       31:0][    Outputs-1:0]       route_i,         // outputs of each route
    input  logic  [       31:0][     OutWidth:0]       members_i,       // how many they are
    // From the input's buffer
    input  logic                                       valid_i,
    output logic                                       accept_o,
    input  beat_t                                      beat_i,
    // To the outputs' buffers
    input  logic                                       room_i,
    output logic  [Outputs-1:0]                        push_o,
    output logic  [Outputs-1:0][            3:0]       count_o,         // words of the group
    output logic                                       end_o,           // the stream has no more for anyone
    output logic  [Outputs-1:0][            7:0][31:0] group_o,
    // To the histogram: keys that have passed stage 1
    output logic  [        7:0]                        key_valid_o,
    output logic  [        7:0][BucketWidth-1:0]       key_bucket_o,
    // To the status
    output logic                                       record_error_o,
    output logic                                       busy_o
);

  localparam int unsigned RecordWidth = $clog2(RecordBeats + 1);
  localparam int unsigned AddrWidth = $clog2(RecordBeats);

  // Which of the outputs of a set, for a phase that runs over all of 0 .. Outputs - 1.
  function automatic logic [OutWidth-1:0] member(input logic [Outputs-1:0] set, input logic [OutWidth:0] members,
                                                 input logic [OutWidth-1:0] phase);
    logic [OutWidth-1:0] wanted, seen;
    wanted = OutWidth'(((2 * OutWidth + 1)'(phase) * (2 * OutWidth + 1)'(members)) >> OutWidth);
    member = '0;
    seen   = '0;
    for (int unsigned o = 0; o < Outputs; o++) begin
      if (set[o]) begin
        if (seen == wanted) member = OutWidth'(o);
        seen += 1'b1;
      end
    end
  endfunction

  // Stage 1: the output of each word.
  logic [OutWidth-1:0] turn_q;
  logic [RecordWidth-1:0] beat_q, recorded_q;
  logic [7:0][OutWidth-1:0] remembered_q;
  logic [7:0] there;
  logic [7:0][BucketWidth-1:0] bucket;
  logic [7:0][OutWidth-1:0] target;
  wire past_record = beat_q >= recorded_q;

  always_comb begin
    for (int unsigned k = 0; k < 8; k++) begin
      automatic int unsigned lane = pair_i ? (k & 6) : k;
      automatic logic [5:0] number = 6'(beat_i.data[32*lane+:32] >> shift_i) & ~(6'h3f << bits_i);
      automatic logic [4:0] route = (bits_i == 3'd6) ? number[5:1] : number[4:0];
      there[k]  = beat_i.keep[4*lane];
      bucket[k] = number[BucketWidth-1:0];
      target[k] = member(route_i[route], members_i[route], OutWidth'(lane) + turn_q);
      if (steer_i) target[k] = past_record ? '0 : remembered_q[lane];
    end
  end

  logic valid1_q, last1_q, write1_q;
  logic [7:0] there1_q;
  logic [7:0][BucketWidth-1:0] bucket1_q;
  logic [7:0][OutWidth-1:0] target1_q;
  logic [AddrWidth-1:0] addr1_q;
  logic [BEAT_BITS-1:0] data1_q;
  wire move1, move2;

  assign accept_o = valid_i & (~valid1_q | move1);
  assign record_error_o = accept_o & ((record_i & (beat_q == RecordWidth'(RecordBeats))) | (steer_i & past_record));
  for (genvar k = 0; k < 8; k++) begin : gen_key
    assign key_valid_o[k] = move1 & there1_q[k] & ~steer_i & ~(pair_i & (k % 2 == 1));
  end
  assign key_bucket_o = bucket1_q;

  // Stage 2: the rank of each word among those with its output, and how many each output gets.
  logic valid2_q, last2_q;
  logic [7:0] there2_q;
  logic [7:0][OutWidth-1:0] target2_q;
  logic [7:0][2:0] rank2_q, rank;
  logic [Outputs-1:0][3:0] count2_q, count;
  logic [BEAT_BITS-1:0] data2_q;
  always_comb begin
    rank  = '0;
    count = '0;
    for (int unsigned k = 0; k < 8; k++) begin
      for (int unsigned j = 0; j < k; j++) begin
        rank[k] += 3'(there1_q[j] & (target1_q[j] == target1_q[k]));
      end
      for (int unsigned o = 0; o < Outputs; o++) begin
        count[o] += 4'(there1_q[k] & (target1_q[k] == OutWidth'(o)));
      end
    end
  end
  assign move1 = valid1_q & (~valid2_q | move2);

  // Stage 3: places. Words beyond place 7 begin the next group while the full one leaves.
  logic ending_q;
  logic [Outputs-1:0][2:0] fill_q;
  logic [Outputs-1:0][7:0][31:0] held_q, fresh;
  logic [Outputs-1:0][7:0] hit, early;  // a word of this beat has the place; and it is of the present group
  assign move2 = valid2_q & room_i & ~ending_q;
  assign end_o = ending_q;

  always_comb begin
    fresh = '0;
    hit   = '0;
    early = '0;
    for (int unsigned k = 0; k < 8; k++) begin
      for (int unsigned o = 0; o < Outputs; o++) begin
        automatic logic [3:0] place = {1'b0, fill_q[o]} + {1'b0, rank2_q[k]};
        for (int unsigned s = 0; s < 8; s++) begin
          if (there2_q[k] && target2_q[k] == OutWidth'(o) && place[2:0] == 3'(s)) begin
            hit[o][s]   = 1'b1;
            early[o][s] = ~place[3];
            fresh[o][s] |= data2_q[32*k+:32];
          end
        end
      end
    end
    for (int unsigned o = 0; o < Outputs; o++) begin
      push_o[o]  = ending_q ? room_i & on_i[o] : move2 & (({1'b0, fill_q[o]} + count2_q[o]) >= 4'd8);
      count_o[o] = ending_q ? {1'b0, fill_q[o]} : 4'd8;
      for (int unsigned s = 0; s < 8; s++) begin
        group_o[o][s] = ~ending_q & early[o][s] ? fresh[o][s] : held_q[o][s];
      end
    end
  end

  assign busy_o = valid1_q | valid2_q | ending_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid1_q   <= 1'b0;
      valid2_q   <= 1'b0;
      ending_q   <= 1'b0;
      fill_q     <= '0;
      turn_q     <= '0;
      beat_q     <= '0;
      recorded_q <= '0;
    end else if (flush_i) begin
      valid1_q   <= 1'b0;
      valid2_q   <= 1'b0;
      ending_q   <= 1'b0;
      fill_q     <= '0;
      turn_q     <= '0;
      beat_q     <= '0;
      recorded_q <= '0;
    end else begin
      if (accept_o) valid1_q <= 1'b1;
      else if (move1) valid1_q <= 1'b0;
      if (move1) valid2_q <= 1'b1;
      else if (move2) valid2_q <= 1'b0;
      if (move2) begin
        for (int unsigned o = 0; o < Outputs; o++) fill_q[o] <= fill_q[o] + count2_q[o][2:0];
        ending_q <= last2_q & ~silent_i;
      end else if (ending_q && room_i) begin
        fill_q   <= '0;
        ending_q <= 1'b0;
      end
      if (step_i) begin
        turn_q <= '0;
        beat_q <= '0;
        if (record_next_i) recorded_q <= '0;
      end else if (accept_o) begin
        turn_q <= turn_q + 1'b1;
        if (beat_q != RecordWidth'(RecordBeats)) beat_q <= beat_q + 1'b1;
        if (record_i && beat_q != RecordWidth'(RecordBeats)) recorded_q <= beat_q + 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (accept_o) begin
      last1_q   <= beat_i.last;
      there1_q  <= there;
      bucket1_q <= bucket;
      target1_q <= target;
      data1_q   <= beat_i.data;
      addr1_q   <= beat_q[AddrWidth-1:0];
      write1_q  <= record_i & (beat_q != RecordWidth'(RecordBeats));
    end
    if (move1) begin
      last2_q   <= last1_q;
      there2_q  <= silent_i ? '0 : there1_q;
      target2_q <= target1_q;
      rank2_q   <= rank;
      count2_q  <= silent_i ? '0 : count;
      data2_q   <= data1_q;
    end
    if (move2) begin
      for (int unsigned o = 0; o < Outputs; o++) begin
        for (int unsigned s = 0; s < 8; s++) if (hit[o][s]) held_q[o][s] <= fresh[o][s];
      end
    end
  end

  // What the keys of this input were given, beat by beat; read one beat ahead.
  logic [8*OutWidth-1:0] record_mem[RecordBeats];
  wire [AddrWidth-1:0] next_beat = step_i ? '0 : AddrWidth'(beat_q) + AddrWidth'(accept_o);
  always_ff @(posedge clk_i) begin
    if (move1 && write1_q) record_mem[addr1_q] <= target1_q;
    remembered_q <= record_mem[next_beat];
  end

  if (Outputs < 2 || Outputs > 32 || 2 ** OutWidth != Outputs) begin : gen_bad_outputs
    $error("%m: Outputs must be a power of two from 2 to 32");
  end
  if (Buckets < 2 || Buckets > 64 || 2 ** BucketWidth != Buckets || RecordBeats < 2) begin : gen_bad_buckets
    $error("%m: Buckets must be a power of two from 2 to 64, RecordBeats at least 2");
  end

endmodule
