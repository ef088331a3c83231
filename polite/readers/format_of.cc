// SPDX-License-Identifier: Apache-2.0
// Which format a file has: what its first lines say, then what its name ends in.
#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <string_view>

#include "polite/readers/fields.h"
#include "polite/readers/formats.h"
#include "polite/readers/packing.h"

namespace polyloom::polite {

namespace {

struct Ending {
  std::string_view text;
  GraphFormat format;
};
constexpr Ending kEndings[] = {{".mtx", GraphFormat::matrix_market}, {".mm", GraphFormat::matrix_market},
                               {".gr", GraphFormat::dimacs},         {".dimacs", GraphFormat::dimacs},
                               {".col", GraphFormat::dimacs},        {".graph", GraphFormat::metis},
                               {".metis", GraphFormat::metis},       {"_packages", GraphFormat::debian},
                               {"/packages", GraphFormat::debian},   {".plg", GraphFormat::snapshot}};

GraphFormat by_ending(const std::string& file) {
  const std::string whole = lower(file);
  std::string_view name = whole;
  for (const Packing& packing : packings()) {
    if (name.ends_with(packing.ending)) name.remove_suffix(packing.ending.size());
  }
  for (const Ending& ending : kEndings) {
    if (name.ends_with(ending.text)) return ending.format;
  }
  return GraphFormat::edge_list;
}

/// Formats that others read: what their text begins with, in small letters and without white space.
struct Look {
  std::string_view begin, name;
};
constexpr Look kOthers[] = {{"<graphml", "GraphML"},
                            {"<gexf", "GEXF"},
                            {"<", "XML (GraphML, GEXF)"},
                            {"creator\"", "GML"},
                            {"version", "GML"},
                            {"graph[", "GML"},
                            {"graph", "DOT"},
                            {"digraph", "DOT"},
                            {"strict", "DOT"},
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

/// The first line that is neither blank nor a comment of # or %, and what the comments before it say.
struct Beginning {
  bool banner = false;         ///< of Matrix Market
  std::uint64_t mentions = 0;  ///< the line of a comment that speaks of such a file without being the banner
  std::string_view line;
  std::string_view rest;  ///< from that line on
};

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
    for (const char* words : {"matrixmarket", "matrix-market", "matrixcoordinate"}) {
      if (found.mentions == 0 && said.find(words) != std::string::npos) found.mentions = number;
    }
  }
  found.line = found.rest = {};
  return found;
}

std::optional<GraphFormat> by_content(const Beginning& begin) {
  if (begin.banner) return GraphFormat::matrix_market;
  if (begin.line.starts_with(kSnapshotMagic)) return GraphFormat::snapshot;
  if (begin.line.starts_with("Package:")) return GraphFormat::debian;
  if (is_dimacs_comment(begin.line)) return GraphFormat::dimacs;
  const std::string line = lower(begin.line.substr(0, 2));
  if (line == "p " || line == "p\t") return GraphFormat::dimacs;
  return std::nullopt;
}

std::string_view other_format(std::string_view head, const Beginning& begin) {
  constexpr std::size_t kTarMagic = 257;  // POSIX ustar
  if (head.size() > kTarMagic && head.substr(kTarMagic).starts_with("ustar")) return "tar";
  const std::string start = without_blanks(begin.rest.substr(0, 200));
  for (const Look& look : kOthers) {
    if (start.starts_with(look.begin)) return look.name;
  }
  return {};
}

}  // namespace

bool is_matrix_market_banner(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  const std::string word = lower(line.substr(0, line.find_first_of(" \t\r")));
  return word == "%%matrixmarket" || word == "%matrixmarket";
}

GraphFormat format_of(TextSource& source, const std::string& file, GraphFormat asked) {
  const std::string_view head = source.head();
  const Beginning begin = beginning_of(head);
  if (asked == GraphFormat::edge_list && begin.banner) {
    source.fail_file(
        "begins as a Matrix Market file, whose size would be taken for an edge; leave --format out");
  }
  if (asked != GraphFormat::automatic) return asked;
  if (const auto format = by_content(begin)) return *format;
  if (const std::string_view other = other_format(head, begin); !other.empty()) {
    source.fail_file(
        "looks like " + std::string(other) +
        ", which is not read; read are lists of edges, Matrix Market, DIMACS, METIS, apt's index and "
        "snapshots");
  }
  const GraphFormat format = by_ending(file);
  if (format == GraphFormat::edge_list && begin.mentions != 0) {
    source.fail_at(begin.mentions,
                   "the comment speaks of a Matrix Market file, but no line begins with %%MatrixMarket; say "
                   "--format edges if these are edges, else give the file its first line back");
  }
  return format;
}

}  // namespace polyloom::polite
