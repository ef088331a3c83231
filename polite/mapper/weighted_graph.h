// SPDX-License-Identifier: Apache-2.0
// The undirected, weighted graph that partitioners work on.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "polite/graph_store.h"

namespace polyloom::polite {

/// Neighbours of v are [begin[v], begin[v + 1]): each at most once, never v itself, both directions present.
struct WeightedGraph {
  std::vector<std::uint64_t> begin;
  std::vector<std::uint32_t> neighbour;
  std::vector<std::uint32_t>
      edge_weight;                    ///< edges joined into one: messages saved if both ends are together
  std::vector<std::uint32_t> weight;  ///< of vertices, at least 1

  std::uint32_t size() const { return static_cast<std::uint32_t>(weight.size()); }
  std::uint64_t total_weight() const;
};

/// Joins both directions and parallel edges. `weights`: one a vertex, or empty for 1 + degree (over all
/// edges, so that a vertex counts for the messages that it sends and receives). Edges to `combined` vertices
/// weigh on their senders, but are not among the neighbours; all then weigh what they cost a thread, in
/// out-edges: 5 a vertex, 2 an in-edge.
WeightedGraph undirected(const GraphStore& graph, const std::vector<std::uint32_t>& weights,
                         unsigned host_threads, const std::vector<std::uint32_t>& combined = {});

/// The part of `graph` on `members` (distinct); vertex i of the result is members[i]. `scratch` has
/// graph.size() entries of ~0u and is left so.
WeightedGraph subgraph(const WeightedGraph& graph, std::span<const std::uint32_t> members,
                       std::vector<std::uint32_t>& scratch);

/// Joins the vertices of each cluster (numbers 0..clusters-1) into one.
WeightedGraph contract(const WeightedGraph& graph, std::span<const std::uint32_t> cluster,
                       std::uint32_t clusters);

/// Vertices in breadth-first order, component by component, lowest number first.
std::vector<std::uint32_t> breadth_first_order(const WeightedGraph& graph);

}  // namespace polyloom::polite
