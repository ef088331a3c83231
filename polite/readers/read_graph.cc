// SPDX-License-Identifier: Apache-2.0
#include "polite/read_graph.h"

#include <algorithm>
#include <string_view>

#include "fabric/error.h"
#include "polite/readers/debian.h"
#include "polite/readers/formats.h"
#include "polite/readers/packing.h"

namespace polyloom::polite {

namespace {

struct Name {
  const char* text;
  GraphFormat format;
};
constexpr Name kNames[] = {{"auto", GraphFormat::automatic},    {"edges", GraphFormat::edge_list},
                           {"snap", GraphFormat::edge_list},    {"names", GraphFormat::names},
                           {"csv", GraphFormat::table},         {"mtx", GraphFormat::matrix_market},
                           {"dimacs", GraphFormat::dimacs},     {"metis", GraphFormat::metis},
                           {"debian", GraphFormat::debian},     {"graphalytics", GraphFormat::graphalytics},
                           {"sg", GraphFormat::gapbs},          {"wsg", GraphFormat::gapbs_weighted},
                           {"snapshot", GraphFormat::snapshot}, {"arrays", GraphFormat::arrays}};
GraphData read_as(GraphFormat format, TextSource& source, const ReadOptions& options) {
  switch (format) {
    case GraphFormat::table:
      return read_table(source, options.columns);
    case GraphFormat::matrix_market:
      return read_matrix_market(source);
    case GraphFormat::dimacs:
      return read_dimacs(source);
    case GraphFormat::metis:
      return read_metis(source);
    case GraphFormat::debian: {
      PackageIndex index;
      index.read(source);
      return index.graph();
    }
    case GraphFormat::snapshot:
      return read_snapshot(source);
    case GraphFormat::gapbs:
    case GraphFormat::gapbs_weighted:
      return read_gapbs(source, format == GraphFormat::gapbs_weighted);
    default:
      return read_edge_list(source, format == GraphFormat::names);
  }
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
  TextSource source(file, options.progress, options.called);
  const GraphFormat format = format_of(source, file, options);
  GraphData g;
  try {
    g = format == GraphFormat::graphalytics ? read_graphalytics(file, options)
        : format == GraphFormat::arrays     ? read_arrays(file, source.file())
                                            : read_as(format, source, options);
  } catch (const UserError&) {
    source.require_undamaged();  // what a damaged packing gives before its end is no text to blame
    throw;
  }
  g.format = std::ranges::find(kNames, format, &Name::format)->text;
  g.packing = source.packing();
  if (g.packing.empty()) {
    for (const Packing& packing : packings()) {
      if (file.ends_with(packing.ending))
        g.notes.push_back("its name ends in " + std::string(packing.ending) +
                          ", but it is not packed: it was read as it is");
    }
  }
  if (options.undirected) g.add_reverse_edges();
  return g;
}

}  // namespace polyloom::polite
