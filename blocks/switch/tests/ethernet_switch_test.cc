// SPDX-License-Identifier: Apache-2.0
// Covers: forwarding time, queues and tail drop to the byte, order, flooding, bad frames, window lengths.
// Leaves out: the fabric's engines (its conformance test has a switch of its own).
#include "blocks/switch/sim/ethernet_switch.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "blocks/crc/sim/crc32.h"
#include "fabric/error.h"

namespace polyloom::blocks {
namespace {

using fabric::Time;
constexpr Time kPeriod = 6400;

struct TestTx final : fabric::Tx {
  void send(fabric::Segment s) override {
    ASSERT_GE(s.first, from);
    ASSERT_LT(s.first, until);
    ASSERT_GE(s.first, free);
    s.period = kPeriod;
    free = s.end();
    sent.push_back(std::move(s));
  }
  Time free_at() const override { return free; }
  Time period() const override { return kPeriod; }
  Time free = 0, from = 0, until = 0;
  std::vector<fabric::Segment> sent;
};
struct TestRx final : fabric::Rx {
  const fabric::Segment* front() const override { return arrivals.empty() ? nullptr : &arrivals.front(); }
  void pop() override { arrivals.pop_front(); }
  std::deque<fabric::Segment> arrivals;
};

/// An Ethernet frame of `bytes` bytes, check sequence included.
fabric::Segment frame(std::uint64_t mac, std::size_t bytes, Time first, std::uint8_t fill = 0) {
  std::vector<std::uint8_t> raw(bytes, fill);
  for (unsigned i = 0; i < 6; ++i) raw[i] = static_cast<std::uint8_t>(mac >> (8 * i));
  Crc32 crc;
  for (std::size_t i = 0; i + 4 < bytes; ++i) crc.add_byte(raw[i]);
  for (unsigned i = 0; i < 4; ++i) raw[bytes - 4 + i] = static_cast<std::uint8_t>(crc.value() >> (8 * i));
  fabric::Segment s;
  s.first = first;
  s.period = kPeriod;
  s.words.assign((bytes + 7) / 8, 0);
  for (std::size_t i = 0; i < bytes; ++i) s.words[i / 8] |= std::uint64_t{raw[i]} << (8 * (i % 8));
  s.keep = static_cast<std::uint8_t>((bytes - 1) % 8 + 1);
  return s;
}

struct Bench {
  explicit Bench(const SwitchParams& p, unsigned ports = 3) : tx(ports), rx(ports) {
    std::vector<WireEnds> ends;
    EthernetSwitch::MacTable table;
    for (unsigned i = 0; i < ports; ++i) {
      ends.push_back({&tx[i], &rx[i]});
      table[0x10 * (i + 1)] = i;
    }
    node = std::make_unique<EthernetSwitch>("switch", ends, table, p);
  }
  void advance(Time until) {
    for (auto& t : tx) t.from = now, t.until = until;
    node->advance(until);
    now = until;
  }
  void run(Time until, Time window = 100'000) {
    while (now < until) advance(std::min(until, now + window));
  }
  std::vector<TestTx> tx;
  std::vector<TestRx> rx;
  std::unique_ptr<EthernetSwitch> node;
  Time now = 0;
};

TEST(EthernetSwitch, ForwardsAfterTheWholeFrameAndTheLatency) {
  Bench b({.forward_latency = 500'000});
  b.rx[0].arrivals.push_back(frame(0x20, 64, 1000, 7));
  b.run(2'000'000);
  ASSERT_EQ(b.tx[1].sent.size(), 1u);
  EXPECT_EQ(b.tx[1].sent[0].first, 1000 + 7 * kPeriod + 500'000);
  EXPECT_EQ(b.tx[1].sent[0].words, frame(0x20, 64, 0, 7).words);
  EXPECT_TRUE(b.tx[0].sent.empty() && b.tx[2].sent.empty());
  EXPECT_EQ(b.node->next_event(), fabric::kNever);
}

TEST(EthernetSwitch, QueuesWithGapsAndDropsAtTheTail) {
  // Two inputs at full rate to one output: half must go; the queue holds exactly three frames of 64 bytes.
  Bench b({.forward_latency = 0, .queue_bytes = 192});
  for (int i = 0; i < 10; ++i) {
    for (const unsigned port : {0u, 1u}) {
      b.rx[port].arrivals.push_back(
          frame(0x30, 64, i * 10 * kPeriod, static_cast<std::uint8_t>(2 * i + port)));
    }
  }
  b.run(3'000'000);
  // A frame takes 10 words of wire, so one leaves in each interval and frees its place only at the end of its
  // 8 words: at first there is room for 3, later for one in each interval; port 0 is asked first.
  const auto& c = b.node->port_counters(2);
  EXPECT_EQ(c.sent + c.dropped_full, 20u);
  EXPECT_EQ(c.most_queued, 192u);
  EXPECT_EQ(c.sent, 12u);
  std::vector<unsigned> order;
  for (std::size_t i = 0; i < b.tx[2].sent.size(); ++i) {
    order.push_back(b.tx[2].sent[i].words[1] & 0xff);
    if (i != 0) {
      EXPECT_EQ(b.tx[2].sent[i].first - b.tx[2].sent[i - 1].first, 10 * kPeriod);
    }
  }
  EXPECT_EQ(std::vector<unsigned>(order.begin(), order.begin() + 5), (std::vector<unsigned>{0, 1, 2, 3, 4}));
}

TEST(EthernetSwitch, TailDropIsExactToTheByte) {
  for (const std::uint64_t room : {127u, 128u}) {
    Bench b({.forward_latency = 1'000'000, .queue_bytes = room});
    b.rx[0].arrivals.push_back(frame(0x30, 64, 0));
    b.rx[1].arrivals.push_back(frame(0x30, 64, 0));
    b.run(3'000'000);
    EXPECT_EQ(b.node->port_counters(2).sent, room == 128 ? 2u : 1u);
    EXPECT_EQ(b.node->port_counters(2).dropped_full, room == 128 ? 0u : 1u);
  }
}

TEST(EthernetSwitch, FloodsGroupAddressesAndDropsWhatItMust) {
  Bench b({.forward_latency = 1000});
  b.rx[0].arrivals.push_back(frame(0xffffffffffff, 64, 0));
  b.rx[0].arrivals.push_back(frame(0x99fe, 64, 100'000));  // unknown
  b.rx[0].arrivals.push_back(frame(0x10, 64, 200'000));    // back to its own port
  auto bad = frame(0x20, 100, 300'000);
  bad.words[5] ^= 1;
  b.rx[0].arrivals.push_back(bad);
  fabric::Segment runt = frame(0x20, 18, 400'000);
  runt.words.pop_back();
  b.rx[0].arrivals.push_back(runt);
  for (const std::size_t bytes : {65u, 66u, 71u, 72u, 1518u}) {
    b.rx[0].arrivals.push_back(frame(0x20, bytes, 500'000 + static_cast<Time>(bytes) * 2'000'00));
  }
  b.run(400'000'000, 1'000'000);
  EXPECT_EQ(b.tx[1].sent.size(), 6u);
  EXPECT_EQ(b.tx[2].sent.size(), 1u);
  EXPECT_TRUE(b.tx[0].sent.empty());
  EXPECT_EQ(b.node->port_counters(0).dropped_unknown, 2u);
  EXPECT_EQ(b.node->port_counters(0).dropped_bad, 2u);
  EXPECT_EQ(b.node->port_counters(0).received, 10u);
  EXPECT_EQ(b.tx[1].sent[1].keep, 1);
}

TEST(EthernetSwitch, FramesCutIntoSegmentsAreJoinedAndHeadlessOnesDropped) {
  Bench b({.forward_latency = 1000});
  const fabric::Segment whole = frame(0x20, 64, 0);
  fabric::Segment head = whole, tail = whole;
  head.words.resize(3);
  head.tail = false;
  tail.words.erase(tail.words.begin(), tail.words.begin() + 3);
  tail.first = whole.word_time(3);
  tail.head = false;
  b.rx[0].arrivals = {head, tail};
  tail.first += 1'000'000;
  b.rx[0].arrivals.push_back(tail);  // its head was lost
  b.run(3'000'000);
  ASSERT_EQ(b.tx[1].sent.size(), 1u);
  EXPECT_EQ(b.tx[1].sent[0].words, whole.words);
  EXPECT_EQ(b.tx[1].sent[0].first, whole.word_time(7) + 1000);
}

TEST(EthernetSwitch, RandomTrafficKeepsOrderAndDoesNotDependOnWindows) {
  std::vector<std::uint64_t> first;
  for (const Time window : {50'000, 100'000, 333'333}) {
    Bench b({.forward_latency = 400'000, .queue_bytes = 2000}, 4);
    std::mt19937_64 rng(5);
    for (unsigned port = 0; port < 4; ++port) {
      Time t = 0;
      for (unsigned n = 0; n < 300; ++n) {
        auto s = frame(0x10 * (1 + rng() % 4), 64 + rng() % 500, t, static_cast<std::uint8_t>(n));
        t = s.end() + 2 * kPeriod + static_cast<Time>(rng() % 300'000);
        b.rx[port].arrivals.push_back(std::move(s));
      }
    }
    b.run(1'000'000'000, window);
    std::vector<std::uint64_t> log;
    std::uint64_t received = 0, accounted = 0;
    for (unsigned port = 0; port < 4; ++port) {
      const auto& c = b.node->port_counters(port);
      received += c.received;
      accounted += c.sent + c.dropped_full + c.dropped_bad + c.dropped_unknown;
      EXPECT_LE(c.most_queued, 2000u);
      for (const auto& s : b.tx[port].sent) log.push_back(static_cast<std::uint64_t>(s.first) ^ s.words[0]);
    }
    EXPECT_EQ(received, 1200u);
    EXPECT_EQ(accounted, 1200u);
    if (first.empty()) first = log;
    EXPECT_EQ(log, first);
    EXPECT_EQ(b.node->waiting_for(), "");
  }
}

TEST(EthernetSwitch, ConfigurationIsChecked) {
  EXPECT_THROW(EthernetSwitch("s", std::vector<WireEnds>(2), {{0x10, 2}}, {}), UserError);
  EXPECT_THROW(EthernetSwitch("s", std::vector<WireEnds>(2), {{0x11, 1}}, {}), UserError);
  EXPECT_THROW(EthernetSwitch("s", std::vector<WireEnds>(2), {{std::uint64_t{1} << 48, 1}}, {}), UserError);
}

}  // namespace
}  // namespace polyloom::blocks
