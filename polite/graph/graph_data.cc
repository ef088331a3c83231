// SPDX-License-Identifier: Apache-2.0
#include "polite/graph_data.h"

#include <algorithm>

#include "fabric/memory.h"
#include "polite/native/peers.h"

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

GraphData::Dropped GraphData::simplify() {
  struct Row {
    std::uint64_t ends;
    double weight;
  };
  const std::size_t before = edges.size();
  std::vector<Row> rows;
  rows.reserve(before);
  for (std::size_t e = 0; e < before; ++e) {
    if (edges[e].from == edges[e].to) continue;
    rows.push_back({std::uint64_t{edges[e].from} << 32 | edges[e].to, weights.empty() ? 0 : weights[e]});
  }
  const std::size_t loops = before - rows.size();
  std::ranges::sort(rows, [](const Row& a, const Row& b) {
    return a.ends != b.ends ? a.ends < b.ends : a.weight < b.weight;
  });
  const auto [last, end] = std::ranges::unique(rows, {}, &Row::ends);
  rows.erase(last, end);
  edges.resize(rows.size());
  if (!weights.empty()) weights.resize(rows.size());
  for (std::size_t e = 0; e < rows.size(); ++e) {
    edges[e] = {static_cast<std::uint32_t>(rows[e].ends >> 32), static_cast<std::uint32_t>(rows[e].ends)};
    if (!weights.empty()) weights[e] = rows[e].weight;
  }
  return {loops, before - loops - rows.size()};
}

void require_graph_memory(double vertices, double edges, const std::string& what) {
  const double bytes = kBytesAVertex * vertices + kBytesAnEdge * edges;
  const Peers* const peers = processes();
  if (peers == nullptr) return require_memory(bytes, what);
  // All of them read it at once.
  const unsigned count = peers->on_this_host();
  require_memory(count * bytes, "host " + peers->host() + ": " + what + " in each of " +
                                    std::to_string(count) + (count == 1 ? " process" : " processes"));
}

}  // namespace polyloom::polite
