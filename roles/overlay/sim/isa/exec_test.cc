// SPDX-License-Identifier: Apache-2.0
// Covers: exec.h instruction by instruction, with values from the ISA manual's definitions: integer,
// branches, jumps, multiply and divide with their special cases, load and store lanes, CSR rules,
// rounding-mode selection. Leaves out: results of floating-point arithmetic (fp_*_test.cc), sequences
// (reference_test.cc, qemu_test.cc).
#include "roles/overlay/sim/isa/exec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace polyloom::overlay {
namespace {

struct Case {
  Op op;
  std::uint32_t a, b, expected;
};

TEST(Exec, Alu) {
  const Case cases[] = {
      {Op::lui, 7, 0x12345000, 0x12345000},
      {Op::auipc, 0x240, 0xfffff000, 0xfffff240},
      {Op::add, 0xffffffff, 2, 1},
      {Op::addi, 0x7fffffff, 1, 0x80000000},
      {Op::sub, 0, 1, 0xffffffff},
      {Op::slt, 0x80000000, 0x7fffffff, 1},
      {Op::slt, 5, 5, 0},
      {Op::slti, 0xffffffff, 0, 1},
      {Op::sltu, 0x80000000, 0x7fffffff, 0},
      {Op::sltu, 0, 0xffffffff, 1},
      {Op::sltiu, 5, 0xffffffff, 1},
      {Op::xor_, 0xff00ff00, 0x0ff00ff0, 0xf0f0f0f0},
      {Op::xori, 0x00ff00ff, 0xffffffff, 0xff00ff00},
      {Op::or_, 0xff00ff00, 0x0ff00ff0, 0xfff0fff0},
      {Op::ori, 0x80000000, 1, 0x80000001},
      {Op::and_, 0xff00ff00, 0x0ff00ff0, 0x0f000f00},
      {Op::andi, 0x12345678, 0xff, 0x78},
      {Op::sll, 1, 31, 0x80000000},
      {Op::sll, 3, 33, 6},  // shift amounts count modulo 32
      {Op::slli, 1, 4, 16},
      {Op::srl, 0x80000000, 31, 1},
      {Op::srl, 0x80000000, 32, 0x80000000},
      {Op::srli, 0x80000000, 4, 0x08000000},
      {Op::sra, 0x80000000, 31, 0xffffffff},
      {Op::sra, 0x40000000, 30, 1},
      {Op::srai, 0x80000000, 4, 0xf8000000},
  };
  for (const Case& c : cases)
    EXPECT_EQ(alu(c.op, c.a, c.b), c.expected) << op_info(c.op).text << std::hex << " " << c.a;
}

TEST(Exec, AluReadsItsOperands) {
  std::array<std::uint32_t, kNumXRegs> x{};
  x[1] = 100;
  x[2] = 3;
  execute_alu(Op::sub, Inst{Op::sub, 5, 1, 2, 0}, 0, x.data());
  EXPECT_EQ(x[5], 97u);
  execute_alu(Op::addi, Inst{Op::addi, 5, 1, 0, -1}, 0, x.data());
  EXPECT_EQ(x[5], 99u);
  execute_alu(Op::auipc, Inst{Op::auipc, 5, 0, 0, 0x1000}, 0x20, x.data());
  EXPECT_EQ(x[5], 0x1020u);
  const auto before = x;
  execute_alu(Op::fence, decode(0x0ff0000f), 0, x.data());
  EXPECT_EQ(x, before);
}

TEST(Exec, Branches) {
  struct Row {
    std::uint32_t a, b;
    bool eq, lt, ltu;
  };
  for (const Row& r : {Row{1, 1, true, false, false}, Row{0xffffffff, 1, false, true, false},
                       Row{1, 0xffffffff, false, false, true},
                       Row{0x80000000, 0x7fffffff, false, true, false}, Row{2, 3, false, true, true}}) {
    EXPECT_EQ(branch_taken(Op::beq, r.a, r.b), r.eq);
    EXPECT_EQ(branch_taken(Op::bne, r.a, r.b), !r.eq);
    EXPECT_EQ(branch_taken(Op::blt, r.a, r.b), r.lt);
    EXPECT_EQ(branch_taken(Op::bge, r.a, r.b), !r.lt);
    EXPECT_EQ(branch_taken(Op::bltu, r.a, r.b), r.ltu);
    EXPECT_EQ(branch_taken(Op::bgeu, r.a, r.b), !r.ltu);
  }
  EXPECT_EQ(jump_target(Op::jal, 0x100, 0x5555, -4), 0xfcu);
  EXPECT_EQ(jump_target(Op::beq, 0x100, 0x5555, 8), 0x108u);
  EXPECT_EQ(jump_target(Op::jalr, 0x100, 0x200, 3), 0x202u);  // bit 0 is cleared, bit 1 is not
}

TEST(Exec, MultiplyAndDivide) {
  const std::uint32_t min = 0x80000000, minus = 0xffffffff;
  const Case products[] = {
      {Op::mul, minus, minus, 1},    {Op::mul, 0x10000, 0x10000, 0},
      {Op::mulh, minus, minus, 0},   {Op::mulh, min, min, 0x40000000},
      {Op::mulh, minus, 1, minus},   {Op::mulhu, minus, minus, 0xfffffffe},
      {Op::mulhu, min, 2, 1},        {Op::mulhsu, minus, minus, minus},
      {Op::mulhsu, min, minus, min}, {Op::mulhsu, 2, minus, 1},
  };
  for (const Case& c : products) EXPECT_EQ(multiply(c.op, c.a, c.b), c.expected) << op_info(c.op).text;
  const Case quotients[] = {
      {Op::div, 20, 6, 3},
      {Op::div, minus - 19, 6, minus - 2},
      {Op::div, 20, minus - 5, minus - 2},
      {Op::div, min, minus, min},
      {Op::div, 7, 0, minus},
      {Op::div, min, 0, minus},
      {Op::divu, minus, 2, 0x7fffffff},
      {Op::divu, min, minus, 0},
      {Op::divu, 0, 0, minus},
      {Op::rem, 20, 6, 2},
      {Op::rem, minus - 19, 6, minus - 1},
      {Op::rem, 20, minus - 5, 2},
      {Op::rem, min, minus, 0},
      {Op::rem, minus - 6, 0, minus - 6},
      {Op::remu, minus, 16, 15},
      {Op::remu, min, minus, min},
      {Op::remu, 9, 0, 9},
  };
  for (const Case& c : quotients) EXPECT_EQ(divide(c.op, c.a, c.b), c.expected) << op_info(c.op).text;
}

TEST(Exec, LoadsAndStores) {
  const std::uint32_t word = 0x83f27f81;
  const Case loads[] = {
      {Op::lb, word, 0, 0xffffff81}, {Op::lb, word, 1, 0x7f},    {Op::lb, word, 3, 0xffffff83},
      {Op::lbu, word, 0, 0x81},      {Op::lbu, word, 7, 0x83},   {Op::lh, word, 0, 0x7f81},
      {Op::lh, word, 2, 0xffff83f2}, {Op::lhu, word, 2, 0x83f2}, {Op::lw, word, 4, word},
      {Op::flw, word, 0, word},
  };
  for (const Case& c : loads)
    EXPECT_EQ(load_value(c.op, c.a, c.b), c.expected) << op_info(c.op).text << " " << c.b;
  const auto stored = [&](Op op, std::uint32_t addr) {
    return merge_bytes(word, store_lanes(0x11223344, addr), store_byte_enable(op, addr));
  };
  EXPECT_EQ(stored(Op::sb, 0), 0x83f27f44u);
  EXPECT_EQ(stored(Op::sb, 3), 0x44f27f81u);
  EXPECT_EQ(stored(Op::sh, 0), 0x83f23344u);
  EXPECT_EQ(stored(Op::sh, 2), 0x33447f81u);
  EXPECT_EQ(stored(Op::sw, 8), 0x11223344u);
  EXPECT_EQ(stored(Op::fsw, 8), 0x11223344u);
  EXPECT_EQ(access_size(Op::lhu), 2u);
  EXPECT_EQ(access_size(Op::sb), 1u);
  EXPECT_EQ(access_size(Op::fsw), 4u);
}

TEST(Exec, CsrAccessRules) {
  std::array<std::uint32_t, kNumXRegs> x{};
  x[6] = 0x55;
  const auto access = [&](std::uint32_t word) {
    const Inst in = decode(word);
    return csr_access(in.op, in, x.data());
  };
  const CsrAccess swap = access(0x80631573);  // csrrw a0, 0x806, t1
  EXPECT_TRUE(swap.reads && swap.writes);
  EXPECT_EQ(swap.number, 0x806u);
  EXPECT_EQ(swap.operand, 0x55u);
  const CsrAccess write_only = access(0x80631073);  // csrrw zero, 0x806, t1
  EXPECT_TRUE(!write_only.reads && write_only.writes);
  const CsrAccess zero_write = access(0xc0001573);  // csrrw a0, 0xc00, zero: writes zero
  EXPECT_TRUE(zero_write.reads && zero_write.writes);
  EXPECT_EQ(zero_write.operand, 0u);
  const CsrAccess read_only = access(0xc0002573);  // csrrs a0, 0xc00, zero
  EXPECT_TRUE(read_only.reads && !read_only.writes);
  const CsrAccess immediate = access(0x80635573);  // csrrwi a0, 0x806, 6
  EXPECT_EQ(immediate.operand, 6u);
  const CsrAccess clear_none = access(0x80607573);  // csrrci a0, 0x806, 0
  EXPECT_FALSE(clear_none.writes);
  EXPECT_EQ(csr_update(Op::csrrs, 0xc, 0x5), 0xdu);
  EXPECT_EQ(csr_update(Op::csrrc, 0xc, 0x5), 0x8u);
  EXPECT_EQ(csr_update(Op::csrrwi, 0xc, 0x5), 0x5u);
}

TEST(Exec, FloatingPointCsrs) {
  std::array<std::uint32_t, kNumXRegs> x{};
  std::uint32_t fcsr = 0;
  const auto execute = [&](std::uint32_t word) {
    execute_fp_csr(decode(word), x.data(), fcsr);
    return x[10];
  };
  x[6] = 0xffffffff;
  EXPECT_EQ(execute(0x00331573), 0u);  // csrrw a0, fcsr, t1: eight bits stay
  EXPECT_EQ(fcsr, 0xffu);
  EXPECT_EQ(execute(0x0021d573), 7u);  // csrrwi a0, frm, 3
  EXPECT_EQ(fcsr, 0x7fu);
  EXPECT_EQ(execute(0x00127573), 0x1fu);  // csrrci a0, fflags, 4
  EXPECT_EQ(fcsr, 0x7bu);
  EXPECT_EQ(execute(0x00102573), 0x1bu);                // csrrs a0, fflags, zero
  EXPECT_EQ(execute(0x0000d073 | 0x002 << 20), 0x1bu);  // csrrwi zero, frm, 1: a0 keeps its value
  EXPECT_EQ(fcsr, 0x3bu);
}

TEST(Exec, RoundingModes) {
  std::array<std::uint32_t, kNumXRegs> x{};
  std::array<std::uint32_t, 32> f{};
  f[1] = 0x40200000;  // 2.5
  const auto to_integer = [&](std::uint32_t word, std::uint32_t frm) {
    std::uint32_t fcsr = frm << 5;
    const Inst in = decode(word);
    EXPECT_TRUE(execute_fp(in.op, in, x.data(), f.data(), fcsr));
    EXPECT_EQ(fcsr, frm << 5 | fp::kNX);
    return x[10];
  };
  const std::uint32_t convert = 0xc0008553;  // fcvt.w.s a0, ft1, rne
  const std::uint32_t expected[] = {2, 2, 2, 3, 3};
  for (std::uint32_t mode = 0; mode < 5; ++mode) {
    EXPECT_EQ(to_integer(convert | mode << 12, 3 - mode / 2), expected[mode]);
    EXPECT_EQ(to_integer(convert | 7 << 12, mode), expected[mode]);
  }
  for (std::uint32_t reserved = 5; reserved < 8; ++reserved) {
    std::uint32_t fcsr = reserved << 5;
    const Inst dynamic = decode(convert | 7 << 12);
    EXPECT_FALSE(execute_fp(dynamic.op, dynamic, x.data(), f.data(), fcsr));
    EXPECT_EQ(fcsr, reserved << 5);
    const Inst moves = decode(0xe0008553);  // fmv.x.w a0, ft1: no rounding, so no objection
    EXPECT_TRUE(execute_fp(moves.op, moves, x.data(), f.data(), fcsr));
    EXPECT_EQ(x[10], f[1]);
  }
}

TEST(Exec, AnIntegerInstructionIsNoFloatingPoint) {
  std::array<std::uint32_t, kNumXRegs> x{};
  std::array<std::uint32_t, 32> f{};
  std::uint32_t fcsr = 0;
  const Inst add = decode(0x00c58533);  // add a0, a1, a2
  EXPECT_FALSE(execute_fp(add.op, add, x.data(), f.data(), fcsr));
}

TEST(Exec, FloatingPointOperandsAndRegisterFiles) {
  std::array<std::uint32_t, kNumXRegs> x{};
  std::array<std::uint32_t, 32> f{};
  std::uint32_t fcsr = 0;
  f[1] = 0x40400000;  // 3
  f[2] = 0x40000000;  // 2
  f[3] = 0x40a00000;  // 5
  x[4] = 0xfffffff8;  // -8
  const auto run = [&](const Inst& in) { ASSERT_TRUE(execute_fp(in.op, in, x.data(), f.data(), fcsr)); };
  const auto f_result = [&](Op op, std::uint8_t rs1, std::int32_t imm = 3 << 8) {
    run(Inst{op, 0, rs1, 2, imm});
    return f[0];
  };
  const auto x_result = [&](Op op) {
    run(Inst{op, 10, 1, 2, 0});
    return x[10];
  };
  EXPECT_EQ(f_result(Op::fadd_s, 1), 0x40a00000u);    // 5
  EXPECT_EQ(f_result(Op::fsub_s, 1), 0x3f800000u);    // 1
  EXPECT_EQ(f_result(Op::fmul_s, 1), 0x40c00000u);    // 6
  EXPECT_EQ(f_result(Op::fdiv_s, 1), 0x3fc00000u);    // 1.5
  EXPECT_EQ(f_result(Op::fmadd_s, 1), 0x41300000u);   // 3 * 2 + 5 = 11
  EXPECT_EQ(f_result(Op::fmsub_s, 1), 0x3f800000u);   // 3 * 2 - 5 = 1
  EXPECT_EQ(f_result(Op::fnmsub_s, 1), 0xbf800000u);  // -(3 * 2) + 5 = -1
  EXPECT_EQ(f_result(Op::fnmadd_s, 1), 0xc1300000u);  // -(3 * 2) - 5 = -11
  EXPECT_EQ(f_result(Op::fmin_s, 1), f[2]);
  EXPECT_EQ(f_result(Op::fmax_s, 1), f[1]);
  EXPECT_EQ(f_result(Op::fsgnjn_s, 1), 0xc0400000u);
  EXPECT_EQ(f_result(Op::fcvt_s_w, 4), 0xc1000000u);   // -8
  EXPECT_EQ(f_result(Op::fcvt_s_wu, 4), 0x4f800000u);  // 2^32 - 8 rounds to 2^32
  EXPECT_EQ(f_result(Op::fmv_w_x, 4), 0xfffffff8u);
  EXPECT_EQ(x_result(Op::feq_s), 0u);
  EXPECT_EQ(x_result(Op::flt_s), 0u);
  EXPECT_EQ(x_result(Op::fle_s), 0u);
  EXPECT_EQ(x_result(Op::fclass_s), 1u << 6);
  EXPECT_EQ(x_result(Op::fcvt_w_s), 3u);
  EXPECT_EQ(x_result(Op::fcvt_wu_s), 3u);
  f[7] = 0x41100000;  // 9
  EXPECT_EQ(f_result(Op::fsqrt_s, 7, 0), 0x40400000u);
  EXPECT_EQ(fcsr, fp::kNX);  // of fcvt.s.wu alone
}

}  // namespace
}  // namespace polyloom::overlay
