// SPDX-License-Identifier: Apache-2.0
// polyloom_collective_pattern: walks the runs of a pattern in bursts or in single beats.
// How:          four registers: start of this run, address, beats left in the run, runs left. A burst ends with the
//               run or at the next multiple of BURST_BEATS beats (1 KiB), whichever comes first; so it never crosses
//               4 KiB, and the write engine finds burst ends from addresses alone.
// Latency:      the first item is there one cycle after load_i.
// Throughput:   one item a cycle, also where every run is one beat.
// Backpressure: an item stays until next_i. No path from next_i to the item.
// Order/loss:   runs in order; none lost.
// Reset:        valid_o; the registers are loaded before use.
// Limits:       runs >= 1, run_bytes >= 1, base and stride multiples of BEAT_BYTES: the sequencer refuses others.
// Cost:         211 LUT, 213 FF; 193 ALM, mean of bursts and beats
//               (one, of 7 lanes, 8 channels, no block checks; see polyloom_collective_engine).
// Source:       own design, after OPTWEB section 2.C (block-stride DMA).
// Tests:        test_polyloom_collective_pattern.py, rtl_engine.cc (copy_patterns)
module polyloom_collective_pattern
  import polyloom_collective_pkg::*;
#(
    parameter bit Bursts = 1'b0  // 1: items are bursts; 0: single beats
) (
    input  logic                  clk_i,
    input  logic                  rst_ni,
    input  logic                  load_i,
    input  logic                  clear_i,      // drops what is left
    input  pattern_t              pattern_i,
    // item
    output logic                  valid_o,
    input  logic                  next_i,
    output logic     [ADDR_W-1:0] addr_o,
    output logic     [       5:0] beats_o,      // 1..BURST_BEATS
    output logic                  block_end_o,  // the item reaches a multiple of BURST_BEATS
    output logic                  run_end_o,    // the item is the last of its run
    output logic                  last_o        // ... and of the pattern
);
  localparam int unsigned LeftW = 28;  // beats of a run: ceil((2^32-1) / 32)

  pattern_t pattern_q;  // stride, run_bytes (as beats) are read; base holds the start of this run
  logic valid_q;
  logic [ADDR_W-1:0] addr_q;
  logic [LeftW-1:0] left_q, run_beats, load_beats;
  logic [31:0] runs_q;
  logic [5:0] room, beats;
  logic [ADDR_W-1:0] next_run;

  assign load_beats = {1'b0, pattern_i.run_bytes[31:5]} + LeftW'(|pattern_i.run_bytes[4:0]);
  assign run_beats = {1'b0, pattern_q.run_bytes[31:5]} + LeftW'(|pattern_q.run_bytes[4:0]);
  assign room = 6'd32 - {1'b0, addr_q[9:5]};
  if (Bursts) begin : gen_bursts
    assign beats = (left_q < LeftW'(room)) ? left_q[5:0] : room;
    assign run_end_o = left_q <= LeftW'(room);
  end else begin : gen_beats
    assign beats = 6'd1;
    assign run_end_o = left_q == LeftW'(1);
  end
  assign block_end_o = beats == room;
  assign next_run = pattern_q.base + pattern_q.stride;
  assign valid_o = valid_q;
  assign addr_o = addr_q;
  assign beats_o = beats;
  assign last_o = run_end_o && runs_q == 32'd1;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= 1'b0;
    else if (load_i) valid_q <= 1'b1;
    else if (clear_i || (next_i && last_o)) valid_q <= 1'b0;
  end
  always_ff @(posedge clk_i) begin
    if (load_i) begin
      pattern_q <= pattern_i;
      addr_q <= pattern_i.base;
      left_q <= load_beats;
      runs_q <= pattern_i.runs;
    end else if (next_i) begin
      if (run_end_o) begin
        pattern_q.base <= next_run;
        addr_q <= next_run;
        left_q <= run_beats;
        runs_q <= runs_q - 32'd1;
      end else begin
        addr_q <= addr_q + {{ADDR_W - 11{1'b0}}, beats, 5'b0};
        left_q <= left_q - LeftW'(beats);
      end
    end
  end

  logic unused;
  assign unused = ^{pattern_q.runs};
endmodule
