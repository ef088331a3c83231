// SPDX-License-Identifier: Apache-2.0
// core_parts_tb: parts of a core alone, for cocotb; a signal has the name of the port that it is for.
// verilog_format: off
module core_parts_tb
  import polyloom_overlay_pkg::*;
(
    input logic clk_i,
    input logic rst_ni
);

  // Sizes of a core that are not those of TINY.
  function automatic cfg_t small_cfg(int unsigned threads, int unsigned words, int unsigned flits);
    cfg_t c;
    c = TINY;
    c.threads = threads;
    c.instr_words = words;
    c.max_flits = flits;
    c.fpu = 1'b0;
    c.muldiv = 1'b0;
    return c;
  endfunction

  for (genvar k = 0; k < 2; k++) begin : gen_alu  // k: Fp
    decoded_t s5_i = '0;
    logic [31:0] s5_a_i = '0, s5_b_i = '0, s5_sum_o, s6_sum_o, s7_result_o;
    logic s5_sign_i = '0, s5_bad_i = '0, s5_own_i = '0, s6_bad_o, s6_accepted_o;
    polyloom_overlay_alu #(.Fp(k == 1)) i_dut (.*);
  end

  for (genvar k = 0; k < 3; k++) begin : gen_next_pc
    localparam int unsigned AddrBits = k == 0 ? 1 : k == 1 ? 11 : 16;
    logic [AddrBits+1:2] s5_pc_i = '0;
    logic [31:0] s5_word_i = '0, s6_sum_i = '0, s6_goal_o;
    logic s5_illegal_i = '0, s5_branch_i = '0, s6_jump_i = '0, s6_accepted_i = '0, s6_start_i = '0, s6_stop_i = '0;
    logic [AddrBits+2:2] s6_at_i = '0, s6_next_o;
    logic [31:2] s7_pc_o;
    polyloom_overlay_next_pc #(.AddrBits(AddrBits)) i_dut (.*);
  end

  if (1) begin : gen_immediate
    logic [31:2] word_i = '0;
    logic uses_i = '0, sub_i = '0;
    logic [31:0] imm_o;
    polyloom_overlay_immediate i_dut (.*);
  end

  if (1) begin : gen_decode  // [0]: Fp, [1]: MulDiv
    logic [31:0] word_i = '0;
    decoded_t decoded_o[4];
    reg_t [2:0] rs_o[4];
    for (genvar k = 0; k < 4; k++) begin : gen_with
      polyloom_overlay_decode #(.Fp(k % 2 == 1), .MulDiv(k / 2 == 1)) i_dut (.decoded_o(decoded_o[k]), .rs_o(rs_o[k]),
          .*);
    end
  end

  for (genvar k = 0; k < 3; k++) begin : gen_operands
    localparam cfg_t Cfg = k == 0 ? TINY : k == 1 ? small_cfg(4, 2, 1) : small_cfg(1, 64, 3);
    localparam int unsigned T = Cfg.threads;
    logic [4:0] valid = '0;  // hit, fill, pad, fpu, div from bit 0
    rsp_t [4:0] response = '0;
    logic [T-1:0] wake_i = '0;
    logic [T-1:0][3:0] wake_bits_i = '0;
    logic [3:0] s2_thread_i = '0, s7_thread_i = '0, s8_thread_i = '0;
    reg_t [2:0] s2_rs_i = '0;
    pending_t s2_pending_i = '0;
    logic s2_side_o, s5_source_o, s7_we_i = '0, s7_side_i = '0, s8_we_i = '0;
    passing_t s3_i = '0;
    logic [31:0] s3_imm_i = '0, s5_a_o, s5_b_o, s5_rs2_o, s5_c_o, s5_response_o, s8_data_i = '0;
    logic [4:0] s5_flags_o;
    reg_t s8_rd_i = '0;
    polyloom_overlay_operands #(.Cfg(Cfg)) i_dut (.hit_valid_i(valid[0]), .hit_i(response[0]), .fill_valid_i(valid[1]),
        .fill_i(response[1]), .scratchpad_valid_i(valid[2]), .scratchpad_i(response[2]), .fpu_valid_i(valid[3]), .fpu_i(response[3]),
        .div_valid_i(valid[4]), .div_i(response[4]), .*);
  end

  for (genvar k = 0; k < 3; k++) begin : gen_csr
    localparam cfg_t Cfg = k == 0 ? TINY : k == 1 ? small_cfg(4, 2, 3) : small_cfg(1, 64, 1);
    localparam int unsigned AddrBits = $clog2(Cfg.instr_words);
    logic run = 1'b1;  // else clk_i of the part stands still
    logic clk;
    assign clk = clk_i && run;
    logic [11:0] s3_number_i = '0;
    logic s5_csr_i = '0, s5_keep_i = '0, s5_source_i = '0, s5_flush_o, s5_new_thread_o;
    logic [2:0] s5_f3_i = '0, s5_frm_o;
    logic [3:0] s5_thread_i = '0, s6_thread_i = '0;
    logic [31:0] s5_operand_i = '0, s6_operand_i = '0, s6_outside_i = '0, s7_result_o;
    logic s6_bubble_i = '0, s6_clear_i = '0, s6_stop_i = '0, s6_can_recv_i = '0, s6_uart_accepted_i = '0;
    logic [4:0] s6_flags_i = '0, s6_outside_o;
    context_t s5_held_i = '0, s7_held_o;
    csr_act_t s6_act_o;
    logic [DEST_BITS-1:0] s6_dest_o;
    logic s6_astray_o;
    logic [SLOT_BITS-1:0] s6_slot_o;
    logic [2:0] s6_len_o;
    logic [AddrBits-1:0] s6_instr_addr_o;
    logic s6_instr_ok_o, s6_thread_ok_o, perf_reset_o, perf_counting_o;
    logic [Cfg.threads-1:0] can_send_i = '0;
    logic [8:0] s6_uart_i = '0;
    logic [15:0] core_id_i = '0;
    polyloom_overlay_csr #(.Cfg(Cfg)) i_dut (.clk_i(clk), .free_clk_i(clk_i), .*);
  end

  if (1) begin : gen_writeback
    logic [3:0] s2_thread_i = '0, s8_thread_o;
    pending_t s2_pending_o;
    passing_t s6_i = '0;
    logic s7_we_o, s7_side_o, s6_valid_i = '0, s6_clear_i = '0, s6_pass_i = '0, s6_latent_i = '0, s6_own_we_i = '0;
    logic s6_side_i = '0, s6_jump_i = '0, s6_recv_i = '0, s8_we_o;
    logic [2:0] s6_src_i = '0;
    logic [31:0] s6_response_i = '0, s6_link_i = '0, s7_result_i = '0, s8_data_o;
    logic [SLOT_BITS-1:0] s7_slot_i = '0;
    reg_t s8_rd_o;
    trace_t trace_o;
    polyloom_overlay_writeback i_dut (.s6_src_i(response_src_e'(s6_src_i)), .*);
  end

  for (genvar k = 0; k < 3; k++) begin : gen_issue
    localparam int unsigned Threads = k == 0 ? 16 : k == 1 ? 4 : 1;
    localparam int unsigned Ports = k == 0 ? 6 : 4;
    localparam int unsigned Words = k == 0 ? 2048 : k == 1 ? 64 : 2;
    localparam int unsigned AddrBits = $clog2(Words);
    logic [3:0] turn_i = '0, s0_thread_o, s7_thread_i = '0;
    logic [Ports-1:0] response_valid_i = '0;
    logic [Ports-1:0][3:0] response_thread_i = '0;
    logic [Threads-1:0] wake_i = '0;
    logic ctl_valid_i = '0, imem_we_o, s0_valid_o, s0_read_o, s0_inside_o, s0_accepted_o, idle_o;
    ctl_req_t ctl_i = '0;
    logic [AddrBits-1:0] imem_addr_o, s7_store_addr_i = '0;
    logic [31:0] imem_wdata_o, s7_store_data_i = '0;
    core_op_t s0_op_o, s6_op_i = '0;
    logic [AddrBits+2:2] s0_pc_o, s7_pc_i = '0;
    logic s7_again_i = '0, s7_pc_we_i = '0, s7_store_i = '0;
    polyloom_overlay_issue #(.Threads(Threads), .Ports(Ports), .Words(Words)) i_dut (.*);
  end
endmodule
