// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <queue>
#include <set>

#include "apps/verify/verify.h"
#include "fabric/error.h"

namespace polyloom::apps {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// Out-edges by vertex, as (target, weight).
struct Rows {
  std::vector<std::uint64_t> begin;
  std::vector<std::pair<std::uint32_t, double>> to;

  explicit Rows(const NamedGraph& graph) : begin(graph.names.size() + 1), to(graph.arcs.size()) {
    for (const auto& arc : graph.arcs) ++begin[arc.from + 1ull];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    auto next = begin;
    for (const auto& arc : graph.arcs) to[next[arc.from]++] = {arc.to, arc.weight};
  }
};

/// Number of the vertex of that name.
std::uint32_t vertex_named(const NamedGraph& graph, const std::string& name) {
  const auto at = std::find(graph.names.begin(), graph.names.end(), name);
  if (at == graph.names.end()) throw UserError("it has no vertex " + name);
  return static_cast<std::uint32_t>(at - graph.names.begin());
}

/// Every vertex's neighbours, whichever way the edges go; not the vertex itself.
std::vector<std::set<std::uint32_t>> neighbours_of(const NamedGraph& graph) {
  std::vector<std::set<std::uint32_t>> neighbours(graph.names.size());
  for (const auto& arc : graph.arcs) {
    if (arc.from == arc.to) continue;
    neighbours[arc.from].insert(arc.to);
    neighbours[arc.to].insert(arc.from);
  }
  return neighbours;
}

}  // namespace

std::vector<double> reference_pagerank(const NamedGraph& graph, unsigned iterations, double damping) {
  const auto n = static_cast<double>(graph.names.size());
  std::vector<double> degree(graph.names.size(), 0);
  for (const auto& arc : graph.arcs) degree[arc.from] += 1;
  std::vector<double> x(graph.names.size(), 1 / n);
  for (unsigned k = 0; k < iterations; ++k) {
    std::vector<double> next(x.size(), (1 - damping) / n);
    for (const auto& arc : graph.arcs) next[arc.to] += damping * x[arc.from] / degree[arc.from];
    x.swap(next);
  }
  return x;
}

std::vector<double> reference_sssp(const NamedGraph& graph, const std::string& source) {
  const Rows rows(graph);
  std::vector<double> distance(graph.names.size(), kNone);
  using Item = std::pair<double, std::uint32_t>;
  std::priority_queue<Item, std::vector<Item>, std::greater<>> queue;
  queue.push({0, vertex_named(graph, source)});
  while (!queue.empty()) {
    const auto [d, v] = queue.top();
    queue.pop();
    if (!std::isnan(distance[v])) continue;
    distance[v] = d;
    for (std::uint64_t i = rows.begin[v]; i < rows.begin[v + 1ull]; ++i) {
      if (std::isnan(distance[rows.to[i].first])) queue.push({d + rows.to[i].second, rows.to[i].first});
    }
  }
  return distance;
}

std::vector<double> reference_hops(const NamedGraph& graph, const std::string& source) {
  const Rows rows(graph);
  std::vector<double> hops(graph.names.size(), kNone);
  std::vector<std::uint32_t> queue{vertex_named(graph, source)};
  hops[queue.front()] = 0;
  for (std::size_t head = 0; head < queue.size(); ++head) {
    for (std::uint64_t i = rows.begin[queue[head]]; i < rows.begin[queue[head] + 1ull]; ++i) {
      const std::uint32_t w = rows.to[i].first;
      if (!std::isnan(hops[w])) continue;
      hops[w] = hops[queue[head]] + 1;
      queue.push_back(w);
    }
  }
  return hops;
}

std::vector<double> reference_components(const NamedGraph& graph) {
  std::vector<std::uint32_t> parent(graph.names.size());
  std::iota(parent.begin(), parent.end(), 0u);
  const auto root = [&](std::uint32_t v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
  };
  for (const auto& arc : graph.arcs) {
    const std::uint32_t a = root(arc.from), b = root(arc.to);
    parent[std::max(a, b)] = std::min(a, b);
  }
  std::vector<double> labels(parent.size());
  for (std::uint32_t v = 0; v < labels.size(); ++v) labels[v] = root(v);
  return labels;
}

std::vector<double> reference_core_numbers(const NamedGraph& graph) {
  std::vector<std::set<std::uint32_t>> neighbours = neighbours_of(graph);
  std::set<std::pair<std::size_t, std::uint32_t>> left;  // by how many neighbours are left
  for (std::uint32_t v = 0; v < neighbours.size(); ++v) left.insert({neighbours[v].size(), v});
  std::vector<double> core(neighbours.size());
  std::size_t most = 0;
  while (!left.empty()) {
    const auto [few, v] = *left.begin();
    left.erase(left.begin());
    most = std::max(most, few);
    core[v] = static_cast<double>(most);
    for (const std::uint32_t w : neighbours[v]) {
      left.erase({neighbours[w].size(), w});
      neighbours[w].erase(v);
      left.insert({neighbours[w].size(), w});
    }
  }
  return core;
}

std::vector<double> reference_triangles(const NamedGraph& graph) {
  const std::vector<std::set<std::uint32_t>> neighbours = neighbours_of(graph);
  std::vector<double> triangles(neighbours.size(), 0);
  for (std::uint32_t v = 0; v < neighbours.size(); ++v) {
    // v < a < b; of a and b the one with fewer neighbours is asked.
    for (auto a = neighbours[v].upper_bound(v); a != neighbours[v].end(); ++a) {
      const bool swap = neighbours[*a].size() < neighbours[v].size();
      const auto &few = neighbours[swap ? *a : v], &many = neighbours[swap ? v : *a];
      for (auto b = few.upper_bound(*a); b != few.end(); ++b) {
        if (!many.contains(*b)) continue;
        for (const std::uint32_t corner : {v, *a, *b}) triangles[corner] += 1;
      }
    }
  }
  return triangles;
}

std::vector<double> reference_distance_sums(const NamedGraph& graph, std::uint32_t count) {
  const Rows rows(graph);
  count = std::min(count, static_cast<std::uint32_t>(graph.names.size()));
  std::vector<double> sums(graph.names.size(), kNone);
  if (count == 1) sums[0] = 0;  // there is no other source that could reach it
  std::vector<std::uint32_t> level(sums.size()), queue;
  for (std::uint32_t source = 0; source < count; ++source) {
    std::fill(level.begin(), level.end(), ~0u);
    queue.assign(1, source);
    level[source] = 0;
    for (std::size_t head = 0; head < queue.size(); ++head) {
      const std::uint32_t v = queue[head];
      if (v != source) sums[v] = (std::isnan(sums[v]) ? 0 : sums[v]) + level[v];
      for (std::uint64_t i = rows.begin[v]; i < rows.begin[v + 1ull]; ++i) {
        const std::uint32_t w = rows.to[i].first;
        if (level[w] == ~0u) {
          level[w] = level[v] + 1;
          queue.push_back(w);
        }
      }
    }
  }
  return sums;
}

}  // namespace polyloom::apps
