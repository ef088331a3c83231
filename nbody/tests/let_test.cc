// SPDX-License-Identifier: Apache-2.0
// Covers: LETs against a plain reading of the contract with a mask a node, bit by bit, for boxes, spheres and
// odd values. Leaves out: the forces that come of them (walk_test.cc).
#include "nbody/tree/let.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <random>

#include "nbody/tests/bodies_for_tests.h"

namespace polyloom::nbody {
namespace {

using test::Made;

/// The test of a node, operation by operation; volatile keeps the compiler from fusing or reordering.
bool reference_accepts(const NodeRecord& n, const Target& t) {
  const float x[3] = {n.x, n.y, n.z};
  volatile float square[3];
  for (unsigned a = 0; a < 3; ++a) {
    float c = x[a];
    if (c < t.min[a])
      c = t.min[a];
    else if (c > t.max[a])
      c = t.max[a];
    volatile float d = x[a] - c;
    square[a] = d * d;
  }
  volatile float s = square[0] + square[1];
  s = s + square[2];
  volatile float reach = t.kappa * n.q;
  reach = reach + t.radius;
  volatile float u = reach * reach;
  u = u * (1.0f + 0x1p-20f);
  return n.q < 0 || u < s;
}

/// With the arrays of the paper: a mask a node, set by the parent.
std::vector<NodeRecord> reference_let(std::span<const NodeRecord> tree, const Target& t) {
  std::vector<char> mask(tree.size(), 0);
  if (!tree.empty()) mask[0] = 1;
  std::vector<NodeRecord> out;
  std::uint32_t enqueued = 0;
  for (std::size_t id = 0; id < tree.size(); ++id) {
    if (mask[id] == 0) continue;
    NodeRecord n = tree[id];
    if (!reference_accepts(n, t) && n.q >= 0) {
      const std::uint32_t first = n.more % (1u << 26), count = n.more / (1u << 26) + 1;
      for (std::uint32_t c = first; c < first + count; ++c) mask[c] = 1;
      n.more = (n.more & ~((1u << 26) - 1)) | (1 + enqueued);
      enqueued += count;
    } else {
      n.q = -1.0f;
      n.more = static_cast<std::uint32_t>(out.size());
    }
    out.push_back(n);
  }
  return out;
}

void expect_same(std::span<const NodeRecord> tree, const Target& target) {
  Let let;
  make_let({tree, {}}, target, let);
  const auto expected = reference_let(tree, target);
  ASSERT_EQ(let.count, expected.size());
  ASSERT_TRUE(expected.empty() || std::memcmp(let.nodes.data(), expected.data(), 24 * expected.size()) == 0);
}

std::vector<Target> targets() {
  std::vector<Target> all = {
      {{-0.5f, -0.5f, -0.5f}, {0.5f, 0.5f, 0.5f}, 1, 0},    // inside
      {{0.6f, -1, -1}, {1, 1, 1}, 1, 0},                    // beside
      {{0.9f, 0.9f, 0.9f}, {0.9f, 0.9f, 0.9f}, 1, 0.125f},  // a sphere
      {{1e18f, 0, 0}, {1e18f, 0, 0}, 1, 0},                 // infinitely far: the root only
      {{-1, -1, -1}, {1, 1, 1}, 0, 0},                      // everything outside is accepted
      {{-1, -1, -1}, {1, 1, 1}, std::numeric_limits<float>::infinity(), 0},
      {{-1, -1, -1}, {1, 1, 1}, std::numeric_limits<float>::quiet_NaN(), 0},
  };
  std::mt19937 random(5);
  std::uniform_real_distribution<float> place(-1, 1), size(0, 0.5f), kappa(0.5f, 4);
  for (unsigned i = 0; i < 40; ++i) {
    const float x = place(random), y = place(random), z = place(random);
    const float sx = size(random), sy = size(random), sz = size(random);
    all.push_back({{x, y, z}, {x + sx, y + sy, z + sz}, kappa(random), 0});
    all.push_back({{x, y, z}, {x, y, z}, kappa(random), sx});
  }
  return all;
}

TEST(LetTest, AsTheContractSaysOnAllTrees) {
  Settings s;
  s.leaf = 8;
  std::vector<Bodies> sets = {make_problem("plummer", 3000, 1),
                              make_problem("hernquist", 2000, 2),
                              test::uniform(2000),
                              test::coincident(500),
                              test::sixty_four_children(),
                              Bodies{}};
  sets.push_back(make_problem("plummer", 1, 0));
  for (const Criterion c : {Criterion::kSide, Criterion::kAngle, Criterion::kAcceleration}) {
    s.mac.criterion = c;
    for (const Bodies& b : sets) {
      const Made made(s, b, true);
      for (const Target& t : targets()) expect_same(made.memory, t);
    }
  }
}

TEST(LetTest, FarTargetKeepsTheRootOnly) {
  const Made made(Settings{}, make_problem("plummer", 3000, 1));
  Let let;
  make_let(made.domain.tree(), targets()[3], let);
  ASSERT_EQ(let.count, 1u);
  EXPECT_EQ(let.nodes[0].mass, made.memory[0].mass);
  EXPECT_EQ(let.nodes[0].q, -1.0f);
}

TEST(LetTest, ValuesThatAreNoNumbers) {
  Settings s;
  auto tree = Made(s, make_problem("plummer", 500, 1)).memory;
  std::mt19937 random(3);
  for (unsigned i = 0; i < 20; ++i) {
    NodeRecord& n = tree[random() % tree.size()];
    float* const fields[] = {&n.q, &n.x, &n.y, &n.z};
    *fields[random() % 4] = std::numeric_limits<float>::quiet_NaN();
  }
  for (const Target& t : targets()) expect_same(tree, t);
}

TEST(LetTest, SecondMomentsComeAlong) {
  Settings s;
  s.quadrupole = true;
  const Made made(s, make_problem("plummer", 2000, 1));
  Let let;
  make_let(made.domain.tree(), targets()[1], let);
  ASSERT_LT(let.count, made.memory.size());
  std::size_t found = 0;
  for (std::size_t i = 0; i < let.count; ++i) {
    for (std::size_t id = 0; id < made.memory.size(); ++id) {
      const NodeRecord &a = let.nodes[i], &b = made.memory[id];
      if (a.x != b.x || a.y != b.y || a.z != b.z || a.mass != b.mass) continue;
      found += std::memcmp(&let.second[i], &made.domain.tree().second[id], sizeof(SecondMoment)) == 0;
      break;
    }
  }
  EXPECT_EQ(found, let.count);
}

}  // namespace
}  // namespace polyloom::nbody
