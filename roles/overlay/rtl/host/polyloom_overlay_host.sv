// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_host: an overlay board's side of the shell: memories of the tiles, starts, console, messages, registers.
// How:          shell --range--> range check      --registers--> regs <-- retired, barriers
//               shell --words--> words --.
//               shell --pass--> frames --+--> requests to the tiles
//                                  '--> inject --> enter (board router)
//               shell <--frames-- tx <-- exit (board router)
//                                 '--- room <-- events (tiles), what inject has let in
// Latency:      a request stands at ctl_o 1 cycle after the part that makes it; others: see the parts.
// Throughput:   a request a cycle.
// Backpressure: ctl, exit and events are valid/ready. A message that finds the buffer of HostFlits flits full holds
//               the frames behind it. So a host has no more under way than fit; room tells it of what has gone on.
// Order/loss:   requests leave in the order of the frames that they are for, except that reads of memories may fall
//               behind frames that came later (as with all reads, blocks/shell).
// Reset:        control state; waiting messages are forgotten. Takes input from the first cycle.
// Limits:       at most 1,024 cores and 256 tiles, 4 cores of 16 threads a tile; the rest of Cfg is the node's to check. One
//               response for each READ_INSTR and READ_SCRATCHPAD, in order; none for other requests.
// Cost:         1,393 LUT, 972 FF, 3.5 BRAM36 (UltraScale+); 973 ALM, 11 M10K (Intel, estimated); 2,178 LUT4, 7 EBR, 105 MHz
//               (ECP5 speed 6; the FIFO of messages decides). TINY, Yosys 0.70, nextpnr 0.11, 2026-11.
// Source:       own design, behaviour of roles/overlay/sim/board/board_shell.cc and board.cc.
// Tests:        test_polyloom_overlay_host.py, host_swap_test.cc (with the shell, against the C++ board); those of the
//               parts
module polyloom_overlay_host
  import polyloom_overlay_pkg::*;
