// SPDX-License-Identifier: Apache-2.0
// polyloom_collective_read: R#, reads a pattern from its channel and offers it as a stream of beats.
// How:          pattern (bursts) -> AXI read requests, as many as the buffer has room for (credits)
//               AXI data -> pattern (beats) marks run ends and the last beat -> buffer -> source
//               Bytes after the end of a run are zero and not in keep.
// Latency:      request 1 cycle after begin_i (begin_to_request); a beat 1 cycle after the memory's (read_to_source).
// Throughput:   one beat a cycle while read latency + 32 <= read_beats; one request a cycle, so runs of one beat too.
// Backpressure: requests wait for credits, so mem_r_ready_o is always 1. No path from ready_i to the memory.
// Order/loss:   AXI order (one ID); none lost. stop_i: no new request, what comes is thrown away.
// Reset:        control; the buffer's data are not cleared.
// Limits:       the pattern lies in the channel, else bad_program. Memory responds in order of requests.
// Cost:         381 LUT, 24 FF; 202 ALM; its buffer (read_beats x 258 bits) and pattern walkers apart
//               (one, of 7 lanes, 8 channels, no block checks; see polyloom_collective_engine).
// Source:       own design, after OPTWEB section 2.C.
// Tests:        test_polyloom_collective_read.py, rtl_engine.cc (copies, full rate at latency 64)
module polyloom_collective_read
  import polyloom_collective_pkg::*;
  import polyloom_collective_encoding_pkg::*;
  import polyloom_stream_pkg::beat_t;
