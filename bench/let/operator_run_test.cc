// SPDX-License-Identifier: Apache-2.0
// Covers: the benchmark's feed of the LET operator: a beat that a stall held back lets no later ones catch
//   up, so that the stalls of the paper's rule (parents first) are in its time; LETs equal the host's in
//   every form.
// Leaves out: the operator's cycles themselves (blocks/operators/tests/let_cycles_test.cc).
#include "bench/let/operator_run.h"

#include <gtest/gtest.h>

#include <cstring>

#include "bench/let/domains.h"
#include "blocks/operators/sim/pace.h"
#include "nbody/tree/let.h"

namespace polyloom::bench {
namespace {

using blocks::operators::LetSetup;
using blocks::operators::Pace;

constexpr unsigned kPipe = 136;  // cycles of the published MAC module
constexpr unsigned kSpacing = 2;

std::vector<DomainTree> two_domains(std::size_t bodies) {
  nbody::Settings settings;
  settings.leaf = 8;
  settings.mac.criterion = nbody::Criterion::kAngle;
  settings.mac.theta = 0.7;
  return plummer_domains(bodies, 2, settings);
}

TEST(Pace, ABeatThatWaitedLetsNoOtherCatchUp) {
  Pace pace(kSpacing);
  EXPECT_TRUE(pace.offers(0));
  pace.taken(10);  // stalled for ten cycles: five beats of a schedule from the first one would be due
  EXPECT_FALSE(pace.offers(11));
  EXPECT_TRUE(pace.offers(12));
  pace.taken(12);
  EXPECT_FALSE(pace.offers(13));
}

TEST(OperatorRun, StallsOfParentsFirstAreInTheTime) {
  const auto trees = two_domains(4096);
  const nbody::Target target = trees[1].summary.target;
  const auto cycles = [&](bool parent_first, unsigned spacing) {
    const LetSetup setup{.padded = true, .parent_first = parent_first};
    return run_operator(trees[0].nodes, {&target, 1}, setup, spacing, kPipe).cycles;
  };
  // Each of the tree's upper levels waits for its parent's way through the pipe; with a beat a node every two
  // cycles at most, no cycle of it can be won back.
  const std::uint64_t bus = kSpacing * trees[0].nodes.size();
  EXPECT_GE(cycles(false, kSpacing), bus);
  EXPECT_LT(cycles(false, kSpacing), bus + kPipe + 32);
  EXPECT_GT(cycles(true, kSpacing), bus + kPipe + 32 + kPipe / 2);
}

TEST(OperatorRun, LetsAreTheHostsInEveryForm) {
  const auto trees = two_domains(1000);
  const nbody::Target target = trees[1].summary.target;
  nbody::Let expected;
  nbody::make_let({trees[0].nodes, {}}, target, expected);
  for (const bool padded : {false, true}) {
    const OperatorRun run = run_operator(trees[0].nodes, {&target, 1}, LetSetup{.padded = padded}, 1, 0);
    ASSERT_EQ(run.lets.size(), 1u);
    EXPECT_EQ(run.lets[0].size(), expected.count);
  }
}

}  // namespace
}  // namespace polyloom::bench
