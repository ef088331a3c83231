// SPDX-License-Identifier: Apache-2.0
#include "polite/mapper/partition.h"

#include <metis.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

namespace polyloom::polite {

namespace {

/// METIS is handed graphs up to this many adjacency entries by Method::fast.
constexpr std::uint64_t kSmallEntries = 600'000;
constexpr int kRefineRounds = 4;
constexpr int kClusterRounds = 3;
/// Of a graph that METIS is quick with: how often it is cut in each way, for the best of all.
constexpr std::uint64_t kSeeds = 3;

/// Weight above which a part gives vertices away, if others can take them and stay lighter.
std::uint64_t part_limit(const WeightedGraph& graph, std::uint32_t k) {
  const std::uint64_t mean = (graph.total_weight() + k - 1) / k;
  return mean + mean / 20;
}

std::uint32_t product(std::span<const std::uint32_t> splits) {
  return std::accumulate(splits.begin(), splits.end(), 1u, std::multiplies<>());
}

/// What binds a vertex to each part near it. Clearing costs only the parts touched.
class Bonds {
 public:
  explicit Bonds(std::uint32_t parts) : bond_(parts, 0) {}
  void gather(const WeightedGraph& graph, std::uint32_t v, std::span<const std::uint32_t> part) {
    for (std::uint32_t p : touched_) bond_[p] = 0;
    touched_.clear();
    for (std::uint64_t e = graph.begin[v]; e < graph.begin[v + 1]; ++e) {
      const std::uint32_t p = part[graph.neighbour[e]];
      if (bond_[p] == 0) touched_.push_back(p);
      bond_[p] += graph.bond(e);
    }
  }
  std::uint64_t to(std::uint32_t part) const { return bond_[part]; }
  const std::vector<std::uint32_t>& touched() const { return touched_; }

