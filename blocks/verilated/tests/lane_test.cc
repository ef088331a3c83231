// SPDX-License-Identifier: Apache-2.0
// Covers: when beats and pulses are presented and leave, when the FIFO has room, how windows may fall (random
// traffic against a slow obvious version). Leaves out: the fabric's own rules (fabric/tests), Verilated
// nodes.
#include "blocks/verilated/lane.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace polyloom::blocks {
namespace {

using fabric::kNever;
using fabric::Segment;
using fabric::Time;

struct FakeTx final : fabric::Tx {
  explicit FakeTx(Time p) : period_ps(p) {}
  void send(Segment segment) override {
    EXPECT_GE(segment.first, free);
    segment.period = period_ps;
    free = segment.end();
    sent.push_back(std::move(segment));
  }
  Time free_at() const override { return free; }
  Time period() const override { return period_ps; }
  Time period_ps, free = 0;
  std::vector<Segment> sent;
};

struct FakeRx final : fabric::Rx {
  const Segment* front() const override { return queue.empty() ? nullptr : &queue.front(); }
  void pop() override { queue.pop_front(); }
  std::deque<Segment> queue;
};

LaneBeat beat(unsigned words, bool last, unsigned keep = 8, std::uint64_t value = 0) {
  LaneBeat b;
  b.words = words, b.last = last, b.keep = keep;
  for (unsigned i = 0; i < words; ++i) b.data[i] = value + i;
  return b;
}

std::vector<Time> times(const std::vector<Segment>& sent) {
  std::vector<Time> result;
  for (const Segment& s : sent) result.push_back(s.first);
  return result;
}

TEST(LaneRx, PresentsABeatOnceItsLastWordIsThere) {
  FakeRx rx;
  rx.queue.push_back({.first = 100, .period = 10, .tail = false, .words = {1, 2, 3, 4, 5, 6}});
  rx.queue.push_back({.first = 200, .period = 10, .head = false, .keep = 3, .words = {7}});
  LaneRx lane(&rx, 4);
  EXPECT_EQ(lane.next_arrival(), 100);
  lane.collect(129);
  EXPECT_EQ(lane.beat(), nullptr);
  EXPECT_EQ(lane.next_arrival(), 130);
  lane.collect(130);
  ASSERT_NE(lane.beat(), nullptr);
  EXPECT_EQ(lane.beat()->bytes(), 32u);
  EXPECT_FALSE(lane.beat()->last);
  lane.pop_beat();
  lane.collect(199);
  EXPECT_FALSE(lane.pending());
  lane.collect(200);  // the tail ends the second beat: 3 words, of the last one 3 bytes
  ASSERT_NE(lane.beat(), nullptr);
  EXPECT_EQ(lane.beat()->bytes(), 19u);
  EXPECT_TRUE(lane.beat()->last);
  EXPECT_EQ(lane.beat()->data[2], 7u);
  EXPECT_EQ(lane.next_arrival(), kNever);
}

TEST(LaneRx, ATailWithoutWordsEndsWhatIsThere) {
  for (const unsigned words : {0u, 2u, 4u}) {
    FakeRx rx;
    rx.queue.push_back({.first = 0, .period = 1, .tail = false, .words = std::vector<std::uint64_t>(words)});
    rx.queue.push_back({.first = 50, .period = 1, .head = false, .words = {}});
    LaneRx lane(&rx, 4);
    lane.collect(50);
    if (words == 4) {
      EXPECT_FALSE(lane.beat()->last);
      lane.pop_beat();
    }
    EXPECT_EQ(lane.beat()->words, words % 4);
    EXPECT_TRUE(lane.beat()->last);
    lane.pop_beat();
    EXPECT_FALSE(lane.pending());
  }
}

TEST(LaneTx, BeatsLeaveBackToBackAndTheFifoCountsThoseThatWait) {
  FakeTx tx(25);  // a beat of 4 words takes 100
  LaneTx lane(&tx, 2);
  lane.push(1000, beat(4, false));  // leaves at once: never counted
  EXPECT_TRUE(lane.ready(1010));
  lane.push(1010, beat(4, false));  // leaves at 1100
  EXPECT_TRUE(lane.ready(1020));
  lane.push(1020, beat(1, true));  // leaves at 1200
  EXPECT_FALSE(lane.ready(1030));
  EXPECT_FALSE(lane.ready(1099));
  EXPECT_TRUE(lane.ready(1100));
  lane.push(1100, beat(4, true));  // leaves at 1225
  EXPECT_FALSE(lane.ready(1199));
  EXPECT_TRUE(lane.ready(1200));
  lane.flush(1200);
  EXPECT_EQ(times(tx.sent), (std::vector<Time>{1000, 1100}));
  EXPECT_EQ(lane.next_event(), 1200);
  lane.flush(1226);
  EXPECT_EQ(times(tx.sent), (std::vector<Time>{1000, 1100, 1200, 1225}));
  EXPECT_EQ(lane.next_event(), kNever);
  EXPECT_TRUE(tx.sent[0].head && !tx.sent[1].head && tx.sent[2].tail && tx.sent[3].head);
}

TEST(LaneTx, APulseWaitsForTheBeatOnTheWireOnly) {
  for (const bool pulse_first : {false, true}) {
    FakeTx tx(25);
    LaneTx lane(&tx, 4);
    lane.pulse(900);  // free wire
    lane.push(1000, beat(4, false));
    if (pulse_first) lane.pulse(1010);  // at 1100
    lane.push(1010, beat(4, false));    // at 1100, behind the pulse
    if (!pulse_first) lane.pulse(1010);
    lane.pulse(1100);  // the first beat has just ended, the second not begun
    lane.pulse(1101);  // at 1200
    lane.flush(5000);
    std::vector<std::pair<Time, bool>> got;
    for (const Segment& s : tx.sent) got.emplace_back(s.first, s.words.empty());
    EXPECT_EQ(got, (std::vector<std::pair<Time, bool>>{
                       {900, true}, {1000, false}, {1100, true}, {1100, true}, {1100, false}, {1200, true}}));
  }
}

TEST(LaneTx, APulseAtTheEdgeOfABeatGoesFirst) {
  FakeTx tx(25);
  LaneTx lane(&tx, 4);
  lane.push(1000, beat(2, true));
  lane.pulse(1000);
  lane.flush(2000);
  ASSERT_EQ(tx.sent.size(), 2u);
  EXPECT_TRUE(tx.sent[0].words.empty());
  EXPECT_EQ(tx.sent[0].first, 1000);
  EXPECT_EQ(tx.sent[1].first, 1000);
}

TEST(LaneTx, WhatLeavesDoesNotDependOnWindows) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    std::vector<std::vector<std::pair<Time, std::size_t>>> runs;
    for (const std::uint64_t windows : {0u, 1u, 2u}) {
      std::mt19937_64 random(seed), cut(seed * 3 + windows);
      const Time cycle = 40 + static_cast<Time>(random() % 100);
      FakeTx tx(10 + static_cast<Time>(random() % 30));
      LaneTx lane(&tx, 1 + static_cast<unsigned>(random() % 4));
      Time window = 0;
      for (int k = 0; k < 300; ++k) {
        const Time t = k * cycle;
        if (windows != 0 && cut() % 3 == 0) lane.flush(window = t);  // all before t has happened
        const bool wants = random() % 3 != 0, pulse = random() % 5 == 0;
        const unsigned words = 1 + static_cast<unsigned>(random() % 4);
        if (wants && lane.ready(t)) lane.push(t, beat(words, words != 4));
        if (pulse) lane.pulse(t);
      }
      lane.flush(kNever);
      auto& got = runs.emplace_back();
      for (const Segment& s : tx.sent) got.emplace_back(s.first, s.words.size());
    }
    EXPECT_GT(runs[0].size(), 60u);
    EXPECT_EQ(runs[1], runs[0]) << seed;
    EXPECT_EQ(runs[2], runs[0]) << seed;
  }
}

