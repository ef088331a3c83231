// SPDX-License-Identifier: Apache-2.0
// DIMACS: shortest-path graphs (.gr: "p sp", "a") and undirected ones ("p edge" or "p col", "e"). Ids from 1.
// Source: 9th DIMACS Implementation Challenge, file formats; 2nd Challenge for "e" lines.
#include <algorithm>
#include <cctype>
#include <string>

#include "polite/readers/fields.h"
#include "polite/readers/formats.h"

namespace polyloom::polite {

bool is_dimacs_comment(std::string_view line) {
  return !line.empty() && (line[0] == 'c' || line[0] == 'C') &&
         (line.size() == 1 || std::isalnum(static_cast<unsigned char>(line[1])) == 0);
}

/// Comments, then a problem line; a list may be of vertices that are called c and p.
bool begins_dimacs(const Beginning& begin) {
  std::string_view text = begin.rest;
  while (!text.empty()) {
    const std::string line = lower(trimmed(text.substr(0, text.find('\n'))));
    text.remove_prefix(std::min(text.size(), text.find('\n')));
    text.remove_prefix(std::min<std::size_t>(text.size(), 1));
    if (line.empty() || is_dimacs_comment(line)) continue;
    std::size_t words = 0;
    for (std::size_t at = 0; (at = line.find_first_not_of(" \t", at)) != std::string::npos; ++words)
      at = std::min(line.find_first_of(" \t", at), line.size());
    const std::string_view type = trimmed(std::string_view(line).substr(1));
    const bool known = type.starts_with("sp") || type.starts_with("edge") || type.starts_with("col");
    return line[0] == 'p' && line.find_first_of(" \t") == 1 && (known || words == 4);
  }
  return false;
}

GraphData read_dimacs(TextSource& source) {
  GraphData g;
  std::uint64_t announced = 0, found = 0;
  bool problem = false, arcs = false;
  std::string_view line;
  while (source.next(line)) {
    Fields fields(source, line);
    const std::string kind = lower(fields.word());
    if (kind.empty() || is_dimacs_comment(kind)) continue;
    if (kind == "p") {
      if (problem) source.fail("a second problem line; a file has one");
      const std::string type = lower(fields.word());
      if (type != "sp" && type != "edge" && type != "col") {
        source.fail("the problem is '" + type + "'; allowed: 'p sp n m', 'p edge n m', 'p col n m'");
      }
      arcs = type == "sp";
      g.mirrored = !arcs;
      problem = true;
      g.set_vertices(static_cast<std::uint32_t>(fields.number("the number of vertices", 0, kLargestId + 1)),
                     1);
      announced = fields.number("the number of edges", 0, ~std::uint64_t{0} >> 8);
      fields.end("'p TYPE n m'");
      check_announced(source, announced, arcs ? 8 : 6, "edges");
      require_memory_for(source, g.vertices, announced * (arcs ? 1 : 2));
      g.edges.reserve(announced * (arcs ? 1 : 2));
      continue;
    }
    if (!problem) source.fail("the problem line ('p sp n m') must come before this one");
    if (kind != (arcs ? "a" : "e")) {
      source.fail("a line that begins with '" + kind.substr(0, 20) + "'; allowed: c, " +
                  (arcs ? "'a from to weight'" : "'e u v'"));
    }
    if (found == announced) source.fail("more edges than the " + std::to_string(announced) + " announced");
    const auto from = static_cast<std::uint32_t>(fields.number("a vertex", 1, g.vertices) - 1);
    const auto to = static_cast<std::uint32_t>(fields.number("a vertex", 1, g.vertices) - 1);
    g.edges.push_back({from, to});
    if (arcs) {
      if (fields.empty()) source.fail("the weight is missing; a line is 'a from to weight'");
      g.weights.push_back(fields.weight());
    } else if (from != to) {
      g.edges.push_back({to, from});
    }
    fields.end(arcs ? "'a from to weight'" : "'e u v'");
    ++found;
  }
  if (!problem) source.fail_file("has no problem line; a DIMACS file has 'p sp n m'");
  if (found != announced) {
    source.fail("the file ends after " + std::to_string(found) + " of " + std::to_string(announced) +
                " edges");
  }
  return g;
}

}  // namespace polyloom::polite
