// SPDX-License-Identifier: Apache-2.0
// A small assembler for the programs of tests and of the speed bench: one function an instruction form,
// encodings from the instruction table (isa/opcodes.h).
#pragma once

#include <cstdint>
#include <vector>

#include "roles/overlay/sim/isa/inst.h"

namespace polyloom::overlay::test {

class Asm {
 public:
  std::vector<std::uint32_t> words;

  std::uint32_t here() const { return static_cast<std::uint32_t>(words.size()) * 4; }

  void r(Op op, unsigned rd, unsigned rs1, unsigned rs2) { put(op, rd << 7 | rs1 << 15 | rs2 << 20); }
  /// Floating point with a rounding mode (7 = dynamic); two-operand ones also take r().
  void fp(Op op, unsigned rd, unsigned rs1, unsigned rs2 = 0, unsigned rm = 7) {
    put(op, rd << 7 | rs1 << 15 | rs2 << 20 | rm << 12);
  }
  void fma(Op op, unsigned rd, unsigned rs1, unsigned rs2, unsigned rs3, unsigned rm = 7) {
    put(op, rd << 7 | rs1 << 15 | rs2 << 20 | rs3 << 27 | rm << 12);
  }
  void i(Op op, unsigned rd, unsigned rs1, std::int32_t imm) { put(op, rd << 7 | rs1 << 15 | u(imm) << 20); }
  void u_type(Op op, unsigned rd, std::uint32_t upper) { put(op, rd << 7 | (upper & 0xfffff000u)); }
  void load(Op op, unsigned rd, std::int32_t imm, unsigned rs1) { i(op, rd, rs1, imm); }
  void store(Op op, unsigned rs2, std::int32_t imm, unsigned rs1) {
    put(op, rs1 << 15 | rs2 << 20 | (u(imm) & 31u) << 7 | (u(imm) >> 5 & 127u) << 25);
  }
  void branch(Op op, unsigned rs1, unsigned rs2, std::uint32_t target) {
    put(op, rs1 << 15 | rs2 << 20 | branch_bits(target - here()));
  }
  void jal(unsigned rd, std::uint32_t target) { put(Op::jal, rd << 7 | jal_bits(target - here())); }
  void jalr(unsigned rd, std::int32_t imm, unsigned rs1) { i(Op::jalr, rd, rs1, imm); }
  void csrrw(unsigned rd, unsigned number, unsigned rs1) {
    put(Op::csrrw, rd << 7 | rs1 << 15 | number << 20);
  }
  void csr_op(Op op, unsigned rd, unsigned number, unsigned rs1) {
    put(op, rd << 7 | rs1 << 15 | number << 20);
  }
  void send(unsigned high, unsigned low) { put(Op::send, high << 15 | low << 20); }
  void none(Op op) { put(op, 0); }
  void li(unsigned rd, std::uint32_t value) {
    const std::uint32_t upper = value + 0x800u;
    u_type(Op::lui, rd, upper);
    i(Op::addi, rd, rd, static_cast<std::int32_t>(value << 20) >> 20);
  }
  /// A branch or jump with its target set later.
  std::size_t branch_forward(Op op, unsigned rs1, unsigned rs2) {
    branch(op, rs1, rs2, here());
    return words.size() - 1;
  }
  void land(std::size_t index) {
    const std::uint32_t offset = here() - static_cast<std::uint32_t>(index) * 4;
    words[index] |= decode(words[index]).op == Op::jal ? jal_bits(offset) : branch_bits(offset);
  }
  void kill() { csrrw(0, csr::kill_thread, 0); }

 private:
  static std::uint32_t u(std::int32_t v) { return static_cast<std::uint32_t>(v); }
  static std::uint32_t branch_bits(std::uint32_t o) {
    return (o >> 12 & 1u) << 31 | (o >> 5 & 63u) << 25 | (o >> 1 & 15u) << 8 | (o >> 11 & 1u) << 7;
  }
  static std::uint32_t jal_bits(std::uint32_t o) {
    return (o >> 20 & 1u) << 31 | (o >> 1 & 1023u) << 21 | (o >> 11 & 1u) << 20 | (o >> 12 & 255u) << 12;
  }
  void put(Op op, std::uint32_t fields) { words.push_back(op_info(op).match | fields); }
};

}  // namespace polyloom::overlay::test
