// SPDX-License-Identifier: Apache-2.0
// host_tb: the overlay's host side on boards of several shapes, one scope each, and its parts alone; host_units.py has
// the same list.
module host_tb
  import polyloom_overlay_pkg::*;
(
    input logic clk_i,
    input logic rst_ni
);

  function automatic cfg_t shape(int unsigned which);
    cfg_t c;
    c = TINY;
    case (which)
      0: begin  // odd sizes
        c.tiles_x = 3;
        c.tiles_y = 2;
        c.cores = 2;
        c.threads = 4;
        c.slices = 2;
        c.instr_words = 512;
        c.mailbox_slots = 128;
      end
      1: begin  // the least
        c.cores = 1;
        c.threads = 1;
        c.max_flits = 1;
        c.routers = 1'b0;
      end
      2: begin  // as published
        c.tiles_x = 4;
        c.tiles_y = 4;
        c.slices  = 2;
      end
      default: begin  // an id wider than published
        c.tiles_x = 5;
        c.extra_send_slot = 1'b1;
      end
    endcase
    return c;
  endfunction

  typedef struct packed {
    polyloom_shell_pkg::prog_req_t  request;
    polyloom_shell_pkg::role_word_t role;
  } word_t;
  typedef struct packed {
    logic [7:0]  tile;
    tile_event_t what;
  } told_t;

  for (genvar i = 0; i < 4; i++) begin : gen_host
    localparam cfg_t Cfg = shape(i);
    localparam int unsigned HostFlits = i == 1 ? 2 : i == 0 ? 16 : 512;
    logic [5:0] board = '0;
    logic [7:0] mesh = '0;
    polyloom_shell_pkg::range_t range = '0;
    polyloom_shell_pkg::reg_req_t reg_req = '0;
    polyloom_shell_pkg::reg_rsp_t reg_rsp;
    polyloom_shell_pkg::host_word_t pass = '0, tx;
    word_t words = '0;
    told_t told = '0;
    ctl_req_t ctl;
    flit_t enter, leave = '0;
    logic range_ok, words_valid = 1'b0, words_ready, words_rsp_valid, reg_valid = 1'b0, reg_rsp_valid;
    logic pass_valid = 1'b0, pass_ready, pass_rsp_valid, pass_rsp_refused, tx_valid, tx_ready = 1'b0;
    logic ctl_valid, ctl_ready = 1'b0, ctl_rsp_valid = 1'b0, told_valid = 1'b0, told_ready;
    logic enter_valid, room = 1'b0, leave_valid = 1'b0, leave_ready;
    logic wanted, may_inject = 1'b0, host_in, host_out, idle, work_idle;
    logic rest = 1'b0, work_clk;  // all but the counts stand still
    assign work_clk = clk_i && !rest;
    logic [31:0] ctl_rdata = '0;
    logic [63:0] words_rsp, barriers = '0;
    logic [Cfg.tiles_x*Cfg.tiles_y*Cfg.cores-1:0] retired = '0;

    polyloom_overlay_host #(
        .Cfg      (Cfg),
        .HostFlits(HostFlits)
    ) i_dut (
        .clk_i             (work_clk),
        .free_clk_i        (clk_i),
        .rst_ni,
        .board_i           (board),
        .mesh_i            (mesh),
        .range_i           (range),
        .range_ok_o        (range_ok),
        .prog_req_valid_i  (words_valid),
        .prog_req_ready_o  (words_ready),
        .prog_req_i        (words.request),
        .prog_role_i       (words.role),
        .prog_rsp_valid_o  (words_rsp_valid),
        .prog_rsp_o        (words_rsp),
        .reg_req_valid_i   (reg_valid),
        .reg_req_i         (reg_req),
        .reg_rsp_valid_o   (reg_rsp_valid),
        .reg_rsp_o         (reg_rsp),
        .pass_valid_i      (pass_valid),
        .pass_ready_o      (pass_ready),
        .pass_i            (pass),
        .pass_rsp_valid_o  (pass_rsp_valid),
        .pass_rsp_refused_o(pass_rsp_refused),
        .role_tx_valid_o   (tx_valid),
        .role_tx_ready_i   (tx_ready),
        .role_tx_o         (tx),
        .ctl_valid_o       (ctl_valid),
        .ctl_ready_i       (ctl_ready),
        .ctl_o             (ctl),
        .ctl_rsp_valid_i   (ctl_rsp_valid),
        .ctl_rdata_i       (ctl_rdata),
        .event_valid_i     (told_valid),
        .event_ready_o     (told_ready),
        .event_i           (told.what),
        .event_tile_i      (told.tile),
        .retired_i         (retired),
        .enter_valid_o     (enter_valid),
        .enter_o           (enter),
        .enter_room_i      (room),
        .exit_valid_i      (leave_valid),
        .exit_ready_o      (leave_ready),
        .exit_i            (leave),
        .inject_wanted_o   (wanted),
        .may_inject_i      (may_inject),
        .host_in_o         (host_in),
        .host_out_o        (host_out),
        .barriers_i        (barriers),
        .work_idle_o       (work_idle),
        .idle_o            (idle)
    );
  end

  // ---- parts alone, under the names that their signals have above ----

  if (1) begin : gen_words
    word_t words = '0;
    ctl_req_t ctl;
    logic words_valid = 1'b0, words_ready, words_rsp_valid, ctl_valid, ctl_ready = 1'b0, ctl_rsp_valid = 1'b0;
    logic [63:0] words_rsp;
    logic [31:0] ctl_rdata = '0;
    polyloom_overlay_host_words i_dut (
        .clk_i,
        .rst_ni,
        .req_valid_i    (words_valid),
        .req_ready_o    (words_ready),
        .req_i          (words.request),
        .role_i         (words.role),
        .rsp_valid_o    (words_rsp_valid),
        .rsp_o          (words_rsp),
        .ctl_valid_o    (ctl_valid),
        .ctl_ready_i    (ctl_ready),
        .ctl_o          (ctl),
        .ctl_rsp_valid_i(ctl_rsp_valid),
        .ctl_rdata_i    (ctl_rdata)
    );
  end

  for (genvar i = 0; i < 4; i++) begin : gen_tx
    logic [5:0] board = '0;
    flit_t leave = '0;
    told_t told = '0;
    polyloom_shell_pkg::host_word_t tx;
    logic leave_valid = 1'b0, leave_ready, told_valid = 1'b0, told_ready, tx_valid, tx_ready = 1'b0, host_out, idle;
    polyloom_overlay_host_tx #(
        .Cfg(shape(i))
    ) i_dut (
        .clk_i,
        .rst_ni,
        .board_i      (board),
        .exit_valid_i (leave_valid),
        .exit_ready_o (leave_ready),
        .exit_i       (leave),
        .event_valid_i(told_valid),
        .event_ready_o(told_ready),
        .event_i      (told.what),
        .event_tile_i (told.tile),
        .tx_valid_o   (tx_valid),
        .tx_ready_i   (tx_ready),
        .tx_o         (tx),
        .host_out_o   (host_out),
        .idle_o       (idle)
    );
  end

  for (genvar i = 0; i < 4; i++) begin : gen_inject
    localparam int unsigned Depths[4] = '{16, 2, 4, 7};
    flit_t in = '0, enter;
    logic in_valid = 1'b0, in_ready, enter_valid, room = 1'b0, wanted, may_inject = 1'b0, host_in, idle;
    polyloom_overlay_host_inject #(
        .Cfg  (shape(i)),
        .Flits(Depths[i])
    ) i_dut (
        .clk_i,
        .rst_ni,
        .in_valid_i   (in_valid),
        .in_ready_o   (in_ready),
        .in_i         (in),
        .enter_valid_o(enter_valid),
        .enter_o      (enter),
        .enter_room_i (room),
        .wanted_o     (wanted),
        .may_inject_i (may_inject),
        .host_in_o    (host_in),
        .idle_o       (idle)
    );
  end

  for (genvar i = 0; i < 3; i++) begin : gen_room
    localparam int unsigned Flits[3] = '{1, 3, 128};
    told_t tiles = '0, told;
    logic gone = 1'b0, tiles_valid = 1'b0, tiles_ready, told_valid, told_ready = 1'b0, idle;
    polyloom_overlay_host_room #(
        .Flits(Flits[i])
    ) i_dut (
        .clk_i,
        .rst_ni,
        .gone_i       (gone),
        .event_valid_i(tiles_valid),
        .event_ready_o(tiles_ready),
        .event_i      (tiles.what),
        .event_tile_i (tiles.tile),
        .told_valid_o (told_valid),
        .told_ready_i (told_ready),
        .told_o       (told.what),
        .told_tile_o  (told.tile),
        .idle_o       (idle)
    );
  end

endmodule