#(
    parameter cfg_t Cfg = TINY,
    parameter int unsigned HostFlits = HOST_FLITS,  // of messages from the host that wait
    localparam int unsigned Tiles = Cfg.tiles_x * Cfg.tiles_y
) (
    input logic       clk_i,
    input logic       free_clk_i,  // the same, but never stands still: counts
    input logic       rst_ni,
    input logic [5:0] board_i,     // {y, x}, constant
    input logic [7:0] mesh_i,      // {height, width}, constant

    // From the shell: is this range there? Words of instruction memories and scratchpads
    input  polyloom_shell_pkg::range_t            range_i,
    output logic                                  range_ok_o,
    input  logic                                  prog_req_valid_i,
    output logic                                  prog_req_ready_o,
    input  polyloom_shell_pkg::prog_req_t         prog_req_i,
    input  polyloom_shell_pkg::role_word_t        prog_role_i,
    output logic                                  prog_rsp_valid_o,
    output logic                           [63:0] prog_rsp_o,

    // From the shell: role registers, frames for the role
    input  logic                           reg_req_valid_i,
    input  polyloom_shell_pkg::reg_req_t   reg_req_i,
    output logic                           reg_rsp_valid_o,
    output polyloom_shell_pkg::reg_rsp_t   reg_rsp_o,
    input  logic                           pass_valid_i,
    output logic                           pass_ready_o,
    input  polyloom_shell_pkg::host_word_t pass_i,
    output logic                           pass_rsp_valid_o,
    output logic                           pass_rsp_refused_o,

    // To the shell: frames for the host
    output logic                           role_tx_valid_o,
    input  logic                           role_tx_ready_i,
    output polyloom_shell_pkg::host_word_t role_tx_o,

    // To the tiles, numbered on the board; a response for each read
    output logic            ctl_valid_o,
    input  logic            ctl_ready_i,
    output ctl_req_t        ctl_o,
    input  logic            ctl_rsp_valid_i,
    input  logic     [31:0] ctl_rdata_i,

    // From the tiles
    input  logic                                   event_valid_i,
    output logic                                   event_ready_o,
    input  tile_event_t                            event_i,
    input  logic        [      7:0]                event_tile_i,
    input  logic        [Tiles-1:0][Cfg.cores-1:0] retired_i,      // pulse an instruction

    // To the board router, messages of the host; room: for the longest message
    output logic  enter_valid_o,
    output flit_t enter_o,
    input  logic  enter_room_i,

    // From the board router, messages for the host
    input  logic  exit_valid_i,
    output logic  exit_ready_o,
    input  flit_t exit_i,

    // To detection
    output logic        inject_wanted_o,  // a whole message waits for the gate or for room
    input  logic        may_inject_i,     // of this cycle
    output logic        host_in_o,        // pulse: a message is let in in this cycle
    output logic        host_out_o,       // pulse: a message is on the host link
    input  logic [63:0] barriers_i,       // released so far

    output logic work_idle_o,  // nothing changes here before something comes in, but counts
    output logic idle_o        // and no count
);
  if (Tiles * Cfg.cores > 1024 || Tiles > 256) begin : gen_check_cores
    $error("%m: %0d tiles of %0d cores; must be at most 256 tiles and 1,024 cores", Tiles, Cfg.cores);
  end
  if (Cfg.cores * Cfg.threads > 64 || Cfg.cores > 4 || Cfg.threads > 16) begin : gen_check_threads
    $error("%m: %0d cores of %0d threads a tile; must be at most 4 of 16", Cfg.cores, Cfg.threads);
  end

  polyloom_overlay_host_range #(
      .Cfg(Cfg)
  ) i_range (
      .range_i,
      .ok_o(range_ok_o)
  );

  // Reads run beside the frames behind them, so both may have a request; those of a frame are soon over.
  logic words_valid, words_ready, frames_valid, frames_ready, any_valid, any_ready;
  ctl_req_t words, frames, any;
  assign any = frames_valid ? frames : words;
  assign any_valid = frames_valid || words_valid;
  assign frames_ready = any_ready;
  assign words_ready = any_ready && !frames_valid;
  spill_register #(
      .T(ctl_req_t)
  ) i_ctl (
      .clk_i,
      .rst_ni,
      .valid_i(any_valid),
      .ready_o(any_ready),
      .data_i (any),
      .valid_o(ctl_valid_o),
      .ready_i(ctl_ready_i),
      .data_o (ctl_o)
  );

  polyloom_overlay_host_words i_words (
      .clk_i,
      .rst_ni,
      .req_valid_i(prog_req_valid_i),
      .req_ready_o(prog_req_ready_o),
      .req_i      (prog_req_i),
      .role_i     (prog_role_i),
      .rsp_valid_o(prog_rsp_valid_o),
      .rsp_o      (prog_rsp_o),
      .ctl_valid_o(words_valid),
      .ctl_ready_i(words_ready),
      .ctl_o      (words),
      .ctl_rsp_valid_i,
      .ctl_rdata_i
  );

  logic flit_valid, flit_ready, frames_idle, inject_idle, tx_idle, regs_idle;
  flit_t flit;
  polyloom_overlay_host_frames #(
      .Cfg(Cfg)
  ) i_frames (
      .clk_i,
      .rst_ni,
      .board_i,
      .mesh_i,
      .pass_valid_i,
      .pass_ready_o,
      .pass_i,
      .pass_rsp_valid_o,
      .pass_rsp_refused_o,
      .flit_valid_o(flit_valid),
      .flit_ready_i(flit_ready),
      .flit_o      (flit),
      .ctl_valid_o (frames_valid),
      .ctl_ready_i (frames_ready),
      .ctl_o       (frames),
      .idle_o      (frames_idle)
  );

  polyloom_overlay_host_inject #(
      .Cfg  (Cfg),
      .Flits(HostFlits)
  ) i_inject (
      .clk_i,
      .rst_ni,
      .in_valid_i(flit_valid),
      .in_ready_o(flit_ready),
      .in_i      (flit),
      .enter_valid_o,
      .enter_o,
      .enter_room_i,
      .wanted_o  (inject_wanted_o),
      .may_inject_i,
      .host_in_o,
      .idle_o    (inject_idle)
  );

  logic reported_valid, reported_ready, room_idle;
  tile_event_t reported;
  logic [7:0] reported_tile;
  polyloom_overlay_host_room #(
      .Flits(HostFlits < 4 ? 1 : HostFlits / 4)
  ) i_room (
      .clk_i,
      .rst_ni,
      .gone_i          (enter_valid_o),
      .event_valid_i,
      .event_ready_o,
      .event_i,
      .event_tile_i,
      .reported_valid_o(reported_valid),
      .reported_ready_i(reported_ready),
      .reported_o      (reported),
      .reported_tile_o (reported_tile),
      .idle_o          (room_idle)
  );

  polyloom_overlay_host_tx #(
      .Cfg(Cfg)
  ) i_tx (
      .clk_i,
      .rst_ni,
      .board_i,
      .exit_valid_i,
      .exit_ready_o,
      .exit_i,
      .event_valid_i(reported_valid),
      .event_ready_o(reported_ready),
      .event_i      (reported),
      .event_tile_i (reported_tile),
      .tx_valid_o   (role_tx_valid_o),
      .tx_ready_i   (role_tx_ready_i),
      .tx_o         (role_tx_o),
      .host_out_o,
      .idle_o       (tx_idle)
  );

  polyloom_overlay_host_regs #(
      .Cfg(Cfg)
  ) i_regs (
      .clk_i      (free_clk_i),
      .rst_ni,
      .mesh_i,
      .req_valid_i(reg_req_valid_i),
      .req_i      (reg_req_i),
      .rsp_valid_o(reg_rsp_valid_o),
      .rsp_o      (reg_rsp_o),
      .retired_i,
      .barriers_i,
      .idle_o     (regs_idle)
  );

  assign work_idle_o = frames_idle && inject_idle && room_idle && tx_idle && !ctl_valid_o && !any_valid && !pass_valid_i &&
      !prog_rsp_valid_o;
  assign idle_o = work_idle_o && regs_idle;

endmodule
