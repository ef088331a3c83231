// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_decode: what an instruction word means.
// How:          whether it is an instruction is a case over major opcodes, as in roles/overlay/sim/isa/opcodes.h; the rest holds
//               only if it is one, which saves looking at all bits. A CSR instruction is one if its number names a register.
// Latency:      none: no registers.
// Throughput:   a word a cycle.
// Backpressure: none; paths from the word to everything.
// Order/loss:   none.
// Reset:        none.
// Limits:       without Fp instructions of F are illegal, without MulDiv those of M.
// Cost:         about 75 LUT4 without Fp and MulDiv (ECP5; part of polyloom_overlay_core).
// Source:       RISC-V unprivileged ISA 20191213, chapter 24; Send: Tinsel.
//               Tests: test_polyloom_overlay_decode.py, test_polyloom_overlay_cores.py
module polyloom_overlay_decode
  import polyloom_overlay_pkg::*;
  import polyloom_overlay_csrs_pkg::*;
#(
    parameter bit Fp     = 0,  // F
    parameter bit MulDiv = 0   // M
) (
    input  logic     [31:0] word_i,
    output decoded_t        decoded_o,
    output reg_t     [ 2:0] rs_o        // registers to read; of ecall a7, its value
);

  localparam logic [6:0] LUI = 7'h37, AUIPC = 7'h17, OP_IMM = 7'h13, OP = 7'h33, FENCE = 7'h0f, JAL = 7'h6f, JALR = 7'h67;
  localparam logic [6:0] BRANCH = 7'h63, LOAD = 7'h03, LOAD_FP = 7'h07, STORE = 7'h23, STORE_FP = 7'h27, OP_FP = 7'h53;
  localparam logic [6:0] MADD = 7'h43, MSUB = 7'h47, NMSUB = 7'h4b, NMADD = 7'h4f, SYSTEM = 7'h73, SEND = 7'h08;

  logic [6:0] major, f7;
  logic [2:0] f3;
  logic [4:0] rs2;
  logic fma, op_fp, bad_rm;
  assign major  = word_i[6:0];
  assign f3     = word_i[14:12];
  assign f7     = word_i[31:25];
  assign rs2    = word_i[24:20];
  assign bad_rm = f3 == 3'd5 || f3 == 3'd6;

  // ---- floating-point operations ----
  typedef struct packed {
    logic    illegal;
    logic    move;
    logic    keep_sign;  // of a move
    logic    rm;
    logic    to_x;
    logic    from_x;
    fpu_op_e op;
  } fp_t;

  function automatic fp_t decode_fp(input logic [6:0] op7, input logic [2:0] op3, input logic [4:0] op2);
    decode_fp = '{illegal: 1'b0, move: 1'b0, keep_sign: 1'b0, rm: 1'b0, to_x: 1'b0, from_x: 1'b0, op: FPU_ADD};
    case (op7)
      7'h00, 7'h04, 7'h08, 7'h0c, 7'h2c: begin
        decode_fp.rm = 1'b1;
        decode_fp.illegal = op7 == 7'h2c && op2 != 5'd0;
        case (op7)
          7'h00:   decode_fp.op = FPU_ADD;
          7'h04:   decode_fp.op = FPU_SUB;
          7'h08:   decode_fp.op = FPU_FMUL;
          7'h0c:   decode_fp.op = FPU_FDIV;
          default: decode_fp.op = FPU_FSQRT;
        endcase
      end
      7'h10: begin
        decode_fp.move = 1'b1;
        decode_fp.illegal = op3 > 3'd2;
      end
      7'h14: begin
        decode_fp.op = op3[0] ? FPU_MAX : FPU_MIN;
        decode_fp.illegal = op3 > 3'd1;
      end
      7'h50: begin
        decode_fp.to_x = 1'b1;
        decode_fp.op = op3 == 3'd0 ? FPU_LE : op3 == 3'd1 ? FPU_LT : FPU_EQ;
        decode_fp.illegal = op3 > 3'd2;
      end
      7'h60: begin
        decode_fp.rm = 1'b1;
        decode_fp.to_x = 1'b1;
        decode_fp.op = op2[0] ? FPU_TO_UINT : FPU_TO_INT;
        decode_fp.illegal = op2 > 5'd1;
      end
      7'h68: begin
        decode_fp.rm = 1'b1;
        decode_fp.from_x = 1'b1;
        decode_fp.op = op2[0] ? FPU_FROM_UINT : FPU_FROM_INT;
        decode_fp.illegal = op2 > 5'd1;
      end
      7'h70: begin
        decode_fp.to_x = 1'b1;
        decode_fp.move = op3 == 3'd0;
        decode_fp.keep_sign = 1'b1;
        decode_fp.op = FPU_CLASS;
        decode_fp.illegal = op2 != 5'd0 || op3 > 3'd1;
      end
      7'h78: begin
        decode_fp.from_x = 1'b1;
        decode_fp.move = 1'b1;
        decode_fp.keep_sign = 1'b1;
        decode_fp.illegal = op2 != 5'd0 || op3 != 3'd0;
      end
      default: decode_fp.illegal = 1'b1;
    endcase
    if (decode_fp.rm && (op3 == 3'd5 || op3 == 3'd6)) decode_fp.illegal = 1'b1;
  endfunction

  fp_t fp;
  assign fp = Fp ? decode_fp(f7, f3, rs2) : '0;

  function automatic fpu_op_e fma_op(input logic [6:0] opcode);
    case (opcode)
      MADD:    return FPU_MADD;
      MSUB:    return FPU_MSUB;
      NMSUB:   return FPU_NMSUB;
      default: return FPU_NMADD;
    endcase
  endfunction

  // ---- is it an instruction? ----
  logic illegal, no_csr;
  assign no_csr = !csr_exists(word_i[31:20]) || (!Fp && word_i[31:24] == 8'h00);  // fflags, frm, fcsr
  always_comb begin
    unique case (major)
      LUI, AUIPC, JAL: illegal = 1'b0;
      OP_IMM: begin
        illegal = f3[1:0] == 2'd1 && f7 != 7'd0 && !(f7 == 7'h20 && f3[2]);
      end
      OP: begin
        illegal = f7 != 7'd0 && !(f7 == 7'h20 && (f3 == 3'd0 || f3 == 3'd5)) && !(MulDiv && f7 == 7'd1);
      end
      FENCE, JALR: illegal = f3 != 3'd0;
      BRANCH: illegal = f3[2:1] == 2'b01;
      LOAD: illegal = f3[1:0] == 2'd3 || f3 == 3'd6;
      STORE: illegal = f3[1:0] == 2'd3 || f3[2];
      LOAD_FP, STORE_FP: illegal = !Fp || f3 != 3'd2;
      OP_FP: illegal = !Fp || fp.illegal;
      MADD, MSUB, NMSUB, NMADD: illegal = !Fp || bad_rm || word_i[26:25] != 2'd0;
      SYSTEM: illegal = f3[1:0] == 2'd0 ? f3[2] || word_i[31:21] != '0 || word_i[19:7] != '0 : no_csr;
      SEND: illegal = f7 != 7'd0 || f3 != 3'd0 || word_i[11:7] != 5'd0;
      default: illegal = 1'b1;
    endcase
  end

  // ---- classes: of legal words, so that few bits of the major opcode tell them apart ----
  decoded_t class_is;
  logic integer_op, system;
  assign fma = Fp && word_i[6] && !word_i[5] && !word_i[4];
  assign op_fp = Fp && word_i[6] && !word_i[5] && word_i[4];
  assign integer_op = !word_i[6] && word_i[4] && !word_i[2];  // OP, OP_IMM
  assign system = word_i[6] && word_i[4] && !op_fp;
  always_comb begin
    class_is = '0;
    class_is.illegal = illegal;
    class_is.load = word_i[6:3] == 4'd0;
    class_is.store = word_i[6:4] == 3'b010;
    class_is.branch = word_i[6] && !word_i[4] && !word_i[2] && !fma;
    class_is.jump = word_i[6] && word_i[2] && !fma;
    class_is.send = !word_i[6] && word_i[3] && !word_i[2];
    class_is.ecall = system && f3 == 3'd0 && !word_i[20];
    class_is.ebreak = system && f3 == 3'd0 && word_i[20];
    class_is.csr = system && f3[1:0] != 2'd0;
    class_is.a_pc = word_i[2] && (word_i[3] || word_i[6:4] == 3'b001) && !fma;
    class_is.a_zero = word_i[5] && word_i[4] && (word_i[2] || (word_i[6] && f3[2]));
    class_is.b_imm = !(word_i[5] && !word_i[2] && word_i[6] != word_i[4]);  // all but OP and BRANCH
    class_is.sub = class_is.branch || (integer_op && (f3[2:1] == 2'b01 || (f3 == 3'd0 && word_i[5] && word_i[30])));

    // Of LUI, AUIPC and what computes with operands.
    class_is.from_sum = word_i[2] || f3 == 3'd0;
    class_is.from_shift = !word_i[2] && f3[1:0] == 2'd1;
    class_is.from_less = !word_i[2] && f3[2:1] == 2'b01;
    class_is.from_logic = !word_i[2] && f3[2] && f3[1:0] != 2'd1;
    class_is.not_signed = word_i[6] ? f3[1] : f3[0];  // branches; else comparisons
    class_is.left = !f3[2];
    class_is.arith = word_i[30];
    class_is.f3 = f3;
    class_is.fpu = MulDiv && integer_op && word_i[5] && word_i[25];
    class_is.computes = !word_i[6] && word_i[4] && !class_is.fpu;
    class_is.op = fpu_op_e'({2'b00, f3});

    if (op_fp) begin
      class_is.move = fp.move;
      class_is.computes = fp.move;
      {class_is.from_sum, class_is.from_shift, class_is.from_less, class_is.from_logic} = 4'b0001;
      class_is.not_signed = fp.keep_sign;
      class_is.fpu = !fp.move;
      class_is.fp = !fp.move;
      class_is.rm = fp.rm;
      class_is.op = fp.op;
    end
    if (fma) begin
      class_is.fpu = 1'b1;
      class_is.fp  = 1'b1;
      class_is.rm  = 1'b1;
      class_is.op  = fma_op(major);
    end

    class_is.rd.index = word_i[11:7];
    class_is.rd.f = Fp && (fma || (op_fp && !fp.to_x) || (class_is.load && word_i[2]));
    // Of the others stores, branches, fence and Send write none.
    class_is.rd_we = word_i[4] || class_is.jump || class_is.load || fma;
    if (word_i[11:7] == 5'd0 && !class_is.rd.f) class_is.rd_we = 1'b0;
  end

  assign decoded_o = class_is;

  // ---- registers; the word of an ecall has zeros where others name their first ----
  logic call;
  assign call = system && f3 == 3'd0;
  always_comb begin
    rs_o[0].f = fma || (op_fp && !fp.from_x);
    rs_o[0].index = word_i[19:15] | {call, 3'd0, call};
    rs_o[1].f = fma || op_fp || (Fp && word_i[6:2] == 5'b01001);
    rs_o[1].index = rs2;
    rs_o[2].f = 1'b1;
    rs_o[2].index = word_i[31:27];
  end

endmodule
