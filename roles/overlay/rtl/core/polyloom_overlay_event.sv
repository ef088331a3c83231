// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_event: what a core has to tell its host: why a thread stopped, a byte of its console, or that one of
//               the host's was lost or has been read.
// How:          one register, which takes when it is empty.
// Latency:      1 cycle.
// Throughput:   an event in two cycles.
// Backpressure: while event_valid_o is high nothing is taken: an event is offered again. No path from an input to an output.
// Order/loss:   in order; what it does not take is not lost here.
// Reset:        emptied.
// Limits:       none.
// Cost:         about 20 LUT4, 80 FF (ECP5; part of polyloom_overlay_core).
// Source:       own design.   Tests: test_polyloom_overlay_event.py, test_polyloom_overlay_cores.py
module polyloom_overlay_event
  import polyloom_overlay_pkg::*;
(
    input  logic               clk_i,
    input  logic               rst_ni,
    // From the core
    input  logic               fault_i,
    input  why_t               why_i,
    input  logic               uart_i,
    input  logic        [ 7:0] byte_i,
    input  logic               lost_i,         // of the host's; without pc and value
    input  logic               read_i,         // of the host's; without pc and value
    input  logic        [ 3:0] thread_i,
    input  logic        [31:2] pc_i,
    input  logic        [31:0] value_i,
    // To the tile
    output logic               event_valid_o,
    input  logic               event_ready_i,
    output tile_event_t        event_o
);

  logic [7:0] cause;
  always_comb begin
    if (lost_i) cause = CAUSE_CONSOLE;
    else if (read_i) cause = CAUSE_CONSOLE_READ;
    else if (!fault_i) cause = byte_i;
    else if (why_i.bad_fetch) cause = CAUSE_BAD_FETCH;
    else if (why_i.illegal) cause = CAUSE_ILLEGAL;
    else if (why_i.trap) cause = why_i.ebreak ? CAUSE_BREAKPOINT : CAUSE_ENVIRONMENT_CALL;
    else if (!why_i.memory) cause = CAUSE_MISALIGNED_JUMP;
    else if (why_i.store) cause = why_i.aligned ? CAUSE_BAD_STORE : CAUSE_MISALIGNED_STORE;
    else cause = why_i.aligned ? CAUSE_BAD_LOAD : CAUSE_MISALIGNED_LOAD;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) event_valid_o <= 1'b0;
    else if (event_valid_o) event_valid_o <= !event_ready_i;
    else event_valid_o <= fault_i || uart_i || lost_i || read_i;
  end

  always_ff @(posedge clk_i) begin
    if (!event_valid_o) begin
      event_o <= '{
          fault: fault_i || lost_i || read_i,
          thread: INDEX_BITS'(thread_i),
          cause: cause,
          pc: {pc_i, 2'b00},
          value: value_i
      };
      if (lost_i || read_i) {event_o.pc, event_o.value} <= '0;
    end
  end

endmodule
