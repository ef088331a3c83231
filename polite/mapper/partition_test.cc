// SPDX-License-Identifier: Apache-2.0
// Covers: the undirected graph, contraction and sub-graphs against plain maps; balance and cut of partitions
// on graphs whose good cuts are known; placement on a mesh; the loop over processes with a crashing child.
// Leaves out: speed.
#include "polite/mapper/partition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <map>
#include <numeric>
#include <random>

#include "polite/generate.h"
#include "polite/mapper/child_processes.h"
#include "polite/mapper/mesh_placement.h"

namespace polyloom::polite {
namespace {

WeightedGraph graph_of(const GraphData& data, std::vector<std::uint32_t> weights = {}) {
  GraphStore store(1, 0);
  store.add_vertices(data.vertices);
  store.add_edges(data.edges);
  store.finish();
  return undirected(store, weights, 2);
}

using Bonds = std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t>;

Bonds bonds_of(const WeightedGraph& g) {
  Bonds bonds;
  for (std::uint32_t v = 0; v < g.size(); ++v) {
    for (std::uint64_t e = g.begin[v]; e < g.begin[v + 1]; ++e) {
      EXPECT_TRUE(e == g.begin[v] || g.neighbour[e - 1] <= g.neighbour[e] || !g.edge_weight.empty());
      bonds[{v, g.neighbour[e]}] += g.bond(e);
    }
  }
  return bonds;
}

TEST(WeightedGraph, HasBothDirectionsAndParallelEdges) {
  const GraphData data = uniform_graph(60, 2000, 4);
  const WeightedGraph g = graph_of(data);
  Bonds want;
  std::vector<std::uint32_t> degree(60, 1);
  for (const Edge& e : data.edges) {
    ++degree[e.from];
    ++degree[e.to];
    if (e.from == e.to) continue;
    ++want[{e.from, e.to}];
    ++want[{e.to, e.from}];
  }
  EXPECT_EQ(bonds_of(g), want);
  EXPECT_EQ(g.weight, degree);
}

TEST(WeightedGraph, ContractsAndCutsOut) {
  const WeightedGraph g = graph_of(uniform_graph(60, 400, 5));
  std::vector<std::uint32_t> cluster(60);
  for (std::uint32_t v = 0; v < 60; ++v) cluster[v] = v * 7 % 10;
  const WeightedGraph c = contract(g, cluster, 10);
  Bonds want, inside;
  for (const auto& [ends, weight] : bonds_of(g)) {
    const auto [a, b] = ends;
    if (cluster[a] != cluster[b]) want[{cluster[a], cluster[b]}] += weight;
    if (a % 2 == 0 && b % 2 == 0) inside[{a / 2, b / 2}] = weight;
  }
  EXPECT_EQ(bonds_of(c), want);
  EXPECT_EQ(c.total_weight(), g.total_weight());
  std::vector<std::uint32_t> even(30), scratch(60, ~0u);
  for (std::uint32_t i = 0; i < 30; ++i) even[i] = 2 * i;
  EXPECT_EQ(bonds_of(subgraph(g, even, scratch)), inside);
  EXPECT_EQ(scratch, std::vector<std::uint32_t>(60, ~0u));
}

double imbalance(const WeightedGraph& g, const std::vector<std::uint32_t>& part, std::uint32_t k) {
  std::vector<std::uint64_t> load(k, 0);
  for (std::uint32_t v = 0; v < g.size(); ++v) load[part[v]] += g.weight[v];
  return static_cast<double>(*std::max_element(load.begin(), load.end())) * k /
         static_cast<double>(g.total_weight());
}

TEST(Partition, GridsAreCutAlongShortLines) {
  const WeightedGraph g = graph_of(grid_graph(200, 200));
  // Four squares of a 200 x 200 grid: 400 grid edges, each two directed ones.
  for (Method method : {Method::metis, Method::fast}) {
    const auto part = partition(g, 4, 1, method);
    EXPECT_LE(imbalance(g, part, 4), 1.051);
    EXPECT_LE(cut(g, part), 2 * 400 * 13 / 10);
  }
  const auto chunked = partition_by_chunks(g, 4);
  EXPECT_LE(imbalance(g, chunked, 4), 1.06);
}

TEST(Partition, FastMethodOnLargeGraphsIsBalancedAndLocal) {
  const WeightedGraph g = graph_of(geometric_graph(60000, 16));
  const auto part = partition(g, 12, 1, Method::fast);
  EXPECT_LE(imbalance(g, part, 12), 1.06);
  EXPECT_LE(static_cast<double>(cut(g, part)), 0.15 * 60000 * 16);
}

TEST(Partition, SkewedDegreesBalance) {
  const WeightedGraph g = graph_of(kronecker_graph(13, 16));
  for (Method method : {Method::metis, Method::fast}) {
    EXPECT_LE(imbalance(g, partition(g, 8, 1, method), 8), 1.06);
  }
}

TEST(Partition, TheBestByAScoreIsTaken) {
  const WeightedGraph g = graph_of(geometric_square(10'000, 8, 20, 3));
  const std::uint32_t splits[] = {2, 3, 2};
  const auto score = [](const std::vector<std::uint64_t>& traffic) {
    return link_load(3, 4, traffic, place_on_mesh(3, 4, traffic, 1));
  };
  const auto load = [&](const std::vector<std::uint32_t>& part) {
    return score(traffic_between(g, part, 12));
  };
  const auto best = partition(g, splits, 1, Method::fast, score);
  EXPECT_LE(imbalance(g, best, 12), 1.06);
  EXPECT_LE(load(best), 1.01 * load(partition(g, splits, 1, Method::fast)));
  EXPECT_LE(load(best), 1.01 * load(partition(g, 12, 1, Method::fast)));
  // Parts of one piece have numbers in a row: the first cut is no longer than a border across the square.
  const auto part = partition(g, splits, 1, Method::fast);
  const auto traffic = traffic_between(g, part, 12);
  std::uint64_t first = 0, all = 0;
  for (unsigned a = 0; a < 12; ++a) {
    for (unsigned b = 0; b < 12; ++b) {
      if (a == b) continue;
      all += traffic[a * 12 + b];
      if ((a < 6) != (b < 6)) first += traffic[a * 12 + b];
    }
  }
  EXPECT_EQ(all, 2 * cut(g, part));
  EXPECT_LE(static_cast<double>(first), 0.25 * static_cast<double>(all));
}

TEST(Partition, FewVerticesAreSpreadOut) {
  const WeightedGraph g = graph_of(uniform_graph(5, 20, 1));
  const auto part = partition(g, 64, 1, Method::metis);
  EXPECT_EQ(part, (std::vector<std::uint32_t>{0, 1, 2, 3, 4}));
  const std::uint32_t splits[] = {2, 2, 2};
  EXPECT_EQ(partition(g, splits, 1, Method::metis), part);
  EXPECT_TRUE(partition(graph_of(GraphData{}), 4, 1, Method::metis).empty());
}

TEST(MeshPlacement, FindsTheIdentityOfAHiddenMesh) {
  // Parts talk only to their neighbours on a 4 x 3 mesh, but are numbered at random.
  std::vector<std::uint32_t> hidden(12);
  std::iota(hidden.begin(), hidden.end(), 0);
  std::shuffle(hidden.begin(), hidden.end(), std::mt19937(5));
  std::vector<std::uint64_t> traffic(144, 0);
  auto distance = [](unsigned a, unsigned b) {
    return std::abs(static_cast<int>(a % 4) - static_cast<int>(b % 4)) +
           std::abs(static_cast<int>(a / 4) - static_cast<int>(b / 4));
  };
  for (unsigned a = 0; a < 12; ++a) {
    for (unsigned b = 0; b < 12; ++b) traffic[a * 12 + b] = distance(hidden[a], hidden[b]) == 1 ? 10 : 0;
  }
  const auto position = place_on_mesh(4, 3, traffic, 1);
  std::uint64_t cost = 0;
  for (unsigned a = 0; a < 12; ++a) {
    for (unsigned b = 0; b < a; ++b)
      cost += traffic[a * 12 + b] * static_cast<unsigned>(distance(position[a], position[b]));
  }
  EXPECT_LE(cost, 10u * 17 * 13 / 10) << "17 links at distance 1 would be perfect";
  auto sorted = position;
  std::sort(sorted.begin(), sorted.end());
  for (unsigned i = 0; i < 12; ++i) EXPECT_EQ(sorted[i], i);
}

TEST(MeshPlacement, LoadsOfLinksAreThoseOfMessagesAlongXThenY) {
  // On 3 x 2: from (0,0) to (2,1) 6 messages by two links in X and one in Y; from (1,0) to (2,0) 4 by the
  // second.
  std::vector<std::uint64_t> traffic(36, 0);
  traffic[0 * 6 + 5] = 6;
  traffic[1 * 6 + 2] = 4;
  const std::vector<std::uint32_t> position = {0, 1, 2, 3, 4, 5};
  EXPECT_DOUBLE_EQ(link_load(3, 2, traffic, position), 10 + (3 * 6 + 4) / 14.0);
  EXPECT_DOUBLE_EQ(link_load(1, 1, {0}, {0}), 0);
}

TEST(ChildProcesses, PiecesOfACrashedChildAreDoneHere) {
  SharedWords result(20);
  child_processes(
      20, 2,
      [&](std::size_t i) {
        if (i == 7) std::raise(SIGKILL);
        result[i] = 1;
      },
      [&](std::size_t i) { result[i] = 2; });
  int here = 0;
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_NE(result[i], 0u);
    here += result[i] == 2;
  }
  EXPECT_GE(here, 1);
  EXPECT_EQ(result[7], 2u);
}

}  // namespace
}  // namespace polyloom::polite
