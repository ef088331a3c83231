// SPDX-License-Identifier: Apache-2.0
// noc_tb: parts of the network alone, for cocotb; the network as a whole is compared by overlay_noc_test.cc.
// verilog_format: off
module noc_tb
  import polyloom_overlay_pkg::*;
  import polyloom_overlay_noc_pkg::*;
(
    input logic clk_i,
    input logic rst_ni
);
  localparam int unsigned FLITS[4] = '{16, 32, 4, 1};
  localparam int unsigned MAX_FLITS[4] = '{4, 3, 4, 1};

  for (genvar k = 0; k < 4; k++) begin : gen_room
    polyloom_overlay_noc_room #(.Flits(FLITS[k]), .MaxFlits(MAX_FLITS[k])) i_dut (.*);
  end

  for (genvar k = 0; k < 4; k++) begin : gen_exit
    polyloom_overlay_noc_exit #(.Flits(FLITS[k]), .MaxFlits(MAX_FLITS[k]), .T(logic [31:0])) i_dut (.valid_i(in_valid),
        .valid_o(out_valid), .ready_i(out_ready), .*);
  end

  for (genvar k = 0; k < 3; k++) begin : gen_arbiter  // of 1, 3, 5
    localparam int unsigned Legs = 2 * k + 1;
    polyloom_overlay_noc_arbiter #(.Legs(Legs)) i_dut (.*);
  end

  for (genvar k = 0; k < 3; k++) begin : gen_output  // of 1, 3, 5
    localparam int unsigned Legs = 2 * k + 1;
    polyloom_overlay_noc_output #(.Legs(Legs), .T(logic [31:0])) i_dut (.*);
  end

  for (genvar k = 0; k < 8; k++) begin : gen_input  // with 5, 3, 2, 1 ways; then the same with Replay
    localparam int unsigned InFlits[4] = '{16, 7, 4, 1};
    localparam int unsigned InWays[4] = '{5, 3, 2, 1};
    localparam int unsigned Ways = InWays[k%4];
    polyloom_overlay_noc_input #(.Flits(InFlits[k%4]), .MaxFlits(MAX_FLITS[k%4]), .Ways(Ways), .Replay(k >= 4), .T(logic
        [31:0])) i_dut (.*);
  end

  for (genvar k = 0; k < 3; k++) begin : gen_crossbar
    localparam int unsigned Ports = k == 0 ? 4 : k == 1 ? 2 : 1;
    localparam logic [Ports-1:0][Ports-1:0] Turns = k == 0 ? (Ports * Ports)'(16'b1101_0000_1111_0110) : '1;
    polyloom_overlay_noc_crossbar #(.Ports(Ports), .Flits(k == 0 ? 5 : k == 1 ? 4 : 2), .DeepPorts(k == 0 ? 2 : 0),
        .DeepFlits(k == 0 ? 9 : k == 1 ? 4 : 2), .MaxFlits(k == 0 ? 3 : k == 1 ? 4 : 1), .T(logic [31:0]),
        .Turns(Turns)) i_dut (.*);
  end

  // 0: fewer tiles than an address can name; 1: wider fields than published, odd sizes.
  function automatic cfg_t board_of(int unsigned which);
    cfg_t c;
    c = TINY;
    c.tiles_x = which == 0 ? 3 : 5;
    c.tiles_y = which == 0 ? 2 : 6;
    c.max_flits = which == 0 ? 4 : 3;
    c.noc_link_flits = which == 0 ? 16 : 7;
    return c;
  endfunction

  for (genvar k = 0; k < 2; k++) begin : gen_router
    localparam cfg_t Cfg = board_of(k);
    polyloom_overlay_router #(.Cfg(Cfg)) i_dut (.tile_x_i(x), .tile_y_i(y), .*);
  end

  // The expander of a link's input, of a column's on a board of 16 threads a tile with two slices.
  function automatic cfg_t expanding(int unsigned which);
    cfg_t c;
    c = board_of(which);
    c.slices = which == 0 ? 1 : 2;
    c.cores = which == 0 ? 4 : 2;
    c.threads = which == 0 ? 16 : 8;
    c.line_bytes = which == 0 ? 32 : 64;
    return c;
  endfunction

  for (genvar k = 0; k < 2; k++) begin : gen_record
    localparam cfg_t Cfg = expanding(k);
    polyloom_overlay_expander_record #(.Cfg(Cfg), .From(k == 0 ? PORT_WEST : PORT_COLUMN)) i_dut (.*);
  end

  for (genvar k = 0; k < 2; k++) begin : gen_expander
    localparam cfg_t Cfg = expanding(k);
    polyloom_overlay_expander #(.Cfg(Cfg), .From(k == 0 ? PORT_WEST : PORT_COLUMN), .Messages(k == 0 ? 5 : 4)) i_dut
        (.end_o(ends), .*);
  end

  for (genvar k = 0; k < 2; k++) begin : gen_board_input
    localparam cfg_t Cfg = expanding(k);
    localparam int unsigned Ports = 5 + Cfg.tiles_x;
    flit_t in = flit_t'('0);
    polyloom_overlay_board_input #(.Cfg(Cfg), .From(k == 0 ? PORT_EAST : PORT_COLUMN)) i_dut (.in_i(in),
        .copy_o(copies), .end_o(ended), .*);
  end

  for (genvar k = 0; k < 2; k++) begin : gen_port
    localparam cfg_t Cfg = expanding(k);
    localparam int unsigned Expanders = k == 0 ? 3 : 8;
    polyloom_overlay_router_port #(.Cfg(Cfg), .Expanders(Expanders)) i_dut (.line_rsp_valid_i(rsp_valid),
        .line_rsp_tag_i(rsp_tag), .line_rsp_data_i(rsp_data), .*);
  end

  if (1) begin : gen_switch  // two inputs may not go to output 0
    polyloom_overlay_noc_switch #(.Ports(3), .T(logic [31:0]), .Turns(9'b111_111_010)) i_dut (.head_valid_i(valid),
        .head_long_i(long), .head_way_i(way), .out_room_i(room), .*);
  end

  if (1) begin : gen_board_router
    localparam cfg_t Cfg = board_of(1);
    localparam int unsigned Columns = Cfg.tiles_x;
    localparam int unsigned Ports = 5 + Columns;
    polyloom_overlay_board_router #(.Cfg(Cfg)) i_dut (.exit_o(leaving), .copy_o(copies), .copy_links_o(copies_links),
        .*);
  end
endmodule
