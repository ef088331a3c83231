// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_mailbox_events: sends that were refused, one after the other, for the host.
// How:          a queue for each core with a place for each thread. A thread's next event is dropped, and counted, while its
//               first has not left the queue.
// Latency:      2 cycles to event_valid_o.
// Throughput:   one event in 2 cycles.
// Backpressure: event_ready_i stalls the queues; event_valid_o depends on registers only.
// Order/loss:   in order for a core; the first event of a thread always comes out.
// Reset:        empty.
// Limits:       legal Cfg: polyloom_overlay_mailbox.
// Cost:         in polyloom_overlay_mailbox.
// Source:       own design.   Tests: test_polyloom_overlay_mailbox_events.py
module polyloom_overlay_mailbox_events
  import polyloom_overlay_pkg::*;
#(
    parameter cfg_t Cfg = TINY
) (
    input  logic                        clk_i,
    input  logic                        rst_ni,
    // Sender: refused sends
    input  logic        [Cfg.cores-1:0] bad_i,
    input  send_fault_e [Cfg.cores-1:0] why_i,
    input  send_t       [Cfg.cores-1:0] send_i,
    output logic        [Cfg.cores-1:0] lost_o,         // pulse: an event is dropped
    // Board
    output logic                        event_valid_o,
    input  logic                        event_ready_i,
    output tile_event_t                 event_o
);

  localparam int unsigned C = Cfg.cores;
  localparam int unsigned T = Cfg.threads;
  localparam int unsigned CoreBits = C > 1 ? $clog2(C) : 1;
  localparam int unsigned ThreadBits = T > 1 ? $clog2(T) : 1;

  typedef struct packed {
    logic [ThreadBits-1:0] thread;
    send_fault_e           why;
    logic [31:0]           pc;
    logic [DEST_BITS-1:0]  dest;
  } refusal_t;

  logic [C-1:0][T-1:0] queued_q;  // threads with an event
  logic [C-1:0] push, waiting, pop;
  refusal_t oldest[C];

  for (genvar c = 0; c < C; c++) begin : gen_core
    logic ready;
    refusal_t refusal;
    assign refusal = '{
            thread: send_i[c].thread[ThreadBits-1:0],
            why: why_i[c],
            pc: send_i[c].pc,
            dest: send_i[c].dest
        };
    assign push[c] = bad_i[c] && !queued_q[c][refusal.thread];
    assign lost_o[c] = bad_i[c] && queued_q[c][refusal.thread];
    polyloom_stream_lut_fifo #(
        .Width($bits(refusal_t)),
        .Depth(T)
    ) i_queue (
        .clk_i,
        .rst_ni,
        .flush_i    (1'b0),
        .in_valid_i (push[c]),
        .in_ready_o (ready),
        .in_i       (refusal),
        .out_valid_o(waiting[c]),
        .out_ready_i(pop[c]),
        .out_o      (oldest[c])
    );
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) queued_q[c] <= '0;
      else begin
        if (push[c]) queued_q[c][refusal.thread] <= 1'b1;
        if (pop[c]) queued_q[c][oldest[c].thread] <= 1'b0;
      end
    end
    always_ff @(posedge clk_i) assert (!push[c] || ready);
  end

  logic any, load, valid_q;
  logic [CoreBits-1:0] core;
  tile_event_t event_q;
  polyloom_overlay_mailbox_pick #(
      .Count(C)
  ) i_pick (
      .clk_i,
      .rst_ni,
      .request_i (waiting),
      .accepted_i(load),
      .valid_o   (any),
      .idx_o     (core)
  );
  assign load = any && !valid_q;
  for (genvar c = 0; c < C; c++) begin : gen_pop
    assign pop[c] = load && core == CoreBits'(c);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= 1'b0;
    else valid_q <= load || (valid_q && !event_ready_i);
  end
  always_ff @(posedge clk_i) begin
    if (load) begin
      event_q <= '{
          fault: 1'b1,
          thread: INDEX_BITS'(core * T) | INDEX_BITS'(oldest[core].thread),
          cause: {CAUSE_SEND, oldest[core].why},
          pc: oldest[core].pc,
          value: 32'(oldest[core].dest)
      };
    end
  end
  assign event_valid_o = valid_q;
  assign event_o = event_q;

  logic unused;
  assign unused = &{1'b0, send_i};

endmodule