#(
    parameter cfg_t Cfg = SMALL
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  logic                   stop_i,          // a fault has stopped the node
    input  logic                   flush_i,         // forget everything
    // from sequencer and sync
    input  logic                   go_i,
    input  dma_step_t              step_i,
    input  logic                   begin_i,
    output logic                   pending_o,       // has a pattern and waits for begin_i
    output logic                   active_o,
    output logic                   idle_o,          // nothing outstanding at the memory
    output fault_t                 fault_o,
    // memory
    output logic                   mem_ar_valid_o,
    input  logic                   mem_ar_ready_i,
    output logic      [ADDR_W-1:0] mem_ar_addr_o,
    output logic      [       7:0] mem_ar_len_o,
    input  logic                   mem_r_valid_i,
    output logic                   mem_r_ready_o,
    input  logic      [     255:0] mem_r_data_i,
    // to switch
    output logic                   valid_o,
    input  logic                   ready_i,
    output beat_t                  beat_o
);
  localparam int unsigned CreditW = $clog2(Cfg.read_beats + 1);

  logic go, active_q, begun_q, ar_pending_q, bad;
  logic [CreditW-1:0] used_q, outstanding_q;  // beats asked for and not taken, and not come
  logic [4:0] tail_q;
  logic req_valid, req_fire, got, accepted;
  logic [5:0] req_beats;
  logic [ADDR_W-1:0] req_addr;

  assign go = go_i && step_i.valid;

  // Requests.
  logic unused_block_end, unused_run_end, unused_last;
  polyloom_collective_pattern #(
      .Bursts(1'b1)
  ) i_requests (
      .clk_i,
      .rst_ni,
      .load_i     (go),
      .clear_i    (stop_i && !ar_pending_q && !req_fire),
      .pattern_i  (step_i.pattern),
      .valid_o    (req_valid),
      .next_i     (req_fire),
      .addr_o     (req_addr),
      .beats_o    (req_beats),
      .block_end_o(unused_block_end),
      .run_end_o  (unused_run_end),
      .last_o     (unused_last)
  );
  if (Cfg.channel_bits < ADDR_W) begin : gen_bound
    assign bad = |(req_addr >> Cfg.channel_bits);
  end else begin : gen_no_bound
    assign bad = 1'b0;
  end
  // A request once shown stays: stop_i only keeps further ones back.
  assign mem_ar_valid_o = req_valid && begun_q && !bad && (!stop_i || ar_pending_q) &&
                          ({1'b0, used_q} + (CreditW + 1)'(req_beats) <= (CreditW + 1)'(Cfg.read_beats));
  assign mem_ar_addr_o = req_addr;
  assign mem_ar_len_o = 8'(req_beats) - 8'd1;
  assign req_fire = mem_ar_valid_o && mem_ar_ready_i;
  assign fault_o.code = (req_valid && begun_q && bad && !stop_i) ? FAULT_BAD_PROGRAM : FAULT_NONE;
  assign fault_o.value = {{64 - ADDR_W{1'b0}}, req_addr};

  // Data.
  logic beat_run_end, beat_last, fifo_run_end, fifo_last, fifo_valid;
  logic unused_beat_valid, unused_beat_block, unused_fifo_ready;
  logic [ADDR_W-1:0] unused_beat_addr;
  logic [5:0] unused_beat_beats;
  logic [255:0] masked;
  logic [31:0] run_keep;
  logic [CreditW-1:0] unused_count;

  polyloom_collective_pattern #(
      .Bursts(1'b0)
  ) i_beats (
      .clk_i,
      .rst_ni,
      .load_i     (go),
      .clear_i    (stop_i),
      .pattern_i  (step_i.pattern),
      .valid_o    (unused_beat_valid),
      .next_i     (got),
      .addr_o     (unused_beat_addr),
      .beats_o    (unused_beat_beats),
      .block_end_o(unused_beat_block),
      .run_end_o  (beat_run_end),
      .last_o     (beat_last)
  );
  assign mem_r_ready_o = 1'b1;
  assign got = mem_r_valid_i;
  assign run_keep = first_bytes(tail_q);
  always_comb begin
    for (int unsigned i = 0; i < BEAT_BYTES; i++) begin
      masked[8*i+:8] = (beat_run_end && !run_keep[i]) ? 8'd0 : mem_r_data_i[8*i+:8];
    end
  end
  polyloom_stream_ram_fifo #(
      .Width(258),
      .Depth(Cfg.read_beats)
  ) i_buffer (
      .clk_i,
      .rst_ni,
      .flush_i,
      .in_valid_i(got && !stop_i),
      .in_ready_o(unused_fifo_ready),
      .in_i({beat_run_end, beat_last, masked}),
      .out_valid_o(fifo_valid),
      .out_ready_i(accepted),
      .out_o({fifo_run_end, fifo_last, beat_o.data}),
      .usage_o(unused_count)
  );
  assign valid_o = fifo_valid && !stop_i;
  assign beat_o.keep = fifo_run_end ? run_keep : '1;
  assign beat_o.last = fifo_last;
  assign accepted = valid_o && ready_i;

  assign active_o = active_q;
  assign pending_o = active_q && !begun_q;
  assign idle_o = outstanding_q == '0 && !ar_pending_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      active_q <= 1'b0;
      begun_q <= 1'b0;
      ar_pending_q <= 1'b0;
      used_q <= '0;
      outstanding_q <= '0;
    end else begin
      ar_pending_q  <= mem_ar_valid_o && !mem_ar_ready_i;
      outstanding_q <= outstanding_q + (req_fire ? CreditW'(req_beats) : '0) - CreditW'(got);
      if (flush_i) used_q <= '0;
      else used_q <= used_q + (req_fire ? CreditW'(req_beats) : '0) - CreditW'(accepted);
      if (go) begin
        active_q <= 1'b1;
        begun_q  <= 1'b0;
      end else if (flush_i || (accepted && fifo_last)) begin
        active_q <= 1'b0;
        begun_q  <= 1'b0;
      end else if (begin_i) begin
        begun_q <= 1'b1;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (go) tail_q <= step_i.pattern.run_bytes[4:0];
  end

  logic unused_step;
  assign unused_step = step_i.open_end;
endmodule
