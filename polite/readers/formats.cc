// SPDX-License-Identifier: Apache-2.0
// The formats: a row each, with what reads it. A new one is a file with its reader, and here its declaration
// and its row.
#include "polite/readers/formats.h"

#include "fabric/error.h"
#include "polite/graph_arrays.h"
#include "polite/readers/debian.h"

namespace polyloom::polite {

GraphData read_matrix_market(TextSource& source);
GraphData read_dimacs(TextSource& source);
bool begins_dimacs(const Beginning& begin);
GraphData read_metis(TextSource& source);
GraphData read_snapshot(TextSource& source);
GraphData read_gapbs(TextSource& source, bool weighted);
/// Both files of the graph of which `file` is one.
GraphData read_graphalytics(const std::string& file, const ReadOptions& options);
/// With `names` no field is taken for a number.
GraphData read_edge_list(TextSource& source, bool names);
/// A table with a header; `columns` as --columns gives them, or empty for those that are usual.
GraphData read_table(TextSource& source, const std::string& columns);
/// A file of graph_arrays.h, with a copy of its edges.
GraphData read_arrays(const std::string& file, const std::string& called);

namespace {

using Options = ReadOptions;
using File = const std::string&;

GraphData read_packages(TextSource& source, File, const Options&) {
  PackageIndex index;
  index.read(source);
  return index.graph();
}

const Format kFormats[] = {
    {"edges", {}, nullptr, [](TextSource& s, File, const Options&) { return read_edge_list(s, false); }},
    {"names", {}, nullptr, [](TextSource& s, File, const Options&) { return read_edge_list(s, true); }},
    {"csv",
     {},
     [](const Beginning& b) { return is_table_header(b.line); },
     [](TextSource& s, File, const Options& how) { return read_table(s, how.columns); }},
    {"mtx",
     {".mtx", ".mm"},
     [](const Beginning& b) { return b.banner; },
     [](TextSource& s, File, const Options&) { return read_matrix_market(s); }},
    {"dimacs",
     {".gr", ".dimacs", ".col"},
     begins_dimacs,
     [](TextSource& s, File, const Options&) { return read_dimacs(s); }},
    {"metis",
     {".graph", ".metis"},
     nullptr,
     [](TextSource& s, File, const Options&) { return read_metis(s); }},
    {"debian",
     {"_packages", "/packages"},
     [](const Beginning& b) { return b.line.starts_with("Package:"); },
     read_packages},
    {"graphalytics",
     {".v", ".e"},
     nullptr,
     [](TextSource&, File file, const Options& how) { return read_graphalytics(file, how); }},
    {"sg", {".sg"}, nullptr, [](TextSource& s, File, const Options&) { return read_gapbs(s, false); }},
    {"wsg", {".wsg"}, nullptr, [](TextSource& s, File, const Options&) { return read_gapbs(s, true); }},
    {"snapshot",
     {".plg"},
     [](const Beginning& b) { return b.line.starts_with(kSnapshotMagic); },
     [](TextSource& s, File, const Options&) { return read_snapshot(s); }},
    {"arrays",
     {},
     [](const Beginning& b) { return b.line.starts_with(kArraysMagic); },
     [](TextSource& s, File file, const Options&) { return read_arrays(file, s.file()); }}};

}  // namespace

std::span<const Format> formats() { return kFormats; }

/// Those too that Python converts first (polyloom/graphs).
std::string formats_in_words() {
  return "lists of edges, CSV, Parquet, GraphML, SciPy's npz, Matrix Market, DIMACS, METIS, GAPBS, "
         "Graphalytics, "
         "apt's index and snapshots";
}

const Format* find_format(std::string_view name) {
  for (const Format& format : kFormats) {
    if (name == format.name) return &format;
  }
  return nullptr;
}

std::string graph_format(std::string_view name) {
  if (name == "snap") return "edges";
  if (name == "auto" || find_format(name) != nullptr) return std::string(name);
  std::string allowed = "auto, edges, snap";
  for (const Format& format : formats().subspan(1)) allowed += ", " + std::string(format.name);
  throw UserError("graph format '" + std::string(name) + "' is unknown; allowed: " + allowed);
}

}  // namespace polyloom::polite
