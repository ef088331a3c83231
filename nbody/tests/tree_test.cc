// SPDX-License-Identifier: Apache-2.0
// Covers: keys, order, structure and contents of trees, on problems and on degenerate sets.
// Leaves out: more bodies than a few thousand.
#include "nbody/tree/tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "fabric/error.h"
#include "nbody/tests/bodies_for_tests.h"
#include "nbody/tree/hilbert.h"

namespace polyloom::nbody {
namespace {

using test::Made;

TEST(HilbertTest, VisitsEveryCellOnceAndNextCellsShareAFace) {
  for (const unsigned bits : {1u, 2u, 4u}) {
    const std::uint32_t side = 1u << bits;
    std::vector<std::array<int, 3>> cells(std::size_t{side} * side * side, {-1, -1, -1});
    for (std::uint32_t x = 0; x < side; ++x) {
      for (std::uint32_t y = 0; y < side; ++y) {
        for (std::uint32_t z = 0; z < side; ++z) {
          auto& cell = cells.at(hilbert_key(x, y, z, bits));
          ASSERT_EQ(cell[0], -1);
          cell = {static_cast<int>(x), static_cast<int>(y), static_cast<int>(z)};
        }
      }
    }
    for (std::size_t k = 1; k < cells.size(); ++k) {
      int apart = 0;
      for (unsigned a = 0; a < 3; ++a) apart += std::abs(cells[k][a] - cells[k - 1][a]);
      ASSERT_EQ(apart, 1) << k;
    }
  }
}

TEST(HilbertTest, PrefixIsTheKeyOfTheParent) {
  const std::uint64_t key = hilbert_key(0x12345, 0x1f00f, 0x0abcd, 21);
  EXPECT_EQ(key >> 3, hilbert_key(0x12345 >> 1, 0x1f00f >> 1, 0x0abcd >> 1, 20));
  EXPECT_LT(key, std::uint64_t{1} << 63);
}

/// Bodies below each node, found by going down from the root; checks ranges, order and forms on the way.
void check_tree(const Made& made, unsigned leaf) {
  const auto nodes = made.domain.tree().nodes;
  const auto points = made.domain.points();
  const auto radius = made.domain.local_tree().radius();
  if (points.empty()) {
    ASSERT_TRUE(nodes.empty());
    return;
  }
  std::vector<std::vector<std::size_t>> members(nodes.size());
  std::size_t next_child = 1, bodies = 0;
  for (std::size_t id = 0; id < nodes.size(); ++id) {
    const NodeRecord& n = nodes[id];
    if (n.q < 0) {
      ASSERT_EQ(n.more, id);
      ++bodies;
      continue;
    }
    ASSERT_EQ(first_child(n.more), next_child) << "breadth first, contiguous";
    ASSERT_GE(child_count(n.more), 2u);
    ASSERT_LE(child_count(n.more), std::max(8 * leaf, 64u));
    next_child += child_count(n.more);
    ASSERT_LE(next_child, nodes.size());
  }
  ASSERT_EQ(next_child, nodes.size());
  ASSERT_EQ(bodies, points.size());
  // A body's record is a copy of its point; equal points are told apart by counting.
  std::vector<std::size_t> order(points.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto key_of = [](const auto& p) { return std::array{p.x, p.y, p.z, p.mass}; };
  std::vector<std::array<float, 4>> in_points, in_nodes;
  for (const Point& p : points) in_points.push_back(key_of(p));
  for (std::size_t id = nodes.size(); id-- > 0;) {
    const NodeRecord& n = nodes[id];
    if (n.q < 0) {
      members[id] = {id};
      in_nodes.push_back(key_of(n));
      continue;
    }
    for (unsigned c = 0; c < child_count(n.more); ++c) {
      const auto& below = members[first_child(n.more) + c];
      members[id].insert(members[id].end(), below.begin(), below.end());
    }
    double mass = 0, x = 0, y = 0, z = 0, farthest = 0;
    for (const std::size_t m : members[id]) {
      const NodeRecord& b = nodes[m];
      mass += b.mass, x += double{b.mass} * b.x, y += double{b.mass} * b.y, z += double{b.mass} * b.z;
      farthest = std::max(farthest, std::hypot(double{b.x} - n.x, double{b.y} - n.y, double{b.z} - n.z));
    }
    ASSERT_NEAR(n.mass, mass, 1e-6 * mass);
    ASSERT_NEAR(n.x, x / mass, 1e-6);
    ASSERT_NEAR(n.y, y / mass, 1e-6);
    ASSERT_NEAR(n.z, z / mass, 1e-6);
    ASSERT_GE(radius[id], farthest);
    ASSERT_LE(radius[id], farthest * (1 + 1e-5) + 1e-7);
    ASSERT_GE(n.q, radius[id]);
  }
  std::sort(in_points.begin(), in_points.end());
  std::sort(in_nodes.begin(), in_nodes.end());
  ASSERT_EQ(in_points, in_nodes);
  ASSERT_EQ(members[0].size(), points.size());
}

TEST(TreeTest, ProblemsOfManySizesAndLeafLimits) {
  for (const unsigned leaf : {1u, 4u, 8u}) {
    Settings s;
    s.leaf = leaf;
    for (const char* name : {"plummer", "hernquist", "cold-sphere"}) {
      for (const std::size_t n : {1u, 2u, 8u, 9u, 65u, 1000u, 3001u}) {
        SCOPED_TRACE(std::string(name) + " " + std::to_string(n) + " leaf " + std::to_string(leaf));
        check_tree(Made(s, make_problem(name, n, n)), leaf);
      }
    }
  }
}

TEST(TreeTest, NoBodiesAndOne) {
  EXPECT_EQ(Made(Settings{}, Bodies{}).memory.size(), 0u);
  const Made one(Settings{}, make_problem("plummer", 1, 0));
  ASSERT_EQ(one.memory.size(), 1u);
  EXPECT_LT(one.memory[0].q, 0);
  EXPECT_EQ(one.memory[0].more, 0u);
}

TEST(TreeTest, CoincidentBodiesBeyondTheDepthCap) {
  Settings s;
  s.leaf = 8;
  for (const std::size_t n : {2u, 9u, 64u, 65u, 300u, 5000u}) {
    SCOPED_TRACE(n);
    const Made made(s, test::coincident(n));
    check_tree(made, 8);
    EXPECT_LE(made.memory.size(), n + n / 2 + 2);  // parts of at least two
  }
}

TEST(TreeTest, SixtyFourChildren) {
  Settings s;
  s.leaf = 8;
  const Made made(s, test::sixty_four_children());
  ASSERT_EQ(made.memory.size(), 65u);
  EXPECT_EQ(made.memory[0].more >> kIdBits, 63u);
  check_tree(made, 8);
}

TEST(TreeTest, BodiesWithoutMass) {
  Bodies b = test::uniform(100);
  for (double& m : b.mass) m = 0;
  const Made made(Settings{}, std::move(b));
  for (const NodeRecord& n : made.memory) {
    EXPECT_EQ(n.mass, 0);
    EXPECT_TRUE(std::isfinite(n.x) && std::isfinite(n.y) && std::isfinite(n.z) && std::isfinite(n.q));
  }
}

TEST(TreeTest, OrderDoesNotDependOnTheOrderBefore) {
  const Made first(Settings{}, test::coincident(100));
  Bodies reversed = test::coincident(100);
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 100; i-- > 0;) order.push_back(i);
  reversed.arrange(order);
  const Made second(Settings{}, std::move(reversed));
  EXPECT_EQ(first.domain.bodies.id, second.domain.bodies.id);
}

TEST(TreeTest, FrameFitsAnyUnitsAndPlace) {
  const Made here(Settings{}, make_problem("plummer", 500, 3));
  Bodies far = make_problem("plummer", 500, 3);
  for (Vec3& p : far.position) p = 0x1p60 * p + Vec3{0x1p70, 0, -0x1p69};
  for (double& m : far.mass) m *= 0x1p100;
  const Made there(Settings{}, std::move(far));
  ASSERT_EQ(here.memory.size(), there.memory.size());
  for (std::size_t i = 0; i < here.memory.size(); ++i) {
    EXPECT_NEAR(here.memory[i].x, there.memory[i].x, 1e-6);
    EXPECT_NEAR(here.memory[i].mass, there.memory[i].mass, 1e-9);
  }
}

TEST(TreeTest, BadBodiesAreNamed) {
  Bodies b = make_problem("plummer", 10, 0);
  b.position[7].y = std::numeric_limits<double>::quiet_NaN();
  const auto message = [&] {
    try {
      check_bodies(b.position, b.velocity, b.mass);
    } catch (const UserError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(message().find("body 7: its position"), std::string::npos) << message();
  b.position[7].y = std::numeric_limits<double>::infinity();
  EXPECT_NE(message().find("body 7: its position"), std::string::npos) << message();
  b.position[7].y = -1e160;
  EXPECT_NE(message().find("body 7: its position, velocity or mass is beyond 1e150"), std::string::npos)
      << message();
  b.position[7].y = 0;
  b.mass[3] = -1;
  EXPECT_NE(message().find("body 3: its mass"), std::string::npos) << message();
  b.mass[3] = 1;
  EXPECT_EQ(message(), "");
}

}  // namespace
}  // namespace polyloom::nbody
