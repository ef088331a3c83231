// SPDX-License-Identifier: Apache-2.0
// Covers: the reference interpreter's control flow, memory, CSR and Send paths, and every fault with its
// values and with nothing changed. Leaves out: what single instructions compute (exec_test.cc, fp_*_test.cc),
// long random sequences (qemu_test.cc).
#include "roles/overlay/sim/isa/reference.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <utility>
#include <vector>

namespace polyloom::overlay {
namespace {

constexpr std::uint32_t kBase = 0x1000;

class Recorder : public FlatMemory {
 public:
  Recorder() : FlatMemory(kBase, 4096) {}
  std::uint32_t access_csr(Op op, const CsrAccess& access) override {
    csrs.emplace_back(op, access);
    return 0xabcd;
  }
  void send(std::uint32_t high, std::uint32_t low) override { sends.emplace_back(high, low); }

  std::vector<std::pair<Op, CsrAccess>> csrs;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> sends;
};

struct Machine {
  Recorder environment;
  Hart hart;
  Machine(std::initializer_list<std::uint32_t> code) {
    std::uint32_t addr = kBase;
    for (const std::uint32_t word : code) environment.word(addr) = word, addr += 4;
    hart.pc = kBase;
    hart.x[2] = kBase + 0x800;
  }
};

TEST(Reference, LoopSumsAnArray) {
  Machine m{
      0x00010593,  // addi a1, sp, 0
      0x00500613,  // addi a2, zero, 5
      0x0005a683,  // lw   a3, 0(a1)
      0x00d50533,  // add  a0, a0, a3
      0x00458593,  // addi a1, a1, 4
      0xfff60613,  // addi a2, a2, -1
      0xfe0618e3,  // bne  a2, zero, -16
      0x00a12023,  // sw   a0, 0(sp)
      0x00100073,  // ebreak
  };
  for (std::uint32_t i = 0; i < 5; ++i) m.environment.word(kBase + 0x800 + 4 * i) = 10 + i;
  const auto fault = run(m.hart, m.environment, 1000);
  ASSERT_TRUE(fault);
  EXPECT_EQ(*fault, (Fault{FaultCause::breakpoint, kBase + 32, kBase + 32}));
  EXPECT_EQ(m.environment.word(kBase + 0x800), 60u);
  EXPECT_EQ(m.hart.instret, 2u + 5 * 5 + 1);
  EXPECT_EQ(m.hart.x[0], 0u);
}

TEST(Reference, CallAndReturn) {
  Machine m{
      0x00c000ef,  // jal  ra, +12
      0x00100513,  // addi a0, zero, 1
      0x00000073,  // ecall
      0x00700893,  // addi a7, zero, 7
      0x00008067,  // jalr zero, 0(ra)
  };
  EXPECT_EQ(run(m.hart, m.environment, 100), (Fault{FaultCause::environment_call, kBase + 8, 7}));
  EXPECT_EQ(m.hart.x[1], kBase + 4);
  EXPECT_EQ(m.hart.x[10], 1u);
  EXPECT_EQ(m.hart.x[0], 0u);
}

TEST(Reference, JalrReadsItsBaseBeforeItLinks) {
  Machine m{0x004080e7};  // jalr ra, 4(ra)
  m.hart.x[1] = kBase + 0x100;
  EXPECT_FALSE(step(m.hart, m.environment));
  EXPECT_EQ(m.hart.pc, kBase + 0x104);
  EXPECT_EQ(m.hart.x[1], kBase + 4);
}

TEST(Reference, BytesAndFloatsInMemory) {
  Machine m{
      0x00b100a3,  // sb a1, 1(sp)
      0x00b11123,  // sh a1, 2(sp)
      0x00012087,  // flw ft1, 0(sp)
      0x00112227,  // fsw ft1, 4(sp)
      0x00310503,  // lb a0, 3(sp)
  };
  m.hart.x[11] = 0xffff9280;
  m.environment.word(kBase + 0x800) = 0x11111111;
  EXPECT_FALSE(run(m.hart, m.environment, 5));
  EXPECT_EQ(m.environment.word(kBase + 0x804), 0x92808011u);
  EXPECT_EQ(m.hart.x[10], 0xffffff92u);
}

TEST(Reference, CustomCsrsAndSendReachTheEnvironment) {
  Machine m{
      0x80631573,  // csrrw a0, 0x806, t1
      0x80731073,  // csrrw zero, 0x807, t1
      0x00b50008,  // send a0, a1
  };
  m.hart.x[6] = 3;
  m.hart.x[11] = 9;
  EXPECT_FALSE(run(m.hart, m.environment, 3));
  ASSERT_EQ(m.environment.csrs.size(), 2u);
  EXPECT_EQ(m.environment.csrs[0].second.operand, 3u);
  EXPECT_FALSE(m.environment.csrs[1].second.reads);
  EXPECT_EQ(m.hart.x[10], 0xabcdu);
  EXPECT_EQ(m.environment.sends, (std::vector<std::pair<std::uint32_t, std::uint32_t>>{{0xabcd, 9}}));
}

struct FaultCase {
  std::uint32_t word;
  std::uint32_t a1;
  FaultCause cause;
  std::uint32_t value;
};

TEST(Reference, FaultsChangeNothing) {
  const FaultCase cases[] = {
      {0x0015a503, kBase, FaultCause::misaligned_load, kBase + 1},       // lw a0, 1(a1)
      {0x00259503, kBase + 1, FaultCause::misaligned_load, kBase + 3},   // lh a0, 2(a1)
      {0x0025a507, kBase, FaultCause::misaligned_load, kBase + 2},       // flw fa0, 2(a1)
      {0x00a5a023, kBase + 2, FaultCause::misaligned_store, kBase + 2},  // sw a0, 0(a1)
      {0x00a59023, kBase + 1, FaultCause::misaligned_store, kBase + 1},  // sh a0, 0(a1)
      {0x00a5a027, kBase + 1, FaultCause::misaligned_store, kBase + 1},  // fsw fa0, 0(a1)
      {0x0005a503, 0, FaultCause::bad_load, 0},                          // lw a0, 0(a1)
      {0x0005c503, kBase + 4096, FaultCause::bad_load, kBase + 4096},    // lbu a0, 0(a1)
      {0x00a58023, 0xffffffff, FaultCause::bad_store, 0xffffffff},       // sb a0, 0(a1)
      {0x00058567, kBase + 2, FaultCause::misaligned_jump, kBase + 2},   // jalr a0, 0(a1)
      {0x0020056f, 0, FaultCause::misaligned_jump, kBase + 2},           // jal a0, +2
      {0x00000163, 0, FaultCause::misaligned_jump, kBase + 2},           // beq zero, zero, +2
      {0x00000000, 0, FaultCause::illegal_instruction, 0},
      {0x30200073, 0, FaultCause::illegal_instruction, 0x30200073},  // mret
      {0x00100073, 0, FaultCause::breakpoint, kBase},
      {0x00000073, 0, FaultCause::environment_call, 0},
  };
  for (const FaultCase& c : cases) {
    Machine m{c.word};
    m.hart.x[11] = c.a1;
    m.hart.x[10] = 0x77;
    const Hart before = m.hart;
    const auto fault = step(m.hart, m.environment);
    ASSERT_TRUE(fault) << disassemble(c.word, kBase);
    EXPECT_EQ(*fault, (Fault{c.cause, kBase, c.value})) << disassemble(c.word, kBase);
    EXPECT_TRUE(m.hart.same_state(before)) << disassemble(c.word, kBase);
    EXPECT_EQ(m.hart.instret, 0u);
    EXPECT_GT(std::string(fault_name(c.cause)).size(), 3u);
  }
}

TEST(Reference, ReservedDynamicRoundingIsIllegal) {
  Machine m{0x00c5f553};  // fadd.s fa0, fa1, fa2, dyn
  m.hart.fcsr = 5 << 5;
  EXPECT_EQ(step(m.hart, m.environment), (Fault{FaultCause::illegal_instruction, kBase, 0x00c5f553}));
  m.hart.fcsr = 4 << 5;
  EXPECT_FALSE(step(m.hart, m.environment));
}

TEST(Reference, UntakenBranchesMayNameAnyTarget) {
  Machine m{0x00001163};  // bne zero, zero, +2
  EXPECT_FALSE(step(m.hart, m.environment));
  EXPECT_EQ(m.hart.pc, kBase + 4);
}

TEST(Reference, FetchFaults) {
  Machine m{};
  m.hart.pc = kBase + 4096;
  EXPECT_EQ(step(m.hart, m.environment), (Fault{FaultCause::bad_fetch, kBase + 4096, kBase + 4096}));
  m.hart.pc = kBase + 2;
  EXPECT_EQ(step(m.hart, m.environment), (Fault{FaultCause::misaligned_jump, kBase + 2, kBase + 2}));
}

}  // namespace
}  // namespace polyloom::overlay
