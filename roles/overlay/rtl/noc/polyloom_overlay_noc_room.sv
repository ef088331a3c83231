// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_noc_room: tells whoever fills a buffer of flits whether the longest message fits.
// How:          a message takes its place with its first flit and gives it back as a whole when its last flit leaves. For
//               each possible message on the wire the answer is ready in a register, so room_o is a small multiplexer.
// Latency:      room_o counts what arrives in its own cycle, and what has left up to the cycle before.
// Throughput:   an arrival and a departure a cycle.
// Backpressure: room_o depends combinationally on arrive_i and arrive_flits_i only.
// Order/loss:   no data here. Granting a message only with room means that none overflows (asserted).
// Reset:        empty.
// Limits:       MaxFlits 1..4, Flits at least MaxFlits (checked at elaboration).
// Cost:         17 LUT4, 11 FF at 16 flits (ECP5, Yosys 0.70, 2026-11).
// Source:       Noc::room() in roles/overlay/sim/net/noc.cc.   Tests: overlay_noc_test.cc, overlay_router proof.
module polyloom_overlay_noc_room #(
    parameter int unsigned Flits = 0,  // that the buffer holds
    parameter int unsigned MaxFlits = 0  // of a message
) (
    input  logic       clk_i,
    input  logic       rst_ni,
    // From the wire: a first flit, and the length of its message - 1
    input  logic       arrive_i,
    input  logic [1:0] arrive_flits_i,
    // From the reader: a last flit leaves, and the length of its message - 1; or a message of one flit, known late
    input  logic       leave_i,
    input  logic [1:0] leave_flits_i,
    input  logic       leave_one_i,
    // To the writer
    output logic       room_o
);

  if (MaxFlits < 1 || MaxFlits > 4 || Flits < MaxFlits) begin : gen_bad_size
    $error("%m: Flits %0d, MaxFlits %0d; MaxFlits must be 1 to 4 and Flits at least that", Flits, MaxFlits);
  end

  typedef logic [$clog2(Flits+5)-1:0] count_t;
  typedef logic [$clog2(MaxFlits+1)-1:0] size_t;

  count_t used_q, used;  // used: after this cycle, but for leave_one_i
  logic [MaxFlits:0] room_q;  // [n]: the longest message fits beside n flits more
  logic [MaxFlits:0] fits, fits_one;  // the same after this cycle, without and with leave_one_i

  assign room_o = room_q[arrive_i?size_t'(arrive_flits_i)+size_t'(1) : '0];

  always_comb begin
    used = used_q;
    if (arrive_i) used += count_t'(arrive_flits_i) + count_t'(1);
    if (leave_i) used -= count_t'(leave_flits_i) + count_t'(1);
    for (int unsigned n = 0; n <= MaxFlits; n++) begin
      fits[n] = 32'(used) + n + MaxFlits <= Flits;
      fits_one[n] = 32'(used) + n + MaxFlits <= Flits + 1;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      used_q <= '0;
      for (int unsigned n = 0; n <= MaxFlits; n++) room_q[n] <= n + MaxFlits <= Flits;
    end else begin
      if (arrive_i || leave_i || leave_one_i) begin
        used_q <= leave_one_i ? used - count_t'(1) : used;
        room_q <= leave_one_i ? fits_one : fits;
      end
      assert (!arrive_i || 32'(arrive_flits_i) < MaxFlits)
      else $error("%m: a message of %0d flits; at most %0d", 32'(arrive_flits_i) + 1, MaxFlits);
      assert (!arrive_i || 32'(used_q) + 32'(arrive_flits_i) < Flits)
      else $error("%m: a message came without room");
    end
  end

endmodule
