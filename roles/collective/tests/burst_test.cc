// SPDX-License-Identifier: Apache-2.0
// Covers: computing many cycles at once (burst.h) against stepping every edge: equal digest,
// counters, events, ends and memory on random programs in windows of several lengths, with damaged links and
// watchdogs, shared halves of a channel, patterns that cross halves, timing without contents, uneven clocks.
// Leaves out: what the programs must do (random_test.cc, engine_test.cc).
#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "roles/collective/tests/random_world.h"

namespace polyloom::collective {
namespace {

using namespace test;

struct Outcome {
  std::uint64_t digest = 0;
  fabric::Time end = 0;
  std::vector<std::pair<std::string, std::uint64_t>> counters;
  std::vector<std::string> waiting;
  std::vector<std::array<std::uint64_t, 7>> events;
  std::vector<std::vector<std::uint8_t>> memory;
  bool operator==(const Outcome&) const = default;
};

struct Totals {
  std::uint64_t bursts = 0, stepped = 0;
};

Outcome finish(Bench& b, Totals& totals, fabric::EngineOptions engine = {}) {
  Outcome out;
  std::vector<decltype(out.events)> events(static_cast<std::size_t>(b.nodes()));  // nodes run in parallel
  for (int n = 0; n < b.nodes(); ++n) {
    b.engine(n).listen([&mine = events[static_cast<std::size_t>(n)], n](const ProgramEnd& e) {
      mine.push_back(
          {static_cast<std::uint64_t>(n), e.code, e.instruction, e.lane, e.begin, e.finish, e.value});
    });
  }
  engine.collect_counters = true;
  const auto result = b.run(fabric::kNever, engine);
  for (const auto& mine : events) out.events.insert(out.events.end(), mine.begin(), mine.end());
  out.digest = result.digest;
  out.end = result.end;
  out.counters = result.counters;
  out.waiting = result.waiting;
  for (const auto& [name, value] : result.counters) {
    if (name.ends_with(".step_cycles")) totals.stepped += value;
  }
  for (int n = 0; n < b.nodes(); ++n) {
    totals.bursts += b.engine(n).burst_cycles();
    for (unsigned c = 0; b.options().params.stored && c < b.options().params.channels; ++c) {
      out.memory.emplace_back(b.bytes(n, c), b.bytes(n, c) + b.options().params.channel.bytes);
    }
  }
  return out;
}

void expect_equal(const Outcome& fast, const Outcome& slow, const std::string& where) {
  EXPECT_EQ(fast.counters, slow.counters) << where;
  EXPECT_EQ(fast.events, slow.events) << where;
  EXPECT_EQ(fast.waiting, slow.waiting) << where;
  EXPECT_EQ(fast.end, slow.end) << where;
  EXPECT_EQ(fast.digest, slow.digest) << where;
  EXPECT_TRUE(fast.memory == slow.memory) << where;
}

BenchOptions options_of(unsigned seed, std::mt19937& rng) {
  BenchOptions o;
  o.nodes = 2 + static_cast<int>(seed % 4);
  o.params = small_params(1 + seed % 3, RandomWorld::kBytes);
  o.params.block_check = seed % 2 != 0;
  o.params.rx_beats = seed % 5 == 0 ? 64 : 512;
  o.params.channel.read_latency = 1 + rng() % 50;
  o.params.step_cycles = rng() % 4 == 0 ? 17 : 0;
  if (seed % 7 == 0) o.params.clock_hz = 322'265'625;
  const fabric::Time periods[] = {300, 711, 1'422, 5'000};
  o.link.period = periods[rng() % 4];
  o.link.latency = 600'000;
  return o;
}

Outcome play(unsigned seed, bool bursts, fabric::Time window, Totals& totals,
             const std::function<void(BenchOptions&)>& change = {}, std::uint64_t watchdog = 0,
             fabric::EngineOptions engine = {}) {
  std::mt19937 rng(seed * 91);
  BenchOptions o = options_of(seed, rng);
  o.bursts = bursts;
  o.window = window;
  if (change) change(o);
  RandomWorld world(seed, o.nodes, o.params.channels, o.params.rx_beats);
  o.links = world.links;
  Bench b(o);
  for (int n = 0; n < o.nodes; ++n) {
    const auto at = static_cast<std::size_t>(n);
    for (unsigned c = 0; o.params.stored && c < o.params.channels; ++c) {
      std::memcpy(b.bytes(n, c), world.before[at][c].data(), RandomWorld::kBytes);
    }
    b.engine(n).watchdog = watchdog;
    b.start(n, world.programs[at], rng() % 3 == 0 ? rng() % 500 : 0);
  }
  return finish(b, totals, engine);
}

TEST(Bursts, RandomProgramsAreTheSame) {
  Totals totals, none;
  for (unsigned seed = 1; seed <= 150 && !HasFailure(); ++seed) {
    for (const fabric::Time window : {0, 250'000, 61'000}) {
      const std::string where = "seed " + std::to_string(seed) + " window " + std::to_string(window);
      expect_equal(play(seed, true, window, totals), play(seed, false, window, none), where);
    }
  }
  EXPECT_EQ(none.bursts, 0u);
  EXPECT_GT(totals.bursts, totals.stepped / 3) << "of " << totals.stepped << " cycles of steps";
}

TEST(Bursts, DamagedLinksAndWatchdogsAreTheSame) {
  Totals totals, none;
  unsigned stopped = 0;
  for (unsigned seed = 1; seed <= 120 && !HasFailure(); ++seed) {
    const auto damage = [&](BenchOptions& o) {
      o.link.bit_error_rate = 2e-6;
      o.link.drop_rate = seed % 3 == 0 ? 0.01 : 0;
      o.link.seed = seed;
    };
    const std::uint64_t watchdog = 30 + 200 * (seed % 5);
    const Outcome fast = play(seed, true, 0, totals, damage, watchdog);
    expect_equal(fast, play(seed, false, 0, none, damage, watchdog), "seed " + std::to_string(seed));
    for (const auto& event : fast.events) stopped += event[1] != 0;
  }
  EXPECT_GT(stopped, 50u);
  EXPECT_GT(totals.bursts, 0u);
}

TEST(Bursts, TimingWithoutContentsIsTheSame) {
  Totals totals, none;
  for (unsigned seed = 1; seed <= 30 && !HasFailure(); ++seed) {
    const auto hollow = [](BenchOptions& o) { o.params.stored = false; };
    expect_equal(play(seed, true, 0, totals, hollow), play(seed, false, 0, none, hollow),
                 "seed " + std::to_string(seed));
  }
  EXPECT_GT(totals.bursts, 0u);
}

TEST(Bursts, EnginesAreBitIdentical) {
  Totals totals;
  for (unsigned seed = 1; seed <= 12; ++seed) {
    const Outcome serial = play(seed, true, 0, totals);
    for (const unsigned threads : {2u, 3u}) {
      const Outcome parallel =
          play(seed, true, 0, totals, {}, 0, {.kind = fabric::EngineKind::threads, .threads = threads});
      EXPECT_EQ(parallel.digest, serial.digest) << seed;
      EXPECT_EQ(parallel.counters, serial.counters) << seed;
    }
  }
}

/// An eager block that is not accepted runs over the buffer at its own beat while another stream flows.
TEST(Bursts, OverflowComesAtTheSameBeat) {
  for (const unsigned beats : {127u, 128u, 129u, 400u}) {
    Totals totals, none;
    Outcome outcomes[2];
    for (const bool bursts : {true, false}) {
      BenchOptions o{.params = small_params(2), .links = {{0, 1}}, .nodes = 2};
      o.link.latency = 400'000;
      o.bursts = bursts;
      Bench b(o);
      b.start(0, {read(0, {0, beats * 32, 1, 0}), send(0, kFromRead, kEager), go(), end()});
      b.start(1, {read(0, {0, 32768, 1, 0}), write(0, {32768, 32768, 1, 0}, kFromRead), go(), end()});
      outcomes[bursts] = finish(b, bursts ? totals : none);
    }
    expect_equal(outcomes[1], outcomes[0], std::to_string(beats) + " beats");
    EXPECT_EQ(outcomes[1].events.back()[1], beats > 128 ? static_cast<std::uint64_t>(Fault::overflow) : 0u);
    EXPECT_GT(totals.bursts, 0u);
  }
}

/// Long streams that share a channel in all ways, and one that passes three nodes.
TEST(Bursts, HalvesOfAChannelAreTheSame) {
  constexpr std::uint32_t kLong = 300 * 32, kHalf = 1 << 15;
  struct Case {
    Pattern from, to;
  };
  const Case cases[] = {
      {{0, kLong, 1, 0}, {kHalf, kLong, 1, 0}},          // other halves
      {{0, kLong, 1, 0}, {kHalf - kLong, kLong, 1, 0}},  // the same half
      {{kHalf - 1024, kLong, 1, 0}, {0, kLong, 1, 0}},   // crosses the border, then on the other side
      {{0, kLong, 1, 0}, {kHalf - 4096, kLong, 1, 0}},   // is written across the border
      {{0, 40, 200, 64}, {kHalf, 12800, 1, 0}},          // runs with a short end
      {{kHalf + 199 * 64, 64, 200, -64}, {0, 64, 200, 96}},
      {{0, 96, 200, 32}, {kHalf, 32, 600, 32}},  // runs over each other
  };
  for (const Case& c : cases) {
    Totals totals, none;
    Outcome outcomes[2];
    for (const bool bursts : {true, false}) {
      BenchOptions o{.params = small_params(2), .links = {{0, 1}, {1, 2}}, .nodes = 3};
      o.link.latency = 400'000;
      o.bursts = bursts;
      Bench b(o);
      for (unsigned i = 0; i < 65536; ++i) b.bytes(0, 0)[i] = static_cast<std::uint8_t>(i * 31 + i / 256);
      b.start(0, {read(0, c.from), write(0, c.to, kFromRead, kOpenEnd), send(0, kFromRead), go(0), end()});
      b.start(1, {take(0), send(1, kFromLane), write(1, {0, 32768, 1, 0}, kFromLane, kOpenEnd), go(0), end()},
              90);
      b.start(2, {take(0), write(0, {0, 32768, 1, 0}, kFromLane, kOpenEnd), go(0), end()}, 200);
      outcomes[bursts] = finish(b, bursts ? totals : none);
      EXPECT_TRUE(b.idle()) << b.node(0).waiting_for();
      EXPECT_EQ(std::memcmp(b.bytes(1, 1), b.bytes(2, 0), 32768), 0);
    }
    expect_equal(outcomes[1], outcomes[0], "from " + std::to_string(c.from.base));
    EXPECT_GT(totals.bursts, 0u);
  }
}

}  // namespace
}  // namespace polyloom::collective
