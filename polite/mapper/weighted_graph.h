// SPDX-License-Identifier: Apache-2.0
// The undirected, weighted graph that partitioners work on.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "polite/graph_store.h"

namespace polyloom::polite {

/// Neighbours of v are [begin[v], begin[v + 1]): never v itself, both directions present, equal ones side by
/// side.
struct WeightedGraph {
  std::vector<std::uint64_t> begin;
  std::vector<std::uint32_t> neighbour;
  std::vector<std::uint32_t> edge_weight;  ///< messages saved if both ends are together; empty: 1 each
  std::vector<std::uint32_t> weight;       ///< of vertices, at least 1

  std::uint32_t bond(std::uint64_t edge) const { return edge_weight.empty() ? 1 : edge_weight[edge]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(weight.size()); }
  std::uint64_t total_weight() const;
};

/// Both directions of every edge, in 8 bytes. `weights`: one a vertex, or empty for 1 + degree (over all
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
