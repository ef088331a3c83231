// SPDX-License-Identifier: Apache-2.0
// Covers: the softswitch's device code, run instruction by instruction on boards without time
// (functional_machine.h) with random delays: shortest paths with labels and two pins against Dijkstra;
// PageRank against a direct sum; accumulators; all ways to send; rounds, time, send queue, HostPin and finish
// against docs/sources/tinsel.md, 3.4, 5.2, 5.3; statistics lines; instructions an edge. Leaves out: time,
// the network's order and back-pressure (the overlay's end-to-end tests).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <queue>
#include <set>

#include "polite/generate.h"
#include "polite/tests/functional_machine.h"
#include "polite/tests/sample_vertices.h"

namespace polyloom::polite {
namespace {

constexpr std::uint64_t kPlenty = 400'000'000;

Machine two_boards() {
  Machine m;
  m.boards_x = 2;
  m.boards_y = 1;
  m.tiles_x = 1;
  m.tiles_y = 2;
  return m;
}

template <typename Graph>
void run(Graph& graph, FunctionalMachine& machine, const char* program) {
  graph.mapOn(two_boards());
  graph.writeTo(machine);
  machine.load(std::string(POLYLOOM_DEVICE_PROGRAMS) + "/" + program);
  machine.run(kPlenty);
}

template <typename M>
M payload(const FunctionalMachine::Message& message, uint16_t key = 0) {
  PMessage<M> m;
  std::memcpy(&m, message.data(), sizeof m);
  EXPECT_EQ(m.destKey, key);
  return m.payload;
}

TEST(Softswitch, ShortestPathsAlongLabelledEdgesOfTwoPins) {
  constexpr std::uint32_t kVertices = 700;
  GraphData g = uniform_graph(kVertices, 4000, 4);
  draw_weights(g, 100);
  std::vector<std::int32_t> want(kVertices, 0x7fffffff);
  want[0] = 0;
  std::priority_queue<std::pair<std::int32_t, std::uint32_t>> queue;
  for (queue.push({0, 0}); !queue.empty();) {
    const auto [d, v] = queue.top();
    queue.pop();
    for (std::size_t e = 0; e < g.edges.size(); ++e) {
      const auto through = static_cast<std::int32_t>(-d + g.weights[e]);
      if (g.edges[e].from != v || -d != want[v] || through >= want[g.edges[e].to]) continue;
      want[g.edges[e].to] = through;
      queue.push({-through, g.edges[e].to});
    }
  }
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    PGraph<DistVertex, DistState, std::int32_t, DistState> graph;
    graph.newDevices(kVertices);
    for (std::size_t e = 0; e < g.edges.size(); ++e) {
      graph.addLabelledEdge(static_cast<std::int32_t>(g.weights[e]), g.edges[e].from, e % 2, g.edges[e].to);
    }
    graph.map();
    graph.mapVerticesToDRAM = seed == 2;
    graph.mapOutEdgesToDRAM = seed != 3;
    graph.mapOptions.pins = static_cast<Pins>(seed % 4);
    for (std::uint32_t v = 0; v < kVertices; ++v) graph.devices[v]->state = {v, v == 0 ? 0 : 0x7fffffff};
    FunctionalMachine machine(two_boards(), seed);
    run(graph, machine, "polite_dist");
    ASSERT_EQ(machine.to_host.size(), kVertices);
    std::set<std::uint32_t> seen;
    for (const auto& message : machine.to_host) {
      const auto m = payload<DistState>(message);
      EXPECT_TRUE(seen.insert(m.id).second);
      EXPECT_EQ(m.dist, want.at(m.id));
    }
    EXPECT_EQ(machine.by_key > 0,
              graph.mapOptions.pins == Pins::automatic || graph.mapOptions.pins == Pins::distributed);
    EXPECT_EQ(machine.barriers, 2u) << "one for step, one for finish";
  }
}

TEST(Softswitch, AccumulatorsAreAbsorbedWhenRecvSaysSo) {
  constexpr std::uint32_t kVertices = 800;
  GraphData g = uniform_graph(kVertices, 4000, 6);
  for (Edge& e : g.edges) {
    if (e.from > e.to) std::swap(e.from, e.to);
  }
  std::erase_if(g.edges, [](const Edge& e) { return e.from == e.to; });
  const auto on_pin = [](std::size_t e) { return static_cast<std::uint32_t>(e % 8 == 0); };
  std::vector<std::uint32_t> expected(kVertices, 0), value(kVertices), aside(kVertices, 0);
  for (std::size_t e = 0; e < g.edges.size(); ++e) expected[g.edges[e].to] += on_pin(e) == 0;
  for (std::uint32_t v = 0; v < kVertices; ++v) {
    value[v] = v;
    for (std::size_t e = 0; e < g.edges.size(); ++e) {
      if (g.edges[e].to == v && on_pin(e) == 0) value[v] += value[g.edges[e].from];
      if (g.edges[e].to == v && on_pin(e) == 1 && expected[g.edges[e].from] != 0) aside[v] += g.edges[e].from;
    }
  }
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    PGraph<GatherVertex, GatherState, None, GatherMessage> graph;
    graph.newDevices(kVertices);
    for (std::size_t e = 0; e < g.edges.size(); ++e) graph.addEdge(g.edges[e].from, on_pin(e), g.edges[e].to);
    graph.map();
    graph.mapVerticesToDRAM = seed == 2;
    graph.mapOptions.pins = static_cast<Pins>(seed % 5);
    for (std::uint32_t v = 0; v < kVertices; ++v) graph.devices[v]->state = {v, expected[v], 0, {}};
    FunctionalMachine machine(two_boards(), seed);
    run(graph, machine, "polite_gather");
    std::vector<std::pair<std::uint32_t, std::uint32_t>> got, want;
    for (const auto& message : machine.to_host) {
      const auto m = payload<GatherMessage>(message);
      got.emplace_back(m.value, m.counts);
    }
    for (std::uint32_t v = 0; v < kVertices; ++v) want.emplace_back(value[v], aside[v]);
    std::sort(got.begin(), got.end());
    std::sort(want.begin(), want.end());
    EXPECT_EQ(got, want);
  }
}

