// SPDX-License-Identifier: Apache-2.0
// polyloom_axi_mux_arbiter: one address channel of polyloom_axi_mux: round-robin between two, and the winner.
// How:          the library's arbiter tree; a choice stands until it is taken, so that the payload does not change.
// Latency:      0 cycles.
// Throughput:   one a cycle; alternating when both ask. Behind a choice that had to wait the same one may win again, once.
// Backpressure: combinational valid to valid and ready to ready.
// Order/loss:   order of each input kept; nothing lost.
// Reset:        input 0 is first.
// Limits:       none.
// Cost:         part of polyloom_axi_mux.
// Source:       PULP common_cells rr_arb_tree.   Tests: test_polyloom_axi_mux_arbiter.py, test_polyloom_axi_mux.py, proofs.toml
module polyloom_axi_mux_arbiter (
    input  logic                        clk_i,
    input  logic                        rst_ni,
    // From the initiators
    input  logic                  [1:0] in_valid_i,
    output logic                  [1:0] in_ready_o,
    input  polyloom_axi_pkg::ax_t [1:0] in_i,
    // To the memory
    output logic                        out_valid_o,
    input  logic                        out_ready_i,
    output polyloom_axi_pkg::ax_t       out_o,
    // To the lists: which input is at the output
    output logic                        who_o
);

  rr_arb_tree #(
      .NumIn    (2),
      .DataType (polyloom_axi_pkg::ax_t),
      .ExtPrio  (1'b0),
      .AxiVldRdy(1'b1),
      .LockIn   (1'b1)
  ) i_tree (
      .clk_i,
      .rst_ni,
      .flush_i(1'b0),
      .rr_i   ('0),
      .req_i  (in_valid_i),
      .gnt_o  (in_ready_o),
      .data_i (in_i),
      .req_o  (out_valid_o),
      .gnt_i  (out_ready_i),
      .data_o (out_o),
      .idx_o  (who_o)
  );

endmodule
