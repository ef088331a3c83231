// SPDX-License-Identifier: Apache-2.0
// Covers: cycle counts worked out by hand from README.md, profile, skipping of idle windows, parameters.
// Leaves out: CSRs and faults (tile_control_test.cc), combinations (lockstep_test.cc draws them at random).
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

/// Four cores divide in the same cycle: one after the other, however long that takes; other operations pass.
TEST(Tile, DividerServesOneOperationAtATime) {
  for (const unsigned interval : {1u, 2u, 20u, 48u}) {
    Asm a;
    a.csrrw(5, csr::hart_id, 0);
    const auto other = a.branch_forward(Op::bne, 5, 0);
    a.r(Op::div, 12, 12, 12);
    a.fp(Op::fdiv_s, 1, 2, 3);
    a.csrrw(11, csr::cycle, 0);
    a.kill();
    a.land(other);
    a.fp(Op::fsqrt_s, 1, 2);
    a.r(Op::mul, 12, 12, 12);
    a.csrrw(11, csr::cycle, 0);
    a.kill();
    TileTiming t;
    t.div = 30, t.fp_div = 31, t.fp_sqrt = 32;
    t.divide_interval = interval;
    World<Tile> w(one_tile(), t);
    w.load(a.words);
    for (unsigned core = 0; core < 4; ++core) w.tile.start_thread(0, core, 0, 0);
    ASSERT_TRUE(w.finish(1000));
    // The divide is granted at 16, the square roots at 17, 18, 19; a multiplication waits for nothing.
    const Cycle step = interval;
    for (unsigned core = 1; core < 4; ++core) {
      EXPECT_EQ(w.tile.thread_reg(16 * core, 11), 16 + core * step + 8 + t.fp_sqrt + 8 + t.mul) << core;
    }
    const Cycle second = std::max<Cycle>(16 + 8 + t.div, 16 + 4 * step);  // asked for, or free
    EXPECT_EQ(w.tile.thread_reg(0, 11), second + 8 + t.fp_div) << interval;
  }
}

/// Two threads whose responses arrive in the same cycle join one after the other, the one whose turn it is
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
  TileTiming timing;
  timing.mul = 3;
  World<Tile> w(one_tile(), timing);
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
  slow.divide_interval = 0;
  EXPECT_THROW(make(p, slow), UserError);
  slow = {};
  slow.from_memory = 7;
  EXPECT_THROW(make(p, slow), UserError);
}

}  // namespace
}  // namespace polyloom::overlay::test
