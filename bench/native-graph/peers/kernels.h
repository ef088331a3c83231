// SPDX-License-Identifier: Apache-2.0
// Hand-written kernels, each as good as the one of the GAP Benchmark Suite that it is the equivalent of. All run on as
// many threads as OpenMP is set to; a call includes the allocation of the kernel's own arrays.
#pragma once

#include "bench/native-graph/peers/csr.h"

namespace polyloom::bench::peers {

inline constexpr std::uint32_t kUnreached = 0xffffffff;

/// x = (1-d)/n + d * sum over in-edges of x(u)/outdeg(u), by pulling; all values of an update are from the one before.
/// Writes the sum of changes in the latest update to `change`.
Array<float> pagerank(const Directed& graph, unsigned updates, float damping, double& change);

/// Breadth-first search that turns to pulling while many edges leave the front (Beamer, 2012). Parent of each vertex; the
/// source is its own, and one that is not reached has a negative number.
Array<std::int32_t> bfs(const Directed& graph, Vertex source);

/// Components by Afforest (Sutton, Ben-Nun, Barak, 2018): smallest vertex of each. `rows` has both directions.
Array<Vertex> components(const Rows<Vertex>& rows);

/// Distances by delta-stepping (Meyer and Sanders, 2003) with bins of each thread's own, whose small ones are emptied at
/// once (Zhang et al., 2020).
Array<std::uint32_t> shortest_paths(const Rows<Weighted>& rows, Vertex source, std::uint32_t delta);

}  // namespace polyloom::bench::peers
