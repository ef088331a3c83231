// SPDX-License-Identifier: Apache-2.0
// Balanced partitioning of one graph into k parts.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "polite/mapper/weighted_graph.h"

namespace polyloom::polite {

/// How bad a partition is, from the weight of edges between its parts (traffic_between).
using Score = std::function<double(const std::vector<std::uint64_t>&)>;

/// Weight of edges from each part to each other, k x k.
std::vector<std::uint64_t> traffic_between(const WeightedGraph& graph, std::span<const std::uint32_t> part,
                                           std::uint32_t k);

enum class Method {
  metis,  ///< METIS on the whole graph: recursive bisection while parts are small, k-way above
  fast    ///< label-propagation clustering first, METIS on the clusters, refinement on the way back
};

/// Part (0..k-1) of each vertex, k the product of `splits`: the graph is cut into splits[0] pieces, each of
/// these into splits[1], and so on, and the parts of a piece have numbers in a row. No more vertices than
/// parts: one each. Deterministic in graph, k, seed, method. METIS seeds and uses the C library's rand():
/// call it where that does not matter (a child process). Afterwards no part is heavier than 1.05 times the
/// mean unless it holds vertices too heavy to move: then moving its lightest one would make another part as
/// heavy.
/// With `score`: of some partitions of a small graph, or of the clusters of a large one, the one with the
/// least.
std::vector<std::uint32_t> partition(const WeightedGraph& graph, std::span<const std::uint32_t> splits,
                                     std::uint64_t seed, Method method, const Score& score = {});
inline std::vector<std::uint32_t> partition(const WeightedGraph& graph, std::uint32_t k, std::uint64_t seed,
                                            Method method) {
  return partition(graph, std::span(&k, 1), seed, method);
}

/// The same without METIS: breadth-first chunks, then refinement.
std::vector<std::uint32_t> partition_by_chunks(const WeightedGraph& graph, std::uint32_t k);

/// Cuts an order of vertices into k consecutive pieces of about equal weight.
std::vector<std::uint32_t> chunks(const std::vector<std::uint32_t>& order,
                                  std::span<const std::uint32_t> weight, std::uint32_t k);

/// Weight of edges between different parts.
std::uint64_t cut(const WeightedGraph& graph, std::span<const std::uint32_t> part);

}  // namespace polyloom::polite
