// SPDX-License-Identifier: Apache-2.0
// hub_tb: the role's modules, each alone, and the whole hub, in one binary; a test drives the signals of one scope.
module hub_tb
  import polyloom_hub_pkg::*;
(
    input logic clk_i,
    input logic rst_ni
);

  for (genvar p = 0; p < 6; p++) begin : gen_route  // of each input
    rules_t rules = '0;
    logic [LINKS-1:0] links = '0;
    header_t header = '0;
    route_t route;
    polyloom_hub_route #(
        .Port(p)
    ) i_dut (
        .rules_i (rules),
        .links_i (links),
        .header_i(header),
        .route_o (route)
    );
  end

  if (1) begin : gen_switch
    rules_t rules = '0;
    logic [LINKS-1:0] links = '0, left, credit = '0;
    logic [INPUTS-1:0] in_valid = '0, in_ready, fault_valid, fault_ready = '0, in_idle;
    beat_t [INPUTS-1:0] in = '0;
    logic [PORTS-1:0] out_valid, out_ready = '0, out_idle;
    beat_t [PORTS-1:0] out;
    logic [2:0] local_source;
    logic stream_room = 1'b0;
    fault_t [INPUTS-1:0] fault;
    events_t [PORTS-1:0] events;
    polyloom_hub_switch i_dut (
        .clk_i,
        .rst_ni,
        .rules_i       (rules),
        .links_i       (links),
        .in_valid_i    (in_valid),
        .in_ready_o    (in_ready),
        .in_i          (in),
        .left_o        (left),
        .out_valid_o   (out_valid),
        .out_ready_i   (out_ready),
        .out_o         (out),
        .credit_i      (credit),
        .local_source_o(local_source),
        .stream_room_i (stream_room),
        .fault_valid_o (fault_valid),
        .fault_ready_i (fault_ready),
        .fault_o       (fault),
        .events_o      (events),
        .in_idle_o     (in_idle),
        .out_idle_o    (out_idle)
    );
  end

endmodule
