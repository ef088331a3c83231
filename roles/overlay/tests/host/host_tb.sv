// SPDX-License-Identifier: Apache-2.0
// host_tb: the overlay's host side on boards of several shapes, one scope each, and its parts alone; host_units.py has
// the same list.
// verilog_format: off
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
  } reported_t;

  for (genvar i = 0; i < 4; i++) begin : gen_host
    localparam cfg_t Cfg = shape(i);
    localparam int unsigned HostFlits = i == 1 ? 2 : i == 0 ? 16 : 512;
    word_t words = '0;
    reported_t reported = '0;
    logic rest = 1'b0, work_clk;  // all but the counts stand still
    assign work_clk = clk_i && !rest;

    polyloom_overlay_host #(.Cfg(Cfg), .HostFlits(HostFlits)) i_dut (.clk_i(work_clk), .free_clk_i(clk_i),
        .prog_req_valid_i(words_valid), .prog_req_ready_o(words_ready), .prog_req_i(words.request),
        .prog_role_i(words.role), .prog_rsp_valid_o(words_rsp_valid), .prog_rsp_o(words_rsp),
        .reg_req_valid_i(reg_valid), .role_tx_valid_o(tx_valid), .role_tx_ready_i(tx_ready), .role_tx_o(tx),
        .event_valid_i(reported_valid), .event_ready_o(reported_ready), .event_i(reported.what), .event_tile_i(reported.tile),
        .enter_room_i(room), .exit_valid_i(leave_valid), .exit_ready_o(leave_ready), .exit_i(leave),
        .inject_wanted_o(wanted), .*);
  end

  // ---- parts alone, under the names that their signals have above ----

  if (1) begin : gen_words
    word_t words = '0;
    polyloom_overlay_host_words i_dut (.req_valid_i(words_valid), .req_ready_o(words_ready), .req_i(words.request),
        .role_i(words.role), .rsp_valid_o(words_rsp_valid), .rsp_o(words_rsp), .*);
  end

  for (genvar i = 0; i < 4; i++) begin : gen_tx
    reported_t reported = '0;
    polyloom_overlay_host_tx #(.Cfg(shape(i))) i_dut (.exit_valid_i(leave_valid), .exit_ready_o(leave_ready),
        .exit_i(leave), .event_valid_i(reported_valid), .event_ready_o(reported_ready), .event_i(reported.what),
        .event_tile_i(reported.tile), .*);
  end

  for (genvar i = 0; i < 4; i++) begin : gen_inject
    localparam int unsigned Depths[4] = '{16, 2, 4, 7};
    polyloom_overlay_host_inject #(.Cfg(shape(i)), .Flits(Depths[i])) i_dut (.enter_room_i(room), .*);
  end

  for (genvar i = 0; i < 3; i++) begin : gen_room
    localparam int unsigned Flits[3] = '{1, 3, 128};
    reported_t tiles = '0, reported;
    polyloom_overlay_host_room #(.Flits(Flits[i])) i_dut (.event_valid_i(tiles_valid), .event_ready_o(tiles_ready),
        .event_i(tiles.what), .event_tile_i(tiles.tile), .reported_o(reported.what), .reported_tile_o(reported.tile), .*);
  end

endmodule
