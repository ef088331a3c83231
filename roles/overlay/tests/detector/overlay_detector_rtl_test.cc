// SPDX-License-Identifier: Apache-2.0
// Covers: the design's detectors on meshes of model boards with random delays and stalls, seen by an observer
// who knows everything: never early, always in the end, votes, epochs, the host's gate; with the fast model
// at some boards; cycles of a barrier beside the fast model's. Leaves out: the links themselves, real tiles.
#include <gtest/gtest.h>

#include <cstdlib>

#include "roles/overlay/sim/board/mesh_bench.h"
#include "roles/overlay/tests/detector/detector_world.h"

namespace polyloom::overlay::test {
namespace {

bool full() { return std::getenv("POLYLOOM_TEST_FULL") != nullptr; }

std::string name_of(MeshSize mesh) { return std::to_string(mesh.width) + "x" + std::to_string(mesh.height); }

/// Runs until all boards have seen so many barriers and all host messages are in. Returns how often the gate had to ask.
std::uint64_t run(const WorldOptions& options, std::uint64_t barriers) {
  SCOPED_TRACE(name_of(options.mesh) + ", seed " + std::to_string(options.seed));
  World world(options);
  const auto done = [&] {
    for (unsigned b = 0; b < world.boards(); ++b) {
      if (world.barriers(b) < barriers) return false;
    }
    return world.injected() == options.host_messages;
  };
  const Cycle limit =
      barriers * 40 * (500 + 30 * (options.hop + options.jitter)) + 2000 * options.host_messages;
  while (!done() && world.now() < limit && !::testing::Test::HasFailure()) world.cycle();
  EXPECT_TRUE(done()) << "after " << world.now() << " cycles, " << world.barriers(0) << " barriers, "
                      << world.injected() << " host messages";
  for (unsigned b = 0; b < world.boards(); ++b) EXPECT_EQ(world.detector(b).barriers(), world.barriers(b));
  EXPECT_LE(world.longest_frame, 31u);
  ::testing::Test::RecordProperty("longest_frame", static_cast<int>(world.longest_frame));
  return world.detector(0).grants();
}

TEST(OverlayDetectorRtl, NeverEarlyAndAlwaysInTheEnd) {
  for (const MeshSize mesh : {MeshSize{1, 1}, {2, 1}, {1, 3}, {3, 2}, {3, 3}}) {
    for (unsigned seed = 0; seed < (full() ? 40u : 4u) && !HasFailure(); ++seed) {
      run({.mesh = mesh,
           .seed = seed,
           .hop = 3 + seed % 4 * 30,
           .jitter = seed % 2 * 200,
           .host_messages = 20},
          8);
    }
  }
}

}  // namespace
}  // namespace polyloom::overlay::test
