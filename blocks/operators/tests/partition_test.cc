// SPDX-License-Identifier: Apache-2.0
// Covers: partition's model against lists made by plain loops: which output, order inside (input, output),
//   counts, histogram, records, steering, splitting, ends, empty outputs; accept rates of uniform, skewed and
//   split keys.
// Leaves out: cycles under stalls (operators_rtl_test.cc).
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

#include "blocks/operators/tests/operator_streams.h"

namespace polyloom::blocks::operators::test {
namespace {

struct Partitioned {
  std::vector<Stream> out;
  std::uint64_t cycles = 0;
  bool ended = false;
};

Partitioned run(Slot& slot, const std::vector<Config>& configs, const std::vector<Stream>& in,
                Random* stalls = nullptr) {
  Partitioned result;
  result.out.resize(configs.size());
  slot.step(configs);
  slot.clock();
  std::vector<std::size_t> at(in.size());
  for (; result.cycles < 200'000; ++result.cycles) {
    bool sent = true;
    for (unsigned i = 0; i < in.size(); ++i) {
      if (at[i] == in[i].size()) continue;
      sent = false;
      if ((slot.ready() >> i & 1) && (stalls == nullptr || below(*stalls, 4))) slot.push(i, in[i][at[i]++]);
    }
    for (unsigned o = 0; o < configs.size(); ++o) {
      if ((slot.valid() >> o & 1) == 0 || (stalls != nullptr && below(*stalls, 4) == 0)) continue;
      result.out[o].push_back(slot.front(o));
      slot.pop(o);
    }
    result.ended = sent && slot.idle();
    if (result.ended) break;
    slot.clock();
  }
  return result;
}

/// Words of a stream that count; checks that only the last beat is short and that it alone says `last`.
std::vector<std::uint32_t> words(const Stream& stream) {
  std::vector<std::uint32_t> result;
  for (std::size_t b = 0; b < stream.size(); ++b) {
    const unsigned count = static_cast<unsigned>(std::popcount(stream[b].keep)) / 4;
    EXPECT_EQ(stream[b].last, b + 1 == stream.size());
    EXPECT_EQ(stream[b].keep, static_cast<std::uint32_t>((std::uint64_t{1} << 4 * count) - 1));
    if (b + 1 < stream.size())
      EXPECT_EQ(count, kWords);
    else
      EXPECT_TRUE(count > 0 || b == 0);
    result.insert(result.end(), stream[b].word.begin(), stream[b].word.begin() + count);
    for (unsigned w = count; w < kWords; ++w) EXPECT_EQ(stream[b].word[w], 0u);
  }
  return result;
}

std::vector<Config> configs_of(unsigned outputs, const PartitionSetup& setup, std::uint64_t mask,
                               const std::vector<std::uint32_t>& routes = {}) {
  std::vector<Config> configs(outputs);
  for (unsigned o = 0; o < outputs; ++o) {
    configs[o] = {true, Kind::partition, setup.word(routes.empty() ? 0 : routes[o]), mask};
  }
  return configs;
}

/// Keys carry where they come from in their low 20 bits: input (4), position (16).
std::uint32_t tagged(std::uint32_t bucket, unsigned input, unsigned position) {
  return bucket << 20 | input << 16 | position;
}

TEST(Partition, KeysGoToTheirBucketsInOrderAndAreCounted) {
  Random random(1);
  for (const unsigned inputs : {1u, 2u, 3u, 7u, 8u, 16u}) {
    for (const unsigned bits : {0u, 1u, 3u, 4u, 6u}) {
      Slot slot(1 << 2, {.inputs = inputs, .outputs = 8});
      const std::uint64_t mask = ~std::uint64_t{0} >> (kMaxPorts - inputs);
      std::vector<Stream> in(inputs);
      std::vector<std::uint64_t> histogram(64);
      std::vector<std::vector<std::uint32_t>> expected(8 * inputs);  // [output][input]
      for (unsigned i = 0; i < inputs; ++i) {
        unsigned position = 0;
        const unsigned beats = 1 + below(random, 60), bytes = 4 * below(random, 9);
        in[i] = stream(beats, bytes, [&] { return tagged(below(random, 1u << bits), i, position++); });
        const unsigned count = 8 * (beats - 1) + bytes / 4;
        for (unsigned p = 0; p < count; ++p) {
          const std::uint32_t key = in[i][p / 8].word[p % 8], bucket = key >> 20;
          ++histogram[bucket];
          expected[(bits > 3 ? bucket >> (bits - 3) : bucket) * inputs + i].push_back(key);
        }
      }
      const Partitioned got = run(slot, configs_of(8, {.shift = 20, .bits = bits}, mask), in, &random);
      ASSERT_TRUE(got.ended);
      ASSERT_EQ(slot.errors(), 0u);
      for (unsigned o = 0; o < 8; ++o) {
        std::vector<std::vector<std::uint32_t>> sorted(inputs);
        for (const std::uint32_t key : words(got.out[o])) sorted[key >> 16 & 15].push_back(key);
        for (unsigned i = 0; i < inputs; ++i) ASSERT_EQ(sorted[i], expected[o * inputs + i]) << o << " " << i;
      }
      for (unsigned b = 0; b < 64; ++b) ASSERT_EQ(slot.status(2 + b), histogram[b]);
    }
  }
}

TEST(Partition, RecordsKeepKeyAndValueTogether) {
  Random random(2);
  Slot slot(1 << 2, {.inputs = 4, .outputs = 4});
  std::vector<Stream> in(4);
  unsigned word = 0;
  for (Stream& s : in) {
    s = stream(50, 24, [&] { return word++ % 2 == 0 ? static_cast<std::uint32_t>(random()) : word; });
    word = 0;
  }
  const Partitioned got = run(slot, configs_of(4, {.shift = 30, .bits = 2, .pair = true}, 15), in, &random);
  ASSERT_TRUE(got.ended);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> sent, came;
  for (const Stream& s : in) {
    for (unsigned r = 0; r < 4 * 49 + 3; ++r)
      sent.emplace_back(s[r / 4].word[r % 4 * 2], s[r / 4].word[r % 4 * 2 + 1]);
  }
  std::uint64_t keys = 0;
  for (unsigned o = 0; o < 4; ++o) {
    const std::vector<std::uint32_t> list = words(got.out[o]);
    for (unsigned k = 0; k < list.size(); k += 2) {
      EXPECT_EQ(list[k] >> 30, o);
      came.emplace_back(list[k], list.at(k + 1));
    }
    keys += slot.status(2 + o);
  }
  std::ranges::sort(sent);
  std::ranges::sort(came);
  EXPECT_EQ(sent, came);
  EXPECT_EQ(keys, sent.size());
}

TEST(Partition, ValuesFollowRememberedKeysAlsoOfSplitBuckets) {
  Random random(3);
  for (const bool silent : {false, true}) {
    Slot slot(1 << 2, {.inputs = 3, .outputs = 4, .record_beats = 32});
    std::vector<Stream> keys(3), values(3);
    for (unsigned i = 0; i < 3; ++i) {
      unsigned p = 0, q = 0;
      keys[i] = stream(32, 20, [&] { return tagged(below(random, 4), i, p++); });
      values[i] = stream(32, 20, [&] { return 0x80000000 | i << 16 | q++; });
    }
    const std::vector<std::uint32_t> routes = {1 | 2, 2, 4 | 2, 8};  // bucket 1 leaves by outputs 0, 1 and 2
    PartitionSetup setup{.shift = 20, .bits = 2, .record = true, .silent = silent};
    const Partitioned first = run(slot, configs_of(4, setup, 7, routes), keys, &random);
    ASSERT_TRUE(first.ended);
    EXPECT_EQ(slot.status(2) + slot.status(3) + slot.status(4) + slot.status(5), 3u * (31 * 8 + 5));
    if (silent) {
      for (const Stream& out : first.out) EXPECT_TRUE(out.empty());
      setup.silent = setup.record = false;
      setup.steer = true;
      run(slot, configs_of(4, {.shift = 20, .bits = 2}, 7), {},
          nullptr);  // a step between does not disturb it
    }
    setup = {.shift = 20, .bits = 2, .steer = true};
    const Partitioned second = run(slot, configs_of(4, setup, 7, routes), values, &random);
    ASSERT_TRUE(second.ended);
    ASSERT_EQ(slot.errors(), 0u);
    for (unsigned o = 0; o < 4; ++o) {
      std::vector<std::uint32_t> where, values_there = words(second.out[o]);
      for (std::uint32_t& value : values_there) value &= 0x7fffffff;
      std::ranges::sort(values_there);
      if (!silent) {  // what left with the keys says where each value must leave
        for (const std::uint32_t key : words(first.out[o])) where.push_back(key & 0xfffff);
        std::ranges::sort(where);
        EXPECT_EQ(values_there, where) << "output " << o;
      }
      for (const std::uint32_t value : values_there) {
        const std::uint32_t bucket = keys[value >> 16][(value & 0xffff) / 8].word[value % 8] >> 20;
        EXPECT_TRUE(routes[o] >> bucket & 1) << "output " << o << " bucket " << bucket;
      }
    }
  }
}

TEST(Partition, TheRecordHasAnEnd) {
  Slot slot(1 << 2, {.inputs = 2, .outputs = 2, .record_beats = 8});
  PartitionSetup setup{.bits = 1, .record = true};
  const auto zero = [] { return 0u; };
  run(slot, configs_of(2, setup, 3), {stream(8, 32, zero), stream(8, 32, zero)});
  EXPECT_EQ(slot.errors(), 0u);
  run(slot, configs_of(2, setup, 3), {stream(8, 32, zero), stream(9, 32, zero)});
  EXPECT_EQ(slot.errors(), kErrorRecord);
  setup = {.bits = 1, .steer = true};
  Partitioned got = run(slot, configs_of(2, setup, 3), {stream(8, 32, zero), stream(8, 32, zero)});
  EXPECT_EQ(slot.errors(), 0u);
  got = run(slot, configs_of(2, setup, 3), {stream(9, 32, zero), stream(8, 32, zero)});
  EXPECT_EQ(slot.errors(), kErrorRecord);
  EXPECT_TRUE(got.ended);
}

TEST(Partition, EqualKeysAndEmptyStreamsEndEveryOutput) {
  Slot slot(1 << 2, {.inputs = 8, .outputs = 8});
  std::vector<Stream> in(8);
  for (Stream& s : in) s = stream(40, 32, [] { return 5u; });
  Partitioned got = run(slot, configs_of(8, {.bits = 3}, 255), in);
  for (unsigned o = 0; o < 8; ++o) EXPECT_EQ(words(got.out[o]).size(), o == 5 ? 8u * 40 * 8 : 0u);
  EXPECT_NEAR(got.cycles, 8 * 40, 20);  // one output is the limit
  for (Stream& s : in) s = stream(1, 0, [] { return 5u; });
  got = run(slot, configs_of(8, {.bits = 3}, 255), in);
  for (unsigned o = 0; o < 8; ++o) ASSERT_EQ(got.out[o], Stream(1, Beat{.keep = 0, .last = true}));
  in.assign(8, {});
  in[6] = stream(1, 4, [] { return 2u; });  // one key in all
  got = run(slot, configs_of(8, {.bits = 3}, 1 << 6), in);
  EXPECT_EQ(words(got.out[2]), std::vector<std::uint32_t>{2});
}

/// Share of the best possible rate (every input a beat a cycle) for keys drawn by weight[0..7].
double accept_rate(const std::vector<unsigned>& weights, const std::vector<std::uint32_t>& routes) {
  Random random(7);
  Slot slot(1 << 2, {.inputs = 8, .outputs = 8});
  std::vector<std::uint32_t> draw;
  for (unsigned b = 0; b < weights.size(); ++b) draw.insert(draw.end(), weights[b], b);
  std::vector<Stream> in(8);
  constexpr unsigned kBeats = 4000;
  for (Stream& s : in) s = stream(kBeats, 32, [&] { return draw[random() % draw.size()]; });
  const Partitioned got = run(slot, configs_of(8, {.bits = 3}, 255, routes), in);
  EXPECT_TRUE(got.ended);
  return double{kBeats} / static_cast<double>(got.cycles);
}

TEST(Partition, AcceptRates) {
  const double uniform = accept_rate({1, 1, 1, 1, 1, 1, 1, 1}, {});
  const double skewed = accept_rate({2, 1, 1, 1, 1, 1, 1, 1}, {});
  const double split =
      accept_rate({2, 1, 1, 1, 1, 1, 1, 1}, {1, 3, 5, 9, 17, 33, 65, 129});  // bucket 0 by all
  RecordProperty("uniform_permille", static_cast<int>(1000 * uniform));
  RecordProperty("skewed_permille", static_cast<int>(1000 * skewed));
  RecordProperty("split_permille", static_cast<int>(1000 * split));
  std::printf("accept rate: uniform %.3f, one bucket twice as frequent %.3f, the same split %.3f\n", uniform,
              skewed, split);
  EXPECT_GT(uniform, 0.95);
  EXPECT_NEAR(skewed, 9.0 / 16, 0.02);  // the frequent bucket's output is the limit: 2/9 of all keys
  EXPECT_LT(uniform / split, 1.3);
}

// A step leaves no turn behind, so the same keys mix in the same way again: values meet their keys.
TEST(Partition, EqualStepsMixEqually) {
  Random random(5);
  Slot slot(1 << 2, {.inputs = 3, .outputs = 4});
  std::vector<Config> configs(4);
  for (Config& config : configs) config = {true, Kind::partition, PartitionSetup{.bits = 2}.word(), 7};
  const auto keys = [&] { return static_cast<std::uint32_t>(random()); };
  for (unsigned round = 0; round < 20; ++round) {
    std::vector<Stream> in;
    for (unsigned i = 0; i < 3; ++i) in.push_back(stream(5 + below(random, 30), kWords * 4, keys));
    const Partitioned first = run(slot, configs, in), second = run(slot, configs, in);
    ASSERT_TRUE(first.ended && second.ended);
    ASSERT_EQ(first.out, second.out);
    ASSERT_EQ(first.cycles, second.cycles);
  }
}

// Two partitions in one slot: what the first deals out comes back to the second, as a node's own part does.
TEST(TwoPartitions, WorkSideBySide) {
  Random random(11);
  Slot slot(1 << 2, {.inputs = 2, .outputs = 4, .partitions = 2});
  std::vector<Config> configs(8);
  const PartitionSetup high{.shift = 30, .bits = 2}, low{.shift = 0, .bits = 2};
  for (unsigned o = 0; o < 4; ++o) {
    configs[o] = {true, Kind::partition, high.word(), 3};
    configs[4 + o] = {true, Kind::partition, low.word(), 4};
  }
  slot.step(configs);
  slot.clock();
  std::vector<std::vector<std::uint32_t>> sent(4), got(8);
  std::array<unsigned, 2> left{40, 40};
  std::deque<Beat> back;  // output 2 of the first to input 0 of the second
  for (unsigned n = 0; n < 1000; ++n) {
    for (unsigned i = 0; i < 2; ++i) {
      if ((slot.ready() >> i & 1) == 0 || left[i] == 0) continue;
      Beat beat;
      for (std::uint32_t& word : beat.word) {
        word = static_cast<std::uint32_t>(random());
        sent[word >> 30].push_back(word);
      }
      beat.last = --left[i] == 0;
      slot.push(i, beat);
    }
    if (!back.empty() && (slot.ready() >> 2 & 1) != 0) {
      slot.push(2, back.front());
      back.pop_front();
    }
    for (unsigned o = 0; o < 8; ++o) {
      if ((slot.valid() >> o & 1) == 0) continue;
      const Beat beat = slot.front(o);
      slot.pop(o);
      for (unsigned k = 0; k < kWords; ++k) {
        if (beat.keep >> (4 * k) & 1) got[o].push_back(beat.word[k]);
      }
      if (o == 2) back.push_back(beat);
    }
    slot.clock();
  }
  EXPECT_TRUE(slot.idle());
  EXPECT_EQ(slot.errors(), 0u);
  std::vector<std::uint32_t> again;
  for (unsigned o = 0; o < 4; ++o) {
    std::sort(got[o].begin(), got[o].end());
    std::sort(sent[o].begin(), sent[o].end());
    EXPECT_EQ(got[o], sent[o]);
    EXPECT_EQ(slot.status(2 + o), sent[o].size());
    EXPECT_EQ(slot.status(66 + o), sent[o].size());
    EXPECT_EQ(slot.status(Slot::kStatusStride + 66 + o), got[4 + o].size());
    for (const std::uint32_t word : got[4 + o]) EXPECT_EQ(word & 3, o);
    again.insert(again.end(), got[4 + o].begin(), got[4 + o].end());
  }
  std::sort(again.begin(), again.end());
  EXPECT_EQ(again, sent[2]);
}

}  // namespace
}  // namespace polyloom::blocks::operators::test
