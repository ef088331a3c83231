// SPDX-License-Identifier: Apache-2.0
// Covers: the network in RTL alone: a flit a cycle on every wire that two or more tiles share, with messages
//   of any length back to back; cycles a hop; exchange with all neighbours at full rate (measured, printed as
//   a JSON line for bench/noc).
// Leaves out: mailboxes (here they always send and always have room).
#include "roles/overlay/tests/noc/noc_exchange.h"

namespace polyloom::overlay::test {
namespace {

TEST(OverlayNocFlow, AMessageTakesTwoCyclesAHop) {
  for (unsigned from = 0; from < kTiles; ++from) {
    for (unsigned to = 0; to < kTiles; ++to) {
      Flow flow;
      flow.send(from, to, 1);
      unsigned first = 0;  // cycle of the first flit at the mailbox, the source's being 1
      for (unsigned c = 0; first == 0 && c < 100; ++c) {
        flow.cycle();
        if (flow.flits_at[to] == 1) first = c;
      }
      const auto apart = [](unsigned a, unsigned b) { return a < b ? b - a : a - b; };
      const unsigned hops = apart(from % kTilesX, to % kTilesX) + apart(from / kTilesX, to / kTilesX) + 1;
      EXPECT_EQ(first, 1 + 2 * hops) << from << " to " << to;
    }
  }
}

/// Flits that reach `to` in each of 200 cycles when `from` send messages of `flits` flits (0: any) as fast as
/// they may.
void expect_no_gap(const std::vector<unsigned>& from, unsigned to, unsigned flits) {
  Flow flow;
  std::mt19937 random(flits);
  for (unsigned c = 0; c < 260; ++c) {
    for (const unsigned source : from) {
      while (flow.waiting(source) < 4)
        flow.send(source, to, flits != 0 ? flits : 1 + random() % kMaxFlitsOfTest);
    }
    const std::uint64_t before = flow.flits_at[to];
    flow.cycle();
    if (c >= 60) ASSERT_EQ(flow.flits_at[to], before + 1) << "a bubble in cycle " << c << ", flits " << flits;
  }
}

TEST(OverlayNocFlow, MessagesBackToBackLeaveNoBubble) {
  if (kLinkFlitsOfTest <= 2 * kMaxFlitsOfTest)
    GTEST_SKIP() << "two cycles a hop need buffers of two messages";
  for (unsigned flits = 0; flits <= kMaxFlitsOfTest; ++flits) {
    for (unsigned to = 0; to < kTiles; ++to) {
      std::vector<unsigned> all;
      for (unsigned from = 0; from < kTiles; ++from) {
        expect_no_gap({from}, to, flits);
        all.push_back(from);
      }
      expect_no_gap(all, to, flits);
    }
  }
}

TEST(OverlayNocFlow, NeighbourExchange) {
  if (kTiles == 1) GTEST_SKIP() << "a tile has no neighbour";
  for (const unsigned flits : {1u, kMaxFlitsOfTest}) {
    const double rate = neighbour_exchange(flits, 4000);
    std::printf(
        "{\"tiles\": \"%ux%u\", \"flits\": %u, \"flits_a_cycle_and_tile\": %.4f, \"port_bound\": 1.0}\n",
        kTilesX, kTilesY, flits, rate);
    // One queue a sender for all directions allows 0.586 of the ports at random (Karol, Hluchyj, Morgan
    // 1987).
    EXPECT_GT(rate, 0.586);
    EXPECT_LE(rate, 1.0);
  }
}

}  // namespace
}  // namespace polyloom::overlay::test
