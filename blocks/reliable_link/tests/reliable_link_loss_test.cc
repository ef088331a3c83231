// SPDX-License-Identifier: Apache-2.0
// Covers: exactly-once in-order delivery under loss, corruption, cuts, outages, slow receivers, lost credits.
// Leaves out: corruption that CRC-32 does not see (2^-32 a frame).
#include <gtest/gtest.h>

#include "blocks/reliable_link/sim/reliable_link.h"
#include "blocks/reliable_link/tests/fake_wire.h"

namespace polyloom::blocks {
namespace {

const fabric::Clock kLossClock(250'000'000);

/// Pushes numbered items at random and checks what comes out at the other side.
class Station {
 public:
  Station(FakeWire& out, FakeWire& in, const ReliableLinkParams& p, std::uint64_t seed)
      : link(out.tx(), in.rx(), p, kLossClock), rng_(seed), control_(!p.published) {}

  void window(Cycle from, Cycle until, bool pushing) {
    link.receive(until);
    for (Cycle c = from; c < until; ++c) {
      if (rng_() % 97 == 0) eager_ = rng_() % 4;
      if (pushing && eager_ != 0 && link.push_data(c, tag(kData, pushed[kData]))) ++pushed[kData];
      if (control_ && pushing && rng_() % 50 == 0 && link.push_control(c, tag(kControl, pushed[kControl]))) {
        ++pushed[kControl];
      }
      while (link.control_count(c) != 0) take(kControl, link.pop_control(c));
      if (rng_() % 211 == 0) lazy_ = rng_() % 3 == 0;
      if (!lazy_ && link.data_count(c) != 0) take(kData, link.pop_data(c));
    }
    link.transmit(until);
  }

  ReliableLink link;
  std::uint64_t pushed[2] = {}, taken[2] = {};

