// SPDX-License-Identifier: Apache-2.0
// Independent slow computations that --verify compares with: nothing here is shared with the vertex programs.
#pragma once

#include <cstdint>
#include <vector>

#include "apps/common/answer.h"
#include "apps/common/input.h"

namespace polyloom::apps {

/// Power iteration in double precision.
std::vector<double> reference_pagerank(const Input& input, unsigned iterations, double damping);
/// Dijkstra with a binary heap; NaN for unreachable vertices.
std::vector<double> reference_sssp(const Input& input, std::uint32_t source);
/// Smallest vertex number of each vertex's component, by union-find.
std::vector<double> reference_components(const Input& input);
/// Sum over sources 0 .. count-1 of the breadth-first distance to each vertex, unreached ones left out.
std::vector<double> reference_distance_sums(const Input& input, std::uint32_t count);

/// Values must be equal (NaN equals NaN).
Verification compare_exactly(const std::vector<double>& ours, const std::vector<double>& reference);
/// Sum of differences at most `l1`, largest at most `worst` relative to the largest reference value.
Verification compare_closely(const std::vector<double>& ours, const std::vector<double>& reference, double l1,
                             double worst);

}  // namespace polyloom::apps
