// SPDX-License-Identifier: Apache-2.0
// Covers: clock edges against exact rational arithmetic by hand, first_edge_from at N-1, N and N+1 of edges.
// Leaves out: frequencies above 1 THz, where several edges share a picosecond.
#include "fabric/time.h"

#include <gtest/gtest.h>

namespace polyloom::fabric {
namespace {

TEST(Clock, EdgesAreTheFloorOfTheExactTime) {
  EXPECT_EQ(Clock(250'000'000).edge(3), 12'000);
  EXPECT_EQ(Clock(3).edge(1), 333'333'333'333);
  EXPECT_EQ(Clock(3).edge(2), 666'666'666'666);
  EXPECT_EQ(Clock(322'265'625).edge(51), 158'254);                       // 158254.54...
  EXPECT_EQ(Clock(333'333'333).edge(1'000'000'000), 3'000'000'003'000);  // 3000000003000.000003
}

TEST(Clock, FirstEdgeFromIsTheFirstNotBefore) {
  for (const std::uint64_t hz : {250'000'000ull, 322'265'625ull, 333'333'333ull, 7ull, 999'999'999'989ull}) {
    const Clock clock(hz);
    for (const std::uint64_t k : {1ull, 2ull, 49ull, 1'000'003ull}) {
      const Time t = clock.edge(k);
      EXPECT_EQ(clock.first_edge_from(t), k) << hz;
      EXPECT_LE(clock.first_edge_from(t - 1), k) << hz;
      EXPECT_EQ(clock.first_edge_from(t + 1), clock.edge(k + 1) == t ? k + 2 : k + 1) << hz;
      EXPECT_GE(clock.edge(clock.first_edge_from(t - 1)), t - 1) << hz;
    }
    EXPECT_EQ(clock.first_edge_from(0), 0u);
    EXPECT_EQ(clock.first_edge_from(-5), 0u);
  }
}

}  // namespace
}  // namespace polyloom::fabric
