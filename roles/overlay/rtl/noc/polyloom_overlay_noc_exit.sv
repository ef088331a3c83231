// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_noc_exit: the buffer between the board router and a link or the host.
// How:          a ring in LUT memory, filled by the rules of the network (room for the longest message, then no stop), emptied
//               by valid and ready.
// Latency:      a flit on the wire in cycle c can be taken in c+1.
// Throughput:   a flit a cycle.
// Backpressure: room_o: see polyloom_overlay_noc_room; a message's place is free again when its last flit has been taken.
//               valid_o depends on registers only.
// Order/loss:   in order, nothing lost. Flits of a message may be taken as they come, before its last is here.
// Reset:        emptied; the memory is not cleared.
// Limits:       flits of a message come in consecutive cycles. Flits >= MaxFlits (checked at elaboration).
// Cost:         see polyloom_overlay_board_router.
// Source:       Noc::Exit in roles/overlay/sim/net/noc.h.   Tests: test_polyloom_overlay_noc_exit.py, overlay_noc_test.cc.
module polyloom_overlay_noc_exit
  import polyloom_overlay_noc_pkg::*;
#(
    parameter int unsigned Flits = 0,  // that it holds
    parameter int unsigned MaxFlits = 0,  // of a message
    parameter type T = logic  // a flit
) (
    input  logic       clk_i,
    input  logic       rst_ni,
    // From the board router
    input  logic       valid_i,
    input  logic       first_i,
    input  logic       last_i,
    input  logic [1:0] flits_i,  // of the message, - 1; with its first flit
    input  T           in_i,
    output logic       room_o,   // the longest message may be granted towards here in this cycle
    // To the link or the host
    output logic       valid_o,
    input  logic       ready_i,
    output T           out_o
);

  typedef logic [(Flits > 1 ? $clog2(Flits) : 1)-1:0] addr_t;
  typedef logic [$clog2(Flits+1)-1:0] count_t;

  function automatic addr_t after(input addr_t addr);
    return addr == addr_t'(Flits - 1) ? '0 : addr_t'(plus_one(5'(addr)));
  endfunction

  T mem_q[Flits];
  logic [Flits-1:0] last_q;
  addr_t write_q, read_q;
  count_t count_q;
  logic [1:0] accepted_q;  // flits of the message at the head that have gone
  logic accept, last;

  assign valid_o = count_q != '0;
  assign out_o = mem_q[read_q];
  assign last = last_q[read_q];
  assign accept = valid_o && ready_i;

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      mem_q[write_q]  <= in_i;
      last_q[write_q] <= last_i;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q <= '0;
      read_q <= '0;
      count_q <= '0;
      accepted_q <= '0;
    end else begin
      if (valid_i) write_q <= after(write_q);
      if (accept) begin
        read_q <= after(read_q);
        accepted_q <= last ? '0 : accepted_q + 1'b1;
      end
      if (valid_i != accept) count_q <= valid_i ? count_q + 1'b1 : count_q - 1'b1;
    end
  end

  polyloom_overlay_noc_room #(
      .Flits(Flits),
      .MaxFlits(MaxFlits)
  ) i_room (
      .clk_i,
      .rst_ni,
      .arrive_i      (valid_i && first_i),
      .arrive_flits_i(flits_i),
      .leave_i       (accept && last),
      .leave_flits_i (accepted_q),
      .leave_one_i   (1'b0),
      .room_o
  );

endmodule
