// SPDX-License-Identifier: Apache-2.0
// Covers: every CSR, Send, thread creation, instruction patching; every cause of a fault and what it stops.
// Leaves out: combinations, which lockstep_test.cc draws at random.
#include <gtest/gtest.h>

#include <functional>

#include "roles/overlay/sim/tile/test_asm.h"
#include "roles/overlay/sim/tile/test_world.h"

namespace polyloom::overlay::test {
namespace {

// ----- CSRs -----

/// Runs one thread to its end and gives its registers.
std::vector<std::uint32_t> run_one(const Asm& a, Log* log = nullptr,
                                   const std::function<void(World<Tile>&)>& set = {}) {
  World<Tile> w(one_tile(), {}, 0x1240);
  w.load(a.words);
  if (set) set(w);
  w.tile.start_thread(0, 0, 0, 0);
  EXPECT_TRUE(w.finish(100'000));
  EXPECT_TRUE(w.board.faults.empty());
  if (log != nullptr) *log = w.log;
  std::vector<std::uint32_t> x;
  for (unsigned r = 0; r < 32; ++r) x.push_back(w.tile.thread_reg(0, r));
  return x;
}

TEST(TileCsr, FloatingPointStateFollowsTheStandard) {
  Asm a;
  a.csr_op(Op::csrrwi, 0, csr::frm, 1);  // toward zero
  a.i(Op::addi, 5, 0, 1);
  a.i(Op::addi, 6, 0, 3);
  a.fp(Op::fcvt_s_w, 1, 5);
  a.fp(Op::fcvt_s_w, 2, 6);
  a.fp(Op::fdiv_s, 3, 1, 2);  // 1/3 = 0x3eaaaaaa|aaa...: toward zero ...aaaa, nearest ...aaab
  a.fp(Op::fmv_x_w, 10, 3, 0, 0);
  a.fp(Op::fdiv_s, 3, 1, 2, 0);
  a.fp(Op::fmv_x_w, 11, 3, 0, 0);
  a.csr_op(Op::csrrs, 12, csr::fcsr, 0);
  a.csr_op(Op::csrrci, 13, csr::fflags, 1);
  a.csrrw(14, csr::fflags, 0);
  a.kill();
  const auto x = run_one(a);
  EXPECT_EQ(x[10], 0x3eaaaaaau);
  EXPECT_EQ(x[11], 0x3eaaaaabu);
  EXPECT_EQ(x[12], 0x21u);  // frm 1, inexact
  EXPECT_EQ(x[13], 1u);
  EXPECT_EQ(x[14], 0u);
}

TEST(TileCsr, IdentityCountersAndWriteOnlyNumbers) {
  Asm a;
  a.csrrw(10, csr::hart_id, 0);
  a.i(Op::addi, 11, 0, 9);
  a.csrrw(11, csr::send_dest, 10);
  a.csrrw(12, csr::cycle_u, 0);
  a.csrrw(13, csr::prog_router_sent, 0);
  a.csrrw(14, csr::prog_router_sent_inter, 0);
  a.csrrw(15, csr::cpu_idle_count, 0);
  a.kill();
  const auto x = run_one(a);
  EXPECT_EQ(x[10], 0x1240u);
  EXPECT_EQ(x[11], 0u);
  EXPECT_EQ(x[12], 0u);
  EXPECT_EQ(x[13], 40u);
  EXPECT_EQ(x[14], 7u);
  EXPECT_EQ(x[15], 6u * 7);  // six instructions before it, seven idle cycles each
}

TEST(TileCsr, PerfCountResetsStopsAndStarts) {
  Asm a;
  a.i(Op::addi, 5, 0, 1);
  a.i(Op::addi, 6, 0, 2);
  a.csrrw(0, csr::perf_count, 0);  // reset at 16
  a.csrrw(10, csr::cycle, 0);      // 24: 8
  a.csrrw(0, csr::perf_count, 6);  // stop at 32: 16
  a.csrrw(11, csr::cycle, 0);
  a.csrrw(0, csr::perf_count, 5);       // start at 48
  a.csrrw(12, csr::cycle, 0);           // 56: 16 + 8
  a.csrrw(13, csr::cpu_idle_count, 0);  // 64: of 16 + 16 cycles, 4 issued
  a.kill();
  const auto x = run_one(a);
  EXPECT_EQ(x[10], 8u);
  EXPECT_EQ(x[11], 16u);
  EXPECT_EQ(x[12], 24u);
  EXPECT_EQ(x[13], 28u);
}

TEST(TileCsr, CacheCounters) {
  Asm a;
  a.u_type(Op::lui, 8, 0x02000000);
  a.load(Op::lw, 9, 0, 8);   // miss
  a.store(Op::sw, 9, 4, 8);  // two hits
  a.store(Op::sw, 9, 8, 8);
  a.csrrw(0, csr::flush, 0);  // set 0, way 0 .. 15: one of them holds the line
  for (unsigned way = 1; way < 16; ++way) {
    a.i(Op::addi, 5, 0, static_cast<std::int32_t>(way));
    a.csrrw(0, csr::flush, 5);
  }
  a.csrrw(10, csr::miss_count, 0);
  a.csrrw(11, csr::hit_count, 0);
  a.csrrw(12, csr::writeback_count, 0);
  a.load(Op::lw, 13, 4, 8);
  a.csrrw(14, csr::miss_count, 0);
  a.kill();
  const auto x = run_one(a);
  EXPECT_EQ(x[10], 1u);
  EXPECT_EQ(x[11], 2u);
  EXPECT_EQ(x[12], 1u);
  EXPECT_EQ(x[13], 0u);
  EXPECT_EQ(x[14], 2u);
}

TEST(TileCsr, UartAndEmit) {
  Asm a;
  a.csrrw(10, csr::from_uart, 0);
  a.csrrw(11, csr::from_uart, 0);
  a.csrrw(12, csr::from_uart, 0);
  a.i(Op::addi, 5, 0, 'p');
  a.csrrw(13, csr::to_uart, 5);  // cycle 32: the board of the test refuses before cycle 64
  for (int i = 0; i < 4; ++i) a.i(Op::addi, 6, 6, 1);
  a.csrrw(14, csr::to_uart, 5);  // cycle 72
  a.csrrw(0, csr::emit, 5);
  a.kill();
  Log log;
  const auto x = run_one(a, &log, [](World<Tile>& w) {
    EXPECT_TRUE(w.tile.uart_in(0, 0, 0x41));
    EXPECT_FALSE(w.tile.uart_in(0, 0, 0x42)) << "the one before has not been read";
  });
  EXPECT_EQ(x[10], 0x141u);
  EXPECT_EQ(x[11], 0u);
  EXPECT_EQ(x[12], 0u);
  EXPECT_EQ(x[13], 0u);
  EXPECT_EQ(x[14], 1u);
  EXPECT_EQ(log,
            (Log{"0 uart read 4672", "32 uart refused 4672 112", "72 uart 4672 112", "80 emit 4672 112"}));
}

TEST(TileCsr, SendReceiveFreeAndWait) {
  Asm a;
  a.u_type(Op::lui, 9, 0x8000);
  a.i(Op::addi, 5, 0, 77);
  a.store(Op::sw, 5, 16, 9);
  a.i(Op::addi, 6, 0, 1);
  a.csrrw(0, csr::send_len, 6);  // two flits
  a.csrrw(0, csr::send_ptr, 9);
  a.li(7, 0x1234);
  a.csrrw(0, csr::send_dest, 7);
  a.csrrw(12, csr::can_recv, 0);
  a.send(0, 6);
  a.csrrw(13, csr::can_send, 0);
  a.i(Op::addi, 6, 0, 3);
  a.csrrw(14, csr::wait_until, 6);
  a.csrrw(15, csr::can_send, 0);
  a.csrrw(16, csr::recv, 0);
  a.load(Op::lw, 17, 16, 16);
  a.csrrw(0, csr::free, 16);
  a.kill();
  Log log;
  const auto x = run_one(a, &log);
  EXPECT_EQ(x[12], 0u);
  EXPECT_EQ(x[13], 0u);
  EXPECT_EQ(x[14], 3u);
  EXPECT_EQ(x[15], 1u);
  EXPECT_EQ(x[16], 0x8000u + 128 * 64);
  EXPECT_EQ(x[17], 77u);
  ASSERT_EQ(log.size(), 4u);
  // Ten instructions before the send take eight cycles each, the store two more.
  EXPECT_EQ(log[0], "82 send 0 4660 1 32768 2");
}

TEST(TileCsr, PatchedInstructionAndNewThread) {
  // Thread 0 writes an instruction that thread 5 of the same core then executes from address 0.
  Asm body;
  body.i(Op::addi, 20, 0, 123);
  Asm a;
  const auto main = a.branch_forward(Op::beq, 20, 0);  // registers are zero after reset
  a.kill();
  a.land(main);
  a.none(Op::fence);  // patched: addi x20, x0, 123
  a.csrrw(10, csr::cycle, 0);
  a.csrrw(5, csr::hart_id, 0);
  a.i(Op::andi, 5, 5, 15);
  const auto other = a.branch_forward(Op::bne, 5, 0);
  a.i(Op::addi, 6, 0, 2);
  a.csrrw(0, csr::instr_addr, 6);
  a.li(7, body.words[0]);
  a.csrrw(0, csr::instr, 7);
  a.i(Op::addi, 8, 0, 5);
  a.csrrw(11, csr::cycle, 0);
  a.csrrw(0, csr::new_thread, 8);
  a.land(other);
  a.kill();
  World<Tile> w(one_tile());
  w.load(a.words);
  w.tile.start_thread(0, 0, 0, 0);
  ASSERT_TRUE(w.finish(1000));
  EXPECT_EQ(w.tile.thread_reg(0, 20), 0u);
  EXPECT_EQ(w.tile.thread_reg(5, 20), 123u);
  EXPECT_EQ(w.tile.read_instr(0, 2), body.words[0]);
  EXPECT_NE(w.tile.read_instr(1, 2), body.words[0]);
  // The creation issues eight cycles after x11 was read; the new thread's first instruction joins the queue
  // eight cycles later, together with the creator's next, which goes first. Then two instructions until it
  // reads x10.
  EXPECT_EQ(w.tile.thread_reg(5, 10), w.tile.thread_reg(0, 11) + 8 + 8 + 1 + 16);
}

TEST(TileCsr, PatchOfOnePairOfCoresOnly) {
  // The pairs hold the same program; of one, a word is written while a thread of each counts down to it.
  Asm patch;
  patch.i(Op::addi, 20, 0, 123);
  Asm a;
  a.li(5, 20'000);
  const std::uint32_t loop = a.here();
  a.i(Op::addi, 5, 5, -1);
  a.branch(Op::bne, 5, 0, loop);
  const std::uint32_t patched = a.here() / 4;
  a.i(Op::addi, 20, 0, 7);
  a.kill();
  constexpr unsigned kOther = 2 * 16;  // the first thread of core 2
  World<Tile> w(one_tile());
  w.load(a.words);
  const auto start = [&w] { w.tile.start_thread(w.now, 0, 0, 0), w.tile.start_thread(w.now, 2, 0, 0); };
  start();
  w.run(1000);
  w.tile.write_instr(1, patched, patch.words[0]);
  ASSERT_TRUE(w.finish(1'000'000));
  EXPECT_EQ(w.tile.thread_reg(0, 20), 7u);
  EXPECT_EQ(w.tile.thread_reg(kOther, 20), 123u);
  w.tile.write_instr(0, patched, patch.words[0]);
  w.tile.write_instr(1, patched, a.words[patched]);
  start();
  ASSERT_TRUE(w.finish(2'000'000));
  EXPECT_EQ(w.tile.thread_reg(0, 20), 123u);
  EXPECT_EQ(w.tile.thread_reg(kOther, 20), 7u);
}

// ----- faults -----

struct Case {
  const char* name;
  std::function<void(Asm&)> code;
  Fault fault;  ///< pc relative to the instruction
};

TEST(TileFault, StopsTheThreadWithCauseAndPlace) {
  const std::vector<Case> cases = {
      {"null", [](Asm& a) { a.load(Op::lw, 5, 0, 0); }, {FaultCause::bad_load, 0, 0}},
      {"hole",
       [](Asm& a) { a.u_type(Op::lui, 6, 0x90000000), a.store(Op::sb, 5, 1, 6); },
       {FaultCause::bad_store, 4, 0x90000001}},
      {"below SRAM",
       [](Asm& a) { a.u_type(Op::lui, 6, 0x00800000), a.load(Op::lbu, 5, -1, 6); },
       {FaultCause::bad_load, 4, 0x007fffff}},
      {"half",
       [](Asm& a) { a.u_type(Op::lui, 6, 0x02000000), a.load(Op::lh, 5, 1, 6); },
       {FaultCause::misaligned_load, 4, 0x02000001}},
      {"word in scratchpad",
       [](Asm& a) { a.u_type(Op::lui, 6, 0x8000), a.store(Op::sw, 5, 2, 6); },
       {FaultCause::misaligned_store, 4, 0x8002}},
      {"float in a cached line",
       [](Asm& a) { a.u_type(Op::lui, 6, 0x02000000), a.load(Op::flw, 5, 0, 6), a.store(Op::fsw, 5, 3, 6); },
       {FaultCause::misaligned_store, 8, 0x02000003}},
      {"illegal",
       [](Asm& a) { a.words.push_back(0xffffffff); },
       {FaultCause::illegal_instruction, 0, 0xffffffff}},
      {"rdinstret",
       [](Asm& a) { a.csr_op(Op::csrrs, 10, 0xc02, 0); },
       {FaultCause::illegal_instruction, 0, 0xc0202573}},
      {"mscratch", [](Asm& a) { a.csrrw(5, 0x340, 6); }, {FaultCause::illegal_instruction, 0, 0x340312f3}},
      {"zero", [](Asm& a) { a.words.push_back(0); }, {FaultCause::illegal_instruction, 0, 0}},
      {"ecall",
       [](Asm& a) { a.i(Op::addi, 17, 0, 93), a.none(Op::ecall); },
       {FaultCause::environment_call, 4, 93}},
      {"ebreak", [](Asm& a) { a.none(Op::ebreak); }, {FaultCause::breakpoint, 0, 0x10}},
      {"jump off",
       [](Asm& a) { a.u_type(Op::lui, 6, 0x2000), a.jalr(1, 0, 6); },
       {FaultCause::bad_fetch, 0x2000 - 0x10, 0x2000}},
      {"jump misaligned", [](Asm& a) { a.jalr(1, 2, 0); }, {FaultCause::misaligned_jump, 0, 2}},
      {"branch back off",
       [](Asm& a) { a.branch(Op::beq, 0, 0, 0u - 64); },
       {FaultCause::bad_fetch, 0u - 64 - 0x10, 0u - 64}},
      {"reserved rounding",
       [](Asm& a) { a.csr_op(Op::csrrwi, 0, csr::frm, 5), a.fp(Op::fadd_s, 1, 2, 3); },
       {FaultCause::illegal_instruction, 4, 0x0}},
  };
  for (const Case& c : cases) {
    Asm a;
    for (int i = 0; i < 4; ++i) a.i(Op::addi, 20, 20, 1);
    c.code(a);
    World<Tile> w(one_tile());
    w.load(a.words);
    w.tile.start_thread(0, 1, 3, 0);
    ASSERT_TRUE(w.finish(2000)) << c.name;
    ASSERT_EQ(w.board.faults.size(), 1u) << c.name;
    Fault expected = c.fault;
    expected.pc += 0x10;
    if (std::string(c.name) == "reserved rounding") expected.value = a.words.back();
    EXPECT_EQ(w.board.faults[0], expected)
        << c.name << " pc " << w.board.faults[0].pc << " value " << w.board.faults[0].value;
    EXPECT_EQ(w.tile.thread_state(19), ThreadState::faulted);
    EXPECT_EQ(w.tile.thread_pc(19), expected.pc);
    EXPECT_EQ(w.tile.describe(), "1 faulted");
  }
}

TEST(TileFault, OthersGoOn) {
  Asm a;
  a.csrrw(5, csr::hart_id, 0);
  const auto good = a.branch_forward(Op::beq, 5, 0);
  a.none(Op::ebreak);
  a.land(good);
  for (int i = 0; i < 40; ++i) a.i(Op::addi, 6, 6, 1);
  a.kill();
  World<Tile> w(one_tile());
  w.load(a.words);
  start_core(w, 0, 2);
  ASSERT_TRUE(w.finish(1000));
  EXPECT_EQ(w.tile.thread_reg(0, 6), 40u);
  EXPECT_EQ(w.board.faults.size(), 1u);
}

TEST(TileFault, EveryWordOfTheMemoryMayBeExecutedButNotTheNext) {
  BoardParams p = one_tile();
  p.instr_words = 16;
  Asm a;
  for (int i = 0; i < 16; ++i) a.i(Op::addi, 6, 6, 1);
  World<Tile> w(p);
  w.load(a.words);
  w.tile.start_thread(0, 0, 0, 0);
  ASSERT_TRUE(w.finish(1000));
  EXPECT_EQ(w.tile.thread_reg(0, 6), 16u);
  EXPECT_EQ(w.board.faults[0], (Fault{FaultCause::bad_fetch, 64, 64}));
}

}  // namespace
}  // namespace polyloom::overlay::test
