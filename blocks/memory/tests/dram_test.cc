// SPDX-License-Identifier: Apache-2.0
// Covers: every timing rule, met exactly and never undercut; latencies, order, starvation, refresh, checks.
// Leaves out: bandwidth figures (calibration_test.cc) and data (the caller's).
#include "blocks/memory/sim/dram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "fabric/error.h"

namespace polyloom::blocks {
namespace {

constexpr double kNone = -1e18;

/// Smallest distance seen for each rule, in clocks.
using Slack = std::map<std::string, double>;

/// Checks JESD79-3 rules over a trace; times may be a rounding error early, not more.
class Checker {
 public:
  explicit Checker(const DramParams& p) : p_(p), banks_(p.banks) {}

  Slack run(std::vector<DramCommand> trace) {
    std::stable_sort(trace.begin(), trace.end(), [](auto& a, auto& b) { return a.clock < b.clock - 1e-9; });
    for (const DramCommand& c : trace) step(c);
    return slack_;
  }

 private:
  struct Bank {
    bool open = false;
    std::uint32_t row = 0;
    double act = kNone, pre = kNone, rd = kNone, wr = kNone;
  };
  void rule(const char* name, double from, double to, double least) {
    if (from == kNone) return;
    const double distance = to - from;
    EXPECT_GE(distance, least - 1e-6) << name << " at clock " << to;
    auto [it, fresh] = slack_.try_emplace(name, distance - least);
    if (!fresh) it->second = std::min(it->second, distance - least);
  }
  void step(const DramCommand& c) {
    Bank& b = banks_[c.bank];
    switch (c.kind) {
      case DramCommand::precharge:
        EXPECT_TRUE(b.open);
        rule("tRAS", b.act, c.clock, p_.ras);
        rule("tRTP", b.rd, c.clock, p_.rtp);
        rule("tWR", b.wr, c.clock, p_.cwl + p_.data + p_.wr);
        b.open = false;
        b.pre = c.clock;
        break;
      case DramCommand::activate:
        EXPECT_FALSE(b.open);
        rule("tRP", b.pre, c.clock, p_.rp);
        rule("tRC", b.act, c.clock, p_.rc);
        rule("tRFC", refresh_, c.clock, p_.rfc);
        if (!acts_.empty()) rule("tRRD", acts_.back(), c.clock, p_.rrd);
        if (acts_.size() >= 4) rule("tFAW", acts_[acts_.size() - 4], c.clock, p_.faw);
        acts_.push_back(c.clock);
        b.open = true, b.row = c.row, b.act = c.clock, b.rd = b.wr = kNone;
        break;
      case DramCommand::read:
      case DramCommand::write: {
        const bool write = c.kind == DramCommand::write;
        EXPECT_TRUE(b.open && b.row == c.row);
        rule("tRCD", b.act, c.clock, p_.rcd);
        rule("tCCD", write ? wr_ : rd_, c.clock, p_.ccd);
        if (write) {
          rule("tRTW", rd_, c.clock, p_.rtw);
          wr_ = b.wr = c.clock;
        } else {
          rule("tWTR", wr_, c.clock, p_.cwl + p_.data + p_.wtr);
          rd_ = b.rd = c.clock;
        }
        break;
      }
      case DramCommand::refresh:
        for (Bank& each : banks_) {
          EXPECT_FALSE(each.open);
          rule("tRP before refresh", each.pre, c.clock, p_.rp);
        }
        if (refresh_ != kNone) {
          EXPECT_LT(c.clock - refresh_, 9.0 * p_.refi);
        }
        refresh_ = c.clock;
        break;
    }
  }
  DramParams p_;
  std::vector<Bank> banks_;
  std::vector<double> acts_;
  double rd_ = kNone, wr_ = kNone, refresh_ = kNone;
  Slack slack_;
};

/// Random traffic with some locality; returns (id, cycle) in order of service.
std::vector<std::pair<std::uint32_t, Cycle>> drive(Dram& dram, unsigned requests, std::uint64_t seed,
                                                   double load,
                                                   std::vector<std::uint64_t>* addresses = nullptr) {
  std::mt19937_64 rng(seed);
  std::vector<std::pair<std::uint32_t, Cycle>> served;
  std::uint64_t last = 0;
  std::uint32_t id = 0;
  for (Cycle c = 0; served.size() < requests; ++c) {
    if (id < requests && std::uniform_real_distribution<>(0, 1)(rng) < load) {
      const std::uint64_t addr = (rng() % 3 ? last + rng() % 4096 : rng()) & 0x7fffffe0;
      if (dram.submit(c, addr, rng() % 2, id)) {
        last = addr;
        if (addresses) addresses->push_back(addr);
        ++id;
      }
    }
    if (rng() % 5 == 0 || id == requests) {
      dram.advance(c + 1, [&](std::uint32_t i, Cycle at) { served.emplace_back(i, at); });
    }
  }
  return served;
}

TEST(Dram, RandomTrafficKeepsEveryRuleAndMeetsEachExactly) {
  Slack least;
  for (const DramParams& p :
       {DramParams::ddr3_1600(), DramParams::ddr3_1600_published(), DramParams::hbm2(32)}) {
    for (const double load : {0.02, 0.3, 1.0}) {
      Dram dram(p);
      std::vector<DramCommand> trace;
      dram.trace(&trace);
      drive(dram, 20000, 5, load);
      for (const auto& [rule, slack] : Checker(p).run(trace)) {
        const auto [it, fresh] = least.try_emplace(rule, slack);
        if (!fresh) it->second = std::min(it->second, slack);
      }
    }
  }
  for (const char* rule : {"tRAS", "tRTP", "tWR", "tRP", "tRC", "tRFC", "tRRD", "tFAW", "tRCD", "tCCD",
                           "tRTW", "tWTR", "tRP before refresh"}) {
    ASSERT_TRUE(least.count(rule)) << rule;
    EXPECT_LT(least[rule], 0.51) << rule << " is never met: the model waits too long";
  }
}

/// Cycle at which `id` is served, stepping a cycle at a time.
Cycle served_at(Dram& dram, std::uint32_t id, Cycle from = 0) {
  for (Cycle c = from; c < from + 10000; ++c) {
    Cycle found = kNeverCycle;
    dram.advance(c + 1, [&](std::uint32_t i, Cycle at) {
      if (i == id) found = at;
      EXPECT_EQ(at, c) << "delivered in the window of its cycle";
    });
    if (found != kNeverCycle) return found;
  }
  return kNeverCycle;
}

/// Cycles of 4 ns from submission to service of a read whose column command comes `clocks` of 1.25 ns after
/// arrival.
Cycle read_cycles(const DramParams& p, double clocks) {
  return p.front_cycles + static_cast<Cycle>(std::ceil((clocks + p.cl + p.data) * 1.25 / 4)) + p.back_cycles;
}

TEST(Dram, LatenciesOfASingleReadAreThoseOfTheDataSheet) {
  DramParams p;
  p.bank_hash = false;  // so that addresses 4 MiB apart share a bank
  {
    Dram dram(p);
    ASSERT_TRUE(dram.submit(0, 0, false, 1));
    EXPECT_EQ(served_at(dram, 1), read_cycles(p, 11));  // closed bank: tRCD
    EXPECT_EQ(dram.next_event(), kNeverCycle);
    ASSERT_TRUE(dram.submit(100, 64, false, 2));
    EXPECT_EQ(served_at(dram, 2, 100), 100 + read_cycles(p, 0));  // row hit
    ASSERT_TRUE(dram.submit(200, 0x10000 * 64, false, 3));        // same bank, other row: tRP and tRCD
    EXPECT_EQ(served_at(dram, 3, 200), 200 + read_cycles(p, 22));
  }
  {
    // Same bank, other row, at once: the second activate waits for tRC = 39 clocks after the first.
    Dram dram(p);
    ASSERT_TRUE(dram.submit(0, 0, false, 1));
    ASSERT_TRUE(dram.submit(1, 0x10000 * 64, false, 2));
    EXPECT_EQ(served_at(dram, 2), read_cycles(p, 39 + 11));
  }
}

TEST(Dram, WriteThenReadTurnsTheBusAround) {
  DramParams p;
  Dram dram(p);
  ASSERT_TRUE(dram.submit(0, 0, true, 1));
  ASSERT_TRUE(dram.submit(1, 128, false, 2));
  // The write's column command at tRCD, the read's 8 + 4 + 6 clocks later.
  EXPECT_EQ(served_at(dram, 2), read_cycles(p, 11 + 18));
}

TEST(Dram, TheRestOfABurstNeedsNoCommandUntilItIsWritten) {
  DramParams p;
  p.kept_bursts = 4;
  Dram dram(p);
  const Cycle kept = p.front_cycles + 2 + p.back_cycles;
  ASSERT_TRUE(dram.submit(0, 0, false, 1));
  ASSERT_EQ(served_at(dram, 1), read_cycles(p, 11));
  ASSERT_TRUE(dram.submit(100, 32, false, 2));
  EXPECT_EQ(served_at(dram, 2, 100), 100 + kept);
  ASSERT_TRUE(dram.submit(200, 32, false, 3));
  ASSERT_TRUE(dram.submit(201, 0, false, 4));
  EXPECT_EQ(served_at(dram, 3, 200), 200 + kept);
  EXPECT_EQ(served_at(dram, 4, 200 + kept), 201 + kept);
  EXPECT_EQ(dram.counters().bursts, 1u);
  // A read behind a write to the burst waits for it, and reads what it wrote.
  ASSERT_TRUE(dram.submit(300, 0, true, 5));
  ASSERT_TRUE(dram.submit(301, 32, false, 6));
  EXPECT_EQ(served_at(dram, 6, 300), 300 + read_cycles(p, 18));
  EXPECT_EQ(dram.counters().bursts, 3u);
  EXPECT_EQ(dram.counters().kept_reads, 3u);
  // A read that was there before a write is not kept for those behind the write.
  ASSERT_TRUE(dram.submit(400, 4096, false, 7));
  ASSERT_TRUE(dram.submit(401, 4096, true, 8));
  ASSERT_NE(served_at(dram, 8, 400), kNeverCycle);
  ASSERT_TRUE(dram.submit(500, 4096 + 32, false, 9));
  EXPECT_EQ(served_at(dram, 9, 500), 500 + read_cycles(p, 0));
  // Burst 5 takes the place of burst 0.
  ASSERT_TRUE(dram.submit(600, (1 << 2 | 1) * 64, false, 10));
  ASSERT_NE(served_at(dram, 10, 600), kNeverCycle);
  ASSERT_TRUE(dram.submit(700, 0, false, 11));
  EXPECT_EQ(served_at(dram, 11, 700), 700 + read_cycles(p, 0));
}

TEST(Dram, BurstsAreKeptOnlyIfLongerThanARequest) {
  DramParams p = DramParams::ddr3_1600(64);
  Dram dram(p);
  for (const std::uint32_t id : {1u, 2u}) {
    ASSERT_TRUE(dram.submit(100 * id, 0, false, id));
    ASSERT_NE(served_at(dram, id, 100 * id), kNeverCycle);
  }
  EXPECT_EQ(dram.counters().bursts, 2u);
  p.kept_bursts = 3;
  EXPECT_THROW(Dram{p}, UserError);
}

TEST(Dram, SameBurstRequestsAreServedInOrderOfSubmission) {
  DramParams p;
  std::mt19937_64 rng(11);
  for (int round = 0; round < 40; ++round) {
    p.kept_bursts = round % 2 == 0 ? 0 : 4;
    Dram dram(p);
    std::vector<std::uint64_t> bursts;
    std::vector<std::uint32_t> order;
    Cycle c = 0;
    while (order.size() < 2000) {
      const std::uint64_t addr = rng() % 6 * 64 * 1024 + rng() % 2 * 32;
      if (bursts.size() < 2000 &&
          dram.submit(c, addr, rng() % 2, static_cast<std::uint32_t>(bursts.size()))) {
        bursts.push_back(addr / 64);
      }
      ++c;
      dram.advance(c, [&](std::uint32_t id, Cycle) { order.push_back(id); });
    }
    std::map<std::uint64_t, std::uint32_t> last;
    for (const std::uint32_t id : order) {
      const auto [it, fresh] = last.try_emplace(bursts[id], id);
      if (!fresh) {
        EXPECT_LT(it->second, id);
      }
      it->second = id;
    }
    EXPECT_GT(dram.counters().shared_bursts, 0u);
    EXPECT_EQ(dram.counters().kept_reads > 0, p.kept_bursts > 0);
    EXPECT_EQ(dram.counters().bursts + dram.counters().shared_bursts + dram.counters().kept_reads, 2000u);
  }
}

TEST(Dram, EveryRequestIsServedOnceInOrderOfTimeAndResultsDoNotDependOnWindows) {
  std::vector<std::pair<std::uint32_t, Cycle>> first;
  for (const Cycle window : {1u, 8u, 40u}) {
    Dram dram(DramParams::ddr3_1600_published());
    std::mt19937_64 rng(3);
    std::vector<std::pair<std::uint32_t, Cycle>> served;
    std::uint32_t id = 0;
    for (Cycle c = 0; c < 20000; c += window) {
      for (Cycle i = c; i < c + window && i < 15000; ++i) {
        const std::uint64_t addr = rng() & 0xffffe0;
        if (i / 1000 % 3 != 2 && dram.submit(i, addr, addr & 0x40, id)) ++id;
      }
      dram.advance(c + window, [&](std::uint32_t n, Cycle at) { served.emplace_back(n, at); });
    }
    EXPECT_EQ(served.size(), id);
    EXPECT_TRUE(
        std::is_sorted(served.begin(), served.end(), [](auto& a, auto& b) { return a.second < b.second; }));
    if (first.empty()) first = served;
    EXPECT_EQ(served, first);
    auto ids = served;
    std::sort(ids.begin(), ids.end());
    for (std::uint32_t i = 0; i < id; ++i) EXPECT_EQ(ids[i].first, i);
  }
}

TEST(Dram, RefreshesBetweenLoneRequestsDoNotDependOnWindows) {
  std::vector<std::pair<std::uint32_t, Cycle>> first;
  for (const Cycle window : {1u, 8u}) {
    Dram dram(DramParams::ddr3_1600());
    std::mt19937_64 rng(5);
    std::vector<std::pair<std::uint32_t, Cycle>> served;
    std::uint32_t id = 0;
    for (Cycle c = 0; c < 400000; c += window) {
      for (Cycle i = c; i < c + window; ++i) {
        if (rng() % 20 == 0 && dram.submit(i, rng() & 0xffffe0, rng() & 1, id)) ++id;
      }
      dram.advance(c + window, [&](std::uint32_t n, Cycle at) { served.emplace_back(n, at); });
    }
    EXPECT_GT(dram.counters().refreshes, 200u);
    if (first.empty()) first = served;
    EXPECT_EQ(served, first);
  }
}

TEST(Dram, ALateRequestIsNotStarvedByRowHits) {
  DramParams p;
  p.max_bypass = 16;
  p.bank_hash = false;
  p.window_beats = 16, p.queue = 32;
  Dram dram(p);
  Cycle c = 0;
  std::uint32_t id = 100, before = 0;
  bool done = false;
  for (; !done && c < 5000; ++c) {
    if (c == 200) {
      while (!dram.submit(c, 0x10000 * 64, false, 1)) {
        ++c;
        dram.advance(c, [](std::uint32_t, Cycle) {});
      }
    } else if (dram.submit(c, (c % 120) * 64 + 64, false, id)) {
      ++id;  // an endless run of hits to row 0 of the same bank
    }
    dram.advance(c + 1, [&](std::uint32_t n, Cycle) {
      done |= n == 1;
      before += c > 200;
    });
  }
  EXPECT_TRUE(done);
  // The queue before it, those that pass it, and what was on its way back when it was submitted.
  EXPECT_LE(before, p.queue + p.max_bypass + p.window_beats + 16);
}

TEST(Dram, FullQueueAndBusyBusRefuse) {
  DramParams p;
  p.queue = 4;
  Dram dram(p);
  EXPECT_TRUE(dram.submit(0, 0, true, 0));
  EXPECT_FALSE(dram.submit(0, 64, true, 1));  // one beat a cycle
  for (std::uint32_t i = 1; i < 4; ++i) EXPECT_TRUE(dram.submit(i, i * 64, false, i));
  EXPECT_FALSE(dram.submit(4, 256, false, 4));
  EXPECT_EQ(dram.counters().refused, 2u);
  EXPECT_EQ(dram.in_flight(), 4u);

  MemoryBus bus;
  DramParams wide = DramParams::ddr3_1600(64);
  Dram a(wide, &bus), b(wide, &bus);
  EXPECT_TRUE(a.submit(10, 0, true, 0));    // a write takes two beats
  EXPECT_FALSE(b.submit(11, 0, false, 0));  // shared bus
  EXPECT_TRUE(b.submit(12, 0, false, 0));
  EXPECT_TRUE(a.submit(13, 0, false, 1));  // a read takes one
}

TEST(Dram, RefreshesAreDueAlsoWhenIdle) {
  DramParams p;
  Dram dram(p);
  const auto cycles_of = [](double clocks) { return static_cast<Cycle>(clocks * 1.25 / 4); };
  // Submitted in the middle of the third refresh: waits for its end, then tRCD.
  const Cycle in_refresh = cycles_of(3.0 * p.refi) + 10;
  ASSERT_TRUE(dram.submit(in_refresh - p.front_cycles, 0, false, 1));
  const double end = (3.0 * p.refi + p.rfc + p.rcd + p.cl + p.data) * 1.25 / 4;
  EXPECT_EQ(served_at(dram, 1, in_refresh - p.front_cycles),
            static_cast<Cycle>(std::ceil(end)) + p.back_cycles);
  EXPECT_EQ(dram.counters().refreshes, 3u);
  // An hour's pause costs nothing to simulate, and closes the row.
  const Cycle later = 900'000'000'000;
  ASSERT_TRUE(dram.submit(later, 0, false, 2));
  EXPECT_GE(served_at(dram, 2, later), later + read_cycles(p, 11));
  EXPECT_NEAR(static_cast<double>(dram.counters().refreshes), 900e9 / 250e6 * 800e6 / 6240, 1);
}

TEST(Dram, OtherClocksAndLineSizesWork) {
  for (const std::uint64_t hz : {210'000'000u, 241'000'000u, 300'000'000u, 156'250'000u}) {
    for (const unsigned line : {32u, 64u, 128u}) {
      DramParams p = DramParams::ddr3_1600(line);
      p.core_hz = hz;
      Dram dram(p);
      std::vector<DramCommand> trace;
      dram.trace(&trace);
      EXPECT_EQ(drive(dram, 3000, hz + line, 1.0).size(), 3000u);
      Checker(p).run(trace);
    }
  }
}

TEST(Dram, EqualRunsHaveEqualDigests) {
  std::vector<std::uint64_t> digests;
  for (const std::uint64_t seed : {1u, 1u, 2u}) {
    Dram dram(DramParams{});
    drive(dram, 500, seed, 0.7);
    fabric::Digest d;
    dram.digest(d);
    digests.push_back(d.value());
  }
  EXPECT_EQ(digests[0], digests[1]);
  EXPECT_NE(digests[0], digests[2]);
}

TEST(Dram, ParametersAreChecked) {
  const auto bad = [](auto change) {
    DramParams p;
    change(p);
    EXPECT_THROW(Dram{p}, UserError);
  };
  bad([](auto& p) { p.banks = 6; });
  bad([](auto& p) { p.request_bytes = 48; });
  bad([](auto& p) { p.core_hz = 0; });
  bad([](auto& p) { p.queue = 0; });
  bad([](auto& p) { p.refi = p.rfc; });
  bad([](auto& p) { p.request_bytes = 16384; });
}

}  // namespace
}  // namespace polyloom::blocks
