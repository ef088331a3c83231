// SPDX-License-Identifier: Apache-2.0
// Covers: the operator partition inside a node, one and two of them side by side: the fast model against the
// RTL in its place, each node alone and all: words, pulses, times, events, marks, status words, memories; and
// both against what must be true of the keys; every error of its configuration. Leaves out: the operator by
// itself in every cycle (blocks/operators), streams that contend for a half of a channel.
#include <gtest/gtest.h>

#include <cstdlib>

#include "fabric/full_tests.h"
#include "roles/collective/tests/partition_world.h"
#include "roles/collective/tests/swap_bench.h"

namespace polyloom::collective {
namespace {

using namespace swap;
using blocks::operators::PartitionSetup;
using test::config;
using test::end;
using test::feed;
using test::go;
using test::PartitionWorld;
using test::read;
using test::send;
using test::take;
using test::write;

/// Two partitions with block checks, one without: the shapes that all swap tests share.
CollectiveParams params_of(unsigned partitions) {
  return partitions == 2 ? checked_params() : plain_params();
}

/// Word numbers to read: of each partition errors, beats, some buckets (all of them), words out.
std::vector<unsigned> status_words(unsigned partitions) {
  std::vector<unsigned> words;
  for (unsigned p = 0; p < partitions; ++p) {
    for (unsigned w = 0; w < 70; ++w) {
      if (fabric::full_tests() || w < 6 || w >= 64) words.push_back(PartitionWorld::kStatus * p + w);
    }
  }
  return words;
}

void play(unsigned partitions, unsigned first, unsigned last) {
  for (unsigned seed = first; seed <= last; ++seed) {
    Scene s;
    s.params = params_of(partitions);
    s.nodes = seed % 3 == 0 ? 3 : 2;
    s.links = mesh(s.nodes);
    const fabric::Time periods[] = {1'422, 711, 5'000};
    s.link.period = periods[seed / 2 % 3];
    s.link.latency = seed % 2 ? 250'000 : 24'690;
    const PartitionWorld world(seed, s.nodes, partitions);
    s.programs = {world.programs};
    s.memory = world.before;
    s.status = status_words(partitions);
    for (int n = 0; n < s.nodes; ++n) s.skew.push_back((seed * 17 + 41 * static_cast<unsigned>(n)) % 70);
    const std::string what = "seed " + std::to_string(seed) + ", steps " + world.kinds;
    const Outcome models = run(s, 0);
    std::vector<std::vector<Bytes>> after;
    for (std::size_t n = 0; n < models.nodes.size(); ++n) {
      const NodeResult& node = models.nodes[n];
      ASSERT_EQ(node.events.size(), 1u) << what;
      ASSERT_EQ(node.events[0].code, 0) << what << ", node " << n << " value " << node.events[0].value;
      ASSERT_EQ(node.status.size(), s.status.size()) << what;
      for (const auto& [word, value] : world.status[n]) {
        const auto at = std::find(s.status.begin(), s.status.end(), word);
        if (at == s.status.end()) continue;
        EXPECT_EQ(node.status[static_cast<std::size_t>(at - s.status.begin())], value)
            << what << ", word " << word;
      }
      after.push_back(node.channels);
    }
    ASSERT_EQ(world.wrong(after), "") << what;
    const std::uint64_t all = (std::uint64_t{1} << s.nodes) - 1;
    for (std::uint64_t mask = all; mask != 0; mask = mask == all ? all / 2 + 1 : mask >> 1) {
      ASSERT_EQ(difference(models, run(s, mask)), "") << what << ", nodes " << mask << " as RTL";
    }
  }
}

TEST(SwapPartition, OnePartition) { play(1, 1, fabric::full_tests() ? 120 : 10); }
TEST(SwapPartition, TwoPartitions) { play(2, 1, fabric::full_tests() ? 120 : 14); }

// The operator alone says when such a step is over.
TEST(SwapPartition, AStepThatOnlyConfigures) {
  Scene s;
  s.links = {{0, 1}};
  const std::uint64_t word = PartitionSetup{.bits = 0}.word(1);
  s.programs = {{{config(0, OperatorKind::partition, word, 1), go(0), go(1), end()}, {end()}}};
  s.memory.resize(2);
  const Outcome model = run(s, 0);
  ASSERT_EQ(model.nodes[0].events.size(), 1u);
  EXPECT_EQ(model.nodes[0].events[0].code, 0u);
  EXPECT_EQ(difference(model, run(s, 3)), "");
}

// ---- what a node refuses, and what the operator meets ----

struct ErrorCase {
  std::string name;
  Program program;
  Fault fault;
  std::uint64_t value;
};

/// Keys of channel 0 to an input, an output to channel 1.
Program deals(unsigned input, unsigned output, std::uint64_t word, std::uint64_t mask, unsigned bytes = 640) {
  return {read(0, {0, bytes, 1, 0}),
          feed(input, kFromRead),
          config(output, OperatorKind::partition, word, mask),
          write(1, {kSwapBytes / 2, 8192, 1, 0}, kFromOperator + output, kOpenEnd),
          go(0),
          end()};
}

std::vector<ErrorCase> errors(unsigned partitions) {
  const std::uint64_t good = PartitionSetup{.bits = 0}.word(1);
  std::vector<ErrorCase> all;
  const auto refused = [&](const std::string& name, const Instruction& i) {
    all.push_back({name, {i, go(), end()}, Fault::bad_program, i.words()[0]});
  };
  const auto fails = [&](const std::string& name, const Program& p, std::uint64_t bits) {
    all.push_back({name, p, Fault::operator_error, bits});
  };
  const unsigned ports = kSwapPorts * partitions;
  refused("no such input", feed(ports, kFromRead));
  refused("no such output", config(ports, OperatorKind::partition, good, 1));
  refused("no such source", feed(0, kFromOperator + ports));
  refused("an operator that is there once only", config(kSwapPorts, OperatorKind::pass, 0, 1));
  refused("the first's output into the first", feed(kSwapPorts - 1, kFromOperator));
  for (unsigned p = 0; p < partitions; ++p) {
    const unsigned at = kSwapPorts * p;
    const std::string who = p == 0 ? "first" : "second";
    const std::uint64_t mask = 1u << at, other = 2u << at;
    fails(who + ": no inputs", deals(at, at, good, 0), 2);
    fails(who + ": unknown mode", deals(at, at, good | 1 << 20, mask), 2);
    fails(who + ": a route without output", deals(at, at, PartitionSetup{.bits = 1}.word(1), mask), 2);
    fails(who + ": record and steer", deals(at, at, good | 3 << 17, mask), 2);
    fails(who + ": a beat on an input that nothing takes", deals(at, at, good, other), 4);
    const std::uint64_t record = PartitionSetup{.bits = 0, .record = true}.word(1);
    fails(who + ": more keys than the record holds", deals(at, at, record, mask, 32 * kSwapRecord + 4), 8);
    Program values = deals(at, at, record, mask, 320);
    values.pop_back();
    const Program more = deals(at, at, PartitionSetup{.bits = 0, .steer = true}.word(1), mask, 352);
    values.insert(values.end(), more.begin(), more.end());
    fails(who + ": more values than keys", values, 8);
  }
  Program mixed = deals(0, 0, good, 1);
  mixed.insert(mixed.begin(), config(1, OperatorKind::pass, 0, 2));
  fails("two kinds in one step", mixed, 16);
  if (partitions == 2) {
    refused("the second's output into the second", feed(kSwapPorts, kFromOperator + kSwapPorts));
    refused("the second's output into the first", feed(0, kFromOperator + kSwapPorts));
    const Program only = deals(0, kSwapPorts, good, 1 << kSwapPorts);
    fails("a beat for the first, which has no part in the step", only, 4);
    Program both = deals(0, 0, good, 1);
    both.insert(both.begin(), config(kSwapPorts, OperatorKind::partition, good, 0));
    all.push_back({"the second, while the first works", both, Fault::operator_error, 2});
  }
  return all;
}

void fail_and_go_on(unsigned partitions) {
  for (const ErrorCase& c : errors(partitions)) {
    Scene s;
    s.params = params_of(partitions);
    s.links = {{0, 1}};
    const Program idle{take(0), write(0, {0, 32, 1, 0}, kFromLane), go(), end()};
    const std::uint64_t word = PartitionSetup{.shift = 2, .bits = 0}.word(1);
    s.programs = {{c.program, idle}, {deals(0, 0, word, 1), {end()}}};
    s.memory.resize(2);
    s.memory[0] = {Bytes(1024)};
    for (std::size_t i = 0; i < 1024; ++i) s.memory[0][0][i] = static_cast<std::uint8_t>(i * 5 + i / 256);
    for (const std::uint64_t mask : {0u, 1u, 3u}) {
      const Outcome out = run(s, mask);
      const std::string what = c.name + ", nodes " + std::to_string(mask) + " as RTL";
      ASSERT_EQ(out.nodes[0].events.size(), 2u) << what;
      EXPECT_EQ(out.nodes[0].events[0].code, static_cast<unsigned>(c.fault)) << what;
      EXPECT_EQ(out.nodes[0].events[0].value, c.value) << what;
      EXPECT_EQ(out.nodes[1].events[0].code, static_cast<unsigned>(Fault::aborted)) << what;
      EXPECT_EQ(out.nodes[0].events[1].code, 0u) << what << ": works again";
      const auto from = s.memory[0][0].begin();
      EXPECT_TRUE(std::equal(from, from + 640, out.nodes[0].channels[1].begin() + kSwapBytes / 2))
          << what << ": works again";
    }
    if (testing::Test::HasFailure()) return;
  }
}

TEST(SwapPartition, ErrorsOfOne) { fail_and_go_on(1); }
TEST(SwapPartition, ErrorsOfTwo) { fail_and_go_on(2); }

}  // namespace
}  // namespace polyloom::collective
