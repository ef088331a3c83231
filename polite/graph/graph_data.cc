// SPDX-License-Identifier: Apache-2.0
#include "polite/graph_data.h"

#include "fabric/memory.h"

namespace polyloom::polite {

namespace {

/// What an application holds at least while it prepares a run: a vertex's state, value and ends of rows; an
/// edge as read, as staged, and in its row.
constexpr double kBytesAVertex = 40, kBytesAnEdge = 20;

}  // namespace

void GraphData::set_vertices(std::uint32_t count, std::uint32_t first) {
  vertices = count;
  names = VertexNames::consecutive(count, first);
}

void GraphData::add_reverse_edges() {
  if (mirrored) return;
  mirrored = true;
  const std::size_t n = edges.size();
  edges.reserve(2 * n);
  if (!weights.empty()) weights.reserve(2 * n);
  for (std::size_t i = 0; i < n; ++i) {
    if (edges[i].from == edges[i].to) continue;
    edges.push_back({edges[i].to, edges[i].from});
    if (!weights.empty()) weights.push_back(weights[i]);
  }
}

void require_graph_memory(double vertices, double edges, const std::string& what) {
  require_memory(kBytesAVertex * vertices + kBytesAnEdge * edges, what);
}

}  // namespace polyloom::polite
