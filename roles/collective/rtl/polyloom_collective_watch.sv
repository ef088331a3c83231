// SPDX-License-Identifier: Apache-2.0
// polyloom_collective_watch: finds the first fault of the node and stops it.
// How:          faults of the sequencer, of the engines and of the lanes, lowest position first, are latched once; a
//               counter of cycles without progress makes the timeout, with the lanes that lack pulse or data.
// Latency:      stop_o one cycle after the fault.
// Throughput:   one fault until clear; further ones belong to the first.
// Backpressure: none; the event waits in event_valid_o until taken.
// Order/loss:   first fault kept.
// Reset:        not stopped.
// Limits:       none.
// Cost:         1,811 LUT, 109 FF; 1,156 ALM
//               (one, of 7 lanes, 8 channels, no block checks; see polyloom_collective_engine).
// Source:       own design.
// Tests:        test_polyloom_collective_watch.py, rtl_engine.cc (each fault provoked)
module polyloom_collective_watch
  import polyloom_collective_pkg::*;
  import polyloom_collective_encoding_pkg::*;
#(
    parameter cfg_t Cfg = SMALL
) (
    input  logic                      clk_i,
    input  logic                      rst_ni,
    input  logic                      flush_i,        // leave the stopped state
    input  logic                      running_i,
    input  logic                      progress_i,
    input  logic   [            31:0] watchdog_i,
    input  logic   [   Cfg.lanes-1:0] lacks_pulse_i,
    input  logic   [   Cfg.lanes-1:0] lacks_data_i,
    // faults
    input  fault_t                    program_i,
    input  fault_t [Cfg.channels-1:0] read_i,
    input  fault_t [Cfg.channels-1:0] write_i,
    input  fault_t [   Cfg.lanes-1:0] lane_i,
    // the fault
    output logic                      stop_o,
    output logic   [             7:0] code_o,
    output logic   [             7:0] lane_o,
    output logic   [            63:0] value_o
);
  logic stop_q, expired;
  logic [31:0] still_q;
  logic [7:0] code_q, lane_q, code, lane;
  logic [63:0] value_q, value;

  assign expired = running_i && watchdog_i != '0 && !progress_i && still_q >= watchdog_i - 32'd1;

  always_comb begin
    code  = FAULT_NONE;
    lane  = 8'hff;
    value = '0;
    if (expired) begin
      code  = FAULT_TIMEOUT;
      value = {32'(lacks_data_i), 32'(lacks_pulse_i)};
    end
    for (int l = int'(Cfg.lanes) - 1; l >= 0; l--) begin
      if (lane_i[l].code != FAULT_NONE) begin
        code  = lane_i[l].code;
        lane  = l[7:0];
        value = lane_i[l].value;
      end
    end
    for (int c = int'(Cfg.channels) - 1; c >= 0; c--) begin
      if (write_i[c].code != FAULT_NONE) begin
        {code, value} = write_i[c];
        lane = 8'hff;
      end
    end
    for (int c = int'(Cfg.channels) - 1; c >= 0; c--) begin
      if (read_i[c].code != FAULT_NONE) begin
        {code, value} = read_i[c];
        lane = 8'hff;
      end
    end
    if (program_i.code != FAULT_NONE) begin
      {code, value} = program_i;
      lane = 8'hff;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      stop_q  <= 1'b0;
      still_q <= '0;
    end else begin
      if (!running_i || progress_i) still_q <= '0;
      else if (still_q != '1) still_q <= still_q + 32'd1;
      if (flush_i) stop_q <= 1'b0;
      else if (code != FAULT_NONE) stop_q <= 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (!stop_q) begin
      code_q  <= code;
      lane_q  <= lane;
      value_q <= value;
    end
  end
  assign stop_o  = stop_q;
  assign code_o  = code_q;
  assign lane_o  = lane_q;
  assign value_o = value_q;
endmodule
