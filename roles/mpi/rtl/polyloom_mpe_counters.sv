// SPDX-License-Identifier: Apache-2.0
// polyloom_mpe_counters: counts events in a RAM instead of a register each.
// How:          an event sets a bit; each cycle one bit is taken and its number in LUT RAM goes up by one.
// Latency:      up to COUNTERS + 3 cycles from an event to its number.
// Throughput:   an event of each kind every COUNTERS + 3 cycles, of a few kinds more often: frames are at
//               least 11 cycles apart.
// Backpressure: none.   Order/loss:   events of one kind closer than that may be lost.
// Reset:        no event waits; after reset the numbers are cleared, 16 cycles.
// Limits:       48 bits.   Cost:         not measured alone.   Source: own design.   Tests: test_polyloom_mpe_counters.py, interop_test.cc
module polyloom_mpe_counters
  import polyloom_mpe_pkg::*;
(
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic [COUNTERS-1:0] events_i,
    input  logic                foreign_i,  // one more of these, from elsewhere
    input  logic [        12:0] in_i,       // bytes of the last frame in; stand until the next
    input  logic [        12:0] out_i,      // of the last frame out
    input  logic [         3:0] index_i,
    output logic [        47:0] value_o,
    output logic                idle_o
);
  // After the events: bytes in, bytes out, foreign_i.
  localparam int unsigned EVENTS = COUNTERS + 3;
  localparam int unsigned FOREIGN = COUNTERS + 2;
  logic [47:0] numbers_q[16];
  logic [EVENTS-1:0] waits_q, accepted, events;
  logic clearing_q;
  logic [3:0] pick, number, clear_q;
  logic [12:0] more;
  always_comb begin
    pick = '0;
    for (int i = EVENTS - 1; i >= 0; i--) if (waits_q[i]) pick = 4'(i);
    if (waits_q[FOREIGN]) pick = 4'(FOREIGN);  // what is not for this node may be short
    number = clearing_q ? clear_q : pick == 4'(FOREIGN) ? 4'(N_FOREIGN) : pick;
    more = pick == 4'(COUNTERS) ? in_i : pick == 4'(COUNTERS + 1) ? out_i : 13'd1;
    events = {foreign_i, events_i[N_FRAMES_OUT], events_i[N_FRAMES_IN], events_i};
    accepted = '0;
    accepted[pick] = !clearing_q;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waits_q <= '0;
      clearing_q <= 1'b1;
      clear_q <= '0;
    end else begin
      waits_q <= (waits_q & ~accepted) | events;
      clear_q <= clear_q + 1'b1;
      if (clear_q == '1) clearing_q <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (clearing_q || waits_q != '0) numbers_q[number] <= clearing_q ? '0 : numbers_q[number] + 48'(more);
  end
  assign value_o = numbers_q[index_i];
  assign idle_o  = waits_q == '0 && !clearing_q && events == '0;
endmodule
