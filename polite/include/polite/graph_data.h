// SPDX-License-Identifier: Apache-2.0
// A graph as readers and generators give it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "polite/graph_store.h"

namespace polyloom::polite {

struct GraphData {
  std::uint32_t vertices = 0;
  std::vector<Edge> edges;         ///< directed; parallel edges and loops as they come
  std::vector<double> weights;     ///< one an edge, or empty
  std::vector<std::string> names;  ///< one a vertex, or empty

  /// Adds the reverse of every edge that is no loop, with the same weight.
  void add_reverse_edges();
};

}  // namespace polyloom::polite
