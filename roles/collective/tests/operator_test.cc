// SPDX-License-Identifier: Apache-2.0
// Covers: the data-processing slot inside a node: a sum of channels, a sum of what arrives from peers that is
// sent on in the same step, repeats, errors that stop the node. Leaves out: the operators themselves
// (blocks/operators).
#include <gtest/gtest.h>

#include <cstring>

#include "blocks/operators/sim/reduce.h"
#include "roles/collective/tests/bench.h"

namespace polyloom::collective {
namespace {

using namespace test;
namespace op = blocks::operators;

BenchOptions options(int nodes) {
  BenchOptions o{.params = small_params(4), .links = full_mesh(nodes), .nodes = nodes};
  o.params.operators = {OperatorKind::reduce, OperatorKind::pass};
  o.params.operator_ports = 4;
  return o;
}
const std::uint64_t kSum = op::reduce_word(op::Function::sum, op::Element::int32);
std::uint32_t value(int node, unsigned channel, unsigned i) {
  return static_cast<std::uint32_t>(node * 1000003 + static_cast<int>(channel) * 977) * (i + 1);
}
std::uint32_t word_at(Bench& b, int node, unsigned channel, std::uint64_t offset) {
  std::uint32_t word = 0;
  std::memcpy(&word, b.bytes(node, channel) + offset, 4);
  return word;
}
void fill(Bench& b, int node, unsigned channel, unsigned words) {
  for (unsigned i = 0; i < words; ++i) {
    const std::uint32_t word = value(node, channel, i);
    std::memcpy(b.bytes(node, channel) + 4 * i, &word, 4);
  }
}

TEST(OperatorSlot, SumsChannelsAndRepeats) {
  for (const unsigned words : {1u, 8u, 9u, 1000u}) {
    Bench b(options(1));
    const Pattern from{0, 4 * words, 1, 0}, to{32768, 4 * words, 1, 0};
    std::vector<Instruction> program;
    for (unsigned c = 0; c < 3; ++c) {
      fill(b, 0, c, words);
      program.push_back(read(c, from));
      program.push_back(feed(c, kFromRead + c));
    }
    program.push_back(config(0, OperatorKind::reduce, kSum, 7));
    program.push_back(write(3, to, kFromOperator));
    program.push_back(write(0, to, kFromOperator));
    program.push_back(go());
    // The next step uses another operator.
    program.insert(program.end(), {read(3, to), feed(2, kFromRead + 3), config(1, OperatorKind::pass, 0, 4),
                                   write(1, to, kFromOperator + 1), go(), end()});
    b.start(0, program);
    b.run();
    ASSERT_TRUE(b.idle()) << b.node(0).waiting_for();
    for (unsigned i = 0; i < words; ++i) {
      const std::uint32_t sum = value(0, 0, i) + value(0, 1, i) + value(0, 2, i);
      for (const unsigned c : {0u, 1u, 3u}) ASSERT_EQ(word_at(b, 0, c, 32768 + 4 * i), sum) << c << " " << i;
    }
    EXPECT_EQ(word_at(b, 0, 3, 32768 + 4 * words), 0u);
  }
}

// All-reduce in one step for three nodes: all send to all, each sums what comes with its own.
TEST(OperatorSlot, SumsWhatArrives) {
  constexpr unsigned kWords = 4096;
  Bench b(options(3));
  for (int n = 0; n < 3; ++n) {
    fill(b, n, 0, kWords);
    const Pattern from{0, 4 * kWords, 1, 0}, to{32768, 4 * kWords, 1, 0};
    b.start(n,
            {read(0, from), send(0, kFromRead), send(1, kFromRead), take(0), take(1), feed(0, kFromRead),
             feed(1, kFromLane), feed(2, kFromLane + 1), config(0, OperatorKind::reduce, kSum, 7),
             write(1, to, kFromOperator), go(0, kTogether), end()},
            static_cast<Cycle>(37 * n));
  }
  b.run();
  ASSERT_TRUE(b.idle()) << b.node(0).waiting_for();
  for (int n = 0; n < 3; ++n) {
    for (unsigned i = 0; i < kWords; ++i) {
      ASSERT_EQ(word_at(b, n, 1, 32768 + 4 * i), value(0, 0, i) + value(1, 0, i) + value(2, 0, i));
    }
  }
}

TEST(OperatorSlot, AJoinThatLacksAnInputEndsByTheWatchdog) {
  Bench b(options(2));
  b.start(0,
          {read(0, {0, 4096, 1, 0}), take(0), feed(0, kFromRead), feed(1, kFromLane),
           config(0, OperatorKind::reduce, kSum, 3), write(1, {0, 4096, 1, 0}, kFromOperator), go(), end()});
  ProgramEnd last;
  b.engine(0).listen([&](const ProgramEnd& e) { last = e; });
  b.engine(0).watchdog = 1000;
  b.run(100'000'000);
  EXPECT_EQ(last.code, static_cast<std::uint8_t>(Fault::timeout));
  EXPECT_EQ(last.value, 1ull << 32);
}

// Without a watchdog a starved step must leave nothing to do, so that the fabric can say who waits for whom.
TEST(OperatorSlot, StarvedStepsEndTheRunQuietly) {
  const Pattern some{0, 4096, 1, 0}, to{32768, 4096, 1, 0};
  const auto reduce = [](std::uint64_t inputs) { return config(0, OperatorKind::reduce, kSum, inputs); };
  const auto pass = config(0, OperatorKind::pass, 0, 1);
  struct Case {
    const char* what;
    std::vector<Instruction> step;
    const char* waits;
  };
  const std::vector<Case> cases = {
      {"a join that lacks an input",
       {read(0, some), take(0), feed(0, kFromRead), feed(1, kFromLane), reduce(3),
        write(1, to, kFromOperator)},
       "take on lane 0 has no data"},
      {"one input, and nothing comes",
       {take(0), feed(0, kFromLane), reduce(1), write(1, to, kFromOperator)},
       "take on lane 0 has no data"},
      {"one input, and nothing may leave",
       {read(0, some), feed(0, kFromRead), reduce(1), send(0, kFromOperator)},
       "send on lane 0 has no pulse"},
      {"a source that is copied past the operator",
       {read(0, some), take(0), feed(0, kFromRead), feed(1, kFromLane), write(2, to, kFromRead), reduce(3),
        write(1, to, kFromOperator)},
       "take on lane 0 has no data"},
      {"a pass that nothing may leave",
       {read(0, some), feed(0, kFromRead), pass, send(0, kFromOperator), write(1, to, kFromOperator)},
       "send on lane 0 has no pulse"},
      {"a result for a wire and a memory",
       {read(0, some), feed(0, kFromRead), reduce(1), send(0, kFromOperator), write(1, to, kFromOperator)},
       "send on lane 0 has no pulse"},
  };
  for (const Case& c : cases) {
    Bench b(options(2));
    std::vector<Instruction> program = c.step;
    program.push_back(go());
    program.push_back(end());
    b.start(0, program);
    const auto result = b.run(100'000'000);
    EXPECT_EQ(result.reason, fabric::RunEnd::quiet) << c.what;
    EXPECT_LT(result.windows, 100u) << c.what;
    ASSERT_EQ(result.stuck.size(), 1u) << c.what;
    EXPECT_NE(result.stuck[0].find(c.waits), std::string::npos) << result.stuck[0];
  }
}

TEST(OperatorSlot, ErrorsStopTheNode) {
  Bench b(options(2));
  ProgramEnd last;
  b.engine(0).listen([&](const ProgramEnd& e) { last = e; });
  b.start(0, {read(0, {0, 64, 1, 0}), read(1, {0, 96, 1, 0}), feed(0, kFromRead), feed(1, kFromRead + 1),
              config(0, OperatorKind::reduce, kSum, 3), write(2, {0, 96, 1, 0}, kFromOperator, kOpenEnd),
              go(), end()});
  b.run();
  EXPECT_EQ(last.code, static_cast<std::uint8_t>(Fault::length));
  EXPECT_EQ(b.engine(1).state(), Engine::State::stopped);
  EXPECT_TRUE(b.engine(0).clear());
  b.start(0, {read(0, {0, 64, 1, 0}), feed(0, kFromRead), go(), end()});  // no configuration
  b.run();
  EXPECT_EQ(last.code, static_cast<std::uint8_t>(Fault::bad_program));
}

}  // namespace
}  // namespace polyloom::collective
