// SPDX-License-Identifier: Apache-2.0
// The second reading of formats whose vertices are numbers. Sources: as in polite/readers.
#include <algorithm>
#include <cctype>
#include <numeric>

#include "apps/verify/second_reading.h"

namespace polyloom::apps {
namespace {

/// Numbers ids as they are first met; sorts them at the end.
class Ids {
 public:
  std::uint32_t operator[](std::uint64_t id) {
    const auto [at, fresh] = number_.try_emplace(id, static_cast<std::uint32_t>(ids_.size()));
    if (fresh) ids_.push_back(id);
    return at->second;
  }
  /// Names the vertices of a graph whose arcs have numbers of this object.
  void name(NamedGraph& graph) const {
    std::vector<std::uint32_t> order(ids_.size()), rank(ids_.size());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return ids_[a] < ids_[b]; });
    for (std::uint32_t i = 0; i < order.size(); ++i) {
      rank[order[i]] = i;
      graph.names.push_back(std::to_string(ids_[order[i]]));
    }
    for (auto& arc : graph.arcs) arc = {rank[arc.from], rank[arc.to], arc.weight};
  }

 private:
  std::unordered_map<std::uint64_t, std::uint32_t> number_;
  std::vector<std::uint64_t> ids_;
};

/// Vertices 1 .. count.
NamedGraph declared(std::uint64_t count) {
  NamedGraph graph;
  for (std::uint64_t v = 1; v <= count; ++v) graph.names.push_back(std::to_string(v));
  return graph;
}

/// The number inside of a vertex of such a graph.
std::uint32_t inside(const Lines& lines, const NamedGraph& graph, std::string_view word) {
  const std::uint64_t id = id_of(lines, word);
  if (id < 1 || id > graph.names.size()) lines.stop("there is no vertex " + std::string(word));
  return static_cast<std::uint32_t>(id - 1);
}

/// A line of DIMACS whose first word is this one is a comment: c, or c and what is no part of a word.
bool begins_comment(std::string_view word) {
  return word == "c" || word == "C" ||
         (word.size() > 1 && (word[0] == 'c' || word[0] == 'C') &&
          std::isalnum(static_cast<unsigned char>(word[1])) == 0);
}

/// Whether the first line of a DIMACS file that is no comment says the problem.
bool has_problem(const std::string& text) {
  Lines lines(text);
  for (std::string_view line; lines.next(line);) {
    const auto words = words_of(line);
    if (words.empty() || words[0][0] == '#' || words[0][0] == '%' || begins_comment(words[0])) continue;
    if (in_small_letters(words[0]) != "p" || words.size() < 2) return false;
    const std::string type = in_small_letters(words[1]);
    return words.size() == 4 || type.starts_with("sp") || type.starts_with("edge") || type.starts_with("col");
  }
  return false;
}

}  // namespace

NamedGraph edges_again(const std::string& text) {
  NamedGraph graph;
  Ids ids;
  bool timed = false;
  Lines lines(text);
  for (std::string_view line; lines.next(line);) {
    const auto words = words_of(line);
    // KONECT says of which kind the edges are; these may have a time behind their weight.
    if (words.size() > 1 && words[0] == "%")
      timed |= words[1] == "sym" || words[1] == "asym" || words[1] == "bip";
    if (words.empty() || words[0][0] == '#' || words[0][0] == '%') continue;
    constexpr std::size_t kDigits = 18;  // so many fit 64 bits, whatever they are
    for (std::size_t i = 0; i < words.size(); ++i) {
      const bool number = words[i].find_first_not_of("0123456789") == std::string_view::npos;
      const bool long_id = number && words[i].size() > kDigits, name = !number && graph.arcs.empty();
      if (i < 2 ? long_id || name : words[i][0] == '{') return list_again(text, false);
    }
    if (words.size() < 2 || words.size() > (timed ? 4 : 3)) lines.stop("two or three numbers are expected");
    const std::uint32_t from = ids[id_of(lines, words[0])], to = ids[id_of(lines, words[1])];
    graph.arcs.push_back({from, to, words.size() > 2 ? weight_of(lines, words[2]) : 1});
  }
  ids.name(graph);
  return graph;
}

