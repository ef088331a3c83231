// SPDX-License-Identifier: Apache-2.0
#include <random>
#include <unordered_map>

#include "bench/native-graph/peers/kernels.h"

namespace polyloom::bench::peers {
namespace {

using Parents = Array<Vertex>;

/// Hooks the higher root below the lower one, wherever both are by then.
void link(Vertex u, Vertex v, Parents& parent) {
  Vertex p = __atomic_load_n(&parent[u], __ATOMIC_RELAXED), q = __atomic_load_n(&parent[v], __ATOMIC_RELAXED);
  while (p != q) {
    const Vertex high = std::max(p, q), low = std::min(p, q);
    Vertex above = __atomic_load_n(&parent[high], __ATOMIC_RELAXED);
    if (above == low) return;
    if (above == high &&
        __atomic_compare_exchange_n(&parent[high], &above, low, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      return;
    p = __atomic_load_n(&parent[__atomic_load_n(&parent[high], __ATOMIC_RELAXED)], __ATOMIC_RELAXED);
    q = __atomic_load_n(&parent[low], __ATOMIC_RELAXED);
  }
}

/// Every vertex points at its root.
void compress(Parents& parent) {
#pragma omp parallel for schedule(dynamic, 16384)
  for (std::size_t v = 0; v < parent.size(); ++v) {
    while (parent[v] != parent[parent[v]]) parent[v] = parent[parent[v]];
  }
}

/// The root that most of some vertices have.
Vertex frequent(const Parents& parent) {
  constexpr int kSamples = 1024;
  std::unordered_map<Vertex, int> count(32);
  std::mt19937 random;
  std::uniform_int_distribution<Vertex> vertex(0, static_cast<Vertex>(parent.size() - 1));
  for (int i = 0; i < kSamples; ++i) ++count[parent[vertex(random)]];
  return std::max_element(count.begin(), count.end(), [](auto& a, auto& b) { return a.second < b.second; })
      ->first;
}

}  // namespace

Array<Vertex> components(const Rows<Vertex>& rows) {
  constexpr std::uint64_t kRounds = 2;
  const Vertex n = rows.vertices();
  Parents parent(n);
#pragma omp parallel for
  for (Vertex v = 0; v < n; ++v) parent[v] = v;
  // A neighbour of each, then another: most of the largest component is one tree by then.
  for (std::uint64_t round = 0; round < kRounds; ++round) {
#pragma omp parallel for schedule(dynamic, 16384)
    for (Vertex v = 0; v < n; ++v) {
      if (round < rows.degree(v)) link(v, rows.of(v, round)[0], parent);
    }
    compress(parent);
  }
  const Vertex largest = frequent(parent);
#pragma omp parallel for schedule(dynamic, 16384)
  for (Vertex v = 0; v < n; ++v) {
    if (parent[v] == largest) continue;
    for (const Vertex u : rows.of(v, kRounds)) link(v, u, parent);
  }
  compress(parent);
  return parent;
}

}  // namespace polyloom::bench::peers
