// SPDX-License-Identifier: Apache-2.0
// polyloom_axi_mux_list: the requesters in order: the list by which polyloom_axi_mux sends data and responses.
// How:          the library's FIFO, one bit wide.
// Latency:      1 cycle from push to valid.
// Throughput:   one in and one out a cycle.
// Backpressure: room_o falls when Depth stand in the list; from registers only.
// Order/loss:   in order; a push without room is illegal (asserted), as is a pop of nothing.
// Reset:        emptied.
// Limits:       Depth >= 2.
// Cost:         part of polyloom_axi_mux.
// Source:       PULP common_cells fifo_v3.   Tests: test_polyloom_axi_mux_list.py, test_polyloom_axi_mux.py, proofs.toml
module polyloom_axi_mux_list #(
    parameter int unsigned Depth = 8  // entries
) (
    input  logic clk_i,
    input  logic rst_ni,
    // From the address channel
    input  logic push_i,
    input  logic who_i,
    output logic room_o,
    // To the channel that is routed
    output logic valid_o,
    output logic who_o,
    input  logic pop_i
);

  logic full, empty;
  logic [$clog2(Depth)-1:0] usage;

  fifo_v3 #(
      .DATA_WIDTH(1),
      .DEPTH     (Depth)
  ) i_fifo (
      .clk_i,
      .rst_ni,
      .flush_i   (1'b0),
      .testmode_i(1'b0),
      .full_o    (full),
      .empty_o   (empty),
      .usage_o   (usage),
      .data_i    (who_i),
      .push_i    (push_i),
      .data_o    (who_o),
      .pop_i     (pop_i)
  );

  assign room_o  = !full;
  assign valid_o = !empty;

  logic unused;
  assign unused = ^usage;

  always_ff @(posedge clk_i) begin
    assert (!rst_ni || !(push_i && full));
    assert (!rst_ni || !(pop_i && empty));
  end

endmodule
