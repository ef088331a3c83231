// SPDX-License-Identifier: Apache-2.0
// One graph with everything that the contestants of this program need to run on it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "polite/graph_data.h"

namespace polyloom::bench {

/// A timed run: result by vertex and wall seconds of the computation alone.
template <typename T>
struct Timed {
  std::vector<T> values;
  double seconds = 0;
  double cpu_seconds = 0;  ///< of all threads, waiting included: for comparisons on a busy machine
};

/// Processor time that this process has used.
double cpu_clock();

/// The vertex programs of apps/ on this CPU, through PGraph and the native engine. `build_seconds` is what
/// making the PGraph and the engine took (sorted edges both ways, states); it is not part of `seconds`,
/// which is one call of the program: init, all rounds, finish messages.
class Workload {
 public:
  /// `kind` is "kronecker" or "uniform": 2^scale vertices with 16 edges each on average.
  Workload(const std::string& kind, unsigned scale);
  ~Workload();

  const polite::GraphData& data() const { return data_; }
  const std::vector<std::uint32_t>& weights() const { return weights_; }
  /// Where shortest paths start: the vertex with the most out-edges, the first of them.
  std::uint32_t source() const { return source_; }

  Timed<float> pagerank(unsigned iterations, double damping);
  Timed<std::uint32_t> components();
  Timed<std::uint32_t> sssp();
  double build_seconds() const { return build_seconds_; }

 private:
  struct Graphs;
  polite::GraphData data_;
  std::vector<std::uint32_t> weights_;
  std::vector<std::uint32_t> out_degree_;
  std::uint32_t source_ = 0;
  double build_seconds_ = 0;  ///< of the last graph that was built
  std::unique_ptr<Graphs> graphs_;
};

}  // namespace polyloom::bench
