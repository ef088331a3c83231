// SPDX-License-Identifier: Apache-2.0
// "from to [weight]" lines. SNAP's text files are such lists with # comments.
#include <algorithm>
#include <string>

#include "fabric/error.h"
#include "polite/readers/fields.h"
#include "polite/readers/formats.h"

namespace polyloom::polite {

namespace {

constexpr const char* kForm = "'from to' or 'from to weight'";

void renumber_ids(GraphData& g) {
  std::vector<std::uint32_t> ids;
  ids.reserve(2 * g.edges.size());
  for (const Edge& e : g.edges) {
    ids.push_back(e.from);
    ids.push_back(e.to);
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  auto number = [&](std::uint32_t id) {
    return static_cast<std::uint32_t>(std::lower_bound(ids.begin(), ids.end(), id) - ids.begin());
  };
  for (Edge& e : g.edges) e = {number(e.from), number(e.to)};
  g.vertices = static_cast<std::uint32_t>(ids.size());
  for (std::uint32_t id : ids) g.names.push_back(std::to_string(id));
}

}  // namespace

GraphData read_edge_list(TextSource& source, bool renumber) {
  GraphData g;
  g.edges.reserve(source.file_bytes() / 12);
  std::uint64_t largest = 0, largest_line = 0;
  bool first = true, weighted = false;
  std::string_view line;
  while (source.next(line)) {
    Fields fields(source, line);
    if (const char c = fields.peek(); c == '\0' || c == '#' || c == '%') continue;
    const std::uint64_t from = fields.number("a vertex", 0, kLargestId);
    const std::uint64_t to = fields.number("a vertex", 0, kLargestId);
    if (const std::uint64_t id = std::max(from, to); id > largest) {
      largest = id;
      largest_line = source.line();
    }
    g.edges.push_back({static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to)});
    if (first) {
      weighted = !fields.empty();
      first = false;
    }
    if (weighted) {
      if (fields.empty()) source.fail("the weight is missing; earlier lines are 'from to weight'");
      g.weights.push_back(fields.weight());
      fields.end(kForm);
    } else if (!fields.empty()) {
      fields.end("'from to' in this file, as its first line is");
    }
  }
  if (g.edges.empty()) return g;
  if (renumber) {
    renumber_ids(g);
    return g;
  }
  if (largest > 100 * g.edges.size() + 10'000'000) {
    throw UserError(source.file() + ":" + std::to_string(largest_line) + ": vertex " +
                    std::to_string(largest) + " would make a graph of " + std::to_string(largest + 1) +
                    " vertices for " + std::to_string(g.edges.size()) +
                    " edges; ids are numbers from 0 without large gaps, or ask for "
                    "renumbering");
  }
  g.vertices = static_cast<std::uint32_t>(largest + 1);
  return g;
}

}  // namespace polyloom::polite
