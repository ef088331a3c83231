// SPDX-License-Identifier: Apache-2.0
// core_units_tb: parts of a core alone, and one core, for cocotb; the cores as a whole are compared by core_rtl_test.cc.
// verilog_format: off
module core_units_tb (
    input logic clk_i,
    input logic rst_ni
);
  if (1) begin : gen_ready_queue
    polyloom_overlay_ready_queue i_dut (.*);
  end

  for (genvar k = 0; k < 3; k++) begin : gen_resume
    localparam int unsigned Sizes[3] = '{16, 4, 1};
    localparam int unsigned Threads = Sizes[k];
    polyloom_overlay_resume #(.Threads(Threads), .Ports(3)) i_dut (.thread_o(picked), .*);
  end

  if (1) begin : gen_shifter
    polyloom_overlay_shifter i_dut (.s5_valid_i(valid), .s5_left_i(left), .s5_arith_i(arith), .s5_data_i(data),
        .s5_amount_i(amount), .s6_ones_o(ones), .s7_result_o(result), .*);
  end

  if (1) begin : gen_regfile
    polyloom_overlay_regfile #(.Fp(1'b1)) i_dut (.*);
  end

  if (1) begin : gen_responses
    import polyloom_overlay_pkg::*;
    logic [4:0] valid = '0;  // hit, fill, pad, fpu, div from bit 0
    rsp_t [4:0] response = '0;
    logic [2:0] src = '0;
    polyloom_overlay_responses #(.Threads(16), .Fpu(1'b1)) i_dut (.hit_valid_i(valid[0]), .hit_i(response[0]),
        .fill_valid_i(valid[1]), .fill_i(response[1]), .scratchpad_valid_i(valid[2]), .scratchpad_i(response[2]), .fpu_valid_i(valid[3]),
        .fpu_i(response[3]), .div_valid_i(valid[4]), .div_i(response[4]), .s2_thread_i(thread),
        .s2_src_i(response_src_e'(src)), .s2_side_i(side), .s2_side_o(side_now), .s7_we_i(we), .s7_thread_i(wthread),
        .s7_side_i(wside), .s4_data_o(data), .s4_flags_o(flags), .*);
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
    polyloom_overlay_event i_dut (.*);
  end

  for (genvar k = 0; k < 3; k++) begin : gen_context
    logic [3:0] s0_thread_i = '0, s7_thread_i = '0;
    polyloom_overlay_pkg::context_t s2_context_o, s7_context_i = '0;
    logic s7_we_i = '0;
    polyloom_overlay_context #(.AddrBits(k == 0 ? 1 : k == 1 ? 11 : 16)) i_dut (.*);
  end

  for (genvar k = 0; k < 4; k++) begin : gen_imem
    localparam int unsigned Words = k < 2 ? 2 : 64;
    localparam int unsigned Ports = 1 + k % 2;
    logic [Ports-1:0] we_i = '0;
    logic [Ports-1:0][$clog2(Words)-1:0] addr_i = '0;
    logic [Ports-1:0][31:0] wdata_i = '0, rdata_o;
    polyloom_overlay_imem #(.Words(Words), .Ports(Ports)) i_dut (.*);
  end

  if (1) begin : gen_cache_counts
    logic clear_i = '0, counting_i = '0;
    logic [2:0] pulse_i = '0;
    logic [2:0][31:0] count_o;
    polyloom_overlay_cache_counts i_dut (.*);
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
    logic cache_req_valid_o, scratchpad_req_valid_o, fpu_req_valid_o;
    mem_req_t cache_req_o, scratchpad_req_o;
    fpu_req_t fpu_req_o;
    logic [4:0] valid = '0, outside_o;  // valid: hit, fill, pad, fpu, div from bit 0
    rsp_t [4:0] response = '0;
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
    polyloom_overlay_core #(.Cfg(Cfg)) i_dut (.free_clk_i(clk_i), .imem_we_o(imem_we), .imem_addr_o(imem_addr),
        .imem_wdata_o(imem_wdata), .imem_rdata_i(imem_rdata), .hit_valid_i(valid[0]), .hit_i(response[0]),
        .fill_valid_i(valid[1]), .fill_i(response[1]), .scratchpad_valid_i(valid[2]), .scratchpad_i(response[2]), .fpu_valid_i(valid[3]),
        .fpu_i(response[3]), .div_valid_i(valid[4]), .div_i(response[4]), .outside_i(outside_o == '0 ? '0 : outside_i), .*);
    polyloom_overlay_imem #(.Words(Cfg.instr_words), .Ports(1)) i_imem (.we_i(imem_we), .addr_i(imem_addr),
        .wdata_i(imem_wdata), .rdata_o(imem_rdata), .*);
  end
endmodule
