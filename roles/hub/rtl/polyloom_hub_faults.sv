// SPDX-License-Identifier: Apache-2.0
// polyloom_hub_faults: collects the faults of all inputs: keeps the first, counts each by its cause.
// How:          one fault a cycle, the lowest source first; the others wait with their TLP.
// Latency:      a fault taken at an edge shows after it.
// Throughput:   one a cycle.
// Backpressure: fault_ready_o picks one source: combinational from fault_valid_i.
// Order/loss:   none lost.
// Reset:        no fault, counts zero. clear_i does the same; a fault of that cycle is the first after it.
// Limits:       counts wrap at 2^32.
// Cost:         see polyloom_hub_node.
// Source: own design.   Tests: test_polyloom_hub_node.py.
module polyloom_hub_faults
  import polyloom_hub_pkg::*;
  import polyloom_hub_registers_pkg::*;
#(
    parameter int unsigned Sources = 7
) (
    input  logic                       clk_i,
    input  logic                       rst_ni,
    input  logic                       clear_i,
    // From inputs and the local unit
    input  logic   [Sources-1:0]       fault_valid_i,
    output logic   [Sources-1:0]       fault_ready_o,
    input  fault_t [Sources-1:0]       fault_i,
    // To the registers
    output fault_t                     first_o,        // cause CAUSE_NONE: none
    output logic                       more_o,         // others since
    output logic   [ CAUSES-1:0][31:0] counts_o
);
  fault_t picked;
  logic   any;
  assign any = |fault_valid_i;
  assign fault_ready_o = fault_valid_i & (~fault_valid_i + 1'b1);
  always_comb begin
    picked = '0;
    for (int unsigned s = 0; s < Sources; s++) if (fault_ready_o[s]) picked |= fault_i[s];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      first_o  <= '0;
      more_o   <= 1'b0;
      counts_o <= '0;
    end else begin
      if (clear_i) begin
        first_o  <= any ? picked : '0;
        more_o   <= 1'b0;
        counts_o <= '0;
      end else if (any) begin
        if (first_o.cause == CAUSE_NONE) first_o <= picked;
        else more_o <= 1'b1;
      end
      for (int unsigned c = 0; c < CAUSES; c++) begin
        if (any && picked.cause == cause_e'(c)) counts_o[c] <= clear_i ? 32'd1 : counts_o[c] + 32'd1;
      end
    end
  end
endmodule
