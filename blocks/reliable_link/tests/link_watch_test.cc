// SPDX-License-Identifier: Apache-2.0
// Covers: links that are down from the start or later, either way, are told, with the count asked for; lossy
// links and frames cut into words are not. Leaves out: real cables (a run with one:
// tests/test_standstill.py).
#include "blocks/reliable_link/sim/link_watch.h"

#include <gtest/gtest.h>

#include "blocks/reliable_link/sim/reliable_link.h"
#include "blocks/reliable_link/tests/fake_wire.h"

namespace polyloom::blocks {
namespace {

const fabric::Clock kWatchClock(250'000'000);

/// A wire's sending end that shows all that is sent to a watch first, as a fabric's link does.
class WatchedTx final : public fabric::Tx {
 public:
  WatchedTx(fabric::Tx& wire, LinkFormat format, unsigned limit) : wire_(wire), watch_(format, limit) {}
  void send(fabric::Segment s) override {
    if (const auto now = watch_.sent(s); now && !down) down = now, at = s.first;
    wire_.send(std::move(s));
  }
  fabric::Time free_at() const override { return wire_.free_at(); }
  fabric::Time period() const override { return wire_.period(); }

  std::optional<LinkWatch::Down> down;
  fabric::Time at = 0;

 private:
  fabric::Tx& wire_;
  LinkWatch watch_;
};

/// Two ends over wires that lose frames; data and control go from a to b.
struct WatchedPair {
  WatchedPair(double drop, unsigned limit, const ReliableLinkParams& params)
      : ab(spec(drop, 1)),
        ba(spec(drop, 2)),
        watched(ab.tx(), {params.published}, limit),
        a(watched, ba.rx(), params, kWatchClock),
        b(ba.tx(), ab.rx(), params, kWatchClock),
        control(!params.published) {}

  static FakeWire::Spec spec(double drop, std::uint64_t seed) {
    FakeWire::Spec wire;
    wire.drop = drop, wire.seed = seed;
    return wire;
  }

  /// Until `items` of data have arrived or the link is down.
  void run(std::uint64_t items, Cycle most = 40'000'000) {
    for (; now < most && taken < items && !watched.down; now += 8) {
      ab.window(kWatchClock.edge(now), kWatchClock.edge(now + 8));
      ba.window(kWatchClock.edge(now), kWatchClock.edge(now + 8));
      a.receive(now + 8), b.receive(now + 8);
      while (pushed < items && a.push_data(now, pushed)) ++pushed;
      if (control && pushed % 64 == 0) a.push_control(now, 1);
      while (b.data_visible() <= now) EXPECT_EQ(b.pop_data(now), taken++);
      while (b.control_count(now) != 0) b.pop_control(now);
      a.transmit(now + 8), b.transmit(now + 8);
    }
  }

  FakeWire ab, ba;
  WatchedTx watched;
  ReliableLink a, b;
  bool control;
  Cycle now = 0;
  std::uint64_t pushed = 0, taken = 0;
};

TEST(LinkWatch, ADeadLinkIsToldAfterTheRetransmissionsAskedFor) {
  for (const bool published : {false, true}) {
    const ReliableLinkParams params = published ? ReliableLinkParams::as_published() : ReliableLinkParams{};
    WatchedPair pair(1, 100, params);
    pair.run(10);
    ASSERT_TRUE(pair.watched.down);
    EXPECT_EQ(pair.watched.down->times, 100u);
    // A time-out between two of them, and no more than a frame on the wire.
    const fabric::Time timeout = kWatchClock.edge(params.timeout);
    EXPECT_NEAR(static_cast<double>(pair.watched.at - pair.watched.down->since),
                99.0 * static_cast<double>(timeout), 0.1 * 99.0 * static_cast<double>(timeout));
    EXPECT_EQ(pair.taken, 0u);
  }
}

TEST(LinkWatch, ALinkThatDiesIsToldAlsoIfOnlyTheWayBackIsDead) {
  WatchedPair pair(0, 50, {});
  pair.run(5'000);
  ASSERT_FALSE(pair.watched.down);
  const fabric::Time died = kWatchClock.edge(pair.now);
  pair.ba.set_loss(1, 0);
  pair.run(100'000);
  ASSERT_TRUE(pair.watched.down);
  EXPECT_GT(pair.watched.down->since, died);
  EXPECT_LT(pair.taken, 10'000u);
}

TEST(LinkWatch, ALinkThatLosesNineFramesOfTenIsNotDown) {
  for (const bool published : {false, true}) {
    WatchedPair pair(0.9, kLinkDownAfter,
                     published ? ReliableLinkParams::as_published() : ReliableLinkParams{});
    pair.run(300);
    EXPECT_FALSE(pair.watched.down);
    EXPECT_EQ(pair.taken, 300u);
  }
}

// What RTL sends is a segment a word.
TEST(LinkWatch, FramesMayComeWordByWord) {
  LinkWatch watch({}, 3);
  LinkHeader header;
  header.count[kControl] = 2;
  header.seq[kControl] = 5;
  const std::uint64_t items[2] = {1, 2};
  const std::vector<std::uint64_t> words = build_frame({}, header, items);
  int reported = 0;
  for (fabric::Time frame = 0; frame < 4; ++frame) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      fabric::Segment piece;
      piece.first = 1000 * frame + static_cast<fabric::Time>(i);
      piece.head = i == 0, piece.tail = i + 1 == words.size();
      piece.words = {words[i]};
      if (const auto down = watch.sent(piece)) {
        ++reported;
        EXPECT_EQ(piece.first, 1000 * frame + 1);
        EXPECT_EQ(down->since, 1);  // item 5 was never sent in order: each frame goes back to it
        EXPECT_EQ(down->times, static_cast<unsigned>(frame) + 1);
      }
    }
  }
  EXPECT_EQ(reported, 2);
}

}  // namespace
}  // namespace polyloom::blocks
