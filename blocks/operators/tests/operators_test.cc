// SPDX-License-Identifier: Apache-2.0
// Covers: the models against independent references: joins as a recursion over halves with double arithmetic
//   (exact before its one rounding), integer averages in 64 bit, partition as lists; latency, pass, registry,
//   slot, refusals.
// Leaves out: cycles under stalls (operators_rtl_test.cc holds model and RTL together there).
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <optional>

#include "blocks/operators/tests/operator_streams.h"

namespace polyloom::blocks::operators::test {
namespace {

/// Runs streams through a slot without stalls (or with, if asked); returns what each output gave.
struct Result {
  std::vector<Stream> out;
  std::uint64_t cycles = 0, first_out = 0;
  bool ended = false;  ///< idle and everything sent
};

Result run(Slot& slot, const std::vector<Config>& configs, std::vector<Stream> in, unsigned outputs,
           std::uint64_t limit = 100'000, Random* stalls = nullptr) {
  Result result;
  result.out.resize(outputs);
  slot.step(configs);
  slot.clock();
  std::vector<std::size_t> at(in.size());
  for (; result.cycles < limit; ++result.cycles) {
    bool sent = true;
    for (unsigned i = 0; i < in.size(); ++i) {
      if (at[i] == in[i].size()) continue;
      sent = false;
      if ((slot.ready() >> i & 1) && (stalls == nullptr || below(*stalls, 3))) slot.push(i, in[i][at[i]++]);
    }
    if (slot.valid() != 0 && result.first_out == 0) result.first_out = result.cycles;
    for (unsigned o = 0; o < outputs; ++o) {
      if ((slot.valid() >> o & 1) == 0 || (stalls != nullptr && below(*stalls, 3) == 0)) continue;
      result.out[o].push_back(slot.front(o));
      slot.pop(o);
    }
    if (sent && slot.idle()) {
      result.ended = true;
      return result;
    }
    slot.clock();
  }
  return result;
}

/// Reference join of elements lo .. hi - 1 (hi - lo a power of two), absent ones empty.
std::optional<std::uint32_t> reference(const std::vector<std::optional<std::uint32_t>>& x, std::size_t lo,
                                       std::size_t size, Function function, Element element) {
  if (lo >= x.size()) return std::nullopt;
  if (size == 1) return x[lo];
  const auto a = reference(x, lo, size / 2, function, element);
  const auto b = reference(x, lo + size / 2, size / 2, function, element);
  if (!a || !b) return a ? a : b;
  const bool sum = function == Function::sum || function == Function::average;
  if (element == Element::int32 || element == Element::uint32) {
    if (sum) return *a + *b;
    const auto wide = [&](std::uint32_t v) {
      return element == Element::int32 ? static_cast<std::int64_t>(static_cast<std::int32_t>(v))
                                       : std::int64_t{v};
    };
    return static_cast<std::uint32_t>(function == Function::min ? std::min(wide(*a), wide(*b))
                                                                : std::max(wide(*a), wide(*b)));
  }
  const float fa = std::bit_cast<float>(*a), fb = std::bit_cast<float>(*b);
  float z;
  if (sum) {
    z = static_cast<float>(double{fa} + double{fb});  // a double rounds innocuously: 53 >= 2 * 24 + 2
  } else if (fa == 0 && fb == 0) {
    z = (function == Function::min) == std::signbit(fa) ? fa : fb;
  } else {
    z = function == Function::min ? std::fmin(fa, fb) : std::fmax(fa, fb);
    // C leaves signalling NaN open: a number wins against any NaN.
    if (std::isnan(fa) != std::isnan(fb)) z = std::isnan(fa) ? fb : fa;
  }
  return std::isnan(z) ? 0x7fc00000 : std::bit_cast<std::uint32_t>(z);
}

TEST(Reduce, EveryFunctionTypeAndNumberOfInputs) {
  Random random(1);
  std::map<std::string, unsigned> seen;
  for (const unsigned inputs : {1u, 2u, 3u, 5u, 7u, 8u, 16u, 33u}) {
    const SlotParams params{.inputs = inputs, .outputs = 2};
    Slot slot(1 << 1, params);
    for (unsigned round = 0; round < 96; ++round) {
      const Function function = static_cast<Function>(round % 4);
      const Element element = static_cast<Element>(round / 4 % 3);
      std::uint64_t mask = random_mask(random, inputs);
      if (mask == 0 || round % 5 == 0) mask = ~std::uint64_t{0} >> (kMaxPorts - inputs);
      const unsigned n = static_cast<unsigned>(std::popcount(mask));
      const std::uint64_t word =
          function == Function::average ? average_word(element, n) : reduce_word(function, element);
      std::vector<Stream> in(inputs);
      for (unsigned i = 0; i < inputs; ++i) {
        if (mask >> i & 1) {
          in[i] =
              stream(20, 12, [&] { return element == Element::fp32 ? fp_bits(random) : int_bits(random); });
        }
      }
      const Result got = run(slot, {{true, Kind::reduce, word, mask}}, in, 2);
      ASSERT_TRUE(got.ended);
      ASSERT_EQ(slot.errors(), 0u);
      ASSERT_EQ(slot.status(1), 20u);
      ASSERT_EQ(got.out[0].size(), 20u);
      for (unsigned b = 0; b < 20; ++b) {
        ASSERT_EQ(got.out[0][b].last, b == 19);
        ASSERT_EQ(got.out[0][b].keep, b == 19 ? 0xfffu : kKeepAll);
        for (unsigned w = 0; w < kWords; ++w) {
          std::vector<std::optional<std::uint32_t>> x(inputs);
          std::int64_t exact = 0;
          for (unsigned i = 0; i < inputs; ++i) {
            if ((mask >> i & 1) == 0) continue;
            x[i] = in[i][b].word[w];
            exact += element == Element::int32 ? static_cast<std::int32_t>(*x[i]) : std::int64_t{*x[i]};
          }
          std::uint32_t expected = *reference(x, 0, std::bit_ceil(inputs), function, element);
          if (function == Function::average && element == Element::fp32) {
            const float z = static_cast<float>(double{std::bit_cast<float>(expected)} *
                                               double{1.0f / static_cast<float>(n)});
            expected = std::isnan(z) ? 0x7fc00000 : std::bit_cast<std::uint32_t>(z);
            ++seen[std::isnan(z)                        ? "nan"
                   : std::isinf(z)                      ? "inf"
                   : std::fpclassify(z) == FP_SUBNORMAL ? "tiny"
                                                        : "number"];
          } else if (function == Function::average) {
            expected = static_cast<std::uint32_t>(exact / n);
          }
          ASSERT_EQ(got.out[0][b].word[w], expected) << inputs << " inputs, round " << round << " beat " << b;
        }
      }
    }
  }
  for (const char* kind : {"nan", "inf", "tiny", "number"}) EXPECT_GT(seen[kind], 50u) << kind;
}

TEST(Reduce, OneSidePassesBitByBitAndOrderIsTheInputsNumbers) {
  Slot slot(1 << 1, {.inputs = 4, .outputs = 2});
  // A signalling NaN alone is not touched.
  Result got = run(slot, {{true, Kind::reduce, reduce_word(Function::sum, Element::fp32), 4}},
                   {{}, {}, stream(1, 32, [] { return 0x7f800001u; }), {}}, 2);
  EXPECT_EQ(got.out[0].at(0).word[3], 0x7f800001u);
  // (2^24 + 1) + (1 + 1): the tree gives 2^24 + 2; from left to right it would be 2^24.
  const auto f = [](float x) { return [x] { return std::bit_cast<std::uint32_t>(x); }; };
  got = run(
      slot, {{true, Kind::reduce, reduce_word(Function::sum, Element::fp32), 15}},
      {stream(1, 32, f(16777216.f)), stream(1, 32, f(1.f)), stream(1, 32, f(1.f)), stream(1, 32, f(1.f))}, 2);
  EXPECT_EQ(std::bit_cast<float>(got.out[0].at(0).word[0]), 16777218.f);
}

TEST(Reduce, LatencyAndTwoGroupsAtOnceAtFullRate) {
  for (const unsigned inputs : {2u, 3u, 8u}) {
    Slot slot(1 << 1, {.inputs = inputs, .outputs = 2});
    std::vector<Stream> in(inputs);
    for (Stream& s : in) s = stream(1000, 32, [] { return 1u; });
    const std::uint64_t word = reduce_word(Function::sum, Element::int32), low = 1,
                        high = ((1u << inputs) - 1) & ~1u;
    const Result got = run(slot, {{true, Kind::reduce, word, low}, {true, Kind::reduce, word, high}}, in, 2);
    ASSERT_TRUE(got.ended);
    const unsigned levels = inputs == 2 ? 1 : inputs == 3 ? 2 : 3;
    EXPECT_EQ(got.first_out, 4 * levels + 7);  // pushed in cycle 0: neither earlier nor later
    EXPECT_EQ(got.cycles, 1000 + 4 * levels + 7);
    EXPECT_EQ(got.out[0].at(999).word[0], 1u);
    EXPECT_EQ(got.out[1].at(999).word[7], inputs - 1);
  }
}

TEST(Reduce, UnequalLengthsAndKeepsAreErrorsNotHangs) {
  Slot slot(1 << 1, {.inputs = 3, .outputs = 1});
  const auto ones = [] { return 1u; };
  const Config config{true, Kind::reduce, reduce_word(Function::sum, Element::int32), 7};
  Result got = run(slot, {config}, {stream(5, 32, ones), stream(3, 32, ones), stream(4, 32, ones)}, 1);
  EXPECT_TRUE(got.ended);
  EXPECT_EQ(slot.errors(), kErrorLength);
  ASSERT_EQ(got.out[0].size(), 5u);
  EXPECT_TRUE(got.out[0][4].last);
  EXPECT_EQ(got.out[0][4].word[0], 1u);
  got = run(slot, {config}, {stream(2, 32, ones), stream(2, 32, ones), stream(2, 28, ones)}, 1);
  EXPECT_EQ(slot.errors(), kErrorLength);
  got = run(slot, {config}, {stream(2, 28, ones), stream(2, 28, ones), stream(2, 28, ones)}, 1);
  EXPECT_EQ(slot.errors(), 0u);  // errors are of the step
}

TEST(Slot, RefusesBadConfigurations) {
  Slot slot(0xe, {.inputs = 4, .outputs = 4});
  const std::uint64_t sum = reduce_word(Function::sum, Element::fp32),
                      three_bits = PartitionSetup{.bits = 2}.word();
  const std::vector<std::pair<std::vector<Config>, std::uint64_t>> cases = {
      {{{true, Kind::reduce, sum, 0}}, kErrorConfig},                                // empty mask
      {{{true, Kind::reduce, sum, 3}, {true, Kind::reduce, sum, 6}}, kErrorConfig},  // overlap
      {{{true, Kind::reduce, 4, 3}}, kErrorConfig},                                  // function
      {{{true, Kind::reduce, 0x300, 3}}, kErrorConfig},                              // type
      {{{true, Kind::reduce, sum | 1ull << 40, 3}}, kErrorConfig},                   // factor of a sum
      {{{true, Kind::reduce, average_word(Element::int32, 65), 3}}, kErrorConfig},   // divisor
      {{{}, {}, {true, Kind::reduce, sum, 3}}, kErrorConfig},                        // no third group
      {{{true, Kind::pass, 0, 3}}, kErrorConfig},                                    // two inputs
      {{{true, Kind::partition, three_bits, 15}}, kErrorConfig},                     // buckets without output
      {{{true, Kind::reduce, sum, 3}, {true, Kind::pass, 0, 4}}, kErrorKind},        // two kinds
      {{{true, Kind::kUser, 0, 3}}, kErrorKind},                                     // not held
      {{{true, Kind::reduce, sum, 3}}, 0},
      {{}, 0},
  };
  for (std::size_t n = 0; n < cases.size(); ++n) {
    const Result got = run(slot, cases[n].first, {}, 4);
    EXPECT_EQ(slot.errors(), cases[n].second) << "case " << n;
    EXPECT_TRUE(got.ended);
  }
  EXPECT_THROW(Partition(8, 6, 4, 64, 16), std::invalid_argument);
  EXPECT_THROW(Slot(1 << 5, {}), std::out_of_range);
}

TEST(Slot, ABeatThatNothingAcceptsIsAnError) {
  Slot slot(0xe, {.inputs = 4, .outputs = 4});
  std::vector<Stream> in(4);
  in[3] = stream(5, 32, [] { return 0u; });
  for (const Kind kind : {Kind::reduce, Kind::pass}) {
    run(slot, {{true, kind, 0, 1}}, in, 4, 20);
    EXPECT_EQ(slot.errors(), kErrorStray);
    slot.flush();
    slot.clock();
    EXPECT_EQ(slot.errors(), 0u);
    EXPECT_TRUE(slot.idle());
  }
}

TEST(Pass, RepeatsAnInputOnEveryOutputThatNamesIt) {
  Slot slot(1 << 3, {.inputs = 3, .outputs = 4});
  Random random(3);
  const std::vector<Stream> in = {
      stream(50, 8, [&] { return random(); }), stream(40, 32, [&] { return random(); }), {}};
  const Result got =
      run(slot, {{true, Kind::pass, 0, 2}, {true, Kind::pass, 0, 1}, {}, {true, Kind::pass, 0, 2}}, in, 4,
          10'000, &random);
  EXPECT_EQ(got.out[0], in[1]);
  EXPECT_EQ(got.out[1], in[0]);
  EXPECT_TRUE(got.out[2].empty());
  EXPECT_EQ(got.out[3], in[1]);
  EXPECT_EQ(slot.status(1), 90u);
}

/// A user's operator: adds its configuration word to every element. One input, one output.
class AddConstant : public Operator {
 public:
  AddConstant() : Operator(1, 1, 2, 1) {}

 protected:
  bool advance() override {
    if ((in_valid() & out_room() & 1) == 0) return false;
    Beat& beat = emit(0);
    beat = in(0);
    for (std::uint32_t& word : beat.word) word += constant_;
    take(1);
    return false;
  }
  void configure(std::span<const Config> configs) override {
    constant_ = static_cast<std::uint32_t>(configs[0].word);
  }
  void drop() override { constant_ = 0; }
  bool busy() const override { return false; }

 private:
  std::uint32_t constant_ = 0;
};

TEST(Registry, AUserAddsAnOperator) {
  Registry& registry = Registry::instance();
  const auto make = [](const SlotParams&) { return std::make_unique<AddConstant>(); };
  registry.add(Kind::kUser, "add constant", make);
  EXPECT_THROW(registry.add(Kind::kUser, "again", make), std::invalid_argument);
  EXPECT_THROW(registry.add(Kind::reduce, "mine", make), std::invalid_argument);
  EXPECT_EQ(registry.name(Kind::kUser), "add constant");
  Slot slot(std::uint64_t{1} << 16, {.inputs = 1, .outputs = 1});
  const Result got = run(slot, {{true, Kind::kUser, 5, 1}}, {stream(3, 32, [] { return 37u; })}, 1);
  ASSERT_EQ(got.out[0].size(), 3u);
  EXPECT_EQ(got.out[0][2].word[6], 42u);
}

TEST(Operator, QuietCyclesMayBeLeftOut) {
  for (const bool skip : {false, true}) {
    static std::uint64_t digest = 0;
    Slot slot(0xe, {.inputs = 4, .outputs = 4});
    Random random(9);
    slot.step(std::vector<Config>{{true, Kind::reduce, reduce_word(Function::sum, Element::int32), 15}});
    fabric::Digest all;
    unsigned skipped = 0;
    for (unsigned cycle = 0; cycle < 3000; ++cycle) {
      const bool push = cycle % 50 < 4;
      for (unsigned i = 0; push && i < 4; ++i) {
        if (slot.ready() >> i & 1) slot.push(i, Beat{.word = {cycle, i}});
      }
      if (slot.valid() & 1) {
        all.add(slot.front(0).word[0] + cycle);
        slot.pop(0);
      }
      if (skip && slot.quiet())
        ++skipped;
      else
        slot.clock();
    }
    slot.digest(all);
    if (!skip)
      digest = all.value();
    else
      EXPECT_EQ(all.value(), digest);
    EXPECT_EQ(skipped > 1000, skip);
  }
}

}  // namespace
}  // namespace polyloom::blocks::operators::test
