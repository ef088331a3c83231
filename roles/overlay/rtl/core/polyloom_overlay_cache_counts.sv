// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_cache_counts: how often a tile's cache missed, hit and wrote back, as its first core's CSRs show.
// How:          three counters.
// Latency:      1 cycle from a pulse to the count.
// Throughput:   a pulse of each kind a cycle.
// Backpressure: none. No path from an input to an output.
// Order/loss:   wraps at 32 bits; pulses while it does not count, and in the cycle of clear_i, are dropped.
// Reset:        to 0.
// Limits:       none.
// Cost:         about 100 LUT4, 96 FF (ECP5).
// Source:       Tinsel.   Tests: test_polyloom_overlay_cache_counts.py, test_polyloom_overlay_cores.py
module polyloom_overlay_cache_counts (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             clear_i,
    input  logic             counting_i,
    input  logic [2:0]       pulse_i,     // miss, hit, write-back
    output logic [2:0][31:0] count_o
);

  for (genvar i = 0; i < 3; i++) begin : gen_count
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) count_o[i] <= '0;
      else if (clear_i) count_o[i] <= '0;
      else count_o[i] <= count_o[i] + 32'(counting_i && pulse_i[i]);
    end
  end

endmodule
