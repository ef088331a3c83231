// SPDX-License-Identifier: Apache-2.0
// core_units_tb: parts of a core alone, and one core, for cocotb; the cores as a whole are compared by core_rtl_test.cc.
module core_units_tb (
    input logic clk_i,
    input logic rst_ni
);
  if (1) begin : gen_ready_queue
    logic picked = 1'b0, again = 1'b0, valid, some, hold = 1'b0;
    logic [3:0] picked_thread = '0, again_thread = '0, head;
    polyloom_overlay_ready_queue i_dut (
        .clk_i,
        .rst_ni,
        .picked_i       (picked),
        .picked_thread_i(picked_thread),
        .again_i        (again),
        .again_thread_i (again_thread),
        .valid_o        (valid),
        .some_o         (some),
        .head_o         (head),
        .hold_i         (hold)
    );
  end

  for (genvar k = 0; k < 3; k++) begin : gen_resume
    localparam int unsigned Sizes[3] = '{16, 4, 1};
    localparam int unsigned Threads = Sizes[k];
    logic [3:0] turn = '0;
    logic [2:0] valid = '0;
    logic [2:0][3:0] thread = '0;
    logic [Threads-1:0] wake = '0;
    logic pick;
    logic [3:0] picked;
    polyloom_overlay_resume #(
        .Threads(Threads),
        .Ports  (3)
    ) i_dut (
        .clk_i,
        .rst_ni,
        .turn_i  (turn),
        .valid_i (valid),
        .thread_i(thread),
        .wake_i  (wake),
        .pick_o  (pick),
        .thread_o(picked)
    );
  end

  if (1) begin : gen_shifter
    logic valid = 1'b0, left = 1'b0, arith = 1'b0, ones;
    logic [31:0] data = '0, result;
    logic [4:0] amount = '0;
    polyloom_overlay_shifter i_dut (
        .clk_i,
        .s5_valid_i (valid),
        .s5_left_i  (left),
        .s5_arith_i (arith),
        .s5_data_i  (data),
        .s5_amount_i(amount),
        .s6_ones_o  (ones),
        .s7_result_o(result)
    );
  end

  if (1) begin : gen_regfile
    logic we = 1'b0;
    logic [3:0] thread = '0, wthread = '0;
    polyloom_overlay_pkg::reg_t [2:0] rs = '0;
    polyloom_overlay_pkg::reg_t rd = '0;
    logic [3:0] zero = '0;
    logic [3:0][31:0] data;
    logic [31:0] wdata = '0;
    polyloom_overlay_regfile #(
        .Fp(1'b1)
    ) i_dut (
        .clk_i,
        .thread_i (thread),
        .rs_i     (rs),
        .zero_i   (zero),
        .data_o   (data),
        .we_i     (we),
        .wthread_i(wthread),
        .rd_i     (rd),
        .wdata_i  (wdata)
    );
  end

  if (1) begin : gen_answers
    import polyloom_overlay_pkg::*;
    logic [4:0] valid = '0;  // hit, fill, pad, fpu, div from bit 0
    rsp_t [4:0] answer = '0;
    logic [15:0] wake = '0;
    logic [15:0][3:0] wake_bits = '0;
    logic [3:0] thread = '0, wthread = '0;
    logic [2:0] src = '0;
    logic side = 1'b0, side_now, we = 1'b0, wside = 1'b0;
    logic [31:0] data;
    logic [ 4:0] flags;
    polyloom_overlay_answers #(
        .Threads(16),
        .Fpu    (1'b1)
    ) i_dut (
        .clk_i,
        .hit_valid_i (valid[0]),
        .hit_i       (answer[0]),
        .fill_valid_i(valid[1]),
        .fill_i      (answer[1]),
        .pad_valid_i (valid[2]),
        .pad_i       (answer[2]),
        .fpu_valid_i (valid[3]),
        .fpu_i       (answer[3]),
        .div_valid_i (valid[4]),
        .div_i       (answer[4]),
        .wake_i      (wake),
        .wake_bits_i (wake_bits),
        .s2_thread_i (thread),
        .s2_src_i    (answer_src_e'(src)),
        .s2_side_i   (side),
        .s2_side_o   (side_now),
        .s7_we_i     (we),
        .s7_thread_i (wthread),
        .s7_side_i   (wside),
        .s4_data_o   (data),
        .s4_flags_o  (flags)
    );
  end

  if (1) begin : gen_event
    import polyloom_overlay_pkg::*;
    logic fault_i = '0, uart_i = '0, lost_i = '0, read_i = '0, event_valid_o, event_ready_i = '0;
    why_t why_i = '0;
    logic [7:0] byte_i = '0;
    logic [3:0] thread_i = '0;
    logic [31:2] pc_i = '0;
    logic [31:0] value_i = '0;
    tile_event_t event_o;
    polyloom_overlay_event i_dut (
        .clk_i,
        .rst_ni,
        .fault_i,
        .why_i,
        .uart_i,
        .byte_i,
        .lost_i,
        .read_i,
        .thread_i,
        .pc_i,
        .value_i,
        .event_valid_o,
        .event_ready_i,
        .event_o
    );
  end

  for (genvar k = 0; k < 3; k++) begin : gen_context
    logic [3:0] s0_thread_i = '0, s7_thread_i = '0;
    polyloom_overlay_pkg::context_t s2_context_o, s7_context_i = '0;
    logic s7_we_i = '0;
    polyloom_overlay_context #(
        .AddrBits(k == 0 ? 1 : k == 1 ? 11 : 16)
    ) i_dut (
        .clk_i,
        .s0_thread_i,
        .s2_context_o,
        .s7_we_i,
        .s7_thread_i,
        .s7_context_i
    );
  end

  for (genvar k = 0; k < 4; k++) begin : gen_imem
    localparam int unsigned Words = k < 2 ? 2 : 64;
    localparam int unsigned Ports = 1 + k % 2;
    logic [Ports-1:0] we_i = '0;
    logic [Ports-1:0][$clog2(Words)-1:0] addr_i = '0;
    logic [Ports-1:0][31:0] wdata_i = '0, rdata_o;
    polyloom_overlay_imem #(
        .Words(Words),
        .Ports(Ports)
    ) i_dut (
        .clk_i,
        .we_i,
        .addr_i,
        .wdata_i,
        .rdata_o
    );
  end

  if (1) begin : gen_cache_counts
    logic clear_i = '0, counting_i = '0;
    logic [2:0] pulse_i = '0;
    logic [2:0][31:0] count_o;
    polyloom_overlay_cache_counts i_dut (
        .clk_i,
        .rst_ni,
        .clear_i,
        .counting_i,
        .pulse_i,
        .count_o
    );
  end

  // One core of 16 or 2 threads, with and without F and M, and its instruction memory.
  for (genvar k = 0; k < 2; k++) begin : gen_core
    import polyloom_overlay_pkg::*;
    localparam cfg_t Cfg = '{
        tiles_x: 1,
        tiles_y: 1,
        cores: 1,
        threads: k == 0 ? 16 : 2,
        instr_words: 512,
        cache_ways: 16,
        cache_sets: 4,
        line_bytes: 32,
        slices: 1,
        mailbox_slots: 512,
        max_flits: 4,
        noc_link_flits: 16,
        extra_send_slot: 1'b0,
        fpu: k == 0,
        muldiv: k == 0,
        routers: 1'b1
    };
    localparam int unsigned T = Cfg.threads;
    localparam int unsigned AddrBits = $clog2(Cfg.instr_words);
    logic imem_we, ctl_valid_i = '0, ctl_done_o, ctl_rdata_valid_o, idle_o, retired_o;
    logic [AddrBits-1:0] imem_addr;
    logic [31:0] imem_wdata, imem_rdata, ctl_rdata_o, outside_i = '0;
    logic [3:0] turn_i = '0;
    ctl_req_t ctl_i = '0;
    logic cache_req_valid_o, pad_req_valid_o, fpu_req_valid_o;
    mem_req_t cache_req_o, pad_req_o;
    fpu_req_t fpu_req_o;
    logic [4:0] valid = '0, outside_o;  // valid: hit, fill, pad, fpu, div from bit 0
    rsp_t [4:0] answer = '0;
    logic [T-1:0] can_send_i = '0, can_recv_i = '0, wake_i = '0;
    logic [T-1:0][3:0] wake_bits_i = '0;
    logic recv_valid_o, free_valid_o, send_valid_o, wait_valid_o, perf_reset_o, perf_counting_o;
    logic [3:0] recv_thread_o, wait_thread_o, wait_bits_o;
    logic [SLOT_BITS-1:0] recv_slot_i = '0, free_slot_o;
    send_t send_o;
    logic [15:0] core_id_i = '0;
    logic event_valid_o, event_ready_i = '0;
    tile_event_t event_o;
    trace_t trace_o;
    polyloom_overlay_core #(
        .Cfg(Cfg)
    ) i_dut (
        .clk_i,
        .free_clk_i  (clk_i),
        .rst_ni,
        .turn_i,
        .imem_we_o   (imem_we),
        .imem_addr_o (imem_addr),
        .imem_wdata_o(imem_wdata),
        .imem_rdata_i(imem_rdata),
        .ctl_valid_i,
        .ctl_i,
        .ctl_done_o,
        .ctl_rdata_valid_o,
        .ctl_rdata_o,
        .cache_req_valid_o,
        .cache_req_o,
        .pad_req_valid_o,
        .pad_req_o,
        .fpu_req_valid_o,
        .fpu_req_o,
        .hit_valid_i (valid[0]),
        .hit_i       (answer[0]),
        .fill_valid_i(valid[1]),
        .fill_i      (answer[1]),
        .pad_valid_i (valid[2]),
        .pad_i       (answer[2]),
        .fpu_valid_i (valid[3]),
        .fpu_i       (answer[3]),
        .div_valid_i (valid[4]),
        .div_i       (answer[4]),
        .can_send_i,
        .can_recv_i,
        .recv_valid_o,
        .recv_thread_o,
        .recv_slot_i,
        .free_valid_o,
        .free_slot_o,
        .send_valid_o,
        .send_o,
        .wait_valid_o,
        .wait_thread_o,
        .wait_bits_o,
        .wake_i,
        .wake_bits_i,
        .core_id_i,
        .outside_o,
        .outside_i   (outside_o == '0 ? '0 : outside_i),
        .perf_reset_o,
        .perf_counting_o,
        .event_valid_o,
        .event_ready_i,
        .event_o,
        .idle_o,
        .retired_o,
        .trace_o
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
  end
endmodule
