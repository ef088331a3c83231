// SPDX-License-Identifier: Apache-2.0
// A graph file read a second time, for --verify alone: by other code than polite/readers, from the formats'
// definitions, with another way of numbering. Simple before quick, and whole in memory.
//
// Why twice: the rule that a fact stands in one place has this exception. --verify speaks of a user's own
// file,
//   which no test has seen, so what it compares with must not come from the reader that it judges; and
//   libraries for Python read some of these formats only (METIS, apt's index, snapshots and Graphalytics by
//   none), differ in what they take (blank lines, ids of more than 64 bits), and are not there where only the
//   simulator is installed. Both readings of a corpus of all formats are compared by verify_test.cc.
// A format: its function and its row in one of the three files *_formats.cc.
#pragma once

#include <cstdint>
#include <span>
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

/// What a file is and says.
struct GraphFile {
  std::string path;
  std::string text;     ///< unpacked
  std::string columns;  ///< as --columns names them
  std::string name;     ///< in small letters, without its folder
  std::string ending;   ///< of the name without a packing's ending
};
/// The file of the same name but for this ending, packed or not; empty if there is none.
std::string beside(const std::string& file, const std::string& ending);
/// Its text, unpacked if it begins as packed files do.
std::string whole_text(const std::string& file);

struct SecondReader {
  const char* name;                            ///< as --format has it
  std::vector<std::string_view> endings = {};  ///< of files
  /// Whether a line that is not blank, the first that is no comment of # or % or one before it, tells the
  /// format; `word`: its first, in small letters. Null: nothing does.
  bool (*begins)(std::string_view word, std::string_view line, const std::string& text) = nullptr;
  NamedGraph (*read)(const GraphFile& file);
  bool (*named)(const GraphFile& file) = nullptr;  ///< what else a name tells; null: nothing
};
std::span<const SecondReader> named_formats();
std::span<const SecondReader> numbered_formats();
std::span<const SecondReader> text_formats();

/// Lists of edges between numbers; others are read as list_again() does.
NamedGraph edges_again(const std::string& text);
/// Lists that are not of small numbers alone; with `names` no word is a number.
NamedGraph list_again(const std::string& text, bool names);

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
std::string in_small_letters(std::string_view text);
/// A word as a number; stops if it is none.
std::uint64_t id_of(const Lines& lines, std::string_view word);
double weight_of(const Lines& lines, std::string_view word);

}  // namespace polyloom::apps
