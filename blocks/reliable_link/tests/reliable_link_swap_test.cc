// SPDX-License-Identifier: Apache-2.0
// Covers: the Verilated link at one or both ends of a fabric link against the C++ link. A model beside each
//         Verilated end gets the same items and frames; words sent, their times, and the cycle in which each
//         item shows must be equal. Bit errors, lost frames, moody users, full receivers, silence, stalled
//         wires, counters, rate.
// Leaves out: the published form (no RTL); frames that the model never sends (link_parser cases of the
// proof).
#include <gtest/gtest.h>

#include <cstdlib>

#include "blocks/reliable_link/tests/link_station.h"
#include "fabric/full_tests.h"

namespace polyloom::blocks::testing {
namespace {

using fabric::LinkSpec;
using fabric::Time;

const fabric::Clock kClock(250'000'000);
constexpr Time kPeriod = 6'400, kLatency = 780'000;

bool full() { return fabric::full_tests(); }

struct Case {
  LinkSpec wire{.latency = kLatency, .period = kPeriod};
  Habits habits[2];
  bool rtl[2] = {true, true};
  RtlOptions options;
  ReliableLinkParams params = ReliableLinkParams::standard(kClock, kLatency, kPeriod);
  std::uint64_t seed = 1;
};

/// Two stations and the link between them.
struct World {
  explicit World(const Case& s) {
    LinkSpec ab = s.wire, ba = s.wire;
    ab.seed = 2 * s.seed, ba.seed = 2 * s.seed + 1;
    const int ids[2] = {fabric.add_node("a"), fabric.add_node("b")};
    const auto [a, b] = fabric.connect(ab, ba, ids[0], ids[1]);
    const fabric::Port ports[2] = {a, b};
    for (unsigned i = 0; i < 2; ++i) {
      std::unique_ptr<LinkEnd> end;
      RtlOptions options = s.options;
      options.seed = s.seed * 17 + i;
      if (s.rtl[i]) {
        end = std::make_unique<RtlEnd>(*ports[i].tx, *ports[i].rx, s.params, kClock, options);
      } else {
        end = std::make_unique<ModelEnd>(*ports[i].tx, *ports[i].rx, s.params, kClock);
      }
      auto node = std::make_unique<Station>(std::move(end), s.habits[i], kClock, s.seed * 31 + i);
      node->far_salt = s.seed * 31 + 1 - i;
      station[i] = node.get();
      fabric.set_node(ids[i], std::move(node));
    }
  }
  void run(Cycle cycles) { fabric::run(fabric, {.limit = kClock.edge(cycles)}); }
  void expect_all() {
    for (unsigned i = 0; i < 2; ++i) {
      for (unsigned ch = 0; ch < kChannels; ++ch) {
        EXPECT_EQ(station[1 - i]->taken[ch], station[i]->pushed[ch]) << "from " << i << " channel " << ch;
        EXPECT_GT(station[i]->pushed[ch], 0u);
      }
    }
  }
  fabric::Fabric fabric;
  Station* station[2] = {};
};

/// Counters of a Verilated end against those of the model that did the same.
void expect_counters(const ReliableLinkCounters& rtl, const ReliableLinkCounters& model) {
  EXPECT_EQ(rtl.frames_sent, model.frames_sent);
  EXPECT_EQ(rtl.pure_acks, model.pure_acks);
  EXPECT_EQ(rtl.timeouts, model.timeouts);
  EXPECT_EQ(rtl.go_backs, model.go_backs);
  EXPECT_EQ(rtl.frames_received, model.frames_received);
  EXPECT_EQ(rtl.bad_frames, model.bad_frames);
  EXPECT_EQ(rtl.duplicates, model.duplicates);
  EXPECT_EQ(rtl.gaps, model.gaps);
  EXPECT_EQ(rtl.items_again != 0, model.items_again != 0);
}

struct Loss {
  const char* name;
  double word_errors, drops;  ///< probabilities of a damaged word, of a lost frame
};

class ReliableLinkSwap : public ::testing::TestWithParam<Loss> {};

TEST_P(ReliableLinkSwap, SendsAndDeliversAsTheModelDoesAtTheSameCycles) {
  const unsigned seeds = full() ? 12 : 2;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    for (unsigned ends = 1; ends <= 3; ++ends) {
      Case s;
      s.seed = seed;
      s.wire.bit_error_rate = GetParam().word_errors / 64;
      s.wire.drop_rate = GetParam().drops;
      s.rtl[0] = ends & 1, s.rtl[1] = ends & 2;
      s.options.fifo_beats = seed % 2 == 0 ? 4 : 0;
      for (Habits& h : s.habits) h.push_until = full() ? 200'000 : 8'000;
      World w(s);
      w.run(s.habits[0].push_until + 100'000);
      w.expect_all();
      for (unsigned i = 0; i < 2; ++i) {
        if (!s.rtl[i]) continue;
        EXPECT_GT(w.station[i]->rtl().words_compared(), 1000u);
        expect_counters(w.station[i]->rtl().counters(), w.station[i]->rtl().model_counters());
        EXPECT_TRUE(w.station[i]->rtl().idle());
      }
    }
  }
}

std::vector<Loss> losses() {
  if (!fabric::full_tests()) return {{"clean", 0, 0}, {"e4", 1e-4, 1e-2}, {"worse", 5e-3, 0.1}};
  return {{"clean", 0, 0},    {"e6", 1e-6, 0},    {"e5", 1e-5, 1e-3},
          {"e4", 1e-4, 1e-2}, {"e3", 1e-3, 3e-2}, {"worse", 5e-3, 0.1}};
}

INSTANTIATE_TEST_SUITE_P(All, ReliableLinkSwap, ::testing::ValuesIn(losses()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(ReliableLinkRtl, AnItemOnAnIdleLinkKeepsTheTimesOfTheModel) {
  // The formula of README.md: first word at edge(c + 1), visible 2 cycles after the edge of the last word.
  for (const unsigned items : {1u, 5u, 6u, 60u}) {
    Case s;
    World w(s);
    (void)w;
    // Pushed by hand at the end itself.
    struct Wire final : fabric::Tx {
      void send(fabric::Segment x) override { sent.push_back(x), free = x.first + kPeriod; }
      Time free_at() const override { return free; }
      Time period() const override { return kPeriod; }
      std::vector<fabric::Segment> sent;
      Time free = 0;
    } tx;
    struct Nothing final : fabric::Rx {
      const fabric::Segment* front() const override { return nullptr; }
      void pop() override {}
    } rx;
    RtlEnd end(tx, rx, s.params, kClock, {});
    const Cycle push = 100 + items;
    for (Cycle k = 0; k < 400; ++k) {
      Offer offer;
      const Cycle first = push + 1 - items;
      offer.side[kData].valid = k >= first && k <= push;
      offer.side[kData].last = k == push;
      offer.side[kData].item = k;
      end.cycle(k, offer);
      end.flush(kClock.edge(k + 1));
    }
    ASSERT_EQ(tx.sent.size(), frame_words(items));
    for (std::size_t i = 0; i < tx.sent.size(); ++i) {
      EXPECT_EQ(tx.sent[i].first, kClock.edge(push + 1) + static_cast<Time>(i) * kPeriod);
    }
  }
}

TEST(ReliableLinkRtl, FullFramesUseTheWireAsComputed) {
  Case s;
  for (Habits& h : s.habits) h.moody = false, h.control = 0, h.push_until = 60'000;
  World w(s);
  w.run(8000);
  const std::uint64_t before[2] = {w.station[0]->taken[kData], w.station[1]->taken[kData]};
  w.run(48'000);
  for (unsigned i = 0; i < 2; ++i) {
    const double items = static_cast<double>(w.station[i]->taken[kData] - before[i]);
    const double words = 40'000 * 4000.0 / kPeriod;
    EXPECT_NEAR(items / words, 60.0 / 65, 0.005);
    EXPECT_EQ(w.station[i]->end().counters().items_again, 0u);
  }
}

TEST(ReliableLinkRtl, AFullReceiverLosesNothingAndControlPasses) {
  Case s;
  for (Habits& h : s.habits) h.moody = false, h.push_until = 40'000;
  s.habits[1].deaf_from = 3'000, s.habits[1].deaf_to = 30'000;
  World w(s);
  w.run(25'000);
  const std::uint64_t stuck = w.station[1]->taken[kData], control = w.station[1]->taken[kControl];
  w.run(30'000);
  EXPECT_EQ(w.station[1]->taken[kData], stuck);
  EXPECT_GT(w.station[1]->taken[kControl], control);
  EXPECT_EQ(w.station[0]->end().counters().items_again, 0u);
  w.run(60'000);
  w.expect_all();
}

TEST(ReliableLinkRtl, SilenceAndStalledWiresLoseNothing) {
  for (const unsigned stall : {2u, 5u}) {
    Case s;
    s.options.stall = stall;
    s.wire.drop_rate = 0.05;
    for (Habits& h : s.habits) h.push_until = 15'000, h.data = 1;
    World w(s);
    w.run(60'000);
    w.expect_all();
    for (const Station* node : w.station) EXPECT_GT(node->pushed[kData], 50u);
  }
}

}  // namespace
}  // namespace polyloom::blocks::testing
