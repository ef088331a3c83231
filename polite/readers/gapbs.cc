// SPDX-License-Identifier: Apache-2.0
// Serialized graphs of the GAP Benchmark Suite (.sg, and .wsg with weights), in the byte order of this
// machine: a byte, 1 if directed; edges and vertices, 8 bytes each; where each vertex's edges begin and the
// last ones end, 8 bytes each; a target an edge of 4 bytes, with weights 4 more for this. A directed graph's
// in-edges follow in the same form; they say nothing new. Source: gapbs/src/writer.h, WriteSerializedGraph.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include "polite/readers/formats.h"

namespace polyloom::polite {

namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::uint64_t kHead = 17;

/// The next things of a file that must have them.
template <typename T>
void read_all(TextSource& source, std::vector<T>& to) {
  const std::size_t bytes = to.size() * sizeof(T);
  if (source.read(reinterpret_cast<char*>(to.data()), bytes) != bytes)
    source.fail_file("ends too early; it is no complete serialized graph");
}

std::uint64_t rows_bytes(std::uint64_t vertices, std::uint64_t edges, bool weighted) {
  return 8 * (vertices + 1) + edges * (weighted ? 8 : 4);
}

/// The sizes that a file of such a graph may have.
std::array<std::uint64_t, 2> sizes(bool directed, std::uint64_t vertices, std::uint64_t edges,
                                   bool weighted) {
  const std::uint64_t rows = rows_bytes(vertices, edges, weighted);
  return {kHead + rows, kHead + (directed ? 2 : 1) * rows};
}

}  // namespace

GraphData read_gapbs(TextSource& source, bool weighted) {
  std::vector<char> head(kHead);
  read_all(source, head);
  std::uint64_t edges = 0, vertices = 0;
  std::memcpy(&edges, head.data() + 1, sizeof edges);
  std::memcpy(&vertices, head.data() + 9, sizeof vertices);
  const bool directed = head[0] == 1;
  if ((!directed && head[0] != 0) || vertices > kLargestId + 1 || edges > ~std::uint64_t{0} >> 8) {
    source.fail_file(
        "is no serialized graph (.sg, .wsg): those begin with a byte 0 or 1, how many edges and how many "
        "vertices "
        "there are; of text say --format edges");
  }
  const auto fits = [&](bool as_weighted) {
    const auto [once, twice] = sizes(directed, vertices, edges, as_weighted);
    return source.file_bytes() == once || source.file_bytes() == twice;
  };
  if (source.packing().empty() && source.file_bytes() != 0 && !fits(weighted)) {
    const char* const other = weighted ? "sg" : "wsg";
    source.fail_file("has " + std::to_string(source.file_bytes()) + " bytes; " + std::to_string(vertices) +
                     " vertices and " + std::to_string(edges) + " edges take " +
                     std::to_string(sizes(directed, vertices, edges, weighted)[1]) +
                     (fits(!weighted)
                          ? std::string("; it has the size of a .") + other + ": say --format " + other
                          : "; copy it again"));
  }
  check_announced(source, edges, weighted ? 8 : 4, "edges");
  check_announced(source, vertices, 8, "vertices");
  require_memory_for(source, vertices, edges);
  std::vector<std::uint64_t> begin(vertices + 1);
  read_all(source, begin);
  if (begin.front() != 0 || begin.back() != edges || !std::ranges::is_sorted(begin))
    source.fail_file("is damaged: the rows of its edges do not follow each other");
  GraphData g;
  g.mirrored = !directed;
  g.set_vertices(static_cast<std::uint32_t>(vertices));
  g.edges.reserve(edges);
  if (weighted) g.weights.reserve(edges);
  std::vector<std::int32_t> row;
  for (std::uint32_t v = 0; v < vertices; ++v) {
    row.resize((begin[v + 1ull] - begin[v]) * (weighted ? 2 : 1));
    read_all(source, row);
    for (std::size_t i = 0; i < row.size(); i += weighted ? 2 : 1) {
      if (row[i] < 0 || static_cast<std::uint32_t>(row[i]) >= vertices) {
        source.fail_file("is damaged: an edge leads from vertex " + std::to_string(v) + " to " +
                         std::to_string(row[i]) + "; its vertices are below " + std::to_string(vertices));
      }
      g.edges.push_back({v, static_cast<std::uint32_t>(row[i])});
      if (weighted) g.weights.push_back(row[i + 1]);
    }
  }
  std::vector<char> block(1 << 16);
  std::uint64_t behind = 0;
  while (const std::size_t got = source.read(block.data(), block.size())) behind += got;
  if (behind != 0 && !(directed && behind == rows_bytes(vertices, edges, weighted)))
    source.fail_file("has " + std::to_string(behind) +
                     " bytes behind its edges, which are not its in-edges; copy it again");
  return g;
}

}  // namespace polyloom::polite
