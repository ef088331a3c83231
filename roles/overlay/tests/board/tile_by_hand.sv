// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_tile, played by hand: in board_parts_tb it stands where the tile does, with the tile's ports, and a test
// drives and sees each tile's side of polyloom_overlay_tiles through the signals of this scope.
module polyloom_overlay_tile
  import polyloom_overlay_pkg::*;
#(
    parameter cfg_t Cfg  = TINY,
    parameter bit   Gate = 1'b0   // simulation: parts without work stand still
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    output logic        cache_idle_o,  // no memory access is under way
    input  logic [ 6:0] phase_i,       // of the board's cycle
    input  logic [ 5:0] tile_i,        // constant: its number on the board
    input  logic [15:0] hart_base_i,   // id of the tile's thread 0
    input  logic [ 7:0] mesh_i,        // boards: {height, width}

    // From the shell
    input  logic            ctl_valid_i,
    output logic            ctl_ready_o,
    input  ctl_req_t        ctl_i,
    output logic            ctl_rsp_valid_o,
    output logic     [31:0] ctl_rdata_o,

    // To the tile's router, and from it
    output logic  out_valid_o,
    output flit_t out_o,
    input  logic  out_room_i,
    input  logic  in_valid_i,
    input  flit_t in_i,
    output logic  in_room_o,

    // To the tile's memory slice
    output logic                             line_valid_o,
    input  logic                             line_ready_i,
    output line_req_t                        line_o,
    output logic      [8*Cfg.line_bytes-1:0] line_wdata_o,
    input  logic                             line_rsp_valid_i,
    input  logic      [      INDEX_BITS-1:0] line_rsp_tag_i,
    input  logic      [8*Cfg.line_bytes-1:0] line_rsp_data_i,

    // To the host
    output logic        event_valid_o,
    input  logic        event_ready_i,
    output tile_event_t event_o,

    // Termination detection
    output logic        all_idle_o,
    output logic        all_vote_o,
    output logic [15:0] in_flight_o,
    input  logic        release_i,
    input  logic        release_vote_i,

    // Counters
    input  logic        [          1:0][31:0] router_sent_i,  // of the board, for programs
    output logic        [Cfg.cores-1:0]       retired_o,      // pulse an instruction
    output tile_count_t                       count_o,

    // To show why nothing goes on: see polyloom_overlay_mailbox
    output logic [5:0][Cfg.cores*Cfg.threads-1:0] state_o
);
  typedef struct packed {
    line_req_t                   request;
    logic [8*Cfg.line_bytes-1:0] wdata;
  } line_t;

  // What the test drives; as to names see polyloom.rtl.testing.
  logic cache_idle = 1'b0, ctl_ready = 1'b0, ctl_rsp_valid = 1'b0, out_valid = 1'b0, in_room = 1'b0;
  logic line_valid = 1'b0, reported_valid = 1'b0, all_idle = 1'b0, all_vote = 1'b0;
  logic [31:0] ctl_rdata = '0;
  flit_t out = '0;
  line_t line = '0;
  tile_event_t reported = '0;
  logic reported_ready;
  assign reported_ready = event_ready_i;
  logic [15:0] in_flight = '0;
  logic [Cfg.cores-1:0] retired = '0;
  tile_count_t count = '0;
  logic [5:0][Cfg.cores*Cfg.threads-1:0] state = '0;

  assign cache_idle_o = cache_idle;
  assign ctl_ready_o = ctl_ready;
  assign ctl_rsp_valid_o = ctl_rsp_valid;
  assign ctl_rdata_o = ctl_rdata;
  assign out_valid_o = out_valid;
  assign out_o = out;
  assign in_room_o = in_room;
  assign line_valid_o = line_valid;
  assign line_o = line.request;
  assign line_wdata_o = line.wdata;
  assign event_valid_o = reported_valid;
  assign event_o = reported;
  assign all_idle_o = all_idle;
  assign all_vote_o = all_vote;
  assign in_flight_o = in_flight;
  assign retired_o = retired;
  assign count_o = count;
  assign state_o = state;
endmodule
