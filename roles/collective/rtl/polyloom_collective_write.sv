// SPDX-License-Identifier: Apache-2.0
// polyloom_collective_write: W#, writes a stream of beats to the pattern in its channel.
// How:          pattern (bursts) -> AXI write requests, ahead of the data
//               sink -> pattern (beats) gives strobes, burst ends and the place where the stream must end -> AXI data
//               A write with an open end cannot know its bursts, so each beat is a burst, requested with its data.
// Latency:      a beat accepted from the switch is the beat on mem_w (same edge); done 1 cycle after the last
//               acknowledgement (write_to_done).
// Throughput:   one beat and one request a cycle; at most 255 bursts unacknowledged.
// Backpressure: mem_w_ready_i -> ready_o is combinational (the switch ends it in a register).
// Order/loss:   in order; none lost. stop_i: bursts that were requested are ended with empty strobes.
// Reset:        control only.
// Limits:       the pattern lies in the channel, else bad_program; the stream ends with the pattern, else length
//               (open end: not after it).
// Cost:         496 LUT, 29 FF; 254 ALM; pattern walkers apart
//               (one, of 7 lanes, 8 channels, no block checks; see polyloom_collective_engine).
// Source:       own design, after OPTWEB section 2.C.
// Tests:        test_polyloom_collective_write.py, rtl_engine.cc (copies, open ends, faults)
module polyloom_collective_write
  import polyloom_collective_pkg::*;
  import polyloom_collective_encoding_pkg::*;
  import polyloom_stream_pkg::beat_t;