 private:
  static std::uint64_t tag(unsigned ch, std::uint64_t n) { return (n * 2 + ch) * 0x9e3779b97f4a7c15ull; }
  void take(unsigned ch, std::uint64_t item) {
    ASSERT_EQ(item, tag(ch, taken[ch])) << "channel " << ch << " item " << taken[ch];
    ++taken[ch];
  }
  std::mt19937_64 rng_;
  bool control_;
  std::uint64_t eager_ = 1;
  bool lazy_ = false;
};

struct Scenario {
  const char* name;
  ReliableLinkParams params;
  FakeWire::Spec wire;
};

ReliableLinkParams tight() {
  ReliableLinkParams p;
  p.max_items = 3;
  p.tx_items = 7;
  p.rx_items = 5;
  p.control_items = 2;
  p.timeout = 700;
  return p;
}

class ReliableLinkLoss : public testing::TestWithParam<Scenario> {};

TEST_P(ReliableLinkLoss, DeliversEveryItemOnceInOrder) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    FakeWire::Spec spec = GetParam().wire;
    spec.seed = seed;
    FakeWire ab(spec);
    spec.seed = seed + 100;
    FakeWire ba(spec);
    Station a(ab, ba, GetParam().params, seed * 7), b(ba, ab, GetParam().params, seed * 13);
    Cycle now = 0;
    const auto run = [&](Cycle until, bool pushing) {
      for (; now < until; now += 8) {
        ab.window(kLossClock.edge(now), kLossClock.edge(now + 8));
        ba.window(kLossClock.edge(now), kLossClock.edge(now + 8));
        a.window(now, now + 8, pushing);
        b.window(now, now + 8, pushing);
        if (testing::Test::HasFatalFailure()) return;
      }
    };
    run(120'000, true);
    ab.set_loss(1, 0);  // an outage of both directions
    ba.set_loss(1, 0);
    run(130'000, true);
    ab.set_loss(0, 0);
    ba.set_loss(0, 0);
    run(170'000, false);  // and a clean end: all must have come through
    for (unsigned ch = 0; ch < 2; ++ch) {
      EXPECT_EQ(b.taken[ch], a.pushed[ch]);
      EXPECT_EQ(a.taken[ch], b.pushed[ch]);
    }
    EXPECT_GT(a.pushed[kData], 300u);
    EXPECT_TRUE(a.link.drained() && b.link.drained());
    EXPECT_EQ(a.link.next_event(), kNeverCycle);
  }
}

FakeWire::Spec lossy(double drop, double corrupt, std::size_t split = 0) {
  FakeWire::Spec s;
  s.drop = drop, s.corrupt = corrupt, s.split = split;
  return s;
}

INSTANTIATE_TEST_SUITE_P(
    All, ReliableLinkLoss,
    testing::Values(Scenario{"clean", {}, {}}, Scenario{"light", {}, lossy(0.01, 0.01)},
                    Scenario{"heavy", {}, lossy(0.3, 0.3)}, Scenario{"cut", {}, lossy(0.1, 0.1, 4)},
                    Scenario{"tight", tight(), lossy(0, 0)},
                    Scenario{"tight_heavy", tight(), lossy(0.2, 0.2)},
                    Scenario{"published", ReliableLinkParams::as_published(), lossy(0.01, 0.01)},
                    Scenario{"published_heavy", ReliableLinkParams::as_published(), lossy(0.2, 0.2)}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(ReliableLinkLoss, LostRoomIsAskedForAgain) {
  // The receiver's news of room is lost for a while: the sender must not wait for ever.
  FakeWire ab({}), ba({});
  ReliableLink a(ab.tx(), ba.rx(), {}, kLossClock), b(ba.tx(), ab.rx(), {}, kLossClock);
  std::uint64_t pushed = 0, taken = 0;
  bool taking = false;
  Cycle now = 0;
  const auto run = [&](Cycle until) {
    for (; now < until; now += 8) {
      ab.window(kLossClock.edge(now), kLossClock.edge(now + 8));
      ba.window(kLossClock.edge(now), kLossClock.edge(now + 8));
      a.receive(now + 8), b.receive(now + 8);
      while (pushed < 2000 && a.push_data(now, pushed)) ++pushed;
      while (taking && b.data_visible() <= now) {
        EXPECT_EQ(b.pop_data(now), taken);
        ++taken;
      }
      a.transmit(now + 8), b.transmit(now + 8);
    }
  };
  run(10'000);
  EXPECT_EQ(b.counters().items_received, 1024u);
  ba.set_loss(1, 0);
  taking = true;
  run(20'000);
  EXPECT_EQ(taken, 1024u);
  ba.set_loss(0, 0);
  run(30'000);
  EXPECT_EQ(taken, 2000u);
}

TEST(ReliableLinkLoss, OneLossCostsAboutARoundTripNotATimeout) {
  FakeWire ab({}), ba({});
  ReliableLinkParams p;
  p.timeout = 100'000;
  ReliableLink a(ab.tx(), ba.rx(), p, kLossClock), b(ba.tx(), ab.rx(), p, kLossClock);
  Cycle now = 0;
  std::uint64_t pushed = 0, taken = 0;
  const auto run = [&](Cycle until) {
    for (; now < until; now += 8) {
      ab.window(kLossClock.edge(now), kLossClock.edge(now + 8));
      ba.window(kLossClock.edge(now), kLossClock.edge(now + 8));
      a.receive(now + 8), b.receive(now + 8);
      while (a.push_data(now, pushed)) ++pushed;
      while (b.data_visible() <= now) EXPECT_EQ(b.pop_data(now), taken++);
      a.transmit(now + 8), b.transmit(now + 8);
    }
  };
  run(4000);
  ab.set_loss(1, 0);
  run(4000 + 104);  // one frame is lost
  ab.set_loss(0, 0);
  run(24'000);
  EXPECT_EQ(a.counters().timeouts, 0u);
  EXPECT_EQ(a.counters().go_backs, 1u);
  // 24,000 cycles hold 13,846 items; the loss costs at most two round trips (2 * 630 cycles).
  EXPECT_GT(taken, 13'846u - 2 * 364u - 364u);
}

}  // namespace
}  // namespace polyloom::blocks
