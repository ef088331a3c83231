// SPDX-License-Identifier: Apache-2.0
// Covers: shipped routes between all pairs, random traffic of all to all at saturation with few slots (every
// byte lands: no deadlock), order of flags behind data, the exact time of uncontended packets, engines
// bit-identical. Leaves out: what port L does (local_test.cc), host programs (hub_host_test.cc).
#include <algorithm>
#include <random>

#include "roles/hub/tests/hub_bench.h"

namespace polyloom::hub {
namespace {

using namespace test;

void all_pairs(unsigned size, unsigned rings) {
  Bench b(ring(size, rings));
  const unsigned n = b.nodes();
  Time t = kReady;
  for (unsigned from = 0; from < n; ++from) {
    for (unsigned to = 0; to < n; ++to) {
      b.store64(t += 3 * kUs, from, address(to, kMemory, 8 * from), 1000 * from + to + 1);
    }
  }
  ASSERT_EQ(b.run().stuck, std::vector<std::string>{});
  for (unsigned from = 0; from < n; ++from) {
    for (unsigned to = 0; to < n; ++to) {
      EXPECT_EQ(b.word(to, 8 * from), 1000 * from + to + 1) << from << " to " << to;
    }
    EXPECT_EQ(b.hub(from).network().status(), 0u);
  }
}

TEST(HubRoutes, AllPairs) {
  for (const unsigned size : {2u, 3u, 5u, 8u, 16u}) all_pairs(size, 1);
  for (const unsigned size : {2u, 4u, 8u}) all_pairs(size, 2);
}

TEST(HubRoutes, TakeTheShorterWayAndBalance) {
  std::vector<unsigned> loads(2 * 8, 0);
  for (unsigned from = 0; from < 8; ++from) {
    for (unsigned to = 0; to < 8; ++to) {
      unsigned hops = 0;
      for (unsigned at = from; at != to; ++hops) {
        const RouteTable table = ring_routes(at, 8, 1);
        const std::uint64_t part = address(to, kMemory) >> kRuleShift;
        const auto matches = [&](Port port) {
          return std::ranges::any_of(table.rules[static_cast<unsigned>(port)], [&](std::uint64_t r) {
            const std::uint64_t seen = part & (r >> 32 & 0x7fff);
            return r >> 63 != 0 && seen >= (r & 0x7fff) && seen <= (r >> 16 & 0x7fff);
          });
        };
        ASSERT_NE(matches(Port::east), matches(Port::west)) << at << " to " << to;
        ++loads[2 * at + matches(Port::west)];
        at = (at + (matches(Port::east) ? 1 : 7)) % 8;
      }
      EXPECT_EQ(hops, std::min((to + 8 - from) % 8, (from + 8 - to) % 8));
    }
  }
  for (const unsigned load : loads) EXPECT_EQ(load, 8u);
}

/// Every node puts random pieces to random places; flags follow. The order at a destination is the sender's.
struct Traffic {
  std::vector<std::vector<std::uint8_t>> expected;
  std::uint64_t bytes = 0;
};
constexpr std::uint64_t kRegion = 1 << 14;  ///< of each sender in each memory

Traffic saturate(Bench& b, unsigned seed, unsigned puts) {
  std::mt19937 random(seed);
  const unsigned n = b.nodes();
  Traffic traffic;
  const std::uint64_t out = kRegion * n;  // what is sent lies behind what arrives
  for (unsigned to = 0; to < n; ++to) traffic.expected.emplace_back(kRegion * n);
  for (unsigned from = 0; from < n; ++from) {
    const auto memory = b.memory(from);
    for (std::uint64_t i = out; i < out + kRegion; ++i) memory[i] = static_cast<std::uint8_t>(random());
    for (unsigned p = 0; p < puts; ++p) {
      const unsigned to = static_cast<unsigned>(random() % n);
      const std::uint64_t bytes = 1 + random() % (p % 4 == 0 ? 3000 : 60),
                          at = random() % (kRegion - bytes - 8), source = random() % (kRegion - bytes);
      b.put(kReady, from, out + source, address(to, kMemory, kRegion * from + at), bytes);
      std::copy_n(memory.begin() + static_cast<std::ptrdiff_t>(out + source), bytes,
                  traffic.expected[to].begin() + static_cast<std::ptrdiff_t>(kRegion * from + at));
      traffic.bytes += bytes;
    }
    for (unsigned to = 0; to < n; ++to) {
      const std::uint64_t flag = 0xf1a60000 + from;
      b.store64(kReady, from, address(to, kMemory, kRegion * (from + 1) - 8), flag);
      std::memcpy(traffic.expected[to].data() + kRegion * (from + 1) - 8, &flag, 8);
    }
  }
  return traffic;
}

void saturated(unsigned size, unsigned rings, unsigned slots, unsigned payload, unsigned seed) {
  BenchOptions o = ring(size, rings);
  o.params.slots = slots;
  o.params.max_payload = payload;
  Bench b(o);
  const Traffic traffic = saturate(b, seed, 60);
  const auto result = b.run(20'000 * kUs);
  ASSERT_EQ(result.reason, fabric::RunEnd::quiet) << size << " x " << rings << ", slots " << slots;
  for (unsigned n = 0; n < b.nodes(); ++n) {
    const auto got = b.memory(n).first(traffic.expected[n].size());
    EXPECT_TRUE(std::equal(got.begin(), got.end(), traffic.expected[n].begin())) << "memory of " << n;
    EXPECT_EQ(b.hub(n).network().status(), 0u);
  }
}

TEST(HubSaturation, EveryByteLands) {
  saturated(8, 1, 2, 128, 1);
  saturated(8, 1, 8, 512, 2);
  saturated(8, 2, 2, 128, 3);
  saturated(8, 2, 4, 256, 4);
  saturated(3, 1, 2, 512, 5);
  saturated(2, 2, 2, 256, 6);
}

/// A flag is in memory only when all data before it are: the waiting client looks when it hears of the flag.
TEST(HubOrder, FlagsComeBehindData) {
  Bench b(ring(8));
  constexpr unsigned kRounds = 6;
  constexpr std::uint64_t kBytes = 5000;
  for (unsigned from = 0; from < 8; ++from)
    std::fill_n(b.memory(from).data() + 65536, kBytes, std::uint8_t(from + 1));
  for (unsigned r = 0; r < kRounds; ++r) {
    for (unsigned from = 0; from < 8; ++from) {
      const unsigned to = (from + 1 + r) % 8;
      b.put(kReady + r * 4 * kUs, from, 65536, address(to, kMemory, 8192 * from), kBytes);
      b.store64(kReady + r * 4 * kUs, from, address(to, kMemory, 8192 * from + 8000), r + 1);
    }
  }
  // Step by step, so that memory is looked at while packets are on their way.
  for (Time t = kReady; t < kReady + 60 * kUs; t += 100 * kNs) {
    b.run(t);
    for (unsigned to = 0; to < 8; ++to) {
      for (unsigned from = 0; from < 8; ++from) {
        if (b.word(to, 8192 * from + 8000) == 0) continue;
        for (std::uint64_t i : {std::uint64_t{0}, kBytes / 2, kBytes - 1}) {
          ASSERT_EQ(b.memory(to)[8192 * from + i], from + 1) << from << " to " << to << " at " << t;
        }
      }
    }
  }
}

/// By the rules of the wire (lane.h) and Timing: no number here is measured.
Time expected_landing(const BenchOptions& o, Time command, unsigned hops, std::uint64_t bytes) {
  const fabric::Clock clock(o.params.clock_hz);
  const Time word = o.ring.period;
  const auto beats = static_cast<std::uint64_t>(tlp_beats(static_cast<std::uint32_t>(bytes)));
  const Time last_words = (bytes % 16 == 0 || bytes % 16 > 8) ? 2 : 1;
  // The first word leaves at `first`, all beats follow without a gap.
  Time first = command + o.params.store_latency, latency = o.north.latency;
  for (unsigned hub = 0; hub <= hops; ++hub) {
    const std::uint64_t in = clock.first_edge_from(first + latency + word);
    first = clock.edge(in + o.params.timing.through);
    latency = hub == hops ? o.north.latency : o.ring.latency;
  }
  return first + static_cast<Time>(2 * (beats - 1)) * word + (last_words - 1) * word + latency +
         o.params.write_latency;
}

TEST(HubTiming, UncontendedWritesTakeTheTablesTime) {
  std::mt19937 random(7);
  Bench b(ring(8));
  struct Case {
    Time command;
    unsigned to, hops;
    std::uint64_t bytes, flag;
  };
  std::vector<Case> cases;
  Time t = kReady;
  for (unsigned i = 0; i < 40; ++i) {
    t += 6 * kUs + static_cast<Time>(random() % 5000);
    const unsigned to = static_cast<unsigned>(random() % 8), hops = std::min(to, 8 - to);
    const std::uint64_t bytes = 8 + random() % 505;
    cases.push_back({t, to, hops, bytes, i + 1});
    std::vector<std::uint8_t> data(bytes, 1);
    std::memcpy(data.data() + (bytes - 8), &cases.back().flag, 8);
    b.store(t, 0, address(to, kMemory, 4096 + 512 - bytes), data.data(), bytes);
    b.wait(t, to, 4096 + 512 - 8, i + 1);
  }
  b.run();
  for (const Case& c : cases) {
    const auto& heard = b.host(c.to).heard;
    const auto it = std::ranges::find_if(heard, [&](const auto& a) { return a.words[1] == c.flag; });
    ASSERT_NE(it, heard.end()) << c.flag;
    EXPECT_EQ(static_cast<Time>(it->words[2]), expected_landing(b.options(), c.command, c.hops, c.bytes))
        << c.bytes << " bytes, " << c.hops << " hops";
  }
}

/// A stream over two hops runs at the link's rate: header and payload beats back to back.
TEST(HubTiming, AStreamFillsTheLink) {
  Bench b(ring(8));
  constexpr std::uint64_t kBytes = 256 << 10;
  b.put(kReady, 0, 0, address(2, kMemory, 0), kBytes);
  b.store64(kReady, 0, address(2, kMemory, kBytes), 1);
  b.wait(kReady, 2, kBytes, 1);
  b.run();
  ASSERT_EQ(b.host(2).heard.size(), 1u);
  const Time took = static_cast<Time>(b.host(2).heard[0].words[2]) - kReady;
  const double wire = static_cast<double>(kBytes / 512 * 33 * 4 * kNs);  // 33 beats of 4 ns a packet
  EXPECT_LT(static_cast<double>(took - 3 * kUs), 1.01 * wire);
  EXPECT_GT(static_cast<double>(took), wire);
}

TEST(HubEngines, ThreadsAreBitIdentical) {
  std::uint64_t digest = 0;
  for (const unsigned threads : {0u, 1u, 2u, 3u}) {
    BenchOptions o = ring(8, 2);
    o.params.slots = 4;
    Bench b(o);
    saturate(b, 11, 20);
    fabric::EngineOptions engine;
    if (threads != 0) engine = {.kind = fabric::EngineKind::threads, .threads = threads};
    const auto result = b.run(fabric::kNever, engine);
    if (threads == 0) digest = result.digest;
    EXPECT_EQ(result.digest, digest) << threads << " threads";
  }
}

}  // namespace
}  // namespace polyloom::hub
