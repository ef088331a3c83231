// SPDX-License-Identifier: Apache-2.0
// The hand-written kernels on the same edges. Each keeps its rows between runs unless it is run again.
#pragma once

#include <memory>

#include "bench/native-graph/peers/kernels.h"
#include "bench/native-graph/workload.h"

namespace polyloom::bench {

/// Time of making rows: counting and scattering; sorting.
struct Made {
  double build_seconds = 0, sort_seconds = 0;
};

class Theirs {
 public:
  explicit Theirs(const Workload& workload) : workload_(workload) {}

  Timed<float> pagerank(Again again);
  Timed<std::uint32_t> components(Again again);
  Timed<std::uint32_t> sssp(Again again);
  /// Distances of the tree that the search makes: finding them is not timed.
  Timed<std::uint32_t> bfs(Again again);
  /// Of the powers of two, the one with which delta-stepping was quickest when each was tried once; 0 before sssp().
  std::uint32_t delta() const { return delta_; }
  /// Time that dropping duplicates and loops, both ways, adds to building for pagerank() or bfs().
  double squish_seconds();

 private:
  Made make_directed(Again again);

  const Workload& workload_;
  std::unique_ptr<peers::Directed> directed_;
  std::unique_ptr<peers::Rows<peers::Vertex>> both_ways_;
  std::unique_ptr<peers::Rows<peers::Weighted>> weighted_;
  std::uint32_t delta_ = 0;
};

}  // namespace polyloom::bench
