// SPDX-License-Identifier: Apache-2.0
#include "bench/native-graph/peers/edge_text.h"

#include <algorithm>
#include <charconv>
#include <fstream>

#include "fabric/error.h"

namespace polyloom::bench::peers {

polite::GraphData read_edge_text(const std::string& path) {
  std::ifstream file(path);
  if (!file.is_open()) throw UserError("bench_native_graph: cannot read " + path);
  polite::GraphData graph;
  for (polite::Edge edge; file >> edge.from >> edge.to;) graph.edges.push_back(edge);
  std::uint32_t largest = 0;
#pragma omp parallel for reduction(max : largest)
  for (std::size_t i = 0; i < graph.edges.size(); ++i)
    largest = std::max({largest, graph.edges[i].from, graph.edges[i].to});
  graph.vertices = largest + 1;
  return graph;
}

void write_edge_text(const std::string& path, std::span<const polite::Edge> edges) {
  std::ofstream file(path);
  constexpr std::size_t kLine = 24, kBuffer = std::size_t{1} << 20;
  std::string buffer(kBuffer, '\0');
  char *at = buffer.data(), *const full = at + kBuffer - kLine;
  for (const auto& edge : edges) {
    at = std::to_chars(at, at + 10, edge.from).ptr;
    *at++ = ' ';
    at = std::to_chars(at, at + 10, edge.to).ptr;
    *at++ = '\n';
    if (at < full && &edge != &edges.back()) continue;
    file.write(buffer.data(), at - buffer.data());
    at = buffer.data();
  }
  if (!file.flush()) throw UserError("bench_native_graph: cannot write " + path);
}

}  // namespace polyloom::bench::peers
