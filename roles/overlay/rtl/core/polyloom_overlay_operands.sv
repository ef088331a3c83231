// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_operands: what a core's instruction works on: registers, the response that its thread has come back with, pc.
// How:          both register files and responses are block RAM; an operand is the register, the response or the pc, each 0 unless it
//               is the one, or 0, as a CSR's immediate wants it; so an OR joins them. The adder's second operand is ready to be
//               added: the immediate, or zeros or ones that invert, comes with the instruction and is joined by an XOR.
//                 2 addresses -> 3 data, who it is -> 4 registers behind the RAMs -> 5
// Latency:      3 cycles from register numbers to operands.
// Throughput:   an instruction a cycle.
// Backpressure: none. No path from an input to an output but to s2_side_o.
// Order/loss:   in order.
// Reset:        none.
// Limits:       as polyloom_overlay_core.
// Cost:         about 210 LUT4 with its parts, 5 EBR (ECP5; part of polyloom_overlay_core).
// Source:       own design.   Tests: test_polyloom_overlay_operands.py, test_polyloom_overlay_cores.py
module polyloom_overlay_operands
  import polyloom_overlay_pkg::*;
#(
    parameter cfg_t Cfg = TINY
) (
    input logic clk_i,
    // Responses
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
    input logic [Cfg.threads-1:0] wake_i,
    input logic [Cfg.threads-1:0][3:0] wake_bits_i,
    // Stages 2 and 3
    input logic [3:0] s2_thread_i,
    input reg_t [2:0] s2_rs_i,
    input pending_t s2_pending_i,
    output logic s2_side_o,  // see polyloom_overlay_responses
    input passing_t s3_i,
    input logic [31:0] s3_imm_i,
    // Stage 5
    output logic s5_source_o,  // the register or number that a CSR instruction names is not 0
    output logic [31:0] s5_a_o,
    output logic [31:0] s5_b_o,  // of the adder: the register or the immediate, inverted if it is subtracted
    output logic [31:0] s5_rs2_o,  // a little late
    output logic [31:0] s5_c_o,
    output logic [31:0] s5_response_o,
    output logic [4:0] s5_flags_o,
    // Stage 7: what the thread's latent instruction found
    input logic s7_we_i,
    input logic [3:0] s7_thread_i,
    input logic s7_side_i,
    // Stage 8: the register that is written
    input logic s8_we_i,
    input logic [3:0] s8_thread_i,
    input reg_t s8_rd_i,
    input logic [31:0] s8_data_i
);

  localparam int unsigned AddrBits = $clog2(Cfg.instr_words);
  localparam int unsigned OtherBits = AddrBits > 3 ? AddrBits + 2 : 5;

  logic [31:0] s4_response;
  logic [ 4:0] s4_flags;
  polyloom_overlay_responses #(
      .Threads(Cfg.threads),
      .Fpu    (Cfg.fpu || Cfg.muldiv)
  ) i_responses (
      .clk_i,
      .hit_valid_i,
      .hit_i,
      .fill_valid_i,
      .fill_i,
      .scratchpad_valid_i,
      .scratchpad_i,
      .fpu_valid_i,
      .fpu_i,
      .div_valid_i,
      .div_i,
      .wake_i,
      .wake_bits_i,
      .s2_thread_i,
      .s2_src_i  (s2_pending_i.src),
      .s2_side_i (s2_pending_i.side),
      .s2_side_o,
      .s7_we_i,
      .s7_thread_i,
      .s7_side_i,
      .s4_data_o (s4_response),
      .s4_flags_o(s4_flags)
  );

  // ---- stage 3: which it is ----
  reg_t [2:0] s3_rs_q;
  logic [3:0] s3_forward, s3_zero;  // the fourth is the second once more, where it is no immediate
  always_comb begin
    for (int unsigned i = 0; i < 3; i++) begin
      s3_forward[i] = s3_i.pending.valid && s3_i.pending.rd == s3_rs_q[i];
      s3_zero[i] = s3_forward[i] || (i < 2 && s3_rs_q[i] == '0);
    end
    s3_forward[3] = s3_forward[1];
    s3_zero[3] = s3_zero[1];
    if (s3_i.decoded.a_pc || s3_i.decoded.a_zero) begin
      s3_forward[0] = 1'b0;
      s3_zero[0] = 1'b1;
    end
    if (s3_i.decoded.b_imm) begin
      s3_forward[1] = 1'b0;
      s3_zero[1] = 1'b1;
    end
  end

  // ---- stage 4 ----
  logic s4_source_q, s4_has_flags_q;
  logic [3:0] s4_forward_q;  // the operand is the response
  logic [31:0] s4_imm_q;
  logic [OtherBits-1:0] s4_other_q;  // pc, or the number in a CSR instruction; else 0
  logic [3:0][31:0] s4_reg;
  always_ff @(posedge clk_i) begin
    s3_rs_q <= s2_rs_i;
    s4_forward_q <= s3_forward;
    s4_imm_q <= s3_imm_i;
    s4_has_flags_q <= s3_i.pending.flags;
    s4_other_q <= s3_i.decoded.a_pc ? OtherBits'({s3_i.held.pc[AddrBits+1:2], 2'b00}) :
        s3_i.decoded.csr && s3_i.decoded.f3[2] ? OtherBits'(s3_i.word[19:15]) : '0;
    s4_source_q <= s3_i.word[19:15] != 5'd0;
  end

  polyloom_overlay_regfile #(
      .Fp(Cfg.fpu)
  ) i_regfile (
      .clk_i,
      .thread_i (s2_thread_i),
      .rs_i     (s2_rs_i),
      .zero_i   (s3_zero),
      .data_o   (s4_reg),
      .we_i     (s8_we_i),
      .wthread_i(s8_thread_i),
      .rd_i     (s8_rd_i),
      .wdata_i  (s8_data_i)
  );

  // ---- stage 5 ----
  logic [31:0] s5_reg_q;
  logic s5_forward_q;
  always_ff @(posedge clk_i) begin
    s5_response_o <= s4_response;
    s5_flags_o <= s4_flags & {5{s4_has_flags_q}};
    s5_source_o <= s4_source_q;
    s5_a_o <= s4_reg[0] | ({32{s4_forward_q[0]}} & s4_response) | 32'(s4_other_q);
    s5_b_o <= (s4_reg[1] | ({32{s4_forward_q[1]}} & s4_response)) ^ s4_imm_q;
    s5_reg_q <= s4_reg[3];
    s5_forward_q <= s4_forward_q[3];
    s5_c_o <= s4_reg[2] | ({32{Cfg.fpu && s4_forward_q[2]}} & s4_response);  // only F has a third
  end
  assign s5_rs2_o = s5_reg_q | ({32{s5_forward_q}} & s5_response_o);

  logic unused;
  assign unused = ^{s2_pending_i, s3_i};

endmodule
