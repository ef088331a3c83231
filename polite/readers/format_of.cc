// SPDX-License-Identifier: Apache-2.0
// Which format a file has: what its first lines say, then what its name ends in.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <ranges>
#include <string>
#include <string_view>
#include <vector>

#include "polite/readers/fields.h"
#include "polite/readers/formats.h"
#include "polite/readers/packing.h"

namespace polyloom::polite {

namespace {

const Format& by_ending(const std::string& file) {
  const std::string whole = lower(file);
  std::string_view name = whole;
  for (const Packing& packing : packings()) {
    if (name.ends_with(packing.ending)) name.remove_suffix(packing.ending.size());
  }
  for (const Format& format : formats()) {
    for (const std::string_view ending : format.endings) {
      // Edges alone are a list of edges.
      std::error_code none;
      if (name.ends_with(ending) &&
          (ending != ".e" || std::filesystem::exists(graphalytics_file(file, ".v"), none)))
        return format;
    }
  }
  return *find_format("edges");
}

/// Formats that others read: what their text begins with, in small letters and without white space, and what
/// stands near, so that a list of words is none.
struct Look {
  std::string_view begin, name, near = {};
};
constexpr Look kOthers[] = {{"<graphml", "GraphML"},
                            {"<gexf", "GEXF"},
                            {"<", "XML (GraphML, GEXF)"},
                            {"creator\"", "GML", "["},
                            {"version", "GML", "["},
                            {"graph[", "GML"},
                            {"graph", "DOT", "{"},
                            {"digraph", "DOT", "{"},
                            {"strict", "DOT", "{"},
                            {"*", "Pajek"},
                            {"adjacencygraph", "Ligra"},
                            {"weightedadjacencygraph", "Ligra"},
                            {"dln=", "UCINET DL"},
                            {"{", "JSON"},
                            {"pk\x03\x04", "zip"},
                            {"7z\xbc\xaf", "7z"},
                            {"\x1f\x9d", "compress (.Z)"},
                            {"\x02\x21\x4c\x18", "lz4's old form (lz4 -l)"},
                            {std::string_view("]\0\0", 3), "lzma's old form (.lzma)"}};

std::string without_blanks(std::string_view text) {
  std::string out = lower(text);
  std::erase_if(out, [](unsigned char c) { return std::isspace(c) != 0; });
  return out;
}

Beginning beginning_of(std::string_view text) {
  Beginning found;
  for (std::uint64_t number = 1; !text.empty(); ++number) {
    found.rest = text;
    found.line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), found.line.size() + 1));
    const std::size_t first = found.line.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) continue;
    found.line.remove_prefix(first);
    if (is_matrix_market_banner(found.line)) {
      found.banner = true;
      return found;
    }
    if (found.line[0] != '#' && found.line[0] != '%') return found;
    const std::string said = without_blanks(found.line);
    if (found.matrix == 0 && said.find("matrix") != std::string::npos) found.matrix = number;
    for (const char* words : {"matrixmarket", "matrix-market", "matrixcoordinate"}) {
      if (found.mentions == 0 && said.find(words) != std::string::npos) found.mentions = number;
    }
  }
  found.line = found.rest = {};
  return found;
}

/// The whole numbers that a line begins with.
std::vector<std::uint64_t> numbers_of(std::string_view line) {
  std::vector<std::uint64_t> numbers;
  std::uint64_t number = 0;
  for (;;) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    const auto [next, error] = std::from_chars(line.data(), line.data() + line.size(), number);
    if (error != std::errc()) return numbers;
    numbers.push_back(number);
    line.remove_prefix(static_cast<std::size_t>(next - line.data()));
  }
}

/// Whether the first line may be the size of a matrix, "rows columns entries": then none of the lines behind
/// it lies outside, and there are no more of them than it says.
bool begins_with_a_size(const Beginning& begin) {
  const std::vector<std::uint64_t> size = numbers_of(begin.line);
  if (size.size() != 3 || begin.line.find_first_not_of("0123456789 \t\r") != std::string_view::npos)
    return false;
  std::uint64_t entries = 0;
  std::string_view left = begin.rest.substr(std::min(begin.rest.find('\n'), begin.rest.size()));
  while (!left.empty()) {
    const std::string_view line = left.substr(0, left.find('\n'));
    left.remove_prefix(std::min(left.size(), line.size() + 1));
    const std::vector<std::uint64_t> entry = numbers_of(line);
    if (entry.size() < 2) continue;  // blank, a comment, or where the text at hand is cut
    if (entry[0] > size[0] || entry[1] > size[1] || ++entries > size[2]) return false;
  }
  return true;
}

const Format* by_content(const Beginning& begin) {
  for (const Format& format : formats() | std::views::reverse) {
    if (format.begins != nullptr && format.begins(begin)) return &format;
  }
  return nullptr;
}

std::string_view other_format(std::string_view head, const Beginning& begin) {
  constexpr std::size_t kTarMagic = 257;  // POSIX ustar
  if (head.size() > kTarMagic && head.substr(kTarMagic).starts_with("ustar")) return "tar";
  for (const Packing& packing : packings()) {
    if (head.starts_with(packing.magic)) return "a packed file that is packed once more";
  }
  const std::string start = without_blanks(begin.rest.substr(0, 200));
  for (const Look& look : kOthers) {
    if (start.starts_with(look.begin) && start.find(look.near) != std::string::npos) return look.name;
  }
  return {};
}

}  // namespace

bool is_matrix_market_banner(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  const std::string word = lower(line.substr(0, line.find_first_of(" \t\r")));
  return word == "%%matrixmarket" || word == "%matrixmarket";
}

const Format& format_of(TextSource& source, const std::string& file, const ReadOptions& options) {
  const std::string requested = graph_format(options.format);
  const std::string_view head = source.head();
  const Beginning begin = beginning_of(head);
  if (requested == "edges" && begin.banner) {
    source.fail_file(
        "begins as a Matrix Market file, whose size would be taken for an edge; leave --format out");
  }
  const Format* format = requested != "auto" ? find_format(requested) : by_content(begin);
  const Format* const table = find_format("csv");
  if (!options.columns.empty() && format != nullptr && format != table)
    source.fail_file("is no table with a header (csv), which alone has --columns; leave them out");
  if (format != nullptr) return *format;
  if (const std::string_view other = other_format(head, begin); !other.empty()) {
    source.fail_file("looks like " + std::string(other) + ", which is not read; read are " +
                     formats_in_words());
  }
  if (!options.columns.empty()) return *table;
  format = &by_ending(file);
  const std::uint64_t reported = begin.mentions != 0         ? begin.mentions
                                 : begins_with_a_size(begin) ? begin.matrix
                                                             : 0;
  if (format == find_format("edges") && reported != 0) {
    source.fail_at(
        reported,
        "the comment speaks of a matrix, but no line begins with %%MatrixMarket; say --format edges if "
        "these are edges, else give the file its first line back");
  }
  return *format;
}

}  // namespace polyloom::polite
