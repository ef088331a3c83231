// SPDX-License-Identifier: Apache-2.0
// The graph that all contestants of this program run on, as a list of edges in memory.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "polite/graph_data.h"

namespace polyloom::bench {

using Clock = std::chrono::steady_clock;
inline double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}
/// Processor time that this process has used.
double cpu_clock();

/// Whether a contestant makes what it computes on again, which it keeps between runs.
enum class Again { no, yes, without_results };

/// One run of a contestant.
template <typename T>
struct Timed {
  std::vector<T> values;     ///< by vertex
  double seconds = 0;        ///< wall time of computing alone
  double cpu_seconds = 0;    ///< the same of all threads, waiting included: for comparisons on a busy machine
  double sort_seconds = 0;   ///< of sorting rows, where that is done apart
  double build_seconds = 0;  ///< of making what it computes on
};

inline constexpr unsigned kUpdates = 20;
inline constexpr double kDamping = 0.85;

struct Workload {
  polite::GraphData data;  ///< its edges; weights stand below
  std::vector<std::uint32_t> weights;
  /// Where searches start: the vertex with the most out-edges, the first of them.
  std::uint32_t source = 0;

  /// `kind` is "kronecker" or "uniform" (2^size vertices, 16 edges each on average), "grid" (size x size), "debian" (the
  /// packages that apt knows; size says nothing), or "sparse" (kronecker with 15 edges each).
  Workload(const std::string& kind, unsigned size);
  /// Without weights; searches start at vertex 0.
  explicit Workload(polite::GraphData&& graph) : data(std::move(graph)) {}
};

}  // namespace polyloom::bench