TEST(Softswitch, RoundsTimesQueueHostAndFinish) {
  constexpr std::uint32_t kVertices = 900, kRounds = WatchVertex::Rounds + 1;  // the last one returns false
  const GraphData g = uniform_graph(kVertices, 5000, 7);
  PGraph<WatchVertex, WatchState, None, WatchMessage> graph;
  graph.newDevices(kVertices);
  for (std::size_t e = 0; e < g.edges.size(); ++e) graph.addEdge(g.edges[e].from, e % 2, g.edges[e].to);
  graph.map();
  for (std::uint32_t v = 0; v < kVertices; ++v) graph.devices[v]->state.id = v;
  graph.devices[0]->state.first = HostPin;
  FunctionalMachine machine(two_boards(), 5);
  run(graph, machine, "polite_watch");
  std::vector<WatchMessage> from_send, finish;
  for (const auto& message : machine.to_host) {
    const bool first = &message == &machine.to_host.front();
    const auto m = payload<WatchMessage>(message, first ? kHostPinKey : 0);
    (m.kind == WatchVertex::FromSend ? from_send : finish).push_back(m);
  }
  ASSERT_EQ(from_send.size(), 1u) << "HostPin once, by vertex 0, before any round";
  EXPECT_EQ(from_send[0].id, 0u);
  EXPECT_EQ(from_send[0].a, kVertices);
  EXPECT_EQ(from_send[0].b, 0u);
  EXPECT_EQ(finish.size(), kVertices / 3 * 2) << "finish that returns false sends nothing";
  EXPECT_EQ(machine.barriers, kRounds + 1);
  for (const WatchMessage& m : finish) {
    EXPECT_EQ(m.a, kRounds);
    EXPECT_EQ(m.b, kRounds * (kRounds - 1) / 2) << "time counts completed rounds from 0";
    EXPECT_EQ(m.c >> 16, 0u) << "send was called with readyToSend No";
    const std::uint32_t count = m.c & 0xffff, first = m.id == 0;
    if (m.id % 2 == 0) {
      EXPECT_EQ(count, 2 * kRounds + first);
    } else {
      EXPECT_LE(count, 2 * kRounds);
    }
  }
  // Vertices fed by even ones only: what they receive is known, the last round's traffic included.
  std::vector<std::uint32_t> known(kVertices, 0);
  std::vector<bool> exact(kVertices, true);
  for (const Edge& e : g.edges) {
    known[e.to] += kRounds;
    exact[e.to] = exact[e.to] && e.from % 2 == 0;
  }
  int checked = 0;
  for (const WatchMessage& m : finish) {
    if (!exact[m.id]) continue;
    EXPECT_EQ(m.d, known[m.id]);
    ++checked;
  }
  EXPECT_GT(checked, 10);
}

