// SPDX-License-Identifier: Apache-2.0
// The one description of the overlay's instruction set: RV32IMF, Zicsr and the Send instruction.
//
// A row is  X(id, "mnemonic", mask, match, form, class):  a word is instruction `id` if (word & mask) ==
// match and, in forms with a rounding mode, the rm field is not 5 or 6, in those with a CSR, there is one of
// that number (csr::exists). Whatever fits no row is illegal. Forms name the operands and where they sit
// (inst.h, enum Form); classes name the unit that executes it (enum OpClass). Rows of one class stand
// together, so a class is a range of Op values. Source: RISC-V unprivileged ISA 20191213, chapter 24; Send:
// docs/sources/tinsel.md, 1.2.
#pragma once

// clang-format off
#define POLYLOOM_RV_OPS(X)                                                   \
  /* RV32I, computational */                                                 \
  X(lui,       "lui",       0x0000007f, 0x00000037, u,      alu)             \
  X(auipc,     "auipc",     0x0000007f, 0x00000017, u,      alu)             \
  X(addi,      "addi",      0x0000707f, 0x00000013, i,      alu)             \
  X(slti,      "slti",      0x0000707f, 0x00002013, i,      alu)             \
  X(sltiu,     "sltiu",     0x0000707f, 0x00003013, i,      alu)             \
  X(xori,      "xori",      0x0000707f, 0x00004013, i,      alu)             \
  X(ori,       "ori",       0x0000707f, 0x00006013, i,      alu)             \
  X(andi,      "andi",      0x0000707f, 0x00007013, i,      alu)             \
  X(slli,      "slli",      0xfe00707f, 0x00001013, shift,  alu)             \
  X(srli,      "srli",      0xfe00707f, 0x00005013, shift,  alu)             \
  X(srai,      "srai",      0xfe00707f, 0x40005013, shift,  alu)             \
  X(add,       "add",       0xfe00707f, 0x00000033, r,      alu)             \
  X(sub,       "sub",       0xfe00707f, 0x40000033, r,      alu)             \
  X(sll,       "sll",       0xfe00707f, 0x00001033, r,      alu)             \
  X(slt,       "slt",       0xfe00707f, 0x00002033, r,      alu)             \
  X(sltu,      "sltu",      0xfe00707f, 0x00003033, r,      alu)             \
  X(xor_,      "xor",       0xfe00707f, 0x00004033, r,      alu)             \
  X(srl,       "srl",       0xfe00707f, 0x00005033, r,      alu)             \
  X(sra,       "sra",       0xfe00707f, 0x40005033, r,      alu)             \
  X(or_,       "or",        0xfe00707f, 0x00006033, r,      alu)             \
  X(and_,      "and",       0xfe00707f, 0x00007033, r,      alu)             \
  X(fence,     "fence",     0x0000707f, 0x0000000f, none,   alu)             \
  /* RV32I, control transfer */                                              \
  X(jal,       "jal",       0x0000007f, 0x0000006f, jal,    jump)            \
  X(jalr,      "jalr",      0x0000707f, 0x00000067, jalr,   jump)            \
  X(beq,       "beq",       0x0000707f, 0x00000063, branch, branch)          \
  X(bne,       "bne",       0x0000707f, 0x00001063, branch, branch)          \
  X(blt,       "blt",       0x0000707f, 0x00004063, branch, branch)          \
  X(bge,       "bge",       0x0000707f, 0x00005063, branch, branch)          \
  X(bltu,      "bltu",      0x0000707f, 0x00006063, branch, branch)          \
  X(bgeu,      "bgeu",      0x0000707f, 0x00007063, branch, branch)          \
  /* memory */                                                               \
  X(lb,        "lb",        0x0000707f, 0x00000003, load,   load)            \
  X(lh,        "lh",        0x0000707f, 0x00001003, load,   load)            \
  X(lw,        "lw",        0x0000707f, 0x00002003, load,   load)            \
  X(lbu,       "lbu",       0x0000707f, 0x00004003, load,   load)            \
  X(lhu,       "lhu",       0x0000707f, 0x00005003, load,   load)            \
  X(flw,       "flw",       0x0000707f, 0x00002007, fload,  load)            \
  X(sb,        "sb",        0x0000707f, 0x00000023, store,  store)           \
  X(sh,        "sh",        0x0000707f, 0x00001023, store,  store)           \
  X(sw,        "sw",        0x0000707f, 0x00002023, store,  store)           \
  X(fsw,       "fsw",       0x0000707f, 0x00002027, fstore, store)           \
  /* RV32M */                                                                \
  X(mul,       "mul",       0xfe00707f, 0x02000033, r,      mul)             \
  X(mulh,      "mulh",      0xfe00707f, 0x02001033, r,      mul)             \
  X(mulhsu,    "mulhsu",    0xfe00707f, 0x02002033, r,      mul)             \
  X(mulhu,     "mulhu",     0xfe00707f, 0x02003033, r,      mul)             \
  X(div,       "div",       0xfe00707f, 0x02004033, r,      div)             \
  X(divu,      "divu",      0xfe00707f, 0x02005033, r,      div)             \
  X(rem,       "rem",       0xfe00707f, 0x02006033, r,      div)             \
  X(remu,      "remu",      0xfe00707f, 0x02007033, r,      div)             \
  /* RV32F */                                                                \
  X(fsgnj_s,   "fsgnj.s",   0xfe00707f, 0x20000053, frr,    fp_move)         \
  X(fsgnjn_s,  "fsgnjn.s",  0xfe00707f, 0x20001053, frr,    fp_move)         \
  X(fsgnjx_s,  "fsgnjx.s",  0xfe00707f, 0x20002053, frr,    fp_move)         \
  X(fmv_x_w,   "fmv.x.w",   0xfff0707f, 0xe0000053, f2x,    fp_move)         \
  X(fmv_w_x,   "fmv.w.x",   0xfff0707f, 0xf0000053, x2f,    fp_move)         \
  X(fclass_s,  "fclass.s",  0xfff0707f, 0xe0001053, f2x,    fp_compare)      \
  X(fmin_s,    "fmin.s",    0xfe00707f, 0x28000053, frr,    fp_compare)      \
  X(fmax_s,    "fmax.s",    0xfe00707f, 0x28001053, frr,    fp_compare)      \
  X(feq_s,     "feq.s",     0xfe00707f, 0xa0002053, fcmp,   fp_compare)      \
  X(flt_s,     "flt.s",     0xfe00707f, 0xa0001053, fcmp,   fp_compare)      \
  X(fle_s,     "fle.s",     0xfe00707f, 0xa0000053, fcmp,   fp_compare)      \
  X(fcvt_w_s,  "fcvt.w.s",  0xfff0007f, 0xc0000053, f2x_rm, fp_convert)      \
  X(fcvt_wu_s, "fcvt.wu.s", 0xfff0007f, 0xc0100053, f2x_rm, fp_convert)      \
  X(fcvt_s_w,  "fcvt.s.w",  0xfff0007f, 0xd0000053, x2f_rm, fp_convert)      \
  X(fcvt_s_wu, "fcvt.s.wu", 0xfff0007f, 0xd0100053, x2f_rm, fp_convert)      \
  X(fadd_s,    "fadd.s",    0xfe00007f, 0x00000053, frr_rm, fp_add)          \
  X(fsub_s,    "fsub.s",    0xfe00007f, 0x08000053, frr_rm, fp_add)          \
  X(fmul_s,    "fmul.s",    0xfe00007f, 0x10000053, frr_rm, fp_mul)          \
  X(fmadd_s,   "fmadd.s",   0x0600007f, 0x00000043, fr4,    fp_fma)          \
  X(fmsub_s,   "fmsub.s",   0x0600007f, 0x00000047, fr4,    fp_fma)          \
  X(fnmsub_s,  "fnmsub.s",  0x0600007f, 0x0000004b, fr4,    fp_fma)          \
  X(fnmadd_s,  "fnmadd.s",  0x0600007f, 0x0000004f, fr4,    fp_fma)          \
  X(fdiv_s,    "fdiv.s",    0xfe00007f, 0x18000053, frr_rm, fp_div)          \
  X(fsqrt_s,   "fsqrt.s",   0xfff0007f, 0x58000053, fr_rm,  fp_sqrt)         \
  /* Zicsr */                                                                \
  X(csrrw,     "csrrw",     0x0000707f, 0x00001073, csr,    csr)             \
  X(csrrs,     "csrrs",     0x0000707f, 0x00002073, csr,    csr)             \
  X(csrrc,     "csrrc",     0x0000707f, 0x00003073, csr,    csr)             \
  X(csrrwi,    "csrrwi",    0x0000707f, 0x00005073, csri,   csr)             \
  X(csrrsi,    "csrrsi",    0x0000707f, 0x00006073, csri,   csr)             \
  X(csrrci,    "csrrci",    0x0000707f, 0x00007073, csri,   csr)             \
  /* the overlay's own, and traps */                                         \
  X(send,      "send",      0xfe007fff, 0x00000008, send,   send)            \
  X(ecall,     "ecall",     0xffffffff, 0x00000073, none,   system)          \
  X(ebreak,    "ebreak",    0xffffffff, 0x00100073, none,   system)
// clang-format on
