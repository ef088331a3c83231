// SPDX-License-Identifier: Apache-2.0
#include "bench/native-graph/workload.h"

#include <algorithm>
#include <ctime>

#include "fabric/error.h"
#include "polite/generate.h"
#include "polite/read_graph.h"

namespace polyloom::bench {
namespace {

constexpr std::uint64_t kSeed = 1;

polite::GraphData make(const std::string& kind, unsigned size) {
  constexpr unsigned kEdgeFactor = 16;
  if (kind == "kronecker") return polite::kronecker_graph(size, kEdgeFactor, kSeed);
  if (kind == "sparse") return polite::kronecker_graph(size, kEdgeFactor - 1, kSeed);
  if (kind == "uniform") return polite::uniform_graph(1u << size, std::uint64_t{kEdgeFactor} << size, kSeed);
  if (kind == "grid") return polite::grid_graph(size, size);
  if (kind == "debian") return polite::read_apt_lists();
  throw UserError("bench_native_graph: unknown graph '" + kind +
                  "'; allowed: kronecker, sparse, uniform, grid, debian");
}

}  // namespace

double cpu_clock() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

Workload::Workload(const std::string& kind, unsigned size) : data(make(kind, size)) {
  polite::draw_weights(data, 255, kSeed);
  weights.assign(data.weights.begin(), data.weights.end());
  data.weights = {};
  std::vector<std::uint32_t> out_degree(data.vertices, 0);
  for (const auto& edge : data.edges) ++out_degree[edge.from];
  source =
      static_cast<std::uint32_t>(std::max_element(out_degree.begin(), out_degree.end()) - out_degree.begin());
}

}  // namespace polyloom::bench
