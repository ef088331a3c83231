// SPDX-License-Identifier: Apache-2.0
#include "bench/native-graph/peers/csr.h"

#include <utility>

namespace polyloom::bench::peers {
namespace {

/// Where rows of these lengths begin, and the end: blocks are added up on all threads, then their sums on one.
Array<std::uint64_t> begins(const Array<std::uint32_t>& degree) {
  constexpr std::size_t kBlock = std::size_t{1} << 20;
  const std::size_t n = degree.size(), blocks = (n + kBlock - 1) / kBlock;
  Array<std::uint64_t> before(blocks + 1), begin(n + 1);
#pragma omp parallel for schedule(static)
  for (std::size_t b = 0; b < blocks; ++b) {
    std::uint64_t sum = 0;
    for (std::size_t v = b * kBlock; v < std::min(n, (b + 1) * kBlock); ++v) sum += degree[v];
    before[b] = sum;
  }
  std::uint64_t total = 0;
  for (std::size_t b = 0; b < blocks; ++b) total += std::exchange(before[b], total);
#pragma omp parallel for schedule(static)
  for (std::size_t b = 0; b < blocks; ++b) {
    std::uint64_t sum = before[b];
    for (std::size_t v = b * kBlock; v < std::min(n, (b + 1) * kBlock); ++v) {
      begin[v] = sum;
      sum += degree[v];
    }
  }
  begin[n] = total;
  return begin;
}

template <typename T>
T fetch_add(T& at, T more) {
  return __atomic_fetch_add(&at, more, __ATOMIC_RELAXED);
}

Vertex neighbour(Vertex v, std::uint32_t, const Vertex*) { return v; }
Weighted neighbour(Vertex v, std::uint32_t weight, const Weighted*) { return {v, weight}; }

}  // namespace

template <typename Neighbour>
Rows<Neighbour>::Rows(Vertex vertices, std::span<const polite::Edge> edges,
                      std::span<const std::uint32_t> weights, Direction direction) {
  const bool out = direction != Direction::in, in = direction != Direction::out;
  const std::size_t count = edges.size();
  Array<std::uint32_t> degree(vertices, 0);
#pragma omp parallel for
  for (std::size_t i = 0; i < count; ++i) {
    if (out) fetch_add(degree[edges[i].from], 1u);
    if (in) fetch_add(degree[edges[i].to], 1u);
  }
  begin = begins(degree);
  Array<std::uint64_t> next(vertices);
#pragma omp parallel for
  for (Vertex v = 0; v < vertices; ++v) next[v] = begin[v];
  neighbour = Array<Neighbour>(begin[vertices]);
  constexpr const Neighbour* kKind = nullptr;
#pragma omp parallel for
  for (std::size_t i = 0; i < count; ++i) {
    const auto [from, to] = edges[i];
    const std::uint32_t weight = weights.empty() ? 0 : weights[i];
    if (out) neighbour[fetch_add<std::uint64_t>(next[from], 1)] = peers::neighbour(to, weight, kKind);
    if (in) neighbour[fetch_add<std::uint64_t>(next[to], 1)] = peers::neighbour(from, weight, kKind);
  }
}

template <typename Neighbour>
void Rows<Neighbour>::sort() {
  const Vertex n = vertices();
#pragma omp parallel for schedule(dynamic, 64)
  for (Vertex v = 0; v < n; ++v) std::sort(&neighbour[begin[v]], &neighbour[begin[v]] + this->degree(v));
}

template struct Rows<Vertex>;
template struct Rows<Weighted>;

Rows<Vertex> squished(const Rows<Vertex>& rows) {
  const Vertex n = rows.vertices();
  const auto differs = [&](Vertex v, std::uint64_t at) {
    return rows.neighbour[at] != v && (at == rows.begin[v] || rows.neighbour[at] != rows.neighbour[at - 1]);
  };
  Array<std::uint32_t> degree(n);
#pragma omp parallel for schedule(dynamic, 64)
  for (Vertex v = 0; v < n; ++v) {
    std::uint32_t left = 0;
    for (std::uint64_t at = rows.begin[v]; at < rows.begin[v + std::size_t{1}]; ++at) left += differs(v, at);
    degree[v] = left;
  }
  Rows<Vertex> result;
  result.begin = begins(degree);
  result.neighbour = Array<Vertex>(result.begin[n]);
#pragma omp parallel for schedule(dynamic, 64)
  for (Vertex v = 0; v < n; ++v) {
    std::uint64_t to = result.begin[v];
    for (std::uint64_t at = rows.begin[v]; at < rows.begin[v + std::size_t{1}]; ++at)
      if (differs(v, at)) result.neighbour[to++] = rows.neighbour[at];
  }
  return result;
}

}  // namespace polyloom::bench::peers
