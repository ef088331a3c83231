// SPDX-License-Identifier: Apache-2.0
// polyloom_hub_lane: writes an output of the function to memory: TLPs from `base` on, at the end the flag word.
// How:          256-bit beats --> halves --> polyloom_hub_packets; a TLP is committed when it is as large as can be or
//               the stream ends. Beyond `capacity` bytes are counted and dropped. Flag word: bytes produced, bit 63 if more
//               than capacity.
// Latency:      beat taken at edge k: its first half goes into packets at k + 1, the second at k + 2.
// Throughput:   a beat in two cycles: the switch's rate.
// Backpressure: in_ready_o depends on registers only (the room of packets among them).
// Order/loss:   in order; beyond capacity dropped and shown.
// Reset:        idle. flush_i: what is not in a whole TLP is thrown away.
// Limits:       base and capacity are multiples of the largest payload: lower bits are taken as 0.
// Cost:         see polyloom_hub_node.
// Source: own design.   Tests: test_polyloom_hub_function.py.
module polyloom_hub_lane
  import polyloom_hub_pkg::*;
#(
    parameter cfg_t Cfg = SMALL
) (
    input  logic                              clk_i,
    input  logic                              rst_ni,
    input  logic                              flush_i,
    input  logic                              step_i,       // used in the step that begins: from 0 on
    input  lane_t                             lane_i,
    // From the operator
    input  logic                              in_valid_i,
    output logic                              in_ready_o,
    input  polyloom_stream_pkg::beat_t        in_i,
    // To the switch
    output logic                              out_valid_o,
    input  logic                              out_ready_i,
    output beat_t                             out_o,
    // To the registers
    output logic                       [63:0] bytes_o,
    output logic                              done_o,       // since step_i: flag handed over
    output logic                              overflow_o,
    output logic                              idle_o
);
  localparam int unsigned Most = Cfg.max_payload;
  localparam int unsigned MostBits = $clog2(Most);
  typedef enum logic [1:0] {
    WAIT,    // for a beat
    HALVES,
    FLAG,
    FLUSH
  } state_e;
  state_e state_q;

  polyloom_stream_pkg::beat_t beat_q;
  logic upper_q, done_q, over_q;  // upper half; flag handed over; beyond capacity
  logic [38:0] bytes_q;  // produced
  logic [ 9:0] size_q;  // bytes in the open TLP
  logic [38:0] base, capacity;
  assign base = {lane_i.base[38:MostBits], MostBits'(0)};
  assign capacity = {lane_i.capacity[38:MostBits], MostBits'(0)};

  // The half in work.
  logic [15:0] keep;
  logic [ 4:0] count;
  logic last_half, ends, fits, room, go, put, commit, flag, packets_idle, data_room, commit_room;
  logic [ 9:0] size;  // of the open TLP with this half
  logic [38:0] place_q;  // of the open TLP, after base
  beat_t half, word;
  assign keep = upper_q ? beat_q.keep[31:16] : beat_q.keep[15:0];
  always_comb begin
    count = '0;
    for (int unsigned i = 0; i < 16; i++) if (keep[i]) count = 5'(i + 1);
  end
  assign last_half = upper_q || beat_q.keep[31:16] == '0;
  assign ends = last_half && beat_q.last;
  assign fits = count != '0 && bytes_q + 39'(count) <= capacity;
  assign size = size_q + (fits ? 10'(count) : 10'd0);
  assign room = data_room && commit_room;
  assign go = state_q == HALVES && room;
  assign flag = state_q == FLAG && room && lane_i.flag != '0;
  assign put = (go && fits) || flag;
  assign commit = (go && size != '0 && (ends || size == 10'(Most))) || flag || (state_q == FLUSH && room);
  assign half = '{last: 1'b0, top: 4'(count - 5'd1), data: upper_q ? beat_q.data[255:128] : beat_q.data[127:0]};
  assign word = '{last: 1'b0, top: 4'd7, data: {64'd0, over_q, 24'd0, bytes_q}};
  polyloom_hub_packets #(
      .Cfg(Cfg)
  ) i_packets (
      .clk_i,
      .rst_ni,
      .data_valid_i    (put),
      .data_ready_o    (data_room),
      .data_i          (flag ? word : half),
      .commit_valid_i  (commit),
      .commit_ready_o  (commit_room),
      .commit_void_i   (state_q == FLUSH),
      .commit_address_i(flag ? lane_i.flag : base + place_q),
      .commit_bytes_i  (flag ? 10'd8 : state_q == FLUSH ? size_q : size),
      .out_valid_o,
      .out_ready_i,
      .out_o,
      .idle_o          (packets_idle)
  );

  assign in_ready_o = state_q == WAIT || (go && last_half && !beat_q.last);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= WAIT;
      upper_q <= 1'b0;
      done_q  <= 1'b0;
      over_q  <= 1'b0;
      bytes_q <= '0;
      size_q  <= '0;
      place_q <= '0;
    end else begin
      unique case (state_q)
        WAIT: if (in_valid_i) state_q <= HALVES;
        HALVES: if (go && last_half) state_q <= beat_q.last ? FLAG : in_valid_i ? HALVES : WAIT;
        FLAG: if (room) state_q <= WAIT;
        default: if (room) state_q <= WAIT;
      endcase
      if (go) begin
        upper_q <= !last_half;
        bytes_q <= bytes_q + 39'(count);
        size_q  <= commit ? '0 : size;
        if (count != '0 && !fits) over_q <= 1'b1;
        if (commit) place_q <= place_q + 39'(Most);
      end
      if (state_q == FLAG && room) done_q <= 1'b1;
      if (flush_i) state_q <= FLUSH;  // what this cycle puts in belongs to the open TLP, too
      if (step_i || (state_q == FLUSH && room)) begin
        upper_q <= 1'b0;
        done_q  <= 1'b0;
        over_q  <= 1'b0;
        bytes_q <= '0;
        size_q  <= '0;
        place_q <= '0;
      end
    end
  end
  always_ff @(posedge clk_i) if (in_ready_o) beat_q <= in_i;
  assign bytes_o = 64'(bytes_q);
  assign done_o = done_q;
  assign overflow_o = over_q;
  assign idle_o = state_q == WAIT && packets_idle;
endmodule
