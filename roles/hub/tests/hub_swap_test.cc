// SPDX-License-Identifier: Apache-2.0
// Covers: the fast model against the RTL in its place, each hub alone and all: puts, registers, chains,
// proxies, functions and faults on rings of 2 and 3; every word and pulse on every link with its time,
// responses, memories. Leaves out: the LET operator's arithmetic (blocks/operators).
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "blocks/operators/sim/let.h"
#include "fabric/full_tests.h"
#include "polyloom/hub.h"
#include "roles/hub/sim/rtl_node.h"
#include "roles/hub/tests/hub_bench.h"
#include "roles/hub/tests/random_tree.h"

namespace polyloom::hub {
namespace {

using namespace test;

static_assert(kLetKind == static_cast<std::uint8_t>(blocks::operators::Kind::let));

/// The two shapes of RTL that these tests use.
HubParams shape(bool paper) {
  HubParams p = bench_params();
  p.kinds = {blocks::operators::Kind::let, blocks::operators::Kind::pass};
  p.operators.let_open_depth = 256;
  if (paper) {
    p.function_width = 128;
    p.function_cycles = 3;
    p.operators.let_geometry = 136;
  }
  p.max_payload = 256;
  p.slots = 4;
  p.tags = 4;
  p.lanes = 2;
  p.memory_bits = 20;
  return p;
}

using Script = std::function<void(Bench&)>;

struct Run {
  std::unique_ptr<Bench> bench;
  fabric::RunResult result;
};

Run run(unsigned size, std::uint64_t rtl, const Script& script, bool paper,
        fabric::EngineOptions engine = {}) {
  BenchOptions o = ring(size);
  o.params = shape(paper);
  o.taps = true;
  o.make = [rtl](const HubParams& p, const HubSite& site) -> std::unique_ptr<fabric::Node> {
    if ((rtl >> site.node & 1) == 0) return nullptr;
    return make_rtl_node(p, site);
  };
  Run r{std::make_unique<Bench>(o), {}};
  script(*r.bench);
  r.result = r.bench->run(100'000 * kUs, engine);
  return r;
}

/// The first difference, empty if none.
std::string difference(Bench& a, Bench& b) {
  for (std::size_t w = 0; w < a.wires().size(); ++w) {
    const Wire &x = a.wires()[w], &y = b.wires()[w];
    const std::size_t n = std::min(x.words.size(), y.words.size());
    for (std::size_t i = 0; i < n; ++i) {
      const auto &p = x.words[i], &q = y.words[i];
      if (p == q) continue;
      return x.name + ": word " + std::to_string(i) + " is " + std::to_string(p.value) + " at " +
             std::to_string(p.time) + ", RTL " + std::to_string(q.value) + " at " + std::to_string(q.time);
    }
    if (x.words.size() != y.words.size()) {
      return x.name + ": " + std::to_string(x.words.size()) + " words, RTL " + std::to_string(y.words.size());
    }
    if (x.pulses != y.pulses) return x.name + ": pulses differ in number or time";
  }
  for (unsigned n = 0; n < a.nodes(); ++n) {
    if (!std::ranges::equal(a.memory(n), b.memory(n))) return "memory of node " + std::to_string(n);
    if (a.host(n).heard.size() != b.host(n).heard.size()) return "responses to node " + std::to_string(n);
    for (std::size_t i = 0; i < a.host(n).heard.size(); ++i) {
      const auto &x = a.host(n).heard[i].words, &y = b.host(n).heard[i].words;
      if (x[0] != y[0] || x[1] != y[1]) {
        return "response " + std::to_string(i) + " to node " + std::to_string(n) + ": " +
               std::to_string(x[1]) + ", RTL " + std::to_string(y[1]);
      }
    }
  }
  return "";
}

/// All models, then each hub as RTL, then all.
void compare(unsigned size, const Script& script, const std::string& what, bool paper = false) {
  const Run models = run(size, 0, script, paper);
  ASSERT_EQ(models.result.reason, fabric::RunEnd::quiet) << what;
  std::vector<std::uint64_t> masks{(std::uint64_t{1} << size) - 1};
  for (unsigned n = 0; n < size; ++n) masks.push_back(std::uint64_t{1} << n);
  for (const std::uint64_t mask : masks) {
    const Run mixed = run(size, mask, script, paper);
    ASSERT_EQ(mixed.result.reason, fabric::RunEnd::quiet) << what << ", hubs " << mask << " as RTL";
    ASSERT_EQ(difference(*models.bench, *mixed.bench), "") << what << ", hubs " << mask << " as RTL";
  }
}

void fill(Bench& b, unsigned seed) {
  for (unsigned n = 0; n < b.nodes(); ++n) {
    std::mt19937 random(seed + n);
    for (std::uint64_t i = 0; i < 0x8000; ++i) b.memory(n)[i] = static_cast<std::uint8_t>(random());
  }
}

TEST(HubSwap, UncontendedPuts) {
  for (const unsigned size : {2u, 3u}) {
    compare(
        size,
        [](Bench& b) {
          fill(b, 1);
          std::mt19937 random(2);
          Time t = kReady;
          for (unsigned i = 0; i < 40; ++i) {
            t += 8 * kUs + static_cast<Time>(random() % 9000);
            const unsigned from = static_cast<unsigned>(random() % b.nodes()),
                           to = static_cast<unsigned>(random() % b.nodes());
            b.put(t, from, random() % 0x4000, address(to, kMemory, 0x10000 + random() % 0x4000),
                  1 + random() % 600);
          }
        },
        "ring of " + std::to_string(size));
  }
}

TEST(HubSwap, ContendedPuts) {
  compare(
      3,
      [](Bench& b) {
        fill(b, 3);
        std::mt19937 random(4);
        for (unsigned from = 0; from < b.nodes(); ++from) {
          for (unsigned i = 0; i < 60; ++i) {
            const unsigned to = static_cast<unsigned>(random() % b.nodes());
            const std::uint64_t place = 0x10000 + 0x8000 * from + 0x200 * i;
            b.put(kReady, from, random() % 0x4000, address(to, kMemory, place), 1 + random() % 500);
          }
        }
      },
      "all at once");
}

TEST(HubSwap, RegistersMemoryAndFaults) {
  compare(
      2,
      [](Bench& b) {
        fill(b, 5);
        Time t = kReady;
        const auto next = [&] { return t += 10 * kUs + 1; };
        const std::uint64_t data[4] = {rule(1, 2, 3), rule(0x7fff, 9, 10), 5, 6};
        b.store(next(), 0, address(0, Unit::hub, reg::rules + 32), data, 16);
        for (const std::uint32_t r :
             {reg::id, reg::shape, reg::node, reg::links, reg::status, reg::rules + 32, reg::rules + 40,
              reg::rules, reg::counters, reg::counters + 24, reg::drops + 8, reg::dma_state, 0x7ff8u,
              reg::function_state, reg::lanes}) {
          b.load(next(), 0, r);
        }
        b.store64(next(), 0, address(0, Unit::hub, reg::rules + 40), 0);
        b.store64(next(), 0, address(0, Unit::hub, reg::rules + 32), 0);
        b.put(next(), 1, 3, address(0, Unit::hub, kHubMemory + 77), 700);
        for (const std::uint64_t bad :
             {kWindowBytes + 64, address(9, kMemory), address(0, Unit::hub, 0x7ff8),
              address(1, Unit::hub, reg::status), address(0, Unit::hub, kHubMemory + (1 << 20)),
              address(0, Unit::hub, kHubFunction), address(0, Unit::hub, 3ull << 28)}) {
          b.store64(next(), 0, bad, 1);
          b.load(next(), 0, reg::status);
          b.store64(next(), 0, address(0, Unit::hub, reg::status_clear), 1);
        }
        b.load(next(), 1, reg::status);
      },
      "registers");
}

/// Descriptors in the node's memory, and the start.
void chain(Bench& b, Time t, unsigned n, std::vector<Descriptor> list) {
  constexpr std::uint64_t kAt = 0x8000;
  for (std::size_t i = 0; i < list.size(); ++i) {
    list[i].next = address(n, kMemory, kAt + (i + 1) * kDescriptorBytes);
    if (i + 1 == list.size()) list[i].control |= kLast;
    std::memcpy(b.memory(n).data() + kAt + i * kDescriptorBytes, &list[i], kDescriptorBytes);
  }
  b.store64(t, n, address(n, Unit::hub, reg::chain), address(n, kMemory, kAt));
}

TEST(HubSwap, Chains) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    compare(
        2,
        [&](Bench& b) {
          fill(b, 7);
          b.put(kReady - 5 * kUs, 0, 0, address(0, Unit::hub, kHubMemory), 0x2000);
          std::mt19937 random(seed);
          std::vector<Descriptor> list;
          for (unsigned i = 0; i < seed; ++i) {
            Descriptor d{};
            const bool onboard = random() % 3 == 0;
            d.block_bytes = 1 + static_cast<std::uint32_t>(random() % 900);
            d.blocks = 1 + static_cast<std::uint32_t>(random() % 4);
            d.source_stride = static_cast<std::int64_t>(random() % 1200);
            d.source = onboard ? address(0, Unit::hub, kHubMemory + random() % 3000)
                               : address(0, kMemory, random() % 3000);
            d.destination = address(1, kMemory, 0x10000 + 0x4000 * i + random() % 300);
            d.destination_stride = d.block_bytes + 11;
            if (i % 2 == 0) d.control = kFlag, d.id = i + 1, d.flag = address(1, kMemory, 0x9000 + 8 * i);
            list.push_back(d);
          }
          chain(b, kReady + 20 * kUs, 0, list);
          b.load(kReady + 300 * kUs, 0, reg::dma_done);
          b.load(kReady + 310 * kUs, 0, reg::chain_error);
        },
        "seed " + std::to_string(seed));
  }
}

TEST(HubSwap, Proxies) {
  compare(
      2,
      [](Bench& b) {
        fill(b, 9);
        for (unsigned i = 0; i < 3; ++i) {
          Descriptor d{};
          d.source = address(1, kMemory, 100 * i), d.destination = address(0, kMemory, 0x10000 + 1000 * i);
          d.block_bytes = 900, d.blocks = 1, d.control = kLast | kFlag;
          d.id = i + 1, d.flag = address(0, kMemory, 0x9000);
          b.store(kReady + i * 20 * kUs, 0, address(1, Unit::hub, reg::proxy), &d, sizeof d);
        }
      },
      "proxies");
}

TEST(HubSwap, Function) {
  for (const bool paper : {false, true})
    for (const std::uint32_t bytes : {1u, 40u, 512u, 3000u}) {
      compare(
          2,
          [&](Bench& b) {
            fill(b, 11);
            const std::uint64_t lanes[2][3] = {
                {address(1, kMemory, 0x10000), 2048, address(1, kMemory, 0x9000)},
                {address(0, kMemory, 0x10000), 4096, address(0, kMemory, 0x9000)}};
            for (std::uint32_t o = 0; o < 2; ++o)
              b.store(kReady, 0, address(0, Unit::hub, reg::lanes + 32 * o), lanes[o], 24);
            b.store64(kReady, 0, address(0, Unit::hub, reg::function_control), 1 | 3 << 8 | 3 << 16);
            Descriptor d{};
            d.source = address(0, kMemory, 5), d.block_bytes = bytes, d.blocks = 1, d.control = kFunction;
            chain(b, kReady + 20 * kUs, 0, {d});
            b.load(kReady + 300 * kUs, 0, reg::function_state);
            b.load(kReady + 310 * kUs, 0, reg::lanes + 24);
          },
          std::to_string(bytes) + " bytes", paper);
    }
}

/// After an operator's error its input is thrown away, until the step is ended; then it works again.
TEST(HubSwap, FunctionAfterAnError) {
  for (const bool paper : {false, true}) {
    compare(
        2,
        [](Bench& b) {
          fill(b, 17);
          const std::uint64_t lane[3] = {address(1, kMemory, 0x10000), 4096, address(1, kMemory, 0x9000)};
          const auto control = [&](Time t, std::uint64_t word) {
            b.store64(t, 0, address(0, Unit::hub, reg::function_control), word);
          };
          b.store(kReady, 0, address(0, Unit::hub, reg::lanes), lane, 24);
          control(kReady, 1 | 2 << 8 | 1 << 16);  // an operator that is not held
          Descriptor d{};
          d.source = address(0, kMemory, 5), d.block_bytes = 2000, d.blocks = 1, d.control = kFunction;
          chain(b, kReady + 20 * kUs, 0, {d});
          b.load(kReady + 100 * kUs, 0, reg::status);
          b.load(kReady + 101 * kUs, 0, reg::function_status);
          b.put(kReady + 110 * kUs, 1, 0, address(0, Unit::hub, kHubFunction), 100);
          control(kReady + 150 * kUs, 2);
          control(kReady + 160 * kUs, 1 | 3 << 8 | 1 << 16);
          b.store64(kReady + 170 * kUs, 0, address(0, Unit::hub, reg::chain), address(0, kMemory, 0x8000));
          b.load(kReady + 300 * kUs, 0, reg::function_state);
        },
        "unknown operator", paper);
  }
}

/// A tree in random boxes, the LETs of two targets on their way to the other node and to the own one.
TEST(HubSwap, Lets) {
  using namespace blocks::operators;
  for (const bool paper : {false, true}) {
    for (unsigned seed = 1; seed <= 3; ++seed) {
      const LetSetup setup{.padded = paper, .bias_zero = paper, .parent_first = paper};
      compare(
          2,
          [&](Bench& b) {
            const auto tree = random_tree(2 + seed, 3, seed, paper ? 0 : 1);
            const LetTarget targets[2] = {{{-1, -1, -1}, {1, 1, 1}, 1, 0}, {{20, 0, 0}, {20, 0, 0}, 1, 3}};
            const std::size_t record = paper ? 32 : sizeof(NodeRecord);
            std::memcpy(b.memory(0).data() + 0x2000, targets, sizeof targets);
            for (std::size_t i = 0; i < tree.size(); ++i) {
              std::memcpy(b.memory(0).data() + 0x3000 + record * i, &tree[i], sizeof(NodeRecord));
            }
            const std::uint64_t lanes[2][3] = {
                {address(1, kMemory, 0x10000), 1 << 15, address(1, kMemory, 0x9000)},
                {address(0, kMemory, 0x10000), 1 << 15, address(0, kMemory, 0x9000)}};
            for (std::uint32_t o = 0; o < 2; ++o) {
              b.store(kReady, 0, address(0, Unit::hub, reg::lanes + 32 * o), lanes[o], 24);
            }
            b.store64(kReady, 0, address(0, Unit::hub, reg::function_config), setup.word());
            b.store64(kReady, 0, address(0, Unit::hub, reg::function_control), 1 | 4 << 8 | 3 << 16);
            Descriptor d[2]{};
            d[0].source = address(0, kMemory, 0x2000), d[0].block_bytes = sizeof targets;
            d[1].source = address(0, kMemory, 0x3000);
            d[1].block_bytes = static_cast<std::uint32_t>(record * tree.size());
            for (Descriptor& x : d) x.blocks = 1, x.control = kFunction;
            chain(b, kReady + 20 * kUs, 0, {d[0], d[1]});
            b.load(kReady + 300 * kUs, 0, reg::function_state);
            for (std::uint32_t w = 0; w < 4; ++w)
              b.load(kReady + (310 + w) * kUs, 0, reg::function_status + 8 * w);
          },
          "seed " + std::to_string(seed), paper);
    }
  }
}

/// All sorts of work at once, at random times: puts between all, chains, proxies, registers, bad addresses.
TEST(HubSwap, RandomMixtures) {
  const unsigned last = fabric::full_tests() ? 200 : 12;
  for (unsigned seed = 1; seed <= last && !HasFatalFailure(); ++seed) {
    compare(
        2 + seed % 2,
        [&](Bench& b) {
          fill(b, 13 * seed);
          std::mt19937 random(seed);
          const auto at = [&] { return kReady + static_cast<Time>(random() % 60'000) * kNs; };
          const auto any = [&] { return static_cast<unsigned>(random() % b.nodes()); };
          std::uint64_t place = 0x10000;  // destinations do not overlap
          const auto fresh = [&] { return place += 0x800; };
          for (unsigned i = 0; i < 40; ++i)
            b.put(at(), any(), random() % 0x4000, address(any(), kMemory, fresh()), 1 + random() % 1500);
          for (unsigned i = 0; i < 10; ++i)
            b.load(at(), any(), reg::counters + 64 * static_cast<std::uint32_t>(random() % 5));
          for (unsigned i = 0; i < 4; ++i)
            b.store64(at(), any(), i % 2 == 0 ? kWindowBytes + i : address(any(), Unit::hub, 0x7000), i);
          for (unsigned n = 0; n < b.nodes(); ++n) {
            std::vector<Descriptor> list;
            for (unsigned i = 0; i < 1 + random() % 4; ++i) {
              Descriptor d{};
              d.source = address(n, kMemory, random() % 3000),
              d.destination = address(any(), kMemory, fresh());
              d.block_bytes = 1 + static_cast<std::uint32_t>(random() % 500),
              d.blocks = 1 + static_cast<std::uint32_t>(random() % 3);
              d.source_stride = static_cast<std::int64_t>(random() % 700),
              d.destination_stride = d.block_bytes;
              list.push_back(d);
            }
            chain(b, at(), n, list);
            for (unsigned i = 0; i < 3; ++i) {
              Descriptor d{};
              const unsigned by = any();
              d.source = address(by, kMemory, random() % 3000), d.destination = address(n, kMemory, fresh());
              d.block_bytes = 1 + static_cast<std::uint32_t>(random() % 1500), d.blocks = 1,
              d.control = kLast;
              b.store(at(), n, address(by, Unit::hub, reg::proxy), &d, sizeof d);
            }
          }
        },
        "seed " + std::to_string(seed));
  }
}

/// A host program on a cluster of that fidelity: when its flags came, and what it read.
std::vector<std::uint64_t> program(const std::string& cluster, const std::string& fidelity) {
  SessionOptions options;
  options.host.simulator = POLYLOOM_HUB_SIM;
  options.host.arguments = {"--cluster", cluster, "--on", fidelity};
  Session session(options);
  Node &a = session.node(0), &b = session.node(1);
  auto mine = a.map(kMemory, 1 << 16);
  b.map(kMemory, 1 << 16);
  for (std::size_t i = 0; i < 5000; ++i) mine[i] = static_cast<std::uint8_t>(i * 7);
  const Copy copy[] = {{.source = a.address(kMemory, 3),
                        .destination = b.address(kMemory, 100),
                        .bytes = 4000,
                        .flag = Flag{b.address(kMemory, 0x8000), 5}}};
  a.dma(copy, kMemory, 0x9000);
  std::vector<std::uint64_t> seen{static_cast<std::uint64_t>(b.wait(kMemory, 0x8000, 5).time)};
  EXPECT_TRUE(std::equal(mine.begin() + 3, mine.begin() + 4003, b.memory(kMemory).begin() + 100));
  b.store64(address(12, kMemory), 1);
  session.pass(10 * kUs);
  seen.push_back(b.read_register(reg::status));
  seen.push_back(b.read_register(reg::counters + 8));
  session.finish();
  return seen;
}

TEST(HubSwap, HostProgramsSeeTheSame) {
  std::ifstream in("clusters/peach2-2.toml");
  const std::string path = testing::TempDir() + "hub-swap-" + std::to_string(::getpid()) + ".toml";
  std::ofstream(path) << in.rdbuf() << "max_payload = 256\nslots = 4\ntags = 4\nlanes = 2\nmemory_bits = 20\n"
                      << "open_depth = 256\n";
  EXPECT_EQ(program(path, "rtl"), program(path, "sim"));
  std::filesystem::remove(path);
}

TEST(HubSwap, ThreadsAreBitIdentical) {
  const auto script = [](Bench& b) {
    fill(b, 3);
    for (unsigned from = 0; from < b.nodes(); ++from) {
      for (unsigned i = 0; i < 20; ++i) {
        b.put(kReady, from, 64 * i,
              address((from + 1 + i) % b.nodes(), kMemory, 0x10000 + 0x4000 * from + 0x200 * i), 300);
      }
    }
  };
  std::uint64_t digest = 0;
  for (const unsigned threads : {0u, 2u, 3u}) {
    fabric::EngineOptions engine;
    if (threads != 0) engine = {.kind = fabric::EngineKind::threads, .threads = threads};
    const auto r = run(3, 5, script, false, engine);
    if (threads == 0) digest = r.result.digest;
    EXPECT_EQ(r.result.digest, digest) << threads << " threads";
  }
}

}  // namespace
}  // namespace polyloom::hub
