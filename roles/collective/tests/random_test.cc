// SPDX-License-Identifier: Apache-2.0
// Covers: random programs of 2 to 5 nodes (copies, broadcasts, relays over several hops, both protocols,
// pulses, every order of instructions, unequal starts, with and without checks) against moving bytes one at a
// time; the same digest from every engine and the same cycles from every window; 64 nodes. Leaves out: the
// operators.
#include <gtest/gtest.h>

#include <cstring>

#include "fabric/cluster/reader.h"
#include "roles/collective/sim/role.h"
#include "roles/collective/tests/random_world.h"

namespace polyloom::collective {
namespace {

using namespace test;

struct RandomOutcome {
  std::uint64_t digest = 0;
  std::vector<Cycle> finish;
};

RandomOutcome play(unsigned seed, fabric::EngineOptions engine = {}, fabric::Time window = 0) {
  std::mt19937 rng(seed * 77);
  BenchOptions o;
  o.nodes = 2 + static_cast<int>(seed % 4);
  const unsigned channels = 1 + seed % 3;
  o.params = small_params(channels, RandomWorld::kBytes);
  o.params.block_check = seed % 2;
  o.params.rx_beats = seed % 5 == 0 ? 16 : 128;
  o.params.channel.read_latency = 1 + rng() % 50;
  o.params.command_cycles = rng() % 3;
  o.params.step_cycles = rng() % 4 == 0 ? 17 : 0;
  o.link.latency = seed % 2 ? 250'000 : 12'345;
  const fabric::Time periods[] = {300, 711, 1'422, 5'000};
  o.link.period = periods[rng() % 4];
  o.window = window;
  RandomWorld world(seed, o.nodes, channels, o.params.rx_beats);
  o.links = world.links;
  Bench b(o);
  for (int n = 0; n < o.nodes; ++n) {
    for (unsigned c = 0; c < channels; ++c) {
      std::memcpy(b.bytes(n, c), world.before[static_cast<std::size_t>(n)][c].data(), RandomWorld::kBytes);
    }
    b.start(n, world.programs[static_cast<std::size_t>(n)], rng() % 3 == 0 ? rng() % 500 : 0);
  }
  RandomOutcome out;
  out.digest = b.run(fabric::kNever, engine).digest;
  for (int n = 0; n < o.nodes; ++n) {
    EXPECT_EQ(b.engine(n).state(), Engine::State::idle)
        << "seed " << seed << " node " << n << ": " << b.node(n).waiting_for();
    out.finish.push_back(b.engine(n).finish());
    for (unsigned c = 0; c < channels; ++c) {
      const auto& expected = world.memory[static_cast<std::size_t>(n)][c];
      const auto differ = std::mismatch(expected.begin(), expected.end(), b.bytes(n, c));
      EXPECT_EQ(differ.first - expected.begin(), static_cast<std::ptrdiff_t>(RandomWorld::kBytes))
          << "seed " << seed << " node " << n << " channel " << c;
    }
  }
  return out;
}

TEST(RandomPrograms, MoveEveryByteToItsPlace) {
  for (unsigned seed = 1; seed <= 400 && !HasFailure(); ++seed) play(seed);
}

TEST(RandomPrograms, EnginesAreBitIdentical) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    const RandomOutcome serial = play(seed);
    for (const unsigned threads : {2u, 3u}) {
      const RandomOutcome parallel = play(seed, {.kind = fabric::EngineKind::threads, .threads = threads});
      EXPECT_EQ(parallel.digest, serial.digest) << seed;
    }
  }
}

TEST(RandomPrograms, WindowsChangeNoCycle) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const RandomOutcome normal = play(seed);
    EXPECT_EQ(play(seed, {}, 5'000).finish, normal.finish) << seed;
    EXPECT_EQ(play(seed, {}, 1'001).finish, normal.finish) << seed;
  }
}

// Every node of an 8 x 8 hypercube sends one channel to all its neighbours.
TEST(Hypercube, SixtyFourNodesGatherFromTheirNeighbours) {
  fabric::RoleRegistry roles;
  register_role(roles);
  const auto spec = fabric::read_cluster("optweb-8x8", roles);
  BenchOptions o;
  o.params = dynamic_cast<const CollectiveParams&>(*spec.nodes[0].params);
  o.params.channel.bytes = 1 << 16;
  o.link.latency = spec.links[0].quality.latency;
  o.link.period = spec.links[0].quality.word_period();
  o.nodes = 64;
  for (const auto& link : spec.links) {
    if (!link.to_host) o.links.emplace_back(link.node_a, link.node_b);
  }
  ASSERT_EQ(o.links.size(), 64u * 14 / 2);
  Bench b(o);
  constexpr unsigned kBytes = 4096;
  for (int n = 0; n < 64; ++n) {
    std::memset(b.bytes(n, 15), n + 1, kBytes);
    std::vector<Instruction> program{read(15, {0, kBytes, 1, 0})};
    for (unsigned l = 0; l < 14; ++l) {
      program.push_back(send(l, kFromRead + 15));
      program.push_back(take(l));
      program.push_back(write(l, {32768, kBytes, 1, 0}, kFromLane + l));
    }
    program.push_back(go());
    program.push_back(end());
    b.start(n, program);
  }
  b.run();
  ASSERT_TRUE(b.idle());
  for (int n = 0; n < 64; ++n) {
    for (int m = 0; m < 64; ++m) {
      const unsigned lane = b.lane(n, m);
      if (lane == 0xff) continue;
      EXPECT_TRUE(std::all_of(b.bytes(n, lane) + 32768, b.bytes(n, lane) + 32768 + kBytes,
                              [&](std::uint8_t byte) { return byte == m + 1; }));
    }
  }
}

}  // namespace
}  // namespace polyloom::collective
