// SPDX-License-Identifier: Apache-2.0
#include "apps/common/verify.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <queue>

namespace polyloom::apps {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// Out-edges by vertex, as (target, weight).
struct Rows {
  std::vector<std::uint64_t> begin;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> to;

  explicit Rows(const Input& input) : begin(input.vertices + 1ull), to(input.edges.size()) {
    for (const auto& edge : input.edges) ++begin[edge.from + 1ull];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    auto next = begin;
    for (std::size_t e = 0; e < input.edges.size(); ++e) {
      to[next[input.edges[e].from]++] = {input.edges[e].to, input.weights.empty() ? 1 : input.weights[e]};
    }
  }
};

}  // namespace

std::vector<double> reference_pagerank(const Input& input, unsigned iterations, double damping) {
  const double n = input.vertices;
  std::vector<double> degree(input.vertices, 0);
  for (const auto& edge : input.edges) degree[edge.from] += 1;
  std::vector<double> x(input.vertices, 1 / n);
  for (unsigned k = 0; k < iterations; ++k) {
    std::vector<double> next(input.vertices, (1 - damping) / n);
    for (const auto& edge : input.edges) next[edge.to] += damping * x[edge.from] / degree[edge.from];
    x.swap(next);
  }
  return x;
}

std::vector<double> reference_sssp(const Input& input, std::uint32_t source) {
  const Rows rows(input);
  std::vector<double> distance(input.vertices, kNone);
  using Item = std::pair<std::uint64_t, std::uint32_t>;
  std::priority_queue<Item, std::vector<Item>, std::greater<>> queue;
  queue.push({0, source});
  while (!queue.empty()) {
    const auto [d, v] = queue.top();
    queue.pop();
    if (!std::isnan(distance[v])) continue;
    distance[v] = static_cast<double>(d);
    for (std::uint64_t i = rows.begin[v]; i < rows.begin[v + 1ull]; ++i) {
      if (std::isnan(distance[rows.to[i].first])) queue.push({d + rows.to[i].second, rows.to[i].first});
    }
  }
  return distance;
}

std::vector<double> reference_components(const Input& input) {
  std::vector<std::uint32_t> parent(input.vertices);
  std::iota(parent.begin(), parent.end(), 0u);
  const auto root = [&](std::uint32_t v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
  };
  for (const auto& edge : input.edges) {
    const std::uint32_t a = root(edge.from), b = root(edge.to);
    parent[std::max(a, b)] = std::min(a, b);
  }
  std::vector<double> labels(input.vertices);
  for (std::uint32_t v = 0; v < input.vertices; ++v) labels[v] = root(v);
  return labels;
}

std::vector<double> reference_distance_sums(const Input& input, std::uint32_t count) {
  const Rows rows(input);
  std::vector<double> sums(input.vertices, 0);
  std::vector<std::uint32_t> level(input.vertices), queue;
  for (std::uint32_t source = 0; source < count; ++source) {
    std::fill(level.begin(), level.end(), ~0u);
    queue.assign(1, source);
    level[source] = 0;
    for (std::size_t head = 0; head < queue.size(); ++head) {
      const std::uint32_t v = queue[head];
      sums[v] += level[v];
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

Verification compare_closely(const std::vector<double>& ours, const std::vector<double>& reference, double l1,
                             double worst) {
  Verification check;
  check.done = true;
  double scale = 0;
  for (std::size_t v = 0; v < reference.size(); ++v) {
    const bool none = std::isnan(ours[v]) || std::isnan(reference[v]);
    const double difference = none ? (std::isnan(ours[v]) && std::isnan(reference[v]) ? 0.0 : HUGE_VAL)
                                   : std::abs(ours[v] - reference[v]);
    check.l1 += difference;
    check.worst = std::max(check.worst, difference);
    if (!none) scale = std::max(scale, std::abs(reference[v]));
  }
  if (scale > 0) check.worst /= scale;
  check.ok = check.l1 <= l1 && check.worst <= worst;
  char text[96];
  std::snprintf(text, sizeof text, "L1 at most %g, worst vertex at most %g of the largest value", l1, worst);
  check.criterion = text;
  return check;
}

Verification compare_exactly(const std::vector<double>& ours, const std::vector<double>& reference) {
  Verification check = compare_closely(ours, reference, 0, 0);
  check.criterion = "equal to an independent computation";
  return check;
}

}  // namespace polyloom::apps
