// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_host_inject: holds the host's messages and lets them into the board's network, one whole message at a time.
// How:          flits wait in a RAM; a message begins when it is there whole, detection lets it, and the board router can
//               take the longest one. Then its flits follow each other without a gap.
// Latency:      last flit taken -> first flit on the wire: 2 cycles (FIFO empty, open, room).
// Throughput:   a flit a cycle, no cycle lost between messages.
// Backpressure: in_ready_o falls when Flits flits wait; it depends on registers only. enter has none: room_i is asked once
//               a message.
// Order/loss:   in order, nothing lost.
// Reset:        emptied.
// Limits:       Flits >= 2 and >= Cfg.max_flits. room_i of a cycle counts what is on the wire in that cycle. may_inject_i of a cycle
//               responses for messages whose host_in_o pulse is in that cycle (combinational).
// Cost:         540 LUT, 490 FF, 3.5 BRAM36 (UltraScale+); 324 ALM, 11 M10K (Intel, estimated); 625 LUT4, 7 EBR (ECP5). TINY,
//               Yosys 0.70, 2026-11.
// Source:       Board::host_messages_in in roles/overlay/sim/board/board.cc.   Tests: test_polyloom_overlay_host_inject.py
module polyloom_overlay_host_inject
  import polyloom_overlay_pkg::*;
#(
    parameter cfg_t        Cfg   = TINY,
    parameter int unsigned Flits = 512    // that wait
) (
    input logic clk_i,
    input logic rst_ni,

    // From the host
    input  logic  in_valid_i,
    output logic  in_ready_o,
    input  flit_t in_i,

    // To the board router
    output logic  enter_valid_o,
    output flit_t enter_o,
    input  logic  enter_room_i,

    // To detection
    output logic wanted_o,      // a whole message waits
    input  logic may_inject_i,
    output logic host_in_o,     // pulse: one is let in

    output logic idle_o
);
  if (Flits < Cfg.max_flits) begin : gen_check
    $error("%m: Flits is %0d, must be at least the longest message's, %0d", Flits, Cfg.max_flits);
  end

  logic valid, pop, open_q, valid_q;
  flit_t flit, enter_q;
  logic [$clog2(Flits+1)-1:0] usage, whole_q;  // whole messages that wait
  polyloom_stream_ram_fifo #(
      .T(flit_t),
      .Depth(Flits)
  ) i_flits (
      .clk_i,
      .rst_ni,
      .flush_i(1'b0),
      .in_valid_i,
      .in_ready_o,
      .in_i,
      .out_valid_o(valid),
      .out_ready_i(pop),
      .out_o(flit),
      .usage_o(usage)
  );

  // A flit is at the FIFO's output no later than its message counts as whole.
  assign wanted_o = whole_q != 0;
  assign host_in_o = wanted_o && !open_q && enter_room_i && may_inject_i;
  assign pop = host_in_o || open_q;
  assign enter_valid_o = valid_q;
  assign enter_o = enter_q;
  assign idle_o = usage == 0 && !valid_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      whole_q <= '0;
      open_q  <= 1'b0;
      valid_q <= 1'b0;
    end else begin
      whole_q <= whole_q + ($bits(whole_q))'(in_valid_i && in_ready_o && in_i.last) - ($bits(whole_q))'(host_in_o);
      valid_q <= pop;
      if (pop) open_q <= !flit.last;
      assert (!pop || valid);
      assert (!host_in_o || flit.first);
    end
  end
  always_ff @(posedge clk_i) if (pop) enter_q <= flit;

endmodule
