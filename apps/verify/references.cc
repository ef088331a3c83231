// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
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

std::vector<double> reference_pagerank(const NamedGraph& graph, const PageRankTerms& terms) {
  const auto weight = [&](const NamedGraph::Arc& arc) { return terms.weighted ? arc.weight : 1.0; };
  std::vector<double> given(graph.names.size(), 0);
  for (const auto& arc : graph.arcs) given[arc.from] += weight(arc);
  std::vector<double> x(graph.names.size(), 1 / static_cast<double>(graph.names.size()));
  for (unsigned k = 0; k < terms.iterations; ++k) {
    std::vector<double> next;
    for (const double share : terms.teleport) next.push_back((1 - terms.damping) * share);
    for (const auto& arc : graph.arcs) {
      if (given[arc.from] > 0) next[arc.to] += terms.damping * x[arc.from] * weight(arc) / given[arc.from];
    }
    x.swap(next);
  }
  const double sum = std::accumulate(x.begin(), x.end(), 0.0);
  for (double& value : x) value /= terms.scaled && sum > 0 ? sum : 1;
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

std::vector<double> reference_strong_components(const NamedGraph& graph) {
  const auto n = static_cast<std::uint32_t>(graph.names.size());
  NamedGraph reversed;
  reversed.names = graph.names;
  for (const auto& arc : graph.arcs) reversed.arcs.push_back({arc.to, arc.from, arc.weight});
  /// Depth first from `root` to what is not seen; calls leave(v) when all behind v has been.
  const auto search = [](const Rows& rows, std::uint32_t root, std::vector<bool>& seen, const auto& leave) {
    std::vector<std::pair<std::uint32_t, std::uint64_t>> path;  // vertex, next edge
    const auto enter = [&](std::uint32_t v) {
      if (seen[v]) return;
      seen[v] = true;
      path.emplace_back(v, rows.begin[v]);
    };
    for (enter(root); !path.empty();) {
      const auto [v, edge] = path.back();
      if (edge == rows.begin[v + 1ull]) {
        leave(v);
        path.pop_back();
      } else {
        ++path.back().second;
        enter(rows.to[edge].first);
      }
    }
  };
  std::vector<std::uint32_t> order;
  std::vector<bool> seen(n, false);
  const Rows forward(graph), backward(reversed);
  for (std::uint32_t v = 0; v < n; ++v)
    search(forward, v, seen, [&](std::uint32_t w) { order.push_back(w); });
  seen.assign(n, false);
  std::vector<double> labels(n);
  for (auto root = order.rbegin(); root != order.rend(); ++root) {
    std::vector<std::uint32_t> members;
    search(backward, *root, seen, [&](std::uint32_t w) { members.push_back(w); });
    if (members.empty()) continue;
    const std::uint32_t first = *std::ranges::min_element(members);
    for (const std::uint32_t v : members) labels[v] = first;
  }
  return labels;
}

std::vector<double> reference_labels(const NamedGraph& graph, unsigned iterations) {
  std::vector<double> labels(graph.names.size());
  std::iota(labels.begin(), labels.end(), 0.0);
  for (unsigned i = 0; i < iterations; ++i) {
    std::vector<std::map<double, std::uint64_t>> votes(labels.size());
    for (const auto& arc : graph.arcs) {
      ++votes[arc.to][labels[arc.from]];
      ++votes[arc.from][labels[arc.to]];
    }
    for (std::size_t v = 0; v < labels.size(); ++v) {
      std::uint64_t most = 0;
      for (const auto& [label, count] : votes[v]) {  // the smallest first
        if (count > most) labels[v] = label;
        most = std::max(most, count);
      }
    }
  }
  return labels;
}

std::vector<double> reference_heat(const NamedGraph& graph, const std::vector<double>& start,
                                   const std::vector<bool>& held, double rate, std::uint64_t steps) {
  const std::vector<std::set<std::uint32_t>> neighbours = neighbours_of(graph);
  std::vector<double> now = start, next = start;
  for (std::uint64_t i = 0; i < steps; ++i) {
    for (std::size_t v = 0; v < now.size(); ++v) {
      if (held[v]) continue;
      double gained = 0;
      for (const std::uint32_t w : neighbours[v]) gained += now[w] - now[v];
      next[v] = now[v] + rate * gained;
    }
    now.swap(next);
  }
  return now;
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
