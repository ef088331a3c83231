// SPDX-License-Identifier: Apache-2.0
// What a graph format is, and what readers of several share. The formats: formats.cc.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "polite/graph_data.h"
#include "polite/read_graph.h"
#include "polite/readers/text_source.h"

namespace polyloom::polite {

/// How a file begins, as far as it tells its format.
struct Beginning {
  bool banner = false;         ///< of Matrix Market
  std::uint64_t mentions = 0;  ///< the line of a comment that speaks of such a file without being the banner
  std::uint64_t matrix = 0;    ///< the line of a comment that speaks of a matrix
  std::string_view line;       ///< the first that is neither blank nor a comment of # or %
  std::string_view rest;       ///< from that line on
};

struct Format {
  const char* name;                       ///< as --format has it
  std::vector<std::string_view> endings;  ///< of names of files, in small letters and without a packing's
  bool (*begins)(const Beginning&);       ///< what the content tells; null: nothing does
  /// Reads the whole source, which is `file`, or throws UserError.
  GraphData (*read)(TextSource& source, const std::string& file, const ReadOptions& options);
};
/// In the order in which messages name them. Content is asked from the last to the first: many lines could be
/// a table's header.
std::span<const Format> formats();
std::string formats_in_words();
const Format* find_format(std::string_view name);  ///< null: there is none

/// Largest vertex number of any file.
inline constexpr std::uint64_t kLargestId = 0xfffffffdull;

/// Reads on in a list from `line`, the source's last one: lines of names, of ids beyond 32 bits, or with the
/// data of NetworkX. `g` has the edges before it, with the ids themselves.
void read_named_list(TextSource& source, std::string_view line, GraphData& g, bool names);
/// The file of a graph of Graphalytics, one of which is `file`, that ends so: packed as `file` or in another
/// way if there is one, else plain.
std::string graphalytics_file(const std::string& file, std::string_view ending);

/// The format of a file that was called `file`: the one that is asked for, or else what its content, then its
/// name tells; a table where columns are asked for. Throws UserError for a format that is not read, and where
/// content and request contradict each other.
const Format& format_of(TextSource& source, const std::string& file, const ReadOptions& options);
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

/// First line of a snapshot.
inline constexpr const char* kSnapshotMagic = "polyloom-graph 1";

}  // namespace polyloom::polite
