// SPDX-License-Identifier: Apache-2.0
// noc_tb: parts of the network alone, for cocotb; the network as a whole is compared by overlay_noc_test.cc.
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
    logic arrive = 1'b0, leave = 1'b0, leave_one = 1'b0, room;
    logic [1:0] arrive_flits = '0, leave_flits = '0;
    polyloom_overlay_noc_room #(
        .Flits   (FLITS[k]),
        .MaxFlits(MAX_FLITS[k])
    ) i_dut (
        .clk_i,
        .rst_ni,
        .arrive_i      (arrive),
        .arrive_flits_i(arrive_flits),
        .leave_i       (leave),
        .leave_flits_i (leave_flits),
        .leave_one_i   (leave_one),
        .room_o        (room)
    );
  end

  for (genvar k = 0; k < 4; k++) begin : gen_exit
    logic in_valid = 1'b0, first = 1'b0, last = 1'b0, room, out_valid, out_ready = 1'b0;
    logic [1:0] flits = '0;
    logic [31:0] in = '0, out;
    polyloom_overlay_noc_exit #(
        .Flits   (FLITS[k]),
        .MaxFlits(MAX_FLITS[k]),
        .T       (logic [31:0])
    ) i_dut (
        .clk_i,
        .rst_ni,
        .valid_i(in_valid),
        .first_i(first),
        .last_i (last),
        .flits_i(flits),
        .in_i   (in),
        .room_o (room),
        .valid_o(out_valid),
        .ready_i(out_ready),
        .out_o  (out)
    );
  end

  for (genvar k = 0; k < 3; k++) begin : gen_arbiter  // of 1, 3, 5
    localparam int unsigned Legs = 2 * k + 1;
    logic [Legs-1:0] request = '0, long = '0, ending = '0, grant;
    logic load, send, room = 1'b0;
    logic [(Legs > 1 ? $clog2(Legs) : 1)-1:0] leg;
    polyloom_overlay_noc_arbiter #(
        .Legs(Legs)
    ) i_dut (
        .clk_i,
        .rst_ni,
        .request_i(request),
        .long_i   (long),
        .ending_i (ending),
        .grant_o  (grant),
        .load_o   (load),
        .leg_o    (leg),
        .send_o   (send),
        .room_i   (room)
    );
  end

  for (genvar k = 0; k < 3; k++) begin : gen_output  // of 1, 3, 5
    localparam int unsigned Legs = 2 * k + 1;
    logic [Legs-1:0] request = '0, long = '0, ending = '0, grant;
    logic [Legs-1:0][31:0] flit = '0;
    logic [31:0] flits[Legs], out;
    logic valid, room = 1'b0;
    for (genvar l = 0; l < Legs; l++) begin : gen_leg
      assign flits[l] = flit[l];
    end
    polyloom_overlay_noc_output #(
        .Legs(Legs),
        .T   (logic [31:0])
    ) i_dut (
        .clk_i,
        .rst_ni,
        .request_i(request),
        .long_i   (long),
        .ending_i (ending),
        .flit_i   (flits),
        .grant_o  (grant),
        .valid_o  (valid),
        .out_o    (out),
        .room_i   (room)
    );
  end

  for (genvar k = 0; k < 4; k++) begin : gen_input  // with 5, 3, 2, 1 ways
    localparam int unsigned InFlits[4] = '{16, 7, 4, 1};
    localparam int unsigned InWays[4] = '{5, 3, 2, 1};
    localparam int unsigned Ways = InWays[k];
    logic valid = 1'b0, first = 1'b0, room, head_valid, head_long, grant = 1'b0, ending;
    logic [1:0] flits = '0;
    logic [Ways-1:0] way = '0, head_way;
    logic [31:0] in = '0, flit;
    polyloom_overlay_noc_input #(
        .Flits   (InFlits[k]),
        .MaxFlits(MAX_FLITS[k]),
        .Ways    (Ways),
        .T       (logic [31:0])
    ) i_dut (
        .clk_i,
        .rst_ni,
        .valid_i     (valid),
        .first_i     (first),
        .flits_i     (flits),
        .way_i       (way),
        .in_i        (in),
        .room_o      (room),
        .head_valid_o(head_valid),
        .head_long_o (head_long),
        .head_way_o  (head_way),
        .grant_i     (grant),
        .ending_o    (ending),
        .flit_o      (flit)
    );
  end

  for (genvar k = 0; k < 3; k++) begin : gen_crossbar
    localparam int unsigned Ports = k == 0 ? 4 : k == 1 ? 2 : 1;
    localparam logic [Ports-1:0][Ports-1:0] Turns = k == 0 ? (Ports * Ports)'(16'b1101_0000_1111_0110) : '1;
    logic [Ports-1:0] in_valid = '0, in_first = '0, in_room, out_valid, out_room = '0;
    logic [Ports-1:0][1:0] in_flits = '0;
    logic [Ports-1:0][Ports-1:0] in_way = '0;
    logic [Ports-1:0][31:0] in = '0, out;
    logic [1:0] flits[Ports];
    logic [Ports-1:0] way[Ports];
    logic [31:0] from[Ports], to[Ports];
    for (genvar p = 0; p < Ports; p++) begin : gen_port
      assign flits[p] = in_flits[p];
      assign way[p]   = in_way[p];
      assign from[p]  = in[p];
      assign out[p]   = to[p];
    end
    polyloom_overlay_noc_crossbar #(
        .Ports    (Ports),
        .Flits    (k == 0 ? 5 : k == 1 ? 4 : 2),
        .DeepPorts(k == 0 ? 2 : 0),
        .DeepFlits(k == 0 ? 9 : k == 1 ? 4 : 2),
        .MaxFlits (k == 0 ? 3 : k == 1 ? 4 : 1),
        .T        (logic [31:0]),
        .Turns    (Turns)
    ) i_dut (
        .clk_i,
        .rst_ni,
        .in_valid_i (in_valid),
        .in_first_i (in_first),
        .in_flits_i (flits),
        .in_way_i   (way),
        .in_i       (from),
        .in_room_o  (in_room),
        .out_valid_o(out_valid),
        .out_o      (to),
        .out_room_i (out_room)
    );
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
    logic [5:0] board = '0;
    logic [field_bits(Cfg.tiles_x)-1:0] x = '0;
    logic [field_bits(Cfg.tiles_y)-1:0] y = '0;
    logic [4:0] in_valid = '0, in_room, out_valid, out_room = '0;
    flit_t [4:0] in = '0, out;
    flit_t from[5], to[5];
    for (genvar p = 0; p < 5; p++) begin : gen_port
      assign from[p] = in[p];
      assign out[p]  = to[p];
    end
    polyloom_overlay_router #(
        .Cfg(Cfg)
    ) i_dut (
        .clk_i,
        .rst_ni,
        .board_i    (board),
        .tile_x_i   (x),
        .tile_y_i   (y),
        .in_valid_i (in_valid),
        .in_i       (from),
        .in_room_o  (in_room),
        .out_valid_o(out_valid),
        .out_o      (to),
        .out_room_i (out_room)
    );
  end

  if (1) begin : gen_board_router
    localparam cfg_t Cfg = board_of(1);
    localparam int unsigned Columns = Cfg.tiles_x;
    localparam int unsigned Ports = 5 + Columns;
    logic [5:0] board = '0;
    logic [Ports-1:0] in_valid = '0, in_room;
    flit_t [Ports-1:0] in = '0;
    logic [4:0] exit_valid, exit_ready = '0;
    flit_t [4:0] leaving;
    logic [Columns-1:0] out_valid, out_room = '0;
    flit_t [Columns-1:0] out;
    flit_t from[Ports], exits[5], to[Columns];
    for (genvar p = 0; p < Ports; p++) begin : gen_port
      assign from[p] = in[p];
    end
    for (genvar e = 0; e < 5; e++) begin : gen_exit
      assign leaving[e] = exits[e];
    end
    for (genvar c = 0; c < Columns; c++) begin : gen_column
      assign out[c] = to[c];
    end
    polyloom_overlay_board_router #(
        .Cfg(Cfg)
    ) i_dut (
        .clk_i,
        .rst_ni,
        .board_i     (board),
        .in_valid_i  (in_valid),
        .in_i        (from),
        .in_room_o   (in_room),
        .exit_valid_o(exit_valid),
        .exit_o      (exits),
        .exit_ready_i(exit_ready),
        .out_valid_o (out_valid),
        .out_o       (to),
        .out_room_i  (out_room)
    );
  end
endmodule
