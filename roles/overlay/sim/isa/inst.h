// SPDX-License-Identifier: Apache-2.0
// Predecoded instructions: what the fast model's interpreters dispatch on.
//
// Contract. decode() maps every 32-bit word to an Inst of 8 bytes; a word that is no instruction of the
// overlay gives Op::illegal with the word in `imm`. Nothing here throws or allocates (disassemble() excepted,
// for messages). Source: opcodes.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "roles/overlay/sim/isa/opcodes.h"
#include "spec/csrs.h"

namespace polyloom::overlay {

enum class Op : std::uint8_t {
  illegal,
#define X(id, text, mask, match, form, cls) id,
  POLYLOOM_RV_OPS(X)
#undef X
};

#define X(id, text, mask, match, form, cls) +1
inline constexpr std::size_t kNumOps = 1 POLYLOOM_RV_OPS(X);  ///< including Op::illegal
#undef X

/// Which unit executes an instruction and how long it may take. Every class is one range of Op values.
enum class OpClass : std::uint8_t {
  illegal,
  alu,         ///< plain integer: no event for the timing model (also fence, which does nothing)
  jump,        ///< jal, jalr
  branch,      ///< conditional
  load,        ///< integer and flw
  store,       ///< integer and fsw
  mul,         ///< integer multiply
  div,         ///< integer divide and remainder
  fp_move,     ///< sign injection and moves between the register files: no rounding, no flags
  fp_compare,  ///< feq, flt, fle, fmin, fmax, fclass
  fp_convert,  ///< to and from integers
  fp_add,
  fp_mul,
  fp_fma,
  fp_div,
  fp_sqrt,
  csr,
  send,    ///< the overlay's Send
  system,  ///< ecall, ebreak
};

/// Operands of an instruction, and where they sit in an Inst. x = integer register, f = floating-point
/// register.
enum class Form : std::uint8_t {
  none,    ///< no operands
  r,       ///< x rd, x rs1, x rs2
  i,       ///< x rd, x rs1, imm
  shift,   ///< x rd, x rs1, imm = shift amount 0..31
  u,       ///< x rd, imm = value with the low 12 bits zero
  jal,     ///< x rd, imm = byte offset from pc
  jalr,    ///< x rd, imm(x rs1)
  branch,  ///< x rs1, x rs2, imm = byte offset from pc
  load,    ///< x rd, imm(x rs1)
  fload,   ///< f rd, imm(x rs1)
  store,   ///< x rs2, imm(x rs1)
  fstore,  ///< f rs2, imm(x rs1)
  csr,     ///< x rd, csr(), x rs1
  csri,    ///< x rd, csr(), rs1 = the 5-bit immediate itself
  frr,     ///< f rd, f rs1, f rs2
  frr_rm,  ///< f rd, f rs1, f rs2, rm()
  fr_rm,   ///< f rd, f rs1, rm()
  fr4,     ///< f rd, f rs1, f rs2, f rs3(), rm()
  fcmp,    ///< x rd, f rs1, f rs2
  f2x,     ///< x rd, f rs1
  f2x_rm,  ///< x rd, f rs1, rm()
  x2f,     ///< f rd, x rs1
  x2f_rm,  ///< f rd, x rs1, rm()
  send,    ///< x rs1 = mask[63:32], x rs2 = mask[31:0]
};

/// Writes to x0 go here, so that interpreters keep kNumXRegs registers and never test for x0: decode() names
/// kSinkReg as rd wherever the word names x0 as an integer destination or has no destination. Nothing reads
/// it.
inline constexpr std::uint8_t kSinkReg = 32;
inline constexpr std::size_t kNumXRegs = 33;

inline constexpr unsigned kDynamicRounding = 7;  ///< rm(): use fcsr's rounding mode

struct Inst {
  Op op = Op::illegal;
  std::uint8_t rd = 0, rs1 = 0, rs2 = 0;
  std::int32_t imm = 0;  ///< by form; CSR number, rs3 and rm share it, as no form has two of imm, csr and rm

  /// Rounding mode: 0..4 or kDynamicRounding.
  unsigned rm() const { return static_cast<unsigned>(imm) & 7u; }
  unsigned rs3() const { return static_cast<unsigned>(imm) >> 8; }
  unsigned csr() const { return static_cast<unsigned>(imm); }
  bool operator==(const Inst&) const = default;
};
static_assert(sizeof(Inst) == 8);

struct OpInfo {
  const char* text;           ///< mnemonic
  std::uint32_t mask, match;  ///< encoding; both 0 for Op::illegal
  Form form;
  OpClass cls;
};

inline constexpr OpInfo kOpInfo[kNumOps] = {{"illegal", 0, 0, Form::none, OpClass::illegal},
#define X(id, text, mask, match, form, cls) {text, mask, match, Form::form, OpClass::cls},
                                            POLYLOOM_RV_OPS(X)
#undef X
};

constexpr const OpInfo& op_info(Op op) { return kOpInfo[static_cast<std::size_t>(op)]; }
constexpr OpClass op_class(Op op) { return op_info(op).cls; }

/// The instruction writes an integer (floating-point) register.
constexpr bool writes_x(Form form) {
  switch (form) {
    case Form::r:
    case Form::i:
    case Form::shift:
    case Form::u:
    case Form::jal:
    case Form::jalr:
    case Form::load:
    case Form::csr:
    case Form::csri:
    case Form::fcmp:
    case Form::f2x:
    case Form::f2x_rm:
      return true;
    default:
      return false;
  }
}
constexpr bool writes_f(Form form) {
  switch (form) {
    case Form::fload:
    case Form::frr:
    case Form::frr_rm:
    case Form::fr_rm:
    case Form::fr4:
    case Form::x2f:
    case Form::x2f_rm:
      return true;
    default:
      return false;
  }
}
/// The instruction has a rounding-mode field.
constexpr bool has_rm(Form form) {
  return form == Form::frr_rm || form == Form::fr_rm || form == Form::fr4 || form == Form::f2x_rm ||
         form == Form::x2f_rm;
}

Inst decode(std::uint32_t word);

/// Assembler text of a word as binutils prints it without aliases ("addi a0, a1, -4"); jump targets are
/// absolute. An illegal word gives ".word 0x????????".
std::string disassemble(std::uint32_t word, std::uint32_t pc);

}  // namespace polyloom::overlay
