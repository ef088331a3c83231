// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "roles/overlay/sim/isa/inst.h"

namespace polyloom::overlay {
namespace {

constexpr std::uint32_t bits(std::uint32_t w, unsigned lo, unsigned n) { return (w >> lo) & ((1u << n) - 1); }
constexpr std::int32_t sign_extend(std::uint32_t v, unsigned width) {
  return static_cast<std::int32_t>(v << (32 - width)) >> (32 - width);
}

constexpr std::int32_t imm_i(std::uint32_t w) { return static_cast<std::int32_t>(w) >> 20; }
constexpr std::int32_t imm_s(std::uint32_t w) { return sign_extend(bits(w, 25, 7) << 5 | bits(w, 7, 5), 12); }
constexpr std::int32_t imm_b(std::uint32_t w) {
  return sign_extend(bits(w, 31, 1) << 12 | bits(w, 7, 1) << 11 | bits(w, 25, 6) << 5 | bits(w, 8, 4) << 1,
                     13);
}
constexpr std::int32_t imm_u(std::uint32_t w) { return static_cast<std::int32_t>(w & 0xfffff000u); }
constexpr std::int32_t imm_j(std::uint32_t w) {
  return sign_extend(
      bits(w, 31, 1) << 20 | bits(w, 12, 8) << 12 | bits(w, 20, 1) << 11 | bits(w, 21, 10) << 1, 21);
}

/// Rows by major opcode (word[6:0]), so that a look-up tries few of them. Only complete opcodes are in masks.
struct Buckets {
  std::array<std::array<std::uint8_t, 32>, 128> rows{};
  std::array<std::uint8_t, 128> count{};
};
constexpr Buckets make_buckets() {
  Buckets b;
  for (std::size_t op = 1; op < kNumOps; ++op) {
    const std::uint32_t major = kOpInfo[op].match & 0x7f;
    b.rows[major][b.count[major]++] = static_cast<std::uint8_t>(op);
  }
  return b;
}
constexpr Buckets kBuckets = make_buckets();

std::int32_t immediate(Form form, std::uint32_t w) {
  switch (form) {
    case Form::i:
    case Form::jalr:
    case Form::load:
    case Form::fload:
      return imm_i(w);
    case Form::shift:
      return static_cast<std::int32_t>(bits(w, 20, 5));
    case Form::u:
      return imm_u(w);
    case Form::jal:
      return imm_j(w);
    case Form::branch:
      return imm_b(w);
    case Form::store:
    case Form::fstore:
      return imm_s(w);
    case Form::csr:
    case Form::csri:
      return static_cast<std::int32_t>(bits(w, 20, 12));
    case Form::fr4:
      return static_cast<std::int32_t>(bits(w, 27, 5) << 8 | bits(w, 12, 3));
    case Form::frr_rm:
    case Form::fr_rm:
    case Form::f2x_rm:
    case Form::x2f_rm:
      return static_cast<std::int32_t>(bits(w, 12, 3));
    default:
      return 0;
  }
}

/// The form has an rs1 (rs2) field; where it has none the Inst says 0, so that equal meanings compare equal.
bool has_rs1(Form form) { return form != Form::none && form != Form::u && form != Form::jal; }
bool has_rs2(Form form) {
  switch (form) {
    case Form::r:
    case Form::branch:
    case Form::store:
    case Form::fstore:
    case Form::frr:
    case Form::frr_rm:
    case Form::fr4:
    case Form::fcmp:
    case Form::send:
      return true;
    default:
      return false;
  }
}

}  // namespace

Inst decode(std::uint32_t word) {
  const std::uint32_t major = word & 0x7f;
  for (unsigned i = 0; i < kBuckets.count[major]; ++i) {
    const Op op = static_cast<Op>(kBuckets.rows[major][i]);
    const OpInfo& info = op_info(op);
    if ((word & info.mask) != info.match) continue;
    const std::uint32_t rm = bits(word, 12, 3);
    if (has_rm(info.form) && (rm == 5 || rm == 6)) break;
    if ((info.form == Form::csr || info.form == Form::csri) && !csr::exists(bits(word, 20, 12))) break;
    Inst inst;
    inst.op = op;
    if (writes_x(info.form) || writes_f(info.form)) inst.rd = static_cast<std::uint8_t>(bits(word, 7, 5));
    if (!writes_f(info.form) && inst.rd == 0) inst.rd = kSinkReg;
    if (has_rs1(info.form)) inst.rs1 = static_cast<std::uint8_t>(bits(word, 15, 5));
    if (has_rs2(info.form)) inst.rs2 = static_cast<std::uint8_t>(bits(word, 20, 5));
    inst.imm = immediate(info.form, word);
    return inst;
  }
  Inst illegal;
  illegal.imm = static_cast<std::int32_t>(word);
  return illegal;
}

}  // namespace polyloom::overlay
