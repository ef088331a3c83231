// SPDX-License-Identifier: Apache-2.0
// polyloom_hub_counters: counts the events of each port.
// How:          a counter of COUNTER_BITS a port and event; one is read at a time.
// Latency:      an event at an edge is counted after it; rdata_o one edge after the index.
// Throughput:   every event in every cycle.
// Backpressure: none.
// Order/loss:   counts wrap.
// Reset:        zero.
// Limits:       none.
// Cost:         see polyloom_hub_node.
// Source: own design.   Tests: test_polyloom_hub_counters.py.
module polyloom_hub_counters
  import polyloom_hub_pkg::*;
  import polyloom_hub_registers_pkg::*;
(
    input  logic                clk_i,
    input  logic                rst_ni,
    input  events_t [PORTS-1:0] events_i,
    // From the registers
    input  logic    [      2:0] port_i,
    input  logic    [      2:0] event_i,
    output logic    [     63:0] rdata_o
);
  logic [PORTS-1:0][EVENTS-1:0][COUNTER_BITS-1:0] count_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) count_q <= '0;
    else begin
      for (int unsigned p = 0; p < PORTS; p++) begin
        for (int unsigned e = 0; e < EVENTS; e++) begin
          if (events_i[p][e]) count_q[p][e] <= count_q[p][e] + 1'b1;
        end
      end
    end
  end
  always_ff @(posedge clk_i) begin
    rdata_o <= '0;
    for (int unsigned p = 0; p < PORTS; p++) begin
      for (int unsigned e = 0; e < EVENTS; e++) begin
        if (32'(port_i) == p && 32'(event_i) == e) rdata_o <= 64'(count_q[p][e]);
      end
    end
  end
endmodule
