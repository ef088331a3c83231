// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_noc_room: reports whether the longest message fits into a buffer of flits.
// How:          a message takes its place with its first flit and gives it back as a whole when its last flit leaves. For
//               each possible message on the wire the response is ready in a register, so room_o is a small multiplexer.
// Latency:      room_o counts what arrives in its own cycle, and what has left up to the cycle before.
// Throughput:   an arrival and a departure a cycle.
// Backpressure: room_o depends combinationally on arrive_i and arrive_flits_i only.
// Order/loss:   no data here. Granting a message only with room means that none overflows (asserted).
// Reset:        empty.
// Limits:       MaxFlits 1..4, Flits from MaxFlits to 32 (checked at elaboration).
// Cost:         not measured alone; in that of polyloom_overlay_router.
// Source:       Noc::room() in roles/overlay/sim/net/noc.cc.   Tests: test_polyloom_overlay_noc_room.py
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

  if (MaxFlits < 1 || MaxFlits > 4 || Flits < MaxFlits || Flits > 32) begin : gen_bad_size
    $error("%m: Flits %0d, MaxFlits %0d; MaxFlits must be 1 to 4, Flits at least that and at most 32", Flits, MaxFlits);
  end

  typedef logic [(Flits > 1 ? $clog2(Flits+1) : 2)-1:0] count_t;
  typedef logic [$clog2(MaxFlits+1)-1:0] size_t;

  // fits(n)[used]: the longest message fits beside `used` and n flits more. Tables, not sums: they are small.
  function automatic logic [2**$bits(count_t)-1:0] fits(input int unsigned n);
    for (int unsigned u = 0; u < 2 ** $bits(count_t); u++) fits[u] = u + n + MaxFlits <= Flits;
  endfunction

  count_t used_q, used;  // used: after this cycle, but for leave_one_i
  count_t change;
  logic [MaxFlits:0] room_q;  // [n]: the longest message fits beside n flits more
  logic [MaxFlits:0] room, room_one;  // the same after this cycle, without and with leave_one_i

  assign room_o = room_q[arrive_i?size_t'(arrive_flits_i)+size_t'(1) : '0];

  always_comb begin
    case ({
      arrive_i, leave_i
    })
      2'b00:   change = '0;
      2'b10:   change = count_t'(arrive_flits_i) + count_t'(1);
      2'b01:   change = ~count_t'(leave_flits_i);
      default: change = count_t'(arrive_flits_i) - count_t'(leave_flits_i);
    endcase
  end
  assign used = used_q + change;

  for (genvar n = 0; n <= MaxFlits; n++) begin : gen_room
    localparam logic [2**$bits(count_t)-1:0] Fits = fits(n);
    localparam logic [2**$bits(count_t)-1:0] FitsOne = {Fits[2**$bits(count_t)-2:0], 1'b1};
    assign room[n] = Fits[used];
    assign room_one[n] = FitsOne[used];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      used_q <= '0;
      for (int unsigned n = 0; n <= MaxFlits; n++) room_q[n] <= n + MaxFlits <= Flits;
    end else begin
      if (arrive_i || leave_i || leave_one_i) begin
        used_q <= leave_one_i ? used - count_t'(1) : used;
        room_q <= leave_one_i ? room_one : room;
      end
      assert (!arrive_i || 32'(arrive_flits_i) < MaxFlits)
      else $error("%m: a message of %0d flits; at most %0d", 32'(arrive_flits_i) + 1, MaxFlits);
      assert (!arrive_i || 32'(used_q) + 32'(arrive_flits_i) < Flits)
      else $error("%m: a message came without room");
    end
  end

endmodule
