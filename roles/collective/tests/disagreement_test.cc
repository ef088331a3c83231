// SPDX-License-Identifier: Apache-2.0
// Covers: ranks that ask for different things on the wire, where no host compares them: one rank has the
// program of another request (operation, sizes, type, root, destination, reduction, algorithm) or none at
// all; fully connected and hypercube, both protocols. Every rank must stop with a code, one with a cause of
// its own; none may run on or end well, but for eager blocks that are not accepted: the next operation must
// stop. Afterwards the right programs move the right bytes. Leaves out: the words of the messages and posts
// that the host compares (test_disagreement.py).
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "roles/collective/host/runtime/group.h"
#include "roles/collective/host/schedule/algorithms.h"
#include "roles/collective/host/schedule/cost.h"
#include "roles/collective/host/schedule/machine.h"
#include "roles/collective/tests/bench.h"

namespace polyloom::collective {
namespace {

using test::Bench;
using Programs = std::vector<std::vector<Instruction>>;

constexpr unsigned kChannels = 4;
constexpr std::uint64_t kChannelBytes = 1 << 16;

struct World {
  Topology topology;
  NodeShape shape;
  std::vector<std::pair<int, int>> links;
  Bench bench;
  std::vector<std::vector<ProgramEnd>> ends;

  World(const Topology& t, std::uint64_t eager)
      : topology(t),
        shape{kChannels, 4, 2, eager, 4096, kChannelBytes / 2},
        links(links_of(t)),
        bench({.params = params(), .links = links, .nodes = t.size()}),
        ends(static_cast<std::size_t>(t.size())) {
    for (int n = 0; n < t.size(); ++n) {
      bench.engine(n).node = static_cast<std::uint16_t>(n);
      bench.engine(n).watchdog = 4000;
      bench.engine(n).listen(
          [this, n](const ProgramEnd& e) { ends[static_cast<std::size_t>(n)].push_back(e); });
    }
  }

  static CollectiveParams params() {
    CollectiveParams p = test::small_params(kChannels, kChannelBytes);
    p.operators = {OperatorKind::reduce};
    p.operator_ports = 4;
    return p;
  }

  /// In an order that gives lanes the numbers of the topology.
  static std::vector<std::pair<int, int>> links_of(const Topology& t) {
    std::vector<std::pair<int, int>> links;
    for (const int dimension : {0, 1}) {
      for (int a = 0; a < t.size(); ++a) {
        for (const int b : t.group(dimension, a)) {
          if (a < b) links.emplace_back(a, b);
        }
      }
    }
    return links;
  }

  /// As the communicator makes them.
  Programs programs_of(const Request& request, const std::string& algorithm) const {
    const Compiled prepared = compile(algorithm, {request, topology, shape});
    Programs all = programs(prelude(topology, shape), topology.size(), {0, 0, false});
    const Programs body =
        programs(prepared.schedule, topology.size(), {fingerprint(request, algorithm), 1, true});
    for (std::size_t r = 0; r < all.size(); ++r) all[r].insert(all[r].end(), body[r].begin(), body[r].end());
    return all;
  }

  void fill(unsigned seed) {
    std::mt19937 random(seed);
    for (int n = 0; n < topology.size(); ++n) {
      for (unsigned c = 0; c < kChannels; ++c) {
        for (std::uint64_t i = 0; i < kChannelBytes; ++i) {
          bench.bytes(n, c)[i] = static_cast<std::uint8_t>(random());
        }
      }
    }
  }

