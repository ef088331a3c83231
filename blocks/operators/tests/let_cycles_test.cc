// SPDX-License-Identifier: Apache-2.0
// Covers: in how many cycles the LET operator's model does a tree: exact, against a recursion over beats and
//   records written from the operator's header, for every feed, pipe and rule; closed forms; the paper's
//   case.
// Leaves out: stalls (let_rtl_test.cc holds model and RTL together there).
#include <gtest/gtest.h>

#include "blocks/operators/tests/let_run.h"
#include "blocks/operators/tests/let_trees.h"

namespace polyloom::blocks::operators::test {
namespace {

/// 1 if the last record stays and finds so much in the packer that two beats are left.
std::uint64_t two_beats_left(const Tree& tree, const Tree& let, LetSetup setup) {
  unsigned fill = 0;
  for (std::size_t n = 0; n < let.size(); ++n) fill = (fill > 4 ? fill - 4 : fill) + (setup.padded ? 4 : 3);
  return std::memcmp(&let.back().x, &tree.back().x, 16) == 0 && fill > 4 ? 1 : 0;
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
  return enters.back() + geometry + 3 + two_beats_left(tree, reference_let(tree, target, bias), setup);
}

TEST(LetCycles, EqualTheRecursion) {
  Random random(4);
  struct Case {
    LetSetup setup;
    unsigned spacing, geometry;
  };
  for (unsigned round = 0; round < 40; ++round) {
    const Tree tree = make_tree(plummer(random, 2 + below(random, 1000)), 0.7, 1);
    const LetTarget target = ball(static_cast<float>(2 * below(random, 4)), 0, 0, 1);  // all stays, or some
    const Case c{{.padded = below(random, 2) == 0, .parent_first = below(random, 2) == 0},
                 1 + below(random, 4),
                 below(random, 2) ? 24 : 24 + below(random, 200)};
    const unsigned targets = 1 + below(random, 3);
    SCOPED_TRACE(testing::Message() << "word " << c.setup.word() << " every " << c.spacing << " pipe "
                                    << c.geometry << " records " << tree.size() << " targets " << targets);
    Slot slot = make_slot(targets, c.geometry);
    begin(slot, let_configs(targets, c.setup));
    const Stream stream = let_stream(std::vector(targets, target), tree, c.setup.padded);
    const LetRun got = feed(slot, stream, targets, c.spacing);
    ASSERT_TRUE(got.ended);
    EXPECT_EQ(got.cycles, expected_cycles(tree, target, c.setup, c.spacing, c.geometry, targets));
  }
}

TEST(LetCycles, EqualTheClosedForms) {
  Random random(5);
  for (unsigned bodies = 2040; bodies < 2060; ++bodies) {
    const Tree tree = make_tree(plummer(random, bodies), 0.7, 1);
    const std::uint64_t n = tree.size(), k = 1 + below(random, 7), g = Let::kGeometry;
    const LetTarget target = ball(bodies % 2 ? 6 : 0, 0, 0, 1);
    for (const bool padded : {false, true}) {
      for (const unsigned spacing : {1u, 2u}) {
        const LetSetup setup{.padded = padded};
        const auto targets = static_cast<unsigned>(k);
        Slot slot = make_slot(targets);
        begin(slot, let_configs(targets, setup));
        const LetRun got = feed(slot, let_stream(std::vector(k, target), tree, padded), targets, spacing);
        std::uint64_t cycles = n + k + g + 4;
        if (spacing == 2) cycles = (padded ? 2 * n : 2 * ((3 * n + 3) / 4) + (n % 4 == 0)) + 2 * k + g + 3;
        EXPECT_EQ(got.cycles, cycles + two_beats_left(tree, reference_let(tree, target, 1), setup))
            << padded << spacing << " " << n;
      }
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
    const LetRun got = feed(slot, let_stream({target}, tree, true), 1, 2);
    ASSERT_TRUE(got.ended);
    EXPECT_EQ(got.cycles, expected_cycles(tree, target, preset, 2, 136, 1));
    EXPECT_NEAR(static_cast<double>(got.cycles), 4710, 471);
    std::array<std::uint64_t, 2> ours{};
    for (unsigned spacing = 1; spacing <= 2; ++spacing) {
      Slot other = make_slot(1);
      begin(other, let_configs(1, {.bias_zero = true}));
      ours[spacing - 1] = feed(other, let_stream({target}, tree, false), 1, spacing).cycles;
    }
    std::printf("%zu nodes: paper's preset %lu cycles; packed, 128 bit a cycle %lu, 256 bit %lu\n",
                tree.size(), got.cycles, ours[1], ours[0]);
  }
}

}  // namespace
}  // namespace polyloom::blocks::operators::test
