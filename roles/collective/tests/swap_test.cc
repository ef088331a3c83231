// SPDX-License-Identifier: Apache-2.0
// Covers: the fast model against the RTL in its place, each node alone and all: every operation and algorithm
// on 2 to 4 nodes, random programs, both protocols, with and without block checks: every word and pulse on
// every lane with its time, events, marks, memories. Leaves out: memory contention (equal bytes, not equal
// cycles), faults (swap_fault_test.cc).
#include <gtest/gtest.h>

#include <cstdlib>

#include "fabric/full_tests.h"
#include "roles/collective/tests/random_world.h"
#include "roles/collective/tests/swap_bench.h"
#include "roles/collective/tests/swap_operations.h"

namespace polyloom::collective {
namespace {

using namespace swap;

/// All as models, then each node as RTL, then all.
void compare(const Scene& setup, const std::string& what, bool cycles = true) {
  const Outcome models = run(setup, 0);
  for (const NodeResult& node : models.nodes) {
    ASSERT_EQ(node.events.size(), setup.programs.size()) << what;
    for (const auto& event : node.events) ASSERT_EQ(event.code, 0) << what;
  }
  const std::uint64_t all = (std::uint64_t{1} << setup.nodes) - 1;
  std::vector<std::uint64_t> masks{all};
  for (int n = 0; n < setup.nodes && setup.nodes > 1; ++n) masks.push_back(std::uint64_t{1} << n);
  for (const std::uint64_t mask : masks) {
    const std::string d = difference(models, run(setup, mask), cycles);
    ASSERT_EQ(d, "") << what << ", nodes " << mask << " as RTL";
  }
}

void operations(int nodes, const CollectiveParams& params, std::uint64_t eager, std::uint64_t largest,
                unsigned seed) {
  for (const OperationCase& c : operation_cases(nodes, kSwapBytes, eager, largest, seed)) {
    Scene s;
    s.params = params;
    s.nodes = nodes;
    s.links = mesh(nodes);
    s.programs = {c.programs};
    s.memory = c.before;
    for (int n = 0; n < nodes; ++n)
      s.skew.push_back(static_cast<Cycle>(seed * 7 + 13 * static_cast<unsigned>(n)) % 40);
    const Outcome models = run(s, 0);
    for (std::size_t n = 0; n < c.after.size(); ++n) {
      for (unsigned k = 0; k < kSwapChannels; ++k)
        ASSERT_EQ(models.nodes[n].channels[k], c.after[n][k]) << c.name;
    }
    compare(s, c.name + (eager != 0 ? ", eager" : ""));
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(SwapOperations, TwoNodes) {
  operations(2, checked_params(), 0, 3000, 1);
  operations(2, checked_params(), 4096, 1500, 2);
}
TEST(SwapOperations, ThreeNodes) { operations(3, checked_params(), 0, 1500, 3); }
TEST(SwapOperations, FourNodes) { operations(4, checked_params(), 1024, 1200, 4); }
TEST(SwapOperations, WithoutBlockChecks) {
  operations(2, plain_params(), 0, 1500, 5);
  operations(3, plain_params(), 1024, 1200, 6);
}

TEST(SwapRandom, Programs) {
  const unsigned last = fabric::full_tests() ? 120 : 12;
  for (unsigned seed = 1; seed <= last && !HasFatalFailure(); ++seed) {
    Scene s;
    s.nodes = 2 + static_cast<int>(seed % 2);
    s.params = seed % 4 < 2 ? checked_params() : plain_params();
    const fabric::Time periods[] = {711, 1'422, 5'000};
    s.link.period = periods[seed % 3];
    s.link.latency = seed % 2 ? 250'000 : 24'690;
    test::RandomWorld world(seed, s.nodes, kSwapChannels, s.params.rx_beats);
    s.links = world.links;
    s.programs = {world.programs};
    s.memory = world.before;
    for (int n = 0; n < s.nodes; ++n) s.skew.push_back((seed * 31 + 57 * static_cast<unsigned>(n)) % 90);
    compare(s, "seed " + std::to_string(seed));
  }
}

}  // namespace
}  // namespace polyloom::collective
