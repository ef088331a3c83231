// SPDX-License-Identifier: Apache-2.0
// Covers: cycle counts worked out by hand from the rules of README.md (issue, latencies, contention, misses),
// every CSR, faults, thread creation, profile, skipping of idle windows. Leaves out: combinations, which
// lockstep_test.cc draws at random.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <numeric>

#include "fabric/error.h"
#include "roles/overlay/sim/tile/test_asm.h"
#include "roles/overlay/sim/tile/test_world.h"

namespace polyloom::overlay::test {
namespace {

Asm endless_additions() {
  Asm a;
  for (unsigned i = 0; i < 5; ++i) a.i(Op::addi, 10 + i, 10 + i, 1);
  a.jal(0, 0);
  return a;
}

void start_core(World<Tile>& w, unsigned core, unsigned threads) {
  for (unsigned t = 0; t < threads; ++t) w.tile.start_thread(t, core, t, 0);
}

/// One instruction a cycle with at least as many threads as pipeline stages; else one a thread every eight
/// cycles.
TEST(Tile, IssueRateFollowsTheNumberOfThreads) {
  for (const unsigned threads : {1u, 4u, 7u, 8u, 12u, 16u}) {
    World<Tile> w(one_tile());
    w.load(endless_additions().words);
    start_core(w, 0, threads);
    w.run(8000);
    // Thread t starts at cycle t; with eight or more, the core is busy from cycle 0 on.
    const std::uint64_t expected = threads >= 8 ? 8000 : 1000 * threads;
    EXPECT_EQ(w.tile.retired(0), expected) << threads;
    EXPECT_EQ(w.tile.idle_cycles(0, 8000), 8000 - expected);
  }
}

TEST(Tile, LongStraightLineCodeTakesEightCyclesAnInstruction) {
  Asm a;
  for (int i = 0; i < 700; ++i) a.i(Op::addi, 10, 10, 1);
  a.csrrw(11, csr::cycle, 0);
  a.kill();
  World<Tile> w(one_tile());
  w.load(a.words);
  w.tile.start_thread(0, 0, 0, 0);
  ASSERT_TRUE(w.finish(10'000));
  EXPECT_EQ(w.tile.thread_reg(0, 10), 700u);
  EXPECT_EQ(w.tile.thread_reg(0, 11), 5600u);
}

/// Cycles from the issue of an instruction to that of the next, on an otherwise idle tile.
Cycle latency_of(const std::function<void(Asm&)>& instruction, const std::function<void(Asm&)>& before = {}) {
  Asm a;
  a.u_type(Op::lui, 8, 0x02000000);
  a.u_type(Op::lui, 9, 0x8000);
  if (before) before(a);
  a.csrrw(10, csr::cycle, 0);
  instruction(a);
  a.csrrw(11, csr::cycle, 0);
  a.kill();
  World<Tile> w(one_tile());
  w.load(a.words);
  w.tile.start_thread(0, 0, 0, 0);
  EXPECT_TRUE(w.finish(10'000));
  return w.tile.thread_reg(0, 11) - w.tile.thread_reg(0, 10) - 8;  // the first read itself takes eight
}

TEST(Tile, LatenciesAreEightPlusTheUnits) {
  const TileTiming t;
  EXPECT_EQ(latency_of([](Asm& a) { a.i(Op::addi, 12, 12, 1); }), 8u);
  EXPECT_EQ(latency_of([](Asm& a) { a.fp(Op::fsgnjx_s, 1, 2, 3, 0); }), 8u);
  EXPECT_EQ(latency_of([](Asm& a) { a.csrrw(12, csr::can_send, 0); }), 8u);
  EXPECT_EQ(latency_of([](Asm& a) { a.r(Op::mulhu, 12, 12, 12); }), 8 + t.mul);
  EXPECT_EQ(latency_of([](Asm& a) { a.r(Op::rem, 12, 12, 8); }), 8 + t.div);
  EXPECT_EQ(latency_of([](Asm& a) { a.fp(Op::fadd_s, 1, 2, 3); }), 8 + t.fp_add);
  EXPECT_EQ(latency_of([](Asm& a) { a.fp(Op::fmul_s, 1, 2, 3); }), 8 + t.fp_mul);
  EXPECT_EQ(latency_of([](Asm& a) { a.fma(Op::fnmsub_s, 1, 2, 3, 4); }), 8 + t.fp_fma);
  EXPECT_EQ(latency_of([](Asm& a) { a.fp(Op::fdiv_s, 1, 2, 3); }), 8 + t.fp_div);
  EXPECT_EQ(latency_of([](Asm& a) { a.fp(Op::fsqrt_s, 1, 2); }), 8 + t.fp_sqrt);
  EXPECT_EQ(latency_of([](Asm& a) { a.fp(Op::flt_s, 12, 2, 3, 1); }), 8 + t.fp_compare);
  EXPECT_EQ(latency_of([](Asm& a) { a.fp(Op::fcvt_s_wu, 1, 12, 1); }), 8 + t.fp_convert);
  EXPECT_EQ(latency_of([](Asm& a) { a.load(Op::lw, 12, 0, 9); }), 8 + t.scratchpad);
  const auto touch = [](Asm& a) { a.load(Op::lw, 13, 0, 8); };
  EXPECT_EQ(latency_of([](Asm& a) { a.load(Op::lw, 12, 28, 8); }, touch), 8 + t.cache_hit);
  EXPECT_EQ(latency_of([](Asm& a) { a.store(Op::sb, 12, 31, 8); }, touch), 8 + t.cache_hit);
  // A miss: to the memory and back, and the channel's own time, which is the same for any first access.
  const Cycle first = latency_of(touch);
  EXPECT_GT(first, 8 + t.to_memory + t.from_memory);
  EXPECT_EQ(latency_of([](Asm& a) { a.load(Op::lw, 13, 0x7e0, 8); }), first);
}

/// Four cores ask for the shared unit in the same cycle: it takes them in turn, core 0 first after reset.
TEST(Tile, SharedUnitTakesOneRequestACycle) {
  for (const bool fpu : {true, false}) {
    Asm a;
    a.u_type(Op::lui, 9, 0x8000);
    fpu ? a.fp(Op::fadd_s, 1, 2, 3) : a.load(Op::lw, 12, 0, 9);
    a.csrrw(11, csr::cycle, 0);
    a.kill();
    World<Tile> w(one_tile());
    w.load(a.words);
    for (unsigned core = 0; core < 4; ++core) w.tile.start_thread(0, core, 0, 0);
    ASSERT_TRUE(w.finish(1000));
    const TileTiming t;
    for (unsigned core = 0; core < 4; ++core) {
      EXPECT_EQ(w.tile.thread_reg(16 * core, 11), 8 + core + 8 + (fpu ? t.fp_add : t.scratchpad));
    }
  }
}

TEST(Tile, FpuServesOneOperationACycleUnderLoad) {
  Asm a;
  for (unsigned i = 0; i < 7; ++i) a.fp(Op::fmul_s, i, i, i);
  a.jal(0, 0);
  World<Tile> w(one_tile());
  w.load(a.words);
  for (unsigned core = 0; core < 4; ++core) start_core(w, core, 16);
  w.run(800);
  const std::uint64_t before = w.tile.totals().fpu_ops;
  w.run(8800);
  EXPECT_EQ(w.tile.totals().fpu_ops - before, 8000u);
}

/// Two threads whose answers arrive in the same cycle join one after the other, the one whose turn it is
/// first.
TEST(Tile, OneResumedThreadJoinsACycle) {
  Asm a;
  a.u_type(Op::lui, 9, 0x8000);
  a.csrrw(5, csr::hart_id, 0);
  const auto other = a.branch_forward(Op::bne, 5, 0);
  a.r(Op::mul, 12, 12, 12);  // thread 0: issues at 24, free again at 24 + 8 + 3
  a.csrrw(11, csr::cycle, 0);
  a.kill();
  a.land(other);
  a.load(Op::lw, 12, 0, 9);  // thread 1: issues at 25, free again at 25 + 8 + 2
  a.csrrw(11, csr::cycle, 0);
  a.kill();
  World<Tile> w(one_tile());
  w.load(a.words);
  w.tile.start_thread(0, 0, 0, 0);
  w.tile.start_thread(1, 0, 1, 0);
  ASSERT_TRUE(w.finish(1000));
  // Both at 35; the window of cycles 32..39 is thread 4's turn, so 0 comes round before 1.
  EXPECT_EQ(w.tile.thread_reg(0, 11), 35u);
  EXPECT_EQ(w.tile.thread_reg(1, 11), 36u);
}

TEST(Tile, MissesBeyondTheLimitWaitForAFreeSlot) {
  // Every thread misses once. With one slot they go one after the other.
  Asm a;
  a.csrrw(5, csr::hart_id, 0);
  a.i(Op::slli, 5, 5, 12);
  a.u_type(Op::lui, 8, 0x02000000);
  a.r(Op::add, 8, 8, 5);
  a.load(Op::lw, 9, 0, 8);
  a.kill();
  std::map<unsigned, Cycle> end;
  for (const unsigned slots : {1u, 32u}) {
    TileTiming t;
    t.cache_max_misses = slots;
    World<Tile> w(one_tile(1, 8), t);
    w.load(a.words);
    start_core(w, 0, 8);
    ASSERT_TRUE(w.finish(10'000));
    EXPECT_EQ(w.tile.totals().misses, 8u);
    end[slots] = w.now;
  }
  EXPECT_GT(end[1], end[32] + 7 * 20);
}

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

TEST(TileCsr, IdentityCountersAndUnknownNumbers) {
  Asm a;
  a.csrrw(10, csr::hart_id, 0);
  a.i(Op::addi, 11, 0, 9);
  a.csrrw(11, 0x123, 10);
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
    w.tile.uart_in(0, 0, 0x41);
    w.tile.uart_in(0, 0, 0);
  });
  EXPECT_EQ(x[10], 0x141u);
  EXPECT_EQ(x[11], 0x100u);
  EXPECT_EQ(x[12], 0u);
  EXPECT_EQ(x[13], 0u);
  EXPECT_EQ(x[14], 1u);
  EXPECT_EQ(log, (Log{"32 uart refused 4672 112", "72 uart 4672 112", "80 emit 4672 112"}));
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

// ----- the rest -----

TEST(Tile, ProfileCountsExecutedInstructions) {
  Asm a;
  a.i(Op::addi, 5, 0, 300);
  const std::uint32_t loop = a.here();
  a.i(Op::addi, 5, 5, -1);
  a.branch(Op::bne, 5, 0, loop);
  a.u_type(Op::lui, 8, 0x02000000);
  a.load(Op::lw, 6, 0, 8);
  a.load(Op::lw, 6, 0, 8);
  a.kill();
  World<Tile> w(one_tile());
  w.tile.enable_profile();
  w.load(a.words);
  start_core(w, 0, 16);
  ASSERT_TRUE(w.finish(60'000));
  const auto counts = w.tile.profile(0);
  const std::vector<std::uint64_t> expected{16, 4800, 4800, 16, 16, 16, 16};
  EXPECT_EQ(std::vector<std::uint64_t>(counts.begin(), counts.begin() + 7), expected);
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}), w.tile.retired(0));
  EXPECT_EQ(w.tile.profile(1)[0], 0u);
}

TEST(Tile, IdleWindowsNeedNotBeAdvanced) {
  Asm a;
  a.csrrw(5, csr::hart_id, 0);
  a.i(Op::slli, 5, 5, 12);
  a.u_type(Op::lui, 8, 0x02000000);
  a.r(Op::add, 8, 8, 5);
  for (int i = 0; i < 40; ++i) {
    a.load(Op::lw, 9, 32 * i, 8);
    a.fp(Op::fdiv_s, 1, 2, 3);
  }
  a.csrrw(10, csr::cycle, 0);
  a.kill();
  World<Tile> all(one_tile()), some(one_tile());
  for (World<Tile>* w : {&all, &some}) {
    w->load(a.words);
    w->tile.start_thread(1000, 2, 7, 0);
    w->tile.start_thread(5, 0, 1, 0);
  }
  EXPECT_EQ(some.tile.next_event(), 0u);  // the start at 5 lies in this window
  all.run(20'000);
  some.run_skipping(20'000);
  for (const unsigned t : {1u, 39u}) {
    EXPECT_EQ(all.tile.thread_state(t), ThreadState::off);
    EXPECT_EQ(all.tile.thread_reg(t, 10), some.tile.thread_reg(t, 10));
  }
  EXPECT_EQ(some.tile.next_event(), kNeverCycle);
  EXPECT_EQ(some.tile.describe(), "");
}

TEST(Tile, RefusesWhatATileCannotBe) {
  Log log;
  BoardParams p = one_tile();
  Memory memory(p);
  MemorySystem system(p, memory, 1, blocks::DramParams::ddr3_1600(32), blocks::SramParams::qdr2(32));
  NotingBoard board(log);
  LoopMailbox mailbox(64, log);
  const auto make = [&](const BoardParams& params, const TileTiming& t) {
    Tile tile(params, t, TilePlace{}, TileEnv{&mailbox, &system, &board});
  };
  EXPECT_NO_THROW(make(p, {}));
  BoardParams many = p;
  many.threads_per_core = 17;
  EXPECT_THROW(make(many, {}), UserError);
  BoardParams odd = p;
  odd.cache_ways = 12;
  EXPECT_THROW(make(odd, {}), UserError);
  TileTiming slow;
  slow.fp_div = 49;
  EXPECT_THROW(make(p, slow), UserError);
  slow = {};
  slow.from_memory = 7;
  EXPECT_THROW(make(p, slow), UserError);
}

}  // namespace
}  // namespace polyloom::overlay::test
