// SPDX-License-Identifier: Apache-2.0
// overlay_noc_tb: the message network behind ports of the same C++ types for every shape (test only).
// How: a flit is a record of eight 32-bit words: data, mask, {last, first, kind, flits - 1, dest}, nothing.
// Source: own design.   Tests: overlay_noc_test.cc.
module overlay_noc_tb
  import polyloom_overlay_pkg::*;
#(
    parameter  int unsigned TilesX    = 2,
    parameter  int unsigned TilesY    = 2,
    parameter  int unsigned MaxFlits  = 4,
    parameter  int unsigned LinkFlits = 16,
    parameter  bit          Gate      = 1'b0,
    localparam int unsigned Tiles     = TilesX * TilesY
) (
    input  logic                        clk_i,
    input  logic                        rst_ni,
    input  logic [      7:0]            board_i,
    input  logic [     31:0]            in_valid_i,
    input  logic [Tiles-1:0][7:0][31:0] in_i,
    output logic [     31:0]            in_room_o,
    output logic [     31:0]            out_valid_o,
    output logic [Tiles-1:0][7:0][31:0] out_o,
    input  logic [     31:0]            out_room_i,
    output logic [      7:0]            exit_valid_o,
    output logic [      4:0][7:0][31:0] exit_o,
    input  logic [      7:0]            exit_ready_i,
    input  logic [      7:0]            enter_valid_i,
    input  logic [      4:0][7:0][31:0] enter_i,
    output logic [      7:0]            enter_room_o
);

  function automatic cfg_t config_of();
    cfg_t c;
    c = TINY;
    c.tiles_x = TilesX;
    c.tiles_y = TilesY;
    c.max_flits = MaxFlits;
    c.noc_link_flits = LinkFlits;
    return c;
  endfunction

  function automatic flit_t flit_of(input logic [7:0][31:0] r);
    flit_of.data = r[3:0];
    flit_of.header.mask = r[5:4];
    {flit_of.last, flit_of.first, flit_of.header.flits, flit_of.header.dest} = {r[6][26:25], r[6][21:0]};
    flit_of.header.kind = kind_e'(r[6][24:22]);
  endfunction

  function automatic logic [7:0][31:0] record_of(input flit_t f);
    return {32'd0, 5'd0, f.last, f.first, f.header.kind, f.header.flits, f.header.dest, f.header.mask, f.data};
  endfunction

  flit_t in[Tiles], out[Tiles], exits[5], enter[5];
  logic unused;
  assign unused = ^{in_valid_i, out_room_i, exit_ready_i, enter_valid_i, board_i};

  for (genvar t = 0; t < Tiles; t++) begin : gen_tile
    assign in[t] = flit_of(in_i[t]);
    assign out_o[t] = record_of(out[t]);
  end
  for (genvar e = 0; e < 5; e++) begin : gen_exit
    assign enter[e]  = flit_of(enter_i[e]);
    assign exit_o[e] = record_of(exits[e]);
  end

  logic [Tiles-1:0] in_room, out_valid;
  // verilator lint_off UNUSEDSIGNAL
  logic [1:0] line_valid;
  line_req_t [1:0] line;
  logic fault_valid;
  route_fault_t fault;
  logic [$clog2(TilesX + 6)-1:0] copies, ended, up;
  logic [1:0] beats;
  // verilator lint_on UNUSEDSIGNAL
  assign in_room_o = 32'(in_room);
  assign out_valid_o = 32'(out_valid);
  assign exit_valid_o[7:5] = '0;
  assign enter_room_o[7:5] = '0;

  polyloom_overlay_noc #(
      .Cfg (config_of()),
      .Gate(Gate)
  ) i_noc (
      .clk_i,
      .rst_ni,
      .board_i         (board_i[5:0]),
      .mesh_i          (8'h33),
      .in_valid_i      (in_valid_i[Tiles-1:0]),
      .in_i            (in),
      .in_room_o       (in_room),
      .out_valid_o     (out_valid),
      .out_o           (out),
      .out_room_i      (out_room_i[Tiles-1:0]),
      .exit_valid_o    (exit_valid_o[4:0]),
      .exit_o          (exits),
      .exit_ready_i    (exit_ready_i[4:0]),
      .enter_valid_i   (enter_valid_i[4:0]),
      .enter_i         (enter),
      .enter_room_o    (enter_room_o[4:0]),
      .line_valid_o    (line_valid),
      .line_ready_i    ('0),
      .line_o          (line),
      .line_rsp_valid_i('0),
      .line_rsp_tag_i  ('0),
      .line_rsp_data_i ('0),
      .fault_valid_o   (fault_valid),
      .fault_ready_i   (1'b1),
      .fault_o         (fault),
      .copy_o          (copies),
      .ended_o         (ended),
      .up_o            (up),
      .beats_o         (beats)
  );

endmodule
