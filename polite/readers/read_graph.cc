// SPDX-License-Identifier: Apache-2.0
#include "polite/read_graph.h"

#include <string_view>

#include "fabric/error.h"
#include "polite/readers/debian.h"
#include "polite/readers/formats.h"

namespace polyloom::polite {

namespace {

struct Name {
  const char* text;
  GraphFormat format;
};
constexpr Name kNames[] = {{"auto", GraphFormat::automatic}, {"edges", GraphFormat::edge_list},
                           {"snap", GraphFormat::edge_list}, {"mtx", GraphFormat::matrix_market},
                           {"dimacs", GraphFormat::dimacs},  {"metis", GraphFormat::metis},
                           {"debian", GraphFormat::debian},  {"snapshot", GraphFormat::snapshot}};
constexpr Name kExtensions[] = {{".mtx", GraphFormat::matrix_market}, {".mm", GraphFormat::matrix_market},
                                {".gr", GraphFormat::dimacs},         {".dimacs", GraphFormat::dimacs},
                                {".col", GraphFormat::dimacs},        {".graph", GraphFormat::metis},
                                {".metis", GraphFormat::metis},       {"_Packages", GraphFormat::debian},
                                {"/Packages", GraphFormat::debian},   {".plg", GraphFormat::snapshot}};

GraphFormat by_extension(std::string_view file) {
  for (const std::string_view packed : {".gz", ".lz4", ".xz", ".zst", ".bz2"}) {
    if (file.ends_with(packed)) file.remove_suffix(packed.size());
  }
  for (const Name& e : kExtensions) {
    if (file.ends_with(e.text)) return e.format;
  }
  return GraphFormat::automatic;
}

/// By the first line that says something.
GraphFormat by_content(TextSource& source) {
  std::string_view line;
  if (!source.next(line)) return GraphFormat::edge_list;
  GraphFormat format = GraphFormat::edge_list;
  if (line.starts_with("%%MatrixMarket")) format = GraphFormat::matrix_market;
  if (line.starts_with(kSnapshotMagic)) format = GraphFormat::snapshot;
  if (line.starts_with("Package: ")) format = GraphFormat::debian;
  if (line.starts_with("c ") || line == "c" || line.starts_with("p sp ") || line.starts_with("p edge ")) {
    format = GraphFormat::dimacs;
  }
  source.again(line);
  return format;
}

}  // namespace

void check_announced(const TextSource& source, std::uint64_t count, std::uint64_t bytes, const char* what) {
  const std::uint64_t most = source.most_text() / bytes + 1;  // the last one may lack its line end
  if (count <= most) return;
  source.fail("the header announces " + std::to_string(count) + " " + what + ", but the file's " +
              std::to_string(source.file_bytes()) + " bytes hold at most " + std::to_string(most));
}

void require_memory_for(const TextSource& source, std::uint64_t vertices, std::uint64_t edges) {
  require_graph_memory(static_cast<double>(vertices), static_cast<double>(edges),
                       source.file() + ": a graph of " + std::to_string(vertices) + " vertices and " +
                           std::to_string(edges) + " edges");
}

GraphFormat graph_format(std::string_view name) {
  std::string allowed;
  for (const Name& n : kNames) {
    if (name == n.text) return n.format;
    allowed += (allowed.empty() ? "" : ", ") + std::string(n.text);
  }
  throw UserError("graph format '" + std::string(name) + "' is unknown; allowed: " + allowed);
}

GraphData read_graph(const std::string& file, const ReadOptions& options) {
  TextSource source(file, options.progress);
  GraphFormat format = options.format;
  if (format == GraphFormat::automatic) format = by_extension(file);
  if (format == GraphFormat::automatic) format = by_content(source);
  GraphData g;
  switch (format) {
    case GraphFormat::matrix_market:
      g = read_matrix_market(source);
      break;
    case GraphFormat::dimacs:
      g = read_dimacs(source);
      break;
    case GraphFormat::metis:
      g = read_metis(source);
      break;
    case GraphFormat::debian: {
      PackageIndex index;
      index.read(source);
      g = index.graph();
      break;
    }
    case GraphFormat::snapshot:
      g = read_snapshot(source);
      break;
    default:
      g = read_edge_list(source);
  }
  if (options.undirected) g.add_reverse_edges();
  return g;
}

}  // namespace polyloom::polite
