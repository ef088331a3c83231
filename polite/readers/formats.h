// SPDX-License-Identifier: Apache-2.0
// One function a format; each reads a whole source or throws UserError.
#pragma once

#include "polite/graph_data.h"
#include "polite/read_graph.h"
#include "polite/readers/text_source.h"

namespace polyloom::polite {

/// Largest vertex number of any file.
inline constexpr std::uint64_t kLargestId = 0xfffffffdull;

/// With `names` no field is taken for a number.
GraphData read_edge_list(TextSource& source, bool names);
/// Reads on in a list from `line`, the source's last one: lines of names, of ids beyond 32 bits, or with the
/// data of NetworkX. `g` has the edges before it, with the ids themselves.
void read_named_list(TextSource& source, std::string_view line, GraphData& g, bool names);
/// A table with a header; `columns` as --columns gives them, or empty for those that are usual.
GraphData read_table(TextSource& source, const std::string& columns);
GraphData read_matrix_market(TextSource& source);
GraphData read_dimacs(TextSource& source);
GraphData read_metis(TextSource& source);
GraphData read_snapshot(TextSource& source);
GraphData read_gapbs(TextSource& source, bool weighted);
/// Both files of the graph of which `file` is one.
GraphData read_graphalytics(const std::string& file, const ReadOptions& options);
/// The file of that graph that ends so: packed as `file` or in another way if there is one, else plain.
std::string graphalytics_file(const std::string& file, std::string_view ending);

/// The format of a file that was called `file`: the one that is asked for, or else what its content, then its
/// name tells; a table where columns are asked for. Throws UserError for a format that is not read, and where
/// content and request contradict each other.
GraphFormat format_of(TextSource& source, const std::string& file, const ReadOptions& options);
/// Whether a line names columns as people call the ends of an edge.
bool is_table_header(std::string_view line);
/// "%%MatrixMarket" in letters of any case, blanks before it; one % will do.
bool is_matrix_market_banner(std::string_view line);
/// "c", "c words", and "c-----" as people rule lines.
bool is_dimacs_comment(std::string_view line);

/// Throws UserError if a file that announces `count` things, each of at least `bytes` bytes of text, is too
/// short to hold them, so that a wrong header reserves nothing.
void check_announced(const TextSource& source, std::uint64_t count, std::uint64_t bytes, const char* what);

/// Throws UserError unless there is memory for what the file announces.
void require_memory_for(const TextSource& source, std::uint64_t vertices, std::uint64_t edges);

/// A file of graph_arrays.h, with a copy of its edges.
GraphData read_arrays(const std::string& file, const std::string& called);

/// First line of a snapshot.
inline constexpr const char* kSnapshotMagic = "polyloom-graph 1";

}  // namespace polyloom::polite
