// SPDX-License-Identifier: Apache-2.0
// Matrix Market, coordinate format. Entry (i, j) is an edge from i to j.
// Source: Boisvert, Pozo, Remington, "The Matrix Market Exchange Formats", NISTIR 5935.
#include <algorithm>
#include <string>

#include "polite/readers/fields.h"
#include "polite/readers/formats.h"

namespace polyloom::polite {

namespace {

struct Header {
  bool weighted = false, mirrored = false;
  double mirror_sign = 1;
};

/// An empty line or a comment.
bool is_skipped(const TextSource& source, std::string_view line) {
  const char first = Fields(source, line).peek();
  return first == '\0' || first == '%';
}

Header read_header(TextSource& source) {
  std::string_view line;
  bool there = false;
  do {  // blank lines and comments may stand before the banner
    there = source.next(line);
  } while (there && !is_matrix_market_banner(line) && is_skipped(source, line));
  if (!there || !is_matrix_market_banner(line))
    source.fail("a Matrix Market file starts with %%MatrixMarket");
  Fields fields(source, line);
  fields.word();  // the banner
  // What stands behind these four words is a comment.
  const std::string object = lower(fields.word()), format = lower(fields.word()),
                    field = lower(fields.word()), symmetry = lower(fields.word());
  if (object != "matrix" || format != "coordinate") {
    source.fail("'" + object + " " + format + "' is no graph; 'matrix coordinate' is expected");
  }
  if (field != "real" && field != "double" && field != "integer" && field != "pattern") {
    source.fail("entries are '" + field + "'; allowed: real, integer, pattern");
  }
  if (symmetry != "general" && symmetry != "symmetric" && symmetry != "skew-symmetric") {
    source.fail("the symmetry is '" + symmetry + "'; allowed: general, symmetric, skew-symmetric");
  }
  return {field != "pattern", symmetry != "general", symmetry == "skew-symmetric" ? -1.0 : 1.0};
}

/// Next line that is neither empty nor a comment.
bool next_line(TextSource& source, std::string_view& line) {
  while (source.next(line)) {
    if (!is_skipped(source, line)) return true;
  }
  return false;
}

}  // namespace

GraphData read_matrix_market(TextSource& source) {
  const Header header = read_header(source);
  std::string_view line;
  if (!next_line(source, line)) source.fail("the file ends where 'rows columns entries' is expected");
  Fields sizes(source, line);
  const std::uint64_t rows = sizes.number("the number of rows", 0, kLargestId + 1);
  const std::uint64_t columns = sizes.number("the number of columns", 0, kLargestId + 1);
  const std::uint64_t entries = sizes.number("the number of entries", 0, ~std::uint64_t{0} >> 8);
  sizes.end("'rows columns entries'");
  GraphData g;
  g.mirrored = header.mirrored;
  g.set_vertices(static_cast<std::uint32_t>(std::max(rows, columns)), 1);
  if (rows != columns) {
    g.notes.push_back("a matrix of " + std::to_string(rows) + " rows and " + std::to_string(columns) +
                      " columns: row i and column i are taken for the same vertex");
  }
  check_announced(source, entries, header.weighted ? 6 : 4, "entries");
  require_memory_for(source, g.vertices, entries * (header.mirrored ? 2 : 1));
  g.edges.reserve(entries * (header.mirrored ? 2 : 1));
  for (std::uint64_t i = 0; i < entries; ++i) {
    if (!next_line(source, line)) {
      source.fail("the file ends after " + std::to_string(i) + " of " + std::to_string(entries) + " entries");
    }
    Fields fields(source, line);
    const auto from = static_cast<std::uint32_t>(fields.number("a row", 1, rows) - 1);
    const auto to = static_cast<std::uint32_t>(fields.number("a column", 1, columns) - 1);
    const double weight = header.weighted ? fields.weight() : 1;
    fields.end(header.weighted ? "'row column value'" : "'row column'");
    g.edges.push_back({from, to});
    if (header.weighted) g.weights.push_back(weight);
    if (header.mirrored && from != to) {
      g.edges.push_back({to, from});
      if (header.weighted) g.weights.push_back(weight * header.mirror_sign);
    }
  }
  if (next_line(source, line)) source.fail("more entries than the " + std::to_string(entries) + " announced");
  return g;
}

}  // namespace polyloom::polite
