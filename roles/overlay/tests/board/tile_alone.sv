// SPDX-License-Identifier: Apache-2.0
// tile_alone: a tile whose parameters are numbers, for the test that Verilates a tile.
module tile_alone
  import polyloom_overlay_pkg::*;
#(
    parameter int unsigned TilesX = 1,
    parameter int unsigned TilesY = 1,
    parameter int unsigned Cores = 4,  // of a tile
    parameter int unsigned Threads = 16,  // of a core
    parameter int unsigned InstrWords = 2048,
    parameter int unsigned CacheWays = 16,
    parameter int unsigned CacheSets = 4,  // of a thread
    parameter int unsigned LineBytes = 32,
    parameter int unsigned Slices = 1,
    parameter int unsigned MailboxSlots = 512,
    parameter int unsigned MaxFlits = 4,
    parameter int unsigned NocLinkFlits = 16,
    parameter bit ExtraSendSlot = 1'b0,
    parameter bit Fpu = 1'b1,
    parameter bit MulDiv = 1'b1,
    localparam cfg_t Cfg = '{
        tiles_x: TilesX,
        tiles_y: TilesY,
        cores: Cores,
        threads: Threads,
        instr_words: InstrWords,
        cache_ways: CacheWays,
        cache_sets: CacheSets,
        line_bytes: LineBytes,
        slices: Slices,
        mailbox_slots: MailboxSlots,
        max_flits: MaxFlits,
        noc_link_flits: NocLinkFlits,
        extra_send_slot: ExtraSendSlot,
        fpu: Fpu,
        muldiv: MulDiv,
        routers: 1'b1
    }
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
  polyloom_overlay_tile #(.Cfg(Cfg)) i_tile (.*);
endmodule