TEST(Softswitch, StopsAtAPinThatTheGraphDoesNotHave) {
  for (const unsigned pin : {2u, 5u, 253u}) {
    PGraph<WatchVertex, WatchState, None, WatchMessage> graph;
    graph.newDevices(30);
    for (std::uint32_t v = 0; v < 29; ++v) graph.addEdge(v, v % 2, v + 1);
    graph.map();
    for (std::uint32_t v = 0; v < 30; ++v) graph.devices[v]->state.id = v;
    graph.devices[29]->state.first = Pin(static_cast<std::uint8_t>(pin));
    FunctionalMachine machine(two_boards(), pin);
    try {
      run(graph, machine, "polite_watch");
      ADD_FAILURE() << "Pin(" << pin << ")";
    } catch (const std::runtime_error& error) {
      const std::string reported =
          "store to an address where nothing is: " + std::to_string(0xbad50200u + pin);
      EXPECT_NE(std::string(error.what()).find(reported), std::string::npos) << error.what();
    }
  }
}

struct Rank {
  float sum, score;
  std::uint32_t fan_out;
};

TEST(Softswitch, PageRankAndInstructionsAnEdge) {
  constexpr std::uint32_t kVertices = 1000;
  const GraphData g = geometric_graph(kVertices, 16);
  // sample_device.cc's vertex has one pin; its tables are built by hand here.
  GraphStore store(1, 0);
  store.add_vertices(kVertices);
  store.add_edges(g.edges);
  store.finish();
  const ElementLayout layout{.pstate_bytes = 16,
                             .state_offset = 4,
                             .state_bytes = sizeof(Rank),
                             .state_unit = 16,
                             .in_edge_bytes = 2,
                             .label_offset = 0,
                             .pins = 1};
  std::vector<Rank> states(kVertices);
  for (std::uint32_t v = 0; v < kVertices; ++v) states[v].fan_out = store.fan_out(v);
  FunctionalMachine machine(two_boards(), 9);
  MapReport report;
  const Placement placement = place(store, two_boards(), {}, {}, &report);
  write_images(store, placement, layout, {}, reinterpret_cast<const std::byte*>(states.data()), machine,
               &report);
  machine.load(std::string(POLYLOOM_DEVICE_PROGRAMS) + "/polite_sample_stats_one");
  machine.run(kPlenty);
  std::vector<double> rank(kVertices, 1.0 / kVertices), next(kVertices);
  for (int i = 0; i < 20; ++i) {
    std::fill(next.begin(), next.end(), 0.15 / kVertices);
    for (const Edge& e : g.edges) next[e.to] += 0.85 * rank[e.from] / 16;
    rank = next;
  }
  std::vector<double> got;
  for (const auto& message : machine.to_host) got.push_back(payload<float>(message));
  std::sort(got.begin(), got.end());
  std::sort(rank.begin(), rank.end());
  ASSERT_EQ(got.size(), rank.size());
  for (std::uint32_t v = 0; v < kVertices; ++v) EXPECT_NEAR(got[v], rank[v], 1e-6 * rank[v] + 1e-9);
  // 4 caches and 16 cores and 256 threads print a line each.
  EXPECT_EQ(std::count(machine.console.begin(), machine.console.end(), '\n'), 4 + 16 + 256);
  RecordProperty("instructions_an_edge", std::to_string(machine.instructions / (20.0 * g.edges.size())));
}

}  // namespace
}  // namespace polyloom::polite