namespace {

NamedGraph matrix_market_again(const GraphFile& file) {
  Lines lines(file.text);
  std::string_view line;
  // The banner: its name, "matrix", "coordinate", what entries are, and the symmetry.
  std::string small;
  std::vector<std::string_view> banner;
  while (banner.size() < 5 || !banner[0].starts_with('%') || !banner[0].ends_with("%matrixmarket")) {
    if (!lines.next(line)) lines.stop("no line with what the matrix is");
    small = in_small_letters(line);
    banner = words_of(small);
  }
  const bool pattern = banner[3] == "pattern", skew = banner[4] == "skew-symmetric";
  const bool mirrored = skew || banner[4] == "symmetric";
  NamedGraph graph;
  bool sized = false;
  while (lines.next(line)) {
    const auto words = words_of(line);
    if (words.empty() || words[0][0] == '%') continue;
    if (!sized) {
      if (words.size() != 3) lines.stop("rows, columns and entries are expected");
      graph = declared(std::max(id_of(lines, words[0]), id_of(lines, words[1])));
      sized = true;
      continue;
    }
    if (words.size() != (pattern ? 2 : 3)) lines.stop("an entry is expected");
    const std::uint32_t from = inside(lines, graph, words[0]), to = inside(lines, graph, words[1]);
    const double weight = pattern ? 1 : weight_of(lines, words[2]);
    graph.arcs.push_back({from, to, weight});
    if (mirrored && from != to) graph.arcs.push_back({to, from, skew ? -weight : weight});
  }
  graph.both_directions = mirrored;
  return graph;
}

NamedGraph dimacs_again(const GraphFile& file) {
  NamedGraph graph;
  Lines lines(file.text);
  for (std::string_view line; lines.next(line);) {
    const auto words = words_of(line);
    if (words.empty() || begins_comment(words[0])) continue;
    const std::string kind = in_small_letters(words[0]);
    if (kind == "p" && words.size() == 4) {
      graph = declared(id_of(lines, words[2]));
    } else if (kind == "a" && words.size() == 4) {
      graph.arcs.push_back(
          {inside(lines, graph, words[1]), inside(lines, graph, words[2]), weight_of(lines, words[3])});
    } else if (kind == "e" && words.size() == 3) {
      graph.both_directions = true;
      const std::uint32_t from = inside(lines, graph, words[1]), to = inside(lines, graph, words[2]);
      graph.arcs.push_back({from, to, 1});
      if (from != to) graph.arcs.push_back({to, from, 1});
    } else {
      lines.stop("no line of DIMACS");
    }
  }
  return graph;
}

NamedGraph metis_again(const GraphFile& file) {
  Lines lines(file.text);
  NamedGraph graph;
  bool headed = false;
  std::size_t before = 0, step = 1;  // words before the neighbours, words a neighbour
  std::uint32_t vertex = 0;
  for (std::string_view line; lines.next(line);) {
    if (line.starts_with('%')) continue;
    const auto words = words_of(line);
    if (!headed) {
      if (words.empty()) continue;
      headed = true;
      graph = declared(id_of(lines, words[0]));
      const std::uint64_t digits = words.size() > 2 ? id_of(lines, words[2]) : 0;
      const std::size_t weights = words.size() > 3 ? id_of(lines, words[3]) : 1;
      step = digits % 10 == 1 ? 2 : 1;
      before = (digits / 100 == 1 ? 1 : 0) + (digits / 10 % 10 == 1 ? weights : 0);
      continue;
    }
    if (vertex == graph.names.size()) {
      if (!words.empty()) lines.stop("all vertices had their lines");
      continue;
    }
    for (std::size_t i = before; i + step <= words.size(); i += step) {
      graph.arcs.push_back(
          {vertex, inside(lines, graph, words[i]), step == 2 ? weight_of(lines, words[i + 1]) : 1});
    }
    ++vertex;
  }
  graph.both_directions = true;
  return graph;
}

bool begins_matrix(std::string_view word, std::string_view, const std::string&) {
  return word == "%%matrixmarket" || word == "%matrixmarket";
}
bool begins_dimacs(std::string_view word, std::string_view, const std::string& text) {
  return (begins_comment(word) || word == "p") && has_problem(text);
}

}  // namespace

std::span<const SecondReader> numbered_formats() {
  static const SecondReader kFormats[] = {
      {"mtx", {".mtx", ".mm"}, begins_matrix, matrix_market_again},
      {"dimacs", {".gr", ".dimacs", ".col"}, begins_dimacs, dimacs_again},
      {"metis", {".graph", ".metis"}, nullptr, metis_again},
      {"edges", {}, nullptr, [](const GraphFile& file) { return edges_again(file.text); }}};
  return kFormats;
}

}  // namespace polyloom::apps
