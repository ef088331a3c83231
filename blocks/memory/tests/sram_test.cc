// SPDX-License-Identifier: Apache-2.0
// Covers: latency to the cycle, both ports, order of same-line requests, rates, back-pressure, rests.
// Leaves out: bandwidth under the paper's load (calibration_test.cc) and data (the caller's).
#include "blocks/memory/sim/sram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "fabric/error.h"

namespace polyloom::blocks {
namespace {

/// Cycle of service of a request that reaches its port at once: beats of 1/225 MHz, cycles of 4 ns.
Cycle expected(const SramParams& p, Cycle c) {
  const double clocks = p.latency + p.request_bytes / p.beat_bytes;
  return c + p.front_cycles + static_cast<Cycle>(std::ceil(clocks / 225e6 * 250e6 - 1e-9)) + p.back_cycles;
}

TEST(Sram, LatencyIsFixed) {
  SramParams p;
  Sram sram(p);
  for (Cycle c : {0u, 100u, 225u, 1000u}) {
    ASSERT_TRUE(sram.submit(c, c * 32, c % 200 == 0, 7));
    const Cycle want = expected(p, c);
    EXPECT_EQ(sram.next_event(), want);
    sram.advance(want, [](std::uint32_t, Cycle) { FAIL() << "a cycle early"; });
    unsigned n = 0;
    sram.advance(want + 1, [&](std::uint32_t id, Cycle at) {
      ++n;
      EXPECT_EQ(id, 7u);
      EXPECT_EQ(at, want);
    });
    EXPECT_EQ(n, 1u);
  }
  EXPECT_EQ(sram.next_event(), kNeverCycle);
}

/// Requests served in `cycles` when offered whenever there is room. Per mille of them are writes.
double rate(const SramParams& p, unsigned writes, Cycle cycles) {
  Sram sram(p);
  std::uint64_t served = 0;
  std::uint32_t id = 0;
  for (Cycle c = 0; c < cycles; ++c) {
    // Alternates as evenly as the share of writes allows.
    const bool write = (id + 1) * std::uint64_t{writes} / 1000 != id * std::uint64_t{writes} / 1000;
    if (sram.submit(c, id * 32u, write, id)) ++id;
    sram.advance(c + 1, [&](std::uint32_t, Cycle) { ++served; });
  }
  return static_cast<double>(served) / static_cast<double>(cycles) * 250e6 * p.request_bytes / 1e9;
}

TEST(Sram, PortsWorkAtOnceAtTheirRate) {
  SramParams p;  // 8 bytes at 225 MHz: 1.8 GB/s a port
  EXPECT_NEAR(rate(p, 0, 40000), 1.8, 0.01);
  EXPECT_NEAR(rate(p, 1000, 40000), 1.8, 0.01);
  EXPECT_NEAR(rate(p, 500, 40000), 3.6, 0.02);
  p.rest_after = 2;  // 8 beats in 9 clocks
  EXPECT_NEAR(rate(p, 500, 40000), 3.2, 0.02);
}

TEST(Sram, SameLineRequestsAreServedInOrder) {
  std::mt19937 rng(9);
  Sram sram(SramParams{});
  std::vector<std::uint32_t> lines;
  std::map<std::uint32_t, std::uint32_t> last;
  std::size_t served = 0;
  Cycle previous = 0;
  for (Cycle c = 0; served < 5000; ++c) {
    const std::uint32_t line = rng() % 3;
    if (lines.size() < 5000 &&
        sram.submit(c, line * 32, rng() % 2, static_cast<std::uint32_t>(lines.size()))) {
      lines.push_back(line);
    }
    sram.advance(c + 1, [&](std::uint32_t id, Cycle at) {
      ++served;
      EXPECT_GE(at, previous);
      previous = at;
      const auto [it, fresh] = last.try_emplace(lines[id], id);
      if (!fresh) {
        EXPECT_LT(it->second, id);
      }
      it->second = id;
    });
  }
}

TEST(Sram, AReadAfterAWriteOfItsLineWaitsForIt) {
  SramParams p;
  Sram sram(p);
  ASSERT_TRUE(sram.submit(0, 64, true, 1));
  ASSERT_TRUE(sram.submit(1, 64, false, 2));
  ASSERT_TRUE(sram.submit(2, 96, false, 3));
  std::map<std::uint32_t, Cycle> at;
  sram.advance(100, [&](std::uint32_t id, Cycle c) { at[id] = c; });
  // The write's four beats, then the read's four.
  EXPECT_EQ(at[1], expected(p, 0));
  EXPECT_EQ(at[2], p.front_cycles + static_cast<Cycle>(std::ceil((4 + 4 + 8) / 0.9)) + p.back_cycles);
}

TEST(Sram, BackPressureIsBounded) {
  SramParams p;
  Sram sram(p);
  unsigned taken = 0;
  for (Cycle c = 0; c < 64; ++c) taken += sram.submit(c, c * 32, false, 0);
  // What the port has moved, what it holds, and the queue.
  EXPECT_LE(taken, 64 * 225 / 250 / 4 + 1 + p.port_queue + 1 + p.queue);
  EXPECT_GT(sram.counters().refused, 0u);
}

TEST(Sram, ParametersAreChecked) {
  SramParams p;
  p.request_bytes = 20;
  EXPECT_THROW(Sram{p}, UserError);
  p = {};
  p.queue = 0;
  EXPECT_THROW(Sram{p}, UserError);
}

}  // namespace
}  // namespace polyloom::blocks
