// SPDX-License-Identifier: Apache-2.0
// Covers: polyloom_overlay_detector, behind polyloom_overlay_gather, on meshes of model boards with random
// delays and stalls, seen by an observer who knows everything: never early, always in the end, votes, epochs,
// the host's gate; with the fast model at some boards; cycles of a barrier beside the fast model's. Leaves
// out: the links themselves, real tiles.
#include <gtest/gtest.h>

#include <cstdlib>

#include "fabric/full_tests.h"
#include "roles/overlay/sim/board/mesh_bench.h"
#include "roles/overlay/tests/detector/detector_world.h"

namespace polyloom::overlay::test {
namespace {

bool full() { return fabric::full_tests(); }

std::string name_of(MeshSize mesh) { return std::to_string(mesh.width) + "x" + std::to_string(mesh.height); }

/// Runs until all boards have seen so many barriers and all host messages are in. Returns how often the gate
/// had to ask.
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
    for (unsigned seed = 0; seed < (full() ? 100u : 10u) && !HasFailure(); ++seed) {
      run({.mesh = mesh,
           .seed = seed,
           .hop = 3 + seed % 4 * 30,
           .jitter = seed % 2 * 200,
           .host_messages = 20},
          8);
    }
  }
}

TEST(OverlayDetectorRtl, TheLargestMesh) {
  for (unsigned seed = 0; seed < (full() ? 10u : 2u) && !HasFailure(); ++seed) {
    run({.mesh = {8, 8}, .seed = seed, .hop = 20, .jitter = 50, .host_messages = 5}, full() ? 8 : 3);
  }
}

// Design and fast model understand each other in every arrangement.
TEST(OverlayDetectorRtl, MeshesOfBothKinds) {
  for (const MeshSize mesh : {MeshSize{2, 1}, {3, 2}, {3, 3}}) {
    for (unsigned seed = 0; seed < (full() ? 100u : 10u) && !HasFailure(); ++seed) {
      const auto is_rtl = [&](BoardCoord at) { return ((seed + 1) * 0x9e37u >> (at.x + 3 * at.y) & 1) != 0; };
      run({.mesh = mesh, .seed = seed, .hop = 10, .jitter = 150, .is_rtl = is_rtl, .host_messages = 10}, 6);
    }
  }
}

// What a board says last in an epoch depends on the messages alone, so it must be the same word for word.
TEST(OverlayDetectorRtl, LastReportsAreTheFastModelsWords) {
  for (const MeshSize mesh : {MeshSize{2, 1}, {1, 4}, {3, 2}, {3, 3}, {5, 4}}) {
    SCOPED_TRACE(name_of(mesh));
    constexpr std::uint64_t kBarriers = 5;
    std::map<std::pair<unsigned, std::uint64_t>, std::vector<std::uint64_t>> want;
    for (const unsigned kind : {0u, 1u, 2u}) {  // all model, all design, some of each
      World world(
          {.mesh = mesh,
           .seed = 3,
           .is_rtl = [&](BoardCoord at) { return kind == 1 || (kind == 2 && (at.x + at.y) % 2 == 0); },
           .scripted = true});
      while (world.barriers(0) < kBarriers && world.now() < 100'000 && !HasFailure()) world.cycle();
      ASSERT_GE(world.barriers(0), kBarriers);
      std::erase_if(world.last_reports,
                    [](const auto& report) { return report.first.second + 1 >= kBarriers; });
      ASSERT_EQ(world.last_reports.size(), (mesh.boards() - 1) * (kBarriers - 1));
      if (kind == 0) want = world.last_reports;
      EXPECT_EQ(world.last_reports, want) << "kind " << kind;
    }
  }
}

TEST(OverlayDetectorRtl, AThreadThatDoesNotWaitPreventsIt) {
  World world({.mesh = {3, 2}});
  world.keep_busy(4);
  for (int c = 0; c < 20'000; ++c) world.cycle();
  for (unsigned b = 0; b < world.boards(); ++b) EXPECT_EQ(world.barriers(b), 0u);
}

// ---- cycles of a barrier ----

constexpr unsigned kRounds = 20;

double cycles_of_design(MeshSize mesh, Cycle loop) {
  World world({.mesh = mesh, .exact_links = true, .budget = 0, .loop = loop});
  while (world.barriers(0) < 2) world.cycle();
  const Cycle from = world.now();
  while (world.barriers(0) < 2 + kRounds) world.cycle();
  return static_cast<double>(world.now() - from) / kRounds;
}

/// Boards of the fast model whose threads do nothing but wait.
double cycles_of_model(MeshSize mesh, DetectorKind detector) {
  MeshOptions options;
  options.mesh = mesh;
  options.params.board.tiles_x = kTilesX;
  options.params.board.tiles_y = kTilesY;
  options.params.board.dram_channels = 1;
  options.params.detector = detector;
  options.params.published_link = detector == DetectorKind::star;
  MeshBench bench(options);
  Asm a;
  a.li(1, kRounds + 1);
  a.li(2, kWaitRecv | kWaitIdle);
  const std::uint32_t loop = a.here();
  a.csrrw(3, csr::wait_until, 2);
  a.i(Op::addi, 1, 1, -1);
  a.branch(Op::bne, 1, 0, loop);
  a.kill();
  bench.load(a);
  bench.start();
  bench.run();
  std::vector<double> ends;
  bench.board(0).tables([&](std::string_view, std::string_view, std::string_view row) {
    const std::string text(row);
    ends.push_back(std::stod(text.substr(text.find(',', text.find(',') + 1) + 1)) / 4000);
  });
  EXPECT_EQ(ends.size(), kRounds + 1);
  return (ends.back() - ends.front()) / kRounds;
}

// Links of 195 cycles, frames as long as blocks/reliable_link makes them. The threads' own loop is taken from
// the fast model on one board, where no link takes part.
TEST(OverlayDetectorRtl, BarriersCostWhatTheFastModelSays) {
  const double one = cycles_of_model({1, 1}, DetectorKind::tree);
  const auto loop = static_cast<Cycle>(one) - (2 * (kTilesX + kTilesY) + 3);
  for (const MeshSize mesh : {MeshSize{1, 1}, {3, 2}, {3, 4}, {6, 8}}) {
    const double design = cycles_of_design(mesh, loop), model = cycles_of_model(mesh, DetectorKind::tree);
    std::printf("%s boards: design %.1f cycles a barrier, fast model %.1f\n", name_of(mesh).c_str(), design,
                model);
    RecordProperty(("design_" + name_of(mesh)).c_str(), std::to_string(design));
    RecordProperty(("model_" + name_of(mesh)).c_str(), std::to_string(model));
    if (mesh.boards() > 1) {
      EXPECT_NEAR(design / model, 1.0, 0.05) << name_of(mesh);
    }
    if (mesh.boards() == 6) {
      EXPECT_LT(3.5 * design, cycles_of_model(mesh, DetectorKind::star));
    }
  }
}

}  // namespace
}  // namespace polyloom::overlay::test