  void run(const Programs& all, unsigned seed) {
    for (auto& e : ends) e.clear();
    std::mt19937 random(seed);
    for (int n = 0; n < topology.size(); ++n) {
      const auto& program = all[static_cast<std::size_t>(n)];
      if (!program.empty()) bench.start(n, program, bench.engine(n).now() + random() % 300);
    }
    bench.run();
  }
};

struct Case {
  const char* what;
  Request common, odd;
  std::string common_algorithm = "", odd_algorithm = "";  ///< empty: the first
};

Request request(Operation op, std::vector<std::uint64_t> sizes, int root = 0, int destination = 0,
                DataType type = DataType::bytes, ReduceOp reduce = ReduceOp::sum) {
  return {op, std::move(sizes), root, destination, reduce, type};
}

std::vector<Case> cases(const World& w) {
  using enum Operation;
  const std::uint64_t n = static_cast<std::uint64_t>(w.topology.size());
  const std::vector<std::uint64_t> blocks(n, 512), more(n, 544), table(n * n, 256), larger(n * n, 288);
  std::vector<std::uint64_t> turned = blocks;
  turned[0] -= 32, turned[1] += 32;
  const auto words = DataType::int32;
  std::vector<Case> all = {
      {"count of a broadcast", request(broadcast, {1024}), request(broadcast, {1056})},
      {"count of a broadcast, less than a beat", request(broadcast, {1024}), request(broadcast, {1020})},
      {"counts of an all-gather", request(all_gather, blocks), request(all_gather, more)},
      {"counts of an all-gather, equal sums", request(all_gather, blocks), request(all_gather, turned)},
      {"counts of an all-to-all", request(all_to_all, table), request(all_to_all, larger)},
      {"count of an all-reduce", request(all_reduce, {1024}, 0, 0, words),
       request(all_reduce, {2048}, 0, 0, words)},
      {"root of a broadcast", request(broadcast, {1024}, 0), request(broadcast, {1024}, 1)},
      {"root of a scatter", request(scatter, blocks, 0), request(scatter, blocks, 2)},
      {"root of a gather", request(gather, blocks, 1), request(gather, blocks, 3)},
      {"root of a reduce", request(reduce, {1024}, 0, 0, words), request(reduce, {1024}, 2, 0, words)},
      {"destination of a unicast", request(unicast, {1024}, 0, 1), request(unicast, {1024}, 0, 2)},
      {"type of an all-reduce", request(all_reduce, {1024}, 0, 0, words),
       request(all_reduce, {1024}, 0, 0, DataType::fp32)},
      {"type of a broadcast", request(broadcast, {1024}), request(broadcast, {1024}, 0, 0, words)},
      {"reduction of an all-reduce", request(all_reduce, {1024}, 0, 0, words),
       request(all_reduce, {1024}, 0, 0, words, ReduceOp::max)},
      {"reduction of a reduce-scatter", request(reduce_scatter, blocks, 0, 0, words),
       request(reduce_scatter, blocks, 0, 0, words, ReduceOp::average)},
      {"operation: scatter, broadcast", request(scatter, blocks), request(broadcast, {512})},
      {"operation: all-gather, all-to-all", request(all_gather, blocks),
       request(all_to_all, std::vector(n * n, std::uint64_t{512}))},
      {"operation: gather, reduce", request(gather, blocks), request(reduce, {512}, 0, 0, words)},
      {"operation: all-to-all, barrier", request(all_to_all, table), request(barrier, {})},
      {"operation: barrier, all-reduce", request(barrier, {}), request(all_reduce, {1024}, 0, 0, words)},
  };
  for (const Request& r : {request(all_reduce, {1024}, 0, 0, words), request(broadcast, {1024}),
                           request(all_to_all, table), request(reduce, {1024}, 0, 0, words)}) {
    const auto names = algorithms({r, w.topology, w.shape});
    for (std::size_t i = 1; i < names.size(); ++i) all.push_back({"algorithm", r, r, names[0], names[i]});
  }
  return all;
}

std::string text(const Case& c, int odd) {
  return std::string(c.what) + " (" + name_of(c.common.operation) + " " + c.common_algorithm + " " +
         c.odd_algorithm + "), rank " + std::to_string(odd);
}

/// All stopped, with a code each, one of them with a cause.
void expect_all_stopped(World& w, const std::string& what) {
  bool cause = false;
  for (int n = 0; n < w.topology.size(); ++n) {
    ASSERT_EQ(w.bench.engine(n).state(), Engine::State::stopped)
        << what << ": rank " << n << " " << w.bench.node(n).waiting_for();
    const auto& ends = w.ends[static_cast<std::size_t>(n)];
    ASSERT_FALSE(ends.empty()) << what << ": rank " << n;
    EXPECT_NE(ends.back().code, 0u) << what << ": rank " << n;
    cause = cause || ends.back().code != static_cast<std::uint8_t>(Fault::aborted);
  }
  EXPECT_TRUE(cause) << what;
}

void expect_works(World& w, const Programs& right, unsigned seed, const std::string& what) {
  for (int n = 0; n < w.topology.size(); ++n) ASSERT_TRUE(w.bench.engine(n).clear()) << what;
  w.fill(seed);
  Machine machine(w.topology, kChannels, 4, 2, kChannelBytes);
  for (int n = 0; n < w.topology.size(); ++n) {
    for (unsigned c = 0; c < kChannels; ++c) {
      std::memcpy(machine.channel(n, c).data(), w.bench.bytes(n, c), kChannelBytes);
    }
    machine.load(n, right[static_cast<std::size_t>(n)]);
  }
  machine.run();
  w.run(right, seed);
  ASSERT_TRUE(w.bench.idle()) << what << ": afterwards";
  for (int n = 0; n < w.topology.size(); ++n) {
    for (unsigned c = 0; c < kChannels; ++c) {
      EXPECT_EQ(std::memcmp(machine.channel(n, c).data(), w.bench.bytes(n, c), kChannelBytes), 0)
          << what << ": afterwards, rank " << n << " channel " << c;
    }
  }
}

bool all_idle(World& w) {
  bool all = true;
  for (int n = 0; n < w.topology.size(); ++n) all = all && w.bench.engine(n).state() == Engine::State::idle;
  return all;
}

/// Returns how many disagreements were seen only by the next operation.
unsigned disagree(const Topology& topology, std::uint64_t eager) {
  World w(topology, eager);
  unsigned seed = 1, different = 0, late = 0;
  for (const Case& c : cases(w)) {
    const auto named = [&](const Request& r, const std::string& name) {
      return name.empty() ? algorithms({r, w.topology, w.shape}).front() : name;
    };
    const Programs common = w.programs_of(c.common, named(c.common, c.common_algorithm));
    const Programs other = w.programs_of(c.odd, named(c.odd, c.odd_algorithm));
    for (int odd = 0; odd < w.topology.size(); ++odd) {
      const auto at = static_cast<std::size_t>(odd);
      if (common[at] == other[at]) continue;  // a rank with no part in either
      ++different;
      Programs mixed = common;
      mixed[at] = other[at];
      const std::string what = text(c, odd);
      w.run(mixed, ++seed);
      if (eager != 0 && all_idle(w)) {
        // An eager block to a rank that does not want one waits in its buffer: no rank misses anything. The
        // next block on that lane finds it.
        ++late;
        w.run(common, ++seed);
      }
      expect_all_stopped(w, what);
      expect_works(w, common, ++seed, what);
      if (testing::Test::HasFailure()) return late;
    }
  }
  EXPECT_GT(different, 60u);
  return late;
}

TEST(Disagreement, FullyConnected) { EXPECT_EQ(disagree(Topology::fully_connected(4), 0), 0u); }
TEST(Disagreement, FullyConnectedEager) { EXPECT_LE(disagree(Topology::fully_connected(4), 2048), 10u); }
TEST(Disagreement, Hypercube) { EXPECT_EQ(disagree(Topology::hypercube(2, 2), 0), 0u); }
TEST(Disagreement, HypercubeEager) { EXPECT_LE(disagree(Topology::hypercube(2, 2), 2048), 10u); }

// One rank never starts.
TEST(Disagreement, OneRankNeverCalls) {
  for (const std::uint64_t eager : {0, 2048}) {
    World w(Topology::hypercube(2, 2), eager);
    unsigned seed = 100;
    for (const Case& c : cases(w)) {
      const Programs all = w.programs_of(c.common, algorithms({c.common, w.topology, w.shape}).front());
      for (int odd = 0; odd < 4; ++odd) {
        Programs some = all;
        some[static_cast<std::size_t>(odd)].clear();
        const std::string what = text(c, odd) + " never calls";
        w.run(some, ++seed);
        for (int n = 0; n < 4; ++n) {
          EXPECT_EQ(w.bench.engine(n).state(), Engine::State::stopped) << what << ": rank " << n;
        }
        unsigned timeouts = 0;
        for (const auto& ends : w.ends) {
          timeouts += !ends.empty() && ends.back().code == static_cast<std::uint8_t>(Fault::timeout);
        }
        EXPECT_GE(timeouts, 1u) << what;
        expect_works(w, all, ++seed, what);
        if (HasFailure()) return;
      }
    }
  }
}

}  // namespace
}  // namespace polyloom::collective
