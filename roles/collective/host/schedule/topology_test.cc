// SPDX-License-Identifier: Apache-2.0
// Covers: ranks and groups of rows and columns, lane numbers that lead back, doubled links, wiring that is
// refused. Leaves out: clusters read from files (runtime/cluster_facts_test.cc).
#include "roles/collective/host/schedule/topology.h"

#include <gtest/gtest.h>

#include <set>

#include "fabric/error.h"

namespace polyloom::collective {
namespace {

TEST(Topology, RowsAndColumns) {
  const Topology t = Topology::hypercube(3, 2);  // 0 1 2 over 3 4 5
  EXPECT_EQ(t.size(), 6);
  EXPECT_EQ(t.rank(2, 1), 5);
  EXPECT_EQ(t.x_of(4), 1);
  EXPECT_EQ(t.y_of(4), 1);
  EXPECT_EQ(t.group(0, 4), (std::vector<int>{3, 4, 5}));
  EXPECT_EQ(t.group(1, 4), (std::vector<int>{1, 4}));
  EXPECT_TRUE(t.adjacent(0, 2));
  EXPECT_TRUE(t.adjacent(2, 5));
  EXPECT_FALSE(t.adjacent(0, 5));
}

TEST(Topology, EveryLaneLeadsBackAndOnlyToNeighbours) {
  const Topology t = Topology::hypercube(4, 3, 2, 3);
  for (int a = 0; a < t.size(); ++a) {
    const auto& mine = t.lanes[static_cast<std::size_t>(a)];
    EXPECT_EQ(mine.size(), 3u * 2 + 2u * 3);
    for (std::size_t l = 0; l < mine.size(); ++l) {
      ASSERT_TRUE(t.adjacent(a, mine[l].peer) && mine[l].peer != a);
      const auto& far =
          t.lanes[static_cast<std::size_t>(mine[l].peer)][static_cast<std::size_t>(mine[l].lane)];
      EXPECT_EQ(far, (LaneEnd{a, static_cast<int>(l)}));
    }
    for (int b = 0; b < t.size(); ++b) {
      const std::size_t links = a == b || !t.adjacent(a, b) ? 0 : t.y_of(a) == t.y_of(b) ? 2 : 3;
      const auto found = t.lanes_to(a, b);
      EXPECT_EQ(found.size(), links);
      EXPECT_TRUE(std::is_sorted(found.begin(), found.end()));
    }
  }
  EXPECT_EQ(t.multiplicity(0), 2);
  EXPECT_EQ(t.multiplicity(1), 3);
  EXPECT_EQ(Topology::fully_connected(5).multiplicity(1), 0);
  EXPECT_NO_THROW(t.check());
}

TEST(Topology, LanesGoToRanksInOrder) {
  const Topology t = Topology::fully_connected(4);
  EXPECT_EQ(t.lanes[0], (std::vector<LaneEnd>{{1, 0}, {2, 0}, {3, 0}}));
  EXPECT_EQ(t.lanes[2], (std::vector<LaneEnd>{{0, 1}, {1, 1}, {3, 2}}));
}

TEST(Topology, MultiplicityIsTheFewest) {
  Topology t = Topology::fully_connected(3, 2);
  const int cut = t.lanes_to(0, 2)[1];
  const LaneEnd end = t.lanes[0][static_cast<std::size_t>(cut)];
  t.lanes[0][static_cast<std::size_t>(cut)] = {};
  t.lanes[2][static_cast<std::size_t>(end.lane)] = {};
  EXPECT_NO_THROW(t.check());
  EXPECT_EQ(t.multiplicity(0), 1);
}

TEST(Topology, RefusesWrongWiring) {
  Topology one_way = Topology::fully_connected(3);
  one_way.lanes[1][0].lane = 1;  // 0's lane 1 leads to 2
  EXPECT_THROW(one_way.check(), UserError);
  Topology beyond = Topology::fully_connected(3);
  beyond.lanes[1][0].peer = 7;
  EXPECT_THROW(beyond.check(), UserError);
  Topology missing = Topology::hypercube(2, 2);
  const auto lane = static_cast<std::size_t>(missing.lanes_to(1, 3)[0]);
  const auto back = static_cast<std::size_t>(missing.lanes[1][lane].lane);
  missing.lanes[1][lane] = missing.lanes[3][back] = {};
  try {
    missing.check();
    FAIL() << "a column without a lane";
  } catch (const UserError& e) {
    EXPECT_NE(std::string(e.what()).find("ranks 1 and 3 are in one column"), std::string::npos) << e.what();
  }
  Topology few = Topology::fully_connected(3);
  few.lanes.pop_back();
  EXPECT_THROW(few.check(), UserError);
}

TEST(Topology, Text) {
  EXPECT_EQ(Topology::fully_connected(8).text(), "fully connected, 8 nodes, 1 links a pair");
  EXPECT_EQ(Topology::hypercube(4, 2, 1, 2).text(), "hypercube 4 x 2, 8 nodes, 1 and 2 links a pair");
}

}  // namespace
}  // namespace polyloom::collective
