// SPDX-License-Identifier: Apache-2.0
// core_tb: the cores of a tile, their sizes as numbers that a build can set.
module core_tb
  import polyloom_overlay_pkg::*;
#(
    parameter int unsigned Cores = 2,
    parameter int unsigned Threads = 16,
    parameter int unsigned Words = 1024,
    parameter bit Fpu = 1,
    parameter bit MulDiv = 1,
    localparam cfg_t Cfg = '{
        tiles_x: 1,
        tiles_y: 1,
        cores: Cores,
        threads: Threads,
        instr_words: Words,
        cache_ways: 16,
        cache_sets: 4,
        line_bytes: 32,
        slices: 1,
        mailbox_slots: 512,
        max_flits: 4,
        noc_link_flits: 16,
        extra_send_slot: 1'b0,
        fpu: Fpu,
        muldiv: MulDiv,
        routers: 1'b1
    }
) (

    input logic clk_i,
    input logic rst_ni,
    input logic [6:0] phase_i,  // low bits of the current cycle's number
    input logic [15:0] hart_base_i,  // id of the tile's thread 0
    input logic tile0_i,  // the board's first tile
    input logic [1:0][31:0] router_sent_i,  // ProgRouterSent, ProgRouterSentInter
    // Control
    input logic ctl_valid_i,
    output logic ctl_ready_o,
    input ctl_req_t ctl_i,  // target: core or pair of this tile
    output logic ctl_rsp_valid_o,  // one for each CTL_READ_INSTR
    output logic [31:0] ctl_rdata_o,
    // Requests
    output logic [Cfg.cores-1:0] cache_req_valid_o,
    output mem_req_t [Cfg.cores-1:0] cache_req_o,
    output logic [Cfg.cores-1:0] scratchpad_req_valid_o,
    output mem_req_t [Cfg.cores-1:0] scratchpad_req_o,
    output logic [Cfg.cores-1:0] fpu_req_valid_o,
    output fpu_req_t [Cfg.cores-1:0] fpu_req_o,
    // Responses
    input logic [Cfg.cores-1:0] hit_valid_i,
    input rsp_t hit_i,
    input logic [Cfg.cores-1:0] fill_valid_i,
    input rsp_t fill_i,
    input logic [Cfg.cores-1:0] scratchpad_valid_i,
    input rsp_t scratchpad_i,
    input logic [Cfg.cores-1:0] fpu_valid_i,
    input rsp_t fpu_i,
    input logic [Cfg.cores-1:0] div_valid_i,
    input rsp_t div_i,
    // Mailbox
    input logic [Cfg.cores-1:0][Cfg.threads-1:0] can_send_i,
    input logic [Cfg.cores-1:0][Cfg.threads-1:0] can_recv_i,
    output logic [Cfg.cores-1:0] recv_valid_o,
    output logic [Cfg.cores-1:0][3:0] recv_thread_o,
    input logic [Cfg.cores-1:0][SLOT_BITS-1:0] recv_slot_i,  // a cycle later
    output logic [Cfg.cores-1:0] free_valid_o,
    output logic [Cfg.cores-1:0][SLOT_BITS-1:0] free_slot_o,
    output logic [Cfg.cores-1:0] send_valid_o,
    output send_t [Cfg.cores-1:0] send_o,
    output logic [Cfg.cores-1:0] wait_valid_o,
    output logic [Cfg.cores-1:0][3:0] wait_thread_o,
    output logic [Cfg.cores-1:0][3:0] wait_bits_o,
    input logic [Cfg.cores-1:0][Cfg.threads-1:0] wake_i,
    input logic [Cfg.cores-1:0][Cfg.threads-1:0][3:0] wake_bits_i,
    // Pulses of the cache
    input logic cache_hit_i,
    input logic cache_miss_i,
    input logic cache_writeback_i,
    // Events
    output logic event_valid_o,
    input logic event_ready_i,
    output tile_event_t event_o,
    // What the cores do
    output logic [Cfg.cores-1:0] retired_o,  // an instruction each
    output trace_t [Cfg.cores-1:0] trace_o
);

  polyloom_overlay_cores #(.Cfg(Cfg)) i_cores (.*);

endmodule
