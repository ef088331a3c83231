// SPDX-License-Identifier: Apache-2.0
// polyloom_mpe_events: what wakes the sequencer: two timers, flags that the program sets, and what the units say.
// How:          the most urgent event that is true has its number shown; sending waits for room, a payload for the writer. A
//               datagram of management goes out through an empty transmit store, as it may not wait in between.
// Latency:      none from a unit; 1 cycle from a flag.
// Throughput:   an event a cycle.   Backpressure: an event stands until the program has removed its cause.
// Order/loss:   by urgency: sending before receiving, as it is limited by the link.
// Reset:        no flags, timers stand.
// Limits:       none.
// Cost:         not measured alone.   Source: own design.   Tests: test_polyloom_mpe_events.py, test_mpe_faults.py
module polyloom_mpe_events
  import polyloom_mpe_isa_pkg::*;
(
    input  logic           clk_i,
    input  logic           rst_ni,
    // From the program
    input  output_e        output_i,
    input  logic    [31:0] result_i,
    output logic           rests_o,          // no flag is set, no timer runs
    // From the units
    input  logic           command_valid_i,
    input  logic           head_valid_i,
    input  logic           head_manage_i,
    input  logic           writer_ready_i,
    input  logic           writer_idle_i,
    input  logic           builder_ready_i,
    input  logic           builder_idle_i,
    input  logic           out_empty_i,
    input  logic           copied_i,
    input  logic           response_free_i,
    output event_e         event_o
);

  logic [8:0] flags_q;
  logic [31:0] ack_q, tick_q;
  logic ack_runs_q, tick_runs_q, ack_over, tick_over, sends;
  assign ack_over  = ack_runs_q && ack_q == '0;
  assign tick_over = tick_runs_q && tick_q == '0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      flags_q <= '0;
      ack_runs_q <= 1'b0;
      tick_runs_q <= 1'b0;
    end else begin
      unique case (output_i)
        O_FLAGS: flags_q <= result_i[8:0];
        O_ACK_TIMER: ack_runs_q <= 1'b1;
        O_TICK_TIMER: tick_runs_q <= 1'b1;
        O_NO_ACK: ack_runs_q <= 1'b0;
        O_NO_TICK: tick_runs_q <= 1'b0;
        default: ;
      endcase
    end
  end
  always_ff @(posedge clk_i) begin
    if (!ack_runs_q) ack_q <= result_i;
    else if (!ack_over) ack_q <= ack_q - 1'b1;
    if (!tick_runs_q) tick_q <= {2'b0, result_i[31:2]};
    else if (!tick_over) tick_q <= tick_q - 1'b1;
  end

  assign sends = builder_ready_i && ((flags_q & F_MANAGE[8:0]) != '0 ? out_empty_i : (flags_q & F_SEND[8:0]) != '0);
  always_comb begin
    event_o = EV_NONE;
    if ((flags_q & F_SWEEP[8:0]) != '0 || tick_over) event_o = EV_SWEEP;
    if (ack_over) event_o = EV_ACK;
    if (command_valid_i) event_o = EV_COMMAND;
    if (head_valid_i && !head_manage_i && writer_ready_i) event_o = EV_PACKET;
    if (head_valid_i && head_manage_i && writer_idle_i) event_o = EV_MANAGE;
    if (sends && (flags_q & F_STOP[8:0]) == '0) event_o = EV_SEND;
    if (copied_i) event_o = EV_COPIED;
    if ((flags_q & F_RESPONSE[8:0]) != '0 && writer_idle_i && response_free_i) event_o = EV_RESPONSE;
    if ((flags_q & F_STOP[8:0]) != '0 && writer_idle_i && builder_idle_i) event_o = EV_STOP;
  end
  assign rests_o = flags_q == '0 && !ack_runs_q && !tick_runs_q;

  logic unused;
  assign unused = ^result_i;
endmodule
