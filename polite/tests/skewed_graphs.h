// SPDX-License-Identifier: Apache-2.0
// Graphs of few hundred vertices that combiners have work with, and odd ones.
#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "polite/graph_data.h"

namespace polyloom::polite {

/// All others point to vertex 0, which points to the last one.
inline GraphData star(std::uint32_t vertices) {
  GraphData graph;
  graph.vertices = vertices;
  for (std::uint32_t v = 1; v < vertices; ++v) graph.edges.push_back({v, 0});
  graph.edges.push_back({0, vertices - 1});
  return graph;
}

/// Edges whose targets are the more likely the smaller their number; loops and parallel edges occur.
inline GraphData skewed(std::uint32_t vertices, std::size_t edges, std::mt19937_64& random) {
  GraphData graph;
  graph.vertices = vertices;
  std::uniform_real_distribution<double> real(0, 1);
  for (std::size_t e = 0; e < edges; ++e) {
    const double x = real(random);
    graph.edges.push_back({static_cast<std::uint32_t>(random() % vertices),
                           static_cast<std::uint32_t>(x * x * x * x * vertices)});
  }
  return graph;
}

inline std::vector<std::pair<std::string, GraphData>> skewed_graphs(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto size = [&](std::uint32_t from, std::uint32_t to) {
    return from + static_cast<std::uint32_t>(random() % (to - from));
  };
  std::vector<std::pair<std::string, GraphData>> graphs;
  graphs.emplace_back("skewed", skewed(size(150, 250), 1000, random));
  graphs.emplace_back("dense", skewed(size(20, 40), 500, random));
  graphs.emplace_back("star", star(size(300, 500)));

  // Two hubs that hear from all, from each other and from themselves, some edges several times.
  GraphData hubs;
  hubs.vertices = size(100, 200);
  for (std::uint32_t v = 0; v < hubs.vertices; ++v) {
    for (std::uint32_t hub = 0; hub < 2; ++hub)
      for (std::uint64_t n = random() % 4; n < 3; ++n) hubs.edges.push_back({v, hub});
  }
  for (std::uint32_t hub = 0; hub < 2; ++hub) {
    for (int n = 0; n < 20; ++n) hubs.edges.insert(hubs.edges.end(), {{hub, hub}, {hub, 1 - hub}});
  }
  graphs.emplace_back("hubs", hubs);

  // Components of several sizes, of which some vertices have no edges at all.
  GraphData islands;
  for (const std::uint32_t vertices : {1u, 37u, 3u, 90u}) {
    GraphData island = skewed(vertices, vertices > 30 ? 8 * vertices : 0, random);
    for (Edge& e : island.edges)
      islands.edges.push_back({e.from + islands.vertices, e.to + islands.vertices});
    islands.vertices += vertices;
  }
  graphs.emplace_back("islands", islands);

  GraphData loop;
  loop.vertices = 1;
  loop.edges.assign(size(1, 40), {0, 0});
  graphs.emplace_back("loop", loop);
  GraphData lonely;
  lonely.vertices = 1;
  graphs.emplace_back("lonely", lonely);
  return graphs;
}

}  // namespace polyloom::polite
