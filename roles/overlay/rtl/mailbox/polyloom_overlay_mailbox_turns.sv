// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_mailbox_turns: cores that ask one unit: a queue for each core, one request granted a cycle.
// How:          a request goes past its core's queue if that is empty, so it can be granted in the cycle in which it comes.
//               The core after the one granted last comes first.
//                   request --+--> [ queue ] --+--> whose turn --> grant
//                             '----------------'
// Latency:      none if there is no other request.
// Throughput:   one grant a cycle.
// Backpressure: hold_i stops grants, combinationally. Cores are never stopped: Depth is the number of requests that a core can
//               have outstanding (asserted).
// Order/loss:   in order for each core, nothing lost.
// Reset:        queues empty, core 0 comes first.
// Limits:       Cores >= 1, Depth >= 1.
// Cost:         in polyloom_overlay_mailbox.
// Source:       own design.   Tests: test_polyloom_overlay_mailbox_turns.py
module polyloom_overlay_mailbox_turns #(
    parameter int unsigned Cores = 4,
    parameter int unsigned Depth = 16,
    parameter int unsigned Width = 8,  // of a request
    localparam int unsigned CoreWidth = Cores > 1 ? $clog2(Cores) : 1
) (
    input  logic                            clk_i,
    input  logic                            rst_ni,
    // From the cores
    input  logic [    Cores-1:0]            valid_i,
    input  logic [    Cores-1:0][Width-1:0] request_i,
    // To the unit
    input  logic                            hold_i,     // it takes nothing in this cycle
    output logic                            any_o,      // there is a request
    output logic                            valid_o,
    output logic [CoreWidth-1:0]            core_o,
    output logic [    Width-1:0]            request_o
);

  logic [Cores-1:0] queued, waiting, granted;
  logic [Width-1:0] request[Cores];

  assign waiting = queued | valid_i;
  for (genvar c = 0; c < Cores; c++) begin : gen_core
    logic ready;
    logic [Width-1:0] oldest;
    assign granted[c] = valid_o && core_o == CoreWidth'(c);
    assign request[c] = queued[c] ? oldest : request_i[c];
    polyloom_stream_lut_fifo #(
        .Width(Width),
        .Depth(Depth)
    ) i_queue (
        .clk_i,
        .rst_ni,
        .flush_i    (1'b0),
        .in_valid_i (valid_i[c] && (queued[c] || !granted[c])),
        .in_ready_o (ready),
        .in_i       (request_i[c]),
        .out_valid_o(queued[c]),
        .out_ready_i(granted[c]),
        .out_o      (oldest)
    );
    always_ff @(posedge clk_i) assert (!valid_i[c] || (!queued[c] && granted[c]) || ready);
  end

  polyloom_overlay_mailbox_pick #(
      .Count(Cores)
  ) i_pick (
      .clk_i,
      .rst_ni,
      .request_i (waiting),
      .accepted_i(!hold_i),
      .valid_o   (any_o),
      .idx_o     (core_o)
  );

  assign valid_o   = any_o && !hold_i;
  assign request_o = request[core_o];

endmodule
