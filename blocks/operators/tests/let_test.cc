// SPDX-License-Identifier: Apache-2.0
// Covers: make_let() and the LET operator's model against the straightforward LET (let_trees.h) on Plummer,
// Hernquist
//   and uniform trees, degenerate trees and targets, NaN, random bits; 1, 2 and 7 outputs, both packings,
//   both biases; exact cycle counts of every feed, the paper's rule among them; error bits, streams behind
//   each other.
// Leaves out: cycles under stalls (let_rtl_test.cc holds model and RTL together there).
#include "blocks/operators/sim/let.h"

#include <gtest/gtest.h>

#include "blocks/operators/tests/let_trees.h"

namespace polyloom::blocks::operators::test {
namespace {

constexpr std::uint64_t kLet = 1 << 4;

std::vector<Config> let_configs(unsigned outputs, LetSetup setup, std::uint64_t used = ~std::uint64_t{0}) {
  std::vector<Config> configs(outputs);
  for (unsigned o = 0; o < outputs; ++o) {
    if (used >> o & 1) configs[o] = {true, Kind::let, setup.word(), 1};
  }
  return configs;
}

struct Result {
  std::vector<Stream> out;
  std::uint64_t cycles =
      0;  ///< from the first beat offered to the cycle in which the last one stands at an output
  bool ended = false;
};

/// Feeds a beat every `spacing` cycles at most; outputs always take, or at random.
Result feed(Slot& slot, const Stream& stream, unsigned outputs, unsigned spacing, Random* stalls = nullptr) {
  Result result{std::vector<Stream>(outputs)};
  std::size_t at = 0;
  std::uint64_t next = 0;
  for (std::uint64_t cycle = 0; cycle < 200'000; ++cycle) {
    if (at < stream.size() && cycle >= next && (slot.ready() & 1) != 0 && (!stalls || below(*stalls, 3))) {
      slot.push(0, stream[at++]);
      next = cycle + spacing;
    }
    for (unsigned o = 0; o < outputs; ++o) {
      if ((slot.valid() >> o & 1) == 0 || (stalls && below(*stalls, 4) == 0)) continue;
      result.out[o].push_back(slot.front(o));
      slot.pop(o);
      result.cycles = cycle;
    }
    slot.clock();
    if (at == stream.size() && slot.idle()) {
      result.ended = true;
      break;
    }
  }
  return result;
}

Slot make_slot(unsigned outputs, unsigned geometry = 0, unsigned open_depth = 4096) {
  return Slot(kLet,
              {.inputs = 1, .outputs = outputs, .let_geometry = geometry, .let_open_depth = open_depth});
}
void begin(Slot& slot, const std::vector<Config>& configs) {
  slot.step(configs);
  slot.clock();
}

/// One tree, any targets: model, function and reference agree.
void expect_lets(const Tree& tree, const std::vector<LetTarget>& targets, LetSetup setup,
                 Random* stalls = nullptr) {
  const unsigned outputs = static_cast<unsigned>(targets.size()), bias = setup.bias_zero ? 0 : 1;
  Slot slot = make_slot(outputs);
  begin(slot, let_configs(outputs, setup));
  const Result got = feed(slot, let_stream(targets, tree, setup.padded), outputs, 1, stalls);
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
      if (node.q >= 0 && below(random, 30) == 0) node.q = kNan;
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

/// When each record enters the pipe, then when the last beat stands at the output: README.md, "LET", as a
/// recursion over beats and records.
std::uint64_t expected_cycles(const Tree& tree, const LetTarget& target, LetSetup setup, unsigned spacing,
                              unsigned geometry, unsigned targets) {
  const unsigned bias = setup.bias_zero ? 0 : 1, pairs = setup.padded ? 3 : 4;
  std::vector<std::uint32_t> parent(tree.size());
  for (std::uint32_t id = 0; id < tree.size(); ++id) {
    const std::uint32_t kids = tree[id].q < 0 ? 0 : (tree[id].more >> 26) + bias;
    for (std::uint32_t k = 0; k < kids; ++k) parent[(tree[id].more & 0x3ffffff) + k] = id;
  }
  std::vector<std::uint64_t> offered, taken, enters;
  const auto beat = [&](std::size_t records) {  // beats of records before this one
    std::uint64_t offer = offered.empty() ? 0 : offered.back() + spacing;
    if (taken.size() >= 2) offer = std::max(offer, taken[taken.size() - 2] + 1);  // a buffer of two
    std::uint64_t take = std::max(offer + 1, taken.empty() ? 0 : taken.back() + 1);
    // Four pairs fit behind two; so many records have gone then:
    if (records > 0) take = std::max(take, enters[(records * pairs - 2 + 2) / 3 - 1]);
    offered.push_back(offer);
    taken.push_back(take);
  };
  for (unsigned k = 0; k < targets; ++k) beat(0);
  std::size_t beats = 0;
  for (std::uint32_t id = 0; id < tree.size(); ++id) {
    while (beats * pairs < 3 * (id + 1)) beat(beats), ++beats;
    std::uint64_t enter = taken.back() + 1;
    if (id > 0) enter = std::max(enter, enters.back() + 1);
    if (id > 0 && setup.parent_first) enter = std::max(enter, enters[parent[id]] + geometry + 1);
    enters.push_back(enter);
  }
  // Of the packer: if the last record stays, two beats may be left when it has come.
  unsigned fill = 0;
  const Tree let = reference_let(tree, target, bias);
  for (std::size_t n = 0; n < let.size(); ++n) fill = (fill > 4 ? fill - 4 : fill) + (setup.padded ? 4 : 3);
  const bool stays = std::memcmp(&let.back().x, &tree.back().x, 16) == 0;
  return enters.back() + geometry + 3 + (stays && fill > 4 ? 1 : 0);
}

TEST(LetCycles, EqualTheRecursionAndTheClosedForms) {
  Random random(4);
  const Tree tree = make_tree(plummer(random, 2048), 0.7, 1);
  const std::uint64_t n = tree.size();
  struct Case {
    LetSetup setup;
    unsigned spacing, geometry;
    double per_record;
    unsigned tolerance;  ///< cycles beyond per_record * n: latency, and what the feed's phase adds
  };
  for (const Case& c : {Case{{}, 1, 15, 1, 26}, Case{{}, 2, 15, 1.5, 28},
                        Case{{.padded = true}, 1, 15, 1, 26}, Case{{.padded = true}, 2, 15, 2, 26},
                        Case{{.parent_first = true}, 1, 15, 1, 90}, Case{{}, 1, 136, 1, 150}}) {
    SCOPED_TRACE(testing::Message() << c.setup.word() << " every " << c.spacing << " pipe " << c.geometry);
    for (const unsigned targets : {1u, 2u}) {
      const LetTarget target = ball(targets == 1 ? 6 : 0, 0, 0, 1);  // some records leave, or all
      Slot slot = make_slot(targets, c.geometry);
      begin(slot, let_configs(targets, c.setup));
      const Result got =
          feed(slot, let_stream(std::vector(targets, target), tree, c.setup.padded), targets, c.spacing);
      ASSERT_TRUE(got.ended);
      EXPECT_EQ(got.cycles, expected_cycles(tree, target, c.setup, c.spacing, c.geometry, targets));
      EXPECT_GE(got.cycles, static_cast<std::uint64_t>(c.per_record * double(n)));
      EXPECT_LE(got.cycles, static_cast<std::uint64_t>(c.per_record * double(n)) + c.tolerance);
    }
  }
}

// PEACH2, table 5: 31.4 us at 150 MHz are 4,710 cycles, read as two processes of 2,048 bodies.
TEST(LetCycles, ThePapersPreset) {
  Random random(5);
  const LetSetup preset{.padded = true, .bias_zero = true, .parent_first = true};
  for (unsigned round = 0; round < 4; ++round) {
    const Tree tree = make_tree(plummer(random, 2048), 0.7, 0, 7);
    const LetTarget target = ball(0, 0, 0, 10);
    Slot slot = make_slot(1, 136);
    begin(slot, let_configs(1, preset));
    const Result got = feed(slot, let_stream({target}, tree, true), 1, 2);
    ASSERT_TRUE(got.ended);
    EXPECT_EQ(got.cycles, expected_cycles(tree, target, preset, 2, 136, 1));
    EXPECT_NEAR(static_cast<double>(got.cycles), 4710, 471);
    std::printf("paper's preset: %zu nodes, %llu cycles\n", tree.size(),
                static_cast<unsigned long long>(got.cycles));
  }
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
      const Result got =
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
  const Result got = feed(slot, stream, outputs, 1);
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
  EXPECT_THROW(make_slot(1, 14), std::invalid_argument);
  EXPECT_THROW(make_slot(1, 0, 1), std::invalid_argument);
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
