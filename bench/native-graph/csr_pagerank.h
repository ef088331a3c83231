// SPDX-License-Identifier: Apache-2.0
// The mark: PageRank as one writes it by hand for this machine, a pull over compressed rows with OpenMP.
#pragma once

#include <cstdint>
#include <vector>

#include "polite/graph_data.h"

namespace polyloom::bench {

/// In-edges by receiver, 32-bit ids; each row ordered by source.
struct Csr {
  std::vector<std::uint64_t> begin;   ///< vertices + 1
  std::vector<std::uint32_t> source;  ///< sending vertex of each in-edge
  std::vector<std::uint32_t> out_degree;

  explicit Csr(const polite::GraphData& graph);
};

/// x = (1-d)/n + d * sum over in-edges of x(u)/outdeg(u), `iterations` updates from the uniform start, in
/// single precision on `threads` threads. Returns x; sets `seconds` to the time without allocations.
std::vector<float> csr_pagerank(const Csr& graph, unsigned iterations, float damping, int threads,
                                double& seconds);

}  // namespace polyloom::bench
