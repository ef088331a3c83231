// SPDX-License-Identifier: Apache-2.0
// Counters of bytes, one array a worker: they fit a near cache where those of four bytes do not. One that
// comes round, which is rare, is carried into the degree at once.
#include "polite/graph/degrees.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "polite/graph/huge_pages.h"

namespace polyloom::polite {

namespace {

/// With fewer edges to a vertex, to clear and add up the counters would cost more than it saves.
constexpr std::uint64_t kFewEdges = 2;
/// Vertices whose counters are added up together.
constexpr std::size_t kTogether = 1 << 14;

}  // namespace

bool count_ends(std::span<const Edge> edges, std::uint32_t Edge::*end, std::span<std::uint32_t> degree,
                fabric::Pool& pool) {
  const std::size_t vertices = degree.size(), workers = pool.workers();
  if (edges.size() < workers * vertices * kFewEdges || edges.size() < kTogether) {
    bool all = true;
    for (const Edge& e : edges) {
      if (e.*end < vertices) {
        ++degree[e.*end];
      } else {
        all = false;
      }
    }
    return all;
  }
  std::atomic<bool> all = true;
  const HugeArray<std::uint8_t> counters(workers * vertices);
  pool.run(workers, [&](std::size_t share, unsigned) {
    std::uint8_t* const own = counters.data() + share * vertices;
    std::memset(own, 0, vertices);
    bool inside = true;
    const auto part = edges.subspan(edges.size() * share / workers,
                                    edges.size() * (share + 1) / workers - edges.size() * share / workers);
    for (const Edge& e : part) {
      const std::uint32_t v = e.*end;
      if (v >= vertices) [[unlikely]] {
        inside = false;
      } else if (++own[v] == 0) [[unlikely]] {
        std::atomic_ref(degree[v]).fetch_add(256, std::memory_order_relaxed);
      }
    }
    if (!inside) all.store(false, std::memory_order_relaxed);
  });
  pool.run((vertices + kTogether - 1) / kTogether, [&](std::size_t block, unsigned) {
    const std::size_t last = std::min((block + 1) * kTogether, vertices);
    for (std::size_t worker = 0; worker < workers; ++worker) {
      const std::uint8_t* const own = counters.data() + worker * vertices;
      for (std::size_t v = block * kTogether; v < last; ++v) degree[v] += own[v];
    }
  });
  return all;
}

}  // namespace polyloom::polite
