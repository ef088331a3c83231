// SPDX-License-Identifier: Apache-2.0
// detector_tb: gather and detector of one board, for overlay_detector_rtl_test.cc.
// verilog_format: off
module detector_tb
  import polyloom_overlay_pkg::*;
  import polyloom_overlay_detector_pkg::*;
#(
    parameter int unsigned TilesX = 1,
    parameter int unsigned TilesY = 1,
    localparam int unsigned Tiles = TilesX * TilesY,
    localparam int unsigned RouterBits = $clog2(LINKS + 1 + TilesX + 1)
) (
    input  logic                        clk_i,
    input  logic                        rst_ni,
    input  logic [           5:0]       board_i,
    input  logic [           7:0]       mesh_i,
    input  logic [     Tiles-1:0]       all_idle_i,
    input  logic [     Tiles-1:0]       all_vote_i,
    input  logic [     Tiles-1:0][15:0] in_flight_i,
    input  logic [     LINKS-1:0]       sent_i,
    input  logic [     LINKS-1:0]       received_i,
    input  logic                        host_in_i,
    input  logic                        host_out_i,
    input  logic [RouterBits-1:0]       copies_i,
    input  logic [RouterBits-1:0]       ended_i,
    input  logic [     LINKS-1:0]       ctl_in_valid_i,
    output logic [     LINKS-1:0]       ctl_in_ready_o,
    input  logic [     LINKS-1:0][63:0] ctl_in_data_i,
    input  logic [     LINKS-1:0]       ctl_in_last_i,
    output logic [     LINKS-1:0]       ctl_out_valid_o,
    input  logic [     LINKS-1:0]       ctl_out_ready_i,
    output logic [     LINKS-1:0][63:0] ctl_out_data_o,
    output logic [     LINKS-1:0]       ctl_out_last_o,
    output logic                        epoch_o,
    output logic [     Tiles-1:0]       release_o,
    output logic [     Tiles-1:0]       release_vote_o,
    input  logic                        inject_i,
    output logic                        may_inject_o,
    output logic [          31:0]       barriers_o,
    output logic [          31:0]       grants_o
);
  function automatic cfg_t config_of();
    cfg_t c;
    c = TINY;
    c.tiles_x = TilesX;
    c.tiles_y = TilesY;
    return c;
  endfunction

  logic passive, vote;
  count_t [LINKS-1:0] sent, received;

  polyloom_overlay_gather #(.Cfg(config_of())) i_gather (.passive_o(passive), .vote_o(vote), .sent_o(sent),
      .received_o(received), .*);

  polyloom_overlay_detector #(.Cfg(config_of())) i_detector (.passive_i(passive), .vote_i(vote), .sent_i(sent),
      .received_i(received), .*);
endmodule
