// SPDX-License-Identifier: Apache-2.0
// A graph as readers and generators give it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "polite/graph_store.h"
#include "polite/vertex_names.h"

namespace polyloom::polite {

struct GraphData {
  std::uint32_t vertices = 0;
  std::vector<Edge> edges;          ///< directed; parallel edges and loops as they come
  std::vector<double> weights;      ///< one an edge, or empty
  VertexNames names;                ///< one a vertex
  bool mirrored = false;            ///< the format gives both directions of every edge
  std::uint64_t undirected_at = 0;  ///< line of a comment that calls an edge list undirected; or 0
  std::string format;               ///< of the file, as graph_format() takes it; empty if the graph is made
  std::string packing;              ///< of the file; empty if it is not packed
  std::vector<std::string> notes;   ///< what the file holds, or means, that is not said here; for people

  /// `count` vertices that are called first, first + 1, ...
  void set_vertices(std::uint32_t count, std::uint32_t first = 0);

  /// Adds the reverse of every edge that is no loop, with the same weight, unless the graph has them.
  void add_reverse_edges();

  /// Drops loops, and of edges from one vertex to another all but one: with the least weight. Sorts the
  /// edges.
  struct Dropped {
    std::size_t loops, duplicates;
  };
  Dropped simplify();
};

/// Throws UserError "WHAT needs ... of memory" unless there is what a graph of that size takes at least, from
/// reading it to the begin of a run.
void require_graph_memory(double vertices, double edges, const std::string& what);

}  // namespace polyloom::polite
