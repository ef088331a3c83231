// SPDX-License-Identifier: Apache-2.0
// Covers: five kinds of traffic (lossy Ethernet, a packet-free stream with pulses and cut-through, credited
// TLPs, UDP through a finite switch, a process as a node) against times and totals derived by hand; random
// topologies; digests of the serial and threads engines (1 to 4 threads). Leaves out: MPI
// (conformance_mpi.cc).
#include <gtest/gtest.h>

#include <set>

#include "fabric/error.h"
#include "fabric/tests/dummies.h"

namespace polyloom::fabric::testing {
namespace {

template <typename T, typename... Args>
Sketch::Make make(Args... args) {
  return [=](std::vector<Port> ports) { return std::make_unique<T>(std::move(ports), args...); };
}

template <typename T>
T& node(Fabric& fabric, int id) {
  return dynamic_cast<T&>(*fabric.node(id));
}

constexpr LinkSpec kEthernet{.latency = 500'000, .period = 6400};
constexpr LinkSpec kStream{.latency = 60'000, .period = 5000};

TEST(Ethernet, LosslessTakesTheTimeOfWordsAndLatencies) {
  Sketch s;
  s.node("a", make<EthernetSender>(10u, 20'000'000, 7));
  s.node("b", make<EthernetReceiver>());
  s.link(0, 1, kEthernet);
  Fabric fabric;
  s.build(fabric);
  run(fabric);
  // A frame of n words and its two-word response: latency and n-1 periods there, latency and one period back.
  Time expected = 0;
  for (std::uint64_t i = 0; i < 10; ++i) {
    const auto words = static_cast<Time>(EthernetSender::payload(7, i).size()) + 2;
    expected += 2 * 500'000 + words * 6400;
  }
  EXPECT_EQ(node<EthernetSender>(fabric, 0).done_at, expected);
  EXPECT_EQ(node<EthernetSender>(fabric, 0).resent, 0u);
}

TEST(Ethernet, StopAndWaitDeliversAllThroughLossAndErrors) {
  Sketch s;
  LinkSpec lossy = kEthernet;
  lossy.bit_error_rate = 2e-5, lossy.drop_rate = 0.1, lossy.seed = 3;
  s.node("a", make<EthernetSender>(200u, 20'000'000, 7));
  s.node("b", make<EthernetReceiver>());
  s.link(0, 1, lossy);
  Fabric fabric;
  s.build(fabric);
  const RunResult r = run(fabric);
  EXPECT_TRUE(r.stuck.empty());
  const auto& receiver = node<EthernetReceiver>(fabric, 1);
  ASSERT_EQ(receiver.received.size(), 200u);
  for (std::uint64_t i = 0; i < 200; ++i) EXPECT_EQ(receiver.received[i], EthernetSender::payload(7, i));
  EXPECT_GT(receiver.damaged, 0u);
  EXPECT_GT(fabric.link(0).traffic().drops, 0u);
  EXPECT_GT(node<EthernetSender>(fabric, 0).resent, fabric.link(0).traffic().drops);
}

TEST(Stream, AWordCrossesTwoRelaysAtTheExactTime) {
  // 60000 -> edge 12 of 200 MHz, two cycles on: 70000; + 81234 = 151234 -> edge 49 of 322.265625 MHz, two on:
  // edge 51 at floor(51 / 322.265625 MHz) = 158254; + 60000.
  constexpr Time kArrival = 218'254;
  for (const Time limit : {kArrival, kArrival + 1}) {
    Sketch s;
    s.node("source", make<StreamSource>(1u, 0));
    s.node("relay1", make<StreamRelay>(Clock(200'000'000)));
    s.node("relay2", make<StreamRelay>(Clock(322'265'625)));
    s.node("sink", make<StreamSink>());
    s.link(0, 1, kStream);
    s.link(1, 2, {.latency = 81'234, .period = 7000});
    s.link(2, 3, kStream);
    Fabric fabric;
    s.build(fabric);
    run(fabric, {.limit = limit});
    const auto& times = node<StreamSink>(fabric, 3).times;
    EXPECT_EQ(times, limit == kArrival ? std::vector<Time>{} : std::vector<Time>{kArrival});
  }
}

TEST(Stream, CutThroughDoesNotWaitForASegmentsEnd) {
  Sketch s;
  s.node("source", make<StreamSource>(3000u, 11));
  s.node("relay", make<StreamRelay>(Clock(200'000'000)));
  s.node("sink", make<StreamSink>());
  s.link(0, 1, kStream);
  s.link(1, 2, kStream);
  Fabric fabric;
  s.build(fabric);
  run(fabric);
  const auto& sink = node<StreamSink>(fabric, 2);
  ASSERT_EQ(sink.words.size(), 3000u);
  for (std::uint64_t i = 0; i < 3000; ++i) EXPECT_EQ(sink.words[i], i);
  EXPECT_EQ(sink.times[0], 130'000);  // 60000, two cycles, 60000
  EXPECT_EQ(fabric.link(3).traffic().pulses, 3000u / 8);
  EXPECT_EQ(fabric.link(3).traffic().words, 0u);
  // A word is in the relay for two cycles however long its segment: never more than 16 are ahead of their
  // pulses.
  for (std::size_t i = 16; i < sink.times.size(); ++i)
    EXPECT_GE(sink.times[i] - sink.times[i - 16], 16 * 5000);
}

TEST(Credited, BufferIsNeverOverrunAndAllArrives) {
  Sketch s;
  const LinkSpec pcie{.latency = 150'000, .period = 2000};
  s.node("root", make<CreditedPeer>(500u, 90'000, 1));
  s.node("end", make<CreditedPeer>(300u, 40'000, 2));
  s.link(0, 1, pcie);
  Fabric fabric;
  s.build(fabric);
  const RunResult r = run(fabric);
  auto &a = node<CreditedPeer>(fabric, 0), &b = node<CreditedPeer>(fabric, 1);
  EXPECT_TRUE(r.stuck.empty());
  EXPECT_EQ(a.packets_received, 300u);
  EXPECT_EQ(b.packets_received, 500u);
  EXPECT_EQ(a.units_sent, b.units_received);
  EXPECT_EQ(b.units_sent, a.units_received);
  EXPECT_LE(b.most_held, CreditedPeer::kCredits);
  EXPECT_GT(b.most_held, CreditedPeer::kCredits / 2);
}

TEST(Credited, LostCreditsLeaveTheSenderStuckAndNamed) {
  Sketch s;
  LinkSpec pcie{.latency = 150'000, .period = 2000}, deaf = pcie;
  deaf.drop_rate = 1;
  s.node("root", make<CreditedPeer>(500u, 90'000, 1));
  s.node("end", make<CreditedPeer>(0u, 40'000, 2));
  s.link(0, 1, pcie, deaf);
  Fabric fabric;
  s.build(fabric);
  const RunResult r = run(fabric);
  EXPECT_EQ(r.reason, RunEnd::quiet);
  ASSERT_EQ(r.stuck.size(), 1u);
  EXPECT_EQ(r.stuck[0].rfind("root: credits to send ", 0), 0u);
}

/// Hosts 0.. each send one datagram of 100 words at time 0 to the last host.
Fabric& build_udp(Fabric& fabric, int senders, std::size_t queue) {
  Sketch s;
  std::vector<int> hosts;
  for (int h = 0; h <= senders; ++h) {
    std::vector<UdpHost::Send> plan;
    if (h < senders) plan.push_back({0, senders, 100});
    hosts.push_back(s.node("host" + std::to_string(h), make<UdpHost>(plan)));
  }
  const int hub = s.node("switch", make<UdpSwitch>(queue, 800'000));
  for (const int host : hosts) s.link(host, hub, {.latency = 300'000, .period = 6400});
  s.build(fabric);
  return fabric;
}

TEST(Udp, StoreAndForwardTimesAreExact) {
  Fabric fabric;
  run(build_udp(fabric, 2, 2));
  // In the switch at 300000 + 99 * 6400 = 933600; out from 1733600 and, behind 640000 of the first, 2373600;
  // last words 300000 + 633600 later.
  EXPECT_EQ(node<UdpHost>(fabric, 2).times, (std::vector<Time>{2'667'200, 3'307'200}));
}

TEST(Udp, AFullQueueDropsTheLastOfATie) {
  Fabric fabric;
  run(build_udp(fabric, 3, 2));
  EXPECT_EQ(node<UdpHost>(fabric, 3).received, 2u);
  EXPECT_EQ(node<UdpSwitch>(fabric, 4).dropped, 1u);
  EXPECT_EQ(node<UdpSwitch>(fabric, 4).forwarded, 2u);
}

TEST(Process, ResponsesOfAnotherProcessAreReproducible) {
  Sketch s;
  s.node("process", make<ProcessNode>());
  s.node("client", make<ProcessClient>(30u));
  s.link(1, 0, {.latency = 200'000, .period = 8000});
  Fabric fabric;
  s.build(fabric);
  const RunResult r = run(fabric);
  std::uint64_t expected = 1;
  for (std::uint64_t calls = 0; calls < 30; ++calls) expected = 3 * expected + calls + 1;
  EXPECT_EQ(node<ProcessClient>(fabric, 1).value, expected);
  EXPECT_EQ(node<ProcessNode>(fabric, 0).calls, 30u);
  // Each call: there, 120000 ps of answering, back. The last event lies in the last window.
  const Time last = 30 * (2 * 200'000 + 120'000);
  EXPECT_GT(r.end, last);
  EXPECT_LE(r.end, last + 200'000);
}

struct Facts {
  explicit Facts(const RunResult& r)
      : digest(r.digest), end(r.end), windows(r.windows), counters(r.counters) {}
  bool operator==(const Facts&) const = default;
  std::uint64_t digest;
  Time end;
  std::uint64_t windows;
  std::vector<std::pair<std::string, std::uint64_t>> counters;
};

Facts run_scenario(const std::string& name, std::uint64_t seed, EngineKind kind, unsigned threads) {
  Fabric fabric;
  scenario(name, seed).build(fabric);
  return Facts(run(fabric, {.kind = kind, .threads = threads, .collect_counters = true}));
}

TEST(Engines, AllThreadCountsAgreeBitForBit) {
  for (const std::string& name : scenario_names()) {
    std::set<std::uint64_t> digests;
    const std::uint64_t seeds = name == "random" ? 12 : name == "process" ? 1 : 3;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      const Facts serial = run_scenario(name, seed, EngineKind::serial, 1);
      EXPECT_GT(serial.windows, 50u) << name;
      digests.insert(serial.digest);
      for (const unsigned threads : {1u, 2u, 3u, 4u}) {
        EXPECT_EQ(run_scenario(name, seed, EngineKind::threads, threads), serial)
            << name << ", seed " << seed << ", " << threads << " threads";
      }
    }
    EXPECT_EQ(digests.size(), seeds) << name;  // the seed matters, so the digest sees something
  }
}

class Thrower final : public EventNode {
 public:
  Thrower(std::vector<Port> ports, Time when) : EventNode(std::move(ports)) { at(when, 0); }

 private:
  void on_word(int, Time, std::uint64_t, bool) override {}
  void on_timer(Time, std::uint64_t) override { throw UserError("out of paper"); }
};

TEST(Engines, WhatANodeThrowsComesOutOfEachThreadCount) {
  for (const unsigned threads : {1u, 2u, 3u, 4u}) {
    Sketch s;
    for (int i = 0; i < 4; ++i) s.node("g" + std::to_string(i), make<Gossip>(i, Clock(250'000'000), 8u));
    s.node("t", make<Thrower>(50'000'000));
    for (int i = 0; i < 4; ++i) s.link(i, i + 1, kStream);
    Fabric fabric;
    s.build(fabric);
    EXPECT_THROW(run(fabric, {.kind = EngineKind::threads, .threads = threads}), UserError);
  }
}

}  // namespace
}  // namespace polyloom::fabric::testing
