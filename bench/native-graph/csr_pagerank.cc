// SPDX-License-Identifier: Apache-2.0
#include "bench/native-graph/csr_pagerank.h"

#include <omp.h>

namespace polyloom::bench {

Csr::Csr(const polite::GraphData& graph)
    : begin(std::size_t{graph.vertices} + 1, 0), source(graph.edges.size()), out_degree(graph.vertices, 0) {
  for (const auto& edge : graph.edges) {
    ++begin[edge.to + 1];
    ++out_degree[edge.from];
  }
  for (std::size_t v = 0; v < graph.vertices; ++v) begin[v + 1] += begin[v];
  // Two stable counting sorts, by source and then by receiver, leave every row ordered by source.
  std::vector<std::uint64_t> next(graph.vertices, 0);
  for (std::size_t v = 1; v < graph.vertices; ++v) next[v] = next[v - 1] + out_degree[v - 1];
  std::vector<polite::Edge> by_source(graph.edges.size());
  for (const auto& edge : graph.edges) by_source[next[edge.from]++] = edge;
  next.assign(begin.begin(), begin.end() - 1);
  for (const auto& edge : by_source) source[next[edge.to]++] = edge.from;
}

std::vector<float> csr_pagerank(const Csr& graph, unsigned iterations, float damping, int threads,
                                double& seconds) {
  const auto n = static_cast<std::int64_t>(graph.out_degree.size());
  const std::uint64_t* const begin = graph.begin.data();
  const std::uint32_t* const source = graph.source.data();
  std::vector<float> rank(graph.out_degree.size()), share(graph.out_degree.size()),
      factor(graph.out_degree.size());
  const float start = 1.0f / static_cast<float>(n);
  const float base = (1 - damping) / static_cast<float>(n);
  for (std::int64_t v = 0; v < n; ++v) {
    factor[v] = graph.out_degree[v] == 0 ? 0.0f : damping / static_cast<float>(graph.out_degree[v]);
  }
  const double before = omp_get_wtime();
#pragma omp parallel num_threads(threads)
  {
#pragma omp for schedule(static)
    for (std::int64_t v = 0; v < n; ++v) rank[v] = start;
    for (unsigned i = 0; i < iterations; ++i) {
#pragma omp for schedule(static)
      for (std::int64_t v = 0; v < n; ++v) share[v] = rank[v] * factor[v];
#pragma omp for schedule(dynamic, 1024)
      for (std::int64_t v = 0; v < n; ++v) {
        float sum = 0;
        for (std::uint64_t e = begin[v]; e < begin[v + 1]; ++e) sum += share[source[e]];
        rank[v] = base + sum;
      }
    }
  }
  seconds = omp_get_wtime() - before;
  return rank;
}

}  // namespace polyloom::bench
