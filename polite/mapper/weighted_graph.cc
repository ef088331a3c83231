// SPDX-License-Identifier: Apache-2.0
#include "polite/mapper/weighted_graph.h"

#include <algorithm>
#include <numeric>

#include "fabric/parallel.h"

namespace polyloom::polite {

namespace {

constexpr std::uint32_t kNone = ~0u;

/// Sorts a row, without the vertex itself; returns how many are left.
std::uint32_t sort_row(std::uint32_t v, std::uint32_t* neighbour, std::size_t n) {
  std::uint32_t* const end = std::remove(neighbour, neighbour + n, v);
  std::sort(neighbour, end);
  return static_cast<std::uint32_t>(end - neighbour);
}

}  // namespace

std::uint64_t WeightedGraph::total_weight() const {
  return std::accumulate(weight.begin(), weight.end(), std::uint64_t{0});
}

WeightedGraph undirected(const GraphStore& graph, const std::vector<std::uint32_t>& weights,
                         unsigned host_threads, const std::vector<std::uint32_t>& combined) {
  const std::uint32_t n = graph.vertices();
  std::vector<bool> is_combined(n, false);
  for (const std::uint32_t v : combined) is_combined[v] = true;
  const auto out = graph.out_begin();
  const auto target = graph.out_target();
  const auto in_degree = graph.in_degree();
  const unsigned pins = graph.pins();
  WeightedGraph g;
  g.begin.assign(std::size_t{n} + 1, 0);
  g.weight.resize(n);
  for (std::uint32_t v = 0; v < n; ++v) {
    const std::uint64_t sends = out[std::size_t{v} * pins + pins] - out[std::size_t{v} * pins];
    const std::uint64_t hears = is_combined[v] ? 0 : in_degree[v];
    g.begin[v + 1] = g.begin[v] + sends + hears;
    const std::uint64_t work = combined.empty() ? 1 + sends + hears : 5 + sends + 2 * hears;
    const std::uint64_t weight = weights.empty() ? work : std::max<std::uint64_t>(weights[v], 1);
    g.weight[v] = static_cast<std::uint32_t>(std::min<std::uint64_t>(weight, 0x7fffffff));
  }
  g.neighbour.resize(g.begin[n]);
  std::vector<std::uint64_t> next(g.begin.begin(), g.begin.end() - 1);
  for (std::uint32_t v = 0; v < n; ++v) {
    for (std::uint64_t e = out[std::size_t{v} * pins]; e < out[std::size_t{v} * pins + pins]; ++e) {
      const bool joins = !is_combined[target[e]];
      g.neighbour[next[v]++] = joins ? target[e] : v;  // its own neighbour: left out below
      if (joins) g.neighbour[next[target[e]]++] = v;
    }
  }
  // Rows shrink in place; then they move together.
  std::vector<std::uint32_t> kept(n);
  const std::size_t blocks = 256;
  fabric::parallel_for(blocks, host_threads, [&](std::size_t b) {
    for (std::size_t v = n * b / blocks; v < n * (b + 1) / blocks; ++v) {
      kept[v] = sort_row(static_cast<std::uint32_t>(v), g.neighbour.data() + g.begin[v],
                         g.begin[v + 1] - g.begin[v]);
    }
  });
  std::uint64_t end = 0;
  for (std::uint32_t v = 0; v < n; ++v) {
    const std::uint64_t from = g.begin[v];
    std::copy_n(g.neighbour.begin() + from, kept[v], g.neighbour.begin() + end);
    g.begin[v] = end;
    end += kept[v];
  }
  g.begin[n] = end;
  g.neighbour.resize(end);
  return g;
}

WeightedGraph subgraph(const WeightedGraph& graph, std::span<const std::uint32_t> members,
                       std::vector<std::uint32_t>& scratch) {
  WeightedGraph g;
  for (std::uint32_t i = 0; i < members.size(); ++i) scratch[members[i]] = i;
  g.begin.reserve(members.size() + 1);
  g.begin.push_back(0);
  g.weight.reserve(members.size());
  for (std::uint32_t v : members) {
    for (std::uint64_t e = graph.begin[v]; e < graph.begin[v + 1]; ++e) {
      const std::uint32_t to = scratch[graph.neighbour[e]];
      if (to == kNone) continue;
      g.neighbour.push_back(to);
      if (!graph.edge_weight.empty()) g.edge_weight.push_back(graph.edge_weight[e]);
    }
    g.begin.push_back(g.neighbour.size());
    g.weight.push_back(graph.weight[v]);
  }
  for (std::uint32_t v : members) scratch[v] = kNone;
  return g;
}

WeightedGraph contract(const WeightedGraph& graph, std::span<const std::uint32_t> cluster,
                       std::uint32_t clusters) {
  // Members of each cluster.
  std::vector<std::uint32_t> first(std::size_t{clusters} + 1, 0), member(graph.size());
  for (std::uint32_t c : cluster) ++first[c + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
  for (std::uint32_t v = 0; v < graph.size(); ++v) member[next[cluster[v]]++] = v;
  WeightedGraph g;
  g.begin.push_back(0);
  std::vector<std::uint64_t> slot(clusters,
                                  ~std::uint64_t{0});  // where a neighbour stands in the current row
  for (std::uint32_t c = 0; c < clusters; ++c) {
    const std::uint64_t row = g.neighbour.size();
    std::uint64_t weight = 0;
    for (std::uint32_t i = first[c]; i < first[c + 1]; ++i) {
      const std::uint32_t v = member[i];
      weight += graph.weight[v];
      for (std::uint64_t e = graph.begin[v]; e < graph.begin[v + 1]; ++e) {
        const std::uint32_t to = cluster[graph.neighbour[e]];
        if (to == c) continue;
        if (slot[to] == ~std::uint64_t{0} || slot[to] < row) {
          slot[to] = g.neighbour.size();
          g.neighbour.push_back(to);
          g.edge_weight.push_back(0);
        }
        g.edge_weight[slot[to]] += graph.bond(e);
      }
    }
    g.begin.push_back(g.neighbour.size());
    g.weight.push_back(static_cast<std::uint32_t>(std::min<std::uint64_t>(weight, 0x7fffffff)));
  }
  return g;
}

std::vector<std::uint32_t> breadth_first_order(const WeightedGraph& graph) {
  std::vector<std::uint32_t> order;
  order.reserve(graph.size());
  std::vector<bool> seen(graph.size(), false);
  for (std::uint32_t root = 0; root < graph.size(); ++root) {
    if (seen[root]) continue;
    seen[root] = true;
    std::size_t head = order.size();
    order.push_back(root);
    for (; head < order.size(); ++head) {
      const std::uint32_t v = order[head];
      for (std::uint64_t e = graph.begin[v]; e < graph.begin[v + 1]; ++e) {
        if (seen[graph.neighbour[e]]) continue;
        seen[graph.neighbour[e]] = true;
        order.push_back(graph.neighbour[e]);
      }
    }
  }
  return order;
}

}  // namespace polyloom::polite
