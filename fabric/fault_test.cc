// SPDX-License-Identifier: Apache-2.0
// Covers: the geometric gap against the exact inverse of its distribution, error and drop rates within five
// standard deviations, independence of how traffic is cut into segments, whole frames lost, rates 0 and 1,
// repeatability. Leaves out: faults across engines (tests/conformance_*), correlation tests of the hash.
#include "fabric/fault.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "fabric/fabric.h"

namespace polyloom::fabric {
namespace {

TEST(FaultGap, IsTheInverseOfTheGeometricDistribution) {
  for (const double p : {0.5, 0.3, 0.01, 1e-6, 1e-12}) {
    for (const double u : {0.999, 0.5, 0.25, 0.1, 1e-3, 1e-9}) {
      const auto draw = static_cast<std::uint64_t>(std::ldexp(u, 53)) << 11;
      const double drawn = (static_cast<double>(draw >> 11) + 1) * 0x1p-53;
      const double gap = std::log(drawn) / std::log1p(-p);
      // The library's logarithm may differ in the last place; the floor can then differ only next to an
      // integer.
      EXPECT_NEAR(static_cast<double>(geometric_gap(p, draw)), std::floor(gap), 1 + gap * 1e-14)
          << p << " " << u;
      if (std::abs(gap - std::round(gap)) > 1e-6 && gap < 1e9) {
        EXPECT_EQ(static_cast<double>(geometric_gap(p, draw)), std::floor(gap)) << p << " " << u;
      }
    }
  }
  EXPECT_EQ(geometric_gap(1.0, 12345), 0u);
  EXPECT_EQ(geometric_gap(1e-300, 0), std::uint64_t{1} << 62);  // farther than any run goes
}

TEST(FaultRates, AreMetWithinFiveDeviations) {
  for (const double p : {0.25, 0.01, 1e-4}) {
    FaultModel model(p, 0, 99, 3);
    const std::size_t words = 4'000'000 / 64;
    std::uint64_t flipped = 0, counted = 0;
    for (int round = 0; round < 25; ++round) {
      std::vector<std::uint64_t> data(words / 25, 0);
      flipped += model.corrupt(data, 8);
      for (const std::uint64_t word : data) counted += static_cast<unsigned>(std::popcount(word));
    }
    const double n = static_cast<double>(words / 25 * 25 * 64);
    EXPECT_EQ(flipped, counted);
    EXPECT_NEAR(static_cast<double>(flipped), n * p, 5 * std::sqrt(n * p * (1 - p)));
  }
  FaultModel model(0, 0.02, 5, 0);
  int drops = 0;
  for (int i = 0; i < 100'000; ++i) drops += model.drops_frame();
  EXPECT_NEAR(drops, 2000, 5 * std::sqrt(2000 * 0.98));
}

TEST(FaultRates, ZeroAndOneAreExact) {
  FaultModel none(0, 0, 1, 1), all(1, 1, 1, 1);
  std::vector<std::uint64_t> data(3, 0x5555);
  EXPECT_FALSE(none.active());
  EXPECT_EQ(none.corrupt(data, 8), 0u);
  EXPECT_FALSE(none.drops_frame());
  EXPECT_EQ(all.corrupt(data, 2), 64u + 64u + 16u);  // two valid bytes in the last word
  EXPECT_EQ(data[0], ~std::uint64_t{0x5555});
  EXPECT_EQ(data[2], std::uint64_t{0x5555 ^ 0xffff});
  EXPECT_TRUE(all.drops_frame());
}

TEST(FaultDraws, DoNotDependOnHowTrafficIsCut) {
  FaultModel whole(0.003, 0, 7, 2), cut(0.003, 0, 7, 2), other_seed(0.003, 0, 8, 2),
      other_link(0.003, 0, 7, 3);
  std::vector<std::uint64_t> a(1000, 0), b, c(1000, 0), d(1000, 0);
  whole.corrupt(a, 8);
  for (std::size_t done = 0, n = 1; done < 1000; done += n, n = n % 17 + 1) {
    n = std::min(n, 1000 - done);
    std::vector<std::uint64_t> piece(n, 0);
    cut.corrupt(piece, 8);
    b.insert(b.end(), piece.begin(), piece.end());
  }
  other_seed.corrupt(c, 8);
  other_link.corrupt(d, 8);
  EXPECT_EQ(a, b);
  EXPECT_NE(a, c);
  EXPECT_NE(a, d);
}

/// Sends frames of three segments; notes the shapes that arrive.
struct Cutter final : Node {
  explicit Cutter(Port port) : port(port) {}
  void advance(Time until) override {
    for (; sending && next < until && frames < 1000; ++segment, next += 100) {
      if (segment == 3) segment = 0, ++frames;
      port.tx->send({.first = next, .head = segment == 0, .tail = segment == 2, .words = {frames, segment}});
    }
    for (const Segment* s; (s = port.rx->front()) != nullptr && s->first < until; port.rx->pop()) {
      order += s->head ? 'h' : s->tail ? 't' : 'm';
    }
  }
  Time next_event() const override { return sending && frames < 1000 ? next : kNever; }
  Port port;
  bool sending = false;
  std::uint64_t frames = 0, segment = 0;
  Time next = 0;
  std::string order;
};

TEST(FaultDrops, TakeWholeFramesAway) {
  Fabric fabric;
  fabric.add_node("a"), fabric.add_node("b");
  const LinkSpec lossy{.latency = 1000, .period = 10, .drop_rate = 0.3, .seed = 4};
  const auto [pa, pb] = fabric.connect(lossy, lossy, 0, 1);
  auto a = std::make_unique<Cutter>(pa), b = std::make_unique<Cutter>(pb);
  a->sending = true;
  const Cutter* receiver = b.get();
  fabric.set_node(0, std::move(a));
  fabric.set_node(1, std::move(b));
  run(fabric);
  const LinkTraffic& traffic = fabric.link(0).traffic();
  EXPECT_GT(traffic.drops, 200u);
  EXPECT_EQ(traffic.segments, 3 * 1000 + 1u);  // the loop ends after the next frame's head
  const std::string& order = receiver->order;
  for (std::size_t i = 0; i + 2 < order.size(); i += 3) EXPECT_EQ(order.substr(i, 3), "hmt");
  EXPECT_NEAR(static_cast<double>(order.size() / 3 + traffic.drops), 1000, 1);
}

}  // namespace
}  // namespace polyloom::fabric
