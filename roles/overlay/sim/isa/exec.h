// SPDX-License-Identifier: Apache-2.0
// What each instruction does, once: shared by the run-ahead interpreter of a tile and by the reference
// interpreter.
//
// Contract. Pure functions of operands. Every one takes the operation as its first argument and is always
// inlined, so a call with a constant Op (a case of an interpreter's switch) leaves that instruction's few
// host instructions. Operations outside a function's class give 0 or false. Register files: `x` has kNumXRegs
// entries (x[0] is 0, x[kSinkReg] takes what is written to x0), `f` has 32 bit patterns, `fcsr` is frm in
// [7:5] and fflags in [4:0]. Source: RISC-V unprivileged ISA 20191213, chapters 2, 7, 9, 11.
#pragma once

#include <cstdint>

#include "roles/overlay/arch/fault.h"
#include "roles/overlay/sim/isa/fp.h"
#include "roles/overlay/sim/isa/inst.h"

#define POLYLOOM_EXEC [[gnu::always_inline]] inline

namespace polyloom::overlay {

// ---- plain integer instructions (OpClass::alu) ----

/// a = rs1 (auipc: pc), b = rs2 or the immediate.
POLYLOOM_EXEC constexpr std::uint32_t alu(Op op, std::uint32_t a, std::uint32_t b) {
  const auto sa = static_cast<std::int32_t>(a);
  switch (op) {
    case Op::lui:
      return b;
    case Op::auipc:
    case Op::add:
    case Op::addi:
      return a + b;
    case Op::sub:
      return a - b;
    case Op::slt:
    case Op::slti:
      return sa < static_cast<std::int32_t>(b) ? 1 : 0;
    case Op::sltu:
    case Op::sltiu:
      return a < b ? 1 : 0;
    case Op::xor_:
    case Op::xori:
      return a ^ b;
    case Op::or_:
    case Op::ori:
      return a | b;
    case Op::and_:
    case Op::andi:
      return a & b;
    case Op::sll:
    case Op::slli:
      return a << (b & 31);
    case Op::srl:
    case Op::srli:
      return a >> (b & 31);
    case Op::sra:
    case Op::srai:
      return static_cast<std::uint32_t>(sa >> (b & 31));
    default:
      return 0;  // fence: no effect, as a thread sees its own accesses in order
  }
}

/// Executes an instruction of OpClass::alu, operands included.
POLYLOOM_EXEC void execute_alu(Op op, const Inst& in, std::uint32_t pc, std::uint32_t* x) {
  if (op == Op::fence) return;
  const std::uint32_t a = op == Op::auipc ? pc : x[in.rs1];
  const std::uint32_t b = op_info(op).form == Form::r ? x[in.rs2] : static_cast<std::uint32_t>(in.imm);
  x[in.rd] = alu(op, a, b);
}

// ---- control transfer ----

POLYLOOM_EXEC constexpr bool branch_taken(Op op, std::uint32_t a, std::uint32_t b) {
  const auto sa = static_cast<std::int32_t>(a), sb = static_cast<std::int32_t>(b);
  switch (op) {
    case Op::beq:
      return a == b;
    case Op::bne:
      return a != b;
    case Op::blt:
      return sa < sb;
    case Op::bge:
      return sa >= sb;
    case Op::bltu:
      return a < b;
    case Op::bgeu:
      return a >= b;
    default:
      return false;
  }
}

/// Where a jump or taken branch goes. `rs1` is read by jalr only. A target that is not 4-aligned is a
/// FaultCause::misaligned_jump; then rd must not be written.
POLYLOOM_EXEC constexpr std::uint32_t jump_target(Op op, std::uint32_t pc, std::uint32_t rs1,
                                                  std::int32_t imm) {
  return op == Op::jalr ? (rs1 + static_cast<std::uint32_t>(imm)) & ~1u
                        : pc + static_cast<std::uint32_t>(imm);
}

// ---- multiply and divide ----

POLYLOOM_EXEC constexpr std::uint32_t multiply(Op op, std::uint32_t a, std::uint32_t b) {
  const std::int64_t sa = static_cast<std::int32_t>(a), sb = static_cast<std::int32_t>(b);
  switch (op) {
    case Op::mul:
      return a * b;
    case Op::mulh:
      return static_cast<std::uint32_t>((sa * sb) >> 32);
    case Op::mulhsu:
      return static_cast<std::uint32_t>((sa * static_cast<std::int64_t>(b)) >> 32);
    case Op::mulhu:
      return static_cast<std::uint32_t>((std::uint64_t{a} * b) >> 32);
    default:
      return 0;
  }
}

/// By zero: quotient all ones, remainder the dividend. Signed overflow: quotient the dividend, remainder 0.
POLYLOOM_EXEC constexpr std::uint32_t divide(Op op, std::uint32_t a, std::uint32_t b) {
  const bool quotient = op == Op::div || op == Op::divu;
  const bool is_signed = op == Op::div || op == Op::rem;
  if (b == 0) return quotient ? ~0u : a;
  if (is_signed && a == 0x80000000u && b == ~0u) return quotient ? a : 0;
  const auto sa = static_cast<std::int32_t>(a), sb = static_cast<std::int32_t>(b);
  switch (op) {
    case Op::div:
      return static_cast<std::uint32_t>(sa / sb);
    case Op::divu:
      return a / b;
    case Op::rem:
      return static_cast<std::uint32_t>(sa % sb);
    case Op::remu:
      return a % b;
    default:
      return 0;
  }
}

// ---- memory ----

/// Bytes accessed: 1, 2 or 4. An address that is not a multiple of it is a misaligned access, which faults.
POLYLOOM_EXEC constexpr unsigned access_size(Op op) {
  switch (op) {
    case Op::lb:
    case Op::lbu:
    case Op::sb:
      return 1;
    case Op::lh:
    case Op::lhu:
    case Op::sh:
      return 2;
    default:
      return 4;
  }
}

/// Register value of a load, from the 4-aligned little-endian word that holds `addr`.
POLYLOOM_EXEC constexpr std::uint32_t load_value(Op op, std::uint32_t word, std::uint32_t addr) {
  const std::uint32_t shifted = word >> (8 * (addr & 3));
  switch (op) {
    case Op::lb:
      return static_cast<std::uint32_t>(static_cast<std::int8_t>(shifted));
    case Op::lbu:
      return shifted & 0xffu;
    case Op::lh:
      return static_cast<std::uint32_t>(static_cast<std::int16_t>(shifted));
    case Op::lhu:
      return shifted & 0xffffu;
    default:
      return word;  // lw, flw
  }
}

/// Bit i set: byte i of the 4-aligned word is written.
POLYLOOM_EXEC constexpr unsigned store_byte_enable(Op op, std::uint32_t addr) {
  return ((1u << access_size(op)) - 1) << (addr & 3);
}
/// The stored register moved to its byte lanes.
POLYLOOM_EXEC constexpr std::uint32_t store_lanes(std::uint32_t value, std::uint32_t addr) {
  return value << (8 * (addr & 3));
}
/// The word with the enabled bytes replaced.
POLYLOOM_EXEC constexpr std::uint32_t merge_bytes(std::uint32_t old, std::uint32_t lanes,
                                                  unsigned byte_enable) {
  std::uint32_t mask = 0;
  for (unsigned i = 0; i < 4; ++i) mask |= (byte_enable >> i & 1) != 0 ? 0xffu << (8 * i) : 0;
  return (old & ~mask) | (lanes & mask);
}

// ---- CSR instructions ----

/// What a CSR instruction asks. Source: chapter 9, table 9.1: csrrw to x0 does not read, csrrs/csrrc of x0
/// and csrrsi/csrrci of 0 do not write.
struct CsrAccess {
  unsigned number;
  std::uint32_t operand;
  bool reads, writes;
};
POLYLOOM_EXEC CsrAccess csr_access(Op op, const Inst& in, const std::uint32_t* x) {
  const bool immediate = op_info(op).form == Form::csri;
  const bool swap = op == Op::csrrw || op == Op::csrrwi;
  return {in.csr(), immediate ? in.rs1 : x[in.rs1], !swap || in.rd != kSinkReg, swap || in.rs1 != 0};
}
/// The value that a CSR takes, from what it held.
POLYLOOM_EXEC constexpr std::uint32_t csr_update(Op op, std::uint32_t old, std::uint32_t operand) {
  switch (op) {
    case Op::csrrs:
    case Op::csrrsi:
      return old | operand;
    case Op::csrrc:
    case Op::csrrci:
      return old & ~operand;
    default:
      return operand;
  }
}

constexpr bool is_fp_csr(unsigned number) { return number >= csr::fflags && number <= csr::fcsr; }

/// Executes a CSR instruction on fflags, frm or fcsr. Precondition: is_fp_csr(in.csr()).
inline void execute_fp_csr(const Inst& in, std::uint32_t* x, std::uint32_t& fcsr) {
  const CsrAccess access = csr_access(in.op, in, x);
  const unsigned shift = access.number == csr::frm ? 5 : 0;
  const std::uint32_t mask = access.number == csr::fflags ? 0x1f : access.number == csr::frm ? 0x7 : 0xff;
  const std::uint32_t old = (fcsr >> shift) & mask;
  if (access.writes) {
    const std::uint32_t value = csr_update(in.op, old, access.operand) & mask;
    fcsr = (fcsr & ~(mask << shift)) | (value << shift);
  }
  x[in.rd] = old;
}

// ---- floating point ----

/// Executes an instruction of any fp class (fp_move .. fp_sqrt) on the register files and fcsr. Returns
/// false, with nothing changed, if it asks for a reserved rounding mode through frm: an illegal instruction.
POLYLOOM_EXEC bool execute_fp(Op op, const Inst& in, std::uint32_t* x, std::uint32_t* f,
                              std::uint32_t& fcsr) {
  const std::uint32_t a = f[in.rs1], b = f[in.rs2];
  unsigned mode = 0;
  if (has_rm(op_info(op).form)) {
    mode = in.rm();
    if (mode == kDynamicRounding) mode = (fcsr >> 5) & 7;
    if (mode > 4) return false;
  }
  const auto rm = static_cast<fp::RoundingMode>(mode);
  std::uint8_t flags = 0;
  switch (op) {
    case Op::fsgnj_s:
      f[in.rd] = fp::fsgnj(a, b);
      return true;
    case Op::fsgnjn_s:
      f[in.rd] = fp::fsgnjn(a, b);
      return true;
    case Op::fsgnjx_s:
      f[in.rd] = fp::fsgnjx(a, b);
      return true;
    case Op::fmv_x_w:
      x[in.rd] = a;
      return true;
    case Op::fmv_w_x:
      f[in.rd] = x[in.rs1];
      return true;
    case Op::fclass_s:
      x[in.rd] = fp::fclass(a);
      return true;
    case Op::fmin_s:
      f[in.rd] = fp::fmin(a, b, flags);
      break;
    case Op::fmax_s:
      f[in.rd] = fp::fmax(a, b, flags);
      break;
    case Op::feq_s:
      x[in.rd] = fp::feq(a, b, flags);
      break;
    case Op::flt_s:
      x[in.rd] = fp::flt(a, b, flags);
      break;
    case Op::fle_s:
      x[in.rd] = fp::fle(a, b, flags);
      break;
    case Op::fcvt_w_s:
      x[in.rd] = fp::fcvt_w_s(a, rm, flags);
      break;
    case Op::fcvt_wu_s:
      x[in.rd] = fp::fcvt_wu_s(a, rm, flags);
      break;
    case Op::fcvt_s_w:
      f[in.rd] = fp::fcvt_s_w(x[in.rs1], rm, flags);
      break;
    case Op::fcvt_s_wu:
      f[in.rd] = fp::fcvt_s_wu(x[in.rs1], rm, flags);
      break;
    case Op::fadd_s:
      f[in.rd] = fp::fadd(a, b, rm, flags);
      break;
    case Op::fsub_s:
      f[in.rd] = fp::fsub(a, b, rm, flags);
      break;
    case Op::fmul_s:
      f[in.rd] = fp::fmul(a, b, rm, flags);
      break;
    case Op::fmadd_s:
      f[in.rd] = fp::fmadd(a, b, f[in.rs3()], rm, flags);
      break;
    case Op::fmsub_s:
      f[in.rd] = fp::fmsub(a, b, f[in.rs3()], rm, flags);
      break;
    case Op::fnmsub_s:
      f[in.rd] = fp::fnmsub(a, b, f[in.rs3()], rm, flags);
      break;
    case Op::fnmadd_s:
      f[in.rd] = fp::fnmadd(a, b, f[in.rs3()], rm, flags);
      break;
    case Op::fdiv_s:
      f[in.rd] = fp::fdiv(a, b, rm, flags);
      break;
    case Op::fsqrt_s:
      f[in.rd] = fp::fsqrt(a, rm, flags);
      break;
    default:
      return false;
  }
  fcsr |= flags;
  return true;
}

}  // namespace polyloom::overlay
