// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "bench/native-graph/peers/kernels.h"

namespace polyloom::bench::peers {

Array<float> pagerank(const Directed& graph, unsigned updates, float damping, double& change) {
  const Vertex n = graph.in.vertices();
  const float base = (1 - damping) / static_cast<float>(n);
  Array<float> score(n, 1.0f / static_cast<float>(n)), contribution(n);
  for (unsigned update = 0; update < updates; ++update) {
    double error = 0;
#pragma omp parallel for
    for (Vertex v = 0; v < n; ++v) contribution[v] = score[v] / static_cast<float>(graph.out.degree(v));
#pragma omp parallel for reduction(+ : error) schedule(dynamic, 16384)
    for (Vertex v = 0; v < n; ++v) {
      float sum = 0;
      for (const Vertex u : graph.in.of(v)) sum += contribution[u];
      const float before = score[v];
      score[v] = base + damping * sum;
      error += std::fabs(score[v] - before);
    }
    change = error;
  }
  return score;
}

}  // namespace polyloom::bench::peers