 private:
  std::vector<std::uint64_t> bond_;
  std::vector<std::uint32_t> touched_;
};

std::vector<std::uint64_t> part_weights(const WeightedGraph& graph, std::span<const std::uint32_t> part,
                                        std::uint32_t k) {
  std::vector<std::uint64_t> load(k, 0);
  for (std::uint32_t v = 0; v < graph.size(); ++v) load[part[v]] += graph.weight[v];
  return load;
}

/// Moves vertices to the part that they are bound to most, as long as it has room (greedy, in order of
/// numbers).
void refine(const WeightedGraph& graph, std::vector<std::uint32_t>& part, std::uint32_t k,
            std::uint64_t limit, int rounds) {
  auto load = part_weights(graph, part, k);
  Bonds bonds(k);
  for (int round = 0; round < rounds; ++round) {
    std::uint32_t moved = 0;
    for (std::uint32_t v = 0; v < graph.size(); ++v) {
      bonds.gather(graph, v, part);
      const std::uint32_t own = part[v];
      std::uint32_t best = own;
      for (std::uint32_t p : bonds.touched()) {
        if (p == own || load[p] + graph.weight[v] > limit) continue;
        const bool lighter = bonds.to(p) == bonds.to(best) && load[p] + graph.weight[v] < load[best];
        if (bonds.to(p) > bonds.to(best) || lighter) best = p;
      }
      if (best == own) continue;
      load[own] -= graph.weight[v];
      load[best] += graph.weight[v];
      part[v] = best;
      ++moved;
    }
    if (moved < graph.size() / 1000) break;
  }
}

/// Empties parts that are too heavy: lightest vertices first, each to the lightest part.
void rebalance(const WeightedGraph& graph, std::vector<std::uint32_t>& part, std::uint32_t k,
               std::uint64_t limit) {
  auto load = part_weights(graph, part, k);
  std::vector<std::uint32_t> heavy;
  for (std::uint32_t v = 0; v < graph.size(); ++v) {
    if (load[part[v]] > limit) heavy.push_back(v);
  }
  std::stable_sort(heavy.begin(), heavy.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return graph.weight[a] < graph.weight[b]; });
  // A heap of (load, part): stale entries are dropped when they come up.
  using Entry = std::pair<std::uint64_t, std::uint32_t>;
  std::vector<Entry> heap;
  for (std::uint32_t p = 0; p < k; ++p) heap.push_back({load[p], p});
  std::make_heap(heap.begin(), heap.end(), std::greater<>());
  for (std::uint32_t v : heavy) {
    if (load[part[v]] <= limit) continue;
    while (heap.front().first != load[heap.front().second]) {
      std::pop_heap(heap.begin(), heap.end(), std::greater<>());
      heap.pop_back();
    }
    const std::uint32_t to = heap.front().second;
    if (load[to] + graph.weight[v] >= load[part[v]]) continue;
    for (auto [p, change] :
         {std::pair{part[v], -std::int64_t{graph.weight[v]}}, std::pair{to, std::int64_t{graph.weight[v]}}}) {
      load[p] += static_cast<std::uint64_t>(change);
      heap.push_back({load[p], p});
      std::push_heap(heap.begin(), heap.end(), std::greater<>());
    }
    part[v] = to;
  }
}

/// Clusters by label propagation, none heavier than `limit`; returns how many there are.
std::uint32_t cluster(const WeightedGraph& graph, std::uint64_t limit, std::vector<std::uint32_t>& label) {
  const std::uint32_t n = graph.size();
  label.resize(n);
  std::iota(label.begin(), label.end(), 0);
  std::vector<std::uint64_t> load(graph.weight.begin(), graph.weight.end());
  Bonds bonds(n);
  const std::vector<std::uint32_t> order = breadth_first_order(graph);
  for (int round = 0; round < kClusterRounds; ++round) {
    for (std::uint32_t v : order) {
      bonds.gather(graph, v, label);
      std::uint32_t best = label[v];
      for (std::uint32_t c : bonds.touched()) {
        if (load[c] + graph.weight[v] > limit && c != label[v]) continue;
        if (bonds.to(c) > bonds.to(best)) best = c;
      }
      load[label[v]] -= graph.weight[v];
      load[best] += graph.weight[v];
      label[v] = best;
    }
  }
  std::vector<std::uint32_t> number(n, ~0u);
  std::uint32_t clusters = 0;
  for (std::uint32_t& l : label) {
    if (number[l] == ~0u) number[l] = clusters++;
    l = number[l];
  }
  return clusters;
}

std::vector<std::uint32_t> run_metis(const WeightedGraph& graph, std::uint32_t k, std::uint64_t seed) {
  idx_t vertices = static_cast<idx_t>(graph.size()), constraints = 1, parts = static_cast<idx_t>(k),
        objective = 0;
  // METIS wants each neighbour once.
  std::vector<idx_t> begin = {0}, neighbour, edge_weight;
  begin.reserve(graph.begin.size());
  for (std::uint32_t v = 0; v < graph.size(); ++v) {
    for (std::uint64_t e = graph.begin[v]; e < graph.begin[v + 1]; ++e) {
      const auto to = static_cast<idx_t>(graph.neighbour[e]), bond = static_cast<idx_t>(graph.bond(e));
      if (e > graph.begin[v] && neighbour.back() == to) {
        edge_weight.back() += bond;
      } else {
        neighbour.push_back(to);
        edge_weight.push_back(bond);
      }
    }
    begin.push_back(static_cast<idx_t>(neighbour.size()));
  }
  // METIS adds weights up in 32 bits.
  const std::uint64_t scale = graph.total_weight() / 1'000'000'000 + 1;
  std::vector<idx_t> weight(graph.size());
  for (std::uint32_t v = 0; v < graph.size(); ++v)
    weight[v] = static_cast<idx_t>(graph.weight[v] / scale + (scale > 1));
  std::vector<idx_t> part(graph.size(), 0);
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = static_cast<idx_t>(seed & 0x3fffffff);
  // k-way is much faster on large graphs, and poor when parts have few vertices.
  const bool recursive = graph.size() < 64 * std::uint64_t{k} || graph.neighbour.size() < kSmallEntries / 4;
  const auto call = recursive ? METIS_PartGraphRecursive : METIS_PartGraphKway;
  const int status = call(&vertices, &constraints, begin.data(), neighbour.data(), weight.data(), nullptr,
                          edge_weight.data(), &parts, nullptr, nullptr, options, &objective, part.data());
  if (status != METIS_OK) return partition_by_chunks(graph, k);
  return {part.begin(), part.end()};
}

/// Cuts one piece after the other.
std::vector<std::uint32_t> cut_up(const WeightedGraph& graph, std::span<const std::uint32_t> splits,
                                  std::uint64_t seed) {
  std::vector<std::uint32_t> part(graph.size());
  if (graph.size() <= product(splits)) {
    std::iota(part.begin(), part.end(), 0);
    return part;
  }
  part = run_metis(graph, splits[0], seed);
  if (splits.size() == 1) return part;
  const std::uint32_t inner = product(splits.subspan(1));
  std::vector<std::vector<std::uint32_t>> members(splits[0]);
  for (std::uint32_t v = 0; v < graph.size(); ++v) members[part[v]].push_back(v);
  std::vector<std::uint32_t> scratch(graph.size(), ~0u);
  for (std::uint32_t p = 0; p < splits[0]; ++p) {
    const WeightedGraph piece = subgraph(graph, members[p], scratch);
    const auto inside = cut_up(piece, splits.subspan(1), seed + p + 1);
    for (std::uint32_t i = 0; i < inside.size(); ++i) part[members[p][i]] = p * inner + inside[i];
  }
  return part;
}

/// At once, and one piece after the other, by some seeds; without a score, the latter by one.
std::vector<std::uint32_t> best_cut(const WeightedGraph& graph, std::span<const std::uint32_t> splits,
                                    std::uint64_t seed, const Score& score) {
  if (!score || graph.neighbour.size() > kSmallEntries) return cut_up(graph, splits, seed);
  const std::uint32_t at_once[] = {product(splits)};
  std::vector<std::uint32_t> best;
  double least = std::numeric_limits<double>::infinity();
  for (std::uint64_t i = 0; i < kSeeds; ++i) {
    for (const std::span<const std::uint32_t> way : {std::span<const std::uint32_t>(at_once), splits}) {
      std::vector<std::uint32_t> part = cut_up(graph, way, seed + i * product(splits));
      const double found = score(traffic_between(graph, part, at_once[0]));
      if (found < least) least = found, best = std::move(part);
    }
  }
  return best;
}

std::vector<std::uint32_t> multilevel(const WeightedGraph& graph, std::span<const std::uint32_t> splits,
                                      std::uint64_t seed, int depth, const Score& score) {
  const std::uint32_t k = product(splits);
  if (graph.neighbour.size() <= kSmallEntries || depth == 0) {
    return graph.neighbour.size() < 0x7fffffff ? best_cut(graph, splits, seed, score)
                                               : partition_by_chunks(graph, k);
  }
  std::vector<std::uint32_t> label;
  const std::uint64_t cluster_limit = std::max<std::uint64_t>(graph.total_weight() / k / 24, 1);
  const std::uint32_t clusters = cluster(graph, cluster_limit, label);
  // Little to join (a random graph): clustering further is no use.
  const bool stuck = clusters > graph.size() / 10 * 9;
  const WeightedGraph coarse = contract(graph, label, clusters);
  const auto coarse_part = multilevel(coarse, splits, seed, stuck ? 0 : depth - 1, score);
  std::vector<std::uint32_t> part(graph.size());
  for (std::uint32_t v = 0; v < graph.size(); ++v) part[v] = coarse_part[label[v]];
  const std::uint64_t limit = part_limit(graph, k);
  rebalance(graph, part, k, limit);
  refine(graph, part, k, limit, kRefineRounds);
  return part;
}

}  // namespace