TEST(LaneTx, WithoutAFifoABeatIsTakenInTheCycleInWhichItLeaves) {
  FakeTx tx(25);  // a beat of 4 words takes 100
  LaneTx lane(&tx, 0);
  EXPECT_TRUE(lane.ready(1000, 1080));
  lane.push(1000, beat(4, false));  // leaves at once, until 1100
  EXPECT_TRUE(lane.ready(1080, 1160));
  lane.push(1080, beat(4, false));  // leaves at 1100, until 1200
  EXPECT_TRUE(lane.ready(1160, 1240));
  lane.push(1160, beat(4, false));  // until 1300
  EXPECT_TRUE(lane.ready(1240, 1320));
  lane.push(1240, beat(4, false));       // until 1400
  EXPECT_FALSE(lane.ready(1320, 1400));  // it would leave at the next edge
  EXPECT_TRUE(lane.ready(1400, 1480));
  lane.push(1400, beat(2, true));
  lane.flush(kNever);
  EXPECT_EQ(times(tx.sent), (std::vector<Time>{1000, 1100, 1200, 1300, 1400}));
}

TEST(LaneTx, AgreesWithASlowVersion) {
  // The slow version keeps every beat ever pushed with its departure and looks at all of them for each
  // question.
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    std::mt19937_64 random(seed);
    const Time cycle = 40 + static_cast<Time>(random() % 100), period = 10 + static_cast<Time>(random() % 30);
    const unsigned fifo = 1 + static_cast<unsigned>(random() % 4);
    FakeTx tx(period);
    LaneTx lane(&tx, fifo);
    std::vector<std::pair<Time, Time>> beats;  // departure, end
    std::vector<std::pair<Time, bool>> expected;
    for (int k = 0; k < 200; ++k) {
      const Time t = k * cycle;
      unsigned waiting = 0;
      Time pulse_at = t;
      for (const auto& [begin, end] : beats) {
        waiting += begin > t;
        if (begin < t && t < end) pulse_at = end;
      }
      ASSERT_EQ(lane.ready(t), waiting < fifo) << seed << " edge " << k;
      if (random() % 4 == 0) lane.pulse(t), expected.emplace_back(pulse_at, true);
      if (waiting < fifo && random() % 3 != 0) {
        const unsigned words = 1 + static_cast<unsigned>(random() % 4);
        const Time begin = beats.empty() ? t : std::max(t, beats.back().second);
        beats.emplace_back(begin, begin + words * period);
        expected.emplace_back(begin, false);
        lane.push(t, beat(words, true));
      }
    }
    lane.flush(kNever);
    // By time; pulses before a beat of the same time.
    std::stable_sort(expected.begin(), expected.end(), [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first < b.first : a.second && !b.second;
    });
    std::vector<std::pair<Time, bool>> got;
    for (const Segment& s : tx.sent) got.emplace_back(s.first, s.words.empty());
    EXPECT_EQ(got, expected) << seed;
  }
}

}  // namespace
}  // namespace polyloom::blocks
