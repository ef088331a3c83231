// SPDX-License-Identifier: Apache-2.0
// polyloom_mpe_counters: counts events in a RAM instead of a register each.
// How:          an event sets a bit; each cycle one bit is taken and its number in LUT RAM goes up by one.
// Latency:      up to COUNTERS + 1 cycles from an event to its number.
// Throughput:   an event of each kind every COUNTERS cycles: frames are at least 11 cycles apart.
// Backpressure: none.   Order/loss:   events of one kind closer than that may be lost.
// Reset:        no event waits; after reset the numbers are cleared, COUNTERS cycles.
// Limits:       32 bits.   Cost:         not measured alone.   Source: own design.   Tests: test_polyloom_mpe.py, test_mpe_faults.py, interop_test.cc
module polyloom_mpe_counters
  import polyloom_mpe_pkg::*;
(
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic [COUNTERS-1:0] events_i,
    input  logic                foreign_i,  // one more of these, from elsewhere
    input  logic [         3:0] index_i,
    output logic [        31:0] value_o,
    output logic                idle_o
);
  logic [31:0] numbers_q[16];
  logic [COUNTERS:0] waits_q, taken, events;  // the last: foreign_i
  logic clearing_q;
  logic [3:0] pick, number, clear_q;
  always_comb begin
    pick = '0;
    for (int i = COUNTERS; i >= 0; i--) if (waits_q[i]) pick = 4'(i);
    number = pick == 4'(COUNTERS) ? 4'(N_FOREIGN) : pick;
    events = {foreign_i, events_i};
    taken = '0;
    taken[pick] = !clearing_q;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waits_q <= '0;
      clearing_q <= 1'b1;
      clear_q <= '0;
    end else begin
      waits_q <= (waits_q & ~taken) | events;
      clear_q <= clear_q + 1'b1;
      if (clear_q == '1) clearing_q <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (clearing_q) numbers_q[clear_q] <= '0;
    else if (waits_q != '0) numbers_q[number] <= numbers_q[number] + 1'b1;
  end
  assign value_o = numbers_q[index_i];
  assign idle_o  = waits_q == '0 && !clearing_q && events == '0;
endmodule