std::vector<std::uint32_t> chunks(const std::vector<std::uint32_t>& order,
                                  std::span<const std::uint32_t> weight, std::uint32_t k) {
  std::uint64_t total = 0;
  for (std::uint32_t v : order) total += weight[v];
  std::vector<std::uint32_t> part(weight.size(), 0);
  std::uint64_t before = 0;
  for (std::uint32_t v : order) {
    const auto middle = static_cast<unsigned __int128>(before) + weight[v] / 2;
    part[v] = static_cast<std::uint32_t>(
        std::min<unsigned __int128>(middle * k / std::max<std::uint64_t>(total, 1), k - 1));
    before += weight[v];
  }
  return part;
}

std::vector<std::uint32_t> partition_by_chunks(const WeightedGraph& graph, std::uint32_t k) {
  std::vector<std::uint32_t> part = chunks(breadth_first_order(graph), graph.weight, k);
  if (graph.size() == 0) return part;
  const std::uint64_t limit = part_limit(graph, k);
  refine(graph, part, k, limit, kRefineRounds);
  rebalance(graph, part, k, limit);
  return part;
}

std::vector<std::uint32_t> partition(const WeightedGraph& graph, std::span<const std::uint32_t> splits,
                                     std::uint64_t seed, Method method, const Score& score) {
  const std::uint32_t k = product(splits);
  std::vector<std::uint32_t> part(graph.size());
  if (k <= 1) return part;
  if (graph.size() <= k) {
    std::iota(part.begin(), part.end(), 0);
    return part;
  }
  if (method == Method::metis && graph.neighbour.size() < 0x7fffffff) {
    part = best_cut(graph, splits, seed, score);
  } else {
    part = multilevel(graph, splits, seed, 4, score);
  }
  rebalance(graph, part, k, part_limit(graph, k));
  return part;
}

std::vector<std::uint64_t> traffic_between(const WeightedGraph& graph, std::span<const std::uint32_t> part,
                                           std::uint32_t k) {
  std::vector<std::uint64_t> traffic(std::size_t{k} * k, 0);
  for (std::uint32_t v = 0; v < graph.size(); ++v) {
    for (std::uint64_t e = graph.begin[v]; e < graph.begin[v + 1]; ++e) {
      traffic[std::size_t{part[v]} * k + part[graph.neighbour[e]]] += graph.bond(e);
    }
  }
  return traffic;
}

std::uint64_t cut(const WeightedGraph& graph, std::span<const std::uint32_t> part) {
  std::uint64_t weight = 0;
  for (std::uint32_t v = 0; v < graph.size(); ++v) {
    for (std::uint64_t e = graph.begin[v]; e < graph.begin[v + 1]; ++e) {
      if (part[graph.neighbour[e]] != part[v]) weight += graph.bond(e);
    }
  }
  return weight / 2;
}

}  // namespace polyloom::polite
