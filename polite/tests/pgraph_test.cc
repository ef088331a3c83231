// SPDX-License-Identifier: Apache-2.0
// Covers: PGraph through HostLink as an application uses it: natively with its results, and onto a fake
// cluster of boards whose memories are looked into; both spellings of names; addresses after placement.
// Leaves out: programs that run on (simulated) boards: the overlay's end-to-end tests.
#define POLITE_NUM_PINS 2
#include <POLite.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <queue>
#include <thread>

#include "fabric/error.h"
#include "polite/generate.h"
#include "roles/overlay/host/fake_cluster.h"

namespace polyloom::polite {
namespace {

constexpr std::int32_t kFar = 0x7fffffff;

struct DistState {
  std::uint32_t id;
  std::int32_t dist;
};
struct DistMessage {
  std::uint32_t id;
  std::int32_t dist;
};

/// Single-source shortest paths, the paper's figure 8, that also names itself; edges alternate between two
/// pins, so each improvement goes out on pin 0, then on pin 1.
struct DistVertex : PVertex<DistState, std::int32_t, DistMessage> {
  void init() { *readyToSend = s->dist == 0 ? Pin(0) : No; }
  void send(volatile DistMessage* m) {
    m->dist = s->dist;
    *readyToSend = *readyToSend == Pin(0) ? Pin(1) : No;
  }
  void recv(DistMessage* m, std::int32_t* weight) {
    if (m->dist + *weight < s->dist) {
      s->dist = m->dist + *weight;
      *readyToSend = Pin(0);
    }
  }
  bool step() { return false; }
  bool finish(volatile DistMessage* m) {
    m->id = s->id;
    m->dist = s->dist;
    return true;
  }
};
using DistGraph = PGraph<DistVertex, DistState, std::int32_t, DistMessage>;

struct Weighted {
  std::vector<Edge> edges;
  std::vector<std::int32_t> weights;
};

Weighted sample() {
  GraphData g = uniform_graph(500, 3000, 4);
  draw_weights(g, 100);
  return {g.edges, {g.weights.begin(), g.weights.end()}};
}

void fill(DistGraph& graph, const Weighted& input) {
  for (int i = 0; i < 500; ++i) EXPECT_EQ(graph.newDevice(), static_cast<PDeviceId>(i));
  for (std::size_t e = 0; e < input.edges.size(); ++e) {
    graph.addLabelledEdge(input.weights[e], input.edges[e].from, e % 2, input.edges[e].to);
  }
  graph.map();
  for (PDeviceId i = 0; i < graph.numDevices; ++i) {
    EXPECT_EQ(graph.devices[i]->state.dist, 0) << "states are zero after map()";
    graph.devices[i]->state.id = i;
    graph.devices[i]->state.dist = i == 0 ? 0 : kFar;
  }
}

std::vector<std::int32_t> dijkstra(const Weighted& input) {
  std::vector<std::vector<std::pair<std::uint32_t, std::int32_t>>> out(500);
  for (std::size_t e = 0; e < input.edges.size(); ++e) {
    out[input.edges[e].from].push_back({input.edges[e].to, input.weights[e]});
  }
  std::vector<std::int32_t> dist(500, kFar);
  std::priority_queue<std::pair<std::int32_t, std::uint32_t>> queue;
  dist[0] = 0;
  queue.push({0, 0});
  while (!queue.empty()) {
    const auto [d, v] = queue.top();
    queue.pop();
    if (-d != dist[v]) continue;
    for (const auto& [to, weight] : out[v]) {
      if (dist[v] + weight >= dist[to]) continue;
      dist[to] = dist[v] + weight;
      queue.push({-dist[to], to});
    }
  }
  return dist;
}

TEST(PGraphNative, ShortestPathsThroughHostLink) {
  setenv("POLYLOOM_ON", "native", 1);
  const Weighted input = sample();
  HostLink link;
  DistGraph graph;
  fill(graph, input);
  graph.write(&link);
  EXPECT_TRUE(graph.is_simulation());
  link.boot("code.v", "data.v");
  link.go();
  const auto want = dijkstra(input);
  std::vector<bool> seen(500);
  for (int i = 0; i < 500; ++i) {
    PMessage<DistMessage> message;
    link.recvMsg(&message, sizeof(message));
    ASSERT_LT(message.payload.id, 500u);
    EXPECT_FALSE(seen[message.payload.id]);
    seen[message.payload.id] = true;
    EXPECT_EQ(message.payload.dist, want[message.payload.id]);
  }
  unsetenv("POLYLOOM_ON");
}

TEST(PGraphOnBoards, PlacementIsRefusedUntilItIsKnown) {
  DistGraph graph;
  fill(graph, sample());
  EXPECT_THROW(graph.toDeviceAddr[0], UserError);
  EXPECT_THROW(graph.fromDeviceAddr[0], UserError);
  EXPECT_THROW(graph.numDevicesOnThread[0], UserError);
}

/// One flag of two that mean the same table here must not win in silence.
TEST(PGraphOnBoards, IncomingEdgesLieInOnePlace) {
  const auto address_of_in_table = [](bool headers, bool rest) {
    overlay::ClusterFacts facts;
    facts.tiles_x = facts.tiles_y = 1;
    auto* cluster = new overlay::FakeCluster(facts);
    HostLink link(cluster);
    DistGraph graph;
    fill(graph, sample());
    graph.mapInEdgeHeadersToDRAM = headers;
    graph.mapInEdgeRestToDRAM = rest;
    graph.write(&link);
    link.flush();
    const auto bytes = cluster->bytes(0, blocks::Space::slice0, 0, 0x00800000, sizeof(PThreadHead));
    PThreadHead head;
    std::memcpy(&head, bytes.data(), sizeof(head));
    return head.inTable;
  };
  EXPECT_GE(address_of_in_table(true, true), 0x01800000u);  // DRAM, docs/sources/tinsel.md, 1.3
  EXPECT_LT(address_of_in_table(false, false), 0x01800000u);
  EXPECT_THROW(address_of_in_table(true, false), UserError);
  EXPECT_THROW(address_of_in_table(false, true), UserError);
}

TEST(PGraphOnBoards, EveryThreadGetsAHeadAndEveryVertexAnAddress) {
  overlay::ClusterFacts facts;
  facts.boards_x = 2;
  facts.tiles_x = facts.tiles_y = 2;
  auto* cluster = new overlay::FakeCluster(facts);
  HostLink link(cluster);
  DistGraph graph;
  fill(graph, sample());
  graph.write(&link);
  link.finish();  // what was written has arrived
  EXPECT_FALSE(graph.is_simulation());
  ASSERT_EQ(graph.toDeviceAddr.size(), 500u);
  unsigned heads = 0, vertices = 0;
  for (const auto& [where, memory] : cluster->memory) {
    for (std::uint32_t address = 0x00800000; address < 0x01800000; address += 0x8000) {
      PThreadHead head;
      bool there = true;
      for (std::size_t b = 0; b < sizeof(head); ++b) {
        const auto at = memory.find(address + b);
        if (at == memory.end()) {
          there = false;
          break;
        }
        reinterpret_cast<std::uint8_t*>(&head)[b] = at->second;
      }
      if (!there) continue;
      ++heads;
      vertices += head.numDevices;
      EXPECT_EQ(head.numVertices, 500u);
    }
  }
  EXPECT_EQ(heads, 2u * 4 * 64) << "also threads without vertices take part in detection";
  EXPECT_EQ(vertices, 500u);
  for (PDeviceId v = 0; v < 500; ++v) {
    const std::uint32_t address = graph.toDeviceAddr[v];
    const auto& there = graph.fromDeviceAddr[address & 0x3ffff];
    ASSERT_LT(address >> 19, there.size());
    EXPECT_EQ(there[address >> 19], v);
    EXPECT_EQ(graph.numDevicesOnThread[address & 0x3ffff], there.size());
  }
}

TEST(PGraph, FansAndBulk) {
  PGraph<DistVertex, DistState, std::int32_t, DistMessage> graph;
  EXPECT_EQ(graph.newDevices(3), 0u);
  const std::vector<Edge> edges = {{0, 1}, {0, 2}, {1, 2}};
  const std::vector<std::int32_t> labels = {7, 8, 9};
  graph.addLabelledEdges(edges, labels, 1);
  graph.addEdge(2, 0, 2);
  EXPECT_EQ(graph.fanOut(0), 2u);
  EXPECT_EQ(graph.getMaxFanIn(), 3u);
  EXPECT_EQ(graph.getEdgeCount(), 4u);
  graph.map();
  EXPECT_EQ(graph.fanIn(2), 3u);
  const OutEdges out = graph.nativeGraph().out_edges();
  EXPECT_EQ(out.target[out.begin[0 * 2 + 1]], 1u);
  EXPECT_EQ(reinterpret_cast<const std::int32_t*>(out.label)[out.begin[1 * 2 + 1]], 9);
  EXPECT_THROW(graph.addEdge(0, 0, 1), UserError);
}

TEST(PGraph, UncaughtErrorsEndWithOneLineAndStatusOne) {
  EXPECT_EXIT(
      {
        DistGraph graph;
        std::thread([] { throw UserError("the message"); }).join();
      },
      testing::ExitedWithCode(1), "^polyloom: the message\n$");
}

}  // namespace
}  // namespace polyloom::polite