#(
    parameter cfg_t Cfg = SMALL
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  logic                   stop_i,
    input  logic                   flush_i,
    // from sequencer
    input  logic                   go_i,
    input  dma_step_t              step_i,
    output logic                   active_o,
    output logic                   idle_o,          // nothing owed to the memory or by it
    output fault_t                 fault_o,
    // from switch
    input  logic                   valid_i,
    output logic                   ready_o,
    input  beat_t                  beat_i,
    // memory
    output logic                   mem_aw_valid_o,
    input  logic                   mem_aw_ready_i,
    output logic      [ADDR_W-1:0] mem_aw_addr_o,
    output logic      [       7:0] mem_aw_len_o,
    output logic                   mem_w_valid_o,
    input  logic                   mem_w_ready_i,
    output logic      [     255:0] mem_w_data_o,
    output logic      [      31:0] mem_w_strb_o,
    output logic                   mem_w_last_o,
    input  logic                   mem_b_valid_i,
    output logic                   mem_b_ready_o
);
  logic go, active_q, open_q, moving_q;  // moving: data are still to come
  logic aw_pending_q, w_pending_q, pad_q, pad;
  logic aw_sent_q, w_sent_q;  // open end: halves of this beat that are through
  logic [7:0] ahead_q;  // bursts requested whose last beat has not left
  logic [7:0] owed_q;  // bursts not acknowledged
  logic [4:0] tail_q;
  logic aw_fire, w_fire, accept, want_aw, want_w, bad;

  assign go = go_i && step_i.valid;

  logic burst_valid, beat_valid, beat_block, beat_run_end, beat_last;
  logic unused_burst_block, unused_burst_run, unused_burst_last;
  logic [ADDR_W-1:0] burst_addr, beat_addr;
  logic [5:0] burst_beats, unused_beat_beats;

  polyloom_collective_pattern #(
      .Bursts(1'b1)
  ) i_bursts (
      .clk_i,
      .rst_ni,
      .load_i     (go && !step_i.open_end),
      .clear_i    (stop_i && !aw_pending_q && !aw_fire),
      .pattern_i  (step_i.pattern),
      .valid_o    (burst_valid),
      .next_i     (aw_fire && !open_q),
      .addr_o     (burst_addr),
      .beats_o    (burst_beats),
      .block_end_o(unused_burst_block),
      .run_end_o  (unused_burst_run),
      .last_o     (unused_burst_last)
  );
  polyloom_collective_pattern #(
      .Bursts(1'b0)
  ) i_beats (
      .clk_i,
      .rst_ni,
      .load_i     (go),
      .clear_i    (flush_i),
      .pattern_i  (step_i.pattern),
      .valid_o    (beat_valid),
      .next_i     (open_q ? accept : w_fire),
      .addr_o     (beat_addr),
      .beats_o    (unused_beat_beats),
      .block_end_o(beat_block),
      .run_end_o  (beat_run_end),
      .last_o     (beat_last)
  );

  // Requests: ahead of the data, or with them.
  assign want_aw = open_q ? (valid_i && moving_q && beat_valid && !aw_sent_q) : burst_valid;
  assign mem_aw_addr_o = open_q ? beat_addr : burst_addr;
  assign mem_aw_len_o = open_q ? 8'd0 : 8'(burst_beats) - 8'd1;
  if (Cfg.channel_bits < ADDR_W) begin : gen_bound
    assign bad = |(mem_aw_addr_o >> Cfg.channel_bits);
  end else begin : gen_no_bound
    assign bad = 1'b0;
  end
  assign mem_aw_valid_o = want_aw && !bad && owed_q != '1 && (!stop_i || aw_pending_q);
  assign aw_fire = mem_aw_valid_o && mem_aw_ready_i;

  // Data. After a stop the beat that the memory has been shown stays; then come empty ones.
  assign pad = stop_i && (pad_q || !w_pending_q);
  assign want_w = valid_i && moving_q && beat_valid && (open_q ? (!w_sent_q && !bad && (aw_sent_q || owed_q != '1)) : ahead_q != '0);
  // An open end owes no data: what was shown of its beat stays until taken, so only bursts are filled up.
  assign mem_w_valid_o = pad ? (!open_q && ahead_q != '0) : want_w;
  assign mem_w_data_o = pad ? '0 : beat_i.data;
  assign mem_w_strb_o = pad ? '0 : beat_i.keep & (beat_run_end ? first_bytes(tail_q) : '1);
  assign mem_w_last_o = open_q || beat_run_end || beat_block;
  assign w_fire = mem_w_valid_o && mem_w_ready_i;
  assign accept = !pad && (open_q ? (want_aw || aw_sent_q) && (want_w || w_sent_q) &&
                         (aw_fire || aw_sent_q) && (w_fire || w_sent_q) : w_fire);
  assign ready_o = accept;
  assign mem_b_ready_o = 1'b1;

  always_comb begin
    fault_o = '{code: FAULT_NONE, value: '0};
    if (want_aw && bad && !stop_i) begin
      fault_o = '{code: FAULT_BAD_PROGRAM, value: {{64 - ADDR_W{1'b0}}, mem_aw_addr_o}};
    end else if (accept && !stop_i && (beat_last ? !beat_i.last : beat_i.last && !open_q)) begin
      fault_o = '{code: FAULT_LENGTH, value: {{64 - ADDR_W{1'b0}}, beat_addr}};
    end
  end

  assign active_o = active_q;
  assign idle_o   = owed_q == '0 && ahead_q == '0 && !aw_pending_q && !w_pending_q;

  // Bursts whose last beat has left, of those that were requested: in open form both count at once.
  logic ahead_up, ahead_down;
  assign ahead_up   = aw_fire;
  assign ahead_down = w_fire && mem_w_last_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      active_q <= 1'b0;
      moving_q <= 1'b0;
      open_q <= 1'b0;
      aw_pending_q <= 1'b0;
      w_pending_q <= 1'b0;
      pad_q <= 1'b0;
      aw_sent_q <= 1'b0;
      w_sent_q <= 1'b0;
      ahead_q <= '0;
      owed_q <= '0;
    end else begin
      aw_pending_q <= mem_aw_valid_o && !mem_aw_ready_i;
      w_pending_q <= mem_w_valid_o && !mem_w_ready_i;
      pad_q <= pad;
      ahead_q <= ahead_q + 8'(ahead_up) - 8'(ahead_down);
      owed_q <= owed_q + 8'(aw_fire) - 8'(mem_b_valid_i);
      aw_sent_q <= open_q && !accept && (aw_sent_q || aw_fire);
      w_sent_q <= open_q && !accept && (w_sent_q || (w_fire && !pad));
      if (go) begin
        active_q <= 1'b1;
        moving_q <= 1'b1;
        open_q   <= step_i.open_end;
      end else if (flush_i) begin
        active_q <= 1'b0;
        moving_q <= 1'b0;
      end else begin
        if (accept && (beat_i.last || beat_last)) moving_q <= 1'b0;
        if (active_q && !moving_q && owed_q == 8'(mem_b_valid_i) && ahead_q == '0) active_q <= 1'b0;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (go) tail_q <= step_i.pattern.run_bytes[4:0];
  end
endmodule
