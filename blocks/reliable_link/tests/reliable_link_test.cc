// SPDX-License-Identifier: Apache-2.0
// Covers: frame layout, cycle of visibility, throughput, channels, credits, idle links, window lengths.
// Leaves out: losses (reliable_link_loss_test.cc) and the fabric's own link (its conformance test).
#include "blocks/reliable_link/sim/reliable_link.h"

#include <gtest/gtest.h>

#include "blocks/crc/sim/crc32.h"
#include "blocks/reliable_link/tests/fake_wire.h"
#include "fabric/error.h"

namespace polyloom::blocks {
namespace {

using fabric::Time;
constexpr std::uint64_t kHz = 250'000'000;
const fabric::Clock kClock(kHz);

/// Two ends and the wires between them.
struct Pair {
  explicit Pair(const ReliableLinkParams& p = {}, const FakeWire::Spec& spec = {})
      : ab(spec), ba(spec), a(ab.tx(), ba.rx(), p, kClock), b(ba.tx(), ab.rx(), p, kClock) {}

  /// Ends the window [now, until) for both: sends what is due.
  void step(Cycle until) {
    ab.window(kClock.edge(now), kClock.edge(until));
    ba.window(kClock.edge(now), kClock.edge(until));
    a.receive(until);
    b.receive(until);
    a.transmit(until);
    b.transmit(until);
    now = until;
  }
  void run(Cycle until) {
    while (now < until) step(std::min(now + 8, until));
  }
  FakeWire ab, ba;
  ReliableLink a, b;
  Cycle now = 0;
};

TEST(ReliableLinkFrame, LayoutIsTheDocumentedOne) {
  LinkHeader h;
  h.seq[kData] = 0x1234, h.ack[kData] = 0x5678, h.limit[kData] = 0x9abc, h.count[kData] = 2;
  h.seq[kControl] = 0x11, h.ack[kControl] = 0x22, h.limit[kControl] = 0x33, h.count[kControl] = 1;
  h.nack[kData] = true, h.poll = true;
  const std::uint64_t items[] = {7, 8, 9};
  const auto words = build_frame(LinkFormat{}, h, items);
  ASSERT_EQ(words.size(), 8u);
  EXPECT_EQ(words[0], 0xc1029abc56781234u);
  EXPECT_EQ(words[1], 0x000088b550332211u);
  EXPECT_EQ(words[4], 9u);
  EXPECT_EQ(words[7], crc32(std::span(words).first(7)));
  LinkHeader back;
  ASSERT_TRUE(parse_frame(LinkFormat{}, words, back));
  EXPECT_EQ(back.limit[kData], 0x9abc);
  EXPECT_EQ(back.count[kControl], 1);
  EXPECT_TRUE(back.nack[kData] && back.poll && !back.nack[kControl]);

  LinkHeader old;
  old.seq[kData] = 1023, old.ack[kData] = 5, old.count[kData] = 3;
  EXPECT_EQ(build_frame(LinkFormat{true}, old, items)[0], 3u | 1023u << 7 | 5u << 17);
  EXPECT_EQ(build_frame(LinkFormat{true}, old, items)[1], 0x0600'00000000u);
}

TEST(ReliableLinkFrame, EveryFlippedBitAndWrongLengthIsRefused) {
  LinkHeader h;
  h.count[kData] = 10;
  const std::vector<std::uint64_t> items(10, 0x5555);
  const auto good = build_frame(LinkFormat{}, h, items);
  LinkHeader back;
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (unsigned bit = 0; bit < (i + 1 == good.size() ? 32 : 64); ++bit) {
      auto bad = good;
      bad[i] ^= std::uint64_t{1} << bit;
      EXPECT_FALSE(parse_frame(LinkFormat{}, bad, back));
    }
  }
  auto cut = good;
  cut.erase(cut.begin() + 5);
  EXPECT_FALSE(parse_frame(LinkFormat{}, cut, back));
  EXPECT_FALSE(parse_frame(LinkFormat{}, std::span(good).first(3), back));
}

/// The formula of the header comment, from the constants of Ethernet: `items` items, at least 64 bytes a
/// frame.
Cycle visible_at(Cycle push, unsigned items, Time latency, Time period) {
  const std::int64_t bytes = std::max<std::int64_t>(64, 16 + 8 * static_cast<std::int64_t>(items) + 8);
  const Time last = kClock.edge(push + 1) + latency + (bytes / 8 - 1) * period;
  const Cycle edge = static_cast<Cycle>((last + 3999) / 4000);
  return edge + 2;
}

TEST(ReliableLink, AnItemIsVisibleAtTheComputedCycleAndNotBefore) {
  for (const Time latency : {780'000, 100'001}) {
    for (const Cycle push : {0u, 3u, 8u, 77u}) {
      for (const unsigned items : {1u, 5u, 6u, 60u}) {
        FakeWire::Spec spec;
        spec.latency = latency;
        Pair pair({}, spec);
        pair.run(push / 8 * 8);
        for (unsigned i = 0; i < items; ++i) ASSERT_TRUE(pair.a.push_data(push, 100 + i));
        const Cycle want = visible_at(push, items, latency, 6400);
        // Visible only in the window that contains the cycle.
        while (pair.b.data_visible() == kNeverCycle && pair.now < 2000) pair.step(pair.now + 8);
        EXPECT_EQ(pair.b.data_visible(), want);
        EXPECT_EQ(pair.b.data_count(want - 1), 0u);
        EXPECT_EQ(pair.b.data_count(want), items);
        EXPECT_LE(pair.now, want + 8);
        EXPECT_EQ(pair.b.data_item(items - 1), 99u + items);
      }
    }
  }
}

TEST(ReliableLink, ResultsDoNotDependOnTheLengthOfWindows) {
  std::vector<std::uint64_t> first;
  for (const Cycle window : {1u, 8u, 64u}) {
    FakeWire::Spec spec;
    spec.drop = 0.1;
    Pair pair({}, spec);
    std::vector<std::uint64_t> log;
    while (pair.now < 20000) {
      // The same pops and pushes at the same cycles, whatever the window.
      for (; pair.now % 64 == 0 && pair.b.data_visible() <= pair.now; pair.b.pop_data(pair.now)) {
        log.push_back(pair.b.data_visible());
        log.push_back(pair.b.data_item(0));
      }
      for (Cycle c = pair.now; c < std::min<Cycle>(pair.now + window, 10000); ++c) {
        if (c % 7 == 0) pair.a.push_data(c, c);
        if (c % 640 == 0) pair.b.push_control(c, c);
      }
      pair.step(pair.now + window);
    }
    log.push_back(pair.ab.frames);
    log.push_back(pair.ba.frames);
    log.push_back(pair.ab.words);
    if (first.empty()) first = log;
    EXPECT_EQ(log, first) << "window " << window;
    EXPECT_GT(log.size(), 1000u);
  }
}

/// Keeps the link full one way for `cycles` and returns items delivered.
std::uint64_t flood(Pair& pair, Cycle cycles, std::uint64_t& next_in, std::uint64_t& next_out) {
  const std::uint64_t start = next_out;
  for (const Cycle end = pair.now + cycles; pair.now < end;) {
    while (pair.a.push_data(pair.now, next_in)) ++next_in;
    pair.step(pair.now + 8);
    while (pair.b.data_visible() < pair.now) EXPECT_EQ(pair.b.pop_data(pair.now), next_out++);
  }
  return next_out - start;
}

TEST(ReliableLink, FullFramesUseTheWireAsComputed) {
  struct Case {
    ReliableLinkParams params;
    double efficiency;
  };
  // 60 items in 65 words; published: 20 in 25.
  for (const Case& c : {Case{{}, 60.0 / 65}, Case{ReliableLinkParams::as_published(), 20.0 / 25}}) {
    Pair pair(c.params);
    std::uint64_t in = 0, out = 0;
    flood(pair, 8000, in, out);
    const double items = static_cast<double>(flood(pair, 80000, in, out));
    const double words = 80000 * 4000.0 / 6400;
    EXPECT_NEAR(items / words, c.efficiency, 0.005);
    EXPECT_EQ(pair.a.counters().timeouts, 0u);
    EXPECT_EQ(pair.a.counters().items_again, 0u);
    EXPECT_EQ(pair.b.counters().duplicates, 0u);
  }
}

TEST(ReliableLink, AFullDataBufferNeitherDropsNorDelaysControl) {
  Pair pair;
  for (Cycle end = 20000; pair.now < end;) {  // no data are accepted
    while (pair.a.push_data(pair.now, 1)) {
    }
    pair.step(pair.now + 8);
  }
  EXPECT_EQ(pair.b.counters().items_received, 1024u);
  EXPECT_EQ(pair.a.data_space(), 0u);
  EXPECT_NE(pair.a.waiting_for().find("room for 1024 data items"), std::string::npos);
  EXPECT_NE(pair.b.waiting_for().find("1024 received data items not taken"), std::string::npos);
  const Cycle push = pair.now;
  ASSERT_TRUE(pair.a.push_control(push, 42));
  while (pair.b.control_visible() == kNeverCycle) pair.step(pair.now + 8);
  // A poll for room may be on the wire: at most one short frame of delay.
  EXPECT_LE(pair.b.control_visible(), visible_at(push, 1, 780'000, 6400) + 16);
  EXPECT_EQ(pair.b.pop_control(pair.b.control_visible()), 42u);
  // Room comes back when the data are taken, and all of it arrives.
  std::uint64_t got = 0;
  for (Cycle end = pair.now + 20000; pair.now < end; pair.step(pair.now + 8)) {
    while (pair.b.data_visible() < pair.now) pair.b.pop_data(pair.now), ++got;
  }
  EXPECT_EQ(got, 2048u);
  EXPECT_TRUE(pair.a.drained());
  EXPECT_EQ(pair.a.waiting_for(), "");
  EXPECT_EQ(pair.a.counters().items_again, 0u);
}

TEST(ReliableLink, ControlWaitsForAtMostOneDataFrame) {
  Pair pair;
  std::uint64_t in = 0, out = 0;
  flood(pair, 4000, in, out);
  for (int n = 0; n < 50; ++n) {
    flood(pair, 8 * static_cast<Cycle>(n % 13), in, out);
    const Cycle push = pair.now;
    ASSERT_TRUE(pair.a.push_control(push, 5));
    while (pair.b.control_visible() == kNeverCycle) flood(pair, 8, in, out);
    // One full frame (65 words with the gap) before it; its own frame is full too: 63 words against 8.
    const Cycle worst = visible_at(push, 60, 780'000, 6400) + 65 * 6400 / 4000;
    EXPECT_LE(pair.b.control_visible(), worst);
    pair.b.pop_control(pair.b.control_visible());
  }
}

TEST(ReliableLink, AnIdleLinkIsSilentAndSaysSo) {
  Pair pair;
  EXPECT_TRUE(pair.a.push_data(0, 1));
  pair.run(3000);
  EXPECT_EQ(pair.b.pop_data(pair.now), 1u);
  pair.run(6000);
  EXPECT_EQ(pair.ab.frames, 1u);
  EXPECT_EQ(pair.ba.frames, 1u);  // one acknowledgement
  EXPECT_EQ(pair.a.next_event(), kNeverCycle);
  EXPECT_EQ(pair.b.next_event(), kNeverCycle);
  EXPECT_TRUE(pair.a.drained() && pair.b.drained());
  EXPECT_EQ(pair.b.counters().pure_acks, 1u);
}

TEST(ReliableLink, NextEventNeverMissesAnything) {
  FakeWire::Spec spec;
  spec.drop = 0.2;
  Pair stepped({}, spec), jumped({}, spec);
  for (Pair* p : {&stepped, &jumped}) {
    for (unsigned i = 0; i < 500; ++i) EXPECT_TRUE(p->a.push_data(0, i));
    p->step(8);
  }
  stepped.run(200000);
  while (jumped.now < 200000) {
    const Cycle next = std::min(jumped.a.next_event(), jumped.b.next_event());
    const Cycle from = std::max(jumped.now, std::min<Cycle>(next / 8 * 8, 200000));
    jumped.now = from;  // nothing happens before
    if (from < 200000) jumped.step(from + 8);
  }
  EXPECT_EQ(stepped.a.counters().frames_sent, jumped.a.counters().frames_sent);
  EXPECT_EQ(stepped.b.counters().items_received, 500u);
  EXPECT_EQ(jumped.b.counters().items_received, 500u);
}

TEST(ReliableLink, TimeoutSuitsTheWire) {
  for (const Time latency : {100'000, 780'000, 5'000'000}) {
    const auto p = ReliableLinkParams::standard(kClock, latency, 6400);
    // A round trip with a full frame in the way at each point where one can be.
    const Time round = 2 * latency + 4 * 65 * 6400;
    EXPECT_GT(p.timeout, static_cast<unsigned>(round / 4000) + p.ack_delay);
    EXPECT_LT(p.timeout, static_cast<unsigned>(2 * round / 4000) + 256);
  }
}

TEST(ReliableLink, ParametersAreChecked) {
  FakeWire wire({});
  const auto make = [&](auto change) {
    ReliableLinkParams p;
    change(p);
    ReliableLink link(wire.tx(), wire.rx(), p, kClock);
  };
  EXPECT_NO_THROW(make([](auto&) {}));
  EXPECT_THROW(make([](auto& p) { p.max_items = 0; }), UserError);
  EXPECT_THROW(make([](auto& p) { p.max_items = 181; }), UserError);
  EXPECT_THROW(make([](auto& p) { p.rx_items = 60; }), UserError);
  EXPECT_THROW(make([](auto& p) { p.tx_items = 20000; }), UserError);
  EXPECT_THROW(make([](auto& p) { p.control_items = 65; }), UserError);
  ReliableLink published(wire.tx(), wire.rx(), ReliableLinkParams::as_published(), kClock);
  EXPECT_THROW(published.push_control(0, 1), std::logic_error);
}

}  // namespace
}  // namespace polyloom::blocks
