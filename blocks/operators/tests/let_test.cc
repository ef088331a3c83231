// SPDX-License-Identifier: Apache-2.0
// Covers: make_let() and the LET operator's model against the straightforward LET (let_trees.h) on Plummer,
//   Hernquist and uniform trees, degenerate trees and targets, NaN, random bits; 1, 2 and 7 outputs, both
//   packings, both biases; error bits, streams behind each other.
// Leaves out: cycles (let_cycles_test.cc; under stalls let_rtl_test.cc, which holds model and RTL together).
#include <gtest/gtest.h>

#include "blocks/operators/tests/let_run.h"
#include "blocks/operators/tests/let_trees.h"

namespace polyloom::blocks::operators::test {
namespace {

/// One tree, any targets: model, function and reference agree.
void expect_lets(const Tree& tree, const std::vector<LetTarget>& targets, LetSetup setup,
                 Random* stalls = nullptr) {
  const unsigned outputs = static_cast<unsigned>(targets.size()), bias = setup.bias_zero ? 0 : 1;
  Slot slot = make_slot(outputs);
  begin(slot, let_configs(outputs, setup));
  const LetRun got = feed(slot, let_stream(targets, tree, setup.padded), outputs, 1, stalls);
  ASSERT_TRUE(got.ended);
  EXPECT_EQ(slot.errors(), 0u);
  EXPECT_EQ(slot.status(1), tree.size());
  for (unsigned o = 0; o < outputs; ++o) {
    const Tree expected = reference_let(tree, targets[o], bias);
    EXPECT_TRUE(same_bits(records_of(got.out[o], setup.padded), expected)) << "output " << o;
    EXPECT_TRUE(same_bits(make_let(tree, targets[o], bias), expected)) << "output " << o;
    EXPECT_EQ(slot.status(2 + o), expected.size());
  }
}

const float kInf = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();

std::vector<LetTarget> seven_targets(Random& random) {
  Bodies beside = plummer(random, 50);
  for (Body& b : beside) b.x += 4;
  return {ball(3, 1, 0, 0.5f),
          box(beside, 1),
          ball(0.1f, 0, 0, 0.2f),
          ball(kInf, 0, 0, 1),
          ball(kNan, 0, 0, 1),
          {{-1, -1, -1}, {1, 1, 1}, 0.3f, 0},
          {{2, 2, -kInf}, {3, 3, kInf}, 0.7f, 0.01f}};
}

TEST(Let, TreesOfBodies) {
  Random random(1);
  std::size_t kept = 0, whole = 0;
  for (unsigned round = 0; round < 24; ++round) {
    SCOPED_TRACE(round);
    const LetSetup setup{.padded = (round & 1) != 0, .bias_zero = (round & 2) != 0};
    const unsigned n = 1 + below(random, round < 4 ? 3000 : 300), bias = setup.bias_zero ? 0 : 1;
    const Bodies bodies = round % 3 == 0   ? plummer(random, n)
                          : round % 3 == 1 ? hernquist(random, n)
                                           : cube(random, n);
    const Tree tree = make_tree(bodies, round & 4 ? 0 : 0.7, bias, setup.bias_zero ? 7 : 8);
    std::vector<LetTarget> targets = seven_targets(random);
    std::shuffle(targets.begin(), targets.end(), random);
    targets.resize(std::array{1, 2, 7}[round / 2 % 3]);
    expect_lets(tree, targets, setup, round & 8 ? &random : nullptr);
    for (const LetTarget& target : targets)
      kept += reference_let(tree, target, bias).size(), whole += tree.size();
  }
  EXPECT_GT(kept, whole / 10);  // the cases are neither all open nor all shut
  EXPECT_LT(kept, whole * 9 / 10);
}

TEST(Let, DegenerateTrees) {
  Random random(2);
  const Bodies far_octants = [] {  // 8 in each octant: one node of 64 children
    Bodies bodies;
    for (unsigned b = 0; b < 64; ++b) {
      const double s = 1 + b / 8 * 0.01;
      bodies.push_back({b & 1 ? s : -s, b & 2 ? s : -s, b & 4 ? s : -s, 1});
    }
    return bodies;
  }();
  const Tree wide = make_tree(far_octants, 0.5, 1);
  ASSERT_EQ(wide.size(), 65u);
  ASSERT_EQ(wide[0].more >> 26, 63u);
  for (const bool padded : {false, true}) {
    SCOPED_TRACE(padded);
    const LetSetup setup{.padded = padded};
    expect_lets({}, seven_targets(random), setup);
    expect_lets(make_tree({{1, 2, 3, 4}}, 0.5, 1), seven_targets(random), setup);
    expect_lets(make_tree({{1, 2, 3, 4}, {1, 2, 3, 4}}, 0.5, 1), seven_targets(random), setup);
    expect_lets(wide, seven_targets(random), setup);
    const Bodies but_one(far_octants.begin(), far_octants.end() - 1);
    const Tree counted = make_tree(but_one, 0.5, 0);
    ASSERT_EQ(counted[0].more >> 26, 63u);
    expect_lets(counted, seven_targets(random), {.padded = padded, .bias_zero = true});
    // A node without children that says it may be opened is kept, closed.
    expect_lets({{2, 0, 0, 0, 1, 0}}, {ball(0, 0, 0, 1)}, {.padded = padded, .bias_zero = true});
  }
  // Deep: 21 levels above two bodies at one place, of which nine are near.
  Bodies deep(9, {1e-9, 1e-9, 1e-9, 1});
  deep.push_back({1, 1, 1, 1});
  expect_lets(make_tree(deep, 0.5, 1), seven_targets(random), {});
  EXPECT_EQ(make_let(make_tree(deep, 0.5, 1), ball(kInf, 0, 0, 1)).size(), 1u);  // the root alone
}

/// Any bits as numbers in a well-formed tree: subnormal, infinite, NaN.
TEST(Let, AnyNumbers) {
  Random random(3);
  unsigned accepted = 0, tests = 0;
  for (unsigned round = 0; round < 40; ++round) {
    SCOPED_TRACE(round);
    const unsigned exponent = below(random, 200);
    const auto number = [&] {
      const std::uint32_t close = (exponent << 23) + static_cast<std::uint32_t>(random() & 0x81ffffff);
      return std::bit_cast<float>(below(random, 8) == 0 ? fp_bits(random) : close);
    };
    Tree tree = make_tree(cube(random, 200), 0.5, 1);
    for (NodeRecord& node : tree) {
      if (node.q >= 0) node.q = std::abs(number());
      if (node.q >= 0 && below(random, 20) == 0) node.q = std::array{kNan, -kNan, -0.0f}[below(random, 3)];
      node.x = number(), node.y = number(), node.z = number(), node.mass = number();
    }
    std::vector<LetTarget> targets(7);
    for (LetTarget& target : targets) {
      for (unsigned k = 0; k < 3; ++k) {
        target.min[k] = number(), target.max[k] = below(random, 2) ? number() : target.min[k];
      }
      target.kappa = number(), target.radius = number();
      for (const NodeRecord& node : tree) {
        const bool accepts = let_accepts(node, target);
        ASSERT_EQ(accepts, reference_accepts(node, target));
        if (!(node.q < 0)) accepted += accepts, ++tests;
      }
    }
    expect_lets(tree, targets, {.padded = below(random, 2) == 0});
  }
  EXPECT_GT(accepted, tests / 10);
  EXPECT_LT(accepted, tests * 9 / 10);
}

/// Where one rounding more or less, or another order, decides.
TEST(Let, TheBoundary) {
  Random random(10);
  unsigned accepted = 0, by_the_guard = 0;
  constexpr unsigned kTests = 20'000;
  for (unsigned n = 0; n < kTests; ++n) {
    const auto number = [&] { return static_cast<float>(uniform(random)); };
    NodeRecord node{0, 2 + number(), 3 * number(), 4 * number(), 1, 0};
    LetTarget target{{-1, -2, -3}, {number(), number(), number()}, number() + 0.5f, 0};
    if (n % 2) target = ball(number(), number(), number(), number());
    node.q = q_at_the_boundary(random, node, target);
    const bool accepts = let_accepts(node, target);
    ASSERT_EQ(accepts, reference_accepts(node, target)) << n;
    accepted += accepts;
    node.q *= 1 + 0x1p-21f;  // what the guard adds
    by_the_guard += accepts && !reference_accepts(node, target);
  }
  EXPECT_GT(accepted, kTests / 10);
  EXPECT_LT(accepted, kTests * 9 / 10);
  EXPECT_GT(by_the_guard, kTests / 100);
}

TEST(Let, StreamsBehindEachOtherAndAnySubsetOfOutputs) {
  Random random(6);
  Slot slot = make_slot(5);
  for (unsigned round = 0; round < 20; ++round) {
    SCOPED_TRACE(round);
    const std::uint64_t used = 1 + below(random, 31);
    const LetSetup setup{.padded = below(random, 2) == 0};
    begin(slot, let_configs(5, setup, used));
    for (unsigned s = 0; s < 3; ++s) {
      const Tree tree = make_tree(plummer(random, below(random, 100)), 0.6, 1);
      std::vector<LetTarget> all = seven_targets(random), targets;
      for (unsigned o = 0; o < 5; ++o) {
        if (used >> o & 1) targets.push_back(all[o]);
      }
      const LetRun got =
          feed(slot, let_stream(targets, tree, setup.padded), 5, 1, s == 1 ? &random : nullptr);
      ASSERT_TRUE(got.ended);
      ASSERT_EQ(slot.errors(), 0u);
      for (unsigned o = 0; o < 5; ++o) {
        if (used >> o & 1) {
          EXPECT_TRUE(same_bits(records_of(got.out[o], setup.padded), reference_let(tree, all[o], 1)));
        } else {
          EXPECT_TRUE(got.out[o].empty());
        }
      }
    }
  }
}

/// Errors of a stream; every output must end all the same.
std::uint64_t errors_of(const Stream& stream, LetSetup setup = {}, unsigned outputs = 1,
                        unsigned depth = 4096) {
  Slot slot = make_slot(outputs, 0, depth);
  begin(slot, let_configs(outputs, setup));
  const LetRun got = feed(slot, stream, outputs, 1);
  EXPECT_TRUE(got.ended);
  for (const Stream& out : got.out) EXPECT_TRUE(!out.empty() && out.back().last);
  return slot.errors();
}

TEST(LetErrors, StreamsThatAreCutOff) {
  Random random(7);
  const Tree tree = make_tree(plummer(random, 40), 0.7, 1);
  const LetTarget target = ball(1, 0, 0, 1);
  const Stream good = let_stream({target}, tree, false);
  EXPECT_EQ(errors_of(good), 0u);
  EXPECT_EQ(errors_of(let_stream({target, target}, {}, false), {}, 2), 0u);
  EXPECT_EQ(errors_of(let_stream({target}, {}, false), {}, 2), kErrorTree);  // a target is missing
  for (unsigned bytes = 4; bytes < 32; bytes += 4) {                         // in the middle of record 1 or 2
    Stream cut(good.begin(), good.begin() + 3);
    cut.back().keep = (1u << bytes) - 1;
    cut.back().last = true;
    EXPECT_EQ(errors_of(cut), kErrorTree) << bytes;
  }
  std::vector<NodeRecord> longer = tree;
  longer.push_back({});
  for (unsigned pairs = 1; pairs < 3; ++pairs) {  // a whole tree and part of a record
    Stream more = let_stream({target}, longer, false);
    const std::size_t bytes = 24 * tree.size() + 8 * pairs, beats = (bytes + 31) / 32;
    more.resize(1 + beats);
    more.back().keep = static_cast<std::uint32_t>((std::uint64_t{1} << (bytes - 32 * (beats - 1))) - 1);
    more.back().last = true;
    EXPECT_EQ(errors_of(more), kErrorTree) << pairs;
  }
  Stream padded = let_stream({target}, tree, true);
  EXPECT_EQ(errors_of(padded, {.padded = true}), 0u);
  padded.back().keep = 0xffffff;  // without its zeros a record is whole
  EXPECT_EQ(errors_of(padded, {.padded = true}), 0u);
  padded.back().keep = 0xffff;
  EXPECT_EQ(errors_of(padded, {.padded = true}), kErrorTree);
  Stream target_cut = good;
  target_cut[0].keep = 0xffffff;
  EXPECT_EQ(errors_of(target_cut), kErrorTree);
  Stream ended_by_nothing = good;  // `last` may come alone
  ended_by_nothing.back().last = false;
  ended_by_nothing.push_back({.keep = 0, .last = true});
  EXPECT_EQ(errors_of(ended_by_nothing), 0u);
}

TEST(LetErrors, TreesThatAreNotBreadthFirst) {
  Random random(8);
  const LetTarget target = ball(1, 0, 0, 1);
  const Tree tree = make_tree(plummer(random, 100), 0.7, 1);
  const auto errors = [&](const Tree& t) { return errors_of(let_stream({target}, t, false)); };
  ASSERT_EQ(errors(tree), 0u);
  for (const int by : {-1, 1, 7}) {  // the last node with children begins elsewhere
    Tree bad = tree;
    const auto last = std::find_if(bad.rbegin(), bad.rend(), [](const NodeRecord& n) { return n.q >= 0; });
    last->more = static_cast<std::uint32_t>(static_cast<int>(last->more) + by);
    EXPECT_EQ(errors(bad), kErrorTree) << by;
    EXPECT_THROW((void)make_let(bad, ball(0, 0, 0, 100)), std::invalid_argument) << by;
  }
  Tree orphan = tree;  // one more than any node names
  orphan.push_back({-1, 0, 0, 0, 1, static_cast<std::uint32_t>(tree.size())});
  EXPECT_EQ(errors(orphan), kErrorTree);
  Tree short_of = tree;  // one fewer
  short_of.pop_back();
  EXPECT_EQ(errors(short_of), kErrorTree);
  EXPECT_THROW((void)make_let(short_of, ball(0, 0, 0, 100)), std::invalid_argument);
  Tree beyond = {{1, 0, 0, 0, 1, 0x3ffffff}};
  EXPECT_EQ(errors(beyond), kErrorTree);
  EXPECT_EQ(errors({{-1, 0, 0, 0, 1, 0}, {-1, 0, 0, 0, 1, 1}}), kErrorTree);
}

TEST(LetErrors, MoreOpenedNodesThanRemembered) {
  Random random(9);
  const Tree tree = make_tree(cube(random, 600), 0.7, 1);
  const LetTarget inside = ball(0.5f, 0.5f, 0.5f, 1), away = ball(100, 0, 0, 1);
  EXPECT_EQ(errors_of(let_stream({inside}, tree, false), {}, 1, 512), 0u);
  EXPECT_EQ(errors_of(let_stream({inside}, tree, false), {}, 1, 8), kErrorDepth);
  EXPECT_EQ(errors_of(let_stream({away}, tree, false), {}, 1, 8), 0u);
  EXPECT_EQ(errors_of(let_stream({away, inside}, tree, false), {}, 2, 8), kErrorDepth);
}

TEST(LetErrors, ConfigurationsAndShapesAreRefused) {
  Slot slot = make_slot(2);
  const auto errors = [&](std::vector<Config> configs) {
    slot.flush();
    slot.clock();
    begin(slot, configs);
    slot.clock();
    return slot.errors();
  };
  EXPECT_EQ(errors({{true, Kind::let, 7, 1}, {true, Kind::let, 7, 1}}), 0u);
  EXPECT_EQ(errors({{true, Kind::let, 8, 1}}), kErrorConfig);
  EXPECT_EQ(errors({{true, Kind::let, 0, 0}}), kErrorConfig);
  EXPECT_EQ(errors({{true, Kind::let, 0, 1}, {true, Kind::let, 1, 1}}), kErrorConfig);
  EXPECT_THROW(make_slot(1, 23), std::invalid_argument);
  EXPECT_THROW(make_slot(1, 0, 3), std::invalid_argument);
  Slot two(kLet, {.inputs = 2, .outputs = 1});
  begin(two, {{true, Kind::let, 0, 2}});
  EXPECT_EQ(two.errors(), kErrorConfig);
  begin(two, {{true, Kind::let, 0, 1}});
  two.push(1, {});
  for (unsigned n = 0; n < 3; ++n) two.clock();
  EXPECT_EQ(two.errors(), kErrorStray);
}

}  // namespace
}  // namespace polyloom::blocks::operators::test
