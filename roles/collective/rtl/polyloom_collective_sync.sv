// SPDX-License-Identifier: Apache-2.0
// polyloom_collective_sync: permission of blocks by one-clock pulses, and which block begins when.
// How:          a lane keeps credit = pulses received - blocks begun (README: p - j). A rendezvous block needs
//               credit >= 1, an eager one credit >= 0. A source begins with all tx lanes that copy it; with `together`
//               all lanes of the step begin at once. A relay's own pulse leaves when its source begins.
// Latency:      pulse to begin 1 cycle (pulse_to_count); go to begin 1 cycle at least (go_to_begin);
//               go to pulse 1 (go_to_pulse); begin of a relay to its pulse 1.
// Throughput:   a begin and a pulse a lane a cycle.
// Backpressure: none: pulses are never refused.
// Order/loss:   pulses carry nothing but their number, so none can be confused.
// Reset:        credits zero, no pulse; flush_i the same.
// Limits:       at most 2^31 - 1 pulses ahead.
// Cost:         771 LUT, 267 FF; 402 ALM
//               (one, of 7 lanes, 8 channels, no block checks; see polyloom_collective_engine).
// Source:       own design, after OPTWEB section 2.C (sync IP).
// Tests:        test_polyloom_collective_sync.py, rtl_engine.cc; proof: formal/proofs.toml
module polyloom_collective_sync
  import polyloom_collective_pkg::*;
#(
    parameter cfg_t Cfg = SMALL,
    localparam int unsigned Sources = Cfg.channels + Cfg.lanes + Cfg.op_outputs * Cfg.partitions
) (
    input  logic                                       clk_i,
    input  logic                                       rst_ni,
    input  logic                                       stop_i,
    input  logic                                       flush_i,
    // from sequencer, at go
    input  logic                                       go_i,
    input  logic                                       together_i,
    input  lane_step_t [   Cfg.lanes-1:0]              send_i,
    input  lane_step_t [   Cfg.lanes-1:0]              accept_i,
    input  logic       [   Cfg.lanes-1:0]              relay_i,         // a send of the step copies this rx lane
    // from switch: the sources of the tx lanes
    input  logic       [   Cfg.lanes-1:0][Sources-1:0] tx_select_i,
    // from read engines
    input  logic       [Cfg.channels-1:0]              read_pending_i,
    output logic       [Cfg.channels-1:0]              read_begin_o,
    // to tx lanes
    output logic       [   Cfg.lanes-1:0]              tx_begin_o,      // block begins; pulse only: is complete
    output logic       [   Cfg.lanes-1:0]              tx_enable_o,     // has begun
    output logic       [   Cfg.lanes-1:0]              tx_waits_o,      // lacks a pulse
    // from rx lanes: an eager block has been drained
    input  logic       [   Cfg.lanes-1:0]              drained_i,
    // lanes
    input  logic       [   Cfg.lanes-1:0]              pulse_i,
    output logic       [   Cfg.lanes-1:0]              pulse_o
);
  localparam int unsigned L = Cfg.lanes;
  localparam int unsigned C = Cfg.channels;

  logic [L-1:0] pending_q, eager_q, pulse_only_q, begun_q, relay_q, pulse_q;
  logic [L-1:0] may, relay_pulse;
  logic [L-1:0][31:0] credit_q;  // signed
  logic [Sources-1:0] source_ok;
  logic together_q, together_ok;

  always_comb begin
    for (int unsigned l = 0; l < L; l++) begin
      may[l] = !credit_q[l][31] && (eager_q[l] || credit_q[l] != '0);
    end
    together_ok = !together_q || &(may | ~pending_q);
    for (int unsigned s = 0; s < Sources; s++) begin
      source_ok[s] = together_ok && !stop_i;
      for (int unsigned l = 0; l < L; l++) if (tx_select_i[l][s] && pending_q[l] && !may[l]) source_ok[s] = 1'b0;
    end
    for (int unsigned l = 0; l < L; l++) begin
      tx_begin_o[l]  = pending_q[l] && may[l] && together_ok && !stop_i && !(|(tx_select_i[l] & ~source_ok));
      relay_pulse[l] = relay_q[l] && source_ok[C+l];
    end
    for (int unsigned c = 0; c < C; c++) read_begin_o[c] = read_pending_i[c] && source_ok[c];
  end
  assign tx_enable_o = begun_q;
  assign tx_waits_o = pending_q & ~may;
  assign pulse_o = pulse_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pending_q <= '0;
      begun_q <= '0;
      relay_q <= '0;
      pulse_q <= '0;
      credit_q <= '0;
      together_q <= 1'b0;
      eager_q <= '0;
      pulse_only_q <= '0;
    end else if (flush_i) begin
      pending_q <= '0;
      begun_q <= '0;
      relay_q <= '0;
      pulse_q <= '0;
      credit_q <= '0;
      together_q <= 1'b0;
    end else begin
      if (go_i) together_q <= together_i;
      for (int unsigned l = 0; l < L; l++) begin
        credit_q[l] <= credit_q[l] + 32'(pulse_i[l]) - 32'(tx_begin_o[l]);
        pulse_q[l]  <= !stop_i && (drained_i[l] || relay_pulse[l] ||
                       (go_i && accept_i[l].valid && !accept_i[l].eager && !relay_i[l]));
        if (go_i) begin
          pending_q[l] <= send_i[l].valid;
          eager_q[l] <= send_i[l].eager;
          pulse_only_q[l] <= send_i[l].pulse_only;
          begun_q[l] <= 1'b0;
          relay_q[l] <= accept_i[l].valid && !accept_i[l].eager && relay_i[l];
        end else begin
          if (tx_begin_o[l]) begin
            pending_q[l] <= 1'b0;
            begun_q[l]   <= !pulse_only_q[l];
          end
          if (relay_pulse[l]) relay_q[l] <= 1'b0;
        end
      end
    end
  end

  logic unused;
  always_comb begin
    unused = 1'b0;
    for (int unsigned l = 0; l < L; l++) begin
      unused ^= ^{send_i[l].signature, accept_i[l].pulse_only, accept_i[l].signature};
    end
  end
endmodule
