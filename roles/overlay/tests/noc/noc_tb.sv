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

  for (genvar k = 0; k < 8; k++) begin : gen_input  // with 5, 3, 2, 1 ways; then the same with Replay
    localparam int unsigned InFlits[4] = '{16, 7, 4, 1};
    localparam int unsigned InWays[4] = '{5, 3, 2, 1};
    localparam int unsigned Ways = InWays[k%4];
    logic valid = 1'b0, first = 1'b0, room, head_valid, head_long, grant = 1'b0, stay = 1'b0, drop = 1'b0, ending;
    logic [1:0] flits = '0;
    logic [Ways-1:0] way = '0, head_way;
    logic [31:0] in = '0, flit;
    polyloom_overlay_noc_input #(
        .Flits   (InFlits[k%4]),
        .MaxFlits(MAX_FLITS[k%4]),
        .Ways    (Ways),
        .Replay  (k >= 4),
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
        .stay_i      (stay),
        .drop_i      (drop),
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
    logic [5:0] board = '0;
    logic [7:0] mesh = '0;
    logic [1:0][47:0] chunk = '0;
    logic two, copies, indirection;
    copy_t copy;
    logic [4+Cfg.tiles_x:0] way;
    logic [31:0] key;
    route_why_e why;
    polyloom_overlay_expander_record #(
        .Cfg (Cfg),
        .From(k == 0 ? PORT_WEST : PORT_COLUMN)
    ) i_dut (
        .board_i      (board),
        .mesh_i       (mesh),
        .chunk_i      (chunk),
        .two_o        (two),
        .copies_o     (copies),
        .copy_o       (copy),
        .way_o        (way),
        .indirection_o(indirection),
        .key_o        (key),
        .why_o        (why)
    );
  end

  for (genvar k = 0; k < 2; k++) begin : gen_expander
    localparam cfg_t Cfg = expanding(k);
    logic [5:0] board = '0;
    logic [7:0] mesh = '0;
    logic
        key_valid = 1'b0, ask_valid, ask_ready = 1'b0, shown, ends, last, taken = 1'b0, fault_valid, fault_ready = 1'b0;
    logic [31:0] key = '0;
    beat_ask_t ask;
    logic [Cfg.slices-1:0] beat_valid = '0;
    logic [Cfg.slices-1:0][2:0] beat_place = '0;
    logic [Cfg.slices-1:0][255:0] beat = '0;
    logic [4+Cfg.tiles_x:0] way;
    copy_t copy;
    route_fault_t fault;
    polyloom_overlay_expander #(
        .Cfg     (Cfg),
        .From    (k == 0 ? PORT_WEST : PORT_COLUMN),
        .Messages(k == 0 ? 5 : 4)
    ) i_dut (
        .clk_i,
        .rst_ni,
        .board_i      (board),
        .mesh_i       (mesh),
        .key_valid_i  (key_valid),
        .key_i        (key),
        .ask_valid_o  (ask_valid),
        .ask_ready_i  (ask_ready),
        .ask_o        (ask),
        .beat_valid_i (beat_valid),
        .beat_place_i (beat_place),
        .beat_i       (beat),
        .shown_o      (shown),
        .end_o        (ends),
        .last_o       (last),
        .way_o        (way),
        .copy_o       (copy),
        .taken_i      (taken),
        .fault_valid_o(fault_valid),
        .fault_ready_i(fault_ready),
        .fault_o      (fault)
    );
  end

  for (genvar k = 0; k < 2; k++) begin : gen_board_input
    localparam cfg_t Cfg = expanding(k);
    localparam int unsigned Ports = 5 + Cfg.tiles_x;
    logic [5:0] board = '0;
    logic [7:0] mesh = '0;
    logic idle, valid = 1'b0, room, head_valid, head_long, grant = 1'b0, ending;
    logic [Ports-1:0] way = '0, head_way;
    flit_t in = flit_t'('0), flit;
    logic ask_valid, ask_ready = 1'b0, fault_valid, fault_ready = 1'b0, copies, ended;
    beat_ask_t ask;
    logic [Cfg.slices-1:0] beat_valid = '0;
    logic [Cfg.slices-1:0][2:0] beat_place = '0;
    logic [Cfg.slices-1:0][255:0] beat = '0;
    route_fault_t fault;
    polyloom_overlay_board_input #(
        .Cfg (Cfg),
        .From(k == 0 ? PORT_EAST : PORT_COLUMN)
    ) i_dut (
        .clk_i,
        .rst_ni,
        .idle_o       (idle),
        .board_i      (board),
        .mesh_i       (mesh),
        .valid_i      (valid),
        .way_i        (way),
        .in_i         (in),
        .room_o       (room),
        .head_valid_o (head_valid),
        .head_long_o  (head_long),
        .head_way_o   (head_way),
        .grant_i      (grant),
        .ending_o     (ending),
        .flit_o       (flit),
        .ask_valid_o  (ask_valid),
        .ask_ready_i  (ask_ready),
        .ask_o        (ask),
        .beat_valid_i (beat_valid),
        .beat_place_i (beat_place),
        .beat_i       (beat),
        .fault_valid_o(fault_valid),
        .fault_ready_i(fault_ready),
        .fault_o      (fault),
        .copy_o       (copies),
        .end_o        (ended)
    );
  end

  for (genvar k = 0; k < 2; k++) begin : gen_port
    localparam cfg_t Cfg = expanding(k);
    localparam int unsigned Expanders = k == 0 ? 3 : 8;
    logic [Expanders-1:0] ask_valid = '0, ask_ready;
    beat_ask_t [Expanders-1:0] ask = '0;
    logic [Expanders-1:0][Cfg.slices-1:0] beat_valid;
    logic [Cfg.slices-1:0][2:0] beat_place;
    logic [Cfg.slices-1:0][255:0] beat;
    logic [Cfg.slices-1:0] line_valid, line_ready = '0, rsp_valid = '0;
    line_req_t [Cfg.slices-1:0] line;
    logic [Cfg.slices-1:0][INDEX_BITS-1:0] rsp_tag = '0;
    logic [Cfg.slices-1:0][8*Cfg.line_bytes-1:0] rsp_data = '0;
    polyloom_overlay_router_port #(
        .Cfg(Cfg),
        .Expanders(Expanders)
    ) i_dut (
        .clk_i,
        .rst_ni,
        .ask_valid_i(ask_valid),
        .ask_ready_o(ask_ready),
        .ask_i(ask),
        .beat_valid_o(beat_valid),
        .beat_place_o(beat_place),
        .beat_o(beat),
        .line_valid_o(line_valid),
        .line_ready_i(line_ready),
        .line_o(line),
        .line_rsp_valid_i(rsp_valid),
        .line_rsp_tag_i(rsp_tag),
        .line_rsp_data_i(rsp_data)
    );
  end

  if (1) begin : gen_switch  // two inputs may not go to output 0
    logic [2:0] valid = '0, long = '0, ending = '0, grant, out_valid, room = '0;
    logic [2:0][2:0] way = '0;
    logic [2:0][31:0] flit = '0, out;
    logic [2:0] ways[3];
    logic [31:0] flits[3], outs[3];
    for (genvar p = 0; p < 3; p++) begin : gen_port
      assign ways[p]  = way[p];
      assign flits[p] = flit[p];
      assign out[p]   = outs[p];
    end
    polyloom_overlay_noc_switch #(
        .Ports(3),
        .T    (logic [31:0]),
        .Turns(9'b111_111_010)
    ) i_dut (
        .clk_i,
        .rst_ni,
        .head_valid_i(valid),
        .head_long_i (long),
        .head_way_i  (ways),
        .ending_i    (ending),
        .flit_i      (flits),
        .grant_o     (grant),
        .out_valid_o (out_valid),
        .out_o       (outs),
        .out_room_i  (room)
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
    logic idle, fault_valid, fault_ready = 1'b0;
    logic [7:0] mesh = '0;
    logic [Cfg.slices-1:0][1:0] line_valid, line_ready = '0, line_rsp_valid = '0;
    line_req_t [Cfg.slices-1:0][1:0] line;
    logic [Cfg.slices-1:0][INDEX_BITS-1:0] line_rsp_tag = '0;
    logic [Cfg.slices-1:0][8*Cfg.line_bytes-1:0] line_rsp_data = '0;
    route_fault_t fault;
    logic [$clog2(Ports+1)-1:0] copies, ended, up;
    logic [1:0] beats;
    logic [2:0] copies_links;
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
        .idle_o          (idle),
        .board_i         (board),
        .mesh_i          (mesh),
        .in_valid_i      (in_valid),
        .in_i            (from),
        .in_room_o       (in_room),
        .exit_valid_o    (exit_valid),
        .exit_o          (exits),
        .exit_ready_i    (exit_ready),
        .out_valid_o     (out_valid),
        .out_o           (to),
        .out_room_i      (out_room),
        .line_valid_o    (line_valid),
        .line_ready_i    (line_ready),
        .line_o          (line),
        .line_rsp_valid_i(line_rsp_valid),
        .line_rsp_tag_i  (line_rsp_tag),
        .line_rsp_data_i (line_rsp_data),
        .fault_valid_o   (fault_valid),
        .fault_ready_i   (fault_ready),
        .fault_o         (fault),
        .copy_o          (copies),
        .copy_links_o    (copies_links),
        .ended_o         (ended),
        .up_o            (up),
        .beats_o         (beats)
    );
  end
endmodule
