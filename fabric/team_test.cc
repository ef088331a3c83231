// SPDX-License-Identifier: Apache-2.0
// Covers: how nodes are divided over threads; that a team wakes, works and ends cleanly many times, also with
// more threads than processors. Leaves out: results of threads (tests/conformance_test.cc).
#include "fabric/team.h"

#include <gtest/gtest.h>

#include <numeric>

namespace polyloom::fabric {
namespace {

TEST(Balance, HeavyNodesSpreadFirst) {
  EXPECT_EQ(balance({1, 1, 1, 1}, 2), (std::vector<int>{0, 1, 0, 1}));
  EXPECT_EQ(balance({1, 5, 1, 3}, 2), (std::vector<int>{1, 0, 1, 1}));
  EXPECT_EQ(balance({}, 3), (std::vector<int>{}));
  EXPECT_EQ(balance({2, 2}, 1), (std::vector<int>{0, 0}));
}

/// Ticks each nanosecond for a number of ticks.
struct CountingTicker final : Node {
  explicit CountingTicker(int ticks) : left(ticks) {}
  void advance(Time until) override {
    for (; left != 0 && next < until; next += 1000) --left;
  }
  Time next_event() const override { return left != 0 ? next : kNever; }
  int left;
  Time next = 0;
};

TEST(Team, ManyShortRunsInManyThreads) {
  for (const unsigned threads : {1u, 2u, 3u, 8u, 64u}) {
    Fabric fabric;
    for (int i = 0; i < 8; ++i) fabric.add_node("n" + std::to_string(i));
    const LinkSpec spec{.latency = 10'000, .period = 10};
    for (int i = 0; i < 8; ++i) fabric.connect(spec, spec, i, (i + 1) % 8);
    for (int i = 0; i < 8; ++i) fabric.set_node(i, std::make_unique<CountingTicker>(2000));
    Time end = 0;
    for (Time limit = 100'000; limit <= 2'100'000; limit += 100'000) {
      end = run(fabric, {.kind = EngineKind::threads, .threads = threads, .limit = limit}).end;
    }
    EXPECT_EQ(end, 2'000'000);
    for (int i = 0; i < 8; ++i) EXPECT_EQ(dynamic_cast<CountingTicker&>(*fabric.node(i)).left, 0);
  }
}

}  // namespace
}  // namespace polyloom::fabric
