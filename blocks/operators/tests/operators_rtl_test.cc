// SPDX-License-Identifier: Apache-2.0
// Covers: the slot with all operators in RTL and as model, fed with the same streams and stalls, equal in
//   every cycle: ready, valid, beats, idle, status; every function, random configurations good and bad, flush
//   at any time, streams that follow each other, inputs of unequal length. Built once for each shape (INPUTS,
//   OUTPUTS, PARTITIONS).
// Leaves out: whether the model is right (operators_test.cc), shapes above 8 ports (lint only).
#include "blocks/operators/tests/slot_pair.h"

namespace polyloom::blocks::operators::test {
namespace {

TEST(OperatorsRtl, Pass) {
  Pair pair(1);
  if (!holds(Kind::pass)) GTEST_SKIP() << "not in this slot";
  for (unsigned round = 0; round < rounds(60); ++round) {
    SCOPED_TRACE(round);
    std::vector<Config> configs(kOutputs);
    std::uint64_t used = 0;
    for (Config& config : configs) {
      if (below(pair.random, 4) == 0) continue;
      config = {true, Kind::pass, 0, std::uint64_t{1} << below(pair.random, kInputs)};
      used |= config.mask;
    }
    pair.step(configs);
    for (unsigned i = 0; i < kInputs; ++i) {
      if (used >> i & 1) {
        pair.send(i, stream(1 + below(pair.random, 30), 32 - 4 * below(pair.random, 8),
                            [&] { return pair.random(); }));
      }
    }
    pair.run(any_stalls(pair.random), 2000);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(pair.beats_out, rounds(60) * 5);
}

TEST(OperatorsRtl, ReduceEveryFunctionAndType) {
  Pair pair(2);
  for (unsigned round = 0; round < rounds(240); ++round) {
    const Function function = static_cast<Function>(round % 4);
    const Element element = static_cast<Element>(round / 4 % 3);
    SCOPED_TRACE("round " + std::to_string(round));
    const unsigned groups = kOutputs >= 2 && kInputs >= 2 && below(pair.random, 2) ? 2 : 1;
    std::vector<Config> configs(kOutputs);
    const std::uint64_t all = ~std::uint64_t{0} >> (kMaxPorts - kInputs);
    std::uint64_t first = random_mask(pair.random, kInputs);
    if (first == 0 || below(pair.random, 4) == 0) first = groups == 2 ? 1 : all;
    for (unsigned g = 0; g < groups; ++g) {
      const std::uint64_t mask = g == 0 ? first : all & ~first;
      if (mask == 0) continue;
      std::uint64_t word = reduce_word(function, element);
      if (function == Function::average) {
        const bool odd_factor = element == Element::fp32 && below(pair.random, 2);
        word = odd_factor ? reduce_word(function, element, fp_bits(pair.random))
                          : average_word(element, 1 + below(pair.random, 64));
      }
      configs[g] = {true, Kind::reduce, word, mask};
      const unsigned streams = 1 + below(pair.random, 2), beats = 1 + below(pair.random, 40);
      const unsigned bytes = 32 - 4 * below(pair.random, 8);
      for (unsigned i = 0; i < kInputs; ++i) {
        for (unsigned s = 0; (mask >> i & 1) && s < streams; ++s) {
          pair.send(i, stream(beats, bytes, [&] {
                      return element == Element::fp32 ? fp_bits(pair.random) : int_bits(pair.random);
                    }));
        }
      }
    }
    pair.step(configs);
    pair.run(any_stalls(pair.random), 3000);
    if (HasFatalFailure()) return;
    ASSERT_EQ(pair.slot().errors(), 0u);
    ASSERT_TRUE(pair.slot().idle());
  }
  EXPECT_GT(pair.beats_out, rounds(240) * 10);
}

TEST(OperatorsRtl, ReduceOfUnequalInputsEndsWithAnError) {
  Pair pair(3);
  if (kInputs < 2) GTEST_SKIP() << "one input has no other to differ from";
  for (unsigned round = 0; round < rounds(40); ++round) {
    pair.step({{true, Kind::reduce, reduce_word(Function::sum, Element::fp32), (1u << kInputs) - 1}});
    const bool keep_only = below(pair.random, 3) == 0;
    for (unsigned i = 0; i < kInputs; ++i) {
      const unsigned beats = keep_only ? 5 : 2 + (i == 0 ? 20 : below(pair.random, 20));
      pair.send(i, stream(beats, keep_only ? 4 + 4 * (i % 2) : 32, [&] { return fp_bits(pair.random); }));
    }
    pair.run(any_stalls(pair.random), 2000);
    if (HasFatalFailure()) return;
    ASSERT_TRUE(pair.slot().idle());
    ASSERT_EQ(pair.slot().errors(), kErrorLength);
  }
}

/// A step of partition: setup with routes so that no route is without output, or now and then one that is
/// refused.
std::vector<Config> partition_configs(Random& random, PartitionSetup setup, std::uint64_t mask, bool routed) {
  std::vector<Config> configs(kOutputs);
  std::vector<std::uint32_t> routes(kOutputs);
  const unsigned count = 1u << std::min(setup.bits, 5u);
  for (unsigned r = 0; r < count; ++r) {
    const unsigned copies = below(random, 3) == 0 ? 1 + below(random, kOutputs) : 1;
    for (unsigned c = 0; c < copies; ++c) routes[below(random, kOutputs)] |= 1u << r;
  }
  for (unsigned o = 0; o < kOutputs; ++o) {
    configs[o] = {true, Kind::partition, setup.word(routed ? routes[o] : 0), mask};
  }
  return configs;
}

TEST(OperatorsRtl, Partition) {
  Pair pair(4);
  if (!holds(Kind::partition)) GTEST_SKIP() << "not in this slot";
  for (unsigned round = 0; round < rounds(120); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    Random& random = pair.random;
    const PartitionSetup setup{.shift = below(random, 32),
                               .bits = below(random, 7),
                               .pair = below(random, 3) == 0,
                               .record = below(random, 5) == 0,
                               .silent = below(random, 8) == 0};
    std::uint64_t mask = random_mask(random, kInputs);
    if (mask == 0) mask = 1;
    const unsigned kind_of_keys = below(random, 4);
    const auto key = [&]() -> std::uint32_t {
      const std::uint32_t any = static_cast<std::uint32_t>(random());
      if (kind_of_keys == 0) return 0x12345678;                      // all equal
      if (kind_of_keys == 1 && below(random, 2)) return 0xffffffff;  // half of them in one bucket
      return any;
    };
    pair.step(partition_configs(random, setup, mask, below(random, 2)));
    for (unsigned i = 0; i < kInputs; ++i) {
      if ((mask >> i & 1) == 0) continue;
      pair.send(i, stream(1 + below(random, 25), 32 - 8 * below(random, 4), key));
      if (below(random, 4) == 0) pair.send(i, stream(1 + below(random, 5), 4 * below(random, 9), key));
    }
    pair.run(any_stalls(random), 1500);
    if (HasFatalFailure()) return;
    if (!pair.slot().idle())
      pair.flush();  // inputs with unequal numbers of streams wait for the others for ever
  }
  EXPECT_GT(pair.beats_out, rounds(120) * 10);
}

/// Both partitions of one step, each with a setup of its own, either of them now and then without any.
TEST(OperatorsRtl, TwoPartitionsSideBySide) {
  Pair pair(7);
  if (!holds(Kind::partition) || kPartitions != 2) GTEST_SKIP() << "one partition";
  std::array<std::uint64_t, 2> beats{};
  for (unsigned round = 0; round < rounds(80); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    Random& random = pair.random;
    std::vector<Config> configs;
    std::array<std::uint64_t, 2> masks{};
    const unsigned left_out = below(random, 6);
    for (unsigned p = 0; p < 2; ++p) {
      PartitionSetup setup{
          .shift = below(random, 30), .bits = below(random, 7), .pair = below(random, 3) == 0};
      setup.silent = below(random, 6) == 0;
      masks[p] = std::max<std::uint64_t>(random_mask(random, kInputs), 1);
      std::vector<Config> half = partition_configs(random, setup, masks[p], below(random, 2));
      if (left_out == p) half.assign(kOutputs, {}), masks[p] = 0;
      for (Config& config : half) {
        config.mask <<= kInputs * p;
        // Bits at the other partition's inputs do not count.
        if (config.valid) config.mask |= random_mask(random, kInputs) << kInputs * (1 - p);
        configs.push_back(config);
      }
    }
    pair.step(configs);
    for (unsigned i = 0; i < kIns; ++i) {
      if ((masks[i / kInputs] >> i % kInputs & 1) == 0) continue;
      pair.send(i, stream(1 + below(random, 25), 32 - 8 * below(random, 4), [&] { return random(); }));
    }
    pair.run(any_stalls(random), 3000);
    if (HasFatalFailure()) return;
    ASSERT_TRUE(pair.slot().idle());
    for (unsigned p = 0; p < 2; ++p) beats[p] += pair.slot().status(Slot::kStatusStride * p + 1);
  }
  EXPECT_GT(std::min(beats[0], beats[1]), rounds(80) * 10);
}

TEST(OperatorsRtl, PartitionSteersValuesAsTheirKeys) {
  Pair pair(5);
  if (!holds(Kind::partition)) GTEST_SKIP() << "not in this slot";
  for (unsigned round = 0; round < rounds(40); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    Random& random = pair.random;
    PartitionSetup setup{
        .shift = below(random, 30), .bits = 3, .record = true, .silent = below(random, 2) == 0};
    const std::uint64_t mask = (1u << kInputs) - 1;
    const unsigned beats = 1 + below(random, 20);  // the record holds 16
    std::vector<Config> configs = partition_configs(random, setup, mask, true);
    for (unsigned pass = 0; pass < 2; ++pass) {
      pair.step(configs);
      for (unsigned i = 0; i < kInputs; ++i) pair.send(i, stream(beats, 32, [&] { return random(); }));
      pair.run(any_stalls(random), 3000);
      if (HasFatalFailure()) return;
      ASSERT_TRUE(pair.slot().idle());
      ASSERT_EQ(pair.slot().errors(), beats > 16 ? kErrorRecord : 0);
      for (Config& config : configs) config.word = (config.word & ~0xe0000ull) | 0x40000;
    }
  }
}

TEST(OperatorsRtl, BadConfigurationsStraysAndFlush) {
  Pair pair(6);
  unsigned refused = 0;
  for (unsigned round = 0; round < rounds(300); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    Random& random = pair.random;
    std::vector<Config> configs(kOuts);
    const Kind kind = static_cast<Kind>(below(random, 5));
    for (Config& config : configs) {
      if (below(random, 3) == 0) continue;
      config = {true, below(random, 12) == 0 ? Kind::pass : kind, 0, random_mask(random, kIns)};
      if (below(random, 2)) config.word = random() & random() & 0xffffffff0f3f0703;
      if (kind == Kind::pass && below(random, 8)) config.mask = 1, config.word = 0;
    }
    if (kind == Kind::partition && below(random, 2)) {
      for (Config& config : configs) config.word = configs[0].word, config.mask = configs[0].mask;
    }
    pair.step(configs);
    for (unsigned i = 0; i < kIns; ++i) {
      if (below(random, 2)) pair.send(i, stream(1 + below(random, 9), 32, [&] { return random(); }));
    }
    pair.run(any_stalls(random), below(random, 120));
    if (HasFatalFailure()) return;
    refused += (pair.slot().errors() & (kErrorConfig | kErrorKind)) != 0;
    pair.flush();
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(refused, rounds(300) / 10);
}

}  // namespace
}  // namespace polyloom::blocks::operators::test
