// SPDX-License-Identifier: Apache-2.0
// board_router_alone: a board router whose parameters are numbers, for its size: `polyloom synth overlay_board_router`.
module board_router_alone
  import polyloom_overlay_pkg::*;
#(
    parameter int unsigned TilesX = 4,
    parameter int unsigned TilesY = 4,
    parameter int unsigned Slices = 2,
    parameter bit Routers = 1'b1,
    localparam int unsigned Ports = 5 + TilesX,
    localparam int unsigned CountBits = $clog2(Ports + 1)
) (
    input  logic                                clk_i,
    input  logic                                rst_ni,
    output logic                                idle_o,
    input  logic         [          5:0]        board_i,
    input  logic         [          7:0]        mesh_i,
    input  logic         [    Ports-1:0]        in_valid_i,
    input  flit_t        [    Ports-1:0]        in_i,
    output logic         [    Ports-1:0]        in_room_o,
    output logic         [          4:0]        exit_valid_o,
    output flit_t        [          4:0]        exit_o,
    input  logic         [          4:0]        exit_ready_i,
    output logic         [   TilesX-1:0]        out_valid_o,
    output flit_t        [   TilesX-1:0]        out_o,
    input  logic         [   TilesX-1:0]        out_room_i,
    output logic         [   Slices-1:0][  1:0] line_valid_o,
    input  logic         [   Slices-1:0][  1:0] line_ready_i,
    output line_req_t    [   Slices-1:0][  1:0] line_o,
    input  logic         [   Slices-1:0][  1:0] line_rsp_valid_i,
    input  logic         [   Slices-1:0][  5:0] line_rsp_tag_i,
    input  logic         [   Slices-1:0][255:0] line_rsp_data_i,
    output logic                                fault_valid_o,
    input  logic                                fault_ready_i,
    output route_fault_t                        fault_o,
    output logic         [CountBits-1:0]        copy_o,
    output logic         [CountBits-1:0]        ended_o,
    output logic         [CountBits-1:0]        up_o,
    output logic         [          1:0]        beats_o
);
  function automatic cfg_t sizes();
    sizes = TINY;
    sizes.tiles_x = TilesX;
    sizes.tiles_y = TilesY;
    sizes.slices = Slices;
    sizes.routers = Routers;
  endfunction

  flit_t in[Ports], exits[5], out[TilesX];
  for (genvar p = 0; p < Ports; p++) begin : gen_in
    assign in[p] = in_i[p];
  end
  for (genvar e = 0; e < 5; e++) begin : gen_exit
    assign exit_o[e] = exits[e];
  end
  for (genvar x = 0; x < TilesX; x++) begin : gen_out
    assign out_o[x] = out[x];
  end

  polyloom_overlay_board_router #(
      .Cfg(sizes())
  ) i_router (
      .clk_i,
      .rst_ni,
      .idle_o,
      .board_i,
      .mesh_i,
      .in_valid_i,
      .in_i  (in),
      .in_room_o,
      .exit_valid_o,
      .exit_o(exits),
      .exit_ready_i,
      .out_valid_o,
      .out_o (out),
      .out_room_i,
      .line_valid_o,
      .line_ready_i,
      .line_o,
      .line_rsp_valid_i,
      .line_rsp_tag_i,
      .line_rsp_data_i,
      .fault_valid_o,
      .fault_ready_i,
      .fault_o,
      .copy_o,
      .ended_o,
      .up_o,
      .beats_o
  );
endmodule
