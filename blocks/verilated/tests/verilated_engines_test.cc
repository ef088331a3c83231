// SPDX-License-Identifier: Apache-2.0
// Covers: bit-identical runs of Verilated nodes on the serial and threads engines; skipped idle edges change
// nothing; two shapes of one top in a process. Leaves out: mpi (verilated_mpi.cc).
#include <gtest/gtest.h>

#include "blocks/verilated/tests/demo_cluster.h"

namespace polyloom::blocks::testing {
namespace {

using namespace fabric;

struct Facts {
  std::uint64_t digest;
  Time end;
  std::uint64_t windows;
  std::vector<std::pair<std::string, std::uint64_t>> counters;
  bool operator==(const Facts&) const = default;
};

Facts run_cluster(std::uint64_t seed, bool skip_idle, EngineKind kind, unsigned threads,
                  Time limit = kClusterEnd) {
  Fabric fabric;
  build_cluster(fabric, seed, skip_idle);
  const RunResult r =
      run(fabric, {.kind = kind, .threads = threads, .limit = limit, .collect_counters = true});
  EXPECT_EQ(r.reason, RunEnd::limit);
  return {r.digest, r.end, r.windows, r.counters};
}

std::uint64_t counter(const Facts& facts, const std::string& name) {
  for (const auto& [key, value] : facts.counters) {
    if (key == name) return value;
  }
  ADD_FAILURE() << "no counter " << name;
  return 0;
}

TEST(VerilatedEngines, SerialAndThreadsAgreeBitForBit) {
  for (const std::uint64_t seed : {1u, 2u}) {
    const Facts serial = run_cluster(seed, true, EngineKind::serial, 1);
    EXPECT_GT(counter(serial, "link.c->east.words"), 100u);  // the traffic got through all three
    EXPECT_GT(counter(serial, "link.c->east.pulses"), 3u);
    EXPECT_GT(counter(serial, "a.mem.0.beats_written"), 3u);
    for (const unsigned threads : {1u, 2u, 3u}) {
      EXPECT_EQ(run_cluster(seed, true, EngineKind::threads, threads), serial) << seed << ", " << threads;
    }
  }
  EXPECT_NE(run_cluster(1, true, EngineKind::serial, 1).digest,
            run_cluster(2, true, EngineKind::serial, 1).digest);
}

TEST(VerilatedEngines, IdleEdgesMayBeSkipped) {
  const Facts skipped = run_cluster(3, true, EngineKind::serial, 1);
  const Facts all = run_cluster(3, false, EngineKind::serial, 1);
  EXPECT_EQ(skipped.digest, all.digest);
  EXPECT_EQ(skipped.end, all.end);
  EXPECT_LT(2 * counter(skipped, "a.edges_run"), counter(all, "a.edges_run"));
  EXPECT_EQ(counter(all, "a.edges_run"), static_cast<std::uint64_t>(kClusterEnd / 4000));
}

}  // namespace
}  // namespace polyloom::blocks::testing
