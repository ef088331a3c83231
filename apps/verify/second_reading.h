// SPDX-License-Identifier: Apache-2.0
// A graph file read a second time, for --verify alone: by other code than polite/readers, from the formats'
// definitions, with another way of numbering. Simple before quick, and whole in memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace polyloom::apps {

struct NamedGraph {
  struct Arc {
    std::uint32_t from, to;
    double weight;
  };
  std::vector<std::string> names;  ///< numbers ascending, packages in order, a snapshot's as listed
  std::vector<Arc> arcs;           ///< as in the file; of an undirected format both directions
  bool both_directions = false;    ///< it is one
  std::string format;              ///< as --format names it
};

/// Reads `file`; `format` as --format names it, "" or "auto" for what content and name tell; `columns` as
/// --columns names them. Throws UserError.
NamedGraph read_again(const std::string& file, const std::string& format, const std::string& columns = "");

/// Adds the reverse of every arc that is no loop, unless the format has given them.
void add_reverse_arcs(NamedGraph& graph);

/// Drops loops, and of equal arcs all but the one with the least weight.
void simplify(NamedGraph& graph);

// The formats, one function each, over a file's whole text.
NamedGraph edges_again(const std::string& text);
/// Lists that are not of small numbers alone; with `names` no word is a number.
NamedGraph list_again(const std::string& text, bool names);
NamedGraph graphalytics_again(const std::string& vertices, const std::string& edges);
NamedGraph table_again(const std::string& text, const std::string& columns);
NamedGraph matrix_market_again(const std::string& text);
NamedGraph dimacs_again(const std::string& text);
NamedGraph metis_again(const std::string& text);
NamedGraph packages_again(const std::string& text);
NamedGraph snapshot_again(const std::string& text);

/// Lines of a text, and the words of each.
class Lines {
 public:
  explicit Lines(const std::string& text) : left_(text) {}
  bool next(std::string_view& line);
  std::uint64_t number() const { return number_; }
  /// What has not been given out.
  std::string_view left() const { return left_; }
  /// Throws UserError "line N: what".
  [[noreturn]] void stop(const std::string& what) const;

 private:
  std::string_view left_;
  std::uint64_t number_ = 0;
};

/// Pieces between blanks, tabs and commas.
std::vector<std::string_view> words_of(std::string_view line);
/// Whether a line is the header of a table whose columns have the usual names.
bool names_columns(std::string_view line);
std::string in_small_letters(std::string_view text);
/// A line of DIMACS whose first word is this one is a comment: c, or c and what is no part of a word.
bool begins_comment(std::string_view word);
/// A word as a number; stops if it is none.
std::uint64_t id_of(const Lines& lines, std::string_view word);
double weight_of(const Lines& lines, std::string_view word);

}  // namespace polyloom::apps
