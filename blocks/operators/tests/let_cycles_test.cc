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
      const LetRun got =
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
    const LetRun got = feed(slot, let_stream({target}, tree, true), 1, 2);
    ASSERT_TRUE(got.ended);
    EXPECT_EQ(got.cycles, expected_cycles(tree, target, preset, 2, 136, 1));
    EXPECT_NEAR(static_cast<double>(got.cycles), 4710, 471);
    std::printf("paper's preset: %zu nodes, %llu cycles\n", tree.size(),
                static_cast<unsigned long long>(got.cycles));
  }
}

}  // namespace
}  // namespace polyloom::blocks::operators::test
