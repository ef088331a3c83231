// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <vector>

#include "bench/native-graph/peers/kernels.h"

namespace polyloom::bench::peers {
namespace {

constexpr std::size_t kNoBin = std::numeric_limits<std::size_t>::max() / 2;
/// A bin of a thread with fewer vertices is emptied by that thread, without waiting for others.
constexpr std::size_t kSmallBin = 1000;

using Bins = std::vector<std::vector<Vertex>>;

void relax(const Rows<Weighted>& rows, Vertex u, std::uint32_t delta, Array<std::uint32_t>& distance,
           Bins& bins) {
  const std::uint32_t here = __atomic_load_n(&distance[u], __ATOMIC_RELAXED);
  for (const Weighted edge : rows.of(u)) {
    std::uint32_t& at = distance[edge.vertex];
    std::uint32_t known = __atomic_load_n(&at, __ATOMIC_RELAXED);
    const std::uint32_t way = here + edge.weight;
    while (way < known) {
      if (!__atomic_compare_exchange_n(&at, &known, way, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) continue;
      const std::size_t bin = way / delta;
      if (bin >= bins.size()) bins.resize(bin + 1);
      bins[bin].push_back(edge.vertex);
      break;
    }
  }
}

}  // namespace

Array<std::uint32_t> shortest_paths(const Rows<Weighted>& rows, Vertex source, std::uint32_t delta) {
  Array<std::uint32_t> distance(rows.vertices(), kUnreached);
  distance[source] = 0;
  Array<Vertex> front(rows.edges() + 1);
  front[0] = source;
  // Of even and of odd rounds: the bin that is worked on, and how many vertices it has.
  std::size_t bin[2] = {0, kNoBin}, count[2] = {1, 0};
#pragma omp parallel
  {
    Bins bins;
    for (std::size_t round = 0; bin[round & 1] != kNoBin; ++round) {
      const std::size_t current = bin[round & 1];
      std::size_t &next = bin[(round + 1) & 1], &next_count = count[(round + 1) & 1];
      const std::size_t vertices = count[round & 1];
#pragma omp for nowait schedule(dynamic, 64)
      for (std::size_t i = 0; i < vertices; ++i) {
        const Vertex u = front[i];
        if (__atomic_load_n(&distance[u], __ATOMIC_RELAXED) >= delta * current)
          relax(rows, u, delta, distance, bins);
      }
      while (current < bins.size() && !bins[current].empty() && bins[current].size() < kSmallBin) {
        const std::vector<Vertex> small = bins[current];
        bins[current].clear();
        for (const Vertex u : small) relax(rows, u, delta, distance, bins);
      }
      for (std::size_t i = current; i < bins.size(); ++i) {
        if (bins[i].empty()) continue;
#pragma omp critical
        next = std::min(next, i);
        break;
      }
#pragma omp barrier
#pragma omp single nowait
      {
        bin[round & 1] = kNoBin;
        count[round & 1] = 0;
      }
      if (next < bins.size()) {
        const std::size_t at = __atomic_fetch_add(&next_count, bins[next].size(), __ATOMIC_RELAXED);
        std::copy(bins[next].begin(), bins[next].end(), front.data() + at);
        bins[next].clear();
      }
#pragma omp barrier
    }
  }
  return distance;
}

}  // namespace polyloom::bench::peers
