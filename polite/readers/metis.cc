// SPDX-License-Identifier: Apache-2.0
// METIS: a header "n m [format [constraints]]", then one line of neighbours a vertex. Ids from 1.
// Source: METIS 5.1 manual, section 4.1.1.
#include <algorithm>
#include <numeric>
#include <ranges>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "polite/readers/fields.h"
#include "polite/readers/formats.h"

namespace polyloom::polite {

namespace {

/// Comments start with %; empty lines count (a vertex without neighbours).
bool next_vertex_line(TextSource& source, std::string_view& line) {
  while (source.next(line)) {
    if (line.empty() || line[0] != '%') return true;
  }
  return false;
}

/// A neighbour and the weight of the edge to it.
using Entry = std::pair<std::uint32_t, double>;

/// Both ends list an edge, with the same weight. `lines` tells where a vertex stands.
void check_mirrored(const TextSource& source, const GraphData& g, const std::vector<std::uint64_t>& lines) {
  std::vector<std::uint64_t> begin(g.vertices + 1ull, 0);
  std::vector<Entry> rows(g.edges.size());
  for (std::size_t e = 0; e < rows.size(); ++e) {
    ++begin[g.edges[e].from + 1ull];
    rows[e] = {g.edges[e].to, g.weights.empty() ? 1 : g.weights[e]};  // edges come vertex by vertex
  }
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  const auto row = [&](std::uint32_t v) {
    return std::span(rows).subspan(begin[v], begin[v + 1ull] - begin[v]);
  };
  for (std::uint32_t v = 0; v < g.vertices; ++v) std::ranges::sort(row(v));
  const auto listed = [&](std::uint32_t v, const Entry& entry) {
    const auto [first, last] = std::ranges::equal_range(row(v), entry);
    return last - first;
  };
  for (std::uint32_t v = 0; v < g.vertices; ++v) {
    for (const Entry& entry : row(v)) {
      if (listed(v, entry) <= listed(entry.first, {v, entry.second})) continue;
      source.fail_at(lines[v],
                     "vertex " + std::to_string(v + 1) + " lists " + std::to_string(entry.first + 1) +
                         (g.weights.empty() ? "" : " with its weight") + ", but line " +
                         std::to_string(lines[entry.first]) + ", of vertex " +
                         std::to_string(entry.first + 1) + ", does not list it back; both ends list an edge");
    }
  }
}

}  // namespace

GraphData read_metis(TextSource& source) {
  std::string_view line;
  do {
    if (!next_vertex_line(source, line))
      source.fail_file("has no header; a METIS file starts with 'vertices edges'");
  } while (Fields(source, line).empty());
  Fields header(source, line);
  GraphData g;
  g.mirrored = true;
  g.set_vertices(static_cast<std::uint32_t>(header.number("the number of vertices", 0, kLargestId + 1)), 1);
  const std::uint64_t announced = header.number("the number of edges", 0, ~std::uint64_t{0} >> 8);
  const std::uint64_t format = header.empty() ? 0 : header.number("the format (three digits 0 or 1)", 0, 111);
  if (format % 10 > 1 || format / 10 % 10 > 1)
    source.fail("the format is three digits 0 or 1: sizes, vertex weights, edge weights");
  const bool sizes = format >= 100, vertex_weights = format / 10 % 10 == 1, edge_weights = format % 10 == 1;
  const std::uint64_t constraints =
      header.empty() ? vertex_weights : header.number("the number of constraints", 1, 64);
  header.end("'vertices edges [format [constraints]]'");
  check_announced(source, g.vertices, 1, "vertices");
  check_announced(source, 2 * announced, 2, "neighbours");
  require_memory_for(source, g.vertices, 2 * announced);
  g.edges.reserve(2 * announced);
  std::vector<std::uint64_t> lines(g.vertices);
  for (std::uint32_t v = 0; v < g.vertices; ++v) {
    if (!next_vertex_line(source, line)) {
      source.fail("the file ends after " + std::to_string(v) + " of " + std::to_string(g.vertices) +
                  " vertices");
    }
    lines[v] = source.line();
    Fields fields(source, line);
    for (std::uint64_t skip = sizes + (vertex_weights ? constraints : 0); skip > 0; --skip) fields.weight();
    while (!fields.empty()) {
      const auto to = static_cast<std::uint32_t>(fields.number("a neighbour", 1, g.vertices) - 1);
      g.edges.push_back({v, to});
      if (!edge_weights) continue;
      if (fields.empty()) source.fail("the weight of the last neighbour is missing");
      g.weights.push_back(fields.weight());
    }
  }
  while (next_vertex_line(source, line)) {
    if (!Fields(source, line).empty())
      source.fail("more lines than the " + std::to_string(g.vertices) + " vertices announced");
  }
  if (g.edges.size() != 2 * announced) {
    source.fail_file("lists " + std::to_string(g.edges.size()) + " neighbours, but the header announces " +
                     std::to_string(announced) + " edges, which both ends list");
  }
  check_mirrored(source, g, lines);
  if (sizes || vertex_weights)
    g.notes.push_back("weights and sizes of vertices, which a METIS file may give, are not used");
  return g;
}

}  // namespace polyloom::polite
