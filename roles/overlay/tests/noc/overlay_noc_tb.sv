// SPDX-License-Identifier: Apache-2.0
// overlay_noc_tb: the message network behind ports of the same C++ types for every shape (test only).
// How: a flit is a record of eight 32-bit words: data, mask, {last, first, kind, flits - 1, dest}, nothing.
// Source: own design.   Tests: overlay_noc_test.cc.
// verilog_format: off
module overlay_noc_tb
  import polyloom_overlay_pkg::*;
#(
    parameter  int unsigned TilesX    = 2,
    parameter  int unsigned TilesY    = 2,
    parameter  int unsigned MaxFlits  = 4,
    parameter  int unsigned LinkFlits = 16,
    parameter  int unsigned Slices    = 1,
    parameter  int unsigned LineBytes = 32,
    parameter  bit          Routers   = 1'b1,
    parameter  bit          Gate      = 1'b0,
    localparam int unsigned Tiles     = TilesX * TilesY
) (
    input  logic                         clk_i,
    input  logic                         rst_ni,
    input  logic [      7:0]             board_i,
    input  logic [     31:0]             in_valid_i,
    input  logic [Tiles-1:0][ 7:0][31:0] in_i,
    output logic [     31:0]             in_room_o,
    output logic [     31:0]             out_valid_o,
    output logic [Tiles-1:0][ 7:0][31:0] out_o,
    input  logic [     31:0]             out_room_i,
    output logic [      7:0]             exit_valid_o,
    output logic [      4:0][ 7:0][31:0] exit_o,
    input  logic [      7:0]             exit_ready_i,
    input  logic [      7:0]             enter_valid_i,
    input  logic [      4:0][ 7:0][31:0] enter_i,
    output logic [      7:0]             enter_room_o,
    // By slice and port
    output logic [      7:0]             line_valid_o,
    input  logic [      7:0]             line_ready_i,
    output logic [      3:0][ 1:0][31:0] line_o,            // tag, address
    input  logic [      7:0]             line_rsp_valid_i,
    input  logic [      1:0][16:0][31:0] line_rsp_i,        // by slice: line of at most 64 bytes, tag
    output logic [      7:0]             fault_valid_o,
    output logic [      2:0][31:0]       fault_o,           // value, key, why
    output logic [      4:0][ 7:0]       count_o            // copies, ended, up, beats, copies to links
);

  function automatic cfg_t config_of();
    cfg_t c;
    c = TINY;
    c.tiles_x = TilesX;
    c.tiles_y = TilesY;
    c.max_flits = MaxFlits;
    c.noc_link_flits = LinkFlits;
    c.slices = Slices;
    c.line_bytes = LineBytes;
    c.routers = Routers;
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
  assign unused = ^{line_ready_i, line_rsp_valid_i, line_rsp_i, in_valid_i, out_room_i, exit_ready_i, enter_valid_i, board_i};

  for (genvar t = 0; t < Tiles; t++) begin : gen_tile
    assign in[t] = flit_of(in_i[t]);
    assign out_o[t] = record_of(out[t]);
  end
  for (genvar e = 0; e < 5; e++) begin : gen_exit
    assign enter[e]  = flit_of(enter_i[e]);
    assign exit_o[e] = record_of(exits[e]);
  end

  logic [Tiles-1:0] in_room, out_valid;
  logic [Slices-1:0][1:0] line_valid, line_ready, line_rsp_valid;
  line_req_t [Slices-1:0][1:0] line;
  logic [Slices-1:0][INDEX_BITS-1:0] line_rsp_tag;
  logic [Slices-1:0][8*LineBytes-1:0] line_rsp_data;
  route_fault_t fault;
  logic [$clog2(TilesX + 6)-1:0] copies, ended, up;
  logic [1:0] beats;
  logic [2:0] copies_links;
  assign line_valid_o = 8'(line_valid);
  assign line_ready = line_ready_i[2*Slices-1:0];
  assign line_rsp_valid = line_rsp_valid_i[2*Slices-1:0];
  assign fault_valid_o[7:1] = '0;
  assign fault_o = {32'(fault.why), fault.key, fault.value};
  assign count_o = {8'(copies_links), 8'(beats), 8'(up), 8'(ended), 8'(copies)};
  for (genvar s = 0; s < 2; s++) begin : gen_slice
    if (s < Slices) begin : gen_lines
      for (genvar p = 0; p < 2; p++) begin : gen_port
        assign line_o[2*s+p] = {line[s][p].addr, 31'(line[s][p].tag), line[s][p].write};
      end
      assign {line_rsp_tag[s], line_rsp_data[s]} = {line_rsp_i[s][16][INDEX_BITS-1:0], line_rsp_i[s][LineBytes/4-1:0]};
    end else begin : gen_none
      assign line_o[2*s+:2] = '0;
    end
  end
  assign in_room_o = 32'(in_room);
  assign out_valid_o = 32'(out_valid);
  assign exit_valid_o[7:5] = '0;
  assign enter_room_o[7:5] = '0;

  polyloom_overlay_noc #(.Cfg(config_of()), .Gate(Gate)) i_noc (.board_i(board_i[5:0]), .mesh_i(8'h33),
      .in_valid_i(in_valid_i[Tiles-1:0]), .in_i(in), .in_room_o(in_room), .out_valid_o(out_valid), .out_o(out),
      .out_room_i(out_room_i[Tiles-1:0]), .exit_valid_o(exit_valid_o[4:0]), .exit_o(exits),
      .exit_ready_i(exit_ready_i[4:0]), .enter_valid_i(enter_valid_i[4:0]), .enter_i(enter),
      .enter_room_o(enter_room_o[4:0]), .line_valid_o(line_valid), .line_ready_i(line_ready), .line_o(line),
      .line_rsp_valid_i(line_rsp_valid), .line_rsp_tag_i(line_rsp_tag), .line_rsp_data_i(line_rsp_data),
      .fault_valid_o(fault_valid_o[0]), .fault_ready_i(1'b1), .fault_o(fault), .copy_o(copies),
      .copy_links_o(copies_links), .ended_o(ended), .up_o(up), .beats_o(beats), .*);

endmodule
