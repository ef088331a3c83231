// SPDX-License-Identifier: Apache-2.0
// Covers: the LET operator in RTL against its model in every cycle, in the slot: ready, valid, beats, idle,
//   status; and what leaves against the straightforward LET. Trees of all kinds, any numbers in records and
//   targets, both packings and biases, the paper's rule, stalls on both sides, streams behind each other,
//   errors, bad configurations, flush at any time. Built for 1, 2 and 7 outputs, a short and a long pipe, a
//   FIFO that overflows.
// Leaves out: the default OpenDepth in simulation (lint and synthesis only).
#include "blocks/operators/sim/let.h"
#include "blocks/operators/tests/let_trees.h"
#include "blocks/operators/tests/slot_pair.h"

namespace polyloom::blocks::operators::test {
namespace {

const float kInf = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();

float any_float(Random& random) { return std::bit_cast<float>(fp_bits(random)); }

Bodies any_bodies(Random& random, unsigned n) {
  switch (below(random, 6)) {
    case 0:
      return Bodies(std::min(n, 8u), {0.5, 0.25, -3, 1});  // coincident
    case 1:
      return cube(random, n);
    case 2:
    case 3:
      return hernquist(random, n);
    default:
      return plummer(random, n);
  }
}

LetTarget any_target(Random& random) {
  LetTarget target =
      ball(static_cast<float>(8 * uniform(random) - 4), 0.1f, -0.2f, static_cast<float>(uniform(random)));
  switch (below(random, 10)) {
    case 0:
      return ball(kInf, 0, 0, 1);
    case 1:
      return ball(0, kNan, 0, 1);
    case 2:
      for (float* f : {&target.min[0], &target.max[1], &target.max[2], &target.kappa}) *f = any_float(random);
      return target;
    case 3:
    case 4:
    case 5:
    case 6:
      target = box(plummer(random, 5), 0.7f);
      for (unsigned k = 0; k < 3; ++k) target.min[k] += 2, target.max[k] += 2;
      return target;
    default:
      return target;
  }
}

/// Now and then numbers that no tree should hold, subnormal and infinite ones among them.
void spoil_numbers(Random& random, Tree& tree) {
  const bool all = below(random, 2) == 0;
  for (NodeRecord& node : tree) {
    if (!all && below(random, 10) != 0) continue;
    node.x = any_float(random), node.y = any_float(random), node.z = any_float(random),
    node.mass = any_float(random);
    if (node.q < 0) continue;
    node.q =
        below(random, 5) ? std::abs(any_float(random)) : std::array{kNan, -kNan, -0.0f}[below(random, 3)];
  }
}

struct Round {
  LetSetup setup;
  std::uint64_t used = 0;
  std::vector<LetTarget> targets;  ///< of used outputs, in their order
  Tree tree;
};

Round any_round(Random& random, unsigned most) {
  Round round{.setup = {.padded = below(random, 2) == 0,
                        .bias_zero = below(random, 3) == 0,
                        .parent_first = below(random, 4) == 0}};
  round.used = below(random, 3) == 0 ? 1 + below(random, (1u << kOutputs) - 1) : (1u << kOutputs) - 1;
  for (unsigned o = 0; o < kOutputs; ++o) {
    if (round.used >> o & 1) round.targets.push_back(any_target(random));
  }
  const unsigned n = below(random, 4) == 0 ? below(random, 5) : below(random, most);
  round.tree = make_tree(any_bodies(random, n), below(random, 3) ? 0.7 : 0, round.setup.bias_zero ? 0 : 1,
                         round.setup.bias_zero ? 7 : 8);
  if (below(random, 3) == 0) spoil_numbers(random, round.tree);
  const LetTarget& near = round.targets[below(random, static_cast<unsigned>(round.targets.size()))];
  for (NodeRecord& node : round.tree) {
    if (node.q >= 0 && below(random, 3) == 0) node.q = std::abs(q_at_the_boundary(random, node, near));
  }
  return round;
}

std::vector<Config> configs_of(const Round& round) {
  std::vector<Config> configs(kOuts);
  for (unsigned o = 0; o < kOutputs; ++o) {
    if (round.used >> o & 1) configs[o] = {true, Kind::let, round.setup.word(), 1};
  }
  return configs;
}

void expect_lets(Pair& pair, const Round& round) {
  unsigned at = 0;
  for (unsigned o = 0; o < kOutputs; ++o) {
    if ((round.used >> o & 1) == 0) continue;
    const Tree expected = reference_let(round.tree, round.targets[at++], round.setup.bias_zero ? 0 : 1);
    EXPECT_TRUE(same_bits(records_of(pair.out[o], round.setup.padded), expected)) << "output " << o;
    pair.out[o].clear();
  }
}

TEST(LetRtl, TreesAndTargetsOfAllKinds) {
  Pair pair(1);
  std::uint64_t overflows = 0;
  for (unsigned n = 0; n < rounds(250); ++n) {
    SCOPED_TRACE("round " + std::to_string(n));
    const Round round = any_round(pair.random, n % 10 == 0 ? 1500 : 250);
    pair.step(configs_of(round));
    pair.send(0, let_stream(round.targets, round.tree, round.setup.padded));
    pair.run(any_stalls(pair.random), 100'000);
    if (HasFatalFailure()) return;
    ASSERT_TRUE(pair.slot().idle());
    if (pair.slot().errors() == kErrorDepth) {
      ++overflows;
      for (Stream& out : pair.out) out.clear();
      continue;
    }
    ASSERT_EQ(pair.slot().errors(), 0u);
    expect_lets(pair, round);
    if (HasNonfatalFailure()) return;
  }
  EXPECT_GT(pair.beats_out, rounds(250) * 20);
  EXPECT_EQ(overflows != 0, LET_OPEN_DEPTH < 16)
      << "the shapes with a short FIFO overflow, the others do not";
}

TEST(LetRtl, StreamsBehindEachOther) {
  Pair pair(2);
  for (unsigned n = 0; n < rounds(40); ++n) {
    SCOPED_TRACE("round " + std::to_string(n));
    const Round round = any_round(pair.random, 60);
    pair.step(configs_of(round));
    for (unsigned s = 0; s < 4; ++s) pair.send(0, let_stream(round.targets, round.tree, round.setup.padded));
    pair.run(any_stalls(pair.random), 100'000);
    if (HasFatalFailure()) return;
    ASSERT_TRUE(pair.slot().idle());
    for (Stream& out : pair.out) out.clear();
  }
}

TEST(LetRtl, StepsOfTwoKinds) {
  Pair pair(5);
  if (!holds(Kind::pass)) GTEST_SKIP() << "LET alone";
  for (unsigned n = 0; n < rounds(60); ++n) {
    SCOPED_TRACE("round " + std::to_string(n));
    const Round round = any_round(pair.random, 40);
    std::vector<Config> configs = configs_of(round);
    const bool pass = below(pair.random, 2) != 0;
    for (Config& config : configs) {
      if (pass && config.valid) config = {true, Kind::pass, 0, 1};
    }
    pair.step(configs);
    const Stream stream = let_stream(round.targets, round.tree, round.setup.padded);
    pair.send(0, stream);
    pair.run(any_stalls(pair.random), 20'000);
    if (HasFatalFailure()) return;
    ASSERT_TRUE(pair.slot().idle());
    for (unsigned o = 0; pass && o < kOutputs; ++o)
      EXPECT_EQ(pair.out[o], round.used >> o & 1 ? stream : Stream{});
    for (Stream& out : pair.out) out.clear();
  }
}

/// Damage of all kinds to a good stream.
void spoil_stream(Random& random, Round& round, Stream& stream) {
  const std::size_t at = below(random, static_cast<unsigned>(stream.size()));
  switch (below(random, 5)) {
    case 0:  // cut off
      stream.resize(at + 1);
      stream.back().keep = static_cast<std::uint32_t>((std::uint64_t{1} << below(random, 33)) - 1);
      stream.back().last = true;
      break;
    case 1:  // a hole
      stream[at].keep >>= below(random, 33) & 31;
      break;
    case 2:  // a record lost
      stream.erase(stream.begin() + static_cast<std::ptrdiff_t>(at));
      if (stream.empty()) stream.resize(1);
      stream.back().last = true;
      break;
    default:  // other children
      for (NodeRecord& node : round.tree) {
        if (node.q >= 0 && below(random, 3) == 0)
          node.more = random() & (below(random, 2) ? 0x0c00003f : 0xffffffff);
      }
      stream = let_stream(round.targets, round.tree, round.setup.padded);
  }
}

TEST(LetRtl, DamagedStreams) {
  Pair pair(3);
  std::uint64_t seen = 0;
  for (unsigned n = 0; n < rounds(300); ++n) {
    SCOPED_TRACE("round " + std::to_string(n));
    Round round = any_round(pair.random, 120);
    Stream stream = let_stream(round.targets, round.tree, round.setup.padded);
    spoil_stream(pair.random, round, stream);
    pair.step(configs_of(round));
    pair.send(0, stream);
    pair.run(any_stalls(pair.random), 20'000);
    if (HasFatalFailure()) return;
    ASSERT_TRUE(pair.slot().idle()) << "an error must not stop it";
    seen |= pair.slot().errors();
  }
  EXPECT_EQ(seen & kErrorTree, kErrorTree);
}

TEST(LetRtl, BadConfigurationsStraysAndFlush) {
  Pair pair(4);
  unsigned refused = 0;
  for (unsigned n = 0; n < rounds(300); ++n) {
    SCOPED_TRACE("round " + std::to_string(n));
    const Round round = any_round(pair.random, 100);
    std::vector<Config> configs = configs_of(round);
    Config& config = configs[below(pair.random, kOutputs)];
    if (below(pair.random, 4) == 0) config.word ^= std::uint64_t{1} << below(pair.random, 64);
    if (below(pair.random, 4) == 0) config.mask = random_mask(pair.random, kInputs);
    pair.step(configs);
    pair.send(0, let_stream(round.targets, round.tree, round.setup.padded));
    if (kInputs > 1 && below(pair.random, 4) == 0) pair.send(1, Stream(1));
    pair.run(any_stalls(pair.random), below(pair.random, 200));
    if (HasFatalFailure()) return;
    refused += (pair.slot().errors() & (kErrorConfig | kErrorStray)) != 0;
    pair.flush();
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(refused, rounds(300) / 10);
}

}  // namespace
}  // namespace polyloom::blocks::operators::test
