// SPDX-License-Identifier: Apache-2.0
// core_alone: one core with its instruction memory between registers, to see what it takes and how fast it can be.
module core_alone
  import polyloom_overlay_pkg::*;
#(
    parameter bit MulDiv = 0,  // with the core's side of M
    parameter bit Fpu = 0,  // with the core's side of F
    localparam cfg_t Cfg = '{
        tiles_x: 1,
        tiles_y: 1,
        cores: 1,
        threads: 16,
        instr_words: 2048,
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
    output logic [4:0] outside_o,
    input logic [31:0] outside_i,
    input logic [3:0] turn_i,
    input logic ctl_valid_i,
    input ctl_req_t ctl_i,
    output logic ctl_done_o,
    output logic ctl_rdata_valid_o,
    output logic [31:0] ctl_rdata_o,
    output logic cache_req_valid_o,
    output mem_req_t cache_req_o,
    output logic scratchpad_req_valid_o,
    output mem_req_t scratchpad_req_o,
    output logic fpu_req_valid_o,
    output fpu_req_t fpu_req_o,
    input logic hit_valid_i,
    input rsp_t hit_i,
    input logic fill_valid_i,
    input rsp_t fill_i,
    input logic scratchpad_valid_i,
    input rsp_t scratchpad_i,
    input logic fpu_valid_i,
    input rsp_t fpu_i,
    input logic div_valid_i,
    input rsp_t div_i,
    input logic [Cfg.threads-1:0] can_send_i,
    input logic [Cfg.threads-1:0] can_recv_i,
    output logic recv_valid_o,
    output logic [3:0] recv_thread_o,
    input logic [SLOT_BITS-1:0] recv_slot_i,
    output logic free_valid_o,
    output logic [SLOT_BITS-1:0] free_slot_o,
    output logic send_valid_o,
    output send_t send_o,
    output logic wait_valid_o,
    output logic [3:0] wait_thread_o,
    output logic [3:0] wait_bits_o,
    input logic [Cfg.threads-1:0] wake_i,
    input logic [Cfg.threads-1:0][3:0] wake_bits_i,
    input logic [15:0] core_id_i,
    output logic perf_reset_o,
    output logic perf_counting_o,
    output logic event_valid_o,
    input logic event_ready_i,
    output tile_event_t event_o,
    output logic retired_o
);

  localparam int unsigned AddrBits = $clog2(Cfg.instr_words);
  logic imem_we;
  logic [AddrBits-1:0] imem_addr;
  logic [31:0] imem_wdata, imem_rdata;
  logic [3:0] turn_q;
  logic ctl_valid_q;
  ctl_req_t ctl_q;
  logic ctl_done_d;
  logic ctl_rdata_valid_d;
  logic [31:0] ctl_rdata_d;
  logic cache_req_valid_d;
  mem_req_t cache_req_d;
  logic scratchpad_req_valid_d;
  mem_req_t scratchpad_req_d;
  logic fpu_req_valid_d;
  fpu_req_t fpu_req_d;
  logic hit_valid_q;
  rsp_t hit_q;
  logic fill_valid_q;
  rsp_t fill_q;
  logic scratchpad_valid_q;
  rsp_t scratchpad_q;
  logic fpu_valid_q;
  rsp_t fpu_q;
  logic div_valid_q;
  rsp_t div_q;
  logic [Cfg.threads-1:0] can_send_q;
  logic [Cfg.threads-1:0] can_recv_q;
  logic recv_valid_d;
  logic [3:0] recv_thread_d;
  logic [SLOT_BITS-1:0] recv_slot_q;
  logic free_valid_d;
  logic [SLOT_BITS-1:0] free_slot_d;
  logic send_valid_d;
  send_t send_d;
  logic wait_valid_d;
  logic [3:0] wait_thread_d;
  logic [3:0] wait_bits_d;
  logic [Cfg.threads-1:0] wake_q;
  logic [Cfg.threads-1:0][3:0] wake_bits_q;
  logic [15:0] core_id_q;
  logic perf_reset_d;
  logic perf_counting_d;
  logic event_valid_d;
  logic event_ready_q;
  tile_event_t event_d;
  logic retired_d;

  logic [4:0] outside_d;
  logic [31:0] outside_q;
  always_ff @(posedge clk_i) begin
    outside_o <= outside_d;
    outside_q <= outside_i;
    turn_q <= turn_i;
    ctl_valid_q <= ctl_valid_i;
    ctl_q <= ctl_i;
    ctl_done_o <= ctl_done_d;
    ctl_rdata_valid_o <= ctl_rdata_valid_d;
    ctl_rdata_o <= ctl_rdata_d;
    cache_req_valid_o <= cache_req_valid_d;
    cache_req_o <= cache_req_d;
    scratchpad_req_valid_o <= scratchpad_req_valid_d;
    scratchpad_req_o <= scratchpad_req_d;
    fpu_req_valid_o <= fpu_req_valid_d;
    fpu_req_o <= fpu_req_d;
    hit_valid_q <= hit_valid_i;
    hit_q <= hit_i;
    fill_valid_q <= fill_valid_i;
    fill_q <= fill_i;
    scratchpad_valid_q <= scratchpad_valid_i;
    scratchpad_q <= scratchpad_i;
    fpu_valid_q <= fpu_valid_i;
    fpu_q <= fpu_i;
    div_valid_q <= div_valid_i;
    div_q <= div_i;
    can_send_q <= can_send_i;
    can_recv_q <= can_recv_i;
    recv_valid_o <= recv_valid_d;
    recv_thread_o <= recv_thread_d;
    recv_slot_q <= recv_slot_i;
    free_valid_o <= free_valid_d;
    free_slot_o <= free_slot_d;
    send_valid_o <= send_valid_d;
    send_o <= send_d;
    wait_valid_o <= wait_valid_d;
    wait_thread_o <= wait_thread_d;
    wait_bits_o <= wait_bits_d;
    wake_q <= wake_i;
    wake_bits_q <= wake_bits_i;
    core_id_q <= core_id_i;
    perf_reset_o <= perf_reset_d;
    perf_counting_o <= perf_counting_d;
    event_valid_o <= event_valid_d;
    event_ready_q <= event_ready_i;
    event_o <= event_d;
    retired_o <= retired_d;
  end

  polyloom_overlay_core #(
      .Cfg(Cfg)
  ) i_core (
      .clk_i,
      .free_clk_i(clk_i),
      .idle_o(),
      .outside_o(outside_d),
      .outside_i(outside_q),
      .rst_ni,
      .imem_we_o(imem_we),
      .imem_addr_o(imem_addr),
      .imem_wdata_o(imem_wdata),
      .imem_rdata_i(imem_rdata),
      .trace_o(),
      .turn_i(turn_q),
      .ctl_valid_i(ctl_valid_q),
      .ctl_i(ctl_q),
      .ctl_done_o(ctl_done_d),
      .ctl_rdata_valid_o(ctl_rdata_valid_d),
      .ctl_rdata_o(ctl_rdata_d),
      .cache_req_valid_o(cache_req_valid_d),
      .cache_req_o(cache_req_d),
      .scratchpad_req_valid_o(scratchpad_req_valid_d),
      .scratchpad_req_o(scratchpad_req_d),
      .fpu_req_valid_o(fpu_req_valid_d),
      .fpu_req_o(fpu_req_d),
      .hit_valid_i(hit_valid_q),
      .hit_i(hit_q),
      .fill_valid_i(fill_valid_q),
      .fill_i(fill_q),
      .scratchpad_valid_i(scratchpad_valid_q),
      .scratchpad_i(scratchpad_q),
      .fpu_valid_i(fpu_valid_q),
      .fpu_i(fpu_q),
      .div_valid_i(div_valid_q),
      .div_i(div_q),
      .can_send_i(can_send_q),
      .can_recv_i(can_recv_q),
      .recv_valid_o(recv_valid_d),
      .recv_thread_o(recv_thread_d),
      .recv_slot_i(recv_slot_q),
      .free_valid_o(free_valid_d),
      .free_slot_o(free_slot_d),
      .send_valid_o(send_valid_d),
      .send_o(send_d),
      .wait_valid_o(wait_valid_d),
      .wait_thread_o(wait_thread_d),
      .wait_bits_o(wait_bits_d),
      .wake_i(wake_q),
      .wake_bits_i(wake_bits_q),
      .core_id_i(core_id_q),
      .perf_reset_o(perf_reset_d),
      .perf_counting_o(perf_counting_d),
      .event_valid_o(event_valid_d),
      .event_ready_i(event_ready_q),
      .event_o(event_d),
      .retired_o(retired_d)
  );

  polyloom_overlay_imem #(
      .Words(Cfg.instr_words),
      .Ports(1)
  ) i_imem (
      .clk_i,
      .we_i   (imem_we),
      .addr_i (imem_addr),
      .wdata_i(imem_wdata),
      .rdata_o(imem_rdata)
  );

endmodule
