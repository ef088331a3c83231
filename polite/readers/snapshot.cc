// SPDX-License-Identifier: Apache-2.0
// Our own small format for graphs with names. Inside gzip: the line "polyloom-graph 1 VERTICES EDGES
// [weights] [mirrored]", one line a name (each: number of characters shared with the one before, then the
// rest), then for each vertex the number of its out-edges and their targets in ascending order as
// differences: little-endian base-128 numbers; then, with weights, an 8-byte float an edge. A mirrored graph
// has both directions of every edge.
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <string>

#include "fabric/error.h"
#include "fabric/memory.h"
#include "fabric/partial_file.h"
#include "polite/read_graph.h"
#include "polite/readers/fields.h"
#include "polite/readers/formats.h"

namespace polyloom::polite {

namespace {

constexpr std::size_t kLongestName = 4096;

class NumberReader {
 public:
  explicit NumberReader(TextSource& source) : source_(source) {}
  std::uint64_t next(std::uint64_t most) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 63; shift += 7) {
      char byte = 0;
      if (source_.read(&byte, 1) != 1) source_.fail_file("ends too early; it is no complete snapshot");
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) {
        if (value > most) source_.fail_file("is damaged: a number is out of range");
        return value;
      }
    }
    source_.fail_file("is damaged: a number does not end");
  }

 private:
  TextSource& source_;
};

void put_number(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

std::string encode(const GraphData& graph) {
  const bool weighted = !graph.weights.empty();
  std::string out = std::string(kSnapshotMagic) + " " + std::to_string(graph.vertices) + " " +
                    std::to_string(graph.edges.size()) + (weighted ? " weights" : "") +
                    (graph.mirrored ? " mirrored" : "") + "\n";
  std::string before;
  for (std::uint32_t v = 0; v < graph.vertices; ++v) {
    const std::string name = graph.names.are_indices() ? "" : graph.names[v];
    if (name.find('\n') != std::string::npos)
      throw UserError("a name with a line end cannot be stored in a snapshot");
    const auto shared = static_cast<std::size_t>(
        std::mismatch(name.begin(), name.end(), before.begin(), before.end()).first - name.begin());
    out += std::to_string(shared) + " " + name.substr(shared) + "\n";
    before = name;
  }
  std::vector<std::size_t> order(graph.edges.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto edge = [&](std::size_t i) { return graph.edges[order[i]]; };
  std::ranges::stable_sort(order, {},
                           [&](std::size_t i) { return std::pair(graph.edges[i].from, graph.edges[i].to); });
  std::size_t e = 0;
  for (std::uint32_t v = 0; v < graph.vertices; ++v) {
    const std::size_t first = e;
    while (e < order.size() && edge(e).from == v) ++e;
    put_number(out, e - first);
    std::uint32_t last = 0;
    for (std::size_t i = first; i < e; ++i) {
      put_number(out, edge(i).to - last);
      last = edge(i).to;
    }
  }
  for (const std::size_t i : weighted ? order : std::vector<std::size_t>{})
    out.append(reinterpret_cast<const char*>(&graph.weights[i]), sizeof(double));
  return out;
}

/// Names share beginnings, so a short file can say long ones: how much they take is watched as they come.
void read_names(TextSource& source, GraphData& g) {
  std::vector<std::string> names;
  std::string name;
  std::string_view line;
  std::uint64_t bytes = 0, checked = 64 << 20;
  bool named = false;
  for (std::uint32_t v = 0; v < g.vertices; ++v) {
    if (!source.next(line)) source.fail_file("ends too early; it is no complete snapshot");
    Fields fields(source, line);
    const std::uint64_t shared = fields.number("a number of shared characters", 0, name.size());
    const std::size_t blank = line.find(' ');
    if (blank == std::string_view::npos) source.fail("a name line is 'SHARED REST'");
    name.resize(shared);
    name += line.substr(blank + 1);
    if (name.size() > kLongestName) {
      source.fail("a name of " + std::to_string(name.size()) + " characters; at most " +
                  std::to_string(kLongestName) + " are allowed");
    }
    named |= !name.empty();
    bytes += sizeof name + name.size();
    if (bytes > checked) {
      // What the rest will take if it goes on like this.
      const double rest = static_cast<double>(bytes) / (v + 1) * (g.vertices - v);
      require_memory(rest, source.file() + ": its " + std::to_string(g.vertices) + " names");
      checked *= 2;
    }
    names.push_back(name);
  }
  if (!named) return;
  try {
    g.names = VertexNames::of(std::move(names));
  } catch (const UserError& error) {
    source.fail_file(error.what());
  }
}

}  // namespace

GraphData read_snapshot(TextSource& source) {
  std::string_view line;
  if (!source.next(line) || !line.starts_with(kSnapshotMagic)) {
    source.fail_file(std::string("is no snapshot; those start with '") + kSnapshotMagic + "'");
  }
  Fields header(source, line.substr(std::strlen(kSnapshotMagic)));
  GraphData g;
  g.set_vertices(static_cast<std::uint32_t>(header.number("the number of vertices", 0, kLargestId + 1)));
  const std::uint64_t edges = header.number("the number of edges", 0, ~std::uint64_t{0} >> 8);
  bool weighted = false;
  for (std::string_view word = header.word(); !word.empty(); word = header.word()) {
    if (word != "weights" && word != "mirrored")
      source.fail("the first line is 'polyloom-graph 1 VERTICES EDGES [weights] [mirrored]'");
    (word == "weights" ? weighted : g.mirrored) = true;
  }
  check_announced(source, g.vertices, 3, "vertices");
  check_announced(source, edges, weighted ? 9 : 1, "edges");
  require_memory_for(source, g.vertices, edges);
  read_names(source, g);
  g.edges.reserve(edges);
  NumberReader numbers(source);
  for (std::uint32_t v = 0; v < g.vertices; ++v) {
    std::uint64_t to = 0;
    for (std::uint64_t n = numbers.next(edges - g.edges.size()); n > 0; --n) {
      to += numbers.next(g.vertices - 1 - to);
      g.edges.push_back({v, static_cast<std::uint32_t>(to)});
    }
  }
  if (g.edges.size() != edges) source.fail_file("is damaged: its edges are not as many as it says");
  if (!weighted) return g;
  g.weights.resize(edges);
  if (source.read(reinterpret_cast<char*>(g.weights.data()), edges * sizeof(double)) !=
      edges * sizeof(double))
    source.fail_file("ends too early; it is no complete snapshot");
  if (!std::ranges::all_of(g.weights, [](double weight) { return weight - weight == 0; }))
    source.fail_file("a weight is no finite number");
  return g;
}

void write_snapshot(const GraphData& graph, const std::string& file) {
  if (graph.names.size() != graph.vertices)
    throw std::logic_error("a snapshot needs a name for every vertex");
  const std::string bytes = encode(graph);
  fabric::PartialFile whole(file);
  const int fd = whole.duplicate();
  gzFile gz = gzdopen(fd, "wb9");
  if (gz == nullptr) {
    ::close(fd);
    throw UserError(file + ": cannot be written: " + std::strerror(errno));
  }
  const auto written = gzfwrite(bytes.data(), 1, bytes.size(), gz);
  if (gzclose(gz) != Z_OK || written != bytes.size())
    throw UserError(file + ": was not fully written: " + std::strerror(errno));
  whole.commit();
}

}  // namespace polyloom::polite
